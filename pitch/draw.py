"""What happens to the cards between deal and play: a card turned for trump, begging, running the cards,
naming trump, throwing away, drawing, robbing; and the count of single trumps. Core: imports cards and rules.

hand.py loads this only for the variants whose rows ask for it (2 KB of heap on a board that Auction Pitch
does not need). Every function takes the Hand; each phase has its pair legal_…, apply_….
"""

from pitch.cards import const

# The numbers of cards.py, rules.py and text.POINTS that are used here (why again: see hand.py).
_HIDDEN = const(15)
_STAND = const(80)
_BEG = const(81)
_GIVE = const(82)
_RUN = const(83)
_NAME = const(88)
_THROW = const(1 << 24)
_DONE = const(2)
_GIVING = const(4)
_NAMING = const(5)
_THROWING = const(6)
_TURNED = const(0)
_GIFT = const(1)
_NAMES = const(1)
_SAFE_GIFT = const(2)
_THROWS = const(4)
_CARDS = const(52)
_SIX = const(6)  # cards that each player keeps after throwing away
_LISTED = const(64)  # so many sets to throw away are listed one by one (record.md)
_ANCHOR = b"."  # a board may never free what lies behind a module with no constant object


def combinations(n, k):
    """How many ways there are to choose k of n."""
    ways = 1
    for i in range(k):
        ways = ways * (n - i) // (i + 1)
    return ways


# turning a card, begging, running the cards


def turn_up(hand):
    """Turns the next card of the stock; its points go to the dealer's side, each time one is turned."""
    card = hand.pack[hand.stock] if hand.stock < hand.known else _HIDDEN
    hand.stock += 1
    hand.turnups[hand.nturned] = card
    hand.nturned += 1
    worth = hand.rules.turned
    for i in range(0, len(worth), 2):
        if worth[i] == card & 15:
            count_now(hand, _TURNED, hand.dealer, worth[i + 1])


def count_now(hand, name, seat, value):
    """Points that count when they happen; they may end the match in the middle of a hand."""
    side = seat % hand.rules.nsides
    hand.point(name, side, value)
    hand.gain[side] += value
    if hand.out < 0 and hand.scores[side] + hand.gain[side] >= hand.rules.target:
        hand.out = side
        hand.stop(False)


def legal_stand(hand):
    hand.acts[0] = _STAND
    hand.acts[1] = _BEG
    return 2


def apply_stand(hand, action):
    if action == _BEG:
        hand.phase = _GIVING
        hand.turn = hand.dealer
    else:
        settle_trump(hand)
        hand.play_from(hand.turn)


def legal_give(hand):
    rules = hand.rules
    acts = hand.acts
    acts[0] = _RUN
    if rules.ways & _SAFE_GIFT:
        for side in range(rules.nsides):
            if side != hand.dealer % rules.nsides:
                if hand.scores[side] + hand.gain[side] + 1 >= rules.target:
                    return 1
    acts[1] = _GIVE
    return 2


def apply_give(hand, action):
    rules = hand.rules
    dealer = hand.dealer
    if action == _RUN:
        run(hand)
        return
    settle_trump(hand)
    hand.play_from(rules.after[dealer])
    seat = rules.after[dealer]
    for _ in range(rules.nsides):  # the sides in the order of play: each has a seat among the first
        if seat % rules.nsides != dealer % rules.nsides:
            count_now(hand, _GIFT, seat, 1)
        seat = rules.after[seat]


def settle_trump(hand):
    hand.set_trump(hand.turnups[hand.nturned - 1] >> 4)


def run(hand):
    """Three more cards each and a new card turned, until its suit is not the rejected one."""
    rules = hand.rules
    rejected = hand.turnups[hand.nturned - 1] >> 4
    while True:
        if _CARDS - hand.stock < 3 * rules.players + 1:  # pack exhausted
            hand.stop(True)
            return
        seat = rules.after[hand.dealer]
        for _ in range(rules.players):
            for _ in range(3):
                take(hand, seat, hand.stock)
                hand.stock += 1
            seat = rules.after[seat]
        turn_up(hand)
        if hand.turnups[hand.nturned - 1] >> 4 != rejected:
            break
        if hand.phase == _DONE:
            return
    settle_trump(hand)
    if hand.phase == _DONE:  # the card turned last put the dealer out
        return
    if rules.ways & _THROWS:
        throw_from(hand, rules.after[hand.dealer])
    else:
        hand.play_from(rules.after[hand.dealer])


def take(hand, seat, place):
    """Gives `seat` the card at `place` of the pack."""
    hand.hands[seat][hand.held[seat]] = hand.pack[place]
    hand.held[seat] += 1


def allows(hand, action, n):
    """Whether `action`, neither a bid nor a card, is legal and a record lists the cards for it."""
    if action >= _THROW:
        return may_throw(hand, action - _THROW)
    for i in range(n):
        if hand.acts[i] == action:
            return hand.known == _CARDS or enough(hand, action)
    return False


def enough(hand, action):
    """Whether a record that cuts off the stock lists enough of it for `action`; notes it if not."""
    rules = hand.rules
    need = hand.stock
    if action == _RUN:
        rejected = hand.turnups[hand.nturned - 1] >> 4
        step = 3 * rules.players + 1
        while need + step <= _CARDS:
            need += step
            if need > hand.known or hand.pack[need - 1] >> 4 != rejected:
                break
    elif hand.phase == _NAMING:
        need = _CARDS
    hand.short = need > hand.known
    return not hand.short


# naming trump, throwing away and drawing


def legal_name(hand):
    for suit in range(4):
        hand.acts[suit] = _NAME + suit
    return 4


