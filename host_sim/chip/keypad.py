"""Stand-in for CircuitPython's `keypad`: scanned on the simulated clock, with its debouncing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from host_sim.chip import core


class Event:
    """A key that went down or up; `timestamp` in supervisor ticks."""

    def __init__(
        self, key_number: int = 0, pressed: bool = True, timestamp: int | None = None
    ) -> None:
        self._set(
            key_number, pressed, core.current().ticks_ms() if timestamp is None else timestamp
        )

    def _set(self, key_number: int, pressed: bool, timestamp: int) -> None:
        self.key_number = key_number
        self.pressed = pressed
        self.timestamp = timestamp

    @property
    def released(self) -> bool:
        """Not pressed."""
        return not self.pressed

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Event) and hash(self) == hash(other)

    def __hash__(self) -> int:
        return self.key_number << 1 | self.pressed

    def __repr__(self) -> str:
        word = "pressed" if self.pressed else "released"
        return f"<Event: key_number {self.key_number} {word}>"


class EventQueue:
    """First in, first out. When it is full, the new event is lost and `overflowed` is set."""

    def __init__(self, max_events: int) -> None:
        self._chip = core.current()
        self._room = max_events
        self._events: list[tuple[int, bool, int]] = []
        self._chip.queues.append(self._events)
        self.overflowed = False

    def _record(self, key_number: int, pressed: bool) -> None:
        self._chip.busy()
        if len(self._events) >= self._room:
            self.overflowed = True
        else:
            self._events.append((key_number, pressed, self._chip.ticks_ms()))

    def get_into(self, event: Event) -> bool:
        """Fill `event`; False if there is none."""
        self._chip.ask()
        if not self._events:
            self._chip.poll_at = self._chip.now
            return False
        self._chip.busy()
        event._set(*self._events.pop(0))
        return True

    def get(self) -> Event | None:
        """A new event object, or None."""
        event = Event()
        return event if self.get_into(event) else None

    def clear(self) -> None:
        """Empty, and not overflowed."""
        self._chip.alive()
        self._events.clear()
        self.overflowed = False

    def __len__(self) -> int:
        return len(self._events)

    def __bool__(self) -> bool:
        self._chip.ask()
        if not self._events:
            self._chip.poll_at = self._chip.now
        return bool(self._events)


class Keys:
    """Keys on pins of their own."""

    def __init__(
        self,
        pins: Sequence[core.Pin],
        *,
        value_when_pressed: bool,
        pull: bool = True,
        interval: float = 0.020,
        max_events: int = 64,
        debounce_threshold: int = 1,
    ) -> None:
        self._chip = core.current()
        self._chip.alive()
        if not 1 <= debounce_threshold <= 127:
            raise ValueError("debounce_threshold must be 1-127")
        if max_events < 1:
            raise ValueError("max_events must be >= 1")
        if len({pin.number for pin in pins}) < len(pins):
            raise TypeError("row_pins contains duplicate pins")
        for pin in pins:
            pin.check()
        for pin in pins:
            pin.claim("Keys")
            pin.pull = not value_when_pressed if pull else None
        self._pins = list(pins)
        self._pressed = value_when_pressed
        self._interval = int(interval * 1024) * 1_000_000 // 1024
        self._threshold = debounce_threshold
        self._count = [0] * len(pins)
        self.events = EventQueue(max_events)
        self._scan()
        self._chip.at(self._chip.now + self._interval, self._tick)

    @property
    def key_count(self) -> int:
        """How many keys."""
        return len(self._pins)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.deinit()

    def deinit(self) -> None:
        """Stop scanning; free the pins."""
        for pin in self._pins:
            pin.free()
        self._pins = []

    def reset(self) -> None:
        """All keys count as released: those that are down are reported as pressed again."""
        self._chip.alive()
        self._count = [-self._threshold] * len(self._pins)
        self._scan()

    def _tick(self) -> None:
        if not self._pins:
            return
        if self._chip.now < self._chip.blind_until:  # interrupts are off: as soon as they are back
            self._chip.at(self._chip.blind_until, self._tick)
            return
        self._scan()
        self._chip.at(self._chip.now + max(self._interval, 1000), self._tick)

    def _scan(self) -> None:
        # Counts towards +threshold while pressed and -threshold while released; crossing 0 is
        # the event, after which the count jumps to the far end.
        for key, pin in enumerate(self._pins):
            step = 1 if pin.level == self._pressed else -1
            if self._count[key] * step < self._threshold:
                self._count[key] += step
                if self._count[key] == 0:
                    self._count[key] = step * self._threshold
                    self.events._record(key, step == 1)
