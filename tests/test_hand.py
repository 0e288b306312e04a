"""One hand's promises: legal() is the whole truth about apply(), undo takes back every bit, and a seat's
view holds nothing that the seat may not know."""

import gc
import random
import types
from typing import Any

import pytest

from pitch.cards import THROW
from pitch.hand import Hand
from pitch.match import Match
from pitch.rules import Rules
from pitch.text import find, parse_option
from pitch.view import View

# (game, players, options): every game and number of players, and what changes the course of a hand
TABLES = [
    *[("auction", players, "") for players in range(2, 8)],
    ("auction", 4, "sides=2x2"),
    ("auction", 6, "sides=3x2"),
    ("auction", 6, "sides=2x3"),
    ("auction", 4, "low=taker,tie=elder,nobids=same,match=any,smudge=5,sweep=anyone,follow=strict"),
    ("auction", 3, "tie=pitcher,nobids=next,match=only4,smudge=off"),
    ("auction", 2, "nobids=eldest,match=never"),
    ("allfours", 2, ""),
    ("allfours", 4, ""),
    ("sevenup", 2, ""),
    ("sevenup", 3, ""),
    ("sevenup", 4, ""),
    ("cinch", 4, ""),
]
Table = tuple[str, int, str]
every_table = pytest.mark.parametrize("table", TABLES, ids=[f"{a} {b} {c}" for a, b, c in TABLES])

# Lists of a Hand of which only a part is in use, and the attribute that says how much.
USED = {
    "log": "logged",
    "by": "logged",
    "turnups": "nturned",
    "tricks": "ntricks",
    "ends": "ntricks",
    "points": "npoints",
}
# Neither state nor result: the rules, functions, caches of legal(), and the note why a refusal came.
APART = {"rules", "after", "draw", "listed", "acts", "n", "short", "hands"}


def state(hand: Any) -> dict[str, Any]:
    """All that lives in a hand, found through its slots so that a new attribute is covered too."""
    live: dict[str, Any] = {}
    for name in Hand.__slots__:
        value = getattr(hand, name)
        if name in USED:
            live[name] = tuple(value[: getattr(hand, USED[name])])
        elif name not in APART:
            live[name] = tuple(value) if isinstance(value, list | tuple) else value
    live["hands"] = [tuple(hand.hands[seat][: hand.held[seat]]) for seat in range(len(hand.hands))]
    count = hand.legal()  # first: it may make another list of acts
    live["legal"] = tuple(hand.acts[:count])
    return live


def test_state_covers_every_slot() -> None:
    hand = Hand(Rules())
    assert APART | set(USED) <= set(Hand.__slots__)
    assert set(state(hand)) == (set(Hand.__slots__) - APART) | {"hands", "legal"}


def new_match(table: Table, seed: int) -> Match:
    game, players, options = table
    pairs = [parse_option(text) for text in options.split(",") if text]
    return Match(Rules(find(game), players, pairs), seed >> 16, seed & 0xFFFF)


def sets(hand: Any, rng: random.Random, count: int) -> list[int]:
    """Random sets of cards to throw, of any size and with cards that are not there."""
    held = hand.held[hand.turn]
    masks = [0, 1 << held, (1 << held) - 1, (1 << 24) - 1]
    masks += [rng.getrandbits(held + 1) for _ in range(count)]
    masks += [
        sum(1 << place for place in rng.sample(range(held), max(held - 6, 0))) for _ in range(count)
    ]
    return [THROW | mask for mask in masks]


def choose(hand: Any, rng: random.Random) -> int:
    """A random legal action; where the sets to throw are too many to list, a random one of them."""
    count = hand.legal()
    action: int = hand.acts[rng.randrange(count)]
    while action == THROW:
        held = hand.held[hand.turn]
        cards = [hand.hands[hand.turn][place] for place in range(held)]
        if hand.trump < 0:  # run: any may go
            kept = set(rng.sample(range(held), 6))
        else:
            spare = [i for i, card in enumerate(cards) if legal_to_throw(hand, card)]
            must = [i for i, card in enumerate(cards) if hand.rules.counted and plain(hand, card)]
            away = held - 6 - len(must)
            kept = set(range(held)) - set(must) - set(rng.sample(spare, away))
        action = THROW | sum(1 << place for place in range(held) if place not in kept)
    return action


