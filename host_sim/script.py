"""Key scripts: the text of record.md's `run`, read once and checked whole before anything starts.

For host_sim only; the simulated and the emulated board run the same scripts.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

BUTTONS = ("LEFT", "RIGHT", "OK", "BACK")
PRESS_MS = 60
GAP_MS = 60
"""What `press` lets pass after the release, so that two presses in a row are two: three scans of
`keypad`, enough for a debounce threshold of 3."""
_MOST_MS = 86_400_000  # a day of simulated time in one command is a slip of the finger


class ScriptError(Exception):
    """One plain line: file, line number, what is wrong."""


@dataclass(frozen=True)
class Command:
    """One line of a script."""

    line: int
    verb: str
    """press, wait, idle, shot, text or power."""
    name: str = ""
    """Button of `press`, picture of `shot`."""
    ms: int = 0
    """Of `press` and `wait`."""


def _ms(word: str) -> int:
    if not (word.isascii() and word.isdigit()):
        raise ValueError(f"{word!r} is not a number of milliseconds")
    if int(word) > _MOST_MS:
        raise ValueError(f"{word} ms is more than a day")
    return int(word)


def _parse(number: int, words: list[str]) -> Command:
    verb, *rest = words
    if verb == "press":
        if not 1 <= len(rest) <= 2:
            raise ValueError("write: press NAME [MS]")
        if rest[0] not in BUTTONS:
            raise ValueError(f"no button {rest[0]!r}; there are {' '.join(BUTTONS)}")
        return Command(number, verb, rest[0], _ms(rest[1]) if rest[1:] else PRESS_MS)
    if verb == "wait":
        if len(rest) != 1:
            raise ValueError("write: wait MS")
        return Command(number, verb, ms=_ms(rest[0]))
    if verb == "shot":
        if len(rest) != 1:
            raise ValueError("write: shot NAME")
        if rest[0].startswith(".") or not all(c.isalnum() or c in "._-" for c in rest[0]):
            raise ValueError(f"{rest[0]!r} is no file name: letters, digits, '.', '_' and '-' only")
        return Command(number, verb, rest[0])
    if verb in ("idle", "text", "power"):
        if rest:
            raise ValueError(f"{verb} takes nothing after it")
        return Command(number, verb)
    raise ValueError(f"no command {verb!r}; there are press wait idle shot text power")


def parse(lines: Iterable[str], file: str) -> list[Command]:
    """All commands of a script; ScriptError at the first line that is none."""
    commands = []
    for number, line in enumerate(lines, 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        try:
            commands.append(_parse(number, words))
        except ValueError as error:
            raise ScriptError(f"{file}, line {number}: {error}") from None
    return commands


def read(path: str, take: Callable[[Iterable[str], str], list[Command]] = parse) -> list[Command]:
    """The commands of a script file, `-` for standard input, by `parse` or by one that knows more of them;
    ScriptError if it is wrong or cannot be read."""
    name = "standard input" if path == "-" else path
    try:
        content = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
        return take(content.decode("utf-8-sig").splitlines(), name)
    except OSError as error:
        raise ScriptError(f"{name}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ScriptError(f"{name}: is not a text file") from None
