"""Counting a played hand: High, Low, Jack, Game, and what becomes of the bid (R13 - R16).
Core: imports cards. Every function takes the Hand and allocates nothing."""

from pitch.cards import PIPS, const

# The numbers of cards.py, rules.py and text.POINTS that are used here (why again: see hand.py).
_JACK = const(11)
_DONE = const(2)
_NOBODY = const(0)
_ELDER = const(1)
_HIGH = const(2)
_LOWEST = const(3)
_TAKEN_JACK = const(4)
_GAME = const(5)

_NONE = const(-1)
_ANCHOR = b"."  # a board may never free what lies behind a module with no constant object


def score(hand):
    """Ends the hand: enters its points, who took them, and what each side gains."""
    rules = hand.rules
    first = hand.npoints
    if rules.counted:
        hand.draw.score_counted(hand)
    else:
        score_pitch(hand)
    taken = hand.taken
    gain = hand.gain
    points = hand.points
    swept = points[first] >> 4 & 15 if hand.npoints - first == rules.full else _NONE
    for i in range(first, hand.npoints):
        side = points[i] >> 4 & 15
        if side != swept:
            swept = _NONE
        taken[side] += points[i] & 15
    for side in range(rules.nsides):
        gain[side] += taken[side]  # R14, R15
    hand.swept = swept
    bid = hand.bid
    if bid:
        side = hand.pitcher % rules.nsides
        made = taken[side] >= bid
        if bid == 5 == rules.smudge:  # option smudge=5: all six tricks and all four points
            made = swept == side
            for i in range(hand.ntricks):
                made = made and hand.tricks[i] % rules.nsides == side
            taken[side] = 5 if made else taken[side]
        hand.made = 1 if made else 0
        gain[side] = taken[side] if made else -bid  # R16
    hand.phase = _DONE
    hand.turn = _NONE


def score_pitch(hand):
    """High, Low, Jack and Game (R13)."""
    rules = hand.rules
    sides = rules.nsides
    log = hand.log
    by = hand.by
    holder = not rules.low_taker
    below = hand.trump << 4  # trumps are the cards between these two
    above = below + 16
    high = jack = high_seat = low_seat = _NONE
    low = 64
    start = hand.first
    for trick in range(hand.ntricks):
        taker = hand.tricks[trick]
        end = hand.ends[trick]
        pips = 0
        for i in range(start, end):
            card = log[i]
            pips += PIPS[card & 15]
            if below < card < above:
                if card > high:
                    high = card
                    high_seat = taker
                if card < low:
                    low = card
                    low_seat = by[i] if holder else taker
                if card & 15 == _JACK:
                    jack = taker
        hand.pips[taker % sides] += pips
        start = end
    if high_seat >= 0:
        hand.point(_HIGH, high_seat % sides, 1)
        hand.point(_LOWEST, low_seat % sides, 1)
    if jack >= 0:
        hand.point(_TAKEN_JACK, jack % sides, 1)
    game = game_side(hand)
    if game >= 0:
        hand.point(_GAME, game, 1)


def count_pips(hand, pips):
    """Fills `pips`, a list with an entry a side, with those of the tricks won so far: for a seat's view in
    the middle of a hand."""
    sides = hand.rules.nsides
    log = hand.log
    start = hand.first
    for side in range(sides):
        pips[side] = 0
    for trick in range(hand.ntricks):
        side = hand.tricks[trick] % sides
        end = hand.ends[trick]
        for i in range(start, end):
            pips[side] += PIPS[log[i] & 15]
        start = end


def game_side(hand):
    """The side with the most pips; what a tie gives is the option `tie`. -1: nobody."""
    rules = hand.rules
    pips = hand.pips
    best = side = _NONE
    level = False
    for i in range(rules.nsides):
        if pips[i] > best:
            best = pips[i]
            side = i
            level = False
        elif pips[i] == best:
            level = True
    if not level:
        return side
    if rules.tie == _NOBODY:
        return _NONE
    if rules.tie == _ELDER:
        seat = rules.after[hand.dealer]
        while pips[seat % rules.nsides] != best:
            seat = rules.after[seat]
        return seat % rules.nsides
    if hand.pitcher >= 0 and pips[hand.pitcher % rules.nsides] == best:
        return hand.pitcher % rules.nsides
    return _NONE
