"""The text forms of cards, actions, options and sides, and the way back (record.md).
Core: imports cards and rules. A board loads it only to print a record."""

from pitch.cards import BID, HIDDEN, NAME, PASS, STAND, THROW
from pitch.rules import TARGET, VARIANTS, Rules

SUITS = "CDHS"
RANKS = "23456789TJQKA"  # rank 2 .. 14
SEATS = "ABCDEFG"
_WORDS = ("stand", "beg", "give", "run", "sell", "keep")

# Names of points, in the order in which they are counted (R20).
POINTS = ("turned", "gift", "high", "low", "jack", "game", "ten", "five", "offfive")

# Options: name and values in text form; a rule's value is an index into its row (rules.md, "Options").
# `target` is a number and has no list. `dealer` (Cinch: all pass, the dealer pitches without a contract)
# and `two` (tie: elder with two players, else nobody) are rows' own defaults, written like the others.
OPTIONS = (
    ("low", "holder", "taker"),
    ("tie", "nobody", "elder", "pitcher"),
    ("nobids", "stick", "same", "next", "eldest", "dealer"),
    ("match", "below4", "any", "only4", "never"),
    ("smudge", "4", "5", "off"),
    ("sweep", "bidder", "anyone"),
    ("follow", "ruff", "strict"),
    ("target",),
    ("mustbid", "off", "on"),
    ("finish", "pitcher", "highest"),
    ("setbackpay", "off", "on"),
    ("sides", "solo", "2x2", "3x2", "2x3"),
)


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


def find(name):
    """The row number of variant `name`; ValueError if there is none."""
    for i in range(len(VARIANTS)):
        if VARIANTS[i][0] == name:
            return i
    raise ValueError("unknown game %s" % name)


def parse_option(text):
    """(option, value) numbers of one `name=value`; ValueError says what is wrong with it."""
    cut = text.find("=")
    name = text[:cut] if cut > 0 else text
    for option in range(len(OPTIONS)):
        row = OPTIONS[option]
        if row[0] != name or cut < 0:
            continue
        value = text[cut + 1 :]
        if option == TARGET and 0 < len(value) < 3 and value.isdigit():
            return option, int(value)
        for i in range(1, len(row)):
            if row[i] == value:
                return option, i - 1
        raise ValueError("option %s has no value %s" % (name, value))
    raise ValueError("unknown option %s" % text)


def option_text(option, value):
    """`name=value`, the text form of one option."""
    row = OPTIONS[option]
    return "%s=%s" % (row[0], value if option == TARGET else row[value + 1])


def side_text(side, rules):
    """A side's id: its seat letters in order, `A` or `AC`."""
    text = ""
    for seat in range(side, rules.players, rules.nsides):
        text += SEATS[seat]
    return text


def default(rules, option):
    """The value that `option` has in these rules' game where a record does not name it."""
    return Rules(rules.variant, rules.players).options[option]


def matters(rules, option):
    """Whether `option` can change anything in these rules' game: bids where nobody bids, High, Low, Jack and
    Game where single trumps count, have none."""
    name = OPTIONS[option][0]
    if name in ("nobids", "match", "smudge", "sweep", "mustbid"):
        return rules.maxbid > 0 and (not rules.counted or name not in ("smudge", "sweep"))
    return not rules.counted or name not in ("low", "tie")
