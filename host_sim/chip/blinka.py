"""The one place where Blinka's displayio is made to do what CircuitPython's C core does.

For host_sim only. Written against adafruit-blinka-displayio 2.7.1 and CircuitPython 10
(shared-module/displayio, busdisplay, i2cdisplaybus). What differs, and is replaced here:

1. Partial refresh of an SH110x sets the upper column nibble with `& 0xF0` where the core has
   `& 0x0F`: every area starting at x >= 14 lands in the wrong column. Also each page is drawn
   before its address is sent. tests/test_sim_display.py tells when upstream has mended it.
2. After a full refresh, or when a TileGrid was touched during one, change flags survive in Blinka
   and the same area is sent again; the core clears them. Areas come in the core's order.
3. A TileGrid moved by just its own size is one area in the core, two in Blinka; a layer removed
   and one added to a hidden group are handled as in the core.
4. The core ignores failed writes to a panel that was there at the start; Blinka raises.
5. Brightness is cut off in the core and rounded in Blinka. A tile or pixel out of range is an
   exception on the board and none in Blinka.
6. `terminalio.FONT` is a strip of the ASCII glyphs with no offsets on the board; Blinka has the
   whole BDF file, other metrics, and no working `bitmap`.
7. Blinka refreshes from a thread, on the PC's clock.
8. `release_displays` leaves a bus alone that the program made, which goes on holding its pins; Blinka
   frees them, and never releases a FourWire.

Compositing is done a row at a time on integers with one byte per pixel, not pixel by pixel.
Measured, one full frame of 105 characters in labels: 20 ms by Blinka's loops, 5 ms here.
"""

from __future__ import annotations

from functools import lru_cache
from types import ModuleType
from typing import Any, NamedTuple

# Blinka is untyped and is patched here; it must find the stand-ins for digitalio, busio and
# microcontroller already in place, which is why host_sim.chip imports this module late.
import busdisplay
import displayio
import fourwire
import i2cdisplaybus
from displayio import _displaycore
from displayio._area import Area
from displayio._colorconverter import ColorConverter
from displayio._constants import DISPLAY_COMMAND
from displayio._group import circuitpython_splash

from host_sim.chip import core

_BITS = {
    bits: [
        bytes(value >> shift & (1 << bits) - 1 for shift in range(8 - bits, -1, -bits))
        for value in range(256)
    ]
    for bits in (1, 2, 4)
}


# -- pixels -------------------------------------------------------------------------------------


@lru_cache(maxsize=4096)
def _unpacked(row: bytes, bits: int, width: int) -> bytes:
    """A bitmap's row, as packed into 32-bit words, as one byte per value."""
    if bits == 8:
        return row[:width]
    table = _BITS[bits]
    # Each word is held in an item of 4 or 8 bytes, little-endian; its top bits are leftmost.
    return b"".join(table[byte] for byte in row)[:width]


def _rows_of(bitmap: Any) -> list[bytes]:
    """All rows of a bitmap, one byte per value; the work is shared between equal rows."""
    bits = bitmap._bits_per_value
    stride = bitmap._stride
    data = bitmap._data
    if bits == 8:
        size = data.itemsize
        raw = memoryview(data).cast("B")
        wide = stride * size
        rows = [bytes(raw[at : at + bitmap._bmp_width]) for at in range(0, len(raw), wide)]
        return rows[: bitmap._bmp_height]
    width = bitmap._bmp_width
    rows = []
    for at in range(0, stride * bitmap._bmp_height, stride):
        packed = b"".join([word.to_bytes(4, "big") for word in data[at : at + stride]])
        rows.append(_unpacked(packed, bits, width))
    return rows


class _Bitmaps:
    """Unpacked rows of bitmaps as long as their contents stay the same."""

    def __init__(self) -> None:
        self.known: dict[tuple[int, ...], tuple[bytes, list[bytes]]] = {}

    def rows(self, bitmap: Any) -> tuple[bytes, list[bytes]]:
        """The contents as they are, to compare, and the rows."""
        raw = bitmap._data.tobytes()
        # An id may come again when a bitmap is gone, so the shape belongs to the name.
        name = (id(bitmap), bitmap._bmp_width, bitmap._bmp_height, bitmap._bits_per_value)
        known = self.known.get(name)
        if known is not None and known[0] == raw:
            return known
        if len(self.known) > 256:
            self.known.clear()
        made = (raw, _rows_of(bitmap))
        self.known[name] = made
        return made


