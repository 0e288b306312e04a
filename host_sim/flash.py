"""`python -m host_sim flash`: puts the program on a mounted board. For host_sim only.

A board may be unplugged at any instant, so at every instant it holds a whole program that starts:
the new one is first copied to /next beside the old one; then a code.txt, which CircuitPython
prefers to code.py, starts it from there while the old files are replaced; then both go. /next is
known by its manifest, which is the first file there and the last that goes.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import string
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import click

from host_sim import drive
from host_sim.drive import MANIFEST, SETTINGS

OLDEST = (9, 0)
"""Since then display buses have the names that the program uses, and .mpy files version 6."""
STAGE = "next"
LAUNCHER = "code.txt"
_MOVING = f"{STAGE}/moving"
START_STAGED = b"""\
# Written by flash and removed by it: starts the new program while the old one is being replaced.
import sys

sys.path.insert(0, "/next/lib")
sys.path.insert(0, "/next")
with open("/next/code.py") as file:
    source = file.read()
exec(source)
"""
_HELLO = re.compile(rb"\s*print\(.Hello World!.\)\s*")  # code.py of a fresh CircuitPython
_PLACES = ("/media/*/*", "/run/media/*/*", "/media/*", "/mnt/*", "/Volumes/*")


class FlashError(Exception):
    """Why the board was not flashed and what to do, in one line."""


class Volume:
    """A mounted drive. Every change is on the board when the method returns."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def read(self, name: str) -> bytes | None:
        """A file's contents as the board has them, None if there is no such file."""
        try:
            with open(self.root / name, "rb") as file:
                if hasattr(os, "posix_fadvise"):
                    # Not what this PC remembers having written.
                    os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
                return file.read()
        except (FileNotFoundError, NotADirectoryError):
            return None

    def write(self, name: str, content: bytes) -> None:
        """Make or replace a file. Not safe against a cut: half of it may be there."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        self._sync(path.parent)

    def move(self, name: str, target: str) -> None:
        """Give a file another name, replacing a file of that name."""
        os.replace(self.root / name, self.root / target)
        self._sync((self.root / target).parent)

    def remove(self, name: str) -> None:
        """Remove a file, if it is there, and the folders that it leaves empty."""
        (self.root / name).unlink(missing_ok=True)
        self._sync((self.root / name).parent)
        drive.remove_empty(self.root, name)

    def files(self, folder: str) -> list[str]:
        """All files under a folder."""
        top = self.root / folder
        return sorted(p.relative_to(self.root).as_posix() for p in top.rglob("*") if p.is_file())

    def free(self) -> int:
        """Bytes that still fit."""
        return shutil.disk_usage(self.root).free

    def cluster(self) -> int:
        """Bytes in which room is given out."""
        return os.statvfs(self.root).f_frsize if hasattr(os, "statvfs") else 1024

    @staticmethod
    def _sync(folder: Path) -> None:
        if os.name != "posix":
            return
        try:
            handle = os.open(folder, os.O_RDONLY)
        except FileNotFoundError:
            return
        try:
            os.fsync(handle)
        except OSError as error:
            if error.errno != errno.EINVAL:  # some systems cannot do this with a folder
                raise
        finally:
            os.close(handle)


# -- which board --------------------------------------------------------------------------------


def boards(places: Iterable[str] = _PLACES) -> list[Path]:
    """Where CircuitPython boards are mounted: drives with a boot_out.txt."""
    found: set[Path] = set()
    for place in places:
        found.update(Path("/").glob(place.lstrip("/")))
    if os.name == "nt":
        found.update(Path(f"{letter}:/") for letter in string.ascii_uppercase)
    return sorted(path for path in found if _is_board(path))


def _is_board(path: Path) -> bool:
    try:
        return (path / "boot_out.txt").is_file()
    except OSError:  # somebody else's mount
        return False


def choose(found: list[Path]) -> Path:
    """The one board there is, or the one that the user names."""
    if not found:
        raise FlashError(
            "No board found: plug it in, wait for the drive CIRCUITPY, or give --drive PATH."
        )
    if len(found) == 1:
        return found[0]
    if not sys.stdin.isatty():
        raise FlashError(
            f"{len(found)} boards: give --drive with one of {', '.join(map(str, found))}."
        )
    for number, path in enumerate(found, 1):
        click.echo(f"{number}  {path}  {describe(path)}")
    answer = click.prompt("Which board", type=click.IntRange(1, len(found)))
    return found[int(answer) - 1]


def describe(path: Path) -> str:
    """The board's name, from its boot_out.txt."""
    try:
        first = (path / "boot_out.txt").read_text("utf-8", "replace").partition("\n")[0]
    except OSError:
        return ""
    return first.partition("; ")[2].strip()


