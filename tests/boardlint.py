"""What a small CircuitPython board does not have or does otherwise, as rules over a source's syntax tree.
Used by test_lint.py alone. `lint` takes sources by path, so that a rule is tried on a snippet as on a file.

The reasons stand with the rules; the compiler of a real MicroPython has the last word (see `compiles`).
"""

from __future__ import annotations

import ast
import io
import os
import re
import shutil
import subprocess
import sys
import tokenize
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Built into full builds of CircuitPython 9 and 10 for RP2040, RP2350, SAMD51 and nRF52840, or copied to
# the board's lib folder. What only some boards have (alarm) is imported under `except ImportError`.
ON_BOARDS = _words(
    "array binascii board busdisplay busio collections digitalio displayio errno fourwire gc hashlib "
    "i2cdisplaybus io json keypad math microcontroller micropython neopixel_write os pwmio re rotaryio "
    "select storage struct supervisor sys terminalio time traceback usb_cdc usb_hid usb_midi watchdog zlib "
    "adafruit_display_text adafruit_displayio_sh1106 adafruit_displayio_sh1107 adafruit_ticks"
)
OWN = frozenset({"handheld", "pitch"})
COLLECTIONS = frozenset({"OrderedDict", "deque", "namedtuple"})

# Not in MicroPython's str: test_lint.py asks a real one.
STR_METHODS = _words(
    "capitalize casefold expandtabs format_map isalnum isascii isdecimal isidentifier isnumeric "
    "isprintable istitle ljust maketrans removeprefix removesuffix rjust swapcase title translate "
    "zfill"
)
# Nor are these names built in.
BUILTINS = _words(
    "FileExistsError FileNotFoundError IsADirectoryError ModuleNotFoundError PermissionError "
    "RecursionError UnboundLocalError ascii breakpoint format vars"
)
DUNDERS = frozenset(
    {"__init_subclass__", "__class_getitem__", "__doc__", "__annotations__", "__all__"}
)

# Where a rule may be broken: (rule, file, function or module-level name) and the reason.
ALLOWED = {
    ("float", "lib/handheld/console.py", "Console.wait"): "time.sleep takes seconds",
    ("float", "lib/handheld/boards.py", "open_console"): "time.sleep takes seconds",
    ("float", "lib/handheld/console.py", "_LEVELS"): "a display's brightness is 0.0 .. 1.0",
    (
        "float",
        "lib/handheld/screen.py",
        "Screen.text",
    ): "a label's anchor is 0.0 .. 1.0 of its size",
    ("float", "lib/handheld/keys.py", "_INTERVAL"): "keypad takes seconds",
}
SLICE_NOTE = (
    "# list slice"  # in a line with a slice that has a step: only lists can do that on a board
)

_SMALL = 1 << 30  # ints from here on are objects on the heap of a 32-bit board


class Finding(NamedTuple):
    path: str
    line: int
    rule: str
    scope: str  # function, class or module-level name it is in; empty: none
    text: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.rule}: {self.text}"


