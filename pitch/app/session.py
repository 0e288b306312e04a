"""Begins a session and its games, and brings a match back after power loss: makes it as the journal's header
says, deals the hand of the last mark and takes its actions again. Imported when one of these is done, and
dropped again. The journal is described in game.py."""

from pitch import rules as r
from pitch.app.game import whole
from pitch.cards import BID, PASS, STAND, THROW, const

_AUCTION = const(0)  # row of rules.VARIANTS
_FORMAT = const(1)
_OPTIONS = const(12)
_SPARE = const(24)  # as in game.py

# Numbers in the journal as in game.py, where a board keeps no names of them.
_PASS = const(52)
_BIDS = const(52)
_OTHER = const(67)
_THROW = const(68)
_THROWN = const(69)
_ANCHOR = b"."  # a board may never free what lies behind a module with no constant object


def resume(game):
    """The match as of its last completed action; False if the journal does not tell of one."""
    store = game.store
    if not store.open:
        return False
    try:
        _read_header(game, store.header)
        if store.marks:
            _read_mark(game, store.mark_data(store.marks - 1))
    except (ValueError, IndexError):
        game.match = None
        return False
    if not store.marks:  # power failed between the two
        game.match.draw_dealer()
        game.deal()
        return True
    game.match.deal()
    _replay(game)
    game.count()
    game.look()
    if not game.done():
        store.reserve(len(game.hand.log) + _SPARE - len(store.numbers))
    return True


def _replay(game):
    """Takes the journal's actions again, up to the last whole one."""
    store = game.store
    hand = game.hand
    numbers = store.numbers
    state = 0  # _OTHER: its second half comes; _THROW: cards to throw come
    mask = 0
    for i in range(len(numbers)):
        number = numbers[i]
        if number >= _OTHER and number != _THROWN:  # begins anew, also after a torn one
            state = number
            mask = 0
            continue
        if state == _OTHER:
            action = STAND + number
        elif state == _THROW and number == _THROWN:
            action = THROW | mask
        elif number < 52:
            action = number // 13 << 4 | number % 13 + 2
            if state == _THROW:
                cards = hand.hands[hand.turn]
                for place in range(hand.held[hand.turn]):
                    if cards[place] == action:
                        mask |= 1 << place
                continue
        else:
            action = PASS if number == _PASS else BID + number - _BIDS
        state = 0
        if not hand.apply(action):
            return


def _read_header(game, data):
    if data[0] != _FORMAT:
        raise ValueError("format")
    options = []
    for option in range(_OPTIONS):
        options.append((option, data[2 + option]))
    place = 3 + _OPTIONS + data[2 + _OPTIONS]
    name = str(data[3 + _OPTIONS : place], "utf-8")
    hi = data[place] << 8 | data[place + 1]
    lo = data[place + 2] << 8 | data[place + 3]
    game.games = data[place + 4]
    place += 5
    variant = 0
    while r.VARIANTS[variant][0] != name:  # IndexError: none of that name
        variant += 1
    game.set_table(r.Rules(variant, data[1], options))
    sides = game.rules.nsides
    match = game.match
    if len(data) != place + 2 * sides:
        raise ValueError("ledger")
    match.new_game(hi, lo, 0)
    for side in range(sides):
        match.ledger[side] = (data[place + 2 * side] << 8 | data[place + 2 * side + 1]) - 32768


def _read_mark(game, data):
    match = game.match
    sides = game.rules.nsides
    if len(data) not in (3 + 2 * sides, 3 + 4 * sides) or data[2] >= game.rules.players:
        raise ValueError("mark")
    match.hands = data[0] << 8 | data[1]
    match.dealer = data[2]
    for side in range(sides):
        match.scores[side] = whole(data, 3 + side, 2 * sides) - 128
        match.setbacks[side] = whole(data, 3 + sides + side, 2 * sides)


def start(game, players, target):
    """A new session, with an empty ledger."""
    game.set_table(r.Rules(_AUCTION, players, ((r.TARGET, target),)))
    game.games = 0
    next_game(game)


def next_game(game):
    """The next game of this session: the ledger goes on, the first dealer is drawn (R3)."""
    console = game.console
    game.match.new_game(console.random16(), console.random16(), 0)
    game.match.draw_dealer()
    rules = game.rules
    # What plain bots need in nine games of ten: hands for the players and the target, bytes for a hand.
    hands = (rules.players + 2) * rules.target // 4
    room = hands * (rules.players * (rules.size + 1) + 2 * rules.nsides + 7)
    game.store.begin(_header(game), room)
    game.deal()


def _header(game):
    """Format, players, the options, the name with its length, seed, games played, ledger (+ 32768,
    two bytes a side)."""
    match = game.match
    rules = game.rules
    data = bytearray((_FORMAT, rules.players))
    data += rules.options[0:_OPTIONS]
    data.append(len(rules.name))
    data += bytes(rules.name, "utf-8")
    for half in (match.hi, match.lo):
        data += bytes((half >> 8, half & 0xFF))
    data.append(game.games & 0xFF)
    for sum_ in match.ledger:
        data += bytes((sum_ + 32768 >> 8, sum_ & 0xFF))
    return data