def circuitpython(path: Path) -> tuple[tuple[int, int], str]:
    """(major, minor) and the version's whole text, from boot_out.txt."""
    try:
        text = (path / "boot_out.txt").read_text("utf-8", "replace")
    except OSError:
        raise FlashError(f"{path} has no boot_out.txt: it is not a CircuitPython board.") from None
    found = re.search(r"CircuitPython ((\d+)\.(\d+)\S*)", text)
    if found is None:
        raise FlashError(f"{path / 'boot_out.txt'} does not name a CircuitPython version.")
    return (int(found[2]), int(found[3])), found[1]


# -- flashing -----------------------------------------------------------------------------------


def install(volume: Volume, files: Mapping[str, bytes], say: Callable[[str], None]) -> None:
    """Replace whatever version is on the drive by `files`, a drive.contents()."""
    at_risk = "The program that was on it still starts."
    try:
        check(volume, files)
        _finish_earlier(volume, say)
        old = drive.read_manifest(volume.root)
        new = dict(files)
        if _settings_changed(volume, old, new):
            say(f"{SETTINGS} was changed on the board and stays as it is.")
            del new[SETTINGS]
        if all(volume.read(name) == content for name, content in new.items()) and not _stale(
            volume, old, files
        ):
            say("The board already has this version.")
            return
        check_room(volume, files)
        size = sum(len(content) for content in files.values())
        say(f"Writing {len(files)} files, {-(-size // 1024)} KB; this may take a minute.")
        for name in sorted(files, key=lambda name: name != MANIFEST):
            volume.write(f"{STAGE}/{name}", files[name])
        verify(volume, {f"{STAGE}/{name}": content for name, content in files.items()})
        volume.write(f"{STAGE}/{LAUNCHER}", START_STAGED)
        verify(volume, {f"{STAGE}/{LAUNCHER}": START_STAGED})
        volume.move(f"{STAGE}/{LAUNCHER}", LAUNCHER)
        at_risk = "The new program starts all the same; flash again to finish."
        _keep_foreign(volume, old, new, say)
        _replace(volume, old, new)
        say(f"{len(files)} files written and read back.")
    except OSError as error:
        raise FlashError(f"{_why(volume, error)} {at_risk}") from error


def _replace(volume: Volume, old: Mapping[str, str], new: Mapping[str, bytes]) -> None:
    """Put the new files in their places while code.txt starts the copies in /next. The manifest comes last:
    until then the old one tells which of what is there are the user's."""
    for name in _stale(volume, old, new):
        volume.remove(name)
    for name in sorted(new, key=lambda name: name == MANIFEST):
        content = new[name]
        if "/" in name:
            volume.write(name, content)
        else:
            # CircuitPython reads these before it looks for code.txt: never half of one.
            volume.write(_MOVING, content)
            volume.move(_MOVING, name)
    verify(volume, new)
    volume.remove(LAUNCHER)
    _clear_stage(volume)


def _clear_stage(volume: Volume) -> None:
    for name in sorted(volume.files(STAGE), key=lambda name: name == f"{STAGE}/{MANIFEST}"):
        volume.remove(name)


def _finish_earlier(volume: Volume, say: Callable[[str], None]) -> None:
    """Do what is left of a flashing that was cut short, so that nothing starts from /next."""
    if volume.read(LAUNCHER) == START_STAGED:
        staged = drive.read_manifest(volume.root / STAGE)
        old = drive.read_manifest(volume.root)
        new = {}
        for name in [*staged, MANIFEST]:
            content = volume.read(f"{STAGE}/{name}")
            if content is not None:
                new[name] = content
        if _settings_changed(volume, old, new):
            new.pop(SETTINGS, None)
        _keep_foreign(volume, old, new, say)
        entry = new.pop("code.py", None)
        _replace(volume, old, new if entry is None else {**new, "code.py": entry})
    _clear_stage(volume)


def _stale(volume: Volume, old: Mapping[str, str], new: Mapping[str, bytes]) -> list[str]:
    """Files of the version that was there and that the new one has not; never a user's."""
    gone = set(old) - set(new) - {SETTINGS, MANIFEST}
    return sorted(name for name in gone if (volume.root / name).is_file())


def _settings_changed(volume: Volume, old: Mapping[str, str], new: Mapping[str, bytes]) -> bool:
    """Whether the board's settings.toml is the user's own."""
    there = volume.read(SETTINGS)
    if not there or not there.strip() or there == new.get(SETTINGS):
        return False
    return drive.digest(there) != old.get(SETTINGS)


def _keep_foreign(
    volume: Volume, old: Mapping[str, str], new: Mapping[str, bytes], say: Callable[[str], None]
) -> None:
    """A code.py or boot.py that somebody else wrote or changed gets another name, and so does the manifest
    of something else."""
    for name in (*drive.STAY_SOURCE, MANIFEST):
        there = volume.read(name)
        if there is None or there == new.get(name) or not there.strip() or _HELLO.fullmatch(there):
            continue
        if old if name == MANIFEST else drive.digest(there) == old.get(name):
            continue
        kept, number = f"{name}.bak", 2
        while os.path.lexists(volume.root / kept):
            kept, number = f"{name}.bak{number}", number + 1
        volume.move(name, kept)
        say(f"The board's own {name} is kept as {kept}.")


