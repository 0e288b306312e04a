"""What is pressed, as intents: the game never learns which buttons, dial or wires there are.
Imported by console.py."""

from keypad import Event
from keypad import Keys as Pins
from micropython import const

from handheld import since

# Intents. A long press comes after the short one of the same button.
_NONE = const(0)
_PREV = const(1)
_NEXT = const(2)
_OK = const(3)
_BACK = const(4)
_LONG_OK = const(5)
_LONG_BACK = const(6)

# Buttons: name of the pin in boards.py; intent of a press, of holding, of holding on; bits.
_REPEATS = const(1)  # the press comes again while the button is held
_ON_RELEASE = const(2)  # a short press counts when it ends, because holding means something else
ROWS = (
    (b"LEFT", _PREV, _NONE, _NONE, _REPEATS),
    (b"RIGHT", _NEXT, _NONE, _NONE, _REPEATS),
    (b"OK", _OK, _LONG_OK, _NONE, 0),
    (b"BACK", _BACK, _LONG_BACK, _NONE, 0),
    (b"ENCODER_OK", _OK, _LONG_OK, _NONE, 0),
)
# Without a BACK button the OK buttons are BACK too, when held.
_OK_ALONE = (_OK, _BACK, _LONG_BACK, _ON_RELEASE)

_HOLD_MS = const(600)
_HOLD_ON_MS = const(1600)
_REPEAT_MS = const(130)
_INTERVAL = 0.005  # s between two looks; 3 alike make a press, so it is known after 10 to 15 ms


class Keys:
    """The buttons and the dial of one board. `poll` gives one intent at a time."""

    def __init__(self, pins, dial=None, step=1):
        """`pins`: (name of a row, pin) pairs; `dial`: rotaryio.IncrementalEncoder or None; `step`: 1 or,
        for a dial that counts the other way round, -1."""
        self._rows = []
        lone = True
        for name, _ in pins:
            lone = lone and name != b"BACK"
        for name, _ in pins:
            for row in ROWS:
                if row[0] == name:
                    self._rows.append(_OK_ALONE if lone and row[1] == _OK else row[1:])
        wires = [pin for _, pin in pins]
        try:
            self.keys = Pins(
                wires,
                value_when_pressed=False,
                pull=True,
                interval=_INTERVAL,
                max_events=16,
                debounce_threshold=3,
            )
        except TypeError:  # CircuitPython before 9.1 has no debounce_threshold
            self.keys = Pins(wires, value_when_pressed=False, pull=True, interval=_INTERVAL * 4)
        self.events = self.keys.events
        self._event = Event()
        self.dial = dial
        self.step = step
        self.position = dial.position if dial else 0
        self._row = None  # of the button that is held
        self._key = -1
        self._stage = 0  # how often holding it has been answered
        self._ticks = 0  # when the button went down or last repeated
        self._ignored = -1  # a button whose release and holding count for nothing

    def poll(self, now):
        """The next intent, NONE if there is none. `now`: ticks."""
        events = self.events
        if events.overflowed:  # what was lost is unknown: start from the buttons as they are
            events.clear()
            self.keys.reset()
            self._key = -1
        event = self._event
        if events.get_into(event):
            key = event.key_number
            if event.pressed:
                self._key = key
                self._row = row = self._rows[key]
                self._stage = 0
                self._ticks = now
                self._ignored = -1
                return _NONE if row[3] & _ON_RELEASE else row[0]
            if key == self._key:
                self._key = -1
                if self._row[3] & _ON_RELEASE and not self._stage and self._ignored != key:
                    return self._row[0]
            return _NONE
        if self._key >= 0 and self._ignored != self._key:
            return self.held(now)
        if self.dial is not None:
            moved = (self.dial.position - self.position) * self.step
            if moved:
                self.position += self.step if moved > 0 else -self.step
                return _NEXT if moved > 0 else _PREV
        return _NONE

    def held(self, now):
        """What holding the button that is down has come to mean by now."""
        row = self._row
        time = since(now, self._ticks)
        if row[3] & _REPEATS:
            if time >= (_REPEAT_MS if self._stage else _HOLD_MS):
                self._stage = 1
                self._ticks = now
                return row[0]
        elif self._stage == 0 and time >= _HOLD_MS:
            self._stage = 1
            return row[1]
        elif self._stage == 1 and time >= _HOLD_ON_MS:
            self._stage = 2
            return row[2]
        return _NONE

    def busy(self):
        """Whether a button is down, or something waits to be polled."""
        return self._key >= 0 or len(self.events) > 0

    def ignore(self):
        """The press just polled counts for nothing more: neither its release nor its being held."""
        self._ignored = self._key
        if self.dial is not None:
            self.position = self.dial.position
