"""The game as it is seen and played: a stack of screens, fed with intents and ticks, never with pins.
`main` is handed a console by code.py. Screens that are rare are imported when they are first asked for.

A screen has draw() (shows all of itself), on(intent), and tick(now), which is True while only a press can
change anything.
"""

import gc

from pitch.cards import const

# What the console (lib/handheld) understands; a test compares the numbers.
_LONG_BACK = const(6)

_PERIOD = const(0x1FFFFFFF)  # of the console's ticks, in ms, less one
_VALUES_KEY = const(0)  # key of the settings in the store
# Settings: sound, light, speed of the bots, players, target. What they are at first, at least, at most.
_SOUND = const(0)
_LIGHT = const(1)
_SPEED = const(2)
_COUNT = const(5)
_FIRST = b"\x01\x02\x01\x04\x07"
_LOWEST = b"\x00\x00\x00\x02\x05"
_HIGHEST = b"\x01\x02\x02\x07\x34"
# Modules of screens are dropped while none of their screens is there: 4 to 7 KB each of a board's heap. It
# takes 50 ms to load a compiled one again; from source it would be half a second, so those stay.
_SCREENS = ("menus", "table", "sheets", "session")
_DROPS = __file__.endswith(".mpy")


class App:
    """The stack of screens and what they share: console, screen, values (settings), game (or None)."""

    def __init__(self, console):
        self.console = console
        self.screen = console.screen
        self.store = console.store
        self.game = None
        self.values = bytearray(_COUNT)
        self.read_values()
        self.stack = []
        self.top = None
        self.told = 0
        self.reached = None  # a milestone to report in the next round, when nothing of what led there is left
        self.home()
        self.tell_store()

    def step(self):
        """One round: a button's intent, or else a tick."""
        console = self.console
        intent = console.wait()
        if self.reached is not None:
            console.milestone(self.reached)
            self.reached = None
        if intent == _LONG_BACK:
            self.home()
        elif intent:
            self.top.on(intent)
        console.waiting = self.top.tick(console.now)

    # ---- the stack

    def load(self, name):
        """The module of that name with screens in it."""
        __import__("pitch.app." + name)
        return globals()[name]

    def _show(self):
        self.top = self.stack[-1]
        if _DROPS:
            for name in _SCREENS:
                used = False
                for screen in self.stack:
                    used = used or screen.module == name
                if not used and globals().pop(name, None):
                    self.console.drop("pitch.app." + name)
            gc.collect()
        self.top.draw()

    def push(self, screen):
        """Shows a screen over the one that is there."""
        self.stack.append(screen)
        self._show()

    def swap(self, screen):
        """Shows a screen in place of all that are there; the title is behind it."""
        self.stack = [screen]
        self._show()

    def back(self):
        """Back to the screen beneath."""
        self.stack.pop()
        if self.stack:
            self._show()
        else:
            self.home()

    def home(self):
        """Back to the title, from everywhere. The game is kept."""
        self.stack = [self.load("menus").Title(self)]
        self._show()

    def pause(self):
        """What BACK does in a game."""
        self.push(self.load("menus").pausing(self))

    # ---- the game

    def play_hand(self):
        """To the table."""
        self.swap(self.load("table").Table(self))
        self.reached = "playing"

    def hand_over(self):
        """The hand is over: its points."""
        if self.game.match.winner >= 0:
            self.load("session").count_game(self.game)
        self.swap(self.load("sheets").Points(self))
        self.reached = "points"

    def next_hand(self):
        """Deals the next hand."""
        self.game.deal()
        self.play_hand()
        self.tell_store()

    def after_game(self):
        """The game is over, and everything about it has been seen."""
        self.swap(self.load("menus").game_over(self))

    # ---- settings, sound, news about the store

    def speed(self):
        """Chosen speed, 0 slow to 2 fast."""
        return self.values[_SPEED]

    def since(self, then):
        """Milliseconds since `then`, in ticks, which wrap."""
        return (self.console.now - then) & _PERIOD

    def play(self, tune):
        """Starts a tune."""
        self.console.sound.play(tune, self.console.now)

    def change(self, what, step):
        """The next value of a setting, round the end."""
        low = _LOWEST[what]
        self.values[what] = low + (self.values[what] - low + step) % (_HIGHEST[what] - low + 1)
        self._apply()

    def _apply(self):
        self.console.sound.on = self.values[_SOUND] > 0
        if self.console.level != self.values[_LIGHT]:
            self.console.brighten(self.values[_LIGHT])

    def read_values(self):
        """Takes the settings from the store, and what they are at first where it has none."""
        stored = self.store.get(_VALUES_KEY) or b""
        for what in range(_COUNT):
            known = what < len(stored) and _LOWEST[what] <= stored[what] <= _HIGHEST[what]
            self.values[what] = stored[what] if known else _FIRST[what]
        self._apply()

    def tell_store(self):
        """Says once what is wrong with the memory."""
        state = self.store.state
        known = self.told
        self.told = state
        if state and state != known:
            self.push(self.load("menus").Notice(self, state))


def main(console):
    """Plays for ever."""
    app = App(console)
    console.screen.refresh()
    console.milestone("title")
    while True:
        app.step()
