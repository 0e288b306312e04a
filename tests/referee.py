# An independent referee for Auction Pitch and the All Fours family, written from the rules alone.
# It shares nothing with pitch/ and is used by tests only: slow and plain on purpose.
from __future__ import annotations

import random
from collections.abc import Generator
from dataclasses import dataclass, field
from itertools import combinations
from math import comb
from typing import Any

SEATS = "ABCDEFG"
SUITS = "CDHS"
RANKS = "23456789TJQKA"
PACK = [suit + rank for suit in SUITS for rank in RANKS]
PIPS = {"T": 10, "A": 4, "K": 3, "Q": 2, "J": 1}
SAME_COLOUR = {"H": "D", "D": "H", "S": "C", "C": "S"}
MOST_SETS = 64  # more ways to throw than this are not listed

# What each option may be; the first value is the default of `auction`.
OPTION_VALUES = {
    "low": ["holder", "taker"],
    "tie": ["nobody", "elder", "pitcher"],
    "nobids": ["stick", "same", "next", "eldest"],
    "match": ["below4", "any", "only4", "never"],
    "smudge": ["4", "5", "off"],
    "sweep": ["bidder", "anyone"],
    "follow": ["ruff", "strict"],
    "target": ["7"],  # or any other whole number
    "mustbid": ["off", "on"],
    "finish": ["pitcher", "highest"],
    "setbackpay": ["off", "on"],
    "sides": ["solo", "2x2", "3x2", "2x3"],
}


@dataclass(frozen=True)
class Game:
    """One column of the tables in rules.md."""

    kind: str  # auction, turnup, draw, cinch
    players: str  # how many may play
    usual: int  # how many do when nobody says
    defaults: dict[str, str]  # options that differ from those of `auction`
    bids: tuple[int, int] = (2, 4)
    seller: bool = False  # Commercial Pitch: the eldest sells the contract
    cards: int = 6
    turn: int = 1  # 1 clockwise, -1 anticlockwise
    turned: dict[str, int] = field(default_factory=lambda: {"J": 1})
    throws_down: bool = True  # after a run
    careful_gift: bool = False  # a gift may not put anybody out
    hang_jack: int = 1


# `finish=order` and `nobids=dealer` have no name in the rules: points counted in order with nobody
# first; and in Cinch the dealer who names trump and plays without a contract.
GAMES = {
    "auction": Game("auction", "234567", 4, {}),
    "smudge": Game("auction", "345", 4, {"match": "never", "low": "taker", "sweep": "anyone"}),
    "partnership": Game(
        "auction",
        "4",
        4,
        {"match": "any", "smudge": "5", "low": "taker", "target": "21", "mustbid": "on"},
    ),
    "setback": Game(
        "auction",
        "4",
        4,
        {
            "match": "only4",
            "smudge": "off",
            "nobids": "next",
            "low": "taker",
            "target": "11",
            "finish": "highest",
        },
    ),
    "commercial": Game(
        "auction",
        "4567",
        4,
        {"match": "never", "smudge": "off", "nobids": "eldest", "finish": "order"},
        bids=(1, 4),
        seller=True,
    ),
    "allfours": Game("turnup", "24", 2, {"tie": "elder", "finish": "order"}),
    "sevenup": Game("turnup", "234", 2, {"finish": "order"}, careful_gift=True),
    "trinidad": Game(
        "turnup",
        "4",
        4,
        {"finish": "order", "target": "14"},
        turn=-1,
        turned={"A": 1, "6": 2, "J": 3},
        throws_down=False,
        hang_jack=3,
    ),
    "calijack": Game("draw", "2", 2, {"low": "taker", "finish": "order"}),
    "shasta": Game("draw", "2", 2, {"low": "taker", "finish": "order"}),
    "cinch": Game(
        "cinch",
        "4",
        4,
        {"match": "never", "nobids": "dealer", "target": "51"},
        bids=(1, 14),
        cards=9,
    ),
    "pedro": Game("cinch", "4", 4, {"match": "never", "target": "62"}, bids=(7, 14), cards=9),
}
ALWAYS_2X2 = ["partnership", "setback", "trinidad", "cinch", "pedro"]
FOUR_ARE_2X2 = ["allfours", "sevenup"]


