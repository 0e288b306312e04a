"""The app on a console without a panel: whole games, the way home, power cuts, news about the memory."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any, cast

import headless
import pytest
from headless import BACK, LONG_BACK, LONG_OK, NEXT, OK, PREV, Player
from test_store import Flash, PowerCut

from pitch.app import texts, title
from pitch.app.game import Game
from pitch.app.won import Won
from pitch.rules import PLAYING

TURN_TILE = 1
DEALER = 11
INTENTS = (PREV, NEXT, OK, BACK, LONG_OK, LONG_BACK)


def play_game(player: Player, limit: int = 3000) -> list[str]:
    """OK until the game is over; the names of the screens on the way."""
    seen = []
    for _ in range(limit):
        seen.append(player.where)
        if player.where == "Menu" and "game is over" in player.picture():
            return seen
        player.press(OK)
    raise AssertionError("the game does not end")


@pytest.mark.parametrize("players", range(2, 8))
def test_whole_games_by_ok_alone(players: int) -> None:
    """R18, R22: with every number of players a game ends with a winner, and the ledger sums up to zero."""
    player = Player(seed=players)
    player.start(players)
    seen = play_game(player)
    for name in ("Table", "Points", "Sheet", "Won", "Ledger"):
        assert name in seen
    match = player.game.match
    assert match.winner >= 0 and match.scores[match.winner] >= 4  # a smudge may win below 7 (R21)
    assert sum(match.ledger) == 0 and match.ledger[match.winner] >= players - 1
    player.press(OK)  # next game
    assert player.where == "Table" and player.game.match.ledger == match.ledger
    assert sum(match.scores) == 0


def test_a_long_game_fits_the_memory() -> None:
    """To 52 points: the log is not full before the game is over, or the player is told."""
    player = Player(seed=5)
    player.start(4, 52)
    seen = play_game(player, 20000)
    assert player.console.store.state == 0 or "Notice" in seen


def test_only_legal_cards_can_be_chosen() -> None:
    """R9-R11: the cursor goes over the legal cards and no others, those are plain, the others dim."""
    player = Player(seed=3)
    player.start(4)
    looked = 0
    for _ in range(400):
        player.press(OK)
        view = player.game.view
        if player.where != "Table" or view.phase != PLAYING or view.turn != 0:
            continue
        looked += 1
        legal = {view.acts[i] for i in range(view.n)}
        reached = set()
        for _ in range(view.n):
            chosen = [card for card in player.screen.cards[7:] if card[2] == 2]
            assert len(chosen) == 1
            reached.add((chosen[0][1] - 16) << 4 | chosen[0][0])
            plain = {(b - 16) << 4 | t for t, b, s in player.screen.cards[7:] if s != 1 and b}
            assert plain == legal
            player.press(NEXT)
        assert reached == legal
    assert looked > 30


def test_what_a_decision_needs_is_on_the_screen() -> None:
    """Dealer, contract and pitcher, trump, suit led, tricks, the hand, whose turn: compared with the view
    at every decision of some games."""
    for players in (2, 4, 7):
        player = Player(seed=players + 10)
        player.start(players)
        for _ in range(300):
            view = player.game.view
            if player.where == "Table" and view.turn == 0:
                picture = player.picture()
                top = picture.splitlines()[0]
                names = player.screen.rows[4]
                hand = {(b - 16) << 4 | t for t, b, _ in player.screen.cards[7:] if b}
                assert hand == {view.hand[i] for i in range(view.held[0])}
                assert player.screen.cards[0][1] == TURN_TILE
                if view.phase == PLAYING and view.trump >= 0:
                    assert top.startswith(texts.NAMES[view.pitcher].decode())
                    assert top.endswith("dlr " + texts.NAMES[view.dealer].decode())
                    assert f"{view.bid}{'♣♦♥♠'[view.trump]}" in top
                    if view.led >= 0:
                        assert "led" + "♣♦♥♠"[view.led] in top
                    for seat in range(players):
                        count = sum(view.tricks[i] == seat for i in range(view.ntricks))
                        column, cells = player.screen.below(seat, players)
                        assert names[column + cells - 1] == (48 + count if count else 32)
                elif view.phase != PLAYING:
                    column, cells = player.screen.below(view.dealer, players)
                    assert names[column + cells - 1] == DEALER
            player.press(OK)


def test_monkey() -> None:
    """20,000 random intents through whole games: no exception, and from everywhere LONG_BACK leads to the
    title and from there the game goes on where it was."""
    chance = random.Random(7)
    player = Player(seed=7)
    weights = (10, 14, 40, 4, 2, 1)
    where: dict[str, int] = {}
    for count in range(20_000):
        intent = chance.choices(INTENTS, weights)[0]
        player.console.now = (player.console.now + 200) & 0x1FFFFFFF
        player.console.script.append(intent)
        player.app.step()
        where[player.where] = where.get(player.where, 0) + 1
        if count % 97 == 0:
            game = player.game
            before = game and (list(game.match.scores), game.hand.logged)
            player.tap([LONG_BACK])
            assert player.where in ("Title", "Notice")
            if player.where == "Title" and game is not None:
                assert "Continue" in player.picture()
                assert player.game is game
                if not game.done():
                    assert (list(game.match.scores), game.hand.logged) == before
    for name in ("Table", "Points", "Sheet", "Won", "Ledger", "Title", "Menu", "Test"):
        assert where.get(name), f"{name} was never reached"


def state(game: Any) -> tuple[Any, ...]:
    """All that a match is."""
    match, hand = game.match, game.hand
    hands = [list(hand.hands[seat][: hand.held[seat]]) for seat in range(match.rules.players)]
    return (
        list(match.scores),
        list(match.setbacks),
        list(match.ledger),
        match.dealer,
        match.hands,
        match.winner,
        hand.log[: hand.logged],
        hands,
        hand.phase,
        hand.turn,
    )


@pytest.mark.parametrize("players", (2, 4, 7))
def test_power_cut_after_every_action(players: int) -> None:
    """After every action of a game: boot, continue, and all is as it was."""
    flash = Flash()
    player = Player(flash, seed=players)
    player.start(players)
    for _ in range(400):
        if player.where == "Menu":
            break
        again = Player(Flash(data=bytes(flash.data)), seed=99)
        assert again.where == "Title" and "Continue" in again.picture()
        title.resume(again.app)
        assert state(again.game) == state(player.game)
        player.press(OK)
    assert player.where == "Menu"


def noting(real: Any, states: list[tuple[int, Any]], flash: Flash) -> Any:
    """A method of Game that notes how the match stands when it is done."""

    def noted(self: Any, *args: Any) -> Any:
        result = real(self, *args)
        states.append((flash.programmed, state(self)))
        return result

    return noted


def test_power_cut_inside_every_write(monkeypatch: pytest.MonkeyPatch) -> None:
    """Torn at each byte of a whole hand and the beginning of the next: the match as of the last completed
    action, and it can be played to its end."""
    flash = Flash()
    states: list[
        tuple[int, Any]
    ] = []  # bytes programmed, and the match, after every completed action
    with monkeypatch.context() as patch:
        for name in ("act", "deal"):
            patch.setattr(Game, name, noting(vars(Game)[name], states, flash))
        player = Player(flash, seed=4)
        player.start(4)
        for _ in range(14):
            player.press(OK)
    assert len(states) > 40 and states[-1][1][4] == 2, "a hand, and some of the next"
    for cut in range(states[0][0], states[-1][0]):
        for torn in (0xFF, 0x18):
            memory = Flash()
            memory.left, memory.torn = cut, torn
            cut_off = Player(memory, seed=4)
            with pytest.raises(PowerCut):
                cut_off.start(4)
                for _ in range(14):
                    cut_off.press(OK)
            memory.left = -1
            back = Player(memory, seed=99)
            title.resume(back.app)
            whole = sum(programmed <= cut for programmed, _ in states)
            # or one more, where what was torn off the last byte were bits that it has anyway
            assert state(back.game) in [known for _, known in states[whole - 1 : whole + 1]]
            back.press(OK, OK, OK)


def test_ledger_survives_power_between_games() -> None:
    flash = Flash()
    player = Player(flash, seed=8)
    player.start(3)
    play_game(player)
    ledger = list(player.game.match.ledger)
    again = Player(Flash(data=bytes(flash.data)))
    again.press(OK)
    assert state(again.game)[2] == ledger and again.where == "Points"
    play_game(again)
    again.press(OK)
    assert again.game.match.ledger == ledger and again.game.games == 1


@pytest.mark.parametrize("full", [False, True])
def test_power_cut_while_the_next_game_is_written(full: bool) -> None:
    """Report: the session's ledger (R22) was lost by a power cut at some bytes of "Next game". Now, wherever
    it is cut, there is a game to go on with and the ledger of all games before, or it is told; the settings
    and the statistics are there as well."""
    flash = Flash()
    player = Player(flash, seed=8)
    player.start(3)
    play_game(player)
    if full:  # the log has to be written anew
        for count in range(290):
            player.console.store.put(0, bytes([count & 1, 2, 1, 3, 7]))
        assert 2900 < player.console.store.used < 3500
    player.console.store.put(0, b"\x00\x02\x01\x03\x07")
    ledger = list(player.game.match.ledger)
    statistics = player.console.store.get(1)
    before = bytes(flash.data)
    done = False
    cut = 0
    told = 0
    while not done:
        for torn in (0xFF, 0x24):
            memory = Flash(data=before)
            last = Player(memory, seed=9)
            last.press(OK)
            play_game(last)
            memory.left, memory.torn = cut, torn
            try:
                last.press(OK)
                done = True
            except PowerCut:
                pass
            memory.left = -1
            back = Player(memory, seed=99)
            if "is lost" in back.picture():
                told += 1
                back.press(OK)
                if cut <= 60 and "Continue" not in back.picture():
                    continue
            elif "Continue" in back.picture():
                assert back.app.values == b"\x00\x02\x01\x03\x07"
                assert back.console.store.get(1) == statistics
            if full and "Nothing is kept yet" in back.picture():
                told += 1
                continue
            assert "Continue" in back.picture(), cut
            back.press(OK)
            assert back.game.match.ledger == ledger, cut
            if back.game.match.winner >= 0:
                assert back.game.games == 0
                play_game(back)
                back.press(OK)
            assert back.game.match.ledger == ledger and back.game.games == 1
            assert back.where == "Table"
        cut += 1
    assert memory.erases == full and cut > 40 and (told > 0) == full


def test_back_leads_out_of_every_sheet() -> None:
    """Report: from Pause > Score sheet, BACK led into one Pause after the other."""
    player = Player(seed=4)
    player.start(3)
    for down in (1, 3):  # score sheet, ledger
        player.press(BACK, *[NEXT] * down, OK)
        assert player.where in ("Sheet", "Ledger")
        player.press(BACK)
        assert "Pause" in player.picture()
        player.press(BACK)
        assert player.where == "Table" and len(player.app.stack) == 1
    play_game(player)
    player.press(NEXT, OK)
    assert player.where == "Ledger"
    player.press(BACK)
    assert "game is over" in player.picture()
    again = Player(player.memory)
    again.press(OK)
    assert again.where == "Points"
    again.press(BACK)
    assert "Pause" in again.picture()
    again.press(BACK)
    assert again.where == "Points"


def test_a_game_too_long_for_the_memory_says_so_twice() -> None:
    """Report: 7 players to 52: after the actions the marks were not kept any more either, without a word.
    What a power cut costs is what was told."""
    flash = Flash()
    player = Player(flash, seed=5)
    player.start(7, 52)
    told = []
    for _ in range(9000):
        if player.where == "Notice":
            told.append((player.game.match.hands, player.picture()))
        if player.where == "Menu":
            break
        if not told and player.where == "Table" and player.game.match.hands % 10 == 0:
            again = Player(Flash(data=bytes(flash.data)))
            title.resume(again.app)
            assert state(again.game) == state(player.game)
        if len(told) == 1 and player.where == "Table" and player.game.match.hands % 10 == 0:
            again = Player(Flash(data=bytes(flash.data)))
            again.press(OK)
            assert again.where == "Notice" and "this hand" in again.picture()
            assert again.game.match.hands == player.game.match.hands
            assert again.game.match.scores == player.game.match.scores
        player.press(OK)
    assert player.where == "Menu" and len(told) == 2
    assert "this hand" in told[0][1] and "hands are lost" in told[1][1]
    assert 40 < told[0][0] < told[1][0] and player.game.match.hands > 100
    player.press(OK)
    again = Player(Flash(data=bytes(flash.data)))
    title.resume(again.app)
    assert state(again.game) == state(player.game) and player.console.store.state == 0


def test_scores_far_below_zero_are_kept() -> None:
    """Report: scores below -128 became -128 after power off."""
    player = Player(seed=2)
    player.start(7, 52)
    match = player.game.match
    match.scores[:] = [-152, 51, -128, -129, 127, 128, -999]
    match.setbacks[:] = [40, 0, 255, 256, 1, 0, 300]
    match.dealer = 3
    player.game.deal()
    again = Player(player.memory)
    title.resume(again.app)
    assert state(again.game) == state(player.game)


def test_a_kept_game_that_cannot_be_read_is_told() -> None:
    player = Player()
    player.console.store.begin(b"\x63another format")
    again = Player(player.memory)
    again.press(OK)
    assert "cannot be read" in again.picture()
    again.press(OK)
    assert again.where == "Title" and "Continue" not in again.picture()


def test_statistics_count_a_game_once() -> None:
    from pitch.app.points import _STATS as STATS

    flash = Flash()
    player = Player(flash, seed=8)
    player.start(3)
    play_game(player)
    first = player.console.store.get(STATS)
    assert first[:2] == b"\x00\x01"
    again = Player(flash)
    again.press(OK)
    play_game(again)
    assert again.console.store.get(STATS) == first


def test_giving_up_a_game_is_asked_first() -> None:
    """BACK never throws anything away, and a new game only after a question."""
    player = Player(seed=2)
    player.start(4)
    player.press(OK, BACK)
    assert "Pause" in player.picture()
    player.press(BACK)
    assert player.where == "Table"
    player.press(LONG_BACK, NEXT, OK)
    assert "A game is kept" in player.picture()
    game = player.game
    player.press(BACK)
    assert player.where == "Title" and player.game is game


def test_a_new_game_after_a_finished_one_is_asked_too() -> None:
    """The ledger of the session would go."""
    player = Player(Flash(), seed=8)
    player.start(3)
    play_game(player)
    game = player.game
    player.press(LONG_BACK, NEXT, OK)
    assert "A game is kept" in player.picture()
    player.press(OK)
    assert player.where == "Title" and player.game is game


def test_last_trick_before_there_is_one() -> None:
    player = Player(seed=2)
    player.start(4)
    player.press(BACK, NEXT, NEXT, OK)
    assert "No trick taken yet" in player.picture()
    player.press(OK)
    assert player.where == "Table" and "No trick" not in player.picture()
    while player.where != "Points":
        player.press(OK)
    player.press(BACK)
    assert "Pause" in player.picture() and "Last trick" not in player.picture()


def test_slow_says_that_it_waits() -> None:
    """A trick lies open until OK: a pointer at the end of the top row."""
    player = Player(seed=2)
    player.app.values[2] = 0
    player.start(4)
    waited = 0
    while player.where == "Table":
        top = player.picture().splitlines()[0]
        waited += "the trick" in top
        assert ("the trick" in top) == top.endswith(">") and len(top) <= 21
        player.press(OK)
    assert waited == 6


@pytest.mark.parametrize(
    ("scores", "pitcher", "swept", "words"),
    [
        ((7, 7, 3), 0, False, "Pitcher counts first"),  # R19
        ((7, 8, 3), 1, False, "Pitcher counts first"),
        ((7, 7, 3), 2, False, "Reached it first"),  # R20
        ((4, 2, 3), 0, True, "Smudge wins the game"),  # R21
        ((7, 6, 3), 0, False, ""),
    ],
)
def test_why_somebody_won(scores: tuple[int, ...], pitcher: int, swept: bool, words: str) -> None:
    player = Player(seed=2)
    player.start(3)
    match = player.game.match
    match.winner = pitcher if pitcher < 2 else 0
    match.scores[:] = scores
    match.hand.pitcher = pitcher
    assert Won(player.app).reason().decode() == words


def test_settings_are_kept() -> None:
    flash = Flash()
    player = Player(flash)
    player.press(NEXT, OK)  # settings
    player.press(OK, NEXT, OK)  # sound off
    player.press(NEXT, OK, PREV, OK)  # light one down
    assert not player.console.sound.on and player.console.level == 1
    again = Player(Flash(data=bytes(flash.data)))
    assert not again.console.sound.on and again.console.level == 1
    again.press(NEXT, OK)
    assert "off" in again.picture() and "half" in again.picture()


@pytest.mark.parametrize(
    ("memory", "words"),
    [
        (bytearray(8), "Nothing can be kept"),
        (Flash(data=b"\x12\x34 somebody else's game"), "something unreadable"),
        (Flash(data=b"HH\x00\xff\x01\x02\x03"), "another version"),
    ],
)
def test_memory_trouble_is_told_once_and_play_goes_on(memory: Any, words: str) -> None:
    """nvm missing, of noise, of an older version: the game says so once and plays."""
    player = Player(memory)
    player.rest()
    assert words in player.picture()
    if isinstance(memory, Flash):
        before = bytes(memory.data)
        player.press(OK)  # play without saving: where the pointer is
        assert memory.data == before
    else:
        player.press(OK)
    assert player.where == "Title"
    player.start(4)
    play_game(player)
    player.press(LONG_BACK)
    assert words not in player.picture()


def test_foreign_memory_can_be_taken_over() -> None:
    memory = Flash(data=b"\x12\x34 somebody else's game")
    player = Player(memory)
    player.press(NEXT, OK)
    assert player.where == "Title"
    player.start(4)
    player.press(OK)
    again = Player(memory)
    assert "Continue" in again.picture()


def test_an_ok_meant_for_a_bots_pause_plays_no_card() -> None:
    """Within 180 ms of the person's turn an OK counts for nothing: it was pressed to hurry a bot."""
    player = Player(seed=3)
    player.start(4)
    view = player.game.view
    assert view.turn == 0
    logged = view.logged
    player.console.now = player.top.began
    player.top.on(OK)
    assert view.logged == logged
    player.press(OK)
    assert view.logged > logged


