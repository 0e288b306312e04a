"""What one seat may know of a hand: all that bots and screens are given. Core: imports cards, hand
and score."""

from pitch.cards import const
from pitch.hand import most_actions, most_cards
from pitch.score import count_pips

_NONE = const(-1)
_HIDDEN = const(15)
_THROW = const(1 << 24)
_ACTIONS = const(16)  # the sizes of a Hand's lists
_SETS = const(64)
_TURNS = const(6)
_POINTS = const(12)

# What everybody at the table may know: copied to a View as it stands.
_PUBLIC = (
    "phase", "turn", "dealer", "pitcher", "bid", "high", "trump", "led", "leader", "best", "winning",
    "made", "first", "logged", "nturned", "ntricks", "npoints", "follows", "power",
)  # fmt: skip
_PUBLIC_LISTS = ("held", "turnups", "tricks", "ends", "points", "scores", "gain")


class View:
    """What one seat may know of a hand; filled by look(), reused, never grown.

    seat; hand[0..held[seat]) its own cards; held[seat]: how many cards each seat holds; log, by
    [0..logged): the actions so far and who took them, other seats' throws as a bare THROW; first: where
    the play starts in log; turnups[0..nturned): cards turned for trump; tricks[0..ntricks): winners;
    ends[]: where in log each trick ends; acts[0..n): the legal actions when it is this seat's turn, else
    n is 0; follows, power: each card's suit for following and its rank in it; the rest as in Hand.
    """

    def __init__(self, rules):
        players = rules.players
        sides = rules.nsides
        self.rules = rules
        self.seat = _NONE
        self.hand = [0] * most_cards(rules)
        self.held = [0] * players
        self.log = [0] * most_actions(rules)
        self.by = [0] * most_actions(rules)
        self.turnups = [0] * _TURNS
        self.tricks = [0] * rules.size
        self.ends = [0] * rules.size
        self.pips = [0] * sides
        self.scores = [0] * sides
        self.gain = [0] * sides
        self.points = [0] * _POINTS
        self.acts = [0] * (_SETS if rules.turned or rules.ways else _ACTIONS)
        self.n = 0
        for name in _PUBLIC:
            setattr(self, name, _NONE)

    def look(self, hand, seat):
        """Fills the view with what `seat` may know of `hand`; allocates nothing."""
        self.seat = seat
        for name in _PUBLIC:
            setattr(self, name, getattr(hand, name))
        for i in range(len(self.log)):
            self.log[i] = self.by[i] = 0
        for i in range(hand.logged):
            action = hand.log[i]
            self.by[i] = hand.by[i]
            self.log[i] = _THROW if action >= _THROW and hand.by[i] != seat else action
        cards = hand.hands[seat]
        for i in range(len(cards)):
            self.hand[i] = cards[i] if i < hand.held[seat] else _HIDDEN
        for name in _PUBLIC_LISTS:
            source = getattr(hand, name)
            target = getattr(self, name)
            for i in range(len(target)):
                target[i] = source[i]
        count_pips(hand, self.pips)
        self.n = hand.legal() if seat == hand.turn else 0
        for i in range(len(self.acts)):
            self.acts[i] = hand.acts[i] if i < self.n else 0
