"""A plain bot: some rules of thumb, no search, no memory of its own. Imports the core's constants.
Works on what Hand.observe has put into the view, and allocates nothing."""

from pitch.cards import BID, NAME, PASS, PIPS, const
from pitch.rules import BIDDING, NAMING, PLAYING

_TEN = const(10)
_JACK = const(11)
_QUEEN = const(12)
_KING = const(13)
_ACE = const(14)

# Worth of a suit as trump, in tenths of a point, by the ranks held in it.
_HIGH = b"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x03\x06\x0a\x00"  # High by the best card
_LOW = b"\x00\x00\x0a\x08\x06\x04\x02\x00\x00\x00\x00\x00\x00\x00\x00\x00"  # Low by the lowest
_NEED = b"\x00\x08\x11\x1b\x25\x32"  # worth from which a bid of so many is made more often than not


def choose(view):
    """One of view.acts[0..n)."""
    if view.n == 1:
        return view.acts[0]
    if view.phase == BIDDING:
        return _bid(view)
    if view.phase == NAMING:
        return NAME + _best_suit(view)
    if view.phase == PLAYING:
        return _lead(view) if view.led < 0 else _follow(view)
    return view.acts[0]


def _worth(view, suit):
    """How many tenths of a point this hand should take with `suit` as trump."""
    hand = view.hand
    high = count = pips = jack = 0
    low = 15
    for i in range(view.held[view.seat]):
        card = hand[i]
        rank = card & 15
        if card >> 4 == suit:
            count += 1
            if rank > high:
                high = rank
            if rank < low:
                low = rank
            if rank == _JACK:
                jack = 1
            pips += PIPS[rank]
        elif rank == _ACE or rank == _TEN:
            pips += 3
    if not count:
        return 0
    worth = _HIGH[high] + _LOW[low] + (count - 1) * 3 + (4 if pips > 9 else 0)
    if jack:
        worth += 8 if high > _JACK or count > 2 else 4
    return worth


def _best_suit(view):
    best = 0
    for suit in range(1, 4):
        if _worth(view, suit) > _worth(view, best):
            best = suit
    return best


def _bid(view):
    worth = _worth(view, _best_suit(view))
    acts = view.acts
    best = acts[0]  # a pass or, for a dealer who may not, the lowest bid
    for i in range(view.n):
        bid = acts[i] - BID
        if acts[i] != PASS and bid < len(_NEED) and worth >= _NEED[bid]:
            return acts[i]  # the lowest that the hand is worth
    return best


def _value(view, card):
    """What it would hurt to lose this card: its pips, and more if it is a trump or the trump jack."""
    rank = card & 15
    worth = PIPS[rank] * 4 + rank
    if view.follows[card] == view.trump:
        worth += 20
        if rank == _JACK:
            worth += 40
        elif rank < 5:
            worth += 6  # likely Low already; keep the last trumps for ruffing
    return worth


def _lead(view):
    """The pitcher draws trumps from the top; anybody else leads a sure winner, or what hurts least."""
    acts = view.acts
    trump = view.trump
    if trump < 0:  # the first lead makes trump
        trump = _best_suit(view)
    mine = 0
    top = -1
    for i in range(view.n):
        if view.follows[acts[i]] == trump:
            mine += 1
            if top < 0 or view.power[acts[i]] > view.power[top]:
                top = acts[i]
    if view.trump < 0:
        return top
    if view.pitcher == view.seat and top >= 0 and (top & 15 >= _QUEEN or mine > 2):
        return top
    best = acts[0]
    score = 1000
    for i in range(view.n):
        card = acts[i]
        value = _value(view, card)
        if view.follows[card] != trump and card & 15 == _ACE:
            value = -10
        elif view.follows[card] != trump and card & 15 == _KING:
            value -= 10
        if value < score:
            score = value
            best = card
    return best


def _follow(view):
    """Takes a trick that is worth it as cheaply as that is safe, else throws what hurts least."""
    acts = view.acts
    log = view.log
    start = view.ends[view.ntricks - 1] if view.ntricks else view.first
    prize = 0
    for i in range(start, view.logged):
        prize += PIPS[log[i] & 15]
        if view.follows[log[i]] == view.trump and log[i] & 15 == _JACK:
            prize += 15
    behind = view.rules.players - 1 - (view.logged - start)  # how many play after this seat
    top = view.follows[view.best]
    ours = view.winning % view.rules.nsides == view.seat % view.rules.nsides
    best = acts[0]
    score = 1000
    for i in range(view.n):
        card = acts[i]
        suit = view.follows[card]
        value = _value(view, card)
        wins = view.power[card] > view.power[view.best] if suit == top else suit == view.trump
        if ours and behind == 0:
            value = -value  # a partner has it: give it all
        elif wins:
            gain = prize + PIPS[card & 15] + 3
            safe = 4 if behind == 0 else 3 if card & 15 >= _KING or suit == view.trump else 1
            value -= gain * safe
            if behind == 0 and suit == view.trump and card & 15 == _JACK:
                value -= 70
        if value < score:
            score = value
            best = card
    return best
