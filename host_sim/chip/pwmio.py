"""Stand-in for CircuitPython's `pwmio`: what it would sound is noted in `Chip.sounds`."""

from __future__ import annotations

from typing import Self

from host_sim.chip import core


class PWMOut:
    """A square wave on a pin."""

    def __init__(
        self,
        pin: core.Pin,
        *,
        duty_cycle: int = 0,
        frequency: int = 500,
        variable_frequency: bool = False,
    ) -> None:
        pin.claim("PWMOut")
        self._chip = core.current()
        self._pin: core.Pin | None = pin
        self._variable = variable_frequency
        self._frequency = frequency
        self._duty = duty_cycle
        self._note()

    def _note(self) -> None:
        self._chip.alive()
        if self._pin is None:
            raise ValueError("Object has been deinitialized and can no longer be used.")
        heard = self._frequency if self._duty else 0
        self._chip.sounds.append((self._chip.now, heard, self._duty))

    @property
    def duty_cycle(self) -> int:
        """0..65535; 32768 is loudest."""
        return self._duty

    @duty_cycle.setter
    def duty_cycle(self, value: int) -> None:
        if not 0 <= value <= 0xFFFF:
            raise ValueError("duty_cycle must be 0-65535")
        self._duty = value
        self._note()

    @property
    def frequency(self) -> int:
        """Hz."""
        return self._frequency

    @frequency.setter
    def frequency(self, value: int) -> None:
        if not self._variable:
            raise AttributeError(
                "PWM frequency not writable when variable_frequency is False on construction."
            )
        if not 1 <= value <= 62_500_000:
            raise ValueError("Invalid PWM frequency")
        self._frequency = value
        self._note()

    def deinit(self) -> None:
        """Silence; free the pin."""
        if self._pin is not None:
            self._duty = 0
            self._note()
            self._pin.free()
            self._pin = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.deinit()
