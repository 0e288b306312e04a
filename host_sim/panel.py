"""SH1106 and SH1107 panels: every byte of either bus goes in, the picture that a viewer sees comes out.

One model for the simulated board and for the emulated one; imports nothing of the project.
Source of commands, addressing and power-on values: Sino Wealth's SH1106 datasheet, version 2.3; the
SH1107 is modelled as far as the Adafruit driver for it goes.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from PIL import Image

WIDTH = 128
HEIGHT = 64
COLUMNS = 132  # the controller's RAM is wider than the glass
PAGES = 8
COLUMN_OFFSET = 2  # 1.3" modules wire the middle 128 of the 132 segments

# Commands that take one more byte -> name of the register it goes to.
_TWO_BYTES = {
    0x81: "contrast",
    0xA8: "multiplex",
    0xAD: "converter",
    0xD3: "offset",
    0xD5: "clock",
    0xD9: "precharge",
    0xDA: "pads",
    0xDB: "vcom",
}
_POWER_ON = {
    "contrast": 0x80,
    "multiplex": 0x3F,
    "converter": 0x8B,
    "offset": 0x00,
    "clock": 0x50,
    "precharge": 0x22,
    "pads": 0x12,
    "vcom": 0x35,
}
_READ_MODIFY_WRITE = 0xE0
_END = 0xEE
_NOP = 0xE3

_BIT = [bytes(value >> bit & 1 for value in range(256)) for bit in range(8)]
_NOT = bytes([1, 0])
_GREY = bytes([0, 255]) + bytes(254)
_HALVES = " ▄▀█"  # index: upper * 2 + lower


class Panel:
    """An SH1106 with 128x64 pixels of glass, upright when segments and commons are both flipped.

    That is how the usual modules are mounted, and what the Adafruit driver (0xA1, 0xC8) expects.
    """

    columns = COLUMNS
    pages = PAGES
    second = _TWO_BYTES
    power_on_values = _POWER_ON

    ram: bytearray
    """columns * pages bytes, page after page; bit 0 of a byte is the page's top row."""
    column: int
    """Where the next data byte goes, 0..columns. It stops behind the last column: data is lost there."""
    page: int
    on: bool
    """False after power-on and after 0xAE (sleep: the glass is dark, RAM can be written)."""
    inverse: bool
    all_on: bool
    segment_flip: bool
    """0xA1; False after power-on."""
    common_flip: bool
    """0xC8; False after power-on."""
    start_line: int
    registers: dict[str, int]
    """Last value of each command that takes a second byte, `contrast` among them."""

    data_bytes: int
    command_bytes: int
    """Command bytes, second bytes included."""
    wire_bytes: int
    """All bytes on the bus. I2C: address and control bytes included; SPI: as clocked."""
    transactions: int
    """I2C: starts. Not counted on SPI, where the chip select is not modelled."""
    changes: int
    """Grows when a byte changed what is in RAM or how it is shown."""
    unknown: dict[int, int]
    """Commands that an SH1106 does not have: value -> how often."""
    bad_control: int
    """I2C control bytes with a bit set that has to be 0."""

    def __init__(self, on_write: Callable[[], None] | None = None) -> None:
        """`on_write` is called after each write: an I2C payload, or a byte of a byte-wise bus."""
        self.on_write = on_write
        self.ram = bytearray(self.columns * self.pages)
        self.clear_counters()
        self.reset()

    def clear_counters(self) -> None:
        """All counters to 0; the picture stays."""
        self.data_bytes = self.command_bytes = self.wire_bytes = 0
        self.transactions = self.changes = self.bad_control = 0
        self.unknown = {}

    def reset(self) -> None:
        """The RES pin: registers as after power-on. RAM keeps what it holds, as on the chip."""
        self.column = self.page = self.start_line = 0
        self.on = self.inverse = self.all_on = False
        self.segment_flip = self.common_flip = False
        self.registers = dict(self.power_on_values)
        self._second = ""  # register that the next command byte goes to
        self._saved = -1  # column at the start of read-modify-write
        self._control = 0  # I2C: the control byte in force, 0 when one is due
        self._rest = False  # I2C: everything up to the next start is data or commands

    def power_on(self, seed: int = 0) -> None:
        """Reset with RAM full of noise: a program that does not repaint everything shows it."""
        self.reset()
        self.ram[:] = random.Random(seed).randbytes(len(self.ram))

    @property
    def contrast(self) -> int:
        """0..255."""
        return self.registers["contrast"]

    # -- bytes, whatever the bus ------------------------------------------------------------

    def command(self, byte: int) -> None:
        """One command byte, or the second byte of the command before."""
        self.command_bytes += 1
        if self._second:
            if self.registers[self._second] != byte:
                self.registers[self._second] = byte
                self.changes += 1
            self._second = ""
        elif byte < 0x10:
            self.column = self.column & 0xF0 | byte
        elif byte < 0x20:
            self.column = (byte & 0x0F) << 4 | self.column & 0x0F
        elif 0x30 <= byte < 0x34:  # charge pump voltage
            pass
        elif 0x40 <= byte < 0x80:
            self._show("start_line", byte & 0x3F)
        elif byte in self.second:
            self._second = self.second[byte]
        elif byte & 0xFE == 0xA0:
            self._show("segment_flip", byte == 0xA1)
        elif byte & 0xFE == 0xA4:
            self._show("all_on", byte == 0xA5)
        elif byte & 0xFE == 0xA6:
            self._show("inverse", byte == 0xA7)
        elif byte & 0xFE == 0xAE:
            self._show("on", byte == 0xAF)
        elif 0xB0 <= byte < 0xB0 + self.pages:
            self.page = byte & 0x0F
        elif 0xC0 <= byte < 0xD0:
            self._show("common_flip", byte >= 0xC8)
        elif byte == _READ_MODIFY_WRITE:
            self._saved = self.column
        elif byte == _END:
            if self._saved >= 0:
                self.column = self._saved
            self._saved = -1
        elif byte != _NOP:
            self.unknown[byte] = self.unknown.get(byte, 0) + 1

    def _show(self, name: str, value: int | bool) -> None:
        if getattr(self, name) != value:
            setattr(self, name, value)
            self.changes += 1

    def data(self, byte: int) -> None:
        """One byte into RAM; the column moves on, the page never does."""
        self.data_bytes += 1
        if self.column < self.columns:
            at = self.page * self.columns + self.column
            if self.ram[at] != byte:
                self.ram[at] = byte
                self.changes += 1
            self.column += 1

    def _data_run(self, run: bytes | bytearray | memoryview) -> None:
        """As `data` for each byte, in one go."""
        self.data_bytes += len(run)
        fits = max(0, min(len(run), self.columns - self.column))
        at = self.page * self.columns + self.column
        new = bytes(run[:fits])
        if self.ram[at : at + fits] != new:
            self.ram[at : at + fits] = new
            self.changes += 1
        self.column += fits

    # -- buses ------------------------------------------------------------------------------

    def i2c_write(self, payload: bytes | bytearray | memoryview) -> None:
        """One I2C transaction: what follows the address byte. Nothing at all is a probe."""
        self._begin()
        self.wire_bytes += len(payload)
        at = 0
        while at < len(payload):
            if self._rest and self._control & 0x40:
                self._data_run(payload[at:])
                break
            self._i2c(payload[at])
            at += 1
        if self.on_write is not None:
            self.on_write()

    def i2c_read(self, count: int) -> bytes:
        """One I2C transaction that reads `count` bytes."""
        self._begin()
        return bytes(self.i2c_status() for _ in range(count))

    def i2c_start(self) -> None:
        """A start with the panel's address, which counts as a byte on the wire."""
        self._begin()

    def i2c_byte(self, byte: int) -> None:
        """The next byte after the address, control bytes included."""
        self.wire_bytes += 1
        self._i2c(byte)
        if self.on_write is not None:
            self.on_write()

    def i2c_status(self) -> int:
        """The next byte of a read, always the status: bit 6 is set while the glass is off (command 25)."""
        self.wire_bytes += 1
        return 0 if self.on else 0x40

    def _begin(self) -> None:
        self.transactions += 1
        self.wire_bytes += 1
        self._control = 0
        self._rest = False

    def _i2c(self, byte: int) -> None:
        # Control byte: bit 7 = only one byte follows, bit 6 = it is data, the others 0.
        if not self._control and not self._rest:
            if byte & 0x3F:
                self.bad_control += 1
            self._control = byte
            self._rest = not byte & 0x80
            return
        if self._control & 0x40:
            self.data(byte)
        else:
            self.command(byte)
        if not self._rest:
            self._control = 0

    def spi(self, byte: int, dc: bool) -> None:
        """One byte on SPI; `dc` is the data/command pin: True is data."""
        self.wire_bytes += 1
        if dc:
            self.data(byte)
        else:
            self.command(byte)
        if self.on_write is not None:
            self.on_write()

    def spi_write(self, payload: bytes | bytearray | memoryview, dc: bool) -> None:
        """As `spi` for each byte, in one go; `on_write` is called once."""
        self.wire_bytes += len(payload)
        if dc:
            self._data_run(payload)
        else:
            for byte in payload:
                self.command(byte)
        if self.on_write is not None:
            self.on_write()

    # -- pictures ---------------------------------------------------------------------------

    def pixels(self) -> bytes:
        """128 * 64 bytes of 0 or 1, row after row, as a viewer sees them."""
        if not self.on:
            return bytes(WIDTH * HEIGHT)
        if self.all_on:
            return bytes([1]) * (WIDTH * HEIGHT)
        seen = self._lit()
        return seen.translate(_NOT + bytes(254)) if self.inverse else seen

    def _lit(self) -> bytes:
        """What is lit of what is in RAM, as a viewer sees it."""
        rows = []
        for y in range(HEIGHT):
            line = y if self.common_flip else HEIGHT - 1 - y
            if line > self.registers["multiplex"] & 0x3F:
                rows.append(bytes(WIDTH))
                continue
            row = (line + self.start_line + self.registers["offset"]) % HEIGHT
            at = (row >> 3) * self.columns + COLUMN_OFFSET
            lit = self.ram[at : at + WIDTH].translate(_BIT[row & 7])
            if not self.segment_flip:
                lit.reverse()
            rows.append(bytes(lit))
        return b"".join(rows)

    def image(self, scale: int = 4) -> Image.Image:
        """The picture in grey levels (0 or 255), each pixel `scale` by `scale`."""
        image = Image.frombytes("L", (WIDTH, HEIGHT), self.pixels().translate(_GREY))
        if scale == 1:
            return image
        return image.resize((WIDTH * scale, HEIGHT * scale), Image.Resampling.NEAREST)

    def text(self) -> list[str]:
        """32 lines of 128 half-block characters, two rows of pixels in each line."""
        seen = self.pixels()
        lines = []
        for top in range(0, WIDTH * HEIGHT, 2 * WIDTH):
            upper = seen[top : top + WIDTH]
            lower = seen[top + WIDTH : top + 2 * WIDTH]
            lines.append("".join(_HALVES[2 * u + v] for u, v in zip(upper, lower, strict=True)))
        return lines


