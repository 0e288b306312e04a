"""The emulated board without an image: buses and flash on rp2040py's own chip, scripts, JSON.

What needs real firmware is in test_board.py.
"""

from __future__ import annotations

import io
import json
import shutil
import struct
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner
from pyfatfs.PyFat import PyFat

from host_sim import drive, emulate, fat, pico, script
from host_sim.panel import Panel

IO_BANK0, PADS, SIO, I2C0, SPI0, SSI = (
    0x40014000,
    0x4001C000,
    0xD0000000,
    0x40044000,
    0x4003C000,
    0x18000000,
)
OUT_SET, OUT_CLR, OE_SET, OE_CLR = SIO + 0x14, SIO + 0x18, SIO + 0x24, SIO + 0x28


# -- the FAT12 image ----------------------------------------------------------------------------

FILES = {
    "code.py": b"print(1)\n",
    "empty.txt": b"",
    "lib/adafruit_displayio_sh1106.mpy": bytes(range(256)) * 40,
    "lib/handheld/screen.py": b"x" * 1025,
    "pitch/app/a_name_that_is_longer_than_eight_and_three.py": b"y" * 512,
}


def read_image(path: Path) -> dict[str, bytes]:
    """All files of an image, as another program's FAT code reads them, names in lower case.

    pyfatfs does not know the bits with which FatFs marks a short name as all lower case.
    """
    volume = PyFat()
    volume.open(str(path), read_only=True)
    assert volume.fat_type == PyFat.FAT_TYPE_FAT12
    assert volume.bpb_header["BPB_BytsPerSec"] == 512
    found = {}
    for folder, _, names in volume.root_dir.walk():
        for entry in names:
            data = b"".join(
                volume.read_cluster_contents(cluster)
                for cluster in volume.get_cluster_chain(entry.get_cluster())
                if entry.filesize
            )
            name = f"{folder}/{entry}".strip("/").lower()
            found[name] = data[: entry.filesize]
    volume.close()
    return found


@pytest.mark.parametrize("size", [1 << 20, 2 << 20])
def test_another_fat_reader_finds_every_file(tmp_path: Path, size: int) -> None:
    image = fat.build(FILES, size)
    assert len(image) == size
    (tmp_path / "x.img").write_bytes(image)
    assert read_image(tmp_path / "x.img") == FILES


@pytest.mark.skipif(shutil.which("mcopy") is None, reason="mtools are not installed")
def test_mtools_find_every_file(tmp_path: Path) -> None:
    (tmp_path / "x.img").write_bytes(fat.build(FILES, 2 << 20))
    out = tmp_path / "out"
    out.mkdir()
    subprocess.run(["mcopy", "-s", "-n", "-i", tmp_path / "x.img", "::*", out], check=True)
    read = {p.relative_to(out).as_posix(): p.read_bytes() for p in out.rglob("*") if p.is_file()}
    assert read == FILES


@pytest.mark.parametrize(
    ("files", "size", "words"),
    [
        ({"a": bytes(1 << 20)}, 1 << 20, "a does not fit on a drive of 1024 KB."),
        ({"a?": b""}, 1 << 20, "cannot be made"),
        ({"é": b""}, 1 << 20, "cannot be made"),
        ({}, 16 << 20, "A FAT12 drive of 16777216 bytes cannot be made."),  # FAT16 by its size
    ],
)
def test_what_cannot_be_an_image(files: dict[str, bytes], size: int, words: str) -> None:
    for _ in range(12):  # FatFs has ten drive letters, and each has to be given back
        with pytest.raises(fat.FatError, match=words):
            fat.build(files, size)


# -- the chip with nothing running on it --------------------------------------------------------


def uf2(blocks: dict[int, bytes]) -> bytes:
    """A UF2 with these 256-byte blocks: address -> contents (github.com/microsoft/uf2)."""
    out = b""
    for number, (address, data) in enumerate(blocks.items()):
        head = struct.pack("<8I", 0x0A324655, 0x9E5D5157, 0x2000, address, 256, number, 1, 0)
        out += head + data.ljust(256, b"\0") + bytes(220) + struct.pack("<I", 0x0AB16F30)
    return out


@pytest.fixture
def image(tmp_path: Path) -> Path:
    """An image whose whole program is an endless loop (Thumb `b .`)."""
    path = tmp_path / "loop.uf2"
    path.write_bytes(uf2({0x10000000: b"\xfe\xe7"}))
    return path