def test_labels_of_choices() -> None:
    """One string holds what every action is called; each stands at its number."""
    from pitch import cards
    from pitch.app.felt import _LABELS

    def label(action: int) -> bytes:
        return _LABELS[(action - cards.PASS) * 4 :][:4]

    assert label(cards.PASS) == b"Pass" and len(_LABELS) == (cards.NAME + 4 - cards.PASS) * 4
    assert [label(cards.BID + n).strip() for n in range(1, 15)] == [b"%d" % n for n in range(1, 15)]
    words = (cards.STAND, cards.GIVE - 1, cards.GIVE, cards.GIVE + 1)  # stand, beg, give, run
    assert b"".join(map(label, words)) == b"StndBeg GiveRun "
    assert [label(cards.NAME + suit)[1:3] for suit in range(4)] == [
        b"\0\1",
        b"\2\3",
        b"\4\5",
        b"\6\7",
    ]


def test_app_and_console_mean_the_same_numbers() -> None:
    """The app imports nothing of lib/handheld: the numbers of intents, tunes, tiles and so on stand in both,
    as constants that a board's compiler folds, and have to be equal."""
    from handheld import keys, screen, sound, store

    theirs: dict[str, int] = {}
    ours = [
        "PREV",
        "NEXT",
        "OK",
        "BACK",
        "CLICK",
        "CARD",
        "PLAIN",
        "DIM",
        "CHOSEN",
        "COLUMNS",
        "FULL",
    ]
    for module in (keys, screen, sound, store):
        for name, value in vars(module).items():
            if name.isupper() and isinstance(value, int):
                assert theirs.setdefault(name[1:], value) == value or name[1:] not in ours, name
    compared = set()
    for path in Path("pitch/app").glob("*.py"):
        source = path.read_text()
        block = source.partition("# What the console (lib/handheld) understands")[2].partition(
            "\n\n"
        )[0]
        for name, value in re.findall(r"^_([A-Z_]+) = const\((\d+)\)$", block, re.MULTILINE):
            if name == "HELD_PLACE":
                assert int(value) == screen._SLOTS
                continue
            cells = {"POINTER": 8, "POINTER_LEFT": 9, "TEN": 10, "DEALER": 11}
            assert int(value) == {**theirs, **cells}[name], (path, name)
            compared.add(name)
    assert {"OK", "LONG_BACK", "CHIME", "OLDER", "CHOSEN", "SUIT_TILE", "COLUMNS"} <= compared
    assert headless.Screen().below(3, 7) == screen.Screen.below(cast(Any, None), 3, 7)
