"""Positions made and counted by hand, each with the rule that decides it: R1 to R23, every option value,
the turn-up games' begging and running, Cinch's discard, robbing and off-five."""

from collections import Counter
from typing import Any

import pytest

from host_sim.replay import replay
from pitch.cards import PACK
from pitch.hand import Hand
from pitch.match import Match
from pitch.record import Replay, lay, records
from pitch.rules import Rules
from pitch.text import card_text, find, parse_action, parse_option, side_text


def answer(game: str, players: int, dealer: str, deal: str, actions: str, **more: str) -> Any:
    """What replay says; `more`: options, scores, setbacks, stock."""
    lines = [f'[Game "{game}"]', f'[Players "{players}"]', f'[Dealer "{dealer}"]']
    for tag in ("options", "scores", "setbacks"):
        if tag in more:
            lines.append(f'[{tag.capitalize()} "{more[tag]}"]')
    lines.append(f'[Deal "{deal}"]')
    if "stock" in more:
        lines.append(f'[Stock "{more["stock"]}"]')
    lines.append(f'[Actions "{actions}"]')
    found = replay(next(records(lines)))
    assert found["error"] is None, found
    return found


def legal(found: Any) -> str:
    """Who is asked, and what is legal."""
    return " ".join([found["next"]["seat"], *found["next"]["legal"]])


def rules(game: str, players: int, options: str = "") -> Rules:
    return Rules(find(game), players, [parse_option(text) for text in options.split(",") if text])


# Four players, D deals. A leads hearts: tricks to A (HA), D (SA), D (DK), B (HK), A (H9 ruffs), D (C9).
# Pips: A 4+2 and 4 = 10; B 10+3 = 13; C 0; D 3+4, 3+1, 10 = 21. High HA: A. Low H2: held by B, taken
# by A. No jack of hearts. Game: D.
FOUR = "HA H9 H4 SK C8 D6 / HK H2 S5 D9 C4 D3 / H7 ST S7 CA C6 DJ / HQ HT SA S3 DK C9"
TRICKS = "HA H2 H7 HQ SK S5 S7 SA DK D6 D9 DJ HT H4 HK C6 D3 CA S3 H9 C8 C4 ST C9"


def four(actions: str, **more: str) -> Any:
    return answer("auction", 4, "D", FOUR, actions, **more)


def played(bids: str, options: str = "", scores: str = "0 0 0 0", **more: str) -> Any:
    return four(f"{bids} {TRICKS}", options=options, scores=scores, **more)


# Two players, B deals, A pitches. High HA: A. Low H2: B. Jack: A. Game: B (10+4+3+2 = 19 against 5).
TWO = "HA HJ S2 S3 S4 S5 / H2 SA SK SQ ST S9"
TWO_TRICKS = "HA H2 HJ S9 S2 ST SA S3 SK S4 SQ S5"


def two(bids: str, scores: str, options: str = "") -> Any:
    return answer("auction", 2, "B", TWO, f"{bids} {TWO_TRICKS}", scores=scores, options=options)


# Two players, B deals, A leads the only heart, the jack: High, Low and Jack; its pip is the only one.
LONE = "HJ S2 S3 S4 S5 S6 / D2 D3 D4 D5 D6 D7"
LONE_TRICKS = "HJ D2 S2 D3 S3 D4 S4 D5 S5 D6 S6 D7"


def lone(bids: str, scores: str = "0 0", options: str = "") -> Any:
    return answer("auction", 2, "B", LONE, f"{bids} {LONE_TRICKS}", scores=scores, options=options)


# ---- R1 - R8: deal and bids


@pytest.mark.parametrize("players", range(2, 8))
def test_r1_two_to_seven_players_each_alone(players: int) -> None:
    table = rules("auction", players)
    assert [side_text(side, table) for side in range(table.nsides)] == list("ABCDEFG")[:players]
    assert rules("auction", 0).players == 4


def test_r2_dealt_by_threes_from_the_eldest() -> None:
    hand = Hand(rules("auction", 4))
    hand.pack[:] = PACK  # C2 … CA D2 … SA, top first
    hand.deal(0)
    dealt = [" ".join(card_text(card) for card in cards[:6]) for cards in hand.hands]
    assert dealt == [
        "CJ CQ CK DT DJ DQ",
        "C2 C3 C4 CA D2 D3",
        "C5 C6 C7 D4 D5 D6",
        "C8 C9 CT D7 D8 D9",
    ]


def test_r3_the_deal_passes_left_and_begins_anywhere() -> None:
    assert played("2 - - -")["next"]["seat"] == "B"  # D dealt, now A deals: B speaks
    first: Counter[int] = Counter()
    for seed in range(700):
        match = Match(rules("auction", 7), 0, seed)
        assert match.draw_dealer() == match.dealer
        first[match.dealer] += 1
    assert set(first) == set(range(7)) and min(first.values()) > 60


def test_r4_each_speaks_once_from_the_eldest() -> None:
    bids = "- 2 - 3 HQ"
    asked = [four(" ".join(bids.split()[:count]))["next"]["seat"] for count in range(5)]
    assert asked == list("ABCDD")


@pytest.mark.parametrize(
    ("bids", "want"),
    [
        ("", "A - 2 3 4"),
        ("-", "B - 2 3 4"),
        ("2", "B - 3 4"),
        ("3", "B - 4"),
        ("4", "B -"),
        ("2 3", "C - 4"),
        ("- 2 3", "D - 3 4"),  # R6: the dealer may match
        ("2 - -", "D - 2 3 4"),
        ("4 - -", "D -"),  # R7
        ("- - -", "D 2 3 4"),
    ],
)
def test_r5_r6_r7_bids(bids: str, want: str) -> None:
    assert legal(four(bids)) == want


