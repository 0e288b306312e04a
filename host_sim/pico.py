"""A Raspberry Pi Pico on rp2040py, with a panel and buttons wired to it. For host_sim only.

Emulated time moves only in `run` and `run_until`, and the same calls give the same run.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping
from pathlib import Path

from rp2040py.boards import BoardSpec, resolve_board_spec
from rp2040py.device.base_device import BaseDevice
from rp2040py.device.load_flash import decode_block
from rp2040py.execute_batch import execute_batch
from rp2040py.gpio_pin import GPIOPinState
from rp2040py.memory_map import FLASH_START_ADDRESS
from rp2040py.peripherals.i2c import RPI2C, I2CMode
from rp2040py.peripherals.reset import (
    RESET,
    RESET_I2C0,
    RESET_I2C1,
    RESET_SPI0,
    RESET_SPI1,
    RPReset,
)
from rp2040py.peripherals.spi import RPSPI
from rp2040py.peripherals.ssi import (
    CMD_BLOCK_ERASE,
    CMD_PAGE_PROGRAM,
    CMD_SECTOR_ERASE,
    FLASH_BLOCK_SIZE,
    FLASH_SECTOR_SIZE,
    RPSSI,
)
from rp2040py.rp2040 import RP2040
from rp2040py.utils.firmware_retrieve import CIRCUITPYTHON
from rp2040py.utils.logging import LogLevel

from host_sim import fat
from host_sim.panel import Panel

FLASH_SIZE = 2 << 20  # bytes on a Pico; CircuitPython asks the chip and gets this size too
# ports/raspberrypi/mpconfigport.h: 1020 KB of firmware, 4 KB of nvm, then the drive.
NVM_START = 0xFF000
NVM_SIZE = 4096

_SSI_BASE = 0x18000  # key of the flash interface in rp2040py's table of peripherals
_RESETS_BASE = 0x4000C
_TICK_BATCH = 64  # instructions between two looks at the clock; alarms stay exact all the same
_WAKE_NANOS = 50_000
_BITS_PER_BYTE_I2C = 9  # eight and the acknowledge


class FirmwareError(Exception):
    """The image cannot be used, in one plain line."""


class PowerCut(Exception):
    """The power failed inside a flash write, where `on_flash` asked for it."""


@dataclasses.dataclass(frozen=True)
class Wiring:
    """What is soldered to which GPIO."""

    bus: str = "i2c"
    sda: int = 4
    scl: int = 5
    address: int = 0x3C
    sck: int = 18
    mosi: int = 19
    cs: int = 17
    dc: int = 20
    reset: int = 21
    buttons: tuple[tuple[str, int], ...] = (("LEFT", 10), ("RIGHT", 11), ("OK", 12), ("BACK", 13))
    pullups: bool = True
    """The resistors on SDA and SCL that every OLED module carries."""


REFERENCE = Wiring()


@dataclasses.dataclass(frozen=True)
class FlashWrite:
    """One command to the flash chip, about to be carried out."""

    kind: str
    """"erase" (to 0xFF, a whole sector or block) or "program" (bits from 1 to 0)."""
    address: int
    """Offset from the start of flash, bytes."""
    size: int
    data: bytes
    """What is programmed; empty for an erase."""
    ms: float
    """Emulated time since power-on."""

    @property
    def in_nvm(self) -> bool:
        return NVM_START <= self.address < NVM_START + NVM_SIZE


class _Flash(RPSSI):
    """rp2040py's flash chip, which tells before it erases or programs and can stop half-way."""

    owner: Pico

    def _apply_command(self) -> None:
        # Chip select has just risen: the command in the buffer is complete and not yet done.
        sent = bytes(self._tx_buffer)
        if self._write_enabled and len(sent) >= 4:
            address = int.from_bytes(sent[1:4], "big")
            if sent[0] == CMD_PAGE_PROGRAM and len(sent) > 4:
                data = sent[4:]
                if not self.owner._before_flash("program", address, len(data), data):
                    return
            elif sent[0] in (CMD_SECTOR_ERASE, CMD_BLOCK_ERASE):
                size = FLASH_SECTOR_SIZE if sent[0] == CMD_SECTOR_ERASE else FLASH_BLOCK_SIZE
                if not self.owner._before_flash("erase", address & -size, size, b""):
                    return
        super()._apply_command()