@pytest.fixture
def board(image: Path) -> pico.Pico:
    made = pico.Pico(image, {"code.py": b"pass\n"})
    made.power_on()
    return made


def test_flash_holds_firmware_drive_and_blank_nvm(image: Path, tmp_path: Path) -> None:
    made = pico.Pico(image, FILES, nvm=b"\x01\x02")
    assert made.flash[:2] == b"\xfe\xe7" and made.flash[256:512] == b"\xff" * 256
    assert made.nvm == b"\x01\x02" + b"\xff" * 4094
    (tmp_path / "drive.img").write_bytes(made.flash[0x100000:])
    assert read_image(tmp_path / "drive.img") == FILES


def test_emulated_time_is_exact(board: pico.Pico) -> None:
    for ms in (1.0, 0.25, 10.0):
        before = board.ms
        board.run(ms)
        assert board.ms - before == pytest.approx(ms, abs=1e-4)
    assert board.run_until(lambda: board.ms >= 15, 100, 0.5) and board.ms < 15.6
    assert not board.run_until(lambda: False, 2)


def test_a_pending_interrupt_ends_sleep_at_once(tmp_path: Path) -> None:
    """ARMv6-M: WFI does not wait where an interrupt is pending, masked or not. On rp2040py alone the
    program under test slept for ever where a timer fired just before it."""
    path = tmp_path / "sleep.uf2"
    path.write_bytes(uf2({0x10000000: bytes.fromhex("72b6 30bf fee7")}))  # cpsid i; wfi; b .
    made = pico.Pico(path)
    made.power_on()
    core = made.mcu.core
    core.enabled_interrupts = core.pending_interrupts = 1
    made.run(1)
    assert not core.waiting and core.pc & ~1 == 0x10000004


def test_a_console_with_nothing_to_say_is_silent(board: pico.Pico) -> None:
    """An empty packet every 10 us kept the program from sleeping and took a third of its time."""
    usb, cdc = board.mcu.usb_ctrl, board._device.cdc  # type: ignore[union-attr]
    cdc._out_endpoint = 2
    answered: list[int] = []

    def done(endpoint: int, buffer: bytes | bytearray, delay: int | None = None) -> None:
        answered.append(len(buffer))

    usb.endpoint_read_done = done  # type: ignore[method-assign]
    assert usb.on_endpoint_read is not None
    usb.on_endpoint_read(2, 64)
    assert answered == []
    cdc.tx_fifo.push(65)
    usb.on_endpoint_read(2, 64)
    assert answered == [1]


def test_a_bus_block_put_into_reset_is_free_again(board: pico.Pico) -> None:
    """CircuitPython looks at its enable bit before it takes it: a panel plugged in again was refused."""
    board.mcu.write_uint32(I2C0 + IC_ENABLE, 1)
    assert board.mcu.read_uint32(I2C0 + IC_ENABLE) == 1
    resets = 0x4000C000
    board.mcu.write_uint32(resets, 1 << 3)
    board.mcu.write_uint32(resets, 0)
    assert board.mcu.read_uint32(I2C0 + IC_ENABLE) == 0


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is not a whole UF2 image"),
        (b"x" * 511, "is not a whole UF2 image"),
        (b"x" * 512, "is not a UF2 image for a Pico"),
        (uf2({0x20000000: b""}), "is not a UF2 image for a Pico"),
        (uf2({0x10000000 + (2 << 20): b""}), "is not a UF2 image for a Pico"),
    ],
)
def test_what_is_no_image(tmp_path: Path, content: bytes, words: str) -> None:
    (tmp_path / "x.uf2").write_bytes(content)
    with pytest.raises(pico.FirmwareError, match=words):
        pico.Pico(tmp_path / "x.uf2")
    with pytest.raises(pico.FirmwareError, match="no such file"):
        pico.Pico(tmp_path / "y.uf2")


# The I2C block: registers as in the RP2040 datasheet, section 4.3.17.
IC_CON, IC_TAR, IC_DATA_CMD, IC_FS_HCNT, IC_FS_LCNT, IC_ABRT, IC_ENABLE = (
    0x00,
    0x04,
    0x10,
    0x1C,
    0x20,
    0x80,
    0x6C,
)
STOP = 1 << 9