def test_r6_the_dealer_who_matches_pitches() -> None:
    assert legal(four("2 3 - 3")) == "D C9 DK HQ HT S3 SA"
    assert legal(four("2 3 - -")) == "B C4 D3 D9 H2 HK S5"


def test_r8_the_first_card_names_trump() -> None:
    assert played("2 - - -")["hands"][0]["trump"] == "H"
    assert legal(four("2 - - - SK")) == "B S5"  # spades are: B may not play a heart


# ---- R9 - R12: tricks


@pytest.mark.parametrize(
    ("count", "options", "want"),
    [
        (1, "", "B H2 HK"),  # R9
        (5, "", "B HK S5"),  # R10
        (5, "follow=strict", "B S5"),
        (6, "", "C S7 ST"),
        (7, "", "D HT S3 SA"),
        (7, "follow=strict", "D S3 SA"),
        (9, "", "A D6 H4 H9"),
        (15, "", "C C6 CA ST"),  # R11: no heart left
        (17, "", "C C6? CA ST"),
        (19, "", "A C8 H9"),  # R11: no diamond left
    ],
)
def test_r9_r10_r11_what_may_be_played(count: int, options: str, want: str) -> None:
    cards = " ".join(TRICKS.split()[:count])
    want = want.replace(" C6?", "")  # played in the trick before
    assert legal(four(f"2 - - - {cards}", options=options)) == want


def test_r12_who_takes_a_trick() -> None:
    hand = played("2 - - -")["hands"][0]
    # the fifth: a trump on diamonds; the last: the nine of clubs, though a ten of spades lies there
    assert hand["tricks"] == list("ADDBAD")
    assert hand["pips"] == [10, 13, 0, 21]


# ---- R13 - R17: the count


def test_r13_points_and_the_option_low() -> None:
    points = [["high", "A", 1], ["low", "B", 1], ["game", "D", 1]]
    assert played("2 - - -", "low=holder")["hands"][0]["points"] == points
    points[1] = ["low", "A", 1]
    assert played("2 - - -", "low=taker")["hands"][0]["points"] == points


def test_r13_one_card_earns_several_points() -> None:
    hand = lone("2 -")["hands"][0]
    assert hand["points"] == [["high", "A", 1], ["low", "A", 1], ["jack", "A", 1], ["game", "A", 1]]
    assert hand["pips"] == [1, 0] and hand["gain"] == [4, 0]


def test_r13_the_jack_goes_to_its_taker() -> None:
    """B takes A's jack with the queen: 2 players, A leads HJ."""
    deal = "HJ H3 C2 C3 C4 C5 / HQ S2 S3 S4 S5 S6"
    found = answer("auction", 2, "B", deal, "2 - HJ HQ S2 H3 C2 S3 C3 S4 C4 S5 C5 S6")
    hand = found["hands"][0]
    assert hand["tricks"] == list("BAAAAA")  # H3 ruffs S2
    # pips: HJ and HQ, 3 to B
    assert hand["points"] == [["high", "B", 1], ["low", "A", 1], ["jack", "B", 1], ["game", "B", 1]]
    assert hand["gain"] == [-2, 3]


def test_r14_r16_r17_a_set_back_pitcher_and_the_others() -> None:
    found = played("2 - - -")
    assert found["hands"][0]["gain"] == [-2, 1, 0, 1]
    assert found["scores"] == [-2, 1, 0, 1]  # R17: in the hole
    assert played("3 - - -", scores="1 0 0 -4")["scores"] == [-2, 1, 0, -3]


def test_r15_a_made_bid_scores_all() -> None:
    assert two("2 -", "0 0")["hands"][0]["gain"] == [2, 2]
    assert lone("2 -")["hands"][0]["gain"] == [4, 0]  # bid 2, made 4
    assert two("3 -", "0 0")["hands"][0]["gain"] == [-3, 2]  # R16: nothing is added


# Three players, A pitches: A 4+3 = 7 pips, C 4+3 = 7 pips. High and Low: A.
LEVEL = "SA SK S2 H7 D8 C3 / S9 H8 H4 D5 C7 C6 / S8 DK DA H9 C5 H3"
LEVEL_TRICKS = "SA S9 S8 SK H4 H3 S2 D5 C5 H7 H8 H9 DA D8 C6 DK C3 C7"


@pytest.mark.parametrize(
    ("dealer", "bids", "options", "gain"),
    [
        ("C", "3 - -", "", [-3, 0, 0]),
        ("C", "3 - -", "tie=nobody", [-3, 0, 0]),
        ("C", "3 - -", "tie=elder", [3, 0, 0]),  # A sits left of the dealer
        ("C", "3 - -", "tie=pitcher", [3, 0, 0]),
        ("A", "- - 3", "tie=elder", [-3, 0, 1]),  # from A's left: B, C
        ("A", "- - 3", "tie=pitcher", [3, 0, 0]),
        ("B", "- 3 -", "tie=elder", [-3, 0, 1]),  # C sits left of the dealer
    ],
)
def test_option_tie(dealer: str, bids: str, options: str, gain: list[int]) -> None:
    found = answer("auction", 3, dealer, LEVEL, f"{bids} {LEVEL_TRICKS}", options=options)
    assert found["hands"][0]["pips"] == [7, 0, 7]
    assert found["hands"][0]["gain"] == gain