_bitmaps = _Bitmaps()


def _colors(palette: Any, count: int) -> tuple[bytes, bytes]:
    """Two tables for bytes.translate: value -> lit (0/1), value -> opaque (0/1)."""
    lit = bytearray(256)
    opaque = bytearray(256)
    for index, color in enumerate(palette._colors[:count]):
        if not color.transparent:
            opaque[index] = 1
            lit[index] = ColorConverter._compute_luma(color.rgb888) >> 7
    return bytes(lit), bytes(opaque)


class _Picture(NamedTuple):
    """A TileGrid drawn: for each row of its area two integers, one byte per pixel, leftmost lowest."""

    key: tuple[Any, ...]
    lit: list[int]
    opaque: list[int]


def _draw(grid: Any) -> _Picture | None:
    """The TileGrid as it is on the screen; None if only Blinka itself can draw it."""
    bitmap = grid._bitmap
    palette = grid._pixel_shader
    if type(bitmap) is not displayio.Bitmap or type(palette) is not displayio.Palette:
        return None
    if bitmap._bits_per_value > 8 or palette._dither:
        return None
    transform = grid._absolute_transform
    raw, rows = _bitmaps.rows(bitmap)
    colors = tuple((color.rgb888, color.transparent) for color in palette._colors)
    turned = grid._transpose_xy != transform.transpose_xy
    flip_x, flip_y = grid._flip_x, grid._flip_y
    if turned:
        flip_x, flip_y = flip_y, flip_x
    flip_x ^= transform.dx < 0
    flip_y ^= transform.dy < 0
    key = (
        raw,
        bytes(grid._tiles),
        colors,
        grid._top_left_x,
        grid._top_left_y,
        flip_x,
        flip_y,
        turned,
        transform.scale,
    )
    known: _Picture | None = getattr(grid, "_picture", None)
    if known is not None and known.key == key:
        return known

    wide, high = grid._width_in_tiles, grid._height_in_tiles
    tile_w, tile_h = grid._tile_width, grid._tile_height
    sheet = grid._bitmap_width_in_tiles
    blank = bytes(max(tile_w, 1))
    lines: list[bytes] = []
    for tile_y in range(high):
        at = (tile_y + grid._top_left_y) % high * wide
        line_tiles = [grid._tiles[at + (x + grid._top_left_x) % wide] for x in range(wide)]
        for y in range(tile_h):
            parts = []
            for tile in line_tiles:
                source = tile // sheet * tile_h + y
                left = tile % sheet * tile_w
                if source < len(rows):
                    part = rows[source][left : left + tile_w]
                    parts.append(part if len(part) == tile_w else part.ljust(tile_w, b"\0"))
                else:
                    parts.append(blank)
            lines.append(b"".join(parts))
    if turned:
        lines = [bytes(line[x] for line in lines) for x in range(wide * tile_w)]
    if flip_x:
        lines = [line[::-1] for line in lines]
    if flip_y:
        lines.reverse()
    scale = transform.scale
    if scale > 1:
        grown = [b"".join(bytes([value]) * scale for value in line) for line in lines]
        lines = [line for line in grown for _ in range(scale)]
    to_lit, to_opaque = _colors(palette, 1 << bitmap._bits_per_value)
    picture = _Picture(
        key,
        [int.from_bytes(line.translate(to_lit), "little") for line in lines],
        [int.from_bytes(line.translate(to_opaque), "little") for line in lines],
    )
    grid._picture = picture
    return picture