def i2c_setup(board: pico.Pico, address: int = 0x3C) -> None:
    """Fast mode, 400 kHz as pico-sdk sets it: 312 clocks of 125 MHz a bit."""
    mcu = board.mcu
    mcu.write_uint32(I2C0 + IC_ENABLE, 0)
    mcu.write_uint32(I2C0 + IC_CON, 1 << 0 | 2 << 1 | 1 << 5 | 1 << 6)
    mcu.write_uint32(I2C0 + IC_TAR, address)
    mcu.write_uint32(I2C0 + IC_FS_HCNT, 312 - 187)
    mcu.write_uint32(I2C0 + IC_FS_LCNT, 187)
    mcu.write_uint32(I2C0 + IC_ENABLE, 1)


def i2c_send(board: pico.Pico, payload: bytes) -> int:
    """One transaction; the abort register afterwards (0: all acknowledged)."""
    for at, byte in enumerate(payload):
        last = STOP if at == len(payload) - 1 else 0
        board.mcu.write_uint32(I2C0 + IC_DATA_CMD, byte | last)
        board.run(0.1)
    return board.mcu.read_uint32(I2C0 + IC_ABRT)


# What the driver sends for "on, upright, first column of page 3, three bytes".
STREAM = [
    b"\x80\xaf\x80\xa1\x80\xc8",
    b"\x00\x02\x10\xb3",
    b"\x40\x01\x80\xff",
    b"\x80\x81\x80\x10",
]


def test_bytes_through_the_i2c_block_are_the_model_s_own(board: pico.Pico) -> None:
    direct = Panel()
    direct.ram[:] = board.panel.ram
    i2c_setup(board)
    for payload in STREAM:
        direct.i2c_write(payload)
        assert i2c_send(board, payload) == 0
    assert board.panel.pixels() == direct.pixels() and any(direct.pixels())
    assert board.panel.contrast == 0x10 and not board.panel.unknown
    assert board.panel.wire_bytes == direct.wire_bytes == sum(len(p) + 1 for p in STREAM)
    assert board.panel.data_bytes == 3


def test_a_byte_takes_nine_bits_of_bus_time(board: pico.Pico) -> None:
    i2c_setup(board)
    times: list[float] = []
    board.panel.on_write = lambda: times.append(board.ms)
    start = board.ms
    for byte in (0x40, 1, 2, 3, 4 | STOP):
        board.mcu.write_uint32(I2C0 + IC_DATA_CMD, byte)
    board.run(1)
    bit = 312 / 125e6 * 1e3  # ms
    # The address, then five bytes.
    assert times == pytest.approx([start + 9 * bit * n for n in range(2, 7)], abs=0.001)


def test_another_address_is_not_acknowledged(board: pico.Pico) -> None:
    i2c_setup(board, 0x3D)
    assert i2c_send(board, b"\x40\x55") & 1  # ABRT_7B_ADDR_NOACK
    assert board.panel.wire_bytes == 0


def test_a_read_through_the_i2c_block_gives_the_status(board: pico.Pico) -> None:
    """SH1106 datasheet 2.3, command 25: bit 6 is set while the glass is off."""
    i2c_setup(board)

    def read() -> int:
        board.mcu.write_uint32(I2C0 + IC_DATA_CMD, 1 << 8 | STOP)
        board.run(0.1)
        return board.mcu.read_uint32(I2C0 + IC_DATA_CMD) & 0xFF

    assert read() == 0x40
    assert i2c_send(board, STREAM[0]) == 0
    assert read() == 0
    board.plug(False)
    board.mcu.write_uint32(I2C0 + IC_DATA_CMD, 1 << 8 | STOP)
    board.run(0.1)
    assert board.mcu.read_uint32(I2C0 + IC_ABRT) & 1  # ABRT_7B_ADDR_NOACK


def test_unplugged_panel_acknowledges_nothing_and_comes_back_blank(board: pico.Pico) -> None:
    i2c_setup(board)
    i2c_send(board, STREAM[0])
    assert board.panel.on
    board.plug(False)
    before = board.panel.wire_bytes
    assert i2c_send(board, STREAM[1]) & 1
    assert board.panel.wire_bytes == before
    board.plug(True)
    assert not board.panel.on and board.panel.contrast == 0x80
    i2c_setup(board)
    assert i2c_send(board, STREAM[0]) == 0 and board.panel.on


def test_unplugged_in_the_middle_of_a_transaction(board: pico.Pico) -> None:
    i2c_setup(board)
    board.mcu.write_uint32(I2C0 + IC_DATA_CMD, 0x40)
    board.run(0.1)
    board.plug(False)
    board.mcu.write_uint32(I2C0 + IC_DATA_CMD, 0x55 | STOP)
    board.run(0.1)
    assert board.mcu.read_uint32(I2C0 + IC_ABRT) & 1 << 3  # ABRT_TXDATA_NOACK