Hit = tuple[ast.AST, str]  # where and what
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class Module:
    """A source file with what the rules ask of it: zone, parents, scopes, guards."""

    def __init__(self, path: str, source: str) -> None:
        self.path = path
        self.lines = source.splitlines()
        self.source = source
        self.tree = ast.parse(source)
        parts = path.removesuffix(".py").split("/")
        if parts[0] == "lib":
            parts = parts[1:]
        if parts[-1] == "__init__":
            parts = parts[:-1]
        self.name = ".".join(parts)  # as it is imported
        self.package = parts if path.endswith("__init__.py") else parts[:-1]
        self.zone = _zone(path)
        self.parent: dict[ast.AST, ast.AST] = {}
        self.nodes: list[ast.AST] = []
        self.annotations: set[ast.AST] = set()  # never evaluated on a board
        for node in ast.walk(self.tree):
            self.nodes.append(node)
            for child in ast.iter_child_nodes(node):
                self.parent[child] = node
            for field in ("annotation", "returns"):
                annotation = getattr(node, field, None)
                if annotation is not None:
                    self.annotations.update(ast.walk(annotation))

    def above(self, node: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
        """(child, parent) from the node up to the module."""
        while node in self.parent:
            yield node, self.parent[node]
            node = self.parent[node]

    def scope(self, node: ast.AST) -> str:
        names = []
        last: ast.AST = node
        for child, parent in [*self.above(node), (self.tree, self.tree)]:
            if isinstance(child, (*_FUNCTIONS, ast.ClassDef)):
                names.append(child.name)
            if isinstance(parent, ast.Module) and child is not parent:
                last = child
        if not names and isinstance(last, (ast.Assign, ast.AnnAssign)):
            targets = last.targets if isinstance(last, ast.Assign) else [last.target]
            names = [t.id for t in targets if isinstance(t, ast.Name)]
        return ".".join(reversed(names))

    def function(self, node: ast.AST) -> ast.AST | None:
        for _, parent in self.above(node):
            if isinstance(parent, (*_FUNCTIONS, ast.Lambda)):
                return parent
        return None

    def guarded(self, node: ast.AST) -> bool:
        """Whether the node runs in the body of a try that catches ImportError, in the same function."""
        for child, parent in self.above(node):
            if isinstance(parent, _FUNCTIONS):
                return False
            if isinstance(parent, ast.Try) and child in parent.body:
                for handler in parent.handlers:
                    caught = handler.type
                    types = caught.elts if isinstance(caught, ast.Tuple) else [caught]
                    if any(isinstance(t, ast.Name) and t.id == "ImportError" for t in types):
                        return True
        return False

    def only_pc(self, node: ast.AST) -> bool:
        """Whether it stands in code.py's branch for those who import it, which no board runs."""
        if self.path != "code.py":
            return False
        for child, parent in self.above(node):
            if (
                isinstance(parent, ast.If)
                and ast.unparse(parent.test) == "__name__ == '__main__'"
                and child in parent.orelse
            ):
                return True
        return False

    def imports(self) -> Iterator[tuple[ast.stmt, str, list[str]]]:
        """(statement, absolute module name, names taken from it) of each import that a board runs."""
        for node in self.nodes:
            if not isinstance(node, (ast.Import, ast.ImportFrom)) or self.only_pc(node):
                continue
            if isinstance(node, ast.Import):
                for alias in node.names:
                    yield node, alias.name, []
            else:
                base = self.package[: len(self.package) - node.level + 1] if node.level else []
                name = ".".join([*base, *(node.module or "").split(".")]).strip(".")
                yield node, name, [alias.name for alias in node.names]


def _zone(path: str) -> str:
    if path in ("code.py", "boot.py"):
        return path
    for folder, zone in (
        ("pitch/bots/", "bots"),
        ("pitch/app/", "app"),
        ("pitch/", "core"),
        ("lib/handheld/", "handheld"),
        ("lib/", "lib"),
    ):
        if path.startswith(folder):
            return zone
    return "elsewhere"


RULES: dict[str, Callable[[Module], Iterator[Hit]]] = {}


def rule(name: str) -> Callable[[Callable[[Module], Iterator[Hit]]], Callable]:
    def add(function: Callable[[Module], Iterator[Hit]]) -> Callable:
        RULES[name] = function
        return function

    return add


def lint(sources: dict[str, str]) -> list[Finding]:
    """All findings in the sources (path -> text) that ALLOWED does not list, by file and line."""
    return [f for f in everything(sources) if (f.rule, f.path, f.scope) not in ALLOWED]


def everything(sources: dict[str, str]) -> list[Finding]:
    """All findings, allowed or not."""
    findings = []
    modules = []
    for path, source in sources.items():
        try:
            module = Module(path, source)
        except SyntaxError as error:
            findings.append(Finding(path, error.lineno or 0, "syntax", "", str(error)))
            continue
        modules.append(module)
        for name, check in RULES.items():
            for node, text in check(module):
                line = getattr(node, "lineno", 0)
                findings.append(Finding(path, line, name, module.scope(node), text))
    findings += Calls(modules).recursions()
    return sorted(findings)


# ---- imports


@rule("import")
def _imports(m: Module) -> Iterator[Hit]:
    """Only what boards have, unless ImportError is caught."""
    for node, name, names in m.imports():
        top = name.split(".")[0]
        if "*" in names:
            yield node, f"from {name} import *: there is no __all__ on boards"
        if top == "random":
            yield node, "random gives other numbers on a board than on a PC; use pitch.rng"
        elif top == "host_sim":
            yield node, "the program runs without host_sim"
        elif top not in ON_BOARDS | OWN and not m.guarded(node):
            yield node, f"boards have no module {top}"
        elif top == "collections" and not m.guarded(node):
            for missing in sorted(set(names) - COLLECTIONS):
                yield node, f"boards have no collections.{missing}"


@rule("arrow")
def _arrows(m: Module) -> Iterator[Hit]:
    """Who may import whom."""
    for node, name, names in m.imports():
        # `from pitch import cards` imports pitch.cards
        targets = [f"{name}.{n}" for n in names] if name == "pitch" else [name]
        for target in targets:
            top = target.split(".")[0]
            core = top == "pitch" and not re.match(r"pitch\.(app|bots)(\.|$)|pitch$", target)
            bots = target.startswith("pitch.bots")
            app = re.match(r"pitch\.app(\.|$)", target) is not None
            helper = target == "micropython" and m.guarded(node)
            allowed = {
                "core": core or helper,
                "bots": core or bots or helper,
                "app": core or bots or app or helper or target == "gc",
                "handheld": top not in ("pitch", "code", "boot"),
                "lib": top not in ("pitch", "handheld", "code", "boot"),
                "code.py": top == "handheld" or app,
                "boot.py": top not in ("pitch", "handheld", "code"),
            }
            if not allowed.get(m.zone, True):
                yield node, f"{m.zone} may not import {target}"


@rule("private")
def _private(m: Module) -> Iterator[Hit]:
    """A name that begins with _ stays in its module: a const() of that kind is no name at run time."""
    modules = set()
    for statement, name, names in m.imports():
        for taken in names:
            if taken.startswith("_"):
                yield statement, f"{taken} belongs to {name}"
            modules.add(taken)
        if isinstance(statement, ast.Import):
            modules.update(alias.asname or alias.name for alias in statement.names)
    for node in m.nodes:
        if (
            isinstance(node, ast.Attribute)
            and re.match(r"_[A-Z]", node.attr)
            and isinstance(node.value, ast.Name)
            and node.value.id in modules
        ):
            yield node, f"{node.attr} belongs to {node.value.id}"


# ---- syntax


def _of(m: Module, *kinds: type[ast.AST]) -> Iterator:
    for node in m.nodes:
        if isinstance(node, kinds):
            yield node


@rule("next")
def _next(m: Module) -> Iterator[Hit]:
    for node in _of(m, ast.Call):
        if _called(node) == "next" and len(node.args) + len(node.keywords) > 1:
            yield node, "next() takes no default on boards"


@rule("match")
def _match(m: Module) -> Iterator[Hit]:
    for node in _of(m, ast.Match):
        yield node, "there is no match statement on boards"


@rule("positional-only")
def _positional(m: Module) -> Iterator[Hit]:
    for node in _of(m, ast.arguments):
        if node.posonlyargs:
            yield node.posonlyargs[0], "there are no positional-only parameters on boards"


@rule("star-display")
def _star(m: Module) -> Iterator[Hit]:
    for node in _of(m, ast.Tuple, ast.List, ast.Set):
        loaded = isinstance(getattr(node, "ctx", ast.Load()), ast.Load)
        if loaded and any(isinstance(item, ast.Starred) for item in node.elts):
            yield node, "(*a, x) does not compile on boards"
    for node in _of(m, ast.Dict):
        if None in node.keys:
            yield node, "{**a} does not compile on boards"


@rule("zip-strict")
def _zip(m: Module) -> Iterator[Hit]:
    for node in _of(m, ast.Call):
        if _called(node) == "zip" and node.keywords:
            yield node, "zip() takes no strict on boards"


@rule("str-method")
def _str(m: Module) -> Iterator[Hit]:
    for node in _of(m, ast.Attribute):
        own = isinstance(node.value, ast.Name) and node.value.id == "self"
        if node.attr in STR_METHODS and isinstance(node.ctx, ast.Load) and not own:
            yield node, f"str has no {node.attr} on boards"


@rule("bit-count")
def _bit_count(m: Module) -> Iterator[Hit]:
    for node in _of(m, ast.Attribute):
        if node.attr == "bit_count":
            yield node, "int has no bit_count on boards"


@rule("slice-step")
def _slice(m: Module) -> Iterator[Hit]:
    for node in _of(m, ast.Slice):
        if node.step is not None and SLICE_NOTE not in m.lines[node.lineno - 1]:
            yield node, f"only lists have slices with a step; if this is one, say so: {SLICE_NOTE}"


@rule("namedtuple")
def _namedtuple(m: Module) -> Iterator[Hit]:
    for node in _of(m, ast.Attribute):
        if node.attr in ("_replace", "_asdict"):
            yield node, f"namedtuple has no {node.attr} on boards"
    for node in _of(m, ast.Call):
        if _called(node) == "namedtuple" and node.keywords:
            yield node, "namedtuple takes no defaults on boards"


@rule("with")
def _with(m: Module) -> Iterator[Hit]:
    """`with (a, b):` reads as a tuple there, `with (a as b):` not at all. The tree does not show the
    parentheses, so the tokens are asked."""
    several = {
        n.lineno
        for n in _of(m, ast.With)
        if len(n.items) > 1 or n.items[0].optional_vars is not None
    }
    tokens = [
        t
        for t in tokenize.generate_tokens(io.StringIO(m.source).readline)
        if t.type not in (tokenize.NL, tokenize.COMMENT)
    ]
    for i, token in enumerate(tokens):
        if token.string != "with" or token.start[0] not in several or tokens[i + 1].string != "(":
            continue
        depth = 0
        for k in range(i + 1, len(tokens) - 1):
            depth += {"(": 1, ")": -1}.get(tokens[k].string, 0)
            if not depth:
                if tokens[k + 1].string == ":":
                    at = ast.Pass(lineno=token.start[0], col_offset=0)
                    yield at, "a with statement takes no parentheses on boards"
                break


@rule("except-star")
def _except_star(m: Module) -> Iterator[Hit]:
    for node in _of(m, ast.TryStar):
        yield node, "there is no except* on boards"


@rule("f-string-lambda")
def _fstring(m: Module) -> Iterator[Hit]:
    for node in _of(m, ast.FormattedValue):
        for inner in ast.walk(node.value):
            if isinstance(inner, ast.Lambda):
                yield inner, "no lambda in an f-string on boards"


@rule("type-statement")
def _type(m: Module) -> Iterator[Hit]:
    for node in m.nodes:
        if type(node).__name__ == "TypeAlias" or getattr(node, "type_params", None):
            yield node, "there are no type statements or parameters on boards"


@rule("generic")
def _generic(m: Module) -> Iterator[Hit]:
    builtin = {"list", "dict", "tuple", "set", "frozenset", "type"}
    for node in _of(m, ast.Subscript):
        if node in m.annotations or not isinstance(node.value, ast.Name):
            continue
        if node.value.id in builtin:
            yield node, f"{node.value.id}[...] works in annotations only"


@rule("decorator")
def _decorator(m: Module) -> Iterator[Hit]:
    for node in _of(m, *_FUNCTIONS, ast.ClassDef):
        for decorator in node.decorator_list:
            inner = decorator.func if isinstance(decorator, ast.Call) else decorator
            while isinstance(inner, ast.Attribute):
                inner = inner.value
            if not isinstance(inner, ast.Name):
                yield decorator, "a decorator is a dotted name, called or not, on boards"


@rule("missing-name")
def _missing(m: Module) -> Iterator[Hit]:
    bound = {n.arg for n in _of(m, ast.arg)}
    bound |= {n.id for n in _of(m, ast.Name) if isinstance(n.ctx, ast.Store)}
    bound |= {n.name for n in _of(m, *_FUNCTIONS, ast.ClassDef)}
    for node in _of(m, ast.Name):
        if node.id in BUILTINS - bound or node.id in DUNDERS:
            yield node, f"boards have no {node.id}"
    for node in _of(m, ast.Attribute):
        if node.attr in DUNDERS:
            yield node, f"boards have no {node.attr}"
    for node in _of(m, *_FUNCTIONS):
        if node.name in DUNDERS:
            yield node, f"boards never call {node.name}"


@rule("old-api")
def _old(m: Module) -> Iterator[Hit]:
    """Names of CircuitPython 8 that are gone in 10, and calls that go wrong there."""
    old = {"Display": "busdisplay", "FourWire": "fourwire", "I2CDisplay": "i2cdisplaybus"}
    for node, name, names in m.imports():
        for taken in names:
            if name == "displayio" and taken in old:
                yield node, f"displayio.{taken} moved to {old[taken]}"
    for node in _of(m, ast.Attribute):
        if not isinstance(node.value, ast.Name):
            continue
        if node.value.id == "displayio" and node.attr in old:
            yield node, f"displayio.{node.attr} moved to {old[node.attr]}"
        if node.value.id == "time" and node.attr == "monotonic":
            yield node, "time.monotonic() is a float that loses its milliseconds within hours"
    for node in _of(m, ast.Call):
        if _method(node) == "refresh" and any(
            k.arg == "minimum_frames_per_second" and getattr(k.value, "value", None) != 0
            for k in node.keywords
        ):
            yield node, "refresh() with a minimum raises on a slow frame"


# ---- numbers


@rule("float")
def _float(m: Module) -> Iterator[Hit]:
    for node in m.nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, (float, complex)):
            yield node, f"{node.value} is a float"
        elif isinstance(node, (ast.BinOp, ast.AugAssign)) and isinstance(node.op, ast.Div):
            yield node, "/ makes a float; use //"
        elif (
            isinstance(node, ast.Name)
            and node.id in ("float", "complex")
            and node not in m.annotations
        ):
            yield node, f"{node.id} makes a float"


