"""Cards and actions as small integers, and their text forms. The bottom of the rules core: imports nothing.

A card is `suit << 4 | rank`; an action is an int too, and playing a card is the card's own number.
"""

try:
    from micropython import const
except ImportError:  # CPython: a constant is an ordinary name there

    def const(value):
        return value


SUITS = "CDHS"
RANKS = "23456789TJQKA"  # rank 2 .. 14
SEATS = "ABCDEFG"

TEN = const(10)
JACK = const(11)
QUEEN = const(12)
KING = const(13)
ACE = const(14)

HIDDEN = const(15)  # a card that may not be seen: no real card has rank 15

PASS = const(64)
BID = const(64)  # a bid of n is BID + n, n from 1 to 14
STAND = const(80)
BEG = const(81)
GIVE = const(82)
RUN = const(83)
SELL = const(84)
KEEP = const(85)
NAME = const(88)  # NAME + suit: names trump
THROW = const(1 << 24)  # THROW | mask: throws away the cards at these positions of the hand

_WORDS = ("stand", "beg", "give", "run", "sell", "keep")

# Pips of ranks 0 .. 15 for the Game point (R13): T 10, A 4, K 3, Q 2, J 1.
PIPS = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 10, 1, 2, 3, 4, 0)

# The whole pack, clubs low to spades high: where every shuffle starts.
PACK = tuple([suit << 4 | rank for suit in range(4) for rank in range(2, 15)])


def card_text(card):
    """`HA` for the ace of hearts, `??` for a card that may not be seen."""
    if card == HIDDEN:
        return "??"
    return SUITS[card >> 4] + RANKS[(card & 15) - 2]


def parse_card(text):
    """The card that `text` names, HIDDEN for `??`, -1 if it names none."""
    if text == "??":
        return HIDDEN
    if len(text) != 2:
        return -1
    suit = SUITS.find(text[0])
    rank = RANKS.find(text[1])
    if suit < 0 or rank < 0:
        return -1
    return suit << 4 | rank + 2


def action_text(action, hand=None):
    """The token of `action`. `hand`: the cards that a throw's mask points at, in the hand's order;
    without it a throw is the bare `~`."""
    if action >= THROW:
        thrown = []
        place = 0
        mask = action - THROW
        while hand is not None and mask:
            if mask & 1:
                thrown.append(card_text(hand[place]))
            mask >>= 1
            place += 1
        return "~" + ",".join(thrown)
    if action >= NAME:
        return "=" + SUITS[action - NAME]
    if action >= STAND:
        return _WORDS[action - STAND]
    if action > BID:
        return str(action - BID)
    if action == PASS:
        return "-"
    return card_text(action)


def parse_action(text, hand, held):
    """The action that token `text` stands for, -1 if it is no token. For a throw `hand` is the list of
    cards, `held` how many of them count; a throw of a card that is not among them gives -1."""
    if text == "-":
        return PASS
    if text[:1] == "~":
        mask = 0
        if len(text) > 1:
            for name in text[1:].split(","):
                card = parse_card(name)
                place = 0
                while place < held and hand[place] != card:
                    place += 1
                if card < 0 or place == held or mask >> place & 1:
                    return -1
                mask |= 1 << place
        return THROW | mask
    if text[:1] == "=":
        suit = SUITS.find(text[1:]) if len(text) == 2 else -1
        return NAME + suit if suit >= 0 else -1
    card = parse_card(text)
    if card >= 0:
        return card if card != HIDDEN else -1
    for n in range(1, 15):
        if text == str(n):
            return BID + n
    for i in range(len(_WORDS)):
        if text == _WORDS[i]:
            return STAND + i
    return -1