# -- the probe on the pins ----------------------------------------------------------------------

EDGES = json.loads((Path(__file__).parent / "probe.json").read_text())


class Lines:
    """The two open-drain lines as CircuitPython bit-bangs them: drive low, or let go."""

    def __init__(self, board: pico.Pico) -> None:
        self.mcu = board.mcu
        for pin in (4, 5):
            self.mcu.write_uint32(IO_BANK0 + pin * 8 + 4, 5)  # function SIO
            self.mcu.write_uint32(PADS + 4 + pin * 4, 0x48)  # input enabled, pull-up
            self.mcu.write_uint32(OUT_CLR, 1 << pin)

    def set(self, pin: int, high: int) -> None:
        self.mcu.write_uint32(OE_CLR if high else OE_SET, 1 << pin)

    def get(self, pin: int) -> int:
        return self.mcu.read_uint32(SIO + 4) >> pin & 1


def probe(board: pico.Pico, address: int) -> bool:
    """A zero-length write bit by bit (common-hal/busio/I2C.c): True if it was acknowledged."""
    lines = Lines(board)
    sda, scl = 4, 5

    def levels(*pairs: tuple[int, int]) -> None:
        for pin, high in pairs:
            lines.set(pin, high)

    levels((sda, 1), (scl, 1), (sda, 0), (scl, 0))
    for bit in range(7, -1, -1):
        levels((sda, address << 1 >> bit & 1), (scl, 1), (scl, 0))
    levels((sda, 1), (scl, 1))
    acknowledged = not lines.get(sda)
    levels((scl, 0), (sda, 0), (scl, 1), (sda, 1))
    assert lines.get(sda) == lines.get(scl) == 1
    return acknowledged


def test_the_panel_s_address_is_acknowledged_on_the_pins(board: pico.Pico) -> None:
    answers = [address for address in range(0x08, 0x78) if probe(board, address)]
    assert answers == [0x3C]
    assert board.panel.wire_bytes == 0  # nothing of it reaches the controller's registers


def test_an_unplugged_panel_does_not_answer_the_probe(board: pico.Pico) -> None:
    board.plug(False)
    assert not probe(board, 0x3C)
    board.plug(True)
    assert probe(board, 0x3C)


def test_edges_recorded_from_real_firmware() -> None:
    """CircuitPython 10.2.1 on a Pico opening I2CDisplayBus: (SDA, SCL) at each change."""
    held: list[bool] = []
    low = False

    def hold(now: bool) -> None:
        nonlocal low
        low = now

    panel = pico.PinPanel(0x3C, hold)
    for sda, scl in EDGES["levels"]:
        panel.edge(bool(sda), bool(scl))
        if not held or held[-1] != low:
            held.append(low)
    assert panel.probes == 1
    assert held == [False, True, False]
    other = pico.PinPanel(0x3D, lambda _: None)
    for sda, scl in EDGES["levels"]:
        other.edge(bool(sda), bool(scl))
    assert other.probes == 0


@pytest.mark.parametrize("pullups", [True, False])
def test_lines_without_resistors_are_low_when_the_chip_pulls_down(
    image: Path, pullups: bool
) -> None:
    """CircuitPython pulls both lines down for a moment and refuses the bus if they follow."""
    board = pico.Pico(image, wiring=pico.Wiring(pullups=pullups))
    board.power_on()
    lines = Lines(board)
    for pin in (4, 5):
        board.mcu.write_uint32(PADS + 4 + pin * 4, 0x44)
        lines.set(pin, 1)
        assert lines.get(pin) == pullups


# -- SPI ----------------------------------------------------------------------------------------


