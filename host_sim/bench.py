"""`bench`: how fast the rules core plays random hands of Auction Pitch on this PC, through the same legal()
and apply() that the game uses."""

from __future__ import annotations

import json
import platform
import random
import time

import click

import pitch.hand
from pitch.match import Match
from pitch.rules import Rules
from pitch.text import find

CARDS = 24  # played in a hand of four
# Choices drawn beforehand, which is not the core's work; a prime number, so that no hand repeats.
ROLLS = 4099


def play(seconds: float, seed: int = 1) -> tuple[int, int, float]:
    """Plays random legal hands for about `seconds`; (hands, actions, seconds of processor time)."""
    match = Match(Rules(find("auction"), 4), 0, seed)
    hand = match.hand
    rolls = random.Random(seed).choices(range(1 << 24), k=ROLLS)
    hands = actions = 0
    match.deal()
    start = time.process_time()
    end = start + seconds
    while time.process_time() < end:
        for roll in rolls:
            n = hand.legal()
            hand.apply(hand.acts[roll % n])
            if hand.turn < 0:
                actions += hand.logged
                hands += 1
                match.close()
                if match.winner >= 0:
                    seed = seed + 1 & 0xFFFF
                    match.new_game(0, seed, match.dealer)
                match.deal()
    return hands, actions, time.process_time() - start


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--seconds", default=6.0, type=click.FloatRange(0.1, 9.0), help="How long to play.")
def command(as_json: bool, seconds: float) -> None:
    """Speed of the rules core on this PC: random legal hands of `auction`, four players."""
    play(min(0.3, seconds))
    hands, actions, spent = play(seconds)
    core = "python" if str(pitch.hand.__file__).endswith(".py") else "compiled"
    answer = {
        "random_hands_per_s": round(hands / spent),
        "cards_per_s": round(hands * CARDS / spent),
        "actions_per_s": round(actions / spent),
        "core": core,
        "hands": hands,
        "seconds": round(spent, 2),
        "python": platform.python_version(),
    }
    if as_json:
        print(json.dumps(answer))
        return
    print(f"{answer['random_hands_per_s']:,} random hands a second ({core} core)")
    print(f"{answer['cards_per_s']:,} cards a second, {answer['actions_per_s']:,} actions a second")