@pytest.mark.parametrize(
    ("options", "gain"),
    [("tie=nobody", [-2, 0, 1]), ("tie=pitcher", [-2, 0, 1]), ("tie=elder", [-2, 1, 1])],
)
def test_option_tie_without_the_pitcher(options: str, gain: list[int]) -> None:
    """B and C have an ace each; A, who pitches, no pip. High: C (H7). Low: A (H5), who bid 2."""
    deal = "H5 C2 C3 C4 C5 C6 / H6 D6 D7 SA S2 S3 / H7 DA D5 D2 D3 D4"
    tricks = "H5 H6 H7 DA C2 D6 D5 C3 D7 SA D2 C4 S2 D3 C5 S3 D4 C6"
    found = answer("auction", 3, "C", deal, f"2 - - {tricks}", options=options)
    assert found["hands"][0]["tricks"] == list("CCBBBB")
    assert found["hands"][0]["pips"] == [0, 4, 4] and found["hands"][0]["gain"] == gain


# ---- options of the auction


@pytest.mark.parametrize(
    ("options", "bids", "want"),
    [
        ("match=below4", "2 - -", "D - 2 3 4"),
        ("match=below4", "3 - -", "D - 3 4"),
        ("match=below4", "4 - -", "D -"),
        ("match=any", "2 - -", "D - 2 3 4"),
        ("match=any", "4 - -", "D - 4"),
        ("match=only4", "2 - -", "D - 3 4"),
        ("match=only4", "4 - -", "D - 4"),
        ("match=never", "2 - -", "D - 3 4"),
        ("match=never", "4 - -", "D -"),
        ("match=any", "4", "B -"),  # only the dealer
        ("smudge=4", "", "A - 2 3 4"),
        ("smudge=5", "", "A - 2 3 4 5"),
        ("smudge=off", "", "A - 2 3 4"),
        ("smudge=5", "4 - -", "D - 5"),
        ("smudge=5,match=any", "5 - -", "D - 5"),
        ("smudge=5,match=only4", "5 - -", "D -"),
        ("nobids=stick", "- - -", "D 2 3 4"),
        ("nobids=same", "- - -", "D - 2 3 4"),
        ("nobids=next", "- - -", "D - 2 3 4"),
        ("nobids=eldest", "- - -", "D - 2 3 4"),
    ],
)
def test_options_match_smudge_nobids_offer(options: str, bids: str, want: str) -> None:
    assert legal(four(bids, options=options)) == want


@pytest.mark.parametrize(("options", "eldest"), [("nobids=same", "A"), ("nobids=next", "B")])
def test_option_nobids_redeals(options: str, eldest: str) -> None:
    found = four("- - - -", options=options, scores="1 2 3 4")
    assert found["hands"] == [
        {
            "dealer": "D",
            "pitcher": None,
            "bid": None,
            "trump": None,
            "tricks": [],
            "pips": [0, 0, 0, 0],
            "points": [],
            "gain": [0, 0, 0, 0],
            "scores": [1, 2, 3, 4],
        }
    ]
    assert found["next"]["seat"] == eldest


def test_option_nobids_eldest_pitches_without_a_contract() -> None:
    found = played("- - - -", "nobids=eldest")
    hand = found["hands"][0]
    assert (hand["pitcher"], hand["bid"], hand["gain"]) == ("A", None, [1, 1, 0, 1])


# ---- R18 - R21: who wins


@pytest.mark.parametrize(
    ("options", "scores", "winner"),
    [
        ("low=taker", "5 0 0 0", "A"),  # R18: 5 + 2 = 7
        ("low=taker", "4 0 0 0", None),
        ("low=taker,target=5", "3 0 0 0", "A"),
        ("low=taker,target=5", "2 0 0 0", None),
        ("low=taker,target=52", "50 0 0 0", "A"),
        ("low=taker,target=52", "49 0 0 51", "D"),
        ("low=taker,target=52", "49 0 0 50", None),
        ("low=taker", "5 0 0 6", "A"),  # R19
        ("", "0 6 0 6", "B"),  # R20: Low is counted before Game
        ("finish=highest", "0 6 0 6", None),
        ("low=taker,finish=highest", "5 0 0 6", None),
        ("low=taker,finish=highest", "6 0 0 6", "A"),
    ],
)
def test_r18_r19_r20_target_and_finish(options: str, scores: str, winner: str | None) -> None:
    assert played("2 - - -", options, scores)["winner"] == winner


@pytest.mark.parametrize(
    ("options", "scores", "winner", "after"),
    [
        ("finish=pitcher", "5 6", "A", [7, 8]),  # R19: with the lower score
        ("finish=highest", "5 6", "B", [7, 8]),
        ("finish=pitcher", "4 6", "B", [6, 8]),
        ("finish=highest", "6 6", None, [8, 8]),  # level: plays on
        ("finish=highest", "6 4", "A", [8, 6]),
        ("mustbid=on", "4 6", None, [6, 8]),  # B did not bid
        ("mustbid=off", "4 6", "B", [6, 8]),
        ("mustbid=on", "5 6", "A", [7, 8]),
        ("mustbid=on,finish=highest", "5 6", "A", [7, 8]),
    ],
)
def test_r19_finish_and_mustbid(
    options: str, scores: str, winner: str | None, after: list[int]
) -> None:
    found = two("2 -", scores, options)
    assert (found["winner"], found["scores"]) == (winner, after)
    assert (found["next"] is None) == (winner is not None)


