"""Runs on CPython and on MicroPython alike: plays random hands of every game and prints one line a game
with a digest of all that happened. Where heap_lock exists, it is held from the first action of each hand
to its score, so that a single byte allocated there ends the run.

usage: core.py [HANDS]     (the folder with pitch/ on the path or as the working folder)
"""

import gc
import sys

sys.path.insert(0, ".")

from pitch.cards import THROW
from pitch.match import Match
from pitch.rng import Rng
from pitch.rules import SIDES, VARIANTS, Rules
from pitch.text import parse_option
from pitch.view import View

try:
    from micropython import heap_lock, heap_unlock
except ImportError:

    def heap_lock():
        pass

    heap_unlock = heap_lock

# (variant row, players, options): every game, every number of players, the options that change the play
TABLES = [
    (row, seats >> 4, ((SIDES, seats & 15),))
    for row in range(len(VARIANTS))
    for seats in VARIANTS[row][1]
]
for players, texts in (
    (4, "low=taker tie=elder nobids=eldest match=any smudge=5 sweep=anyone"),
    (5, "tie=pitcher nobids=next match=only4 smudge=off finish=highest target=52"),
):
    TABLES.append((0, players, [parse_option(text) for text in texts.split()]))


def throw(hand):
    """Some legal set to throw away where there are too many to list: the first that may go."""
    seat = hand.turn
    spare = hand.draw.surplus(hand, seat)
    mask = hand.draw.must_throw(hand, seat)
    place = 0
    while spare:
        if hand.draw.can_throw(hand, seat, place):
            mask |= 1 << place
            spare -= 1
        place += 1
    return THROW | mask


def play(hand, view, rng, digest):
    """Plays one hand to its score; returns the digest with every action mixed in."""
    while hand.turn >= 0:
        n = hand.legal()
        hand.observe(hand.turn, view)
        action = hand.acts[rng.below(n)]
        if action == THROW:
            action = throw(hand)
        if not hand.apply(action):
            return -1
        digest = (digest * 31 + (action & 0xFFFF) + (action >> 16)) % 1000003
    return digest


def main(hands):
    for row, players, options in TABLES:
        rules = Rules(row, players, options)
        match = Match(rules, 0x1234, 0xFFFF, 1)
        view = View(rules)
        rng = Rng()
        rng.seed(1, players, row)
        digest = row
        games = 0
        for number in range(hands):
            match.deal()
            heap_lock()
            digest = play(match.hand, view, rng, digest)
            heap_unlock()
            match.close()
            for side in range(rules.nsides):
                digest = (digest * 31 + match.hand.gain[side] + 32) % 1000003
            if match.winner >= 0:
                games += 1
                match.new_game(number, 7, match.draw_dealer())
        print(rules.name, players, rules.nsides, match.dealer, games, digest)


main(int(sys.argv[1]) if len(sys.argv) > 1 else 40)
gc.collect()