def test_bytes_through_the_spi_block_are_the_model_s_own(image: Path) -> None:
    board = pico.Pico(image, wiring=pico.Wiring(bus="spi"))
    board.power_on()
    mcu, direct = board.mcu, Panel()
    direct.ram[:] = board.panel.ram
    cs, dc, reset = 17, 20, 21
    for pin in (cs, dc, reset):
        mcu.write_uint32(IO_BANK0 + pin * 8 + 4, 5)
        mcu.write_uint32(OUT_SET, 1 << pin)
        mcu.write_uint32(OE_SET, 1 << pin)
    mcu.write_uint32(SPI0 + 0x10, 62)  # 125 MHz / 62: about 2 MHz
    mcu.write_uint32(SPI0 + 0x00, 7)
    mcu.write_uint32(SPI0 + 0x04, 2)

    def send(payload: bytes, data: bool) -> None:
        mcu.write_uint32(OUT_SET if data else OUT_CLR, 1 << dc)
        mcu.write_uint32(OUT_CLR, 1 << cs)
        for byte in payload:
            mcu.write_uint32(SPI0 + 0x08, byte)
            board.run(0.01)
        mcu.write_uint32(OUT_SET, 1 << cs)

    for payload, data in ((b"\xaf\xa1\xc8\x02\x10\xb3", False), (b"\x01\x80\xff", True)):
        send(payload, data)
        direct.spi_write(payload, data)
    assert board.panel.pixels() == direct.pixels() and any(direct.pixels())
    assert board.panel.wire_bytes == 9
    mcu.write_uint32(SPI0 + 0x08, 0xAE)  # not selected: somebody else's byte
    board.run(0.01)
    assert board.panel.on and board.panel.wire_bytes == 9
    mcu.write_uint32(OUT_CLR, 1 << reset)
    assert not board.panel.on


# -- flash and power ----------------------------------------------------------------------------


def flash_command(board: pico.Pico, sent: bytes) -> None:
    """Select the flash chip, shift bytes out, deselect: as pico-sdk's flash.c does."""
    mcu = board.mcu
    mcu.write_uint32(SSI + 0x08, 1)
    mcu.write_uint32(0x4001800C, 2 << 8)  # GPIO_QSPI_SS: forced low
    for byte in sent:
        mcu.write_uint32(SSI + 0x60, byte)
    mcu.write_uint32(0x4001800C, 3 << 8)


def program(board: pico.Pico, address: int, data: bytes) -> None:
    flash_command(board, b"\x06")
    flash_command(board, b"\x02" + address.to_bytes(3, "big") + data)


def erase(board: pico.Pico, address: int) -> None:
    flash_command(board, b"\x06")
    flash_command(board, b"\x20" + address.to_bytes(3, "big"))


NVM = pico.NVM_START


def test_what_is_programmed_survives_the_power(board: pico.Pico) -> None:
    seen: list[pico.FlashWrite] = []
    board.on_flash = lambda write: seen.append(write)
    program(board, NVM + 8, b"abc")
    erase(board, NVM + 0x1000)
    assert [(w.kind, w.address, w.size, w.data) for w in seen] == [
        ("program", NVM + 8, 3, b"abc"),
        ("erase", NVM + 0x1000, 4096, b""),
    ]
    assert [w.in_nvm for w in seen] == [True, False]
    board.power_off()
    assert board.nvm[:12] == b"\xff" * 8 + b"abc\xff"
    board.power_on()
    assert board.nvm[:12] == b"\xff" * 8 + b"abc\xff"
    board.run(0.1)


def test_without_write_enable_nothing_is_written(board: pico.Pico) -> None:
    board.on_flash = lambda write: pytest.fail("not a write")
    flash_command(board, b"\x02" + NVM.to_bytes(3, "big") + b"abc")
    assert board.nvm == b"\xff" * 4096


@pytest.mark.parametrize("keep", [0, 1, 2, 3, 99])
def test_power_cut_inside_a_program(image: Path, keep: int) -> None:
    board = pico.Pico(image, nvm=b"\xff\x0f\xff\xff")
    board.power_on()
    board.on_flash = lambda write: keep
    program(board, NVM, b"\x12\x34\x56")
    program(board, NVM + 16, b"\x00")  # the chip has no power any more
    with pytest.raises(pico.PowerCut):
        board.run(1)
    new = bytes([0x12, 0x04, 0x56])[:keep]  # programming only clears bits
    assert board.nvm[:4] == new + b"\xff\x0f\xff\xff"[len(new) :]
    assert board.nvm[16] == 0xFF
    board.on_flash = None
    board.power_on()
    board.run(1)


@pytest.mark.parametrize("keep", [0, 2000, 4096])
def test_power_cut_inside_an_erase(image: Path, keep: int) -> None:
    board = pico.Pico(image, nvm=bytes(4096))
    board.power_on()
    board.on_flash = lambda write: keep
    erase(board, NVM)
    with pytest.raises(pico.PowerCut):
        board.run(1)
    assert board.nvm == b"\xff" * keep + bytes(4096 - keep)


