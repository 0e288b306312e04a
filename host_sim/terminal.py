"""Playing in a terminal: half blocks where there is room, braille where there is less.

For host_sim only. Whatever happens, the terminal is left as it was.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from host_sim.machine import BOOT_MS, Machine
from host_sim.panel import HEIGHT, WIDTH

HELP = "arrows move  Enter OK  Esc back  O/B hold OK/back  P power  Ctrl-C ends"
_WIDE = (WIDTH, HEIGHT // 2)
_SMALL = (WIDTH // 2, HEIGHT // 4)
_FRAME_S = 1 / 60
_TAP_MS = 60
_HOLD_MS = 1000
_GAP_MS = 60
_ESCAPE_S = 0.03  # an escape sequence arrives faster than that, a finger's Escape stays alone

_KEYS = {
    b"\x1b[A": "LEFT",
    b"\x1b[B": "RIGHT",
    b"\x1b[C": "RIGHT",
    b"\x1b[D": "LEFT",
    b"\x1bOA": "LEFT",
    b"\x1bOB": "RIGHT",
    b"\x1bOC": "RIGHT",
    b"\x1bOD": "LEFT",
    b"\r": "OK",
    b"\n": "OK",
    b" ": "OK",
    b"o": "OK",
    b"\x1b": "BACK",
    b"\x7f": "BACK",
    b"\x08": "BACK",
    b"b": "BACK",
    b"l": "LEFT",
    b"r": "RIGHT",
}
_HELD = {b"O": "OK", b"B": "BACK", b"L": "LEFT", b"R": "RIGHT"}


class TerminalError(Exception):
    """One plain line: why it cannot be played here, and what to do."""


def braille(seen: bytes) -> list[str]:
    """16 lines of 64 characters; each holds 2 by 4 pixels."""
    # Dots 1 2 3 7 are the left column from the top, 4 5 6 8 the right one (Unicode, 2800..28FF).
    dots = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
    lines = []
    for top in range(0, HEIGHT, 4):
        line = []
        for left in range(0, WIDTH, 2):
            code = 0x2800
            for y in range(4):
                at = (top + y) * WIDTH + left
                code |= dots[y][0] * seen[at] | dots[y][1] * seen[at + 1]
            line.append(chr(code))
        lines.append("".join(line))
    return lines


def picture(machine: Machine, columns: int, rows: int) -> list[str] | None:
    """The panel as lines that fit; None if nothing does."""
    if columns >= _WIDE[0] and rows >= _WIDE[1]:
        return machine.panel.text()
    if columns >= _SMALL[0] and rows >= _SMALL[1]:
        return braille(machine.pixels())
    return None


def too_small(columns: int, rows: int) -> str:
    """What to say then."""
    return (
        f"This terminal has {columns} columns and {rows} rows; "
        f"the picture needs {_SMALL[0]} by {_SMALL[1]} or more."
    )


class Keyboard:
    """Bytes from the terminal as presses: (button, milliseconds)."""

    def __init__(self) -> None:
        self._waiting = b""
        self._since = 0.0

    def feed(self, arrived: bytes, now: float) -> Iterator[tuple[str, int]]:
        """What was pressed; `now` in seconds tells a lone Escape from the start of a sequence."""
        if arrived:
            self._waiting += arrived
            self._since = now
        while self._waiting:
            first = self._waiting[:1]
            if first != b"\x1b":
                self._waiting = self._waiting[1:]
                yield from self._one(first)
                continue
            if len(self._waiting) == 1:
                if now - self._since < _ESCAPE_S:
                    return
                self._waiting = b""
                yield from self._one(b"\x1b")
                continue
            if self._waiting[1:2] not in (b"[", b"O"):
                self._waiting = self._waiting[1:]
                yield from self._one(b"\x1b")
                continue
            end = 2
            while end < len(self._waiting) and not 0x40 <= self._waiting[end] <= 0x7E:
                end += 1
            if end >= len(self._waiting):
                if now - self._since >= _ESCAPE_S:
                    self._waiting = b""
                return
            sequence, self._waiting = self._waiting[: end + 1], self._waiting[end + 1 :]
            yield from self._one(sequence)

    @staticmethod
    def _one(key: bytes) -> Iterator[tuple[str, int]]:
        if key in _KEYS:
            yield _KEYS[key], _TAP_MS
        elif key in _HELD:
            yield _HELD[key], _HOLD_MS
        elif key in (b"p", b"P"):
            yield "POWER", 0


class Fingers:
    """Presses one after the other on the machine's clock; a terminal does not tell of releases."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._todo: list[tuple[str, int]] = []
        self._down = ""
        self._until = 0.0

    def add(self, name: str, ms: int) -> None:
        """One more; a few wait at most, so that a key that repeats does not run on for seconds."""
        if len(self._todo) < 4:
            self._todo.append((name, ms))

    def run(self, ms: float) -> None:
        """Let time pass, pressing and releasing what is due."""
        machine = self._machine
        end = machine.now_ms + ms
        while True:
            now = machine.now_ms
            if now >= self._until:
                if self._down:
                    machine.release(self._down)
                    self._down, self._until = "", now + _GAP_MS
                elif self._todo:
                    self._down, hold = self._todo.pop(0)
                    machine.hold(self._down)
                    self._until = now + hold
            if now >= end or machine.off:
                return
            due = self._until if self._until > now else end
            machine.run(min(end, due) - now)
            if machine.now_ms <= now:
                return


