"""Blinka's displayio made to do as CircuitPython's C core: pixels, areas, bytes, the board's font."""

import random
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from sim_board import bare_chip, open_display

from host_sim.chip import blinka_module, core


@pytest.fixture
def chip() -> Iterator[core.Chip]:
    with bare_chip() as made:
        yield made


def sent(chip: core.Chip, display: Any) -> tuple[int, int]:
    """Bytes on the wire and transactions of one refresh."""
    chip.panel.clear_counters()
    display.refresh()
    return chip.panel.wire_bytes, chip.panel.transactions


def two_colours() -> Any:
    import displayio

    palette = displayio.Palette(2)
    palette[1] = 0xFFFFFF
    return palette


def test_upstream_still_sends_the_wrong_column(chip: core.Chip) -> None:
    """Fails when Blinka has mended partial SH110x refreshes: then take item 1 out of blinka.py."""
    from displayio._area import Area

    display = open_display(chip)
    blinka_module().set_region_to_update(display._core, Area(14, 0, 20, 8))  # column 16
    assert chip.panel.column != 16
    display._core.current_group = None
    blinka_module().set_region_to_update(display._core, Area(13, 0, 20, 8))
    assert chip.panel.column == 15


@pytest.mark.parametrize("x", [0, 1, 13, 14, 15, 29, 30, 63, 64, 121, 122])
def test_partial_refresh_lands_in_its_column(chip: core.Chip, x: int) -> None:
    """The report of Blinka 2.7.1: with colstart 2, everything from x = 14 on came out elsewhere."""
    import displayio

    display = open_display(chip)
    group = displayio.Group()
    tile = displayio.TileGrid(displayio.Bitmap(6, 8, 2), pixel_shader=two_colours(), x=x, y=16)
    group.append(tile)
    display.root_group = group
    display.refresh()
    tile.bitmap.fill(1)
    assert sent(chip, display) == (16, 3)
    lit = {(i % 128, i // 128) for i, bit in enumerate(chip.panel.pixels()) if bit}
    assert lit == {(x + i, 16 + j) for i in range(6) for j in range(8)}


class TestBytesOfTheCore:
    """Bytes and transactions of one refresh by the C core, worked out from its source.

    Each page of an area: column 5 bytes, page 3, data 2 + width, the address counted in each.
    """

    def test_full_frame(self, chip: core.Chip) -> None:
        import displayio

        display = open_display(chip)
        display.root_group = displayio.Group()
        before = chip.now
        assert sent(chip, display) == (1104, 24)
        assert 24_800 <= chip.now - before <= 25_100  # microseconds at 400 kHz

    def test_nothing_changed_is_nothing_sent(self, chip: core.Chip) -> None:
        import displayio

        display = open_display(chip)
        group = displayio.Group()
        tile = displayio.TileGrid(displayio.Bitmap(8, 8, 2), pixel_shader=two_colours())
        tile.x = 40
        group.append(tile)
        group.hidden = True
        group.hidden = False
        display.root_group = group
        display.refresh()
        assert sent(chip, display) == (0, 0)

    def test_two_far_cells_of_a_60x60_grid(self, chip: core.Chip) -> None:
        import displayio

        display = open_display(chip)
        group = displayio.Group()
        sheet = displayio.Bitmap(12, 6, 2)
        grid = displayio.TileGrid(
            sheet, pixel_shader=two_colours(), width=10, height=10, tile_width=6, tile_height=6
        )
        group.append(grid)
        display.root_group = group
        display.refresh()
        grid[0, 0] = 1
        grid[9, 9] = 1
        assert sent(chip, display) == (560, 24)

    def test_one_character_of_a_label(self, chip: core.Chip) -> None:
        import displayio
        import terminalio
        from adafruit_display_text import label

        display = open_display(chip)
        group = displayio.Group()
        text = label.Label(terminalio.FONT, text="seventeen letters", x=0, y=6)
        group.append(text)
        display.root_group = group
        display.refresh()
        text.text = "seventeen lettera"
        assert sent(chip, display) == (768, 108)

    def test_one_character_of_a_bitmap_label_and_a_move(self, chip: core.Chip) -> None:
        import displayio
        import terminalio
        from adafruit_display_text import bitmap_label

        display = open_display(chip)
        group = displayio.Group()
        text = bitmap_label.Label(terminalio.FONT, text="seventeen letters", x=0, y=6)
        group.append(text)
        display.root_group = group
        display.refresh()
        text.text = "seventeen lettera"
        assert sent(chip, display) == (224, 6)
        text.x += 1
        assert sent(chip, display) == (226, 6)

    def test_one_aligned_cell_one_pixel_two_pixels_brightness(self, chip: core.Chip) -> None:
        import displayio

        display = open_display(chip)
        group = displayio.Group()
        sheet = displayio.Bitmap(12, 12, 2)
        grid = displayio.TileGrid(
            sheet, pixel_shader=two_colours(), width=10, height=2, tile_width=6, tile_height=12
        )
        full = displayio.Bitmap(128, 64, 2)
        palette = two_colours()
        palette.make_transparent(0)
        group.append(grid)
        group.append(displayio.TileGrid(full, pixel_shader=palette))
        display.root_group = group
        display.refresh()
        grid[7, 0] = 1
        assert sent(chip, display) == (32, 6)
        full[100, 33] = 1
        assert sent(chip, display) == (11, 3)
        full[6, 1] = 1
        full[121, 62] = 1
        assert sent(chip, display) == (1008, 24)
        chip.panel.clear_counters()
        display.brightness = 0.5
        assert (chip.panel.wire_bytes, chip.panel.transactions) == (5, 1)
        assert chip.panel.contrast == 127  # the core cuts off, 255 * 0.5 = 127.5

    def test_moved_by_its_own_width_is_one_area(self, chip: core.Chip) -> None:
        """TileGrid.c: one area when the union is at most twice the grid's size, else two."""
        import displayio

        display = open_display(chip)
        group = displayio.Group()
        tile = displayio.TileGrid(displayio.Bitmap(8, 8, 2), pixel_shader=two_colours(), y=8)
        group.append(tile)
        display.root_group = group
        display.refresh()
        tile.x = 8
        assert sent(chip, display) == (26, 3)
        tile.x = 17
        assert sent(chip, display) == (36, 6)

    def test_a_layer_removed_is_repainted_once(self, chip: core.Chip) -> None:
        import displayio

        display = open_display(chip)
        group = displayio.Group()
        tile = displayio.TileGrid(displayio.Bitmap(20, 8, 2), pixel_shader=two_colours(), x=20)
        tile.bitmap.fill(1)
        group.append(tile)
        display.root_group = group
        display.refresh()
        group.remove(tile)
        assert sent(chip, display) == (30, 3)
        assert not any(chip.panel.pixels())
        assert sent(chip, display) == (0, 0)

    def test_change_on_a_new_screen_is_not_sent_twice(self, chip: core.Chip) -> None:
        """Blinka kept the flags of what was touched before a full refresh; the core does not."""
        import displayio

        display = open_display(chip)
        display.root_group = displayio.Group()
        display.refresh()
        group = displayio.Group()
        grid = displayio.TileGrid(
            displayio.Bitmap(12, 8, 2),
            pixel_shader=two_colours(),
            width=4,
            tile_width=6,
            tile_height=8,
        )
        grid[2] = 1
        group.append(grid)
        display.root_group = group
        assert sent(chip, display)[0] == 1104
        assert sent(chip, display) == (0, 0)

    def test_appended_to_a_hidden_group_stays_hidden(self, chip: core.Chip) -> None:
        import displayio

        display = open_display(chip)
        root, inner = displayio.Group(), displayio.Group()
        root.append(inner)
        inner.hidden = True
        tile = displayio.TileGrid(displayio.Bitmap(8, 8, 2), pixel_shader=two_colours())
        tile.bitmap.fill(1)
        inner.append(tile)
        display.root_group = root
        display.refresh()
        assert not any(chip.panel.pixels())
        inner.hidden = False
        display.refresh()
        assert sum(chip.panel.pixels()) == 64


def random_scene(rng: random.Random) -> Any:
    """A tree of groups and grids with everything that changes how a pixel is found."""
    import displayio

    def grid() -> Any:
        tile_w, tile_h = rng.randint(1, 12), rng.randint(1, 12)
        columns, rows = rng.randint(1, 4), rng.randint(1, 3)
        values = rng.choice([2, 2, 3, 16, 256])
        bitmap = displayio.Bitmap(tile_w * columns, tile_h * rows, values)
        for y in range(bitmap.height):
            for x in range(bitmap.width):
                bitmap[x, y] = rng.randrange(min(values, 4))
        palette = displayio.Palette(max(values, 4))
        for index in range(4):
            palette[index] = rng.choice([0, 0xFFFFFF, 0x777777, 0x818181, 0x00FF00, 0xFF0000])
            if rng.random() < 0.3:
                palette.make_transparent(index)
        wide, high = rng.randint(1, 6), rng.randint(1, 4)
        made = displayio.TileGrid(
            bitmap,
            pixel_shader=palette,
            width=wide,
            height=high,
            tile_width=tile_w,
            tile_height=tile_h,
            x=rng.randint(-20, 120),
            y=rng.randint(-20, 60),
        )
        for at in range(wide * high):
            made[at] = rng.randrange(columns * rows)
        made.flip_x, made.flip_y = rng.random() < 0.3, rng.random() < 0.3
        made.transpose_xy = rng.random() < 0.3
        made.hidden = rng.random() < 0.1
        return made

    def group(depth: int) -> Any:
        made = displayio.Group(
            scale=rng.choice([1, 1, 2, 3]), x=rng.randint(-9, 9), y=rng.randint(-9, 9)
        )
        for _ in range(rng.randint(1, 4)):
            made.append(group(depth - 1) if depth and rng.random() < 0.4 else grid())
        return made

    return group(2)


def drawn_by_blinka(display: Any) -> bytes:
    """128 * 64 pixels by Blinka's own pixel loops, without this project's compositor."""
    from displayio._area import Area

    seen = bytearray(128 * 64)
    size = (display._core.area.x2, display._core.area.y2)
    assert size == (128, 64)
    for top in range(0, 64, 8):
        buffer = memoryview(bytearray(1024 // 8)).cast("I")
        mask = memoryview(bytearray(1024 // 8 + 4)).cast("I")
        display._core.fill_area(Area(0, top, 128, top + 8), mask, buffer)
        for x, column in enumerate(buffer.tobytes()):
            for y in range(8):
                seen[(top + y) * 128 + x] = column >> y & 1
    return bytes(seen)


@pytest.mark.parametrize("seed", range(12))
def test_compositor_draws_what_blinka_draws(chip: core.Chip, seed: int) -> None:
    rng = random.Random(seed)
    display = open_display(chip, rotation=rng.choice([0, 0, 180]))
    display.root_group = random_scene(rng)
    display.refresh()
    assert chip.panel.pixels() == drawn_by_blinka(display)


@pytest.mark.parametrize("seed", range(12))
def test_partial_refreshes_add_up_to_a_full_one(chip: core.Chip, seed: int) -> None:
    """Whatever is touched, in whatever order: the panel shows what a full repaint would."""
    import displayio

    rng = random.Random(seed)
    display = open_display(chip, rotation=rng.choice([0, 180]))
    root = random_scene(rng)
    display.root_group = root
    display.refresh()

    def leaves(group: Any) -> list[Any]:
        found = []
        for layer in group:
            found += leaves(layer) if isinstance(layer, displayio.Group) else [layer]
        return found

    for _ in range(25):
        for _ in range(rng.randint(1, 3)):
            grid = rng.choice(leaves(root) or [None])
            what = rng.randrange(8)
            if grid is None or what == 6:
                root.append(random_scene(rng))
            elif what == 0:
                grid[rng.randrange(grid.width * grid.height)] = 0
            elif what == 1:
                grid.x += rng.randint(-9, 9)
            elif what == 2:
                grid.hidden = not grid.hidden
            elif what == 3 and grid._tiles_in_bitmap > 1:  # one tile: see the next test
                grid.bitmap[rng.randrange(grid.bitmap.width), rng.randrange(grid.bitmap.height)] = 1
            elif what == 4:
                grid.pixel_shader[rng.randrange(4)] = rng.choice([0, 0xFFFFFF])
            elif what == 5 and len(root) > 1:
                root.pop(rng.randrange(len(root)))
            else:
                root.y += rng.randint(-3, 3)
        display.refresh()
        partly = chip.panel.pixels()
        display._core.full_refresh = True
        display.refresh()
        assert partly == chip.panel.pixels()


def test_repeated_tile_is_repainted_once_only(chip: core.Chip) -> None:
    """TileGrid.c takes a bitmap of one tile for the whole grid: copies beside it stay stale.

    A board shows that, so the PC has to.
    """
    import displayio

    display = open_display(chip)
    group = displayio.Group()
    bitmap = displayio.Bitmap(8, 8, 2)
    group.append(displayio.TileGrid(bitmap, pixel_shader=two_colours(), width=4))
    display.root_group = group
    display.refresh()
    bitmap[0, 0] = 1
    assert sent(chip, display) == (11, 3)
    assert sum(chip.panel.pixels()) == 1


@pytest.mark.parametrize("rotation", [90, 270])
def test_upright_panels(chip: core.Chip, rotation: int) -> None:
    import displayio

    display = open_display(chip)
    display.rotation = rotation
    assert (display.width, display.height) == (64, 128)
    group = displayio.Group()
    group.append(displayio.TileGrid(displayio.Bitmap(1, 1, 2), pixel_shader=two_colours()))
    group[0].bitmap[0, 0] = 1
    display.root_group = group
    display.refresh()
    lit = [(i % 128, i // 128) for i, bit in enumerate(chip.panel.pixels()) if bit]
    assert lit == [(127, 0) if rotation == 90 else (0, 63)]


class TestFont:
    """An English build has printable ASCII only, all glyphs 6x12 in one strip, offsets 0."""

    def test_no_suits(self, chip: core.Chip) -> None:
        import terminalio

        for character in "♠♥♦♣→É\x7f":
            assert terminalio.FONT.get_glyph(ord(character)) is None
        assert terminalio.FONT.get_bounding_box() == (6, 12)

    def test_glyphs_are_tiles_of_the_strip(self, chip: core.Chip) -> None:
        import displayio
        import terminalio

        font = terminalio.FONT
        assert isinstance(font.bitmap, displayio.Bitmap)
        assert (font.bitmap.width, font.bitmap.height) == (95 * 6, 12)
        glyph = font.get_glyph(ord("L"))
        assert glyph.tile_index == ord("L") - 0x20 and glyph.bitmap is font.bitmap
        assert (glyph.width, glyph.height, glyph.dx, glyph.dy) == (6, 12, 0, 0)
        rows = [
            "".join(" #"[font.bitmap[glyph.tile_index * 6 + x, y]] for x in range(6))
            for y in range(12)
        ]
        # Terminus: a stem of eight rows from the third on, a foot of five columns
        assert rows[2:10] == ["#     "] * 7 + ["##### "]
        assert {"".join(rows[:2]), "".join(rows[10:])} == {" " * 12}

    def test_the_strip_is_read_only(self, chip: core.Chip) -> None:
        import terminalio

        with pytest.raises(RuntimeError, match="Read-only"):
            terminalio.FONT.bitmap[0, 0] = 1

    def test_label_without_suits_shows_nothing_for_them(self, chip: core.Chip) -> None:
        import terminalio
        from adafruit_display_text import label

        assert len(label.Label(terminalio.FONT, text="A♥")) == 1


class TestChecksOfTheBoard:
    """What raises on a board must not pass on the PC."""

    def test_tiles(self, chip: core.Chip) -> None:
        import displayio

        grid = displayio.TileGrid(
            displayio.Bitmap(16, 8, 2),
            pixel_shader=two_colours(),
            width=3,
            tile_width=8,
            tile_height=8,
        )
        with pytest.raises(ValueError, match="tile must be 0-1"):
            grid[0] = 2
        with pytest.raises(IndexError):
            grid[3, 0] = 0
        with pytest.raises(IndexError):
            grid[0, 1] = 0

    def test_pixels(self, chip: core.Chip) -> None:
        import displayio

        bitmap = displayio.Bitmap(10, 5, 2)
        with pytest.raises(IndexError, match="x must be 0-9"):
            bitmap[10, 0] = 1
        with pytest.raises(IndexError, match="y must be 0-4"):
            bitmap[0, 5] = 1
        with pytest.raises(ValueError, match="value must be 0-1"):
            bitmap[0, 0] = 2

    def test_missing_panel(self, chip: core.Chip) -> None:
        chip.panel_there = False
        with pytest.raises(ValueError, match="Unable to find I2C Display at 3c"):
            open_display(chip)

    def test_panel_that_falls_off_is_only_dark(self, chip: core.Chip) -> None:
        import displayio

        display = open_display(chip)
        display.root_group = displayio.Group()
        chip.panel_there = False
        chip.panel.clear_counters()
        assert display.refresh() is True
        assert chip.panel.wire_bytes == 0

    def test_one_display_at_a_time(self, chip: core.Chip) -> None:
        import displayio

        open_display(chip)
        with pytest.raises(ValueError, match="GP5 in use"):
            open_display(chip)
        displayio.release_displays()
        with pytest.raises(ValueError, match="GP5 in use"):  # it is not displayio's own to free
            open_display(chip)

    def test_released_fourwire_frees_its_own_pins_and_not_the_bus(self, chip: core.Chip) -> None:
        import busio
        import displayio
        import fourwire

        spi = busio.SPI(chip.pins[18], chip.pins[19])
        for _ in range(2):
            fourwire.FourWire(spi, command=chip.pins[20], chip_select=chip.pins[17])
            displayio.release_displays()
        with pytest.raises(ValueError, match="GP18 in use"):
            busio.SPI(chip.pins[18], chip.pins[19])


def test_driver_sends_only_one_unknown_command(chip: core.Chip) -> None:
    """0x20 0x20 is the SSD1306's addressing mode; an SH1106 has no such command and ignores it."""
    open_display(chip)
    assert chip.panel.unknown == {0x20: 2}
    assert chip.panel.on and chip.panel.segment_flip and chip.panel.common_flip


def test_no_thread_of_blinka_is_left(chip: core.Chip) -> None:
    import displayio

    assert not displayio.background_thread.is_alive()


class TestFeatherWing:
    """SH1107 on its side, with the Adafruit driver as it is meant to be used there."""

    @pytest.fixture
    def display(self) -> Iterator[Any]:
        from host_sim.chip.profiles import PROFILES
        from host_sim.panel import FeatherWing

        driver = pytest.importorskip("adafruit_displayio_sh1107")
        with bare_chip(profile=PROFILES["feather"], panel=FeatherWing()) as chip:
            import busio
            import i2cdisplaybus

            i2c = busio.I2C(chip.pins[3], chip.pins[2], frequency=400_000)
            bus = i2cdisplaybus.I2CDisplayBus(i2c, device_address=0x3C)
            yield driver.SH1107(bus, width=128, height=64, auto_refresh=False)

    def test_pixels_where_they_belong(self, display: Any) -> None:
        import displayio

        bitmap = displayio.Bitmap(128, 64, 2)
        dots = {(0, 0), (127, 63), (1, 0), (9, 5), (64, 31), (100, 63)}
        for x, y in dots:
            bitmap[x, y] = 1
        group = displayio.Group()
        group.append(displayio.TileGrid(bitmap, pixel_shader=two_colours()))
        display.root_group = group
        display.refresh()
        panel = core.current().panel
        assert {(i % 128, i // 128) for i, bit in enumerate(panel.pixels()) if bit} == dots
        assert not panel.unknown

    def test_partial_refresh(self, display: Any) -> None:
        import displayio

        group = displayio.Group()
        tile = displayio.TileGrid(displayio.Bitmap(6, 8, 2), pixel_shader=two_colours(), x=50, y=20)
        group.append(tile)
        display.root_group = group
        display.refresh()
        tile.bitmap.fill(1)
        display.refresh()
        seen = core.current().panel.pixels()
        lit = {(i % 128, i // 128) for i, bit in enumerate(seen) if bit}
        assert lit == {(50 + i, 20 + j) for i in range(6) for j in range(8)}


def test_a_banner_where_there_is_no_room_for_its_library(
    chip: core.Chip, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From source the library of labels needs 31 KB to be compiled; with less the word is made of cells,
    as wide and on the same line."""
    import handheld
    from handheld.screen import Screen

    screen = Screen(open_display(chip))
    shown = []
    for free in (1 << 20, 40_000):
        monkeypatch.setattr(handheld, "free", lambda free=free: free)
        for name in [name for name in sys.modules if name.startswith("adafruit_display_text")]:
            monkeypatch.delitem(sys.modules, name)
        screen.text("PITCH")
        screen.refresh()
        lit = [(i % 128, i // 128) for i, bit in enumerate(chip.panel.pixels()) if bit]
        columns, rows = {x for x, _ in lit}, {y for _, y in lit}
        shown.append((min(columns), max(columns), max(rows)))
        assert min(rows) >= 8 and max(rows) < 32
        assert any("display_text" in name for name in sys.modules) == (free > 40_000)
    assert shown[0] == shown[1]