@rule("anchor")
def _anchor(m: Module) -> Iterator[Hit]:
    """A module needs one constant object: without, its pointer to them is one past the end of a piece of
    heap, and may keep the next one, and all that hangs on it, for ever (see drive.holds_neighbour)."""
    names = {node.id for node in _of(m, ast.Name)} | {node.attr for node in _of(m, ast.Attribute)}
    objects = [
        node
        for node in _of(m, ast.Constant, ast.Tuple)
        if not isinstance(m.parent[node], ast.Expr)  # a docstring
        and (
            all(isinstance(item, ast.Constant) for item in node.elts)
            if isinstance(node, ast.Tuple)
            else isinstance(node.value, (bytes, float))
            or (isinstance(node.value, str) and len(node.value) > 10)  # shorter ones are names
        )
    ]
    if len(names) > 12 and not objects:
        yield m.tree, "no constant object (bytes, say): see _ANCHOR in pitch/score.py"


@rule("big-int")
def _big(m: Module) -> Iterator[Hit]:
    consts = {name: value for name, _, value in _consts(m)}
    for node in m.nodes:
        if isinstance(node, ast.expr) and not isinstance(
            m.parent.get(node), (ast.BinOp, ast.UnaryOp)
        ):
            for part in ast.walk(node) if isinstance(node, (ast.BinOp, ast.UnaryOp)) else [node]:
                value = _value(part, consts)
                if value is not None and not -_SMALL <= value < _SMALL:
                    yield part, "an int of 2**30 or more lives on the heap of a board"
                    break