@contextmanager
def raw(fd: int) -> Iterator[list[bool]]:
    """Keys at once and unseen, on a screen of its own; undone on every way out. Yields [True] once the
    screen has been cleared behind the caller's back: the program was stopped and goes on."""
    import termios
    import tty

    before = termios.tcgetattr(fd)
    cleared = [False]

    def enter() -> None:
        tty.setcbreak(fd)
        _write("\x1b[?1049h\x1b[?25l\x1b[2J")

    def leave() -> None:
        _write("\x1b[?25h\x1b[?1049l")
        termios.tcsetattr(fd, termios.TCSADRAIN, before)

    def stop(_number: int, _frame: FrameType | None) -> None:
        leave()
        os.kill(os.getpid(), signal.SIGSTOP)
        enter()
        cleared[0] = True

    def end(number: int, _frame: FrameType | None) -> None:
        raise SystemExit(128 + number)

    handlers = {signal.SIGTSTP: stop} | dict.fromkeys(
        (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT), end
    )
    old = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    try:
        enter()
        yield cleared
    finally:
        leave()
        for number, handler in old.items():
            signal.signal(number, handler)


def _write(text: str) -> None:
    try:
        sys.stdout.buffer.write(text.encode("utf-8"))
        sys.stdout.buffer.flush()
    except OSError:  # the terminal is gone
        pass


def check() -> None:
    """TerminalError if this is no terminal to play in."""
    try:
        import termios  # noqa: F401
    except ImportError:
        raise TerminalError("Playing in a terminal needs Linux or macOS; use --window.") from None
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise TerminalError(
            "Standard input and output are not a terminal; `run --keys FILE` plays from a script."
        )
    columns, rows = os.get_terminal_size(sys.stdout.fileno())
    if columns < _SMALL[0] or rows < _SMALL[1]:
        raise TerminalError(too_small(columns, rows))


def play(machine: Machine) -> None:
    """Until Ctrl-C, on the real clock."""
    check()
    fd = sys.stdin.fileno()
    with raw(fd) as cleared:
        try:
            _loop(machine, fd, cleared)
        except KeyboardInterrupt:
            pass


def _loop(machine: Machine, fd: int, cleared: list[bool]) -> None:
    keyboard, fingers = Keyboard(), Fingers(machine)
    shown: list[str] = []
    size = (0, 0)
    seen = (-1, -1)
    machine.boot()
    machine.run(BOOT_MS)
    before = time.monotonic()
    while True:
        ready, _, _ = select.select([fd], [], [], _FRAME_S)
        arrived = os.read(fd, 1024) if ready else b""
        if ready and not arrived:
            return  # the terminal is gone
        now = time.monotonic()
        for name, ms in keyboard.feed(arrived, now):
            if name == "POWER":
                machine.power()
                machine.run(BOOT_MS)
                fingers = Fingers(machine)
            else:
                fingers.add(name, ms)
        fingers.run(min((now - before) * 1000, 100))
        before = now
        here = os.get_terminal_size(sys.stdout.fileno())
        if (here.columns, here.lines) != size or cleared[0]:
            cleared[0] = False
            size = (here.columns, here.lines)
            shown, seen = [], (-1, -1)
            _write("\x1b[2J")
        state = (machine.panel.changes, len(machine.serial_text))
        if state != seen:
            seen = state
            shown = _show(machine, size, shown)


def _show(machine: Machine, size: tuple[int, int], shown: list[str]) -> list[str]:
    """Write the lines that differ from `shown`; what is there now."""
    columns, rows = size
    lines = picture(machine, columns, rows)
    if lines is None:
        lines = [too_small(columns, rows)[:columns]]
    elif rows > len(lines):
        lines = [*lines, (machine.printed() or HELP)[: columns - 1].ljust(columns - 1)]
    out = []
    for row, line in enumerate(lines):
        if row >= len(shown) or shown[row] != line:
            out.append(f"\x1b[{row + 1};1H{line}")
    _write("".join(out))
    return lines
