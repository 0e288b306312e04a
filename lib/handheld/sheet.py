"""A page of numbers in columns, those below zero in rings. Imported by screen.py when it is first shown."""

from displayio import Palette, TileGrid
from micropython import const

_LINES = const(4)
_CELLS = const(22)  # as many as a row of screen.py has
_LEFT = const(-2)  # so that a ring fits before the first number

# Parts of a ring, as glyphs.py paints them.
_RING_LEFT = const(1)
_RING_MIDDLE = const(2)
_RING_RIGHT = const(3)
_RING_BOTH = const(4)
_ANCHOR = b"."  # a board may never free what lies behind a module with no constant object


class Sheet:
    """Lines of numbers 12 pixels apart in the text rows 2 to 5, and a row of rings over each."""

    def __init__(self, rows, bitmap):
        """`rows`: the screen's text rows; `bitmap`: parts of rings, 6x12 each."""
        clear = Palette(2)
        clear[1] = 0xFFFFFF
        clear.make_transparent(0)
        self._rows = rows
        self.lines = []  # of rings, a TileGrid each
        for line in range(_LINES):
            ring = TileGrid(
                bitmap,
                pixel_shader=clear,
                width=_CELLS,
                height=1,
                tile_width=6,
                tile_height=12,
                x=_LEFT,
                y=16 + 12 * line,
            )
            self.lines.append(ring)

    def show(self, root_group):
        """Lays an empty sheet over the blank rows."""
        self._rows[1].x = _LEFT
        for line in range(_LINES):
            row = self._rows[2 + line]
            row.x = _LEFT
            row.y = 18 + 12 * line
            ring = self.lines[line]
            for column in range(_CELLS):
                if ring[column]:
                    ring[column] = 0
            root_group.append(ring)

    def put(self, line, column, value):
        """Writes `value` (-99 .. 99) with its first digit at `column` of `line`."""
        below = value < 0
        if below:
            value = -value
        last = column + 1 if value > 9 else column
        row = self._rows[2 + line]
        if value > 9:
            row[column] = 48 + value // 10 % 10
        row[last] = 48 + value % 10
        if below:
            ring = self.lines[line]
            ring[column - 1] = _RING_BOTH if ring[column - 1] == _RING_RIGHT else _RING_LEFT
            ring[column] = ring[last] = _RING_MIDDLE
            ring[last + 1] = _RING_RIGHT