def test_buttons_pull_their_pins_to_ground(board: pico.Pico) -> None:
    for pin in (10, 11, 12, 13):
        board.mcu.write_uint32(PADS + 4 + pin * 4, 0x48)
    for name, pin in (("LEFT", 10), ("RIGHT", 11), ("OK", 12), ("BACK", 13)):
        assert board.mcu.read_uint32(SIO + 4) >> 10 & 15 == 15
        board.press(name)
        assert board.mcu.read_uint32(SIO + 4) >> 10 & 15 == 15 - (1 << pin - 10)
        board.release(name)


# -- scripts, watching, JSON --------------------------------------------------------------------


def test_scripts_know_the_panel_s_cable_besides() -> None:
    lines = ["press OK", "unplug  # the cable", "wait 5", "", "plug", "shot a"]
    assert [(c.line, c.verb) for c in emulate.parse(lines, "f")] == [
        (1, "press"),
        (2, "unplug"),
        (3, "wait"),
        (5, "plug"),
        (6, "shot"),
    ]
    with pytest.raises(script.ScriptError, match="f, line 2: "):
        emulate.parse(["plug", "jump"], "f")


class FakeBoard:
    """Stands for a Pico: its clock moves by `run`, and `then` happens on the way."""

    def __init__(self) -> None:
        self.panel = Panel()
        self.panel.i2c_write(b"\x80\xaf\x80\xa1\x80\xc8")
        self.serial = bytearray()
        self.on_serial = None
        self.on_flash = None
        self.flash = b"..Adafruit CircuitPython 10.2.1 on 2026.."
        self.ms = 0.0
        self.then: list[tuple[float, object]] = []
        self.keys: list[tuple[float, str]] = []

    def power_on(self) -> None:
        self.ms = 0.0

    def power_off(self) -> None: ...

    def press(self, name: str) -> None:
        self.keys.append((self.ms, name))

    def release(self, name: str) -> None:
        self.keys.append((self.ms, name.lower()))

    def plug(self, connected: bool) -> None:
        self.keys.append((self.ms, f"plug {connected}"))

    def run(self, ms: float) -> None:
        end = self.ms + ms
        while self.then and self.then[0][0] <= end:
            self.ms, act = self.then.pop(0)
            act()  # type: ignore[operator]
        self.ms = end

    def run_until(self, done, limit: float, step: float = 1.0) -> bool:
        end = self.ms + limit
        while not done():
            if self.ms >= end:
                return False
            self.run(step)
        return True

    def print(self, text: str) -> None:
        self.serial += text.replace("\n", "\r\n").encode()
        self.on_serial(text.encode())  # type: ignore[misc]


@pytest.fixture
def fake() -> FakeBoard:
    return FakeBoard()


@pytest.fixture
def session(fake: FakeBoard) -> emulate.Session:
    made = emulate.Session(fake)  # type: ignore[arg-type]
    made.power_on()
    return made


def draw(board: FakeBoard, byte: int = 1, count: int = 1) -> None:
    board.panel.i2c_write(b"\x00\x02\x10\xb0")
    board.panel.i2c_write(b"\x40" + bytes([byte]) * count)


def test_press_to_first_changed_pixel(fake: FakeBoard, session: emulate.Session) -> None:
    fake.panel.ram[:] = bytes(len(fake.panel.ram))
    fake.then = [
        (10.0, lambda: draw(fake, 0)),  # repaints what is there: no pixel changes
        (17.5, lambda: draw(fake, 1)),
        (30.0, lambda: draw(fake, 2)),
    ]
    press = session.press("OK", 60)
    assert press.first_pixel_ms == 17.5 and press.at_ms == 0
    assert fake.keys == [(0.0, "OK"), (60.0, "ok")] and fake.ms == 60 + script.GAP_MS
    nothing = session.press("LEFT", 20)
    assert nothing.first_pixel_ms is None


def test_idle_waits_for_the_program_to_rest(fake: FakeBoard, session: emulate.Session) -> None:
    fake.then = [
        (50.0, lambda: fake.print("code.py output:\n")),
        (100.0, lambda: draw(fake)),
        (150.0, lambda: fake.print("busy\n")),
        (900.0, lambda: fake.print("rest\n")),
        (1000.0, lambda: draw(fake, 3)),
        (5000.0, lambda: draw(fake, 4)),
    ]
    session.idle()
    assert fake.ms == pytest.approx(1200, abs=11)
    assert session.report.code_ms == 50.0