class Table:
    """What stays the same for a whole match: the game, its options, who is on which side."""

    def __init__(self, name: str, players: int | None, options: dict[str, str]) -> None:
        if name not in GAMES:
            raise ValueError(f"no such game: {name}")
        for key, value in options.items():
            if key not in OPTION_VALUES:
                raise ValueError(f"no such option: {key}")
            if value not in OPTION_VALUES[key] and not (key == "target" and value.isdigit()):
                raise ValueError(f"no such value: {key}={value}")
        self.name = name
        self.game = GAMES[name]
        sides = options.get("sides")
        if players is None:
            players = _product(sides) if sides and sides != "solo" else self.game.usual
        if str(players) not in self.game.players:
            raise ValueError(f"{name} is not for {players}")
        if sides is None:
            paired = name in ALWAYS_2X2 or (name in FOUR_ARE_2X2 and players == 4)
            sides = "2x2" if paired else "solo"
        if sides != "solo" and _product(sides) != players:
            raise ValueError(f"sides={sides} does not fit {players} players")
        self.players = players
        self.sides = players if sides == "solo" else int(sides[0])
        self.ids = [SEATS[side : players : self.sides] for side in range(self.sides)]
        self.options = {key: values[0] for key, values in OPTION_VALUES.items()}
        self.options.update(self.game.defaults)
        if name == "sevenup" and players == 2:
            self.options["tie"] = "elder"
        self.options.update(options)
        self.target = int(self.options["target"])

    def side_of(self, seat: int) -> int:
        return seat % self.sides

    def seats_from(self, first: int) -> list[int]:
        """Every seat once, in the direction of play."""
        return [(first + self.game.turn * step) % self.players for step in range(self.players)]

    def after(self, seat: int) -> int:
        return (seat + self.game.turn) % self.players


def _product(sides: str) -> int:
    return int(sides[0]) * int(sides[2])


@dataclass
class Ask:
    """A question to one seat. A throw knows its parts as well, for sets too many to list."""

    seat: int
    legal: list[str]
    must: list[str] = field(default_factory=list)  # cards that are thrown in any case
    may: list[str] = field(default_factory=list)  # cards to choose from
    count: int = 0  # how many of those are chosen; 0 for a question that is no throw

    def accepts(self, token: str) -> bool:
        if not self.count:
            return token in self.legal
        if not token.startswith("~"):
            return False
        cards = token[1:].split(",") if len(token) > 1 else []
        chosen = [card for card in cards if card not in self.must]
        return (
            len(set(cards)) == len(cards)
            and all(card in cards for card in self.must)
            and all(card in self.may for card in chosen)
            and len(chosen) == self.count
        )

    def pick(self, rng: random.Random) -> str:
        if self.legal == ["~"]:
            cards = self.must + rng.sample(self.may, self.count)
            return "~" + ",".join(rng.sample(cards, len(cards)))
        if "-" in self.legal and rng.random() < 0.5:
            return "-"  # else hardly anybody would pass
        return rng.choice(self.legal)


Steps = Generator[Ask, str, None]