def test_r19_not_for_a_pitcher_who_is_set_back() -> None:
    found = two("3 -", "6 5")
    assert (found["winner"], found["scores"]) == ("B", [3, 7])


def test_mustbid_and_no_contract() -> None:
    """A pitches without a bid and stands at 7: no bid, so with mustbid not out."""
    assert played("- - - -", "nobids=eldest", "6 0 0 0")["winner"] == "A"
    assert played("- - - -", "nobids=eldest,mustbid=on", "6 0 0 0")["winner"] is None


@pytest.mark.parametrize(
    ("scores", "options", "winner"),
    [
        ("0 6 6", "", "B"),  # B's High comes before C's Low
        ("0 5 6", "", "C"),  # B reaches 7 only with Game, C with Low
        ("0 6 6", "finish=highest", "B"),  # 8 to 7
        ("0 5 6", "finish=highest", None),  # 7 to 7
    ],
)
def test_r20_points_in_their_order(scores: str, options: str, winner: str | None) -> None:
    """A pitches and is set back; High and Game: B; Low: C. All points are entered all the same."""
    deal = "H5 C2 C3 C4 C5 C6 / HA S2 S3 S4 S5 S6 / H2 D2 D3 D4 D5 D6"
    tricks = "H5 HA H2 S2 D2 C2 S3 D3 C3 S4 D4 C4 S5 D5 C5 S6 D6 C6"
    found = answer("auction", 3, "C", deal, f"2 - - {tricks}", scores=scores, options=options)
    before = [int(word) for word in scores.split()]
    assert found["scores"] == [-2, before[1] + 2, before[2] + 1]
    assert found["winner"] == winner


@pytest.mark.parametrize(
    ("bids", "scores", "options", "winner", "after"),
    [
        ("4 -", "0 0", "", "A", [4, 0]),  # R21
        ("4 -", "0 6", "", "A", [4, 6]),
        ("4 -", "-1 0", "", None, [3, 0]),  # in the hole: 4 like anyone else
        ("2 -", "0 0", "", None, [4, 0]),
        ("2 -", "3 0", "", "A", [7, 0]),
        ("4 -", "0 0", "smudge=off", None, [4, 0]),
        ("4 -", "0 0", "smudge=5", None, [4, 0]),
        ("5 -", "0 0", "smudge=5", "A", [5, 0]),
        ("5 -", "-1 0", "smudge=5", None, [4, 0]),
        ("2 -", "-5 0", "sweep=anyone", "A", [-1, 0]),
        ("2 -", "-5 0", "sweep=bidder", None, [-1, 0]),
        ("4 -", "-1 0", "sweep=anyone", "A", [3, 0]),
    ],
)
def test_r21_smudge_and_sweep(
    bids: str, scores: str, options: str, winner: str | None, after: list[int]
) -> None:
    found = lone(bids, scores, options)
    assert (found["winner"], found["scores"]) == (winner, after)


def test_r21_a_smudge_that_misses_a_point() -> None:
    found = two("4 -", "0 0")
    assert (found["winner"], found["scores"]) == (None, [-4, 2])


@pytest.mark.parametrize(
    ("options", "bid", "winner", "after"),
    [("", 4, "A", [4, 0]), ("smudge=5", 4, None, [4, 0]), ("smudge=5", 5, None, [-5, 0])],
)
def test_a_smudge_of_five_needs_every_trick(
    options: str, bid: int, winner: str | None, after: list[int]
) -> None:
    """A's jack makes all four points with one trick; B takes the other five."""
    deal = "HJ S2 C2 C3 C4 C5 / S7 D2 D3 D4 D5 D6"
    tricks = "HJ D2 S2 S7 D3 C2 D4 C3 D5 C4 D6 C5"
    found = answer("auction", 2, "B", deal, f"{bid} - {tricks}", options=options)
    assert found["hands"][0]["tricks"] == list("ABBBBB")
    assert (found["winner"], found["scores"]) == (winner, after)


@pytest.mark.parametrize(
    ("options", "winner"), [("sweep=anyone", "B"), ("sweep=bidder", None), ("", None)]
)
def test_sweep_by_one_who_did_not_pitch(options: str, winner: str | None) -> None:
    """A leads a low trump into B's jack; Low to its taker."""
    deal = "H3 C2 C3 C4 C5 C6 / HJ S2 S3 S4 S5 S6"
    tricks = "H3 HJ S2 C2 S3 C3 S4 C4 S5 C5 S6 C6"
    options = f"low=taker,{options}".rstrip(",")
    found = answer("auction", 2, "B", deal, f"2 - {tricks}", scores="6 -9", options=options)
    assert (found["winner"], found["scores"]) == (winner, [4, -5])


# ---- R22, R23: settlement


def test_r22_r23_settlement() -> None:
    """The rules' own example: 7, 3, 0, -2 give the winner 1 + 2 + 2; with set-backs 1, 0, 2 it is 8. The
    winner's own set-backs cost nobody anything."""
    more = {"scores": "5 3 0 -3", "setbacks": "4 1 0 2"}
    found = played("2 - - -", "low=taker", **more)
    assert (found["scores"], found["winner"]) == ([7, 3, 0, -2], "A")
    assert found["settlement"] == [5, 1, 2, 2]
    assert played("2 - - -", "low=taker,setbackpay=off", **more)["settlement"] == [5, 1, 2, 2]
    assert played("2 - - -", "low=taker,setbackpay=on", **more)["settlement"] == [8, 2, 2, 4]


