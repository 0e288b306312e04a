"""The core writes public numbers again as private constants, which cost a board nothing: all copies agree."""

import ast
from pathlib import Path

import pytest

from pitch import cards, rules, text

CORE = Path(__file__).parent.parent / "pitch"
PUBLIC = {
    name: value
    for module in (rules, cards)
    for name, value in vars(module).items()
    if name.isupper() and isinstance(value, int)
}
# Names of points as the core writes them, and as records do (record.md).
POINTS = {
    "TURNED": "turned", "GIFT": "gift", "HIGH": "high", "LOWEST": "low", "TAKEN_JACK": "jack", "GAME": "game",
}  # fmt: skip
# Values of options as the core writes them, and as records do (rules.md).
VALUES = {
    "NOBODY": "tie=nobody", "ELDER": "tie=elder", "SAME": "nobids=same", "NEXT": "nobids=next",
    "ELDEST": "nobids=eldest",
}  # fmt: skip


def constants(folder: Path = CORE) -> list[tuple[str, str, int]]:
    found = []
    for path in sorted(folder.glob("*.py")):
        for node in ast.parse(path.read_text()).body:
            if (
                isinstance(node, ast.Assign)
                and isinstance(node.value, ast.Call)
                and getattr(node.value.func, "id", "") == "const"
            ):
                value = eval(compile(ast.Expression(node.value.args[0]), "const", "eval"))
                assert isinstance(node.targets[0], ast.Name)
                found.append((path.name, node.targets[0].id, value))
    return found


@pytest.mark.parametrize("found", constants(), ids=lambda found: f"{found[0]}:{found[1]}")
def test_a_private_copy_has_the_public_value(found: tuple[str, str, int]) -> None:
    _, name, value = found
    name = name.lstrip("_")
    if name in PUBLIC:
        assert value == PUBLIC[name]
    if name in POINTS:
        assert text.POINTS[value] == POINTS[name]
    if name in VALUES:
        assert text.parse_option(VALUES[name])[1] == value


def test_the_walk_finds_them() -> None:
    names = {name for _, name, _ in constants()}
    assert {"_HIDDEN", "_PLAYING", "_TAKEN_JACK", "_ELDEST", "_THROW"} <= names


@pytest.mark.parametrize("folder", [CORE, CORE / "app"], ids=lambda folder: folder.name)
def test_copies_of_one_name_agree(folder: Path) -> None:
    values: dict[str, int] = {}
    for _, name, value in constants(folder):
        assert values.setdefault(name.lstrip("_"), value) == value, name
