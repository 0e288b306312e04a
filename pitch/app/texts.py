"""What all screens name: the game, its version, the players. Bytes: a string would allocate while it is
written. The other words stand in tables of the module that shows them, which is dropped with them."""

VERSION = b"0.1.0"
TITLE = "PITCH"

YOU = 0  # the seat of the person who holds the console
NAMES = (b"You", b"Bob", b"Cat", b"Dan", b"Eve", b"Fay", b"Gus")