def test_r23_the_last_hand_counts() -> None:
    found = played("2 - - -", "setbackpay=on", "0 6 0 0")  # B wins, A is set back at last
    assert (found["scores"], found["settlement"]) == ([-2, 7, 0, 1], [3, 6, 2, 1])


def test_no_settlement_before_the_end() -> None:
    assert played("2 - - -")["settlement"] is None


def test_r22_the_ledger_runs_over_several_games() -> None:
    lines = ['[Game "auction"]', '[Dealer "D"]', '[Options "low=taker"]', '[Scores "5 3 0 -3"]']
    lines += [f'[Deal "{FOUR}"]', f'[Actions "2 - - - {TRICKS}"]']
    record = next(records(lines))
    play = Replay(record)
    play.run()
    match = play.match
    assert match.ledger == [5, -1, -2, -2]
    match.new_game(0, 0, 3)
    assert match.scores == [0, 0, 0, 0] and match.winner == -1
    assert match.settlement == [0, 0, 0, 0] and match.ledger == [5, -1, -2, -2]
    match.scores[:] = [0, 6, 0, 6]  # A makes 2, D Game: D stands at 7
    lay(match.hand, 3, record.hands[0][0])
    match.deal_pack(24)
    for token in f"2 - - - {TRICKS}".split():
        assert match.hand.apply(parse_action(token, None, 0))
    match.close()
    match.close()  # counted once
    assert (match.winner, match.settlement) == (3, [1, 1, 2, 4])
    assert match.ledger == [4, -2, -4, 2] and sum(match.ledger) == 0


# ---- sides


def test_option_sides() -> None:
    """Partners at equal distances; a side shares score, points and pips."""
    for options, players, ids in (
        ("sides=solo", 4, ["A", "B", "C", "D"]),
        ("sides=2x2", 4, ["AC", "BD"]),
        ("sides=3x2", 6, ["AD", "BE", "CF"]),
        ("sides=2x3", 6, ["ACE", "BDF"]),
    ):
        table = rules("auction", players, options)
        assert [side_text(side, table) for side in range(table.nsides)] == ids
    # AC: 10 pips, High; BD: 13 + 21 pips, Game; Low H2: B
    found = played("2 - - -", "sides=2x2", "0 0")
    assert found["hands"][0]["pips"] == [10, 34] and found["hands"][0]["gain"] == [-2, 2]
    assert found["hands"][0]["points"] == [["high", "AC", 1], ["low", "BD", 1], ["game", "BD", 1]]
    found = played("2 - - -", "sides=2x2,low=taker", "5 0")
    assert (found["winner"], found["scores"], found["settlement"]) == ("AC", [7, 1], [1, 1])


# ---- All Fours and Seven-Up. A deals, B is the eldest.

PAIR = "HA H9 H4 SK C8 D6 / HK H2 S5 D9 C4 D3"
THREE = PAIR + " / H7 ST S7 CA C6 DJ"
QUARTET = THREE + " / HQ HT SA S3 DK C9"
DEALS = {2: PAIR, 3: THREE, 4: QUARTET}
TURN_UP = [("allfours", 2), ("allfours", 4), ("sevenup", 2), ("sevenup", 3), ("sevenup", 4)]


def stock_for(players: int, *turned: str) -> str:
    """A stock in which these cards are turned one after the other: first, and after each run."""
    dealt = DEALS[players].replace(" /", "").split()
    names = [card_text(card) for card in PACK]
    rest = [card for card in names if card not in dealt and card not in turned]
    cards: list[str] = []
    for card in turned:
        cards += ([rest.pop() for _ in range(3 * players)] if cards else []) + [card]
    return " ".join(cards + rest)


def turn_up(game: str, players: int, actions: str, *turned: str, **more: str) -> Any:
    stock = stock_for(players, *turned)
    return answer(game, players, "A", DEALS[players], actions, stock=stock, **more)


@pytest.mark.parametrize(("game", "players"), TURN_UP)
def test_stand(game: str, players: int) -> None:
    assert legal(turn_up(game, players, "", "S2")) == "B beg stand"
    found = turn_up(game, players, "stand", "S2")
    assert found["next"]["seat"] == "B" and len(found["next"]["legal"]) == 6
    # S2 is trump: on D9, C or A may follow or play a spade
    after = turn_up(game, players, "stand D9", "S2")
    assert legal(after) == ("A D6 SK" if players == 2 else "C DJ S7 ST")


@pytest.mark.parametrize(("game", "players"), TURN_UP)
def test_a_turned_jack_counts_at_once(game: str, players: int) -> None:
    sides = 3 if players == 3 else 2
    found = turn_up(game, players, "", "CJ")
    assert found["scores"] == [1, *[0] * (sides - 1)] and found["hands"] == []
    low, out = " ".join(["5", *["3"] * (sides - 1)]), " ".join(["6", *["3"] * (sides - 1)])
    assert turn_up(game, players, "", "CJ", scores=low)["winner"] is None
    found = turn_up(game, players, "", "CJ", scores=out)
    dealer = "AC" if players == 4 else "A"
    assert found["winner"] == dealer and found["next"] is None
    assert found["settlement"] == [sides - 1, *[1] * (sides - 1)]
    hand = found["hands"][0]
    assert hand["points"] == [["turned", dealer, 1]] and hand["tricks"] == []
    assert hand["gain"][0] == 1 and hand["scores"][0] == 7


