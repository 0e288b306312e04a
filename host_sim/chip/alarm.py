"""Stand-in for CircuitPython's `alarm`: light sleep only, as long as it takes; deep sleep restarts."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from host_sim.chip import core

sleep_memory = bytearray(0)
wake_alarm: Any = None


class _TimeAlarm:
    def __init__(
        self, *, monotonic_time: float | None = None, epoch_time: int | None = None
    ) -> None:
        if monotonic_time is None:
            raise ValueError("monotonic_time is needed")
        self.monotonic_time = monotonic_time


class _PinAlarm:
    def __init__(self, pin: core.Pin, value: bool, edge: bool = False, pull: bool = False) -> None:
        pin.claim("PinAlarm")
        self.pin: core.Pin | None = pin
        self.value = value
        pin.pull = (not value) if pull else None


time = SimpleNamespace(TimeAlarm=_TimeAlarm)
pin = SimpleNamespace(PinAlarm=_PinAlarm)


def light_sleep_until_alarms(*alarms: Any) -> Any:
    """Sleeps in steps of 10 ms until one of the alarms is due; returns it."""
    chip = core.current()
    chip.alive()
    try:
        while True:
            chip.poll_at = chip.now
            for alarm in alarms:
                if isinstance(alarm, _TimeAlarm) and chip.now >= alarm.monotonic_time * 1_000_000:
                    return alarm
                wired = alarm.pin if isinstance(alarm, _PinAlarm) else None
                if wired is not None and wired.level == alarm.value:
                    return alarm
            chip.sleep(core.REST_US)
    finally:
        for alarm in alarms:
            if isinstance(alarm, _PinAlarm) and alarm.pin is not None:
                alarm.pin.free()
                alarm.pin = None  # lost on an RP2040 after waking


def exit_and_deep_sleep_until_alarms(*alarms: Any, **_: Any) -> None:
    """Waking from deep sleep is a restart."""
    light_sleep_until_alarms(*alarms)
    raise core.Reset(hard=True)