def _value(node: ast.AST, consts: dict[str, int | None]) -> int | None:
    """The int that an expression of literals and module constants is, None if it is none."""
    if isinstance(node, ast.Constant):
        return node.value if type(node.value) is int else None
    if isinstance(node, ast.Name):
        return consts.get(node.id) if isinstance(node.ctx, ast.Load) else None
    if isinstance(node, ast.UnaryOp):
        inner = _value(node.operand, consts)
        if inner is None:
            return None
        return {ast.USub: -inner, ast.Invert: ~inner}.get(type(node.op))  # type: ignore[call-overload]
    if not isinstance(node, ast.BinOp):
        return None
    a, b = _value(node.left, consts), _value(node.right, consts)
    if a is None or b is None:
        return None
    if isinstance(node.op, ast.LShift):
        return a << b if 0 <= b <= 128 else None
    if isinstance(node.op, ast.Pow):
        return a**b if 0 <= b <= 128 else None
    simple: dict[type, Callable[[int, int], int]] = {
        ast.Add: int.__add__,
        ast.Sub: int.__sub__,
        ast.Mult: int.__mul__,
        ast.BitOr: int.__or__,
        ast.BitAnd: int.__and__,
        ast.BitXor: int.__xor__,
    }
    return simple[type(node.op)](a, b) if type(node.op) in simple else None


