"""What is shown: pages of text cells and card tiles that stay for good; showing something only changes
tile numbers, so that few bytes go to the panel. Imported by console.py.

Three pages, each built when first asked for: `text` (8 rows of 21 cells and a banner), `table` (a row of
up to 7 cards in the middle, up to 9 in hand, rows of text above each) and `sheet` (numbers in columns,
with rings). Every region starts on a multiple of 8 rows: the panel is written in pages of 8.
"""

import handheld
from displayio import Group, Palette, TileGrid
from micropython import const

# Cells: own signs 0 .. 15, then ASCII. Suits (clubs, diamonds, hearts, spades) are two cells wide.
BLANK = const(32)
COLUMNS = const(21)

# Tiles for cards: ranks are 2 .. 14.
NO_TILE = const(0)
TURN_TILE = const(1)
PASS_TILE = const(15)
SUIT_TILE = const(16)  # + suit
ONE_TILE = const(20)

# How a card or a choice is shown.
PLAIN = const(0)
DIM = const(1)
CHOSEN = const(2)  # light on dark turned round

SLOTS = const(7)  # cards in the middle
HELD = const(9)  # cards in hand
CHOICES = const(5)
_CHOICE_CELLS = const(4)
_LEFT = const(1)  # 21 cells of 6 pixels leave 2 over
_LINES = const(4)  # lines of numbers on a sheet
_LINE_CELLS = const(22)

# Parts of the ring around a number below zero, 6x12 each: none, left arc, middle, right arc, both arcs.
_RING = (
    b"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
    b"\x00\x01\x02\x02\x02\x02\x02\x02\x02\x02\x01\x00"
    b"\x3f\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x3f"
    b"\x00\x20\x10\x10\x10\x10\x10\x10\x10\x10\x20\x00"
    b"\x00\x21\x12\x12\x12\x12\x12\x12\x12\x12\x21\x00"
)
_RING_LEFT = const(1)
_RING_MIDDLE = const(2)
_RING_RIGHT = const(3)
_RING_BOTH = const(4)

_OFF = const(0xAE)
_ON = const(0xAF)


def _painted(name):
    """A sheet of glyphs; what it is painted from is dropped again (2 KB)."""
    from handheld import glyphs

    sheet = getattr(glyphs, name)()
    handheld.forget("glyphs")
    return sheet


