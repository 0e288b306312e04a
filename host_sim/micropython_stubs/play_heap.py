"""Runs the program under a plain MicroPython with stand-ins for the hardware, and reports its heap.

    micropython -X heapsize=N play_heap.py ROOT [KIND]

KIND `compiled`: as from .mpy files, without line numbers, and with modules that come and go; else as from
source. Plays three hands. Prints one JSON object: heap in use (bytes, after collecting) by milestone:
`start`, `display` (the stand-ins of the display stack), `console`, `title`, `dealt`, `playing`, `points`,
`end`; `hands` played; `presses`. That interpreter has 64-bit words: a board needs about half.
"""

import gc
import sys

import micropython

root = sys.argv[1]
compiled = sys.argv[2:] == ["compiled"]
hands = 3
here = __file__.rsplit("/", 1)[0]
sys.path[:] = [here, root + "/lib", root]

used = {}


def note(name):
    gc.collect()
    micropython.mem_info()  # prints the largest block in use, which memory.py reads
    if name not in used or gc.mem_alloc() > used[name]:
        used[name] = gc.mem_alloc()


note("start")
if compiled:
    micropython.opt_level(3)
import adafruit_displayio_sh1106  # noqa: E402,F401
import keypad  # noqa: E402
import terminalio  # noqa: E402,F401

note("display")

import handheld.boards  # noqa: E402
from handheld.console import Console  # noqa: E402


class Done(Exception):
    pass


presses = 0
dealt = 0
console = None
rest = 0


def tell(self):
    """In place of Console.tell, at the same moment: what only led to a milestone is left behind."""
    global dealt
    for name, _ in self._reached:
        note(name)
        if name == "dealt":
            dealt += 1
    self._reached.clear()
    if dealt == hands:
        raise Done


Console.tell = tell


def plan():
    """OK whenever the program waits for nothing else; once cards are dealt the cursor moves first."""
    global presses, rest
    rest += 1
    if console is None or not console.waiting or rest < 4:
        return -1
    rest = 0
    presses += 1
    return 1 if dealt and presses % 3 == 0 else 2


keypad.plan = plan
console = handheld.boards.open_console()
console._report = True
note("console")
import pitch.app  # noqa: E402
from pitch.app import main  # noqa: E402

pitch.app._COMPILED = compiled

try:
    main(console)
except Done:
    pass
note("end")
text = ", ".join(['"%s": %d' % (name, used[name]) for name in used])
print('{"used": {%s}, "hands": %d, "presses": %d}' % (text, dealt, presses))
