"""The console a game is handed: screen, keys, sound, store, time. Imported by boards.py.

`wait` is a game's heart: it shows what has changed, rests for some milliseconds and gives the next intent.
"""

import gc
import os
import sys
import time

import supervisor
from micropython import const

import handheld
from handheld import since
from handheld.screen import Screen
from handheld.store import Store

_DIM_MS = const(60_000)
_OFF_MS = const(300_000)
_PROBE_MS = const(2_000)
_LEVELS = (0.05, 0.35, 1.0, 0.01)  # brightness; none of them black (some panels are, at 0)
_DIMMED = const(3)
# What a panel says of itself when it is looked at.
_OFF = const(0x40)  # the glass is off: sleeping, or reset by a loss of power
_MUTE = const(1)  # it is there and says no more
_GONE = const(-1)
_SHAKY = const(-2)  # was lost, was set up anew, and will be once more: a plug bounces
_ROOM = const(45056)  # bytes: setting up takes 27 KB from source


class Console:
    """screen, keys, sound, store; now: ticks of this round of the loop; level: brightness 0 .. 2;
    waiting: to be set by the game, True while only a press can change anything."""

    def __init__(self, display, keys, sound, i2c=None, address=0, report=False, seed=-1):
        self.screen = Screen(display)
        self.keys = keys
        self.sound = sound
        try:
            import microcontroller

            memory = microcontroller.nvm
        except (ImportError, AttributeError):
            memory = None
        self.store = Store(memory, "/handheld.dat")
        self.now = supervisor.ticks_ms()
        self.waiting = False
        self.level = 2
        self._start = self.now
        self._report = report
        self._seed = seed
        self._reached = []  # milestones to tell
        self._rested = False  # what was last reported of `waiting`
        self._pressed = self.now  # when a button was last touched
        self._dimmed = False
        self.i2c = i2c
        self.address = address
        self._status = bytearray(1)
        self._probed = self.now
        # What the panel says while its glass is on; _GONE: it was away, or without power.
        self.shows = _MUTE if i2c is None else self.look()
        if self.shows == _OFF:  # either it lost power in this instant or its word means nothing
            self.shows = _GONE

    def wait(self):
        """One round: refresh, rest, and the next intent (keys.py), 0 if there is none."""
        screen = self.screen
        screen.refresh()
        if self._reached:
            self.tell()
        self._say(self.waiting)
        # Seconds. The short rest tells whoever watches that something will go on by itself, the longer one
        # that only a press can change anything.
        time.sleep(0.01 if self.waiting else 0.004)
        self.now = now = supervisor.ticks_ms()
        self.sound.tick(now)
        if self.address and since(now, self._probed) > _PROBE_MS:
            self._probe(now)
        intent = self.keys.poll(now)
        if intent or self.keys.busy():
            self._pressed = now
            if self._dimmed or not screen.awake:
                self._wake()
                self.keys.ignore()  # the press that wakes does nothing else
                return 0
            if intent:
                self._say(False)  # what follows may take seconds before anything is shown
            return intent
        idle = since(now, self._pressed)
        if idle > _DIM_MS and not self._dimmed:
            self._dimmed = True
            screen.brightness(_LEVELS[_DIMMED])
        if idle > _OFF_MS and screen.awake:
            screen.sleep()
        return 0

    def _say(self, waiting):
        if self._report and self._rested != waiting:
            self._rested = waiting
            print("rest" if waiting else "busy")

    def _wake(self):
        self._dimmed = False
        screen = self.screen
        if self.address and not screen.awake:
            # A sleeping panel that lost its power for a moment says what it said before: off. So it is set up
            # anew, where there is room for that, before anything is shown.
            gc.collect()
            if handheld.free() >= _ROOM:
                screen.awake = True
                self._renew()
        screen.wake()
        screen.brightness(_LEVELS[self.level])

    def brightness(self, level):
        """Sets the brightness to step 0, 1 or 2."""
        self.level = level
        self.screen.brightness(_LEVELS[level])

    def look(self):
        """The panel's word: 0, _OFF, _MUTE or _GONE. A byte read from an SH1106 is always its status, whose
        bit 6 is set while the glass is off (datasheet 2.3, command 25). Some may refuse to be read."""
        i2c = self.i2c
        if not i2c.try_lock():
            return self.shows
        answer = _GONE
        try:
            i2c.readfrom_into(self.address, self._status)
            answer = self._status[0] & _OFF
        except OSError:
            try:
                i2c.writeto(self.address, b"\x80\xe3")  # the command for doing nothing
                answer = _MUTE
            except OSError:
                pass
        i2c.unlock()
        return answer

    def _probe(self, now):
        """Looks whether the panel is still there: displayio does not tell. One that was without power, be it
        for a moment, comes back without its settings, so it is set up again and repainted."""
        self._probed = now
        # Without a bus what was there is given up, and only setting up anew can tell.
        answer = _MUTE if self.i2c is None else self.look()
        if answer == _GONE:
            self.shows = _GONE
        elif self.shows < 0 or answer == _OFF != self.shows and self.screen.awake:
            if self.shows >= 0:
                self.shows = _GONE
            self._renew()

    def _renew(self):
        """Sets up the panel anew."""
        known = self.shows
        self.shows = _GONE
        try:
            from handheld import displays

            displays.again(self)
        except MemoryError:  # in two seconds there may be more
            pass
        handheld.forget("displays")
        handheld.forget("boards")
        if self.shows != _GONE:
            self.screen.brightness(_LEVELS[_DIMMED if self._dimmed else self.level])
            if known == _GONE or (known != _SHAKY and self.shows == _OFF):
                self.shows = _SHAKY

    def random16(self):
        """A random number of 16 bits. With HANDHELD_SEED in settings.toml (0 .. 16383) the same ones come
        after every start, so that two boards, or a board and a simulator, can be compared."""
        if self._seed >= 0:
            self._seed = ((self._seed & 0x3FFF) * 40503 + 24593) & 0xFFFF
            return self._seed
        two = os.urandom(2)
        return two[0] << 8 | two[1]

    def free(self):
        """Bytes of heap that are free."""
        return handheld.free()

    def drop(self, module):
        """Unloads a module of the game, given by its full name."""
        sys.modules.pop(module, None)

    def milestone(self, name):
        """Prints heap and time on the serial console if HANDHELD_REPORT is 1. The heap is that of the next
        round, after collecting: nothing that only led here is left then, and nobody waits for it."""
        if self._report:
            self._reached.append((name, since(supervisor.ticks_ms(), self._start)))

    def tell(self):
        """Prints the milestones that were reached."""
        gc.collect()
        for name, ms in self._reached:
            print("milestone %s: used=%d free=%d ms=%d" % (name, gc.mem_alloc(), gc.mem_free(), ms))
        self._reached.clear()