class _Resets(RPReset):
    """The chip's reset controller: a bus block that is put into reset loses its registers (RP2040
    datasheet, 2.14). rp2040py keeps the bits only: CircuitPython would find in use what it has given up."""

    def write_uint32(self, offset: int, value: int) -> None:
        rising = value & ~self._reset if offset == RESET else 0
        super().write_uint32(offset, value)
        mcu = self.rp2040
        for bit, block in (
            (RESET_I2C0, mcu.i2c[0]),
            (RESET_I2C1, mcu.i2c[1]),
            (RESET_SPI0, mcu.spi[0]),
            (RESET_SPI1, mcu.spi[1]),
        ):
            if rising & bit:
                block.reset()


class PinPanel:
    """Hears the panel's I2C lines edge by edge and acknowledges its address by pulling SDA low.

    CircuitPython on RP2 bit-bangs the zero-length write with which it looks for a device, because
    the chip's I2C block cannot send one (ports/raspberrypi/common-hal/busio/I2C.c).
    """

    def __init__(self, address: int, hold: Callable[[bool], None]) -> None:
        """`hold(True)` has to pull SDA low, `hold(False)` to let go."""
        self.address = address
        self.hold = hold
        self.connected = True
        self.probes = 0
        """How often the address was called and acknowledged."""
        self._sda = self._scl = True
        self._bits = -1  # bits since the start; -1 before one
        self._byte = 0

    def edge(self, sda: bool, scl: bool) -> None:
        """The levels that the master drives, whenever one of them changes."""
        if sda != self._sda and scl and self._scl:
            # SDA moving while the clock is high: a start when it falls, a stop when it rises.
            self._bits = -1 if sda else 0
            self._byte = 0
        elif scl != self._scl and self._bits >= 0:
            if scl:
                if self._bits < 8:
                    self._byte = self._byte << 1 | sda
                self._bits += 1
            elif self._bits == 8:
                # Only a write's address counts: data goes through the chip's I2C block.
                if self.connected and self._byte == self.address << 1:
                    self.probes += 1
                    self.hold(True)
            elif self._bits > 8:
                self.hold(False)
                self._bits = -1
        self._sda, self._scl = sda, scl