def test_only_a_jack_counts_when_turned() -> None:
    for card in "S2 S6 ST SQ".split():  # noqa: SIM905
        assert turn_up("allfours", 2, "", card)["scores"] == [0, 0]


@pytest.mark.parametrize(("game", "players"), TURN_UP)
def test_a_gift(game: str, players: int) -> None:
    assert legal(turn_up(game, players, "beg", "S2")) == "A give run"
    found = turn_up(game, players, "beg give", "S2")
    assert found["next"]["seat"] == "B" and len(found["next"]["legal"]) == 6
    # with three players a gift goes to both opponents
    assert found["scores"] == ([0, 1, 1] if players == 3 else [0, 1])


@pytest.mark.parametrize(
    ("game", "players", "scores", "want"),
    [
        ("allfours", 2, "0 6", "A give run"),
        ("allfours", 4, "0 6", "A give run"),
        ("sevenup", 2, "0 6", "A run"),
        ("sevenup", 2, "0 5", "A give run"),
        ("sevenup", 2, "6 5", "A give run"),  # the dealer's own score does not matter
        ("sevenup", 4, "0 6", "A run"),
        ("sevenup", 3, "0 6 0", "A run"),
        ("sevenup", 3, "0 0 6", "A run"),  # the other opponent would be out
        ("sevenup", 3, "6 5 5", "A give run"),
    ],
)
def test_a_gift_that_would_put_a_player_out(
    game: str, players: int, scores: str, want: str
) -> None:
    assert legal(turn_up(game, players, "beg", "S2", scores=scores)) == want


def test_all_fours_a_gift_may_end_the_game() -> None:
    found = turn_up("allfours", 2, "beg give", "S2", scores="3 6")
    assert (found["winner"], found["scores"], found["settlement"]) == ("B", [3, 7], [1, 1])
    assert found["hands"][0]["points"] == [["gift", "B", 1]] and found["next"] is None


@pytest.mark.parametrize(("game", "players"), TURN_UP)
def test_run_and_throw_down(game: str, players: int) -> None:
    """Three more each; nine in hand, six kept: 84 sets, too many to list. The eldest throws first."""
    found = turn_up(game, players, "beg run", "S2", "D2")
    assert legal(found) == "B ~"
    stock = stock_for(players, "S2", "D2").split()
    hands = [hand.split() for hand in DEALS[players].split(" / ")]
    tokens = []
    order = [*range(1, players), 0]
    for i, seat in enumerate(order):
        drawn = stock[1 + 3 * i : 4 + 3 * i]  # from the eldest, three at a time
        kept = hands[seat][3:] + drawn
        tokens.append("~" + ",".join(reversed(hands[seat][:3])))
        assert len(kept) == 6
    found = turn_up(game, players, "beg run " + " ".join(tokens), "S2", "D2")
    assert legal(found) == " ".join(["B", *sorted(hands[1][3:] + stock[1:4])])


@pytest.mark.parametrize(("game", "players"), TURN_UP)
def test_run_until_another_suit_and_jacks_turned_twice(game: str, players: int) -> None:
    """CJ is turned, and rejected; after the first run C2, after the second DJ or SJ: two points."""
    jack = "DJ" if players == 2 else "SJ"
    dealer = "AC" if players == 4 else "A"
    found = turn_up(game, players, "beg run", "CJ", "C2", jack)
    assert found["scores"][0] == 2 and legal(found) == "B ~"
    start = "5 0 0" if players == 3 else "5 0"
    found = turn_up(game, players, "beg run", "CJ", "C2", jack, scores=start)
    assert (found["winner"], found["next"]) == (dealer, None)
    hand = found["hands"][0]
    assert hand["points"] == [["turned", dealer, 1]] * 2 and hand["scores"][0] == 7


@pytest.mark.parametrize(("game", "players"), TURN_UP)
def test_pack_exhausted(game: str, players: int) -> None:
    """Clubs are turned until there are not enough cards for another run (2 players: 39 left after the
    turn, 7 a run; 3: 33 and 10; 4: 27 and 13): the same dealer deals again."""
    runs = {2: 5, 3: 3, 4: 2}[players]
    clubs = ["CJ", "C2", "C3", "C5", "C7", "CQ"][: runs + 1]
    found = turn_up(game, players, "beg run", *clubs)
    assert found["winner"] is None and len(found["hands"]) == 1
    hand = found["hands"][0]
    sides = 3 if players == 3 else 2
    assert (hand["pitcher"], hand["trump"], hand["tricks"]) == (None, None, [])
    assert hand["gain"] == [1, *[0] * (sides - 1)]  # the jack of clubs still counts
    assert found["next"] == {"seat": "B", "legal": ["beg", "stand"]}
    # one card of another suit at the last turn, and there is play
    other = "HJ" if players < 4 else "S2"
    found = turn_up(game, players, "beg run", *clubs[:-1], other)
    assert legal(found) == "B ~" and found["hands"] == []


# B stands; no club, the trump, is in play: no High, no Low. HA 4 to B, SA 4 to A, nothing else.
EVEN = "H2 SA S7 S8 S9 D2 / HA S2 S3 S4 S5 S6"
EVEN_TRICKS = "HA H2 S2 SA S7 S3 S8 S4 S9 S5 D2 S6"