class Hand:
    """One deal, its play and its count. `steps` asks; everything else is there to be read."""

    def __init__(
        self,
        table: Table,
        dealer: int,
        scores: list[int],
        setbacks: list[int],
        cards: list[list[str]] | None,
        stock: list[str],
    ) -> None:
        self.table = table
        self.dealer = dealer
        self.before = list(scores)
        self.scores = list(scores)
        self.setbacks = list(setbacks)
        self.dealt = cards is not None
        self.hands = [list(hand) for hand in cards] if cards else [[] for _ in SEATS]
        self.stock = list(stock)
        self.out: list[str] = []  # turned up or thrown away
        self.plays: list[tuple[int, str, int]] = []  # who played what, and who took it
        self.tricks: list[int] = []
        self.pips = [0] * table.sides
        self.pitcher: int | None = None
        self.bid: int | None = None
        self.trump: str | None = None
        self.points: list[tuple[str, int, int]] = []
        self.winner: int | None = None
        self.same_dealer = False
        self.eldest = table.after(dealer)

    # ---- the order of things

    def steps(self) -> Steps:
        kind = self.table.game.kind
        if kind == "auction":
            if self.table.game.seller:
                yield from self.sale()
            else:
                yield from self.bidding()
                if self.pitcher is None and self.table.options["nobids"] == "eldest":
                    self.pitcher = self.eldest
            if self.pitcher is None:  # passed out
                self.same_dealer = self.table.options["nobids"] == "same"
                return
            yield from self.play_tricks(self.pitcher)
        elif kind == "cinch":
            yield from self.bidding()
            if self.pitcher is None:
                self.pitcher = self.dealer
            named = yield Ask(self.pitcher, ["=" + suit for suit in SUITS])
            self.trump = named[1]
            yield from self.discard()
            yield from self.play_tricks(self.pitcher)
        elif kind == "turnup":
            yield from self.turn_up()
            if self.winner is not None or self.trump is None:
                return
            yield from self.play_tricks(self.eldest)
        else:
            self.trump = self.stock[-1][0]  # the card that was cut lies at the bottom
            yield from self.play_tricks(self.eldest)
        self.count()

    # ---- auctions

    def bidding(self) -> Steps:
        lowest, highest = self.table.game.bids
        if self.table.game.kind == "auction" and self.table.options["smudge"] == "5":
            highest = 5
        high = 0
        for seat in self.table.seats_from(self.eldest):
            legal = [str(bid) for bid in range(lowest, highest + 1) if bid > high]
            if seat == self.dealer and high and self.may_match(high):
                legal.append(str(high))
            stuck = seat == self.dealer and not high and self.table.options["nobids"] == "stick"
            if not stuck:
                legal.append("-")
            token = yield Ask(seat, sorted(legal))
            if token != "-":
                high = int(token)
                self.pitcher, self.bid = seat, high

    def may_match(self, high: int) -> bool:
        match = self.table.options["match"]
        return (
            match == "any" or (match == "below4" and high < 4) or (match == "only4" and high == 4)
        )

    def sale(self) -> Steps:
        """Commercial Pitch: everybody but the eldest bids, the eldest sells or keeps."""
        seller = self.table.side_of(self.eldest)
        lowest, highest = self.table.game.bids
        room = self.table.target - 1 - self.scores[seller]
        high, bidder = 0, self.eldest
        for seat in self.table.seats_from(self.eldest)[1:]:
            legal = [str(bid) for bid in range(lowest, highest + 1) if high < bid <= room]
            token = yield Ask(seat, sorted([*legal, "-"]))
            if token != "-":
                high, bidder = int(token), seat
        self.pitcher = self.eldest
        if high:
            self.bid = high
            answer = yield Ask(self.eldest, ["keep", "sell"])
            if answer == "sell":
                self.scores[seller] += high
                self.pitcher = bidder

    # ---- throwing away

    def throw(self, seat: int, must: list[str], may: list[str], count: int) -> Steps:
        """Throws `must` and `count` out of `may`, asking only where there is a choice."""
        hand = self.hands[seat]
        thrown = set(must)
        ways = comb(len(may), count)
        if ways == 1:
            thrown.update(may if count else [])
        else:
            legal = ["~"]
            if ways <= MOST_SETS:
                sets = [thrown.union(chosen) for chosen in combinations(may, count)]
                legal = ["~" + ",".join(card for card in hand if card in s) for s in sets]
            token = yield Ask(seat, sorted(legal), must, may, count)
            thrown = set(token[1:].split(","))
        self.out += [card for card in hand if card in thrown]
        self.hands[seat] = [card for card in hand if card not in thrown]

    def draw(self, seat: int, count: int) -> None:
        taken = self.stock[: max(count, 0)]
        self.stock = self.stock[len(taken) :]
        self.hands[seat] += taken

    def discard(self) -> Steps:
        """Cinch, when trump is named: all but the dealer change cards, then the dealer robs."""
        for seat in self.table.seats_from(self.eldest):
            hand = self.hands[seat]
            plain = [card for card in hand if not self.is_trump(card)]
            if seat == self.dealer:
                yield from self.throw(seat, plain, [], 0)
                self.hands[seat] += [card for card in self.stock if self.is_trump(card)]
                self.stock = [card for card in self.stock if not self.is_trump(card)]
                plain = []
            trumps = [card for card in self.hands[seat] if self.is_trump(card)]
            spare = [card for card in trumps if not self.cinch_point(card)]
            yield from self.throw(seat, plain, spare, max(len(trumps) - 6, 0))
            self.draw(seat, 6 - len(self.hands[seat]))

    # ---- turn-up games

    def turn_card(self) -> tuple[str, int]:
        """The suit of the next card of the stock, and what the dealer gets for it."""
        card = self.stock.pop(0)
        self.out.append(card)
        return card[0], self.table.game.turned.get(card[1], 0)

    def award(self, name: str, side: int, value: int) -> None:
        """Scores a point outside the count; it may end the match."""
        if value and self.winner is None:
            self.points.append((name, side, value))
            self.scores[side] += value
            if self.scores[side] >= self.table.target:
                self.winner = side

    def turn_up(self) -> Steps:
        table, game = self.table, self.table.game
        us = table.side_of(self.dealer)
        others: list[int] = []  # the sides that a gift goes to, from the eldest
        for seat in table.seats_from(self.eldest):
            side = table.side_of(seat)
            if side != us and side not in others:
                others.append(side)
        suit = ""
        if self.dealt:
            suit, value = self.turn_card()
            self.award("turned", us, value)
            if self.winner is not None:
                return
        answer = yield Ask(self.eldest, ["beg", "stand"])
        if answer == "beg":
            puts_out = any(self.scores[side] + 1 >= table.target for side in others)
            answer = yield Ask(
                self.dealer, ["run"] if game.careful_gift and puts_out else ["give", "run"]
            )
        if answer != "run":
            self.trump = suit
            if answer == "give":
                for side in others:
                    self.award("gift", side, 1)
            return
        rejected = suit
        while suit == rejected:
            if len(self.stock) < 3 * table.players + 1:  # the pack is exhausted
                self.same_dealer = True
                return
            for seat in table.seats_from(self.eldest):
                self.draw(seat, 3)
            suit, value = self.turn_card()
            if suit != rejected:
                self.trump = suit
            self.award("turned", us, value)
            if self.winner is not None:
                return
        if game.throws_down:
            for seat in table.seats_from(self.eldest):
                yield from self.throw(seat, [], self.hands[seat], len(self.hands[seat]) - 6)

    # ---- cards

    def off_five(self) -> str:
        """The five that Cinch makes a trump, or nothing."""
        if self.table.game.kind == "cinch" and self.trump is not None:
            return SAME_COLOUR[self.trump] + "5"
        return ""

    def suit_of(self, card: str) -> str:
        if card == self.off_five() and self.trump is not None:
            return self.trump
        return card[0]

    def is_trump(self, card: str) -> bool:
        return self.suit_of(card) == self.trump

    def power(self, card: str) -> float:
        """The place of a card within its suit; the off-five is just below the five."""
        return RANKS.index(card[1]) - (0.5 if card == self.off_five() else 0)

    def cinch_point(self, card: str) -> bool:
        return self.is_trump(card) and card[1] in "AJT25"

    # ---- tricks

    def legal_cards(self, seat: int, led: str | None) -> list[str]:
        hand = self.hands[seat]
        if led is None:
            return hand
        suit = self.suit_of(led)
        following = [card for card in hand if self.suit_of(card) == suit]
        if not following:
            return hand
        if suit == self.trump or self.table.options["follow"] == "strict":
            return following
        return [card for card in hand if self.suit_of(card) == suit or self.is_trump(card)]

    def best_of(self, trick: list[tuple[int, str]]) -> int:
        """The seat that wins these cards, in the order they were played."""
        suit = self.suit_of(trick[0][1])
        if any(self.is_trump(card) for _, card in trick):
            suit = str(self.trump)
        rivals = [(self.power(card), seat) for seat, card in trick if self.suit_of(card) == suit]
        return max(rivals)[1]

    def play_tricks(self, leader: int) -> Steps:
        while any(self.hands):
            trick: list[tuple[int, str]] = []
            for seat in self.table.seats_from(leader):
                if not self.hands[seat]:
                    continue
                led = trick[0][1] if trick else None
                card = yield Ask(seat, sorted(self.legal_cards(seat, led)))
                self.hands[seat].remove(card)
                trick.append((seat, card))
                if self.trump is None:
                    self.trump = card[0]
            leader = self.best_of(trick)
            self.tricks.append(leader)
            for seat, card in trick:
                self.plays.append((seat, card, leader))
                self.pips[self.table.side_of(leader)] += PIPS.get(card[1], 0)
            if self.table.game.kind == "draw":
                for seat in self.table.seats_from(leader):
                    self.draw(seat, 1)

    # ---- the count

    def card_points(self) -> list[tuple[str, int, int]]:
        """The points of the cards played, in counting order."""
        side_of, options = self.table.side_of, self.table.options
        trumps = sorted((self.power(p[1]), p) for p in self.plays if self.is_trump(p[1]))
        found: list[tuple[str, int, int]] = []
        if self.table.game.kind == "cinch":
            wanted = [("high", "A", 1), ("low", "2", 1), ("jack", "J", 1), ("ten", "T", 1)]
            for name, rank, value in wanted + [("five", "5", 5), ("offfive", "5", 5)]:
                for _, (_, card, taker) in trumps:
                    is_off = card == self.off_five()
                    if card[1] == rank and is_off == (name == "offfive"):
                        found.append((name, side_of(taker), value))
            return found
        if trumps:  # where a card is turned there may be none in play
            holder, _, taker = trumps[-1][1]
            found.append(("high", side_of(holder), 1))
            holder, _, taker = trumps[0][1]
            found.append(("low", side_of(taker if options["low"] == "taker" else holder), 1))
        for _, (holder, card, taker) in trumps:
            if card[1] == "J":
                hung = side_of(holder) != side_of(taker)
                found.append(("jack", side_of(taker), self.table.game.hang_jack if hung else 1))
        most = max(self.pips)
        tied = [side for side in range(self.table.sides) if self.pips[side] == most]
        game = None
        if len(tied) == 1:
            game = tied[0]
        elif options["tie"] == "elder":
            seats = self.table.seats_from(self.eldest)
            game = next(side_of(seat) for seat in seats if side_of(seat) in tied)
        elif options["tie"] == "pitcher" and self.pitcher is not None:
            game = side_of(self.pitcher) if side_of(self.pitcher) in tied else None
        if game is not None:
            found.append(("game", game, 1))
        return found

    def count(self) -> None:
        """Enters the points of the cards on the sheet and looks for a winner."""
        options, target = self.table.options, self.table.target
        auction = self.table.game.kind == "auction"
        found = self.card_points()
        self.points += found
        pitching = None if self.pitcher is None else self.table.side_of(self.pitcher)
        made = {side: sum(p[2] for p in found if p[1] == side) for side in range(self.table.sides)}
        swept = None  # the side that won all four points
        if auction and len(found) == 4 and len({side for _, side, _ in found}) == 1:
            swept = found[0][1]
        smudged = auction and self.bid is not None and str(self.bid) == options["smudge"]

        kept = True  # the pitcher made its bid, or had none
        if pitching is not None and self.bid is not None:
            kept = made[pitching] >= self.bid
            if smudged and self.bid == 5:
                all_tricks = all(self.table.side_of(seat) == pitching for seat in self.tricks)
                kept = swept == pitching and all_tricks

        running = list(self.scores)  # for counting in order
        for side, value in made.items():
            if side != pitching or kept:
                self.scores[side] += value
        if pitching is not None and self.bid is not None:
            if not kept:
                self.scores[pitching] -= self.bid
                self.setbacks[pitching] += 1
            elif smudged and self.bid == 5:
                self.scores[pitching] += 1  # five, not four

        if swept is not None:
            by_smudge = swept == pitching and smudged and kept and self.before[swept] >= 0
            if by_smudge or options["sweep"] == "anyone":
                self.winner = swept
                return

        allowed = list(made)  # who may go out
        if options["mustbid"] == "on" and self.table.game.kind in ("auction", "cinch"):
            allowed = [side for side in made if side == pitching and self.bid is not None and kept]
        out = [side for side in allowed if self.scores[side] >= target]
        if options["finish"] == "highest":
            best = max((self.scores[side] for side in out), default=0)
            first = [side for side in out if self.scores[side] == best]
            self.winner = first[0] if len(first) == 1 else None
            return
        if options["finish"] == "pitcher" and pitching in out and kept:
            self.winner = pitching
            return
        for _, side, value in found:
            if side != pitching or kept:
                running[side] += value
                if running[side] >= target and side in allowed:
                    self.winner = side
                    return

    # ---- the answer

    def result(self) -> dict[str, Any]:
        ids = self.table.ids
        gain = [after - before for after, before in zip(self.scores, self.before, strict=True)]
        return {
            "dealer": SEATS[self.dealer],
            "pitcher": None if self.pitcher is None else SEATS[self.pitcher],
            "bid": self.bid,
            "trump": self.trump,
            "tricks": [SEATS[seat] for seat in self.tricks],
            "pips": None if self.table.game.kind == "cinch" else list(self.pips),
            "points": [[name, ids[side], value] for name, side, value in self.points],
            "gain": gain,
            "scores": list(self.scores),
        }


