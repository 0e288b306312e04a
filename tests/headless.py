"""A console without a panel, for tests of the app: the same nouns as lib/handheld, a text picture, a clock
that jumps, intents from a script. The store is the real one."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Any

from handheld.store import Store
from test_store import Flash

import pitch.app
import pitch.app.game
from pitch.app import App, title

NAMES = {"PREV": 1, "NEXT": 2, "OK": 3, "BACK": 4, "LONG_OK": 5, "LONG_BACK": 6}
PREV, NEXT, OK, BACK, LONG_OK, LONG_BACK = NAMES.values()

_SIGNS = {0: "♣", 2: "♦", 4: "♥", 6: "♠", 8: ">", 9: "<", 10: "X", 11: "@"}
_RANKS = "·▼23456789XJQKA-♣♦♥♠1"


class _NoCollecting:
    """On a PC, with a test runner in memory, collecting takes a tenth of a second."""

    @staticmethod
    def collect() -> None:
        pass


pitch.app.gc = _NoCollecting  # type: ignore[assignment]


class Screen:
    """What would be shown. Stricter than the real one: a text that does not fit fails the test."""

    def __init__(self) -> None:
        self.page = ""
        self.rows = [bytearray(b" " * 22) for _ in range(8)]
        self.cards = [(0, 0, 0)] * 16
        self.choices = [(b"", 0)] * 5
        self.rings: list[tuple[int, int, int]] = []
        self.banner: str | None = None
        self.changes = 0
        self.slots = 0
        self.strict = True

    # -- pages
    def text(self, banner: str | None = None, light: bool = False) -> None:
        self._page("text")
        self.banner = banner
        assert banner is None or len(banner) <= 10

    def table(self, slots: int, held: int) -> None:
        assert 2 <= slots <= 7 and 1 <= held <= 9
        self._page("table")
        self.slots = slots
        self.cards = [(0, 0, 0)] * 16
        self.choices = [(b"", 0)] * 5

    def prepare(self, slots: int, held: int) -> None:
        assert 2 <= slots <= 7 and 1 <= held <= 9

    def sheet(self) -> None:
        self._page("sheet")
        self.rings = []

    def _page(self, page: str) -> None:
        self.page = page
        self.banner = None
        self.changes += 1
        for row in self.rows:
            row[:] = b" " * 22

    def below(self, place: int, slots: int) -> tuple[int, int]:
        width = 21 // slots
        cells = 4 if width > 4 else 2
        return (21 - width * slots) // 2 + width * place + (width - cells) // 2, cells

    # -- text
    def row(self, row: int, column: int = 0) -> None:
        assert self.page == "text" or row in {"table": (0, 4), "sheet": (0, 1)}[self.page]
        self.at, self.column = row, column

    def code(self, code: int) -> None:
        assert 0 <= code < 128 and (self.column < 21 or not self.strict), self.picture()
        if self.column < 22:
            self.rows[self.at][self.column] = code
        self.column += 1

    def add(self, text: bytes) -> None:
        assert isinstance(text, bytes)
        for code in text:
            self.code(code)

    def suit(self, suit: int) -> None:
        assert 0 <= suit <= 3
        self.code(2 * suit)
        self.code(2 * suit + 1)

    def number(self, value: int) -> None:
        assert -999 <= value <= 999
        self.add(str(value).encode())

    def to(self, column: int) -> None:
        assert self.column <= column + 1, "text runs into the next column: " + self.picture()
        while self.column < column:
            self.code(32)

    def end(self) -> None:
        self.to(21)

    def line(self, row: int, text: bytes) -> None:
        self.row(row)
        self.add(text)
        self.end()

    # -- cards
    def card(self, place: int, top: int, bottom: int, style: int) -> None:
        assert self.page == "table" and 0 <= top <= 21 and 0 <= bottom <= 21 and 0 <= style <= 2
        assert place >= 7 or place < self.slots
        self.cards[place] = (top, bottom, style)

    def choice(self, place: int, text: bytes, style: int, start: int = 0) -> None:
        assert self.page == "table" and (not text or 0 <= start <= len(text) - 4)
        self.choices[place] = (text[start : start + 4], style)

    def ringed(self, line: int, column: int, value: int) -> None:
        assert self.page == "sheet" and 0 <= line < 4 and column >= 1 and -99 <= value <= 99
        assert column + len(str(abs(value))) <= 22
        self.rings.append((line, column, value))

    # -- for tests
    def picture(self) -> str:
        """All of it as text."""
        lines = []
        for row in self.rows:
            lines.append("".join(_SIGNS.get(c, "" if c < 8 else chr(c)) for c in row).rstrip())
        if self.banner:
            lines[1] = f"*** {self.banner} ***"
        if self.page == "table":
            lines[1] = " ".join(self._card(card) for card in self.cards[: self.slots])
            lines[5] = " ".join(self._card(card) for card in self.cards[7:])
            chosen = [(text, style) for text, style in self.choices if text]
            lines[0] += " ".join(f"[{t.decode()}]" if s == 2 else t.decode() for t, s in chosen)
        for line, _, value in self.rings:
            lines[2 + line] += f" ({-value})" if value < 0 else f" {value}"
        return "\n".join(lines)

    @staticmethod
    def _card(card: tuple[int, int, int]) -> str:
        text = _RANKS[card[0]] + _RANKS[card[1]]
        return f"[{text}]" if card[2] == 2 else text.lower() + "'" if card[2] == 1 else text


class Sound:
    """Notes what is played."""

    def __init__(self) -> None:
        self.on = True
        self.played: list[int] = []

    def play(self, tune: int, now: int) -> None:
        assert 0 <= tune <= 3
        if self.on:
            self.played.append(tune)


class Console:
    """Intents from `script`; without any, time passes: fast while the app waits for nothing but time."""

    def __init__(self, memory: object = None, seed: int = 1) -> None:
        self.screen = Screen()
        self.sound = Sound()
        self.store = Store(Flash() if memory is None else memory)
        self.now = 0x1FFFFFF0  # the ticks wrap at once
        self.waiting = False
        self.level = 2
        self.script: deque[int] = deque()
        self._seed = seed

    def wait(self) -> int:
        self.now = (self.now + (10 if self.waiting else 300)) & 0x1FFFFFFF
        return self.script.popleft() if self.script else 0

    def brightness(self, level: int) -> None:
        assert 0 <= level <= 2
        self.level = level

    def random16(self) -> int:
        self._seed = (self._seed * 25173 + 13849) & 0xFFFF
        return self._seed

    def free(self) -> int:
        return 1 << 24

    def drop(self, module: str) -> None:
        raise AssertionError("from source nothing is dropped")

    def milestone(self, name: str) -> None:
        pass


class Player:
    """The app on such a console, driven by a test."""

    def __init__(self, memory: object = None, seed: int = 1) -> None:
        self.memory = Flash() if memory is None else memory
        self.console = Console(self.memory, seed)
        self.app = App(self.console)
        self.screen = self.console.screen

    def press(self, *intents: int) -> None:
        """One after the other, each after the app has come to rest."""
        for intent in intents:
            self.rest()
            self.console.now = (self.console.now + 250) & 0x1FFFFFFF
            self.console.script.append(intent)
            self.app.step()
        self.rest()

    def rest(self) -> None:
        """Until only a press can change anything."""
        for _ in range(2000):
            self.app.step()
            if self.console.waiting:
                return
        raise AssertionError("never at rest: " + self.screen.picture())

    def tap(self, intents: Iterable[int]) -> None:
        """Without waiting for rest."""
        for intent in intents:
            self.console.script.append(intent)
            self.app.step()

    @property
    def game(self) -> Any:
        """The game that is there, or None."""
        return self.app.game

    @property
    def top(self) -> Any:
        """The screen on top."""
        return self.app.top

    @property
    def where(self) -> str:
        """Name of the screen on top."""
        return type(self.top).__name__

    def picture(self) -> str:
        return self.screen.picture()

    def start(self, players: int = 4, target: int = 7) -> None:
        """From the title into a new game."""
        self.app.values[3] = players
        self.app.values[4] = target
        title.start(self.app)
        self.rest()
