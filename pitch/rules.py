"""Variants and options as rows of data, and Rules, one table's choice of them. Core: imports cards.

A new variant is a new row of VARIANTS; the state machine in hand.py never asks for a variant's name.
"""

from pitch.cards import const

# Options: places in Rules.options, and values (rules.md, "Options"; their names are in text.py).
_LOW = const(0)
_TIE = const(1)
_NOBIDS = const(2)
_MATCH = const(3)
_SMUDGE = const(4)
_SWEEP = const(5)
_FOLLOW = const(6)
TARGET = const(7)
_MUSTBID = const(8)
_FINISH = const(9)
_SETBACKPAY = const(10)
SIDES = const(11)

_TARGET_MIN = const(5)
_TARGET_MAX = const(52)

_NOBODY = const(0)  # values of `tie`
_ELDER = const(1)
_TWO = const(3)

# Phases of a hand (hand.py has a pair of functions for each, draw.py those of the last four).
BIDDING = const(0)
PLAYING = const(1)
DONE = const(2)
STANDING = const(3)
GIVING = const(4)
NAMING = const(5)
THROWING = const(6)

# Bits of a row's `ways`.
_NAMES = const(1)  # the pitcher names trump, then cards are thrown away and drawn (Cinch)
_SAFE_GIFT = const(2)  # no gift that would put a player out (Seven-Up)
_THROWS = const(4)  # after running the cards everyone throws down to six

# A row: id, seats, cards dealt, opening phase, lowest and highest bid, ways, points for turned cards as
# rank and value by turns, single trumps that are points to the taker, defaults of the options in order up
# to `sides`. Seats are players << 4 | value of `sides`; the first is the default. Single trumps: name
# (text.POINTS), worth and twice the rank, the off-five between four and five; none: High, Low, Jack, Game.
VARIANTS = (
    (
        "auction",
        b"\x40\x20\x30\x50\x60\x70\x41\x62\x63",
        6, BIDDING, 2, 4, 0, b"", (),
        b"\x00\x00\x00\x00\x00\x00\x00\x07\x00\x00\x00",
    ),
    (
        "allfours",
        b"\x20\x41",
        6, STANDING, 0, 0, _THROWS, b"\x0b\x01", (),
        b"\x00\x01\x00\x03\x02\x00\x00\x07\x00\x00\x00",
    ),
    (
        "sevenup",
        b"\x20\x30\x41",
        6, STANDING, 0, 0, _THROWS | _SAFE_GIFT, b"\x0b\x01", (),
        b"\x00\x03\x00\x03\x02\x00\x00\x07\x00\x00\x00",
    ),
    (
        "cinch",
        b"\x41",
        9, BIDDING, 1, 14, _NAMES, b"",
        ((2, 1, 28), (3, 1, 4), (4, 1, 22), (6, 1, 20), (7, 5, 10), (8, 5, 9)),
        b"\x01\x00\x04\x03\x02\x00\x00\x33\x00\x00\x00",
    ),
)  # fmt: skip


class Rules:
    """One variant with its players and options. Read-only once made; shared by hands and matches.

    players, nsides; size: cards dealt; after[seat]: who is next; options: one value for each option;
    the rest is what hand.py and match.py ask for, by the names of the options and of the row's columns.
    """

    def __init__(self, variant=0, players=0, options=()):
        """`variant`: row number; `players`: 0 for the default; `options`: (option, value) pairs.
        ValueError if they do not go together."""
        row = VARIANTS[variant]
        self.variant = variant
        self.name = row[0]
        self.size = row[2]
        self.opening = row[3]
        self.minbid = row[4]
        self.maxbid = row[5]
        self.ways = row[6]
        self.turned = row[7]
        self.counted = row[8]
        self.full = len(self.counted) or 4  # so many points are there to win
        self.options = bytearray(row[9] + b"\x00")
        sides = -1
        for option, value in options:
            if option == SIDES:
                sides = value
            if (
                option == TARGET
                and value != row[9][TARGET]
                and not _TARGET_MIN <= value <= _TARGET_MAX
            ):
                raise ValueError("target is a number from 5 to 52")
            self.options[option] = value
        self.players = 0
        for seats in row[1]:
            if players in (0, seats >> 4) and sides in (-1, seats & 15) and not self.players:
                self.players = seats >> 4
                self.options[SIDES] = seats & 15
        if not self.players:
            raise ValueError("%s is not played by that many players or sides" % self.name)
        if self.options[_TIE] == _TWO:
            self.options[_TIE] = _ELDER if self.players == 2 else _NOBODY
        players = self.players
        values = self.options
        self.nsides = b"\x00\x02\x03\x02"[values[SIDES]] or players
        self.after = [(seat + 1) % players for seat in range(players)]
        self.low_taker = values[_LOW]
        self.tie = values[_TIE]
        self.nobids = values[_NOBIDS]
        # High bids that the dealer may match, a bit each.
        self.match = (0b1110, 0x7FFF, 0b10000, 0)[values[_MATCH]]
        self.smudge = b"\x04\x05\x00"[values[_SMUDGE]]
        if self.smudge > self.maxbid:
            self.maxbid = self.smudge
        self.anyone = values[_SWEEP]
        self.ruff = not values[_FOLLOW]
        self.target = values[TARGET]
        self.mustbid = values[_MUSTBID]
        self.highest = values[_FINISH]
        self.setbackpay = values[_SETBACKPAY]
