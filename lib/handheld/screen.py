"""What is shown: pages of text cells and card tiles that stay for good; showing something only changes
tile numbers, so that few bytes go to the panel. Imported by console.py.

Three pages share one group: `text` (8 rows of 21 cells and a banner), `table` (up to 7 cards in the middle
and 9 in hand, with rows of text above and between) and `sheet` (numbers in columns, with rings). What
changes while a page is shown starts on a multiple of 8 rows: the panel is written in pages of 8.
"""

import gc

from displayio import Group, Palette, TileGrid
from micropython import const

import handheld

# Cells: own signs 0 .. 15, then ASCII. Suits (clubs, diamonds, hearts, spades) are two cells wide.
_BLANK = const(32)
_COLUMNS = const(21)

# Tiles for cards: ranks are 2 .. 14.
_NO_TILE = const(0)
_TURN_TILE = const(1)
_PASS_TILE = const(15)
_SUIT_TILE = const(16)  # + suit
_ONE_TILE = const(20)

# How a card or a choice is shown.
_PLAIN = const(0)
_DIM = const(1)
_CHOSEN = const(2)  # light on dark turned round

_SLOTS = const(7)  # cards in the middle
_HELD = const(9)  # cards in hand
_CHOICES = const(5)
_CHOICE_CELLS = const(4)
_AWAY = const(-24)  # x of a choice that is not there
_LEFT = const(1)  # 21 cells of 6 pixels leave 2 over
_ROW_CELLS = const(22)  # one more than fits: numbers on a sheet are half a cell off