def settle(table: Table, winner: int, scores: list[int], setbacks: list[int]) -> list[int]:
    """What each side pays (R22, R23); the winner's entry is what it collects."""
    pays = []
    for side in range(table.sides):
        due = 1 if scores[side] >= 1 else 2
        if table.options["setbackpay"] == "on":
            due += setbacks[side]
        pays.append(0 if side == winner else due)
    pays[winner] = sum(pays)
    return pays


def check_deal(table: Table, hands: list[list[str]], stock: list[str]) -> None:
    cards = [card for hand in hands for card in hand] + stock
    if len(hands) != table.players or any(len(hand) != table.game.cards for hand in hands):
        raise ValueError("a deal of the wrong size")
    if len(set(cards)) != len(cards) or any(card not in PACK for card in cards):
        raise ValueError("a deal with a card twice, or no card")
    if table.game.kind in ("turnup", "draw") and not stock:
        raise ValueError("a deal without a stock")


def first_question(
    table: Table, dealer: int, scores: list[int], setbacks: list[int]
) -> dict[str, Any] | None:
    """The first step of a hand whose cards are not known, if it does not hang on them."""
    if table.game.kind == "draw":
        return None
    ask = next(Hand(table, dealer, scores, setbacks, None, []).steps())
    return {"seat": SEATS[ask.seat], "legal": ask.legal}