def _compose(layers: list[Any], area: Any, lit: list[int], mask: list[int]) -> bool:
    """Draw the layers of a group, topmost last in the list, into rows of `area`.

    False if one of them can only be drawn by Blinka itself.
    """
    for layer in reversed(layers):
        if isinstance(layer, displayio.Group):
            if not layer._hidden_group and not _compose(layer._layers, area, lit, mask):
                return False
            continue
        if not isinstance(layer, displayio.TileGrid):
            return False
        if layer._hidden_tilegrid or layer._hidden_by_parent:
            continue
        here = layer._current_area
        x1, x2 = max(area.x1, here.x1), min(area.x2, here.x2)
        y1, y2 = max(area.y1, here.y1), min(area.y2, here.y2)
        if x1 >= x2 or y1 >= y2:
            continue
        picture = _draw(layer)
        if picture is None:
            return False
        window = (1 << 8 * (x2 - x1)) - 1
        skip, to = 8 * (x1 - here.x1), 8 * (x1 - area.x1)
        for y in range(y1, y2):
            new = (picture.opaque[y - here.y1] >> skip & window) << to & ~mask[y - area.y1]
            if new:
                lit[y - area.y1] |= (picture.lit[y - here.y1] >> skip & window) << to & new
                mask[y - area.y1] |= new
    return True


