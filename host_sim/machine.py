"""A simulated board with a program: boots a folder's `code.py` unchanged, on a simulated clock.

Front ends, the script runner and tests drive it from outside: `boot`, `press`, `run`, `idle`, `power`.

When is the program idle? Nothing outside can tell a program that waits for a button from one that
thinks in small steps or shows something for a while, so the program tells by how it sleeps:

- Waiting for a button and nothing else: it looks at its key queue, finds it empty and sleeps for
  10 ms or more at a time (`REST_US`). That is "resting".
- Thinking, moving something, holding a picture for a moment: it sleeps for less than 10 ms at a
  time, 1 to 5 ms, or not at all. That is "busy", though keys are looked at meanwhile.

`idle` is reached when for 200 ms of simulated time no byte went to the panel, nothing was written to
nvm, no key moved, every sleep was a rest, all queues are empty, and the program has looked at one
since. On a board the same rule saves power: it rests only when nothing is due.

The program runs in a thread of its own, but never at the same time as the rest: it has the floor only
inside the methods here, and hands over when the clock reaches the time that was asked for. So all is
as repeatable as in one thread.
"""

from __future__ import annotations

import ctypes
import io
import linecache
import queue
import sys
import threading
import traceback
from collections import deque
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Any, Self

from PIL import Image

from host_sim.chip import Modules, blinka_module, compiled, core, make_board, stand_ins
from host_sim.chip.drive import Drive
from host_sim.chip.profiles import PROFILES, Wiring
from host_sim.panel import FeatherWing, Panel
from host_sim.script import GAP_MS, PRESS_MS

REPOSITORY = Path(__file__).resolve().parent.parent
IDLE_LIMIT_MS = 120_000
BOOT_MS = core.BOOT_US // 1000
"""From power-on until the program starts; players need not sit through it."""


class FirmwareError(Exception):
    """The program ended with an exception; the text is its traceback."""


class NotIdle(Exception):
    """The program did not come to rest within the limit."""