def check(volume: Volume, files: Mapping[str, bytes]) -> None:
    """Refuse a drive that cannot take the program or would not start it."""
    if not volume.root.is_dir():
        raise FlashError(f"{volume.root}: no such drive.")
    number, text = circuitpython(volume.root)
    if number < OLDEST:
        raise FlashError(
            f"The board has CircuitPython {text}; {OLDEST[0]} or later is needed."
            " Get it from circuitpython.org and copy it to the drive RPI-RP2."
        )
    _check_stage(volume)
    for name in [STAGE, *files]:
        for path in [Path(name), *Path(name).parents]:
            if path != Path() and (volume.root / path).is_symlink():
                raise FlashError(
                    f"{volume.root / path} is a link; a board has none: remove it first."
                )
    volume.write(_MOVING, b"")
    volume.remove(_MOVING)
    if volume.read(LAUNCHER) not in (None, START_STAGED):
        raise FlashError(f"{LAUNCHER} on the board starts in place of code.py: remove it first.")
    old = drive.read_manifest(volume.root)
    for name in files:
        source = name.removesuffix(".mpy") + ".py"
        if source != name and source not in old and (volume.root / source).is_file():
            raise FlashError(
                f"{source} on the board would be taken in place of {name}: remove it first."
            )


def _check_stage(volume: Volume) -> None:
    """Refuse a folder /next with something in it that no flashing can have left there."""
    staged = drive.read_manifest(volume.root / STAGE)
    beginnings = {f"{STAGE}/{LAUNCHER}": START_STAGED}
    if staged:
        staged |= {MANIFEST: "", Path(_MOVING).name: ""}
    else:  # one that was cut short
        beginnings |= {f"{STAGE}/{MANIFEST}": drive.manifest({}, ""), _MOVING: b""}
    for name in volume.files(STAGE):
        content = volume.read(name) or b""
        begun = beginnings.get(name)
        size = min(len(content), len(drive.OURS)) if name.endswith(MANIFEST) else len(content)
        if name.removeprefix(f"{STAGE}/") not in staged and (
            begun is None or not begun.startswith(content[:size])
        ):
            raise FlashError(f"{name} on the board is in the way: move it and flash again.")


def check_room(volume: Volume, files: Mapping[str, bytes]) -> None:
    """Both copies have to fit, less what is there already."""
    unit = volume.cluster()

    def room(size: int) -> int:
        return -(-size // unit) * unit

    need = unit * 8  # folders
    for name, content in files.items():
        there = volume.root / name
        has = there.stat().st_size if there.is_file() else 0
        need += room(len(content)) + max(0, room(len(content)) - room(has))
    free = volume.free()
    if need > free:
        raise FlashError(
            f"The drive is full: {need // 1024 + 1} KB are needed and {free // 1024} KB are free."
            " Remove what you do not need from it. Nothing was changed."
        )


def verify(volume: Volume, files: Mapping[str, bytes]) -> None:
    """Read everything back."""
    for name, content in files.items():
        if volume.read(name) != content:
            raise OSError(errno.EIO, "read back wrongly", name)


def _why(volume: Volume, error: OSError) -> str:
    if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
        return (
            f"{volume.root} is read-only for this PC: unplug the board and plug it in again;"
            " if it stays so, its boot.py keeps the drive for itself."
        )
    if error.errno == errno.ENOSPC:
        return f"{volume.root} is full."
    if error.errno in (errno.ENOTDIR, errno.EEXIST, errno.EISDIR):
        way = Path(error.filename2 or error.filename)
        while not way.exists():
            way = way.parent
        return f"{way} is in the way: move it from the board and flash again."
    if error.strerror == "read back wrongly":
        return f"{error.filename} is not on the board as it was written: try another cable or port."
    return f"The board disappeared while it was being written ({error.strerror or error})."


# -- command ------------------------------------------------------------------------------------


@click.command()
@click.option("--drive", "path", metavar="PATH", type=click.Path(path_type=Path), help="The board.")
@click.option("--mpy-cross", metavar="PROGRAM", help="CircuitPython's own; compiles everything.")
def command(path: Path | None, mpy_cross: str | None) -> None:
    """Put the program on a board whose drive CIRCUITPY is mounted.

    Checks version and room, writes, reads back, and removes what an older version left. Your own
    files and a changed settings.toml stay.
    """
    try:
        target = path if path is not None else choose(boards())
        files = drive.contents(mpy_cross=mpy_cross)
        install(Volume(target), files, click.echo)
    except (FlashError, drive.DriveError) as error:
        click.echo(str(error), err=True)
        raise SystemExit(1) from None
    except KeyboardInterrupt:
        click.echo("Stopped: flash again before you unplug the board.", err=True)
        raise SystemExit(130) from None
    if hasattr(os, "sync"):
        os.sync()
    click.echo(f"Version {drive.version()} is on {target}. Eject it and press the board's reset.")
