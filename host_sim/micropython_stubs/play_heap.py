"""Runs the program under a plain MicroPython with stand-ins for the hardware, and reports its heap.

    micropython -X heapsize=N play_heap.py ROOT [KIND [NVM]]

KIND `compiled`: as from .mpy files, without line numbers, and with modules that come and go; else as from
source. NVM: a file that is the non-volatile memory, so that a second run goes on where the first one ended.
Goes through every screen, then plays until 12 hands were dealt. Prints one JSON object: heap in use (bytes,
after collecting) by milestone: `start`, `display` (the stand-ins of the display stack), `console`, `title`,
`restored`, `dealt`, `playing`, `points`, `menus` and `sheets` (over the table too), `end`; `hands` dealt;
`games` that ended; `presses`. That interpreter has 64-bit words: a board needs about half, so the program is
told half of what is free.
"""

import gc
import sys

import micropython

root = sys.argv[1]
compiled = sys.argv[2:3] == ["compiled"]
hands = 12
nvm = sys.argv[3] if len(sys.argv) > 3 else ""
# Left, Right, OK, Back; ~: the panel is unplugged, or plugged in again. The values of a new game there and
# back, deal, bid; pause: score sheet, last trick; pause: ledger, settings: sound off and on, the panel's
# test; title: settings, another game, but no; continue.
TOUR = "OROR LORORLO RO O ~~ BROO ROO BRRROO ROOROORO RRROOB RO RROB ROO O".replace(" ", "")

here = __file__.rsplit("/", 1)[0]
sys.path[0:0] = [here, root + "/lib", root]  # behind them, of MICROPYPATH: the library of labels

used = {}
names = []  # in the order in which they were reached, which a dict of this interpreter does not keep


def note(name):
    gc.collect()
    micropython.mem_info()  # prints the largest block in use, which memory.py reads
    if name not in names:
        names.append(name)
        used[name] = 0
    if gc.mem_alloc() > used[name]:
        used[name] = gc.mem_alloc()


note("start")
if compiled:
    micropython.opt_level(3)
import adafruit_displayio_sh1106  # noqa: E402,F401
import busio  # noqa: E402
import keypad  # noqa: E402
import terminalio  # noqa: E402,F401
from microcontroller import nvm as memory  # noqa: E402

try:
    with open(nvm, "rb") as file:
        memory.data[:] = file.read()
    TOUR = ""
except OSError:
    pass
note("display")

import handheld.boards  # noqa: E402

handheld.free = lambda: gc.mem_free() // 2
from handheld.console import Console  # noqa: E402


class Done(Exception):
    pass


presses = 0
dealt = 0
left = 9  # presses into the last hand
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


Console.tell = tell


def plan():
    """The tour, then OK, but every third time the cursor moves first; whenever nothing goes on by itself."""
    global presses, rest, left
    rest += 1
    before = TOUR[presses - 1 : presses] if presses else ""
    if console is None or not console.waiting or rest < (300 if before == "~" else 4):
        return -1
    rest = 0
    step = TOUR[presses : presses + 1]
    presses += 1
    if step == "~":
        busio.lost = not busio.lost
        return -1
    if dealt == hands:
        if not left:
            raise Done
        left -= 1
    return "LROB".find(step) if step else 1 if dealt and presses % 3 == 0 else 2


keypad.plan = plan
console = handheld.boards.open_console()
console._report = True
console._seed = 5
note("console")
import pitch.app  # noqa: E402
from pitch.app import main  # noqa: E402

pitch.app._COMPILED = compiled

try:
    main(console)
except Done:
    pass
note("end")
if nvm:
    with open(nvm, "wb") as file:
        file.write(memory.data)
counted = console.store.get(1)
games = counted[1] if counted else 0
text = ", ".join(['"%s": %d' % (name, used[name]) for name in names])
print('{"used": {%s}, "hands": %d, "games": %d, "presses": %d}' % (text, dealt, games, presses))
