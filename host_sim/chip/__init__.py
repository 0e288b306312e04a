"""The simulated chip and the CircuitPython modules on it. For host_sim only.

Each file named like a CircuitPython module is its stand-in. `Modules` puts them where a running
program imports from, and takes them away again when the host's own code runs.
"""

from __future__ import annotations

import builtins
import importlib
import os
import sys
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType, ModuleType, SimpleNamespace
from typing import Any

from host_sim.chip import core, drive, pylib

_PC_SIDE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep

STAND_INS = (
    "alarm",
    "busio",
    "digitalio",
    "keypad",
    "microcontroller",
    "neopixel_write",
    "pwmio",
    "rotaryio",
    "storage",
    "supervisor",
    "watchdog",
)

_USB = {
    "usb_cdc": ("enable", "disable"),
    "usb_hid": ("enable", "disable"),
    "usb_midi": ("enable", "disable"),
}


def stand_ins() -> dict[str, ModuleType]:
    """Name -> module, for all that a program can import but `board`; made once."""
    if not _made:
        _made["micropython"] = pylib.make_micropython()
        for name in STAND_INS:
            _made[name] = importlib.import_module(f"host_sim.chip.{name}")
        # Blinka looks these up by name while it is imported.
        sys.modules.update(_made)
        blinka = importlib.import_module("host_sim.chip.blinka")
        blinka.patch()
        fontio = importlib.import_module("fontio")
        _made["terminalio"] = blinka.make_terminalio(fontio)
        sys.modules["terminalio"] = _made["terminalio"]
        for name in (
            "adafruit_display_text.label",
            "adafruit_display_text.bitmap_label",
            "adafruit_displayio_sh1106",
            "bitmaptools",
            "vectorio",
        ):
            importlib.import_module(name)
        for name, functions in _USB.items():
            module = ModuleType(name)
            for function in functions:
                setattr(module, function, lambda *_, **__: None)
            _made[name] = module
        _made["time"] = pylib.make_time()
        _made["gc"] = pylib.make_gc()
        _made["os"] = drive.make_os()
    return _made


_made: dict[str, ModuleType] = {}


def blinka_module() -> Any:
    """host_sim.chip.blinka, once the stand-ins that Blinka needs are in place."""
    stand_ins()
    return importlib.import_module("host_sim.chip.blinka")


def make_board(chip: core.Chip) -> ModuleType:
    """The module `board` of the chip's profile. With a display, the panel is set up here."""
    profile = chip.profile
    board = ModuleType("board", f"pins of {profile.name}")
    board.board_id = profile.board_id  # type: ignore[attr-defined]
    for name, number in profile.pins.items():
        setattr(board, name, chip.pins[number])
    made: dict[str, Any] = {}

    def i2c() -> Any:
        if "i2c" not in made:
            scl, sda = profile.i2c or (0, 0)
            made["i2c"] = sys.modules["busio"].I2C(chip.pins[scl], chip.pins[sda])
        return made["i2c"]

    def spi() -> Any:
        if "spi" not in made:
            clock_pin, mosi, miso = (chip.pins[n] for n in profile.spi or ())
            made["spi"] = sys.modules["busio"].SPI(clock_pin, mosi, miso)
        return made["spi"]

    if profile.i2c:
        board.I2C = board.STEMMA_I2C = i2c  # type: ignore[attr-defined]
    if profile.spi:
        board.SPI = spi  # type: ignore[attr-defined]
    if profile.display:
        board.DISPLAY = _display(chip)  # type: ignore[attr-defined]
    return board


def _display(chip: core.Chip) -> Any:
    """`board.DISPLAY` as the firmware sets it up. Source: the MacroPad's board.c."""
    import adafruit_displayio_sh1106 as driver
    import busdisplay
    import fourwire

    wiring, pins = chip.wiring, chip.pins
    busio = sys.modules["busio"]
    bus = fourwire.FourWire(
        busio.SPI(pins[wiring.clock], pins[wiring.mosi]),
        command=pins[wiring.dc],
        chip_select=pins[wiring.cs],
        reset=pins[wiring.reset],
        baudrate=10_000_000,
    )
    # The driver's sequence but for the VCOM level, which board.c sets to 0x20.
    start = driver._INIT_SEQUENCE.replace(b"\xdb\x01\x40", b"\xdb\x01\x20")
    return busdisplay.BusDisplay(
        bus,
        start,
        width=128,
        height=64,
        colstart=2,
        color_depth=1,
        grayscale=True,
        pixels_in_byte_share_row=False,
        data_as_commands=True,
        brightness_command=0x81,
        single_byte_bounds=True,
        SH1107_addressing=True,
    )