def test_idle_of_a_program_that_reports_nothing(fake: FakeBoard, session: emulate.Session) -> None:
    fake.then = [
        (50.0, lambda: fake.print("code.py output:\n")),
        (300.0, lambda: draw(fake)),
    ]
    session.idle()
    assert fake.ms == pytest.approx(5300, abs=11)


def test_idle_gives_up(fake: FakeBoard, session: emulate.Session) -> None:
    with pytest.raises(emulate.NotIdle, match="still busy after 0.5 emulated seconds"):
        session.idle(500)


def test_idle_of_a_program_that_has_ended(fake: FakeBoard, session: emulate.Session) -> None:
    fake.print("code.py output:\nTraceback (most recent call last):\nx\nCode done running.\n")
    session.idle()
    assert fake.ms == 0 and session.crashed()


def test_json_object(fake: FakeBoard, session: emulate.Session) -> None:
    fake.then = [
        (20.0, lambda: fake.print("code.py output:\n")),
        (30.0, lambda: fake.print("milestone title: used=40000 free=90000 ms=310\n")),
        (40.0, lambda: draw(fake, 1, 1023)),
        (45.0, lambda: draw(fake, 1)),
        (50.0, lambda: fake.print("milestone play: used=50000 free=80000 ms=900\n")),
    ]
    fake.run(60)
    session.press("OK", 10)
    result = json.loads(json.dumps(session.as_json()))
    assert result["circuitpython"] == "10.2.1"
    assert result["code_ms"] == 20.0
    assert result["first_picture_ms"] == 45.0  # the 1024th byte: the whole picture is there
    assert (result["heap_used"], result["heap_free"]) == (50000, 80000)
    assert result["milestones"][0] == {"name": "title", "used": 40000, "free": 90000, "ms": 310}
    assert result["panel_data_bytes"] == 1024
    assert result["panel_bytes"] == fake.panel.wire_bytes
    assert result["presses"] == [{"button": "OK", "at_ms": 60.0, "first_pixel_ms": None}]
    assert result["crashed"] is False


def test_perform_does_what_the_script_says(fake: FakeBoard, session: emulate.Session) -> None:
    commands = emulate.parse(
        ["wait 10", "press OK 5", "shot a", "unplug", "wait 1", "plug", "text"], "f"
    )
    shots: list[tuple[float, str]] = []
    emulate.perform(session, commands, lambda c: shots.append((fake.ms, c.name)))
    at = 10 + 5 + script.GAP_MS
    assert shots == [(at, "a")]
    assert fake.keys == [(10, "OK"), (15, "ok"), (at, "plug False"), (at + 1, "plug True")]


def test_difference_says_where() -> None:
    a = bytearray(128 * 64)
    b = bytearray(a)
    assert emulate.difference(bytes(a), bytes(b)) == ""
    b[3 * 128 + 100] = b[5 * 128 + 7] = 1
    assert emulate.difference(bytes(a), bytes(b)) == (
        "2 pixels differ, columns 7 to 100, rows 3 to 5; first x=100, y=3: 0 on the board, 1 in run"
    )
    picture = emulate.three(bytes(a), bytes(b))
    assert picture.getpixel((100 * 4, 2 * 264 + 3 * 4)) == 255
    assert picture.getpixel((101 * 4, 2 * 264 + 3 * 4)) == 0


@pytest.mark.parametrize(
    ("arguments", "script_text", "words"),
    [
        (
            ["--firmware", "no.uf2"],
            None,
            "no.uf2: no such file. Give a CircuitPython image (.uf2).",
        ),
        (["--keys", "no.txt"], None, "no.txt: No such file or directory"),
        ([], "wait\n", "line 1: write: wait MS"),
        ([], "idle\nshot a\n", "line 2: shot needs --shots DIR"),
        (["--compare"], "idle\n", "--compare needs a script with at least one shot"),
        (["--compare"], "unplug\nshot a\n", "--compare: run knows no unplug and plug"),
        (["--set", "HANDHELD_HZ"], None, "--set HANDHELD_HZ: write NAME=VALUE"),
    ],
)
def test_mistakes_are_one_plain_line(
    tmp_path: Path, monkeypatch, arguments: list[str], script_text: str | None, words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(emulate.FIRMWARE, raising=False)
    if script_text is not None:
        (tmp_path / "keys.txt").write_text(script_text)
        arguments = [*arguments, "--keys", "keys.txt"]
    result = CliRunner().invoke(emulate.command, arguments)
    assert result.exit_code == 2 and words in result.output and result.output.count("\n") == 1


@pytest.mark.usefixtures("fresh_modules")
@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"HANDHELD_SEED": "x"}, "in run, where it said: settings.toml: HANDHELD_SEED = x is not"),
        ({"HANDHELD_OK": ""}, "in run, where it said: settings.toml: HANDHELD_OK or"),
    ],
)
def test_a_simulated_board_that_does_not_start_says_why(
    changes: dict[str, int | str], words: str
) -> None:
    files = drive.with_settings(drive.own(drive.REPOSITORY), changes)
    with pytest.raises(emulate.NotIdle, match="still busy") as error:
        emulate.simulated(files, emulate.parse(["idle", "shot a"], "f"), 0)
    assert words in str(error.value) and "\n" not in str(error.value)


