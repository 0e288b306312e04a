"""Runs on CPython and on MicroPython alike: prints the packs that some seeds and hand numbers deal, one a
line, as tests/cases/deals.json keeps them."""

import sys

sys.path.insert(0, ".")

from pitch.cards import PACK
from pitch.rng import Rng

SEEDS = (
    (0, 0),
    (0, 1),
    (0, 2),
    (1, 0),
    (0x7FFF, 0xFFFF),
    (0x8000, 0),
    (0xFFFF, 0xFFFF),
    (0x1234, 0x5678),
)

rng = Rng()
for hi, lo in SEEDS:
    for hand in (1, 2, 100, 4095):
        pack = list(PACK)
        rng.seed(hi, lo, hand)
        rng.shuffle(pack, 52)
        print(hi, lo, hand, " ".join([str(card) for card in pack]))
