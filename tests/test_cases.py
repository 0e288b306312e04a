"""The agreed cases, replayed by the command as a user starts it: named positions and 600 random hands."""

import json
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
CASES = Path(__file__).parent / "cases"


def expected(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (CASES / f"{name}.expect.jsonl").open(encoding="ascii")]


NAMED = expected("named")


@cache
def answers(name: str) -> tuple[int, list[dict[str, Any]], str]:
    """Exit status, answers and stderr of `python -m host_sim replay`."""
    done = subprocess.run(
        [sys.executable, "-m", "host_sim", "replay", str(CASES / f"{name}.pitch")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
    )
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()], done.stderr


def differences(want: Any, got: Any, path: str = "answer") -> list[str]:
    """Where `got` does not hold `want`: keys in part, lists item by item, legal tokens as sets, and an
    error's reason is free."""
    if isinstance(want, dict):
        if not isinstance(got, dict):
            return [f"{path}: {got!r} is no object"]
        found = []
        for key, value in want.items():
            if key == "reason":
                continue
            if key not in got:
                found.append(f"{path}.{key} is missing")
            elif key == "legal":
                if len(got[key]) != len(value) or set(got[key]) != set(value):
                    found.append(f"{path}.legal: {got[key]}, not {value}")
            else:
                found += differences(value, got[key], f"{path}.{key}")
        return found
    if isinstance(want, list):
        if not isinstance(got, list) or len(got) != len(want):
            return [f"{path}: {got!r}, not {want!r}"]
        return [
            line
            for i, (part, whole) in enumerate(zip(want, got, strict=True))
            for line in differences(part, whole, f"{path}[{i}]")
        ]
    # True == 1 in Python, but not in JSON
    same = want == got and isinstance(want, bool) == isinstance(got, bool)
    return [] if same else [f"{path}: {got!r}, not {want!r}"]


@pytest.mark.parametrize("number", range(len(NAMED)), ids=[case["name"] for case in NAMED])
def test_named(number: int) -> None:
    _, got, _ = answers("named")
    assert differences(NAMED[number]["want"], got[number]) == []


def test_as_many_answers_as_records() -> None:
    status, got, stderr = answers("named")
    assert len(got) == len(NAMED) == 12
    assert status == 1  # two of the cases are illegal actions
    assert stderr == ""


def test_random_hands() -> None:
    status, got, stderr = answers("random")
    want = expected("random")
    assert (status, stderr, len(got)) == (0, "", 600)
    wrong = {
        number: found
        for number, (part, whole) in enumerate(zip(want, got, strict=True), start=1)
        if (found := differences(part, whole["hands"][0] if whole["hands"] else None))
    }
    assert not wrong


def test_the_comparison_itself_can_fail() -> None:
    got = {"a": [1, 2], "next": {"legal": ["2", "-"]}, "b": None, "error": {"reason": "x"}}
    assert differences({"a": [1, 2], "next": {"legal": ["-", "2"]}}, got) == []
    assert differences({"error": {"reason": "y"}}, got) == []
    assert differences({"a": [1]}, got) and differences({"a": [2, 1]}, got)
    assert differences({"next": {"legal": ["2"]}}, got) and differences({"c": None}, got)
    assert differences({"b": 0}, got) and differences({"a": {"x": 1}}, got)