# ---- const


def _consts(m: Module) -> Iterator[tuple[str, ast.Assign, int | None]]:
    """(name, statement, value if it is a plain int) of each module-level NAME = const(...)."""
    known: dict[str, int | None] = {}
    for node in _of(m, ast.Assign):
        call = node.value
        target = node.targets[0]
        if (
            isinstance(call, ast.Call)
            and _called(call) == "const"
            and len(call.args) == 1
            and isinstance(target, ast.Name)
            and isinstance(m.parent[node], ast.Module)
        ):
            known[target.id] = _value(call.args[0], known)
            yield target.id, node, known[target.id]


@rule("const-place")
def _const_place(m: Module) -> Iterator[Hit]:
    """In a function or class the compiler takes `_X = const(…)` away like anywhere else, and then
    nobody else sees the name."""
    good = {node.value for _, node, _ in _consts(m)}
    for node in _of(m, ast.Call):
        if _called(node) == "const" and node not in good:
            yield node, "const() stands at the top level of a module only, as NAME = const(...)"


@rule("const-again")
def _const_again(m: Module) -> Iterator[Hit]:
    """The compiler puts the value in wherever it reads the name, to the left of = and in a call's
    keywords as well, in other functions too."""
    defined = {name: node.targets[0] for name, node, _ in reversed([*_consts(m)])}
    for node in _of(m, ast.Name):
        if node.id in defined and isinstance(node.ctx, ast.Store) and node is not defined[node.id]:
            yield node, f"{node.id} is a const()"
    for node in _of(m, ast.keyword):
        if node.arg in defined:
            yield node, f"{node.arg} is a const()"


