"""`replay`: plays records through the rules core and prints what came of them as JSON Lines."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from typing import Any

import click

from pitch.cards import BID, GIVE, NAME, PASS, THROW
from pitch.match import Match
from pitch.record import IllegalAction, Record, RecordError, Replay, legal_tokens, records
from pitch.rules import (
    BIDDING,
    DONE,
    GIVING,
    NAMING,
    PLAYING,
    STANDING,
    THROWING,
)
from pitch.text import POINTS, SEATS, SUITS, card_text, side_text

SUIT_NAMES = dict(zip("CDHS", ("clubs", "diamonds", "hearts", "spades"), strict=True))

# What each phase asks for, said to somebody who gave something else.
ASKED = {
    BIDDING: "a bid or a pass (-) is asked for here (R4)",
    STANDING: "stand or beg is asked for here",
    GIVING: "give or run is asked for here",
    NAMING: "the trump has to be named here: =C =D =H =S",
    THROWING: "cards to throw away are asked for here: ~ and their names",
    PLAYING: "a card is asked for here",
    DONE: "the hand is over",
}


def why(error: IllegalAction, over: bool) -> str:
    """The rule that an illegal action breaks, in words. `over`: the match has a winner."""
    hand = error.state
    action = error.code
    if error.token is None:
        return "the match is over" if over else "a hand is dealt before the one in play is over"
    if over:
        return "the match is over"
    if hand.turn < 0:
        return "the hand is over and no other is dealt"
    seat = SEATS[hand.turn]
    if action < 0 and not error.token.startswith("~"):
        return f"{error.token} is no action"
    if hand.short:
        return "the Stock tag ends before all the cards that are needed"
    rules = hand.rules
    if hand.phase == BIDDING and PASS <= action <= BID + 14:
        bid = action - BID
        if not bid:
            return "all others have passed, so the dealer must bid (option nobids=stick)"
        if not rules.minbid <= bid <= rules.maxbid:
            return f"bids run from {rules.minbid} to {rules.maxbid} (R5)"
        if bid == hand.high and hand.turn == hand.dealer:
            return f"the dealer may not match a bid of {bid} (R6, R7, option match)"
        return f"a bid must be higher than the {hand.high} before it (R5)"
    if hand.phase == PLAYING and 0 <= action < PASS:
        if action not in hand.hands[hand.turn][: hand.held[hand.turn]]:
            return f"{seat} does not hold {card_text(action)}"
        suit = SUIT_NAMES[SUITS[hand.led]]
        if hand.led == hand.trump:
            return f"must follow {suit}, the trump led (R9)"
        return f"must follow {suit}" + (
            " or trump (R10)" if rules.ruff else " (option follow=strict)"
        )
    if hand.phase == GIVING and action == GIVE:
        return "the dealer may not give a point that puts a player out"
    if hand.phase == THROWING and (action < 0 or action >= THROW):
        return f"{seat} has to keep six cards, and no trump that counts may go"
    if hand.phase == NAMING and action < NAME:
        return ASKED[NAMING]
    return ASKED[hand.phase]


def hand_result(match: Match) -> dict[str, Any]:
    """One finished hand, as record.md lists it. Called after Match.close()."""
    hand = match.hand
    rules = match.rules
    sides = [side_text(side, rules) for side in range(rules.nsides)]
    points = hand.points[: hand.npoints]
    return {
        "dealer": SEATS[hand.dealer],
        "pitcher": SEATS[hand.pitcher] if hand.pitcher >= 0 else None,
        "bid": hand.bid or None,
        "trump": SUITS[hand.trump] if hand.trump >= 0 else None,
        "tricks": [SEATS[seat] for seat in hand.tricks[: hand.ntricks]],
        "pips": None if rules.counted else list(hand.pips),
        "points": [[POINTS[p >> 8], sides[p >> 4 & 15], p & 15] for p in points],
        "gain": list(hand.gain),
        "scores": list(match.scores),
    }


def replay(record: Record) -> dict[str, Any]:
    """The answer to one record, with the keys of record.md."""
    hands: list[dict[str, Any]] = []
    play = Replay(record, lambda match: hands.append(hand_result(match)))
    match = play.match
    error = None
    try:
        play.run()
    except IllegalAction as illegal:
        error = {
            "hand": illegal.hand,
            "action": illegal.action,
            "token": illegal.token,
            "reason": why(illegal, match.winner >= 0),
        }
    over = match.winner >= 0
    # What a hand in play has already changed (turned, gift) counts now, though not yet on the sheet.
    running = [0] * match.rules.nsides if match.counted else match.hand.gain
    following = None
    if not over and not error:
        following = {"seat": SEATS[match.hand.turn], "legal": legal_tokens(match.hand)}
    return {
        "game": match.rules.name,
        "hands": hands,
        "scores": [score + gain for score, gain in zip(match.scores, running, strict=True)],
        "winner": side_text(match.winner, match.rules) if over else None,
        "settlement": list(match.settlement) if over else None,
        "next": following,
        "error": error,
    }


class Unreadable(Exception):
    """A file that is not there, or that holds something that is no record; its text is the whole message."""


def answers(name: str) -> Iterator[dict[str, Any]]:
    """The answers to a file's records, one at a time: a long file takes no more memory than a short one."""
    try:
        with open(name, encoding="ascii", errors="surrogateescape") as stream:
            for record in records(stream):
                yield replay(record)
    except RecordError as error:
        raise Unreadable(f"{name}:{error.line}: {error.reason}") from error
    except OSError as error:
        raise Unreadable(f"{name}: cannot be read: {error.strerror}") from error


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE…")
def command(files: tuple[str, ...]) -> None:
    """Replay records through the rules core; print one JSON object a record."""
    status = 0
    try:
        for name in files:
            for answer in answers(name):
                status = 1 if answer["error"] else status
                print(json.dumps(answer))
        sys.stdout.flush()
    except Unreadable as error:
        sys.stdout.flush()
        print(error, file=sys.stderr)
        status = 2
    except BrokenPipeError:  # whoever read the answers has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        print(f"the answers cannot be written: {error.strerror}", file=sys.stderr)
        os._exit(2)  # flushing at exit would fail again
    sys.exit(status)