def _page(display: Any, area: Any) -> bytes:
    """The bytes of 8 rows: one byte a column, top row in bit 0."""
    group = display._core.current_group
    width = area.x2 - area.x1
    if group is None or group._hidden_group:
        return bytes(width)
    lit = [0] * 8
    if _compose(group._layers, area, lit, [0] * 8):
        columns = 0
        for row in range(8):
            columns |= lit[row] << row
        return columns.to_bytes(width, "little")
    size = width * 8
    buffer = memoryview(bytearray((size + 31) // 32 * 4)).cast("I")
    mask = memoryview(bytearray((size // 32 + 1) * 4)).cast("I")
    display._core.fill_area(area, mask, buffer)
    return buffer.tobytes()[:width]


# -- refreshing ---------------------------------------------------------------------------------


def _refresh_area(display: Any, area: Any) -> bool:
    """Column, page and data of each 8 rows, as BusDisplay.c does for SH1107 addressing."""
    inner = display._core
    if not inner.sh1107_addressing:
        return bool(_original_refresh_area(display, area))
    clipped = Area()
    if not inner.clip_area(area, clipped):
        return True
    for top in range(clipped.y1, clipped.y2 - 7, 8):
        page = Area(clipped.x1, top, clipped.x2, top + 8)
        pixels = _page(display, page)
        column = page.x1 + inner.colstart
        row = (page.y1 + inner.rowstart) // 8
        for command in (bytes([column >> 4 & 0x0F | 0x10, column & 0x0F]), bytes([0xB0 | row])):
            if not inner.begin_transaction():
                return False
            inner.send(DISPLAY_COMMAND, 1, command)
            inner.end_transaction()
        if not inner.begin_transaction():
            return False
        display._send_pixels(pixels)
        inner.end_transaction()
    return True


def _refresh_display(display: Any) -> bool:
    inner = display._core
    if not inner.bus_free() or not inner.start_refresh():
        return False
    areas: list[Any] = []
    if inner.full_refresh:
        areas.append(inner.area)
    elif inner.current_group is not None:
        inner.current_group._get_refresh_areas(areas)
        areas.reverse()  # the core puts each new area in front
    for area in areas:
        display._refresh_area(area)
    inner.finish_refresh()
    return True


def _grid_finish_refresh(grid: Any) -> None:
    first = grid._previous_area.x1 == grid._previous_area.x2
    hidden = grid._hidden_tilegrid or grid._hidden_by_parent
    if not first and hidden:
        grid._previous_area.x2 = grid._previous_area.x1
    elif grid._moved or first:
        grid._current_area.copy_into(grid._previous_area)
    grid._moved = grid._full_change = grid._partial_change = grid._needs_refresh = False
    for part in (grid._pixel_shader, grid._bitmap):
        if isinstance(part, (displayio.Palette, displayio.ColorConverter, displayio.Bitmap)):
            part._finish_refresh()


def _grid_refresh_areas(grid: Any, areas: list[Any]) -> None:
    first = grid._previous_area.x1 == grid._previous_area.x2
    hidden = grid._hidden_tilegrid or grid._hidden_by_parent
    if grid._moved and not first and not hidden:
        grid._previous_area.union(grid._current_area, grid._dirty_area)
        if grid._dirty_area.size() <= 2 * grid._pixel_width * grid._pixel_height:
            areas.append(grid._dirty_area)
        else:
            areas.append(grid._previous_area)
            areas.append(grid._current_area)
        return
    _original_grid_refresh_areas(grid, areas)


def _group_refresh_areas(group: Any, areas: list[Any]) -> None:
    if group._item_removed:
        areas.append(group._dirty_area)
    for layer in reversed(group._layers):
        if isinstance(layer, displayio.TileGrid) and layer._get_rendered_hidden():
            continue
        layer._get_refresh_areas(areas)


def _group_removed(group: Any, layer: Any) -> None:
    area = Area()
    drawn = layer._get_previous_area(area)
    layer._update_transform(None)
    if not drawn:
        return
    if group._item_removed:
        group._dirty_area.union(area, group._dirty_area)
    else:
        area.copy_into(group._dirty_area)
    group._item_removed = True


def _group_previous_area(group: Any, area: Any) -> bool:
    found = False
    for layer in group._layers:
        part = Area()
        if layer._get_previous_area(part):
            if found:
                area.union(part, area)
            else:
                part.copy_into(area)
            found = True
    if group._item_removed:
        if found:
            area.union(group._dirty_area, area)
        else:
            group._dirty_area.copy_into(area)
        found = True
    return found


def _grid_previous_area(grid: Any, area: Any) -> bool:
    if grid._previous_area.x1 == grid._previous_area.x2:
        return False
    grid._previous_area.copy_into(area)
    return True


def _group_layer_update(group: Any, index: int) -> None:
    layer = group._layers[index]
    layer._update_transform(group._absolute_transform)
    if isinstance(layer, (displayio.Group, displayio.TileGrid)):
        layer._set_hidden_by_parent(group._hidden_group or group._hidden_by_parent)


# -- what the board checks ----------------------------------------------------------------------


def _grid_set(grid: Any, index: Any, value: int) -> None:
    wide, high = grid._width_in_tiles, grid._height_in_tiles
    x, y = (index % wide, index // wide) if isinstance(index, int) else index
    if not (0 <= x < wide and 0 <= y < high):
        raise IndexError("Tile index out of bounds")
    if not 0 <= value < grid._tiles_in_bitmap:
        raise ValueError(f"tile must be 0-{grid._tiles_in_bitmap - 1}")
    grid._set_tile(x, y, value)


def _grid_get(grid: Any, index: Any) -> int:
    wide, high = grid._width_in_tiles, grid._height_in_tiles
    x, y = (index % wide, index // wide) if isinstance(index, int) else index
    if not (0 <= x < wide and 0 <= y < high):
        raise IndexError("Tile index out of bounds")
    return int(grid._tiles[y * wide + x])


def _bitmap_check(bitmap: Any, index: Any) -> None:
    wide, high = bitmap._bmp_width, bitmap._bmp_height
    if isinstance(index, int):
        if not 0 <= index < wide * high:
            raise IndexError(f"index must be 0-{wide * high - 1}")
        return
    if not 0 <= index[0] < wide:
        raise IndexError(f"x must be 0-{wide - 1}")
    if not 0 <= index[1] < high:
        raise IndexError(f"y must be 0-{high - 1}")


def _bitmap_set(bitmap: Any, index: Any, value: int) -> None:
    wide = bitmap._bmp_width
    x, y = (index % wide, index // wide) if isinstance(index, int) else index
    if not (0 <= x < wide and 0 <= y < bitmap._bmp_height):
        _bitmap_check(bitmap, index)
    if not 0 <= value <= bitmap._bitmask:
        raise ValueError(f"value must be 0-{bitmap._bitmask}")
    bits = bitmap._bits_per_value
    if bits >= 8 or bitmap._read_only:
        _original_bitmap_set(bitmap, index, value)
        return
    # As Blinka writes it, without its five calls a pixel: drawing a sheet of glyphs is a third of the
    # program's start.
    shift = 32 - ((x & bitmap._x_mask) + 1) * bits
    at = y * bitmap._stride + (x >> bitmap._x_shift)
    data = bitmap._data
    data[at] = data[at] & ~(bitmap._bitmask << shift) | value << shift
    dirty = bitmap._dirty_area
    if dirty.x1 == dirty.x2 or dirty.y1 == dirty.y2:
        dirty.x1, dirty.y1, dirty.x2, dirty.y2 = x, y, x + 1, y + 1
    elif not (dirty.x1 <= x < dirty.x2 and dirty.y1 <= y < dirty.y2):
        dirty.x1, dirty.x2 = min(dirty.x1, x), max(dirty.x2, x + 1)
        dirty.y1, dirty.y2 = min(dirty.y1, y), max(dirty.y2, y + 1)


def _bitmap_get(bitmap: Any, index: Any) -> int:
    _bitmap_check(bitmap, index)
    return int(_original_bitmap_get(bitmap, index))


def _set_brightness(display: Any, value: float) -> None:
    if not 0 <= value <= 1:
        raise ValueError("Brightness must be 0-1.0")
    command = display._brightness_command
    if command is not None and display._core.begin_transaction():
        display._core.send(DISPLAY_COMMAND, 1, bytes([command, int(0xFF * value)]))
        display._core.end_transaction()
    display._brightness = value


def _i2c_send(bus: Any, data_type: int, _: int, data: Any, command: int | None = None) -> None:
    payload = bytes(data) if command is None else bytes([command, *data])
    if data_type == DISPLAY_COMMAND:
        sent = b"".join(bytes([0x80, byte]) for byte in payload)
    else:
        sent = b"\x40" + payload
    try:
        bus._i2c.writeto(bus._dev_addr, sent)
    except OSError:
        pass  # the core drops what the write returns: a panel that falls off is only dark


def _i2c_init(bus: Any, i2c_bus: Any, *, device_address: int, reset: Any = None) -> None:
    if not i2c_bus.probe(device_address):
        displayio.display_buses.remove(bus)
        raise ValueError(f"Unable to find I2C Display at {device_address:x}")
    _original_i2c_init(bus, i2c_bus, device_address=device_address, reset=reset)


def _fourwire_init(bus: Any, *arguments: Any, **options: Any) -> None:
    displayio.allocate_display_bus(bus)
    _original_fourwire_init(bus, *arguments, **options)


def _bus_deinit(bus: Any) -> None:
    # A bus whose making failed half-way has fewer pins.
    for name in ("_dc", "_chip_select", "_reset"):
        pin = getattr(bus, name, None)
        if pin is not None:
            pin.deinit()


# -- the board's font ---------------------------------------------------------------------------


class Glyph(NamedTuple):
    """`fontio.Glyph` of the board."""

    bitmap: Any
    tile_index: int
    width: int
    height: int
    dx: int
    dy: int
    shift_x: int
    shift_y: int


class BuiltinFont:
    """The font of an English build: Terminus 6x12, 0x20 to 0x7E side by side in one bitmap."""

    WIDTH = 6
    HEIGHT = 12

    def __init__(self, path: str) -> None:
        self.bitmap = displayio.Bitmap((0x7F - 0x20) * self.WIDTH, self.HEIGHT, 2)
        code = left = bottom = height = 0
        row = -1
        with open(path, encoding="ascii", errors="replace") as lines:
            for line in lines:
                word, _, rest = line.partition(" ")
                if word == "ENCODING":
                    code = int(rest)
                elif word == "BBX":
                    _, height, left, bottom = map(int, rest.split())
                elif word.strip() == "BITMAP":
                    row = self.HEIGHT - 2 - (height + bottom)
                elif word.strip() == "ENDCHAR":
                    row = -1
                elif row >= 0 and 0x20 <= code < 0x7F:
                    bits = word.strip()
                    for x in range(self.WIDTH - left):
                        if int(bits, 16) >> (4 * len(bits) - 1 - x) & 1:
                            at = ((code - 0x20) * self.WIDTH + left + x, row)
                            _original_bitmap_set(self.bitmap, at, 1)
                    row += 1
        self.bitmap._finish_refresh()
        self.bitmap._read_only = True

    def get_bounding_box(self) -> tuple[int, int]:
        """Width and height of every glyph."""
        return self.WIDTH, self.HEIGHT

    def get_glyph(self, codepoint: int) -> Glyph | None:
        """None for everything but printable ASCII."""
        if not 0x20 <= codepoint < 0x7F:
            return None
        return Glyph(self.bitmap, codepoint - 0x20, self.WIDTH, self.HEIGHT, 0, 0, self.WIDTH, 0)


def make_terminalio(fontio: ModuleType) -> ModuleType:
    """`terminalio` with the board's font."""
    from pathlib import Path

    module = ModuleType("terminalio", "terminalio of an English CircuitPython build")
    resources = Path(str(displayio.__file__)).parent / "resources" / "ter-u12n.bdf"
    module.FONT = BuiltinFont(str(resources))  # type: ignore[attr-defined]
    fontio.Glyph = Glyph  # type: ignore[attr-defined]
    fontio.BuiltinFont = BuiltinFont  # type: ignore[attr-defined]
    return module


# -- putting it in ------------------------------------------------------------------------------

_original_refresh_area = busdisplay.BusDisplay._refresh_area
_original_grid_refresh_areas = displayio.TileGrid._get_refresh_areas
_original_bitmap_set = displayio.Bitmap.__setitem__
_original_bitmap_get = displayio.Bitmap.__getitem__
_original_i2c_init = i2cdisplaybus.I2CDisplayBus.__init__
_original_fourwire_init = fourwire.FourWire.__init__
set_region_to_update = _displaycore._DisplayCore.set_region_to_update
"""Upstream's own, with its fault: only for the test that watches it."""


class _Clock:
    """The `time` that Blinka uses."""

    @staticmethod
    def sleep(seconds: float) -> None:
        core.current().advance(round(seconds * 1_000_000))

    @staticmethod
    def monotonic() -> float:
        return core.current().now / 1_000_000


def patch(clock: Any = _Clock) -> None:
    """Replace what is listed above, in this process, for good."""
    displayio._stop_background()
    for module in (busdisplay, fourwire, i2cdisplaybus, _displaycore):
        module.time = clock
    display = busdisplay.BusDisplay
    display._refresh_area = _refresh_area
    display._refresh_display = _refresh_display
    display.brightness = property(lambda self: self._brightness, _set_brightness)
    grid = displayio.TileGrid
    grid._finish_refresh = _grid_finish_refresh
    grid._get_refresh_areas = _grid_refresh_areas
    grid._get_previous_area = _grid_previous_area
    grid._prepare_full_refresh = lambda self: None
    grid.__setitem__ = _grid_set
    grid.__getitem__ = _grid_get
    group = displayio.Group
    group._get_refresh_areas = _group_refresh_areas
    group._removal_cleanup = _group_removed
    group._get_previous_area = _group_previous_area
    group._layer_update = _group_layer_update
    group._prepare_full_refresh = lambda self: None
    displayio.Bitmap.__setitem__ = _bitmap_set
    displayio.Bitmap.__getitem__ = _bitmap_get
    i2cdisplaybus.I2CDisplayBus._send = _i2c_send
    i2cdisplaybus.I2CDisplayBus.__init__ = _i2c_init
    fourwire.FourWire.__init__ = _fourwire_init
    i2cdisplaybus.I2CDisplayBus.deinit = fourwire.FourWire.deinit = _bus_deinit
    displayio.CIRCUITPYTHON_TERMINAL = circuitpython_splash


def restart() -> None:
    """Forget all displays and buses, as after a reset. Pins are those of a chip that is gone."""
    displayio.displays.clear()
    displayio.display_buses.clear()
    circuitpython_splash._in_group = False


def refresh_automatically(chip: core.Chip) -> None:
    """Displays with `auto_refresh` are refreshed on the chip's clock, 60 times a second."""

    def tick() -> None:
        for display in list(displayio.displays):
            due = display._core.last_refresh + display._native_ms_per_frame
            if display._auto_refresh and chip.now / 1000 > due:
                display._refresh_display()
        chip.at(chip.now + 16_667, tick)

    chip.at(chip.now, tick)
