"""What is heard: square waves from a piezo, a few notes each, without waiting for them.
Imported by console.py."""

from micropython import const

from handheld import since

_CLICK = const(0)
_CARD = const(1)
_CHIME = const(2)
_FALL = const(3)

# Notes as Hz, ms, Hz, ms …
_TUNES = (
    (2200, 6),
    (900, 12, 500, 14),
    (988, 70, 1319, 70, 1976, 130),
    (494, 110, 392, 110, 262, 200),
)
_DUTY = const(0x4000)  # a quarter: softer than a half, and as loud as a piezo needs


class Sound:
    """`play` starts a tune and `tick` carries it on. Silent when `on` is False or nothing is wired."""

    def __init__(self, pwm=None, enable=None):
        """`pwm`: a PWMOut of variable frequency; `enable`: a digital output that powers an amplifier, or
        None. It is raised only while something sounds: left on, it hisses."""
        self.pwm = pwm
        self.enable = enable
        self.tune = None
        self._note = 0
        self._ticks = 0
        self.on = True

    def play(self, tune, now):
        """Starts `tune`; one that is playing ends."""
        if self.pwm is None or not self.on:
            return
        self.tune = _TUNES[tune]
        self._note = 0
        self._ticks = now
        if self.enable is not None:
            self.enable.value = True
        self.pwm.frequency = self.tune[0]
        self.pwm.duty_cycle = _DUTY

    def tick(self, now):
        """Goes on to the next note when its time has come."""
        tune = self.tune
        if tune is None or since(now, self._ticks) < tune[self._note + 1]:
            return
        self._note += 2
        self._ticks = now
        if self._note < len(tune) and self.on:
            self.pwm.frequency = tune[self._note]
        else:
            self.stop()

    def stop(self):
        """Silence, now."""
        if self.tune is not None:
            self.tune = None
            self.pwm.duty_cycle = 0
            if self.enable is not None:
                self.enable.value = False
