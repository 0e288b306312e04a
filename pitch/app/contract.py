"""The numbers that the app and the console (lib/handheld) agree on; a test compares the two sides.
Imported by the app's modules. The app is handed a console and imports nothing of it."""

from pitch.cards import const

# Intents
PREV = const(1)
NEXT = const(2)
OK = const(3)
BACK = const(4)
LONG_OK = const(5)
LONG_BACK = const(6)

# Tunes
CLICK = const(0)
CARD = const(1)
CHIME = const(2)
FALL = const(3)

# Cells of text that are no ASCII, and the measures of a row
POINTER = const(8)
POINTER_LEFT = const(9)
TEN = const(10)
DEALER = const(11)
COLUMNS = const(21)

# Tiles: ranks are 2 .. 14
NO_TILE = const(0)
TURN_TILE = const(1)
PASS_TILE = const(15)
SUIT_TILE = const(16)
ONE_TILE = const(20)
PLAIN = const(0)
DIM = const(1)
CHOSEN = const(2)
HELD_PLACE = const(7)  # place of the first card in hand; 0 .. 6 are in the middle
CHOICES = const(5)

# States of the store
MISSING = const(1)
FOREIGN = const(2)
OLDER = const(3)
FULL = const(4)

_PERIOD = const(0x1FFFFFFF)


def since(now, then):
    """Milliseconds between two ticks, which wrap at 2**29."""
    return (now - then) & _PERIOD