def plain(hand: Any, card: int) -> bool:
    """Cinch: whether the card is no trump; the off-five is the five of the suit of the same colour."""
    trump: int = hand.trump
    return card >> 4 != trump and card != ((3 - trump) << 4 | 5)


def legal_to_throw(hand: Any, card: int) -> bool:
    """Cinch: a trump, but none of A J T 5 2 and the off-five; after a run any card."""
    if not hand.rules.counted:
        return True
    return card >> 4 == hand.trump and card & 15 not in (14, 11, 10, 5, 2)


def hand_mask(hand: Any, action: int) -> bool:
    """rules.md on throwing away, straight from its words, for the seat that is asked."""
    held = hand.held[hand.turn]
    mask = action - THROW
    if mask >> held:
        return False
    cards = [hand.hands[hand.turn][place] for place in range(held)]
    kept = [card for place, card in enumerate(cards) if not mask >> place & 1]
    gone = [card for place, card in enumerate(cards) if mask >> place & 1]
    if len(kept) != 6:
        return False
    if not hand.rules.counted:
        return True
    return all(plain(hand, card) or legal_to_throw(hand, card) for card in gone) and not any(
        plain(hand, card) for card in kept
    )


@every_table
def test_legal_is_all_that_apply_takes(table: Table) -> None:
    rng = random.Random(7)
    throwing = 0
    for seed in range(5):
        match = new_match(table, seed * 0x01010101)
        match.deal()
        hand = match.hand
        while hand.turn >= 0:
            before = state(hand)
            legal = before["legal"]
            assert legal and len(set(legal)) == len(legal)
            asked = legal[0] >= THROW
            throwing += asked
            tries = sets(hand, rng, 20)
            others = [a for a in (*range(-130, 300), -THROW, 2 * THROW, 1 << 40) if a not in legal]
            others += [a for a in tries if a not in legal and not (asked and hand_mask(hand, a))]
            for action in others:
                assert hand.apply(action) is False
            assert state(hand) == before
            taken = [a for a in legal if a != THROW]
            taken += [a for a in tries if asked and hand_mask(hand, a)]
            for action in taken:
                assert hand.apply(action) is True
                assert hand.log[hand.logged - 1] == action
                assert hand.undo() is True
                assert state(hand) == before
            if asked and legal != (THROW,):
                assert all(hand_mask(hand, action) for action in legal)
            assert hand.apply(choose(hand, rng))
        assert hand.legal() == 0
        end = state(hand)
        assert not any(hand.apply(action) for action in (*range(300), THROW, THROW | 7))
        assert state(hand) == end


def test_both_kinds_of_throw_occur() -> None:
    """What the test above rests on: listed throws, throws too many to list, in All Fours and in Cinch."""
    rng = random.Random(1)
    seen = set()
    for table in TABLES:
        for seed in range(0 if table[0] == "auction" else 150):
            match = new_match(table, seed)
            match.deal()
            while match.hand.turn >= 0:
                match.hand.legal()
                if match.hand.acts[0] >= THROW:
                    listed = match.hand.acts[0] > THROW
                    seen.add((table[0], listed))
                match.hand.apply(choose(match.hand, rng))
    assert seen >= {("allfours", False), ("sevenup", False), ("cinch", True)}


@every_table
def test_undo_to_the_start_and_forth_again(table: Table) -> None:
    """At every step one back and forth; at the end all the way back, then forth again to the same end."""
    rng = random.Random(11)
    for seed in range(12):
        match = new_match(table, 0xFFFFFFFF - seed * 65537)
        match.deal()
        hand = match.hand
        states = [state(hand)]
        actions = []
        while hand.turn >= 0:
            action = choose(hand, rng)
            actions.append(action)
            assert hand.apply(action)
            after = state(hand)
            assert hand.undo()
            assert state(hand) == states[-1]
            assert hand.apply(action)
            assert state(hand) == after
            states.append(after)
        for earlier in reversed(states[:-1]):
            assert hand.undo()
            assert state(hand) == earlier
        assert hand.undo() is False
        assert state(hand) == states[0]
        for action, after in zip(actions, states[1:], strict=True):
            assert hand.apply(action)
            assert state(hand) == after