@rule("const-early")
def _const_early(m: Module) -> Iterator[Hit]:
    """The compiler puts in the values of underscored constants from their definition on; above it, in
    a function too, the name is looked up when that line runs, and is not there."""
    defined = {name: node for name, node, _ in _consts(m) if name.startswith("_")}
    for node in _of(m, ast.Name):
        early = node.id in defined and (node.lineno, node.col_offset) < _end(defined[node.id])
        if early and isinstance(node.ctx, ast.Load):
            yield node, f"{node.id} is used above its const()"


def _end(node: ast.Assign) -> tuple[int, int]:
    return node.end_lineno or node.lineno, node.end_col_offset or 0


# ---- dicts and sets

_UNORDERED = {"dict", "set", "frozenset"}
_VIEWS = {"keys", "items", "values"}


def _unordered(node: ast.AST, names: Iterable[str] = ()) -> bool:
    """Whether an expression is a dict, a set or a view of one, as far as can be seen."""
    if isinstance(node, (ast.Dict, ast.Set, ast.DictComp, ast.SetComp)):
        return True
    if isinstance(node, ast.Call):
        return _called(node) in _UNORDERED or (_method(node) in _VIEWS and not node.args)
    return ast.unparse(node) in names if isinstance(node, (ast.Name, ast.Attribute)) else False


@rule("dict")
def _dict(m: Module) -> Iterator[Hit]:
    """The core has no dict and no set at all."""
    if m.zone != "core":
        return
    for node in m.nodes:
        if _unordered(node):
            yield node, "no dict or set in the core"
        elif isinstance(node, ast.arguments) and node.kwarg:
            yield node.kwarg, "**kwargs is a dict"
        elif isinstance(node, ast.Attribute) and node.attr == "__dict__":
            yield node, "__dict__ is a dict"
        elif isinstance(node, ast.Call) and _called(node) in ("globals", "locals"):
            yield node, f"{_called(node)}() is a dict"


@rule("dict-order")
def _dict_order(m: Module) -> Iterator[Hit]:
    """Elsewhere a dict or a set may be looked into but not gone through, unless sorted."""
    names = set()
    for node in _of(m, ast.Assign):
        if _unordered(node.value):
            names |= {ast.unparse(target) for target in node.targets}
    through = {"list", "tuple", "enumerate", "iter", "zip", "map", "filter"}
    for node in m.nodes:
        looped: list[ast.expr] = []
        if isinstance(node, (ast.For, ast.comprehension)):
            looped = [node.iter]
        elif isinstance(node, ast.Call) and (_called(node) in through or _method(node) == "join"):
            looped = node.args
        elif isinstance(node, ast.Starred) and isinstance(node.ctx, ast.Load):
            looped = [node.value]
        for item in looped:
            if _unordered(item, names):
                yield item, "dicts and sets have another order on a board: sort it, or use a tuple"


# ---- calls


def _called(node: ast.Call) -> str:
    """The plain name that is called, empty if it is none."""
    return node.func.id if isinstance(node.func, ast.Name) else ""


