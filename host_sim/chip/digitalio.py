"""Stand-in for CircuitPython's `digitalio`; only a program on the simulated board imports it."""

from __future__ import annotations

from typing import Self

from host_sim.chip import core


class Pull:
    """Internal resistors."""

    UP: Pull
    DOWN: Pull


class Direction:
    """Which way a pin works."""

    INPUT: Direction
    OUTPUT: Direction


class DriveMode:
    """How an output drives."""

    PUSH_PULL: DriveMode
    OPEN_DRAIN: DriveMode


Pull.UP, Pull.DOWN = Pull(), Pull()
Direction.INPUT, Direction.OUTPUT = Direction(), Direction()
DriveMode.PUSH_PULL, DriveMode.OPEN_DRAIN = DriveMode(), DriveMode()


class DigitalInOut:
    """A pin read or driven by the program."""

    def __init__(self, pin: core.Pin) -> None:
        pin.claim("DigitalInOut")
        self._pin: core.Pin | None = pin

    def _alive(self) -> core.Pin:
        core.current().alive()
        if self._pin is None:
            raise ValueError("Object has been deinitialized and can no longer be used.")
        return self._pin

    def deinit(self) -> None:
        """Free the pin."""
        if self._pin is not None:
            self._pin.free()
            self._pin = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.deinit()

    def switch_to_output(
        self, value: bool = False, drive_mode: DriveMode = DriveMode.PUSH_PULL
    ) -> None:
        """Drive the pin."""
        pin = self._alive()
        pin.pull = None
        pin.output = bool(value)
        core.current().output_changed(pin)

    def switch_to_input(self, pull: Pull | None = None) -> None:
        """Read the pin."""
        pin = self._alive()
        pin.output = None
        pin.pull = None if pull is None else pull is Pull.UP

    @property
    def direction(self) -> Direction:
        """INPUT after construction."""
        return Direction.INPUT if self._alive().output is None else Direction.OUTPUT

    @direction.setter
    def direction(self, value: Direction) -> None:
        if value is Direction.OUTPUT:
            self.switch_to_output()
        else:
            self.switch_to_input()

    @property
    def value(self) -> bool:
        """Level of the pin."""
        pin = self._alive()
        chip = core.current()
        chip.ask()
        if pin.output is None:
            chip.poll_at = chip.now
        return pin.level

    @value.setter
    def value(self, value: bool) -> None:
        pin = self._alive()
        if pin.output is None:
            raise AttributeError("Cannot set value when direction is input.")
        pin.output = bool(value)
        core.current().output_changed(pin)

    @property
    def pull(self) -> Pull | None:
        """None, UP or DOWN."""
        pin = self._alive()
        if pin.output is not None:
            raise AttributeError("Pull not used when direction is output.")
        return None if pin.pull is None else Pull.UP if pin.pull else Pull.DOWN

    @pull.setter
    def pull(self, value: Pull | None) -> None:
        pin = self._alive()
        if pin.output is not None:
            raise AttributeError("Pull not used when direction is output.")
        pin.pull = None if value is None else value is Pull.UP