_codes: dict[tuple[str, int, int], CodeType] = {}


def compiled(path: str) -> CodeType:
    """A file of the program, compiled once as long as it stays the same.

    Two thirds of a start went into compiling where Python writes no .pyc files; tests that cut the
    power after every byte start the program thousands of times.
    """
    state = os.stat(path)
    key = (path, state.st_mtime_ns, state.st_size)
    if key not in _codes:
        with drive._open(path, "rb") as file:
            _codes[key] = compile(file.read(), path, "exec", dont_inherit=True)
    return _codes[key]


class _Loader(SourceFileLoader):
    def get_code(self, fullname: str) -> CodeType:
        return compiled(self.path)


class _Finder:
    """Finds the program's modules first, and loads them without compiling twice."""

    def __init__(self, modules: Modules) -> None:
        self._modules = modules

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """As PathFinder, for files of the program only."""
        where = self._modules.path if path is None else path
        spec = PathFinder.find_spec(name, where, target)
        if spec is None or type(spec.loader) is not SourceFileLoader:
            return None
        if not self._modules.owns_file(spec.origin):
            return None
        spec.loader = _Loader(name, spec.loader.path)
        return spec


class Modules:
    """Swaps what the program sees for what the host sees, and back."""

    def __init__(self, chip: core.Chip, files: drive.Drive, serial: Any) -> None:
        self.chip = chip
        self.files = files
        self.seen = dict(stand_ins())
        self.own: dict[str, ModuleType] = {}
        """Modules that the program imported from its own folder."""
        self.path = [str(files.root), str(files.root / "lib")]
        self.serial = serial
        self._host = SimpleNamespace()
        self._finder: Any = _Finder(self)
        self._others: set[str] = set()  # names looked at: not of the program's folder

    def owns(self, module: Any) -> bool:
        """True for a module of the program: under its folder, but not of the PC side."""
        return module.__name__ != "__main__" and self.owns_file(getattr(module, "__file__", None))

    def owns_file(self, file: str | None) -> bool:
        """As `owns`, by path."""
        root = str(self.files.root) + os.sep
        if not file or not file.startswith(root):
            return False
        if file.startswith(_PC_SIDE) or "site-packages" in file:
            return False  # this simulator or a virtual environment somewhere below
        inside = file[len(root) :].split(os.sep)
        return not inside[0].startswith(".") and inside[0] not in ("host_sim", "tests", "venv")

    def enter(self) -> None:
        """From here on the program's modules, `open`, standard output."""
        core.enter(self.chip)
        drive.enter(self.files)
        hidden = {name: sys.modules.pop(name) for name in self._program_names()}
        for name in self.seen:
            if name in sys.modules:
                hidden[name] = sys.modules[name]
        self._host = SimpleNamespace(modules=hidden, path=sys.path[:], out=sys.stdout)
        sys.modules.update(self.seen)
        sys.modules.update(self.own)
        sys.path[:0] = self.path
        sys.meta_path.insert(0, self._finder)
        sys.stdout = self.serial
        builtins.open = self.files.open

    def _program_names(self) -> list[str]:
        """Names in sys.modules that are of the program's folder, whoever imported them."""
        found = []
        for name in sys.modules.keys() - self._others:
            if name not in self.seen and self.owns(sys.modules[name]):
                found.append(name)
            else:
                self._others.add(name)
        return found

    def leave(self) -> None:
        """Back to the host's."""
        builtins.open = drive._open
        sys.stdout = self._host.out
        sys.path[:] = self._host.path
        sys.meta_path.remove(self._finder)
        self.own = {name: sys.modules[name] for name in self._program_names()}
        for name in (*self.own, *self.seen):
            sys.modules.pop(name, None)
        sys.modules.update(self._host.modules)
        # Blinka and what is built on it look these up at any time.
        for name in (*STAND_INS, "terminalio", "micropython"):
            sys.modules[name] = stand_ins()[name]
        drive.leave()
        core.leave()