@pytest.mark.usefixtures("fresh_modules")
def test_a_program_that_ends_in_run_is_one_line() -> None:
    files = {**drive.own(drive.REPOSITORY), "code.py": b"1 / 0\n"}
    with pytest.raises(emulate.NotIdle, match=r"ended in run: ZeroDivisionError: .*zero$"):
        emulate.simulated(files, emulate.parse(["idle"], "f"), 0)


def test_scripts_are_read_as_run_reads_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = "\ufeffidle\nunplug\n".encode()
    (tmp_path / "keys.txt").write_bytes(content)
    wanted = [script.Command(1, "idle"), script.Command(2, "unplug")]
    assert script.read(str(tmp_path / "keys.txt"), emulate.parse) == wanted
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    assert script.read("-", emulate.parse) == wanted


def test_settings_for_the_spi_panel_and_a_seed() -> None:
    assert emulate._settings(("HANDHELD_HZ=1000000", "X=a=b"), "spi", 5) == {
        "HANDHELD_REPORT": 1,
        "HANDHELD_SEED": 5,
        "HANDHELD_BUS": "spi",
        "HANDHELD_CLOCK": "GP18",
        "HANDHELD_DATA": "GP19",
        "HANDHELD_CS": "GP17",
        "HANDHELD_DC": "GP20",
        "HANDHELD_RESET": "GP21",
        "HANDHELD_HZ": 1000000,
        "X": "a=b",
    }


def test_the_version_that_an_image_calls_itself() -> None:
    text = b"\0Adafruit CircuitPython 10.3.0-alpha.4 on 2026-08-01; Raspberry Pi Pico"
    assert pico.version(text) == "10.3.0-alpha.4"
    assert pico.version(b"MicroPython v1.24") == ""


def test_the_simulated_half_of_compare(tmp_path: Path) -> None:
    """The pictures `--compare` takes from the simulator are those of its machine."""
    program = (
        "import time, board, busio, displayio, i2cdisplaybus\n"
        "from adafruit_displayio_sh1106 import SH1106\n"
        "displayio.release_displays()\n"
        "i2c = busio.I2C(board.GP5, board.GP4, frequency=400_000)\n"
        "bus = i2cdisplaybus.I2CDisplayBus(i2c, device_address=0x3C)\n"
        "display = SH1106(bus, width=128, height=64, colstart=2, auto_refresh=False)\n"
        "bitmap = displayio.Bitmap(128, 64, 2)\n"
        "palette = displayio.Palette(2)\n"
        "palette[1] = 0xFFFFFF\n"
        "group = displayio.Group()\n"
        "group.append(displayio.TileGrid(bitmap, pixel_shader=palette))\n"
        "display.root_group = group\n"
        "bitmap[3, 4] = 1\n"
        "display.refresh()\n"
        "while True:\n    time.sleep(0.05)\n"
    )
    files = {"code.py": program.encode(), "settings.toml": b""}
    commands = emulate.parse(["wait 3000", "shot a"], "f")
    frames = emulate.simulated(files, commands, 1)
    assert [at for at, bit in enumerate(frames["a"]) if bit] == [4 * 128 + 3]


def test_default_firmware(monkeypatch) -> None:
    monkeypatch.setenv(emulate.FIRMWARE, "x.uf2")
    assert emulate.default_firmware() == Path("x.uf2")
    monkeypatch.delenv(emulate.FIRMWARE)
    assert emulate.default_firmware() is None


def test_a_board_that_is_off_says_so(image: Path) -> None:
    board = pico.Pico(image)
    with pytest.raises(AssertionError, match="the power is off"):
        board.run(1)
    assert SimpleNamespace(nvm=board.nvm).nvm == b"\xff" * 4096
