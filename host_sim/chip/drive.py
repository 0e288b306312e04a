"""The CIRCUITPY drive of the simulated board: `open`, and the module `os` of a program on it.

Reading sees the program's folder; what the program writes goes to a folder of its own, so that the
sources are never touched. Writing is refused, as on a board, until boot.py makes the drive writable.
"""

from __future__ import annotations

import builtins
import errno
import os
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

from host_sim.chip import core
from host_sim.chip.pylib import StandIn


class Drive:
    """`root` is read, `changes` is written and read first; both may hold the same path."""

    def __init__(self, root: Path, changes: Path | None = None) -> None:
        self.root = root
        self.changes = changes
        self.booting = False
        """True while boot.py runs."""
        self._writable = False

    @property
    def writable(self) -> bool:
        """For the program; the PC's side is another matter."""
        return self._writable and self.changes is not None

    @writable.setter
    def writable(self, value: bool) -> None:
        self._writable = value

    def _parts(self, path: str) -> Path:
        clean = os.path.normpath("/" + str(path)).lstrip("/")
        return Path(clean)

    def find(self, path: str) -> Path:
        """Where a path of the board is on the PC; OSError 2 if nowhere."""
        part = self._parts(path)
        for folder in (self.changes, self.root):
            if folder is not None and (folder / part).exists():
                return folder / part
        raise OSError(errno.ENOENT, "No such file/directory", str(path))

    def target(self, path: str) -> Path:
        """Where to write that path; OSError 30 on a read-only drive."""
        if not self._writable or self.changes is None:
            raise OSError(errno.EROFS, "Read-only filesystem", str(path))
        return self.changes / self._parts(path)

    def open(self, file: Any, mode: str = "r", *args: Any, **kwargs: Any) -> Any:
        """As `open` on the board. Text is UTF-8 there."""
        core.current().alive()
        if "b" not in mode:
            kwargs.setdefault("encoding", "utf-8")
        if not set(mode) & set("wax+"):
            return _open(self.find(file), mode, *args, **kwargs)
        target = self.target(file)
        target.parent.mkdir(parents=True, exist_ok=True)
        if "w" not in mode and "x" not in mode and not target.exists():
            try:
                target.write_bytes(self.find(file).read_bytes())
            except OSError:
                if "r" in mode:
                    raise
        return _open(target, mode, *args, **kwargs)

    def setting(self, key: str, default: Any = None) -> Any:
        """`os.getenv`: always text, as CircuitPython 10.2 gives it; the file is read each time."""
        try:
            text = self.find("settings.toml").read_text(encoding="utf-8", errors="replace")
        except OSError:
            return default
        value = setting_in(text, key)
        return default if value is None else value


_ESCAPES = {"b": "\b", "r": "\r", "n": "\n", "t": "\t", "v": "\v", "f": "\f"}


def setting_in(text: str, key: str) -> str | None:
    """A value in settings.toml as CircuitPython finds it, None if it does not.

    Not TOML in full: lines without the key are skipped whatever they hold, a `[section]` ends the
    file, a bare word goes up to a `#`. Source: supervisor/shared/settings.c of CircuitPython 10.2.
    """
    for line in text.split("\n"):
        line = line.lstrip()
        if line.startswith("["):
            return None
        name, equals, value = line.partition("=")
        if not equals or name.rstrip() != key:
            continue
        value = value.lstrip()
        if value.startswith('"'):
            return _quoted(value[1:])
        return value.partition("#")[0].rstrip() or None
    return None


def _quoted(rest: str) -> str | None:
    found = ""
    at = 0
    while at < len(rest):
        character = rest[at]
        at += 1
        if character == '"':
            return found if rest[at:].lstrip()[:1] in ("", "#") else None
        if character == "\\":
            character, at = rest[at : at + 1], at + 1
            if character in ("u", "U"):
                size = 4 if character == "u" else 8
                try:
                    character, at = chr(int(rest[at : at + size], 16)), at + size
                except (ValueError, OverflowError):
                    return None
            else:
                character = _ESCAPES.get(character, character)
        found += character
    return None


_open = builtins.open
_drives: list[Drive] = []


def current() -> Drive:
    """The drive of the running program."""
    return _drives[-1]


def enter(drive: Drive) -> None:
    """Make this the drive of the running program."""
    _drives.append(drive)


def leave() -> None:
    """Back to the one before."""
    _drives.pop()


def make_os() -> ModuleType:
    """The module `os` as far as CircuitPython has it."""
    module: Any = StandIn(os)

    def getenv(key: str, default: Any = None) -> Any:
        core.current().alive()
        return current().setting(key, default)

    def urandom(size: int) -> bytes:
        core.current().alive()
        return core.current().random.randbytes(size)

    def uname() -> SimpleNamespace:
        machine = core.current().profile.machine
        return SimpleNamespace(
            sysname="rp2040",
            nodename="rp2040",
            release="10.2.1",
            version="10.2.1 on 2026-01-01",
            machine=machine,
        )

    def listdir(path: str = "/") -> list[str]:
        drive = current()
        part = drive._parts(path)
        names: set[str] = set()
        for folder in (drive.root, drive.changes):
            if folder is not None and (folder / part).is_dir():
                names.update(entry.name for entry in (folder / part).iterdir())
        if not names:
            drive.find(path)
        return sorted(names)

    def stat(path: str) -> tuple[int, ...]:
        found = os.stat(current().find(path))
        return (found.st_mode & 0xF000, 0, 0, 0, 0, 0, found.st_size, 0, 0, 0)

    def remove(path: str) -> None:
        target = current().target(path)
        current().find(path)
        if not target.exists():
            raise OSError(errno.EROFS, "Read-only filesystem", path)  # part of the program itself
        target.unlink()

    def rename(old: str, new: str) -> None:
        drive = current()
        target = drive.target(new)
        source = drive.find(old)
        target.parent.mkdir(parents=True, exist_ok=True)  # a file of that name is replaced
        source.replace(target)

    def mkdir(path: str) -> None:
        current().target(path).mkdir(parents=True)

    def rmdir(path: str) -> None:
        current().target(path).rmdir()

    def statvfs(path: str) -> tuple[int, ...]:
        current().find(path)
        return (512, 512, 2014, 1500, 1500, 0, 0, 0, 0, 255)

    def getcwd() -> str:
        return "/"

    def sync() -> None:
        core.current().alive()

    made = (getenv, urandom, uname, listdir, stat, remove, rename, mkdir, rmdir, statvfs, getcwd)
    for function in (*made, sync):
        setattr(module, function.__name__, function)
    module.unlink = remove
    module.sep = "/"
    return module