def _method(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else ""


# Receivers that are the board's own objects, by the name that they have in the program.
_DEVICES = {"display"}
_CONTAINER = {
    name for kind in (list, dict, set, str, bytes, bytearray, int, tuple) for name in dir(kind)
}
Key = tuple[str, str]  # module, qualified name of a function, class or module-level table


class Calls:
    """Who mentions whom, by names: a board has no room for recursion (2 KB of Python stack).

    A variable is taken for an instance of the class (or for the module) that it is named after, and of
    those that are assigned to it; `self` for its class and the classes related to it; any other
    receiver for everything in its module (in the core: in the core) that has a method of that name,
    unless lists and strings have one too. Mentioning a function counts as calling it, mentioning a
    table of functions as calling all in it.
    """

    def __init__(self, modules: list[Module]) -> None:
        self.modules = {m.name: m for m in modules}
        self.nodes: dict[Key, tuple[Module, ast.AST]] = {}
        self.bases: dict[Key, list[str]] = {}
        self.named: dict[str, set[Key]] = {}  # last part of the name -> keys of classes' methods
        self.types: dict[str, set[Key]] = {}  # variable -> classes
        self.imported: dict[tuple[str, str], Key] = {}
        for m in modules:
            self._collect(m, m.tree, "")
        for m in modules:
            for _, name, names in m.imports():
                for taken in names:
                    if name in self.modules:
                        self.imported[m.name, taken] = (name, taken)
                    if f"{name}.{taken}" in self.modules:
                        self.imported[m.name, taken] = (f"{name}.{taken}", "")
        for m in modules:
            for node in _of(m, ast.Assign):
                if isinstance(node.value, ast.Call):
                    made = self._plain(m, _called(node.value))
                    if made in self.bases:
                        for target in node.targets:
                            self.types.setdefault(_last(target), set()).add(made)
        self.edges: dict[Key, set[Key]] = {key: set() for key in self.nodes}
        for key, (m, node) in self.nodes.items():
            if key not in self.bases:
                self._refer(key, m, node)
        for m in modules:
            for node in _of(m, ast.Call):  # TABLE.extend(…), TABLE.append(…)
                table = self._plain(m, _last(node.func.value)) if _method(node) else None
                if _method(node) in ("extend", "append") and table in self.edges:
                    for argument in node.args:
                        self._refer(table, m, argument)

    def _collect(self, m: Module, node: ast.AST, prefix: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (*_FUNCTIONS, ast.ClassDef)):
                key = m.name, prefix + child.name
                self.nodes[key] = m, child
                if isinstance(child, ast.ClassDef):
                    self.bases[key] = [_last(base) for base in child.bases]
                    self.types.setdefault(child.name.lower(), set()).add(key)
                elif isinstance(node, ast.ClassDef):
                    self.named.setdefault(child.name, set()).add(key)
                self._collect(m, child, prefix + child.name + ".")
            else:
                if isinstance(child, ast.Assign) and node is m.tree:
                    for target in child.targets:
                        if isinstance(target, ast.Name):
                            self.nodes.setdefault((m.name, target.id), (m, child.value))
                self._collect(m, child, prefix)

    def _plain(self, m: Module, name: str) -> Key | None:
        """What a plain name stands for at the top level of a module, `(module, "")` for a module."""
        key = self.imported.get((m.name, name), (m.name, name))
        return key if key in self.nodes or not key[1] else None

    def _refer(self, key: Key, m: Module, node: ast.AST) -> None:
        """Adds what `node`, which belongs to `key`, mentions."""
        body = node.body if isinstance(node, _FUNCTIONS) else [node]
        todo: list[ast.AST] = list(body)
        while todo:
            part = todo.pop()
            if isinstance(part, (*_FUNCTIONS, ast.ClassDef)):
                continue  # it has a node of its own, and counts when it is mentioned
            todo.extend(ast.iter_child_nodes(part))
            found: set[Key] = set()
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load):
                local = self._plain(m, part.id)
                inner = key[0], f"{key[1]}.{part.id}"
                sibling = key[0], f"{key[1].rpartition('.')[0]}.{part.id}"
                if inner in self.nodes:
                    found = {inner}
                elif sibling in self.nodes and self._nested(sibling):
                    found = {sibling}
                elif local and not (
                    local in self.bases and isinstance(m.parent[part], ast.Attribute)
                ):
                    found = {local}
            elif isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Load):
                found = self._attribute(key, m, part)
            for other in found:
                if other in self.bases:
                    other = other[0], other[1] + ".__init__"  # making one
                if other in self.nodes:
                    self.edges[key].add(other)

    def _nested(self, key: Key) -> bool:
        """Whether it is a function in a function: those alone are seen by their plain name."""
        outer = key[0], key[1].rpartition(".")[0]
        return outer in self.nodes and outer not in self.bases

    def _attribute(self, key: Key, m: Module, part: ast.Attribute) -> set[Key]:
        owner = part.value
        name = part.attr
        own = self._class_of(key)
        if isinstance(owner, ast.Name) and owner.id in ("self", "cls"):
            return self._methods(self._related(own), name) if own else set()
        if isinstance(owner, ast.Call) and _called(owner) == "super":
            return self._methods(self._related(own) - {own}, name) if own else set()
        if isinstance(owner, ast.Call) and self._plain(m, _called(owner)) in self.bases:
            return self._methods({self._plain(m, _called(owner))}, name)
        last = _last(owner)
        direct = self._plain(m, last) if isinstance(owner, ast.Name) else None
        if direct and direct in self.bases:  # Class.method
            return self._methods({direct}, name)
        found = self._methods(self.types.get(last.strip("_"), set()), name)
        for module in self.modules:  # the variable is a module, or kept one
            if module.split(".")[-1] == last or direct == (module, ""):
                found |= {(module, name)} & set(self.nodes)
        if found or last.strip("_") in self.types or (direct and not direct[1]):
            return found
        if name in _CONTAINER or last.strip("_") in _DEVICES:
            return set()
        zone = m.zone == "core"
        return {
            other
            for other in self.named.get(name, set())
            if other[0] == m.name or (zone and self.modules[other[0]].zone == "core")
        }

    def _class_of(self, key: Key) -> Key | None:
        parts = key[1].split(".")
        for n in range(len(parts) - 1, 0, -1):
            if (key[0], ".".join(parts[:n])) in self.bases:
                return key[0], ".".join(parts[:n])
        return None

    def _related(self, cls: Key) -> set[Key]:
        """The class, those it is made from and those made from it."""
        related = {cls}
        while True:
            names = {c[1] for c in related}
            bases = {base for c in related for base in self.bases[c]}
            more = {
                c
                for c in self.bases
                if c not in related and (c[1] in bases or names & set(self.bases[c]))
            }
            if not more:
                return related
            related |= more

    def _methods(self, classes: Iterable[Key | None], name: str) -> set[Key]:
        return {(c[0], f"{c[1]}.{name}") for c in classes if c} & set(self.nodes)

    def recursions(self) -> Iterator[Finding]:
        """A finding for each function from which a way leads back to it, once a circle."""
        told: set[Key] = set()
        for key in sorted(self.edges):
            if key in told:
                continue
            way = self._circle(key)
            if way:
                told.update(way)
                m, node = self.nodes[key]
                text = " -> ".join(name for _, name in [*way, key])
                yield Finding(m.path, getattr(node, "lineno", 0), "recursion", key[1], text)

    def _circle(self, start: Key) -> list[Key]:
        """The shortest way from `start` back to it, empty if there is none."""
        came: dict[Key, Key] = {}
        todo = [start]
        for key in todo:
            for other in sorted(self.edges[key]):
                if other == start:
                    way = [key]
                    while way[-1] != start:
                        way.append(came[way[-1]])
                    return way[::-1]
                if other not in came:
                    came[other] = key
                    todo.append(other)
        return []


def _last(node: ast.AST) -> str:
    """The last part of a dotted name, empty for anything else."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


# ---- the real compiler


def micropython() -> Path | None:
    """The MicroPython that is installed with this Python, or on the path."""
    beside = Path(sys.executable).parent / "micropython"
    if beside.is_file() and os.access(beside, os.X_OK):
        return beside
    found = shutil.which("micropython")
    return Path(found) if found else None


_COMPILE = """
import sys
for path in sys.argv[1:]:
    with open(path) as file:
        text = file.read()
    try:
        compile(text, path, "exec")
    except Exception as error:
        print(path + ":", type(error).__name__, error)
print("done")
"""


def compiles(paths: Iterable[Path]) -> list[str]:
    """What a real MicroPython's compiler has against the files; one process for all of them."""
    lines = run(["-c", _COMPILE, *map(str, paths)]).splitlines()
    if lines and lines[-1] == "done":
        return lines[:-1]
    return [*lines, "micropython did not come to the end"]


def run(arguments: list[str]) -> str:
    """All that MicroPython prints when it is run with these arguments."""
    command = [str(micropython()), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    return done.stdout + done.stderr