@pytest.mark.parametrize(
    ("game", "options", "points"),
    [
        ("allfours", "", [["game", "B", 1]]),
        ("sevenup", "", [["game", "B", 1]]),
        ("sevenup", "tie=nobody", []),
        ("allfours", "tie=nobody", []),
    ],
)
def test_no_trump_in_play_and_level_pips(game: str, options: str, points: list[Any]) -> None:
    found = answer(game, 2, "A", EVEN, "stand " + EVEN_TRICKS, stock="C2", options=options)
    hand = found["hands"][0]
    assert (hand["pips"], hand["points"], hand["trump"]) == ([4, 4], points, "C")
    assert hand["pitcher"] is None and hand["bid"] is None


def test_seven_up_with_three_level_pips_count_for_nobody() -> None:
    """As above; C, who follows nothing, has no trump either."""
    deal = EVEN + " / D3 D4 D5 D6 D7 D8"
    tricks = "HA D3 H2 S2 D4 SA S7 S3 D5 S8 S4 D6 S9 S5 D7 D2 S6 D8"
    found = answer("sevenup", 3, "A", deal, "stand " + tricks, stock="C2")
    hand = found["hands"][0]
    # the last trick: D8 takes D2
    assert hand["tricks"] == list("BAAAAC") and hand["pips"] == [4, 4, 0] and hand["points"] == []
    found = answer("sevenup", 3, "A", deal, "stand " + tricks, stock="C2", options="tie=elder")
    assert found["hands"][0]["points"] == [["game", "B", 1]]


@pytest.mark.parametrize("game", ["allfours", "sevenup"])
def test_turn_up_games_count_high_first(game: str) -> None:
    """Hearts are trump. A: HA, High. B: H2, Low. SA and SK are all the pips besides. Both stand at 6."""
    deal = "HA SA SK S7 S8 S9 / H2 S2 S3 S4 S5 S6"
    tricks = "S2 S7 S8 S3 S9 S4 SA S5 SK S6 HA H2"
    found = answer(game, 2, "A", deal, "stand " + tricks, stock="H5", scores="6 6")
    assert found["hands"][0]["points"][:2] == [["high", "A", 1], ["low", "B", 1]]
    assert (found["winner"], found["scores"]) == ("A", [8, 7])
    found = answer(game, 2, "A", deal, "stand " + tricks, stock="H5", scores="4 6")
    assert (found["winner"], found["scores"]) == ("B", [6, 7])


# ---- Cinch: A+C against B+D. D deals, A is the eldest.

NINES = (
    "HA HK HQ SJ ST S9 S8 S7 S6 / CA CK CQ CJ CT C9 C8 C7 C6 / "
    "DA DK DQ DJ DT D9 D8 D7 D6 / HJ HT H9 H8 H7 H6 H5 H4 H3"
)
NINES_STOCK = "SA SK SQ S5 S4 S3 S2 C5 C4 C3 C2 D5 D4 D3 D2 H2"


def nines(actions: str, **more: str) -> Any:
    return answer("cinch", 4, "D", NINES, actions, stock=NINES_STOCK, **more)


@pytest.mark.parametrize(
    ("bids", "want"),
    [
        ("", "A - 1 10 11 12 13 14 2 3 4 5 6 7 8 9"),
        ("12", "B - 13 14"),
        ("14", "B -"),
        ("13 - -", "D - 14"),  # no matching
        ("- - -", "D - 1 10 11 12 13 14 2 3 4 5 6 7 8 9"),
        ("- - - -", "D =C =D =H =S"),  # all pass: the dealer names trump
        ("1 - 2 -", "C =C =D =H =S"),
    ],
)
def test_cinch_bids(bids: str, want: str) -> None:
    assert legal(nines(bids)) == want


def test_cinch_more_than_six_trumps_and_the_dealer_robs() -> None:
    """Hearts: A keeps three and takes SA SK SQ, B takes S5 S4 S3 S2 C5 C4, C takes C3 C2 D5 D4 D3 D2. D has
    nine and robs H2; of ten it throws four, but not HJ HT H5 H2: 15 sets out of H9 H8 H7 H6 H4 H3."""
    found = nines("- - - - =H")
    assert found["next"]["seat"] == "D" and len(found["next"]["legal"]) == 15
    assert "~H9,H8,H7,H6" in found["next"]["legal"] and "~H7,H6,H4,H3" in found["next"]["legal"]
    for token in found["next"]["legal"]:
        thrown = token[1:].split(",")
        assert len(thrown) == 4 and set(thrown) <= {"H9", "H8", "H7", "H6", "H4", "H3"}
    for token in ("~H9,H8,H7,H6", "~H6,H8,H9,H7"):  # in any order
        assert legal(nines(f"- - - - =H {token}")) == "D H2 H3 H4 H5 HJ HT"  # and the dealer leads


CINCH_PLAY = (
    "=H ~H9,H8,H7,H6 H3 HA S5 D5 HK S4 C3 H2 HQ S3 C2 H4 SA S2 D2 H5 HJ SK C5 D4 HT SQ C4 D3"
)


def test_cinch_off_five_follows_trump() -> None:
    """H3 is led; the off-five D5 is C's only trump."""
    assert legal(nines("- - - - =H ~H9,H8,H7,H6 H3")) == "A HA HK HQ"
    assert legal(nines("- - - - =H ~H9,H8,H7,H6 H3 HA")) == "B C4 C5 S2 S3 S4 S5"
    assert legal(nines("- - - - =H ~H9,H8,H7,H6 H3 HA S5")) == "C D5"