def test_a_hand_used_again_holds_nothing_of_the_one_before() -> None:
    for table in TABLES:
        match = new_match(table, 5)
        rng = random.Random(3)
        for _ in range(4):
            match.deal()
            fresh = Hand(match.rules, list(match.scores))
            fresh.pack[:] = match.hand.pack
            fresh.deal(match.dealer)
            assert state(fresh) == state(match.hand)
            while match.hand.turn >= 0:
                action = choose(match.hand, rng)
                assert match.hand.apply(action) and fresh.apply(action)
            assert state(fresh) == state(match.hand)
            match.close()
            if match.winner >= 0:
                match.new_game(1, 2, 0)


# ---- what a seat may know


def content(view: Any) -> dict[str, Any]:
    """Every attribute of a view, lists copied; but the rules, which are the table's."""
    return {
        name: tuple(value) if isinstance(value, list | tuple) else value
        for name, value in vars(view).items()
        if name != "rules"
    }


def observed(hand: Any, seat: int) -> dict[str, Any]:
    view: Any = View(hand.rules)
    view.look(hand, seat)
    return content(view)


def public(hand: Any, seat: int) -> tuple[Any, ...]:
    """What is on the table for all to see, and the seat's own cards, read from the hand itself."""
    return (
        hand.turn,
        hand.phase,
        tuple(hand.held),
        tuple(hand.by[: hand.logged]),
        tuple(hand.turnups[: hand.nturned]),
        tuple(hand.hands[seat][: hand.held[seat]]),
    )


def replayed(hand: Any, pack: list[int], seat: int) -> Any:
    """The hand as it would stand had `pack` been dealt, or None if somebody could then have noticed:
    another action refused, another question asked, or other cards seen by `seat`."""
    true, other = (Hand(hand.rules, list(hand.scores)) for _ in range(2))
    true.pack[:] = hand.pack
    other.pack[:] = pack
    true.deal(hand.dealer)
    other.deal(hand.dealer)
    for i in range(hand.logged):
        if public(true, seat) != public(other, seat):
            return None
        action = hand.log[i]
        if not (other.apply(action) and true.apply(action)):
            return None
    return other if public(true, seat) == public(other, seat) else None


def seen_cards(hand: Any, seat: int) -> set[int]:
    """All the cards that `seat` has seen so far, from a replay of the hand."""
    again = Hand(hand.rules, list(hand.scores))
    again.pack[:] = hand.pack
    again.deal(hand.dealer)
    seen: set[int] = set()
    for i in range(hand.logged + 1):
        seen.update(again.hands[seat][: again.held[seat]])
        seen.update(again.turnups[: again.nturned])
        if i < hand.logged:
            again.apply(hand.log[i])
    seen.update(action for action in hand.log[: hand.logged] if action < 64)
    if hand.rules.counted and seat == hand.dealer and hand.trump >= 0:
        seen.update(hand.pack[36:])  # whoever robs looks through the stock
    return seen


@every_table
def test_hidden_cards_never_change_a_view(table: Table) -> None:
    """Exchanges cards that a seat has not seen, wherever all that happened could have happened so."""
    rng = random.Random(23)
    exchanged = 0
    late = 0  # … of these with half of the cards played
    for seed in range(4):
        match = new_match(table, seed * 7919)
        match.deal()
        hand = match.hand
        while hand.turn >= 0:
            assert hand.apply(choose(hand, rng))
            if rng.random() < 0.5:
                continue
            seat = rng.randrange(hand.rules.players)
            seen = seen_cards(hand, seat)
            unseen = [place for place in range(52) if hand.pack[place] not in seen]
            want = observed(hand, seat)
            pack = list(hand.pack)
            for _ in range(4):
                moved = rng.sample(unseen, min(len(unseen), rng.choice((2, 2, 3, 8))))
                other = list(pack)
                for place, source in zip(moved, moved[1:] + moved[:1], strict=True):
                    other[place] = pack[source]
                twin = replayed(hand, other, seat)
                if twin is None:
                    continue
                pack = other
                if pack != hand.pack:
                    exchanged += 1
                    late += hand.ntricks >= 3
                assert observed(twin, seat) == want
    assert exchanged >= 40 and late >= 10