# From source the library of a banner needs 31 KB while it is compiled (host_sim's MicroPython, halved), and a
# heap has holes: with 29 KB free a Pico ran out.
_LABEL_BYTES = const(45056)

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
    `row(n)`, then any of `add`, `code`, `suit`, `number`, `to`, then `end`."""

    def __init__(self, display):
        self.display = display
        self._cells = _painted("cell_sheet")
        self._light = self._palette(0)
        self._dark = self._palette(0xFFFFFF)
        self._root = Group()
        self._rows = [self._text_grid(_ROW_CELLS) for _ in range(8)]
        self._row = self._rows[0]
        self._column = 0
        self._written = 0  # rows that are not blank, a bit each
        self.banner = None
        # TileGrids, each built when first needed: SLOTS cards in the middle, then HELD in hand.
        self._tiles = None
        self.cards = [None] * (_SLOTS + _HELD)
        self._choices = None
        self._styles = bytearray(_SLOTS + _HELD + _CHOICES)
        self._sheet = None
        self._changed = False
        self.awake = True

    # ---- pages: each of these is a change of screen, and repaints the panel as a whole

    def text(self, banner=None, light=False):
        """Shows an empty page of text: rows 0 to 7; `banner`: a word twice as large, over rows 1 to 3;
        `light`: without the library that sets it, 8 KB of a Pico's heap compiled."""
        self._open(0xFF)
        if banner is None:
            return
        if not light and handheld.free() < _LABEL_BYTES:
            gc.collect()
        if not light and handheld.free() >= _LABEL_BYTES:
            from adafruit_display_text import label
            from terminalio import FONT

            self.banner = label.Label(
                FONT,
                text=banner,
                scale=2,
                color=0xFFFFFF,
                anchor_point=(0.5, 0.5),
                anchored_position=(64, 20),
            )
        else:  # the same out of cells
            count = len(banner)
            grid = self._text_grid(count)
            for place in range(count):
                grid[place] = ord(banner[place])
            self.banner = Group(scale=2, x=64 - 6 * count, y=14)
            self.banner.append(grid)
        self._root.append(self.banner)

    def table(self, slots, held):
        """Shows an empty table: rows 0 and 4 of text, `slots` cards in the middle (at most 7), `held` in
        hand (at most 9)."""
        self._open(0x11)
        self.prepare(slots, held)
        for place in range(_SLOTS + _HELD):
            if place < slots:
                column, cells = self.below(place, slots)
                x = _LEFT + 6 * column + (6 * cells - 14) // 2
            elif _SLOTS <= place < _SLOTS + held:
                pitch = 21 if held <= 6 else 14
                x = _LEFT + pitch * (place - _SLOTS) + (pitch - 14) // 2
            else:
                continue
            grid = self.cards[place]
            grid.x = x
            self.card(place, _NO_TILE, _NO_TILE, _PLAIN)
            self._root.append(grid)
        for place in range(_CHOICES):
            self.choice(place, b"", _PLAIN)
            self._root.append(self._choices[place])

    def prepare(self, slots, held):
        """Makes what such a table and a sheet need and is not there yet: 50 ms on a Pico, when nobody
        waits."""
        if self._sheet is None:
            from handheld import sheet

            self._sheet = sheet.Sheet(self._rows, _painted("ring_sheet"))
        if self._tiles is None:
            self._tiles = _painted("tile_sheet")
            self._choices = [self._text_grid(_CHOICE_CELLS) for _ in range(_CHOICES)]
        for place in range(_SLOTS + _HELD):
            wanted = place < slots or _SLOTS <= place < _SLOTS + held
            if wanted and self.cards[place] is None:
                self.cards[place] = self._card_grid(place)

    def below(self, place, slots):
        """First cell, and how many, of the text below card `place` of `slots` in the middle."""
        width = _COLUMNS // slots
        cells = 4 if width > 4 else 2
        left = (_COLUMNS - width * slots) // 2
        return left + width * place + (width - cells) // 2, cells

    def sheet(self):
        """Shows an empty sheet: rows 0 and 1 of text, then up to 4 lines of numbers."""
        self._open(0x3F)
        self.prepare(0, 0)
        self._sheet.show(self._root)

    def _open(self, rows):
        """Blanks the page and shows the text rows of the bits in `rows`, and nothing else. Nothing is ever
        made `hidden`: displayio sends the area of a hidden TileGrid with every other refresh."""
        root = self._root
        while len(root):
            root.pop()
        if self.banner is not None:
            # The library that set it goes too: 11 KB of a board's heap, for a word between games.
            self.banner = None
            handheld.forget_library()
        for place in range(8):
            row = self._rows[place]
            row.x = _LEFT
            row.y = 8 * place
            if self._written >> place & 1:
                for column in range(_ROW_CELLS):
                    if row[column] != _BLANK:
                        row[column] = _BLANK
            if rows >> place & 1:
                root.append(row)
        self._written = 0
        self.repaint()

    # ---- text

    def row(self, row, column=0):
        """Starts writing at `column` of `row`."""
        self._row = self._rows[row]
        self._column = column
        self._written |= 1 << row

    def add(self, text):
        """Writes `text` (bytes); what does not fit into the row is left out."""
        grid = self._row
        column = self._column
        for code in text:
            if column < _COLUMNS and grid[column] != code:
                grid[column] = code
                self._changed = True
            column += 1
        self._column = column

    def code(self, code):
        """Writes one cell."""
        column = self._column
        if column < _COLUMNS and self._row[column] != code:
            self._row[column] = code
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
            self.code(_BLANK)

    def end(self):
        """Blanks the rest of the row."""
        self.to(_COLUMNS)

    def line(self, row, text):
        """Writes a whole row."""
        self.row(row)
        self.add(text)
        self.end()

    # ---- cards and choices on the table

    def card(self, place, top, bottom, style):
        """Shows the tiles `top` and `bottom` at `place`: 0 .. 6 in the middle, then 7 .. 15 in hand."""
        grid = self.cards[place]
        dim = style & _DIM
        top = top << 1 | dim
        bottom = bottom << 1 | dim
        if grid[0] != top:
            grid[0] = top
            self._changed = True
        if grid[1] != bottom:
            grid[1] = bottom
            self._changed = True
        self._style(grid, place, style)

    def choice(self, place, text, style, start=0):
        """Shows choice `place` (0 .. 4, the last at the right) of the top row: four cells of `text` from
        `start` on; an empty text: no such choice."""
        grid = self._choices[place]
        x = _LEFT + 6 * (_COLUMNS - _CHOICE_CELLS * (_CHOICES - place)) if text else _AWAY
        if grid.x != x:
            grid.x = x
            self._changed = True
        if text:
            for column in range(_CHOICE_CELLS):
                code = text[start + column]
                if grid[column] != code:
                    grid[column] = code
                    self._changed = True
        self._style(grid, _SLOTS + _HELD + place, style)

    def _style(self, grid, place, style):
        style &= _CHOSEN
        if self._styles[place] != style:
            self._styles[place] = style
            grid.pixel_shader = self._dark if style else self._light
            self._changed = True

    def ringed(self, line, column, value):
        """Writes `value` (-99 .. 99) with its first digit at `column` of `line` of the sheet; one that is
        below zero has no sign but a ring around it, which takes a cell at either side."""
        self._written |= 4 << line
        self._sheet.put(line, column, value)
        self._changed = True

    # ---- the panel

    def refresh(self):
        """Sends what has changed; nothing if nothing has, or there is no panel now."""
        if self._changed and self.display is not None:
            self._changed = False
            self.display.refresh()

    def repaint(self):
        """Sends the whole picture with the next refresh."""
        if self.display is not None:
            self.display.root_group = None  # giving it the same group again would change nothing
            self.display.root_group = self._root
        self._changed = True

    def replace(self, display):
        """Goes on with another display object, for the same panel set up anew."""
        self.display = display
        if not self.awake:
            self._send(_OFF)
        self.repaint()

    def brightness(self, level):
        """`level` from 0.0 to 1.0. Some panels are black at 0: callers keep above."""
        try:
            self.display.brightness = level
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
            self.display.bus.send(command, b"")
        except (AttributeError, OSError):  # no such bus, or the panel is gone: nothing to turn off
            pass

    # ---- building

    def _palette(self, color):
        palette = Palette(2)
        palette[0] = color
        palette[1] = 0xFFFFFF - color
        return palette

    def _text_grid(self, width):
        return TileGrid(
            self._cells,
            pixel_shader=self._light,
            width=width,
            height=1,
            tile_width=6,
            tile_height=8,
            default_tile=_BLANK,
        )

    def _card_grid(self, place):
        return TileGrid(
            self._tiles,
            pixel_shader=self._light,
            width=1,
            height=2,
            tile_width=14,
            tile_height=12,
            y=8 if place < _SLOTS else 40,
        )
