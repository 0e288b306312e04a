"""Stand-in for CircuitPython's `rotaryio`: counts the detents that the host turns."""

from __future__ import annotations

from host_sim.chip import core

_EDGES_PER_DETENT = 4


class IncrementalEncoder:
    """`divisor` edges make one step of `position`."""

    def __init__(self, pin_a: core.Pin, pin_b: core.Pin, divisor: int = 4) -> None:
        for pin in (pin_a, pin_b):
            pin.check()
        if abs(pin_a.number - pin_b.number) != 1:
            raise RuntimeError("Pins must be sequential GPIO pins")
        for pin in (pin_a, pin_b):
            pin.claim("IncrementalEncoder")
        self._chip = core.current()
        self._pins = (pin_a, pin_b)
        self._edges = 0
        self.divisor = divisor
        wired = self._chip.profile.encoder
        if wired is not None and {pin_a.number, pin_b.number} == set(wired):
            self._sign = 1 if wired == (pin_a.number, pin_b.number) else -1
            self._chip.encoders.append(self._moved)

    def _moved(self, detents: int) -> None:
        self._edges += self._sign * detents * _EDGES_PER_DETENT

    @property
    def position(self) -> int:
        """Steps since construction or the last assignment."""
        self._chip.ask()
        return int(self._edges / self.divisor)

    @position.setter
    def position(self, value: int) -> None:
        self._edges = value * self.divisor

    def deinit(self) -> None:
        """Free the pins."""
        if self._moved in self._chip.encoders:
            self._chip.encoders.remove(self._moved)
        for pin in self._pins:
            pin.free()
