"""Stand-in for keypad: presses what `plan` (a function) says, one button after the other."""

plan = None


class Event:
    def __init__(self):
        self.key_number = 0
        self.pressed = False


class EventQueue:
    def __init__(self):
        self.overflowed = False
        self._down = -1

    def __len__(self):
        return 0

    def get_into(self, event):
        if self._down >= 0:
            event.key_number = self._down
            event.pressed = False
            self._down = -1
            return True
        key = plan()
        if key < 0:
            return False
        event.key_number = self._down = key
        event.pressed = True
        return True

    def clear(self):
        pass


class Keys:
    def __init__(
        self,
        pins,
        value_when_pressed=False,
        pull=True,
        interval=0.02,
        max_events=64,
        debounce_threshold=1,
    ):
        self.events = EventQueue()

    def reset(self):
        pass
