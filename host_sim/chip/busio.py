"""Stand-in for CircuitPython's `busio`: I2C and SPI of an RP2, with their checks and their locks."""

from __future__ import annotations

import errno
from collections.abc import Sequence
from typing import Any

from host_sim.chip import core

_MAX_I2C_HZ = 1_000_000


class _Bus:
    """What both buses share: pins held, a lock that is taken once."""

    def __init__(self, *pins: core.Pin) -> None:
        self._chip = core.current()
        for pin in pins:
            pin.check()
        for pin in pins:
            pin.claim(type(self).__name__)
        self._pins = pins
        self._locked = False

    def _check(self) -> core.Chip:
        self._chip.alive()
        if not self._pins:
            raise ValueError("Object has been deinitialized and can no longer be used.")
        return self._chip

    def deinit(self) -> None:
        """Free the pins."""
        for pin in self._pins:
            pin.free()
        self._pins = ()

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: object) -> None:
        self.deinit()

    def try_lock(self) -> bool:
        """True if the lock was free; it is taken then."""
        self._chip.alive()
        if self._locked or not self._pins:
            return False
        self._locked = True
        return True

    def unlock(self) -> None:
        """Give the lock back."""
        self._check()
        self._locked = False

    def _needs_lock(self) -> core.Chip:
        chip = self._check()
        if not self._locked:
            raise RuntimeError("Function requires lock")
        return chip


class I2C(_Bus):
    """SCL on an odd pin, SDA on the even one of the same unit; both lines need pull-ups."""

    def __init__(
        self, scl: core.Pin, sda: core.Pin, *, frequency: int = 100_000, timeout: int = 255
    ) -> None:
        core.current().alive()
        if scl.number % 2 != 1 or sda.number % 2 != 0 or scl.number // 2 % 2 != sda.number // 2 % 2:
            raise ValueError("Invalid pins")
        if frequency > _MAX_I2C_HZ:
            raise ValueError(f"frequency must be <= {_MAX_I2C_HZ}")
        if not scl.user and not sda.user and not (scl.level and sda.level):
            raise RuntimeError("No pull up found on SDA or SCL; check your wiring")
        super().__init__(scl, sda)
        self._frequency = frequency

    def probe(self, address: int) -> bool:
        """True if a device acknowledges the address."""
        chip = self._check()
        return chip.i2c_write(self._pins[0], self._pins[1], address, b"", self._frequency)

    def scan(self) -> list[int]:
        """Addresses that answer, 8 to 0x77."""
        self._needs_lock()
        return [address for address in range(0x08, 0x78) if self.probe(address)]

    def writeto(self, address: int, buffer: Any, *, start: int = 0, end: int | None = None) -> None:
        """Send bytes; OSError if nothing acknowledges."""
        chip = self._needs_lock()
        payload = bytes(memoryview(buffer)[start:end])
        if not chip.i2c_write(self._pins[0], self._pins[1], address, payload, self._frequency):
            raise OSError(errno.ENODEV, "No such device")

    def readfrom_into(
        self, address: int, buffer: Any, *, start: int = 0, end: int | None = None
    ) -> None:
        """Receive bytes; OSError if nothing acknowledges."""
        chip = self._needs_lock()
        view = memoryview(buffer)[start:end]
        heard = chip.i2c_read(self._pins[0], self._pins[1], address, len(view), self._frequency)
        if heard is None:
            raise OSError(errno.ENODEV, "No such device")
        view[:] = heard

    def writeto_then_readfrom(
        self,
        address: int,
        out_buffer: Any,
        in_buffer: Any,
        *,
        out_start: int = 0,
        out_end: int | None = None,
        in_start: int = 0,
        in_end: int | None = None,
    ) -> None:
        """Send, then receive."""
        self.writeto(address, out_buffer, start=out_start, end=out_end)
        self.readfrom_into(address, in_buffer, start=in_start, end=in_end)


class SPI(_Bus):
    """Clock and MOSI; reading gives zeros."""

    def __init__(
        self,
        clock: core.Pin,
        MOSI: core.Pin | None = None,
        MISO: core.Pin | None = None,
        half_duplex: bool = False,
    ) -> None:
        super().__init__(*[pin for pin in (clock, MOSI, MISO) if pin is not None])
        self._mosi = MOSI
        self._frequency = 250_000

    def configure(
        self, *, baudrate: int = 100_000, polarity: int = 0, phase: int = 0, bits: int = 8
    ) -> None:
        """Set the speed in Hz."""
        self._needs_lock()
        self._frequency = baudrate

    @property
    def frequency(self) -> int:
        """Hz."""
        return self._frequency

    def write(self, buffer: Any, *, start: int = 0, end: int | None = None) -> None:
        """Send bytes."""
        chip = self._needs_lock()
        if self._mosi is None:
            raise ValueError("No MOSI pin")
        payload = bytes(memoryview(buffer)[start:end])
        chip.spi_write(self._pins[0], self._mosi, payload, self._frequency)

    def readinto(self, buffer: Any, **_: int | None) -> None:
        """Zeros."""
        self._needs_lock()
        buffer[:] = bytes(len(buffer))

    def write_readinto(self, out_buffer: Sequence[int], in_buffer: Any, **_: int | None) -> None:
        """Sends; receives zeros."""
        self.write(bytes(out_buffer))
        self.readinto(in_buffer)


class UART:
    """Pins only; there is nobody on the line."""

    def __init__(self, tx: core.Pin | None = None, rx: core.Pin | None = None, **_: Any) -> None:
        for pin in (tx, rx):
            if pin is not None:
                pin.claim("UART")

    def write(self, buffer: Any) -> int:
        """All of it is gone."""
        return len(buffer)
