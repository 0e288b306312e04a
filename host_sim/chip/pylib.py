"""`time`, `gc` and `micropython` as a program on the simulated board finds them. For host_sim only."""

from __future__ import annotations

import gc as pc_gc
import os
import struct
import sys
import time as pc_time
from types import ModuleType
from typing import Any

from host_sim.chip import core

_STDLIB = os.path.dirname(os.__file__) + os.sep
_PACKAGES = ("site-packages", "dist-packages")


class StandIn(ModuleType):
    """A module of the board to the program and its libraries, Python's own to Python's own library.

    `traceback`, `warnings` and others import `os` and `time` when they are used, which may be while
    the program runs.
    """

    def __init__(self, real: ModuleType) -> None:
        super().__init__(real.__name__, f"{real.__name__} of CircuitPython on the simulated board")
        self.__dict__["_real"] = real

    def __getattribute__(self, name: str) -> Any:
        asking = sys._getframe(1).f_code.co_filename
        if asking.startswith(_STDLIB) and not asking[len(_STDLIB) :].startswith(_PACKAGES):
            return getattr(object.__getattribute__(self, "__dict__")["_real"], name)
        return object.__getattribute__(self, name)


def _board_float(value: float) -> float:
    """Floats have 30 bits on a board: the last two of the mantissa are lost (CircuitPython REPR_C)."""
    bits = struct.unpack("<I", struct.pack("<f", value))[0] & ~3
    return float(struct.unpack("<f", struct.pack("<I", bits))[0])


def make_time() -> ModuleType:
    """`time` as far as CircuitPython has it."""
    module: Any = StandIn(pc_time)

    def sleep(seconds: float) -> None:
        if seconds < 0:
            raise ValueError("sleep length must be non-negative")
        core.current().sleep(round(seconds * 1_000_000))

    def monotonic() -> float:
        chip = core.current()
        chip.ask()
        return _board_float(chip.now // 1000 * 0.001)

    def monotonic_ns() -> int:
        chip = core.current()
        chip.ask()
        return chip.now * 1000

    def time() -> int:
        # No clock keeps running without power: the RTC of a board starts in the year 2000.
        chip = core.current()
        chip.ask()
        return 946_684_800 + chip.now // 1_000_000

    for function in (sleep, monotonic, monotonic_ns, time):
        setattr(module, function.__name__, function)
    module.struct_time = pc_time.struct_time
    module.localtime = lambda seconds=None: pc_time.gmtime(time() if seconds is None else seconds)
    return module


def make_gc() -> ModuleType:
    """`gc`: figures of a Pico with nothing loaded; collecting on the PC would only cost time."""
    module: Any = StandIn(pc_gc)
    free = 160_000
    module.collect = lambda: core.current().alive()
    module.mem_free = lambda: free
    module.mem_alloc = lambda: 0
    module.enable = module.disable = lambda: None
    module.isenabled = lambda: True
    module.threshold = lambda value=-1: value
    return module


def make_micropython() -> ModuleType:
    """`micropython`."""
    module: Any = ModuleType("micropython", "micropython of CircuitPython on the simulated board")
    module.const = lambda value: value
    module.heap_lock = module.heap_unlock = lambda: 0
    module.opt_level = lambda level=0: level
    module.mem_info = lambda verbose=False: None
    module.stack_use = lambda: 0
    return module