class I2CBus:
    """The panel on one of the chip's I2C blocks; a byte takes as long as its bits do."""

    def __init__(self, mcu: RP2040, panel: Panel, wiring: Wiring) -> None:
        self.panel = panel
        self.connected = True
        self._address = wiring.address
        self._pullups = wiring.pullups
        self._sda = mcu.gpio[wiring.sda]
        self._scl = mcu.gpio[wiring.scl]
        self._mcu = mcu
        self._block: RPI2C = mcu.i2c[wiring.sda // 2 % 2]
        self._pending: Callable[[], None] = lambda: None
        self._alarm = mcu.clock.create_alarm(lambda: self._pending())
        self._block.on_connect = self._connect
        self._block.on_write_byte = self._write
        self._block.on_read_byte = self._read
        self.pins = PinPanel(wiring.address, self._hold)
        self._sda.add_listener(self._edge)
        self._scl.add_listener(self._edge)
        self._rest(self._sda)
        self._rest(self._scl)

    def plug(self, connected: bool) -> None:
        self.connected = self.pins.connected = connected
        if not connected:
            self._hold(False)

    def _rest(self, pin: object) -> None:
        """A line that nobody pulls low: high by the module's resistors, else left to the chip."""
        for line in (self._sda, self._scl):
            if line is pin:
                if self._pullups:
                    line.set_input_value(True)
                else:
                    line.release_input()

    def _hold(self, low: bool) -> None:
        if low:
            self._sda.set_input_value(False)
        else:
            self._rest(self._sda)

    def _edge(self, *_: object) -> None:
        self.pins.edge(self._sda.value != GPIOPinState.LOW, self._scl.value != GPIOPinState.LOW)

    def _later(self, bits: int, then: Callable[[], None]) -> None:
        clocks = self._block.scl_low_period + self._block.scl_high_period
        self._pending = then
        self._alarm.schedule(bits * clocks * 1e9 / self._mcu.clk_sys)

    def _connect(self, address: int, _mode: I2CMode) -> None:
        answers = self.connected and address == self._address
        if answers:
            self.panel.i2c_start()
        self._later(_BITS_PER_BYTE_I2C, lambda: self._block.complete_connect(answers))

    def _write(self, byte: int) -> None:
        def done() -> None:
            if self.connected:
                self.panel.i2c_byte(byte)
            self._block.complete_write(self.connected)

        self._later(_BITS_PER_BYTE_I2C, done)

    def _read(self, _more: bool) -> None:
        # Nobody pulls the lines low where no panel is.
        byte = self.panel.i2c_status() if self.connected else 0xFF
        self._later(_BITS_PER_BYTE_I2C, lambda: self._block.complete_read(byte))


class SPIBus:
    """The panel on one of the chip's SPI blocks, with chip select, data/command and reset."""

    def __init__(self, mcu: RP2040, panel: Panel, wiring: Wiring) -> None:
        self.panel = panel
        self.connected = True
        self._cs, self._dc = mcu.gpio[wiring.cs], mcu.gpio[wiring.dc]
        self._block: RPSPI = mcu.spi[wiring.sck // 8 % 2]
        self._alarm = mcu.clock.create_alarm(lambda: self._block.complete_transmit(0))
        self._block.on_transmit = self._transmit
        mcu.gpio[wiring.reset].add_listener(self._reset)

    def plug(self, connected: bool) -> None:
        self.connected = connected

    def _reset(self, now: GPIOPinState, _before: GPIOPinState) -> None:
        if now == GPIOPinState.LOW:
            self.panel.reset()

    def _transmit(self, byte: int) -> None:
        selected = self._cs.value == GPIOPinState.LOW
        if self.connected and selected:
            self.panel.spi(byte, self._dc.value == GPIOPinState.HIGH)
        frequency = self._block.clock_frequency or 1e6
        self._alarm.schedule(8e9 / frequency)


class _Engine:
    """The three things that execute_batch asks of a simulator, the last before each instruction."""

    __slots__ = ("clock", "rp2040", "stopped")

    def __init__(self, mcu: RP2040) -> None:
        self.rp2040 = mcu
        self.clock = mcu.clock
        self.stopped = False

    def stop(self) -> None:
        """Let no further instruction be executed."""
        self.stopped = True


def _hush(device: BaseDevice) -> None:
    """Lets the host's end of the console say nothing while it has nothing to say.

    rp2040py answers every read of an idle console with an empty packet after 10 us, a real host with a
    NAK that the chip's USB block handles alone: the packets kept the processor from ever sleeping.
    """
    usb = device.mcu.usb_ctrl
    answer = usb.on_endpoint_read

    def read(endpoint: int, size: int) -> None:
        if endpoint == 0 or device.cdc.tx_fifo.item_count:
            assert answer is not None
            answer(endpoint, size)

    usb.on_endpoint_read = read


def _keep_awake(mcu: RP2040) -> None:
    """Wakes the core where an interrupt was pending already when it went to sleep (WFI).

    The chip does not sleep then; rp2040py 0.3.6 does, and for ever if no other interrupt comes. This looks
    every 50 us of emulated time, by which it is late at worst.
    """
    core, clock = mcu.core, mcu.clock

    def look() -> None:
        if core.waiting and core.pending_interrupts & core.enabled_interrupts:
            core.waiting = False
            core.interrupts_updated = True
        alarm.schedule(_WAKE_NANOS)

    alarm = clock.create_alarm(look)
    alarm.schedule(_WAKE_NANOS)


class Pico:
    """A board with its firmware and drive. Made switched off; `power_on` boots what is in flash."""

    def __init__(
        self,
        firmware: Path | None = None,
        files: Mapping[str, bytes] | None = None,
        *,
        panel: Panel | None = None,
        wiring: Wiring = REFERENCE,
        nvm: bytes = b"",
        pio: bool = False,
    ) -> None:
        """`firmware` is a CircuitPython UF2; None takes the version that rp2040py downloads.

        `files` is the drive's contents, `nvm` what the non-volatile memory holds at first (the rest
        of its 4096 bytes is blank, 0xFF). `pio`: run the chip's PIO blocks, which encoders and
        NeoPixels need; without them all goes 15 % faster.
        """
        self.panel = panel if panel is not None else Panel()
        self.wiring = wiring
        self.serial = bytearray()
        """All that the board has printed on its USB console, every power-on."""
        self.on_serial: Callable[[bytes], None] | None = None
        self.on_flash: Callable[[FlashWrite], int | None] | None = None
        """Called before each flash command. None lets it go on; a number is how many of its bytes
        still happen before the power fails: `run` then raises PowerCut."""
        self.plugged = True
        self._spec = _board(firmware)
        self.flash = bytearray(b"\xff" * FLASH_SIZE)
        """What the flash chip holds while the power is off."""
        _load_uf2(Path(str(self._spec.image)), self.flash)
        layout = self._spec.layout
        assert layout is not None
        region = min(layout.fs_blockcount * layout.fs_blocksize, FLASH_SIZE - layout.fs_start)
        image = fat.build(files or {}, region)
        self.flash[layout.fs_start : layout.fs_start + region] = image
        self.flash[NVM_START : NVM_START + len(nvm)] = nvm
        self._device: BaseDevice | None = None
        self._bus: I2CBus | SPIBus | None = None
        self._cut = False
        self._pio = pio

    @property
    def mcu(self) -> RP2040:
        assert self._device is not None, "the power is off"
        return self._device.mcu

    @property
    def bus(self) -> I2CBus | SPIBus:
        assert self._bus is not None, "the power is off"
        return self._bus

    @property
    def ms(self) -> float:
        """Emulated milliseconds since power-on."""
        return self.mcu.clock.nanos / 1e6

    @property
    def nvm(self) -> bytes:
        """The 4096 bytes of non-volatile memory, on or off."""
        chip = self.flash if self._device is None else self.mcu.flash
        return bytes(chip[NVM_START : NVM_START + NVM_SIZE])

    def power_on(self) -> None:
        """Switch on: the chip starts from what is in flash, the panel is blank."""
        device = BaseDevice(board=self._spec, log_level=LogLevel.ERROR)
        mcu = device.mcu
        mcu.flash[:FLASH_SIZE] = self.flash
        mcu.ssi = mcu.peripherals[_SSI_BASE] = ssi = _Flash(mcu, "SSI")
        ssi.owner = self
        mcu.resets = mcu.peripherals[_RESETS_BASE] = _Resets(mcu, "RESETS")
        device.cdc.on_serial_data = self._print
        _hush(device)
        _keep_awake(mcu)
        self.panel.power_on()
        kind = SPIBus if self.wiring.bus == "spi" else I2CBus
        self._device, self._bus = device, kind(mcu, self.panel, self.wiring)
        self._bus.plug(self.plugged)
        if not self._pio:
            mcu.pio = []  # what is looped over after each instruction
        self._engine = _Engine(mcu)
        mcu.core.pc = FLASH_START_ADDRESS

    def power_off(self) -> None:
        """Cut the power at this instant: RAM is gone, flash stays as it is."""
        self.flash[:] = self.mcu.flash[:FLASH_SIZE]
        self._device = self._bus = None
        self._cut = False

    def press(self, name: str) -> None:
        """Connect a button's pin to ground."""
        self.mcu.gpio[dict(self.wiring.buttons)[name]].set_input_value(False)

    def release(self, name: str) -> None:
        """Let a button go: the pin is left to the chip's own pull-up."""
        self.mcu.gpio[dict(self.wiring.buttons)[name]].release_input()

    def plug(self, connected: bool) -> None:
        """Pull the panel's cable, or put it back: it comes back without power, blank and off."""
        self.plugged = connected
        self.bus.plug(connected)
        self.panel.power_on(seed=1)

    def run(self, ms: float) -> None:
        """Let emulated time pass. Raises PowerCut when `on_flash` cut it short."""
        assert self._device is not None, "the power is off"
        engine = self._engine
        alarm = self.mcu.clock.create_alarm(engine.stop)
        alarm.schedule(ms * 1e6)
        engine.stopped = False
        while not engine.stopped:
            execute_batch(engine, _TICK_BATCH)  # type: ignore[arg-type]
        alarm.cancel()
        if self._cut:
            self.power_off()
            raise PowerCut

    def run_until(self, done: Callable[[], bool], limit: float, step: float = 1.0) -> bool:
        """Run until `done()`, asked every `step` ms, or for `limit` ms. True if it was done."""
        end = self.ms + limit
        while not done():
            if self.ms >= end:
                return False
            self.run(step)
        return True

    def _print(self, data: bytes | bytearray) -> None:
        self.serial += data
        if self.on_serial is not None:
            self.on_serial(bytes(data))

    def _before_flash(self, kind: str, address: int, size: int, data: bytes) -> bool:
        """True if the chip may carry the command out."""
        if self._cut:
            return False
        if self.on_flash is None:
            return True
        keep = self.on_flash(FlashWrite(kind, address, size, data, self.ms))
        if keep is None:
            return True
        chip = self.mcu.flash
        for at in range(min(keep, size)):
            chip[address + at] = chip[address + at] & data[at] if data else 0xFF
        self._cut = True
        self._engine.stop()
        return False


def _board(firmware: Path | None) -> BoardSpec:
    """rp2040py's Pico with this image, or with the one it downloads."""
    if firmware is not None and not firmware.is_file():
        raise FirmwareError(f"{firmware}: no such file. Give a CircuitPython image (.uf2).")
    try:
        spec = resolve_board_spec("pico", CIRCUITPYTHON, str(firmware) if firmware else None)
    except OSError as error:
        raise FirmwareError(
            f"CircuitPython cannot be downloaded ({error}); name an image."
        ) from error
    if spec.image is None:
        raise FirmwareError("CircuitPython cannot be downloaded; name an image with --firmware.")
    return spec


def _load_uf2(path: Path, flash: bytearray) -> None:
    """Put the blocks of a UF2 where they belong."""
    content = path.read_bytes()
    if not content or len(content) % 512:
        raise FirmwareError(f"{path} is not a whole UF2 image.")
    try:
        for at in range(0, len(content), 512):
            block = decode_block(content[at : at + 512])
            start = block.flash_address - FLASH_START_ADDRESS
            if not 0 <= start <= len(flash) - len(block.payload):
                raise ValueError
            flash[start : start + len(block.payload)] = block.payload
    except ValueError:
        raise FirmwareError(f"{path} is not a UF2 image for a Pico.") from None


def version(firmware: bytes | bytearray) -> str:
    """The CircuitPython version that an image calls itself, "" if it does not."""
    found = re.search(rb"Adafruit CircuitPython (\d+\.\d+\.\d+[-.\w]*) on ", firmware)
    return found[1].decode() if found else ""