def apply_name(hand, action):
    trump = action - _NAME
    off_five = (
        3 - trump << 4 | 5
    )  # clubs and spades, diamonds and hearts: a colour's suits add up to 3
    hand.set_trump(trump)
    hand.follows[off_five] = trump
    hand.power[off_five] = 2 * (trump << 4 | 4) + 1
    throw_from(hand, hand.rules.after[hand.dealer])


def must_throw(hand, seat):
    """Mask of the cards that `seat` has to throw away: where trump is named, all that is not trump."""
    mask = 0
    if hand.rules.ways & _NAMES:
        cards = hand.hands[seat]
        for place in range(hand.held[seat]):
            if hand.follows[cards[place]] != hand.trump:
                mask |= 1 << place
    return mask


def can_throw(hand, seat, place):
    """Whether `seat` may choose to throw away its card at `place`: a trump that counts may not go."""
    card = hand.hands[seat][place]
    if not hand.rules.ways & _NAMES:
        return True
    if hand.follows[card] != hand.trump:
        return False
    for row in hand.rules.counted:
        if row[2] == hand.power[card] & 31:
            return False
    return True


def surplus(hand, seat):
    """How many cards `seat` throws away of those it may choose: down to six (0: nothing to choose)."""
    mask = must_throw(hand, seat)
    spare = hand.held[seat] - _SIX
    while mask:
        mask &= mask - 1
        spare -= 1
    return spare if spare > 0 else 0


def may_throw(hand, mask):
    """Whether throwing away the cards of `mask` is legal for the seat whose turn it is."""
    if hand.phase != _THROWING:
        return False
    seat = hand.turn
    must = must_throw(hand, seat)
    if mask & must != must or mask >> hand.held[seat]:
        return False
    mask ^= must
    count = place = 0
    while mask:
        if mask & 1:
            if not can_throw(hand, seat, place):
                return False
            count += 1
        mask >>= 1
        place += 1
    return count == surplus(hand, seat)


def legal_throw(hand):
    seat = hand.turn
    spare = surplus(hand, seat)
    free = 0
    for place in range(hand.held[seat]):
        free += can_throw(hand, seat, place)
    acts = hand.acts
    if combinations(free, spare) > _LISTED:
        acts[0] = _THROW
        return 1
    must = must_throw(hand, seat)
    pick = (1 << spare) - 1  # the next pick is the next number with as many bits (HAKMEM 175)
    n = 0
    while pick < 1 << free:
        mask = must
        rest = pick
        for place in range(hand.held[seat]):
            if can_throw(hand, seat, place):
                if rest & 1:
                    mask |= 1 << place
                rest >>= 1
        acts[n] = _THROW + mask
        n += 1
        low = pick & -pick
        high = pick + low
        pick = ((pick ^ high) >> 2) // low | high
    return n


def apply_throw(hand, action):
    seat = hand.turn
    throw(hand, seat, action - _THROW)
    seat = hand.rules.after[seat]
    if seat == hand.rules.after[hand.dealer]:
        hand.play_from(hand.pitcher if hand.pitcher >= 0 else seat)
    else:
        throw_from(hand, seat)


def throw_from(hand, seat):
    """Lets the seats from `seat` to the dealer throw away and draw; stops at the first with a choice."""
    rules = hand.rules
    hand.phase = _THROWING
    while True:
        if rules.ways & _NAMES and seat == hand.dealer:
            rob(hand)
        spare = surplus(hand, seat)
        mask = must_throw(hand, seat)
        free = 0
        for place in range(hand.held[seat]):
            if spare and can_throw(hand, seat, place):
                mask |= 1 << place
                free += 1
        if free > spare:
            hand.turn = seat
            return
        throw(hand, seat, mask)
        if seat == hand.dealer:
            break
        seat = rules.after[seat]
    hand.play_from(hand.pitcher if hand.pitcher >= 0 else rules.after[seat])


def drop(hand, seat, mask):
    """Takes the cards of `mask` out of a hand; the others keep their order."""
    cards = hand.hands[seat]
    kept = 0
    for place in range(hand.held[seat]):
        if not mask >> place & 1:
            cards[kept] = cards[place]
            kept += 1
    hand.held[seat] = kept


def throw(hand, seat, mask):
    """Throws away the cards of `mask`, then draws up to six where cards are drawn. The dealer has
    robbed by then: the trumps of the stock are already in its hand."""
    drop(hand, seat, mask)
    if hand.rules.ways & _NAMES:
        while hand.held[seat] < _SIX and hand.stock < _CARDS:
            if seat != hand.dealer or hand.follows[hand.pack[hand.stock]] != hand.trump:
                take(hand, seat, hand.stock)
            hand.stock += 1


def rob(hand):
    """The dealer throws away all that is not trump and takes every trump of the stock."""
    dealer = hand.dealer
    drop(hand, dealer, must_throw(hand, dealer))
    for place in range(hand.stock, _CARDS):
        if hand.follows[hand.pack[place]] == hand.trump:
            take(hand, dealer, place)


def score_counted(hand):
    """Single trumps that count for their taker (Cinch)."""
    for name, worth, power in hand.rules.counted:
        i = hand.first
        for trick in range(hand.ntricks):
            while i < hand.ends[trick]:
                card = hand.log[i]
                if hand.follows[card] == hand.trump and hand.power[card] & 31 == power:
                    hand.point(name, hand.tricks[trick] % hand.rules.nsides, worth)
                i += 1


LEGAL = (legal_stand, legal_give, legal_name, legal_throw)
APPLY = (apply_stand, apply_give, apply_name, apply_throw)
