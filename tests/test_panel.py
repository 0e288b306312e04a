"""The SH1106 model against its datasheet, by hand-made byte streams on both buses."""

import pytest

from host_sim.panel import COLUMNS, HEIGHT, WIDTH, Panel

UPRIGHT = bytes([0x80, 0xA1, 0x80, 0xC8, 0x80, 0xAF])


@pytest.fixture
def panel() -> Panel:
    made = Panel()
    made.i2c_write(UPRIGHT)
    return made


def lit(panel: Panel) -> set[tuple[int, int]]:
    return {(i % WIDTH, i // WIDTH) for i, bit in enumerate(panel.pixels()) if bit}


def test_dark_and_asleep_after_power_on() -> None:
    panel = Panel()
    panel.power_on(7)
    assert not panel.on and panel.contrast == 0x80
    assert any(panel.ram) and not any(panel.pixels())


def test_first_visible_pixel_is_column_2(panel: Panel) -> None:
    panel.i2c_write(bytes([0x80, 0x02, 0x80, 0x10]))
    panel.i2c_write(bytes([0x80, 0xB0]))
    panel.i2c_write(bytes([0x40, 0x01]))
    assert lit(panel) == {(0, 0)}
    assert panel.column == 3 and panel.page == 0


def test_last_visible_pixel(panel: Panel) -> None:
    panel.i2c_write(bytes([0x80, 0x01, 0x80, 0x18, 0x80, 0xB7, 0xC0, 0x80]))  # column 129
    assert lit(panel) == {(127, 63)}


def test_column_stops_behind_the_last_one_and_page_stays(panel: Panel) -> None:
    panel.i2c_write(bytes([0x00, 0x02, 0x18, 0xB3]))  # column 130
    panel.i2c_write(bytes([0x40, 0xFF, 0xFF, 0xFF, 0xFF]))
    assert panel.page == 3
    assert sum(1 for byte in panel.ram if byte == 0xFF) == 2
    assert panel.data_bytes == 4 and not lit(panel)


def test_one_byte_at_a_time_is_the_same() -> None:
    stream = [UPRIGHT, b"\x00\x05\x14\xb2", b"\x40\x0f\xf0\xaa", b"\x80\x81\x80\x33\xc0\x55", b""]
    whole, single = Panel(), Panel()
    for payload in stream:
        whole.i2c_write(payload)
        single.i2c_start()
        for byte in payload:
            single.i2c_byte(byte)
    assert whole.__dict__.keys() == single.__dict__.keys()
    a, b = whole.__dict__ | {"changes": 0}, single.__dict__ | {"changes": 0}
    assert a == b
    assert whole.ram[2 * COLUMNS + 0x45 : 2 * COLUMNS + 0x49] == bytes([0x0F, 0xF0, 0xAA, 0x55])
    assert whole.contrast == 0x33


def test_spi_is_the_same_picture(panel: Panel) -> None:
    other = Panel()
    for byte in (0xA1, 0xC8, 0xAF, 0x02, 0x10, 0xB4):
        other.spi(byte, False)
    other.spi(0x81, True)
    other.spi_write(b"\x42\x24", True)
    panel.i2c_write(b"\x00\x02\x10\xb4")
    panel.i2c_write(b"\x40\x81\x42\x24")
    assert other.pixels() == panel.pixels()
    assert other.wire_bytes == 9 and other.data_bytes == 3 and other.command_bytes == 6


def test_flips_mirror_about_the_glass(panel: Panel) -> None:
    panel.i2c_write(b"\x00\x02\x10\xb0")
    panel.i2c_write(b"\x40\x01")
    panel.i2c_write(b"\x80\xa0")
    assert lit(panel) == {(127, 0)}
    panel.i2c_write(b"\x80\xc0")
    assert lit(panel) == {(127, 63)}
    panel.i2c_write(b"\x80\xa1")
    assert lit(panel) == {(0, 63)}


def test_start_line_scrolls_and_wraps(panel: Panel) -> None:
    panel.i2c_write(b"\x00\x02\x10\xb0")
    panel.i2c_write(b"\x40\x01")
    panel.i2c_write(b"\x80\x48")  # start line 8: row 8 is on top, row 0 comes 56 lines below
    assert lit(panel) == {(0, 56)}


def test_inverse_all_on_and_sleep(panel: Panel) -> None:
    panel.i2c_write(b"\x80\xa7")
    assert len(lit(panel)) == WIDTH * HEIGHT
    panel.i2c_write(b"\x80\xa6")
    assert not lit(panel)
    panel.i2c_write(b"\x80\xa5")
    assert len(lit(panel)) == WIDTH * HEIGHT
    panel.i2c_write(b"\x80\xae")
    assert not lit(panel)


def test_ram_can_be_written_asleep(panel: Panel) -> None:
    panel.i2c_write(b"\x80\xae")
    panel.i2c_write(b"\x00\x02\x10\xb0")
    panel.i2c_write(b"\x40\x80")
    panel.i2c_write(b"\x80\xaf")
    assert lit(panel) == {(0, 7)}


def test_second_bytes_are_not_commands(panel: Panel) -> None:
    panel.i2c_write(b"\x80\x81\x80\xae")  # contrast 0xAE, not sleep
    assert panel.on and panel.contrast == 0xAE
    panel.i2c_write(b"\x80\xd5")  # the second byte may come in a transaction of its own
    panel.i2c_write(b"\x80\xa5")
    assert not panel.all_on and panel.registers["clock"] == 0xA5


def test_read_modify_write_returns_the_column(panel: Panel) -> None:
    panel.i2c_write(b"\x00\x09\x10\xe0")
    panel.i2c_write(b"\x40\x01\x02")
    panel.i2c_write(b"\x80\xee")
    assert panel.column == 9


def test_unknown_commands_and_control_bytes_are_reported(panel: Panel) -> None:
    panel.i2c_write(b"\x00\x20\x20\xf5")
    panel.i2c_write(b"\x41\x00")
    assert panel.unknown == {0x20: 2, 0xF5: 1}
    assert panel.bad_control == 1


def test_wire_bytes_of_a_full_frame(panel: Panel) -> None:
    """SH1106 on I2C: 24 transactions and 1104 bytes, address bytes included."""
    panel.clear_counters()
    for page in range(8):
        panel.i2c_write(b"\x80\x10\x80\x02")
        panel.i2c_write(bytes([0x80, 0xB0 | page]))
        panel.i2c_write(b"\x40" + bytes(128))
    assert (panel.wire_bytes, panel.transactions, panel.data_bytes) == (1104, 24, 1024)


def test_picture_and_text(panel: Panel) -> None:
    panel.i2c_write(b"\x00\x02\x10\xb0")
    panel.i2c_write(b"\x40\x01\x02\x03")
    lines = panel.text()
    assert len(lines) == 32 and all(len(line) == 128 for line in lines)
    assert lines[0][:4] == "▀▄█ "
    image = panel.image(4)
    assert image.size == (512, 256)
    assert image.getpixel((3, 3)) == 255 and image.getpixel((4, 3)) == 0


def test_hook_sees_each_write() -> None:
    calls: list[int] = []
    seen = Panel(lambda: calls.append(seen.changes))
    seen.i2c_write(UPRIGHT)
    seen.i2c_write(b"\x40\x00")
    assert calls == [3, 3]  # a byte that changes nothing is a write all the same