@every_table
def test_a_view_leads_to_no_hidden_card(table: Table) -> None:
    """Walks every reference from a View: neither the Hand, nor its pack, nor a list of cards is there."""
    match = new_match(table, 99)
    match.deal()
    hand = match.hand
    rng = random.Random(2)
    for _ in range(8):
        if hand.turn >= 0:
            hand.apply(choose(hand, rng))
    view: Any = View(hand.rules)
    view.look(hand, 0)
    secret = {id(hand), id(match), id(match.rng), id(hand.pack), id(hand.hands), id(hand.log)}
    secret |= {id(cards) for cards in hand.hands} | {id(hand.listed), id(hand.acts)}
    reached: set[int] = set()
    waiting: list[Any] = [view]
    while waiting:
        thing = waiting.pop()
        if id(thing) in reached:
            continue
        reached.add(id(thing))
        assert id(thing) not in secret
        if not isinstance(thing, type | types.ModuleType | types.FunctionType):
            waiting += gc.get_referents(thing)
    assert len(reached) > 20


def test_the_walk_would_find_a_hand() -> None:
    hand = Hand(Rules())
    view: Any = View(hand.rules)
    view.extra = [hand]
    assert any(hand in item for item in gc.get_referents(vars(view)) if isinstance(item, list))


@every_table
def test_a_view_used_for_one_seat_after_the_other(table: Table) -> None:
    """Bots share one View: nothing of the seat that it was filled for before may stay in it."""
    rng = random.Random(31)
    for seed in range(6):
        match = new_match(table, seed)
        match.deal()
        hand = match.hand
        shared: Any = View(hand.rules)
        while hand.turn >= 0:
            turn = hand.turn
            shared.look(hand, turn)
            seat = (turn + 1 + rng.randrange(hand.rules.players - 1)) % hand.rules.players
            shared.look(hand, seat)
            assert content(shared) == observed(hand, seat)
            hand.apply(choose(hand, rng))


def test_a_view_after_undo_keeps_no_throw_of_another_seat() -> None:
    rng = random.Random(5)
    found = 0
    for seed in range(200):
        match = new_match(("allfours", 4, ""), seed)
        match.deal()
        hand = match.hand
        view: Any = View(hand.rules)
        while hand.turn >= 0:
            thrower = hand.turn
            action = choose(hand, rng)
            hand.apply(action)
            if action > THROW:
                found += 1
                view.look(hand, thrower)
                hand.undo()
                view.look(hand, hand.rules.after[thrower])
                assert action not in view.log
                hand.apply(action)
    assert found > 50


@every_table
def test_a_view_says_what_is_on_the_table(table: Table) -> None:
    """The other way round: the view is not empty; own cards, actions, and legal actions are right. What
    another seat has thrown away is not told, only that it threw."""
    rng = random.Random(8)
    masks = 0
    for seed in range(4 if table[0] == "auction" else 40):
        match = new_match(table, 4242 + seed)
        match.deal()
        hand = match.hand
        view: Any = View(hand.rules)
        while hand.turn >= 0:
            for seat in range(hand.rules.players):
                view.look(hand, seat)
                own = hand.hands[seat][: hand.held[seat]]
                assert view.hand[: view.held[seat]] == own
                assert view.held == hand.held and view.seat == seat
                for i in range(hand.logged):
                    masked = hand.log[i] >= THROW and hand.by[i] != seat
                    masks += masked
                    assert view.log[i] == (THROW if masked else hand.log[i])
                    assert view.by[i] == hand.by[i]
                assert view.turn == hand.turn and view.trump == hand.trump
                assert view.bid == hand.bid
                assert view.n == (hand.legal() if seat == hand.turn else 0)
                assert view.acts[: view.n] == hand.acts[: view.n]
            hand.apply(choose(hand, rng))
    assert masks > 0 or table[0] in ("auction", "cinch")  # there a choice of throws is rare
