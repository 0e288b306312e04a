"""Stand-in for CircuitPython's `watchdog`."""

from __future__ import annotations

from enum import Enum


class WatchDogMode(Enum):
    """What happens when it is not fed."""

    RAISE = 1
    RESET = 2


class WatchDogTimeout(Exception):
    """Never raised on an RP2040."""
