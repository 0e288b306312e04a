"""The game as it is seen and played: a stack of screens, fed with intents and ticks, never with pins.
`main` is handed a console by code.py. Screens are imported when they are asked for.

A screen has draw() (shows all of itself), on(intent), tick(now), which is True while only a press can change
anything, and `module`, the names of the modules it needs. No module of screens is long: where memory is short
it is compiled while others are there.
"""

import gc

from pitch.cards import const

# What the console (lib/handheld) understands; a test compares the numbers.
_OK = const(3)
_BACK = const(4)
_LONG_BACK = const(6)
_CLICK = const(0)

_PERIOD = const(0x1FFFFFFF)  # of the console's ticks, in ms, less one
_VALUES_KEY = const(0)  # key of the settings in the store
# Settings: sound, light, speed of the bots, players, target. Of each what it is at first, at least, at most.
_SOUND = const(0)
_LIGHT = const(1)
_SPEED = const(2)
_COUNT = const(5)
_PLAYERS = const(3)
_HAND = const(6)  # cards
_RANGES = (b"\x01\x00\x01", b"\x02\x00\x02", b"\x01\x00\x02", b"\x04\x02\x07", b"\x07\x05\x34")
# What a game needs, the table's cards at last, is made while the title waits for a press, one by one (in all
# 250 ms compiled, 2 s from source), so that a deal need not wait for it. Not where memory is short: there it
# comes when it is asked for.
_AHEAD = (
    "rules", "rng", "score", "hand", "match", "view", "bots.plain",
    "app.game", "app.session", "app.headline", "app.felt", "app.table", "", "app.points", "app.sheets",
)  # fmt: skip
_AHEAD_BYTES = const(49152)
# Modules dropped again when they are not in use, 2 to 6 KB each: in a game all but the last three if they are
# compiled (15 ms to load again; from source half a second), and all where memory is short.
_SCREENS = ("title", "session", "menus", "points", "sheets", "won", "table", "felt", "headline")
_RARE = const(6)
_COMPILED = __file__.endswith(".mpy")
_SMALL = const(98304)  # short of memory is who has less than this free at the start


class Page:
    """A screen that goes on with OK. BACK pauses, or leads back where there is something beneath."""

    def __init__(self, app):
        self.app = app
        self.game = app.game

    def on(self, intent):
        """Answers a button."""
        if intent == _OK:
            self.app.play(_CLICK)
            self.next()
        elif intent == _BACK:
            if len(self.app.stack) > 1:
                self.app.back()
            else:
                self.app.pause()

    def next(self):
        """What OK leads to."""
        self.app.back()

    def tick(self, now):
        """Nothing happens by itself."""
        return True


class App:
    """The stack of screens and what they share: console, screen, values (settings), game (or None)."""

    def __init__(self, console):
        self.console = console
        self.screen = console.screen
        self.store = console.store
        self.game = None
        self.values = bytearray(_COUNT)
        self.read()
        self.stack = []
        self.top = None
        self.told = 0
        self.ahead = 0  # how many of _AHEAD are loaded
        self.coming = None  # the module of the screen to be shown at the end of this round
        gc.collect()
        self.room = console.free() >= _SMALL
        self.untidy = False  # there is something to collect, once what was done is shown
        self.go("title")
        self._come()

    def step(self):
        """One round: a button's intent, or else a tick."""
        console = self.console
        intent = console.wait()
        if self.untidy:
            self.untidy = False
            gc.collect()
        if intent == _LONG_BACK:
            self.go("title")
        elif intent:
            self.top.on(intent)
        waiting = self.coming is None and self.top.tick(console.now)
        if self.coming is not None:
            self._come()
        elif waiting and not intent and self.ahead < len(_AHEAD):
            self._load_ahead()
            waiting = False
        console.waiting = waiting

    def _load_ahead(self):
        """Loads one more module, so that no press waits for more than one."""
        self.untidy = True
        name = _AHEAD[self.ahead]
        self.ahead += 1
        if self.console.free() < _AHEAD_BYTES:
            self.ahead = len(_AHEAD)
        elif name:
            __import__("pitch." + name)
        else:
            self.screen.prepare(self.values[_PLAYERS], _HAND)
            if _COMPILED:  # the rest would be dropped again
                self.ahead = len(_AHEAD)

    # ---- the stack

    def load(self, name):
        """The module of that name with screens in it."""
        __import__("pitch.app." + name)
        return globals()[name]

    def show(self):
        """Shows the screen on top."""
        self.top = self.stack[-1]
        self.untidy = True
        self.drop()
        self.top.draw()

    def drop(self):
        """Unloads what is not in use now, as far as _SCREENS says."""
        if self.room and (not _COMPILED or "title" in self.stack[0].module):
            return
        for name in _SCREENS[0:_RARE] if self.room else _SCREENS:
            used = False
            for screen in self.stack:
                used = used or name in screen.module
            if not used and globals().pop(name, None):
                self.console.drop("pitch.app." + name)
        if not self.room:
            gc.collect()

    def push(self, screen):
        """Shows a screen over the one that is there."""
        self.stack.append(screen)
        self.show()
        self.console.milestone(screen.module)

    def swap(self, screen):
        """Shows a screen in place of all that are there; the title is behind it."""
        self.stack = [screen]
        self.show()

    def back(self):
        """Back to the screen beneath."""
        self.stack.pop()
        if self.stack:
            self.show()
        else:
            self.go("title")

    def pause(self):
        """What BACK does in a game."""
        self.push(self.load("menus").pausing(self))

    def go(self, name):
        """To the SCREEN of the module `name` (title, table, points, sheets, won) at the end of this round, in
        place of all that are there: what leads to it is no longer in the way then, which matters where
        memory is short. The game is kept."""
        self.coming = name

    def _come(self):
        name = self.coming
        self.coming = self.top = None
        self.stack = []
        if name == "title":
            self.ahead = 0
        elif _COMPILED:  # what a game has no use for yet would be dropped again
            self.ahead = len(_AHEAD)
        if not self.room:
            self.drop()
        self.stack.append(self.load(name).SCREEN(self))
        self.show()
        if name != "title":
            self.console.milestone("playing" if name == "table" else name)
        # What is wrong with the memory is told once.
        state = self.store.state
        known = self.told
        self.told = state
        if state and state != known:
            self.push(self.load("title").Notice(self, state))

    # ---- settings and sound

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
        _, low, high = _RANGES[what]
        self.values[what] = low + (self.values[what] - low + step) % (high - low + 1)
        self.apply()

    def apply(self):
        """Does what the settings say."""
        self.console.sound.on = self.values[_SOUND] > 0
        if self.console.level != self.values[_LIGHT]:
            self.console.brightness(self.values[_LIGHT])

    def read(self):
        """Takes the settings from the store, and what they are at first where it has none."""
        stored = self.store.get(_VALUES_KEY) or b""
        for what in range(_COUNT):
            first, low, high = _RANGES[what]
            known = what < len(stored) and low <= stored[what] <= high
            self.values[what] = stored[what] if known else first
        self.apply()


def main(console):
    """Plays for ever."""
    app = App(console)
    console.screen.refresh()
    console.milestone("title")
    while True:
        app.step()