class Screen:
    """The display and its pages. Text is bytes: codes of cells. A line is written from left to right:
    `row(n)`, then any of `add`, `number`, `code`, `to`, then `end`."""

    def __init__(self, display):
        self._display = display
        self._cells = _painted("cell_sheet")
        self._light = self._palette(0, 0xFFFFFF)
        self._dark = self._palette(0xFFFFFF, 0)
        self._text = self._table = self._sheet = None
        self._text_rows = self._table_rows = self._sheet_rows = None
        self._banner = None
        self._rows = None
        self._grid = None
        self._column = 0
        self._cards = []  # TileGrids: SLOTS in the middle, then HELD in hand
        self._styles = bytearray(SLOTS + HELD + CHOICES)
        self._choices = []
        self._rings = []
        self._page = None
        self._brightness = 1.0
        self._changed = False
        self.awake = True

    # ---- pages: each of these is a change of screen, and repaints the panel as a whole

    def text(self, banner=None):
        """Shows an empty page of text; `banner`: a word twice as large, over rows 1 to 3."""
        if self._text is None:
            self._text = Group()
            self._text_rows = self._build_rows(self._text, (0, 1, 2, 3, 4, 5, 6, 7))
        self._open(self._text_rows)
        if banner is not None:
            from adafruit_display_text import label
            from terminalio import FONT

            self._banner = label.Label(
                FONT,
                text=banner,
                scale=2,
                color=0xFFFFFF,
                anchor_point=(0.5, 0.5),
                anchored_position=(64, 20),
            )
            self._text.append(self._banner)
        self._show(self._text)

    def table(self, slots, held):
        """Shows an empty table: `slots` cards in the middle (at most 7), `held` in hand (at most 9)."""
        if self._table is None:
            self._build_table()
        self._open(self._table_rows)
        for place in range(SLOTS + HELD):
            self.card(place, NO_TILE, NO_TILE, PLAIN)
        for place in range(CHOICES):
            self.choice(place, b"", PLAIN)
        for place in range(SLOTS):
            x = -14
            if place < slots:
                column, cells = self.below(place, slots)
                x = _LEFT + 6 * column + (6 * cells - 14) // 2
            self._move(self._cards[place], x)
        pitch = 21 if held <= 6 else 14
        for place in range(HELD):
            x = _LEFT + pitch * place + (pitch - 14) // 2 if place < held else -14
            self._move(self._cards[SLOTS + place], x)
        self._show(self._table)

    def below(self, place, slots):
        """First cell, and how many, of the text below card `place` of `slots` in the middle."""
        width = COLUMNS // slots
        cells = 4 if width > 4 else 2
        left = (COLUMNS - width * slots) // 2
        return left + width * place + (width - cells) // 2, cells

    def sheet(self):
        """Shows an empty sheet: two rows of text, then up to 4 lines of numbers."""
        if self._sheet is None:
            self._build_sheet()
        self._open(self._sheet_rows)
        for grid in self._rings:
            for place in range(_LINE_CELLS):
                grid[place] = 0
        self._show(self._sheet)

    # ---- text

    def row(self, row, column=0):
        """Starts writing at `column` of `row`."""
        self._grid = self._rows[row]
        self._column = column

    def add(self, text):
        """Writes `text` (bytes); what does not fit into the row is left out."""
        grid = self._grid
        column = self._column
        for code in text:
            if column < COLUMNS and grid[column] != code:
                grid[column] = code
                self._changed = True
            column += 1
        self._column = column

    def code(self, code):
        """Writes one cell."""
        column = self._column
        if column < COLUMNS and self._grid[column] != code:
            self._grid[column] = code
            self._changed = True
        self._column = column + 1

    def suit(self, suit):
        """Writes a suit, in two cells."""
        self.code(suit << 1)
        self.code(suit << 1 | 1)

    def number(self, value):
        """Writes a whole number, at most three digits and a sign."""
        if value < 0:
            self.code(45)
            value = -value
        if value > 99:
            self.code(48 + value // 100 % 10)
        if value > 9:
            self.code(48 + value // 10 % 10)
        self.code(48 + value % 10)

    def to(self, column):
        """Blanks up to `column`."""
        while self._column < column:
            self.code(BLANK)

    def end(self):
        """Blanks the rest of the row."""
        self.to(COLUMNS)

    def line(self, row, text):
        """Writes a whole row."""
        self.row(row)
        self.add(text)
        self.end()

    # ---- cards and choices on the table

    def card(self, place, top, bottom, style):
        """Shows the tiles `top` and `bottom` at `place`: 0 .. 6 in the middle, then 7 .. 15 in hand."""
        grid = self._cards[place]
        dim = style & DIM
        top = top << 1 | dim
        bottom = bottom << 1 | dim
        if grid[0] != top:
            grid[0] = top
            self._changed = True
        if grid[1] != bottom:
            grid[1] = bottom
            self._changed = True
        self._style(grid, place, style)

    def choice(self, place, text, style):
        """Shows choice `place` (0 .. 4, the last at the right) of the top row, in 4 cells; no text: none."""
        grid = self._choices[place]
        if grid.hidden == bool(text):
            grid.hidden = not text
            self._changed = True
        column = 0
        for code in text:
            if grid[column] != code:
                grid[column] = code
                self._changed = True
            column += 1
        self._style(grid, SLOTS + HELD + place, style)

    def _style(self, grid, place, style):
        style &= CHOSEN
        if self._styles[place] != style:
            self._styles[place] = style
            grid.pixel_shader = self._dark if style else self._light
            self._changed = True

    # ---- numbers on the sheet

    def ringed(self, line, column, value):
        """Writes `value` (-99 .. 99) with its first digit at `column` of `line`; one that is below zero
        has no sign but a ring around it, which takes a cell at either side."""
        below = value < 0
        if below:
            value = -value
        last = column + 1 if value > 9 else column
        grid = self._rows[2 + line]
        if value > 9:
            grid[column] = 48 + value // 10 % 10
        grid[last] = 48 + value % 10
        if below:
            ring = self._rings[line]
            ring[column - 1] = _RING_BOTH if ring[column - 1] == _RING_RIGHT else _RING_LEFT
            ring[column] = ring[last] = _RING_MIDDLE
            ring[last + 1] = _RING_RIGHT
        self._changed = True

    # ---- the panel

    def refresh(self):
        """Sends what has changed; nothing if nothing has."""
        if self._changed:
            self._changed = False
            self._display.refresh()

    def repaint(self):
        """Sends the whole picture with the next refresh."""
        if self._page is not None:
            self._display.root_group = None
            self._display.root_group = self._page
            self._changed = True

    def replace(self, display):
        """Goes on with another display object, for the same panel set up anew."""
        self._display = display
        if not self.awake:
            self._send(_OFF)
        self.repaint()

    def brightness(self, level):
        """`level` from 0.0 to 1.0. Some panels are black at 0: callers keep above."""
        self._brightness = level
        try:
            self._display.brightness = level
        except (AttributeError, RuntimeError):  # a panel without that command
            pass

    def sleep(self):
        """Turns the panel off; its memory stays."""
        if self.awake:
            self.awake = False
            self._send(_OFF)

    def wake(self):
        """Turns the panel on and repaints it: it may have lost its memory meanwhile."""
        if not self.awake:
            self.awake = True
            self._send(_ON)
            self.repaint()

    def _send(self, command):
        try:
            self._display.bus.send(command, b"")
        except (AttributeError, OSError):  # no such bus, or the panel is gone: nothing to turn off
            pass

    # ---- building

    def _show(self, page):
        self._page = page
        self.repaint()

    def _palette(self, ink0, ink1):
        palette = Palette(2)
        palette[0] = ink0
        palette[1] = ink1
        return palette

    def _open(self, rows):
        """Makes these the rows that are written to, all blank. A banner goes, and with it the library that
        set it: 17 KB of a board's heap, for a word that is there between games."""
        if self._banner is not None:
            self._text.remove(self._banner)
            self._banner = None
            handheld.forget_library("adafruit_display_text", "label")
        self._rows = rows
        for grid in rows:
            if grid is not None:
                for column in range(_LINE_CELLS if grid.width > COLUMNS else COLUMNS):
                    if grid[column] != BLANK:
                        grid[column] = BLANK

    def _grid_of(self, group, width, x, y):
        grid = TileGrid(
            self._cells,
            pixel_shader=self._light,
            width=width,
            height=1,
            tile_width=6,
            tile_height=8,
            default_tile=BLANK,
            x=x,
            y=y,
        )
        group.append(grid)
        return grid

    def _build_rows(self, group, rows):
        grids = [None] * 8
        for row in rows:
            grids[row] = self._grid_of(group, COLUMNS, _LEFT, row * 8)
        return grids

    def _build_table(self):
        group = self._table = Group()
        self._table_rows = self._build_rows(group, (0, 4))
        sheet = _painted("tile_sheet")
        for place in range(SLOTS + HELD):
            grid = TileGrid(
                sheet,
                pixel_shader=self._light,
                width=1,
                height=2,
                tile_width=14,
                tile_height=12,
                x=-14,
                y=8 if place < SLOTS else 40,
            )
            self._cards.append(grid)
            group.append(grid)
        for place in range(CHOICES):
            x = _LEFT + 6 * (COLUMNS - _CHOICE_CELLS * (CHOICES - place))
            grid = self._grid_of(group, _CHOICE_CELLS, x, 0)
            grid.hidden = True
            self._choices.append(grid)

    def _build_sheet(self):
        from displayio import Bitmap

        group = self._sheet = Group()
        grids = [self._grid_of(group, COLUMNS, _LEFT, 0), self._grid_of(group, _LINE_CELLS, -2, 8)]
        bitmap = Bitmap(6, len(_RING), 2)
        for y in range(len(_RING)):
            for x in range(6):
                bitmap[y * 6 + x] = _RING[y] >> 5 - x & 1
        clear = self._palette(0, 0xFFFFFF)
        clear.make_transparent(0)
        for line in range(_LINES):
            grids.append(self._grid_of(group, _LINE_CELLS, -2, 18 + 12 * line))
            ring = TileGrid(
                bitmap,
                pixel_shader=clear,
                width=_LINE_CELLS,
                height=1,
                tile_width=6,
                tile_height=12,
                x=-2,
                y=16 + 12 * line,
            )
            group.append(ring)
            self._rings.append(ring)
        self._sheet_rows = grids

    def _move(self, grid, x):
        if grid.x != x:
            grid.x = x
