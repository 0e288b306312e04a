"""For tests of the simulated board: a chip without a program, and small programs in a folder."""

import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from host_sim.chip import blinka_module, core

OPEN_DISPLAY = """
import board, busio, displayio, i2cdisplaybus
from adafruit_displayio_sh1106 import SH1106
displayio.release_displays()
i2c = busio.I2C(board.GP5, board.GP4, frequency=400_000)
display = SH1106(i2cdisplaybus.I2CDisplayBus(i2c, device_address=0x3C),
                 width=128, height=64, colstart=2, auto_refresh=False)
"""


@contextmanager
def bare_chip(**options: Any) -> Iterator[core.Chip]:
    """A chip on which the stand-in modules work, without a program; its clock never stops."""
    blinka_module().restart()
    chip = core.Chip(**options)
    core.enter(chip)
    try:
        yield chip
    finally:
        core.leave()
        blinka_module().restart()


def open_display(chip: core.Chip, **options: Any) -> Any:
    """The driver on the reference wiring, as the program opens it."""
    import busio
    import i2cdisplaybus
    from adafruit_displayio_sh1106 import SH1106

    i2c = busio.I2C(chip.pins[5], chip.pins[4], frequency=400_000)
    bus = i2cdisplaybus.I2CDisplayBus(i2c, device_address=0x3C)
    return SH1106(bus, width=128, height=64, colstart=2, auto_refresh=False, **options)


def program(folder: Path, source: str, files: dict[str, str] | None = None) -> Path:
    """The folder, with this code.py and these other files."""
    for name, text in {"code.py": source, **(files or {})}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text), encoding="utf-8")
    return folder