class _Serial(io.TextIOBase):
    """Standard output of the program."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write

    def write(self, text: str) -> int:
        """To whoever listens."""
        self._write(text)
        return len(text)

    def writable(self) -> bool:
        """It is."""
        return True


class Machine:
    """One board. `nvm` and `changes` (files written by the program) survive `power`."""

    def __init__(
        self,
        root: str | Path = REPOSITORY,
        *,
        profile: str = "pico",
        seed: int = 0,
        nvm: bytearray | None | bool = True,
        changes: Path | None = None,
        wiring: Wiring | None = None,
        serial: Callable[[str], None] | None = None,
        saved: Callable[[int, int], None] | None = None,
    ) -> None:
        """`root`: a folder with code.py, or a single file that is run in its place.

        `nvm`: 4096 bytes that are used as they are, or True for blank ones, or None for a board
        without. `saved(start, stop)` is called after each write to it. `changes`: a folder for what
        the program writes to its drive; without one the drive stays read-only. Files in it, a
        settings.toml for one, go before those of the program's folder. `serial` gets what
        the program prints.
        """
        root = Path(root).resolve()
        self.entry = root if root.is_file() else root / "code.py"
        self.root = root.parent if root.is_file() else root
        modules = stand_ins()
        self.microcontroller: Any = modules["microcontroller"]
        self.supervisor: Any = modules["supervisor"]
        wired = PROFILES[profile].wiring if wiring is None else wiring
        kind = FeatherWing if wired.panel == "featherwing" else Panel
        self.panel: Panel = kind(self._panel_written)
        self.chip = core.Chip(PROFILES[profile], wiring=wired, panel=self.panel, seed=seed)
        self.chip.boots = 0
        data = nvm if isinstance(nvm, bytearray) else bytearray(b"\xff" * 4096)
        self.nvm = None if nvm is None else self.microcontroller.ByteArray(data, saved)
        self.drive = Drive(self.root, changes)
        self.changes = changes
        self.serial_text: deque[str] = deque(maxlen=10_000)
        """What the program printed, if no `serial` was given."""
        self._serial = _Serial(serial or self.serial_text.append)
        self.on_panel: Callable[[], None] | None = None
        """Called after each write to the panel."""
        self.hang_s = 60.0
        """Seconds of the PC after which a program that never lets time pass is given up."""
        self.off = True
        """No power: before `boot`, after a power cut."""
        self.ended = False
        """The program has come to its end; the board does nothing more."""
        self.crashes: list[str] = []
        """Tracebacks of programs that ended with an exception."""
        self.panel_at = 0
        """When the panel was last written to, in microseconds since power-on."""
        self._thread: threading.Thread | None = None
        self._handover()
        self._failure: BaseException | None = None
        self._modules: Modules | None = None

    # -- power ----------------------------------------------------------------------------------

    def boot(self) -> None:
        """Power on: the program starts, and has the floor until it first lets time pass."""
        if not self.off:
            self.cut()
        self.panel.power_on(self.chip.seed + self.chip.boots)
        self._start(hard=True, crash=None)
        self.run(0)

    def cut(self) -> None:
        """Power off at this very instant. What is in nvm and on the drive stays."""
        self.chip.dead = True
        if self._thread is not None:
            self._give_floor()
        self.off = True
        self.panel.on = False

    def power(self) -> None:
        """Cut the power at this instant and boot again."""
        self.cut()
        self.boot()

    def close(self) -> None:
        """Power off for good."""
        self.cut()

    def __enter__(self) -> Self:
        if self.off:
            self.boot()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        self.close()

    # -- from outside ---------------------------------------------------------------------------

    @property
    def now_ms(self) -> float:
        """Milliseconds since power-on."""
        return self.chip.now / 1000

    def run(self, ms: float) -> None:
        """Let simulated time pass. FirmwareError if the program ends with an exception meanwhile."""
        self._until(self.chip.now + round(ms * 1000))

    def hold(self, name: str) -> None:
        """Press a button and keep it down: LEFT RIGHT OK BACK, on a MacroPad ENCODER, KEY1..KEY12 too."""
        self.chip.press(self.chip.profile.buttons[name])

    def release(self, name: str) -> None:
        """Let a button go."""
        self.chip.release(self.chip.profile.buttons[name])

    def press(self, name: str, ms: float = PRESS_MS) -> None:
        """Press, let that much time pass, release; 60 ms later the next press can follow."""
        self.hold(name)
        self.run(ms)
        self.release(name)
        self.run(GAP_MS)

    def unplug(self) -> None:
        """Pull the panel's cable: dark, and nothing acknowledges."""
        self.chip.panel_there = False
        self.panel.on = False
        self.panel.changes += 1

    def plug(self) -> None:
        """Put it back: the panel has lost its settings and its picture."""
        self.chip.panel_there = True
        self.panel.power_on(seed=1)

    def turn(self, detents: int) -> None:
        """Turn the encoder, if the board has one."""
        self.chip.turn(detents)

    def idle(self, limit_ms: float = IDLE_LIMIT_MS) -> None:
        """Until the program waits for a button and the panel has been quiet for 200 ms.

        A program that has ended is idle. NotIdle after `limit_ms`.
        """
        if self.off or self.ended:
            return
        start = self.chip.now
        self.chip.idle_wanted = True
        self.chip.idle_reached = False
        self._until(start + round(limit_ms * 1000))
        self.chip.idle_wanted = False
        if not self.chip.idle_reached and not self.ended and not self.off:
            raise NotIdle(f"the program was still busy after {limit_ms / 1000:g} s")

    def printed(self) -> str:
        """The last line that the program printed."""
        lines = "".join(list(self.serial_text)[-20:]).rstrip().splitlines()
        return lines[-1] if lines else ""

    def pixels(self) -> bytes:
        """128 * 64 bytes of 0 or 1: what a viewer sees."""
        return self.panel.pixels()

    def text(self) -> str:
        """32 lines of half-block characters."""
        return "\n".join(self.panel.text())

    def image(self, scale: int = 4) -> Image.Image:
        """The panel as a picture."""
        return self.panel.image(scale)

    def shot(self, path: str | Path, scale: int = 4) -> None:
        """Write the panel as a PNG."""
        self.image(scale).save(path)

    # -- the program's side ---------------------------------------------------------------------

    def _panel_written(self) -> None:
        self.panel_at = self.chip.now
        if self.on_panel is not None:
            self.on_panel()

    def _start(self, hard: bool, crash: str | None) -> None:
        """A thread for a new run of the program; it does not have the floor yet."""
        now = self.chip.now
        self.chip.restart()
        if not hard:
            self.chip.now = now
        self.chip.pause = self._pause
        self.chip.stop_at = self.chip.now
        self.chip.root = self.root
        self.drive.booting = False
        if hard:
            self.drive.writable = False
        self._modules = Modules(self.chip, self.drive, self._serial)
        self.off = self.ended = False
        self._failure = None
        self._handover()
        self._thread = threading.Thread(target=self._main, args=(hard, crash), daemon=True)
        self._thread.start()

    def _handover(self) -> None:
        # Not semaphores, which are Python code: Ctrl-C in the middle of one can lose a wake-up for good.
        self._to_program: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._to_host: queue.SimpleQueue[None] = queue.SimpleQueue()

    def _pause(self) -> None:
        """The program hands over to the host and waits."""
        self._to_host.put(None)
        self._to_program.get()

    def _main(self, hard: bool, crash: str | None) -> None:
        self._to_program.get()
        try:
            self.chip.alive()
            self._run_files(hard, crash)
        except BaseException as error:  # noqa: BLE001 - whatever ended it, the host has to know
            self._failure = error
        self._thread = None
        self._to_host.put(None)

    def _run_files(self, hard: bool, crash: str | None) -> None:
        assert self._modules is not None
        chip = self.chip
        blinka = blinka_module()
        blinka.restart()
        reason = self.supervisor.RunReason
        self.supervisor.restart(crash, reason.STARTUP if hard else reason.SUPERVISOR_RELOAD)
        self.microcontroller.nvm = self.nvm
        self.microcontroller.cpu = self.microcontroller.Processor()
        self.microcontroller.watchdog = self.microcontroller.WatchDogTimer()
        sys.modules["board"] = board = make_board(chip)
        self._modules.seen["board"] = board
        # What the firmware's own start costs is part of the fixed time before boot.py.
        chip.now = max(chip.now, 0) if not hard else 0
        chip.advance(core.BOOT_US if hard else 100_000)
        blinka.refresh_automatically(chip)
        if hard and self.entry.name == "code.py" and (self.root / "boot.py").exists():
            self.drive.booting = True
            self._run_file(self.root / "boot.py")
            self.drive.booting = False
        self._run_file(self.entry)

    def _run_file(self, path: Path) -> None:
        module = ModuleType("__main__")
        module.__file__ = str(path)
        exec(compiled(str(path)), module.__dict__)  # noqa: S102 - as the board does

    # -- handing over ---------------------------------------------------------------------------

    def _until(self, when: int) -> None:
        """Give the floor to the program until the clock is there, restarting it when it asks."""
        if self.off:
            return
        self.chip.stop_at = when
        while not self.ended and not self.off:
            self._give_floor()
            if self._thread is not None:
                self.chip.stop_at = core.NEVER
                return
            when = self._ended(when)
            self.chip.stop_at = when
        if self.ended:
            # Nobody is there to let time pass: the chip's clock goes on all the same.
            self.chip.now = max(self.chip.now, when)

    def _ended(self, when: int) -> int:
        """The program's thread is gone: why, and does it start again? The time to stop at."""
        failure = self._failure
        if isinstance(failure, core.PowerCut):
            self.off = True
            self.panel.on = False
            return when
        then = self.supervisor.take_next()
        if isinstance(failure, core.Reset):
            left = when - self.chip.now
            if failure.hard:
                self.panel.reset()
            self._start(hard=failure.hard, crash=None)
            return self.chip.now + left
        if failure is None or isinstance(failure, SystemExit):
            if then.get("reload_on_success"):
                self._start(hard=False, crash=None)
            else:
                self.ended = True
            return when
        text = self._trace(failure)
        self.crashes.append(text)
        if then.get("reload_on_error"):
            self._start(hard=False, crash=text)
            return when
        self.ended = True
        raise FirmwareError(text) from failure

    def _trace(self, failure: BaseException) -> str:
        """The traceback from the program's own first line on."""
        tb = failure.__traceback__
        start = tb
        while start is not None and start.tb_frame.f_code.co_filename not in (
            str(self.entry),
            str(self.root / "boot.py"),
        ):
            start = start.tb_next
        linecache.checkcache()
        return "".join(traceback.format_exception(type(failure), failure, start or tb))

    def _give_floor(self) -> None:
        """The program runs; back when it hands over or ends."""
        modules = self._modules
        thread = self._thread
        assert modules is not None and thread is not None
        modules.enter()
        try:
            self._to_program.put(None)
            back = self._wait()
        finally:
            modules.leave()
        if not back:
            raise FirmwareError(self._hang(thread))

    def _wait(self) -> bool:
        """False if the program does not hand over."""
        try:
            return self._taken(self.hang_s)
        except KeyboardInterrupt:
            # Let it come to its next look at the clock, so that two things never run at once.
            self.chip.stop_at = self.chip.now
            self._taken(2)
            raise

    def _taken(self, seconds: float) -> bool:
        try:
            self._to_host.get(timeout=seconds)
        except queue.Empty:
            return False
        return True

    def _hang(self, thread: threading.Thread) -> str:
        frame = sys._current_frames().get(thread.ident or 0)
        where = "".join(traceback.format_stack(frame)) if frame is not None else ""
        self.off = True
        self.chip.dead = True
        self._thread = None
        # The loop would go on for ever beside the rest of this process.
        number, cut = ctypes.c_ulong(thread.ident or 0), ctypes.py_object(core.PowerCut)
        ctypes.pythonapi.PyThreadState_SetAsyncExc(number, cut)
        thread.join(2)
        return (
            f"The program neither sleeps nor asks the time for {self.hang_s:g} s; it is at\n{where}"
        )