@pytest.mark.parametrize(
    ("bids", "scores", "gain", "winner"),
    [
        ("- - - -", "0 0", [7, 7], None),  # without a contract
        ("- - - 7", "0 0", [7, 7], None),
        ("- - - 8", "0 0", [7, -8], None),  # set back
        ("- - - 7", "44 44", [7, 7], "BD"),  # both reach 51: the side that bid
        ("- - - 7", "44 43", [7, 7], "AC"),
        ("- - - 7", "43 43", [7, 7], None),
        ("- - - 8", "44 50", [7, -8], "AC"),
    ],
)
def test_cinch_counted(bids: str, scores: str, gain: list[int], winner: str | None) -> None:
    """A takes H3 HA S5 D5 and H2 with HK, then HQ; D ruffs SA with H5, and takes HJ and HT itself."""
    found = nines(f"{bids} {CINCH_PLAY}", scores=scores)
    hand = found["hands"][0]
    assert hand["tricks"] == list("AAADDD") and hand["pips"] is None
    assert hand["points"] == [
        ["high", "AC", 1],
        ["low", "AC", 1],
        ["jack", "BD", 1],
        ["ten", "BD", 1],
        ["five", "BD", 5],
        ["offfive", "AC", 5],
    ]
    assert (hand["pitcher"], hand["bid"]) == ("D", int(bids[-1]) if bids[-1] != "-" else None)
    assert (hand["gain"], found["winner"]) == (gain, winner)


def test_cinch_a_player_before_the_dealer_has_more_than_six() -> None:
    """Diamonds: C has nine of them and keeps DA DJ DT; three of DK DQ D9 D8 D7 D6 go: 20 sets. D keeps the
    off-five H5; the stock, after A's and B's draws, is D4 D3 D2 H2: it robs three and takes H2 as well."""
    found = nines("- - - - =D")
    assert found["next"]["seat"] == "C" and len(found["next"]["legal"]) == 20
    assert legal(nines("- - - - =D ~DK,DQ,D9")) == "D D2 D3 D4 H2 H5"


# D has all eight trumps that do not count, and H2; A has the rest but HJ, the last card of the stock.
EIGHT = (
    "HA HT H5 D5 SA SK SQ SJ ST / CA CK CQ CJ CT C9 C8 C7 C6 / "
    "DA DK DQ DJ DT D9 D8 D7 D6 / HK HQ H9 H8 H7 H6 H4 H3 H2"
)
EIGHT_STOCK = "D4 S8 S7 S6 S5 S4 S3 S2 C5 C4 C3 C2 S9 D3 D2 HJ"


def eight(actions: str, **more: str) -> Any:
    return answer("cinch", 4, "D", EIGHT, actions, stock=EIGHT_STOCK, **more)


def test_cinch_too_many_sets_to_list() -> None:
    """D robs HJ and throws four of eight: 70 sets."""
    assert legal(eight("5 - - - =H")) == "D ~"
    assert legal(eight("5 - - - =H ~H3,HK,H4,HQ")) == "A D4 D5 H5 HA HT S8"


@pytest.mark.parametrize(("card", "leader"), [("H6", "D"), ("H2", "A"), ("HJ", "D")])
def test_cinch_off_five_led(card: str, leader: str) -> None:
    """It asks for trumps, beats 4 3 2 and loses to the five and all above it."""
    start = "5 - - - =H ~H3,HK,H4,HQ D5"
    assert legal(eight(start + " S7 C5")) == "D H2 H6 H7 H8 H9 HJ"
    assert eight(f"{start} S7 C5 {card}")["next"]["seat"] == leader


def test_cinch_off_five_is_below_the_five_and_above_the_four() -> None:
    """A has D5 and H5; D keeps H4, then leads it: D5 takes the trick, and on D5 H5 does."""
    start = "- - - 5 =H ~H3,HK,HQ,H9"
    assert legal(eight(f"{start} H4")) == "A D5 H5 HA HT"
    assert eight(f"{start} H4 D5 S7 C5")["next"]["seat"] == "A"
    swapped = EIGHT.replace("H5", "xx").replace("H9", "H5").replace("xx", "H9")
    more = {"stock": EIGHT_STOCK}
    actions = "- - - 5 =H ~H3,HK,H4,HQ H5 D5 S7 C5"
    assert answer("cinch", 4, "D", swapped, actions, **more)["next"]["seat"] == "D"
    actions = "5 - - - =H ~H3,HK,H4,HQ D5 S7 C5 H5"
    assert answer("cinch", 4, "D", swapped, actions, **more)["next"]["seat"] == "D"


def test_cinch_off_five_is_no_diamond() -> None:
    """C leads D3; A has D4 to follow with, and D5 is one of its trumps."""
    start = "- - 5 - =H ~H3,HK,H4,HQ D3 H2"
    assert legal(eight(start)) == "A D4 D5 H5 HA HT"
    assert legal(eight(start, options="follow=strict")) == "A D4"


def test_every_throw_is_of_six_kept_cards_and_hides_no_point() -> None:
    """More than six trumps: what is offered never holds A J T 5 2 or the off-five."""
    offered = nines("- - - - =C")["next"]
    assert offered["seat"] == "B" and len(offered["legal"]) == 20  # three of CK CQ C9 C8 C7 C6
    for token in offered["legal"]:
        assert not set(token[1:].split(",")) & {"CA", "CJ", "CT", "C5", "C2", "S5"}
