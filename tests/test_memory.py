"""The budgets of heap, on a real MicroPython (64-bit words: the figures are twice a board's)."""

import json

import pytest
from click.testing import CliRunner

from host_sim import memory


@pytest.fixture(scope="module")
def core() -> dict[str, int]:
    try:
        used: dict[str, int] = memory.run("core_heap.py", heap=memory.SMALLEST)["used"]
    except memory.MemoryFault as fault:
        if "no micropython" in str(fault):
            pytest.skip(str(fault))
        raise
    return used


def test_the_core_loads_and_plays_in_64_kb(core: dict[str, int]) -> None:
    assert core["end"] < memory.SMALLEST


def test_the_core_keeps_its_12_kb(core: dict[str, int]) -> None:
    assert core["match"] - core["start"] <= memory.CORE_BUDGET


@pytest.mark.parametrize("game,players", memory.GAMES)
def test_not_a_byte_in_64_kb_from_the_first_action_to_the_score(
    game: str, players: int, core: dict[str, int]
) -> None:
    """Under heap_lock an allocation ends the script; what is left afterwards is counted besides."""
    assert memory.run("core_heap.py", game, str(players), heap=memory.SMALLEST)["play"] == 0


def test_too_small_a_heap_is_told_in_one_line(core: dict[str, int]) -> None:
    with pytest.raises(memory.MemoryFault, match="24 KB of heap: MemoryError"):
        memory.run("core_heap.py", heap=24 * memory.KB)


def test_the_program_starts_and_plays_from_source_in_96_kb(core: dict[str, int]) -> None:
    """Compiling included, on every screen, after a power cut, with the panel unplugged in between."""
    played = memory.play("source", memory.APP_HEAP)
    assert played["hands"] == 24 and played["games"] and "restored" in played["used"]


def test_the_compiled_program_plays_in_96_kb(core: dict[str, int]) -> None:
    """Where memory is short, modules of screens come and go in another way."""
    played = memory.play("compiled", memory.APP_HEAP)
    assert played["hands"] == 24 and played["games"]


def test_the_program_keeps_its_64_kb(core: dict[str, int]) -> None:
    """In use while playing, with the pause and the score sheet over the table too."""
    app = memory.play("compiled")
    assert max(app["used"].values()) - app["used"]["start"] <= memory.APP_BUDGET
    assert app["used"]["sheets"] > app["used"]["playing"] and app["hands"] == 24


def test_no_single_allocation_needs_much_unbroken_heap(core: dict[str, int]) -> None:
    """A board's heap is fragmented: what is kept in one piece stays below 4 KB there."""
    assert memory.play("source")["largest"] <= 8 * memory.KB
    assert memory.run("core_heap.py")["largest"] <= 4 * memory.KB


def test_the_command(core: dict[str, int]) -> None:
    result = CliRunner().invoke(memory.command, ["--json"])
    answer = json.loads(result.output)
    assert result.exit_code == 0 and answer["within"]
    assert answer["core"].keys() == {"hand", "rules", "match", "view"}
    assert answer["largest_allocation"]["core"] > 0
