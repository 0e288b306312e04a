"""Stand-in for CircuitPython's `microcontroller`, with nvm that behaves as the flash of an RP2."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from host_sim.chip import core

Pin = core.Pin

NVM_SIZE = 4096
_PAGE = 256
_PROGRAM_US = 800  # one page of 256 bytes, whatever part of it
_ERASE_US = 45_000  # one sector of 4096 bytes


class ByteArray:
    """nvm: bytes that are still 0xFF are programmed in place, anything else costs an erase.

    Source: CircuitPython's ports/raspberrypi/common-hal/nvm/ByteArray.c. The sector is the whole of
    nvm, so a power cut between erase and program loses all of it.
    """

    def __init__(self, data: bytearray, saved: Callable[[int, int], None] | None = None) -> None:
        """`data` outlives the chip; `saved(start, stop)` is told what changed."""
        self.data = data
        self.saved = saved
        self.erases = 0
        self.programmed = 0
        """Bytes programmed so far, erased sectors rewritten included."""
        self._left = -1
        self._torn = 0

    def cut_after(self, steps: int, torn: int = 0) -> None:
        """Cut the power in a write to come, when `steps` more steps are done.

        Programming a byte is a step; erasing is one too, and a cut that falls on it leaves the
        sector half erased. `torn`: bits of the next byte that are not programmed any more (0: all
        of the byte is lost only if no step was left; 0xFF: it stays blank). -1 steps: never.
        """
        self._left = steps
        self._torn = torn

    def _step(self) -> bool:
        """False when the power goes."""
        if self._left == 0:
            return False
        self._left -= self._left > 0
        return True

    def _program(self, start: int, payload: bytes) -> None:
        chip = core.current()
        for index, byte in enumerate(payload):
            if not self._step():
                if self._torn:
                    self.data[start + index] &= byte | self._torn
                self._cut(start, start + index + 1)
            self.data[start + index] &= byte
            self.programmed += 1
        pages = (start + len(payload) - 1) // _PAGE - start // _PAGE + 1
        chip.flash(_PROGRAM_US * pages)

    def _cut(self, start: int, stop: int) -> None:
        self._left = -1
        if self.saved is not None:
            self.saved(start, stop)
        core.current().dead = True
        raise core.PowerCut

    def _write(self, start: int, payload: bytes) -> None:
        chip = core.current()
        chip.alive()
        chip.busy()
        if not payload:
            return
        stop = start + len(payload)
        if self.data[start:stop].count(0xFF) == len(payload):
            self._program(start, payload)
        else:
            whole = bytearray(self.data)
            whole[start:stop] = payload
            self.erases += 1
            if not self._step():
                # Cells drift to 1 at their own speed: every other byte is blank, the rest noise.
                noise = bytes(byte | (37 * index) & 0xFF for index, byte in enumerate(self.data))
                self.data[:] = bytes(
                    0xFF if index & 1 else byte for index, byte in enumerate(noise)
                )
                self._cut(0, len(self.data))
            self.data[:] = b"\xff" * len(self.data)
            chip.flash(_ERASE_US)
            self._program(0, bytes(whole))
            start, stop = 0, len(self.data)
        chip.busy()
        if self.saved is not None:
            self.saved(start, stop)

    def __len__(self) -> int:
        return len(self.data)

    def _span(self, index: int | slice) -> tuple[int, int]:
        if isinstance(index, slice):
            start, stop, step = index.indices(len(self.data))
            if step != 1:
                raise NotImplementedError("only slices with step=1 (aka None) are supported")
            return start, max(start, stop)
        if index < 0:
            index += len(self.data)
        if not 0 <= index < len(self.data):
            raise IndexError("bytearray index out of range")
        return index, index + 1

    def __getitem__(self, index: int | slice) -> Any:
        core.current().alive()
        start, stop = self._span(index)
        if isinstance(index, slice):
            return bytearray(self.data[start:stop])
        return self.data[start]

    def __setitem__(self, index: int | slice, value: Any) -> None:
        start, stop = self._span(index)
        if isinstance(index, slice):
            if not isinstance(value, (bytes, bytearray, memoryview)):
                raise NotImplementedError("array/bytes required on right side")
            payload = bytes(value)
            if len(payload) != stop - start:
                raise ValueError("Slice and value different lengths.")
        else:
            if not 0 <= value <= 0xFF:
                raise ValueError("Bytes must be between 0 and 255.")
            payload = bytes([value])
        self._write(start, payload)


class Processor:
    """The CPU."""

    frequency = 125_000_000
    temperature = 25.0
    voltage = None
    uid = bytearray(b"\x50\x49\x54\x43\x48\x00\x00\x01")

    @property
    def reset_reason(self) -> ResetReason:
        """Always the reset of a power-on."""
        return ResetReason.POWER_ON


class ResetReason:
    """Why the chip started."""

    POWER_ON: ResetReason
    SOFTWARE: ResetReason


class RunMode:
    """What the next reset starts."""

    NORMAL: RunMode
    SAFE_MODE: RunMode
    UF2: RunMode
    BOOTLOADER: RunMode


ResetReason.POWER_ON, ResetReason.SOFTWARE = ResetReason(), ResetReason()
RunMode.NORMAL, RunMode.SAFE_MODE = RunMode(), RunMode()
RunMode.UF2, RunMode.BOOTLOADER = RunMode(), RunMode()


class WatchDogTimer:
    """Resets the chip when it is not fed in time; 8 s at most. RP2040 has RESET mode only."""

    def __init__(self) -> None:
        self._chip = core.current()
        self._mode: Any = None
        self._timeout = 0.0
        self._fed = 0

    @property
    def timeout(self) -> float:
        """Seconds."""
        return self._timeout

    @timeout.setter
    def timeout(self, value: float) -> None:
        if not 0 < value <= 8:
            raise ValueError("timeout duration exceeded the maximum supported value")
        self._timeout = value
        self.feed()

    @property
    def mode(self) -> Any:
        """None (off) or watchdog.WatchDogMode.RESET."""
        return self._mode

    @mode.setter
    def mode(self, value: Any) -> None:
        if value is not None and getattr(value, "name", "") != "RESET":
            raise NotImplementedError("RAISE mode is not implemented")
        self._mode = value
        self.feed()

    def feed(self) -> None:
        """Start the time anew."""
        self._chip.alive()
        self._fed += 1
        if self._mode is not None:
            number = self._fed
            when = self._chip.now + math.ceil(self._timeout * 1_000_000)

            def bite() -> None:
                if self._fed == number and self._mode is not None:
                    raise core.Reset(hard=True)

            self._chip.at(when, bite)

    def deinit(self) -> None:
        """Off."""
        self._mode = None


cpu = Processor()
nvm: ByteArray | None = None
watchdog: WatchDogTimer | None = None


def reset() -> None:
    """As the reset button: boot.py and code.py run again."""
    core.current().alive()
    raise core.Reset(hard=True)


def on_next_reset(run_mode: RunMode) -> None:
    """Noted by nobody: the next start is a normal one."""
    core.current().alive()


def delay_us(delay: int) -> None:
    """Wait without letting background tasks run."""
    core.current().flash(delay)


def disable_interrupts() -> None:
    """No effect: nothing interrupts the program."""


def enable_interrupts() -> None:
    """No effect."""
