"""The console: screen, keys, sound and store of a pocket card console. Knows no game; imports nothing
of it. Four nouns and a table of boards; a game is handed a Console (console.py) and nothing else."""

import gc
import sys

from micropython import const

_PERIOD = const(0x1FFFFFFF)


def since(now, then):
    """Milliseconds from `then` to `now`, both of supervisor.ticks_ms: it goes round at 2**29 ms, and for the
    first time 65 s after power-on. Right for spans up to 6 days; nobody compares ticks in another way."""
    return (now - then) & _PERIOD


def free():
    """Bytes of heap that are free; plenty on a PC, which does not say."""
    try:
        return gc.mem_free()
    except AttributeError:
        return 1 << 24


def forget(name):
    """Unloads the module handheld.`name`: for those that are needed once, and take memory for ever."""
    sys.modules.pop("handheld." + name, None)
    globals().pop(name, None)


def forget_library():
    """Unloads what sets a banner."""
    for name in (b"adafruit_display_text.label", b"adafruit_display_text"):
        sys.modules.pop(str(name, "utf-8"), None)