def play(
    game: str,
    players: int | None,
    options: dict[str, str],
    dealer: str,
    scores: list[int] | None,
    setbacks: list[int] | None,
    deals: list[tuple[list[list[str]], list[str]]],
    actions: list[list[str]],
) -> dict[str, Any]:
    """Replays a record and answers with the keys of `replay` in record.md."""
    table = Table(game, players, options)
    seat = SEATS.index(dealer)
    if seat >= table.players or len(actions) > len(deals):
        raise ValueError("no such dealer, or actions without a deal")
    scores = list(scores) if scores else [0] * table.sides
    setbacks = list(setbacks) if setbacks else [0] * table.sides
    if len(scores) != table.sides or len(setbacks) != table.sides:
        raise ValueError("scores or set-backs of the wrong number of sides")
    finished: list[dict[str, Any]] = []
    winner: int | None = None
    pending: dict[str, Any] | None = None
    error: dict[str, Any] | None = None

    def wrong(number: int, action: int, token: str, reason: str) -> dict[str, Any]:
        return {"hand": number, "action": action, "token": token, "reason": reason}

    for number, (cards, stock) in enumerate(deals, start=1):
        tokens = actions[number - 1] if number <= len(actions) else []
        if winner is not None or pending is not None:
            if tokens:
                reason = "the match is over" if pending is None else "the last hand is not over"
                error = wrong(number, 1, tokens[0], reason)
                break
            continue
        check_deal(table, cards, stock)
        hand = Hand(table, seat, scores, setbacks, cards, stock)
        steps = hand.steps()
        ask = next(steps, None)
        for count, token in enumerate(tokens, start=1):
            if ask is None:
                error = wrong(number, count, token, "the hand is over")
                break
            if not ask.accepts(token):
                error = wrong(number, count, token, f"legal are {' '.join(ask.legal)}")
                break
            try:
                ask = steps.send(token)
            except StopIteration:
                ask = None
        scores, setbacks, winner = hand.scores, hand.setbacks, hand.winner
        if ask is None:
            finished.append(hand.result())
            seat = seat if hand.same_dealer else table.after(seat)
        else:
            pending = {"seat": SEATS[ask.seat], "legal": ask.legal}
        if error is not None:
            break

    if error is not None:
        pending = None
    elif winner is None and pending is None:
        pending = first_question(table, seat, scores, setbacks)
    return {
        "game": game,
        "hands": finished,
        "scores": scores,
        "winner": None if winner is None else table.ids[winner],
        "settlement": None if winner is None else settle(table, winner, scores, setbacks),
        "next": pending,
        "error": error,
    }


def random_hand(
    rng: random.Random,
    game: str,
    players: int | None,
    options: dict[str, str],
    dealer: str,
    scores: list[int] | None,
    setbacks: list[int] | None,
) -> tuple[list[list[str]], list[str], list[str]]:
    """Deals and plays one hand at random: the hands, the stock and the tokens."""
    table = Table(game, players, options)
    seat = SEATS.index(dealer)
    pack = rng.sample(PACK, len(PACK))
    hands: list[list[str]] = [[] for _ in range(table.players)]
    for _ in range(table.game.cards // 3):
        for receiver in table.seats_from(table.after(seat)):
            hands[receiver] += pack[:3]
            pack = pack[3:]
    zeros = [0] * table.sides
    steps = Hand(table, seat, scores or zeros, setbacks or zeros, hands, pack).steps()
    tokens: list[str] = []
    ask = next(steps, None)
    while ask is not None:
        tokens.append(ask.pick(rng))
        try:
            ask = steps.send(tokens[-1])
        except StopIteration:
            ask = None
    return hands, pack, tokens
