"""The module `time` of a program on the simulated board."""

from __future__ import annotations

import struct
import time as pc_time
from types import ModuleType

from host_sim.chip import core


def _board_float(value: float) -> float:
    """Floats have 30 bits on a board: the last two of the mantissa are lost (CircuitPython REPR_C)."""
    bits = struct.unpack("<I", struct.pack("<f", value))[0] & ~3
    return float(struct.unpack("<f", struct.pack("<I", bits))[0])


def make_time() -> ModuleType:
    """`time` as far as CircuitPython has it."""
    module = ModuleType("time", "time of CircuitPython on the simulated board")

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
    module.struct_time = pc_time.struct_time  # type: ignore[attr-defined]
    module.localtime = lambda seconds=None: pc_time.gmtime(time() if seconds is None else seconds)  # type: ignore[attr-defined]
    return module


def make_gc() -> ModuleType:
    """`gc`: figures of a Pico with nothing loaded; collecting on the PC would only cost time."""
    module = ModuleType("gc", "gc of CircuitPython on the simulated board")
    free = 160_000
    module.collect = lambda: core.current().alive()  # type: ignore[attr-defined]
    module.mem_free = lambda: free  # type: ignore[attr-defined]
    module.mem_alloc = lambda: 0  # type: ignore[attr-defined]
    module.enable = module.disable = lambda: None  # type: ignore[attr-defined]
    module.isenabled = lambda: True  # type: ignore[attr-defined]
    module.threshold = lambda value=-1: value  # type: ignore[attr-defined]
    return module


def make_micropython() -> ModuleType:
    """`micropython`."""
    module = ModuleType("micropython", "micropython of CircuitPython on the simulated board")
    module.const = lambda value: value  # type: ignore[attr-defined]
    module.heap_lock = module.heap_unlock = lambda: 0  # type: ignore[attr-defined]
    module.opt_level = lambda level=0: level  # type: ignore[attr-defined]
    module.mem_info = lambda verbose=False: None  # type: ignore[attr-defined]
    module.stack_use = lambda: 0  # type: ignore[attr-defined]
    return module
