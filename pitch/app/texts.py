"""Every word on the screen, as bytes (a string would allocate while it is written), and the names of the
players. Imported by the app's modules."""

VERSION = b"0.1.0"
TITLE = "PITCH"

YOU = 0  # the seat of the person who holds the console
NAMES = (b"You", b"Bob", b"Cat", b"Dan", b"Eve", b"Fay", b"Gus")

# Names of points in the order of pitch.rules.POINTS.
POINTS = (b"Turned", b"Gift", b"High", b"Low", b"Jack", b"Game", b"Ten", b"Five", b"Off5")

RANKS = b"..23456789\x0aJQKA"  # the ten is one cell of its own

# Actions from pitch.cards.STAND on, four cells each, as choices.
WORDS = (b"Stnd", b"Beg ", b"Give", b"Run ", b"Sell", b"Keep")
PASS = b"Pass"

OFF_ON = (b"off", b"on")
LEVELS = (b"low", b"half", b"full")
SPEEDS = (b"slow", b"normal", b"fast")

# What the store found, told once at the start: two lines.
FOUND = (
    (b"", b""),
    (b"Nothing can be kept", b"when power goes off."),
    (b"The memory holds", b"something unreadable."),
    (b"The memory is from", b"another version."),
    (b"Memory full: only", b"scores are kept now."),
)

# Settings, kept in the store in this order: lowest, highest, first, words for it (None: the number).
SOUND = 0
LIGHT = 1
SPEED = 2
PLAYERS = 3
TARGET = 4
VALUES = (
    (0, 1, 1, OFF_ON),
    (0, 2, 2, LEVELS),
    (0, 2, 1, SPEEDS),
    (2, 7, 4, None),
    (5, 52, 7, None),
)
