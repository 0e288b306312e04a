"""Stand-in for CircuitPython's `neopixel_write`: the last bytes are kept in `Chip.pixels`."""

from __future__ import annotations

from typing import Any

from host_sim.chip import core

_US_PER_BYTE = 10  # 800 kHz


def neopixel_write(digitalinout: Any, buf: Any) -> None:
    """Send colour bytes out of an output pin."""
    chip = core.current()
    chip.alive()
    chip.pixels[digitalinout._pin.number] = bytes(buf)
    chip.advance(_US_PER_BYTE * len(buf))