class FeatherWing(Panel):
    """An SH1107 with 64x128 pixels of glass, mounted on its side: Adafruit's FeatherWing 4650.

    A page is 8 columns of what the viewer sees, from the left; RAM columns 0..63 are its rows from
    the bottom. The wing's 64 lines are wired from common 0x60 on. As the Adafruit driver has it with
    rotation 90; segment and common flips are not modelled (that driver sets neither).
    """

    columns = 128
    pages = 16
    second = _TWO_BYTES | {0xDC: "start"}
    power_on_values = _POWER_ON | {"multiplex": 0x7F, "start": 0x00}
    lines_from = 0x60

    def command(self, byte: int) -> None:
        """As an SH1106, but it has two addressing modes, 0x20 (by page) and 0x21 (not modelled)."""
        if byte == 0x20 and not self._second:
            self.command_bytes += 1
            return
        super().command(byte)

    def _lit(self) -> bytes:
        registers = self.registers
        wrong = registers["offset"] != self.lines_from or registers["multiplex"] & 0x7F != 63
        if wrong or self.segment_flip or self.common_flip or registers["start"]:
            return bytes(WIDTH * HEIGHT)  # shifted or torn glass: nothing that can be read
        seen = bytearray(WIDTH * HEIGHT)
        for x in range(WIDTH):
            at = (x >> 3) * self.columns
            seen[x::WIDTH] = self.ram[at : at + HEIGHT][::-1].translate(_BIT[x & 7])
        return bytes(seen)
