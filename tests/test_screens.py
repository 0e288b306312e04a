"""Every screen as the panel shows it, through the real driver: golden pictures in tests/screens, and what
each change costs on the wire.

`python tests/test_screens.py` renews the pictures (look at them!) and docs/screens.png, all on one sheet.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).parent.parent / part) for part in ("lib", "tests", "")]

from headless import OK, Player
from test_store import Flash

from host_sim.machine import Machine
from pitch.rules import BIDDING, DONE, PLAYING

GOLDEN = Path(__file__).parent / "screens"
KEYS = {"L": "LEFT", "R": "RIGHT", "O": "OK", "B": "BACK"}
Test = Callable[[Player], bool]


def position(
    players: int,
    found: Test,
    scores: tuple[int, ...] = (),
    history: tuple[tuple[int, ...], ...] = (),
) -> bytes:
    """nvm of a match that stands where `found` holds: seeds are tried until one leads there by OK alone.
    `history`: scores before earlier hands; `scores`: before this one."""
    for seed in range(1, 400):
        flash = Flash()
        player = Player(flash, seed)
        player.start(players)
        game = player.game
        for line in (*history, scores):
            if line:
                game.match.scores[:] = line
                game.deal()
        player.app.go("table")
        player.rest()
        hands = game.match.hands
        for _ in range(40):
            if game.match.hands != hands:
                break
            if found(player):
                return bytes(flash.data)
            player.press(OK)
    raise AssertionError("no seed leads there")


def view(player: Player):  # noqa: ANN201
    return player.game.view


def asked_to_bid(player: Player) -> bool:
    return view(player).phase == BIDDING and view(player).turn == 0 and view(player).high > 0


def asked_to_follow(player: Player) -> bool:
    v = view(player)
    return (
        v.phase == PLAYING and v.turn == 0 and v.led >= 0 and 1 < v.n < v.held[0] and v.ntricks == 1
    )


def asked_to_lead(player: Player) -> bool:
    v = view(player)
    return v.phase == PLAYING and v.turn == 0 and v.led < 0 and v.trump < 0


def last_of_trick(player: Player) -> bool:
    v = view(player)
    start = v.ends[v.ntricks - 1] if v.ntricks else v.first
    return v.phase == PLAYING and v.turn == 0 and v.logged - start == v.rules.players - 1


def over(player: Player) -> bool:
    return view(player).phase == DONE


def set_back(player: Player) -> bool:
    return over(player) and view(player).made == 0 and view(player).npoints == 4


def won_by(winner: int) -> Test:
    return lambda player: over(player) and player.game.match.winner == winner


RUN4 = ((0, 0, 0, 0), (3, 0, -2, 1), (4, -3, -2, 1), (4, -3, 1, 2))
RUN7 = (
    (0, -8, 0, -3, 1, 0, 5),
    (-3, -8, -2, -3, 2, 0, 5),
    (-3, -11, -2, 0, 2, -4, 6),
    (-6, -11, 1, -12, 3, -4, 6),
)
FOREIGN = b"\x12\x34 somebody else's game"
OLDER = b"HH\x00\xff\x01\x02\x03"

# name: (nvm, script). Script: L R O B buttons, each followed by idling; + waits 300 ms without idling.
SCENES: dict[str, tuple[Callable[[], bytes | None], str]] = {
    "title_first": (lambda: b"", ""),
    "title_continue": (lambda: position(4, asked_to_bid), ""),
    "new_game": (lambda: b"", "O"),
    "new_game_players": (lambda: b"", "ORORRR"),
    "settings": (lambda: b"", "RO"),
    "settings_sound": (lambda: b"", "ROOR"),
    "screen_test": (lambda: b"", "ROLO"),
    "deal_4": (lambda: b"", "OO+"),
    "bots_bid_4": (lambda: position(4, asked_to_bid), "OO+"),
    "bid_2": (lambda: position(2, asked_to_bid), "O"),
    "bid_4": (lambda: position(4, asked_to_bid), "OR"),
    "bid_7": (lambda: position(7, asked_to_bid), "O"),
    "lead_trump_4": (lambda: position(4, asked_to_lead), "O"),
    "follow_2": (lambda: position(2, asked_to_follow), "O"),
    "follow_3": (lambda: position(3, asked_to_follow), "O"),
    "follow_4": (lambda: position(4, asked_to_follow), "O"),
    "follow_5": (lambda: position(5, asked_to_follow), "O"),
    "follow_6": (lambda: position(6, asked_to_follow), "O"),
    "follow_7": (lambda: position(7, asked_to_follow), "O"),
    "trick_4": (lambda: position(4, last_of_trick), "OO+"),
    "trick_7": (lambda: position(7, last_of_trick), "OO+"),
    "last_trick": (lambda: position(4, asked_to_follow), "OBRRO"),
    "pause": (lambda: position(4, asked_to_follow), "OB"),
    "points_first": (lambda: position(4, over), "O+++"),
    "points_made": (lambda: position(4, lambda p: over(p) and view(p).made == 1), "O"),
    "points_set_back": (lambda: position(7, set_back), "O"),
    "sheet_4": (lambda: position(4, over, RUN4[-1], RUN4[:-1]), "OO"),
    "sheet_7": (lambda: position(7, over, RUN7[-1], RUN7[:-1]), "OO"),
    "won_you": (lambda: position(4, won_by(0), (6, 0, -2, 3)), "OOO"),
    "won_bob": (lambda: position(4, won_by(1), (0, 6, -2, 3)), "OOO"),
    "ledger_4": (lambda: position(4, won_by(0), (6, 0, -2, 3)), "OOOO"),
    "ledger_7": (lambda: position(7, won_by(6), (-3, -11, -2, 0, 2, -4, 6)), "OOOO"),
    "after": (lambda: position(4, won_by(0), (6, 0, -2, 3)), "OOOOO"),
    "give_up": (lambda: position(4, asked_to_bid), "RO"),
    "memory_missing": (lambda: None, ""),
    "memory_foreign": (lambda: FOREIGN, ""),
    "memory_older": (lambda: OLDER, ""),
}


def machine(nvm: bytes | None) -> Machine:
    """A simulated board with that in its memory."""
    if nvm is None:
        return Machine(seed=1, nvm=None)
    return Machine(seed=1, nvm=bytearray(nvm + b"\xff" * (4096 - len(nvm))))


def play(board: Machine, script: str) -> None:
    for i, sign in enumerate(script):
        if sign == "+":
            board.run(300)
        else:
            board.press(KEYS[sign])
            if script[i + 1 : i + 2] != "+":
                board.idle()


def scene(name: str) -> Image.Image:
    """The picture of a scene, one pixel a pixel."""
    nvm, script = SCENES[name]
    with machine(nvm()) as board:
        board.idle()
        play(board, script)
        return board.image(1).convert("1")


@pytest.mark.parametrize("name", SCENES)
def test_golden(name: str) -> None:
    """The picture that somebody has looked at and found good."""
    got = scene(name)
    with Image.open(GOLDEN / f"{name}.png") as golden:
        if got.tobytes() != golden.convert("1").tobytes():
            got.resize((512, 256)).save(GOLDEN / f"{name}.now.png")
            raise AssertionError(
                f"differs, see {name}.now.png; python tests/test_screens.py renews"
            )


def test_glyphs_are_those_drawn() -> None:
    """lib/handheld/glyphs.py holds what tests/screens/glyphs.txt shows."""
    import glyphs as drawing
    from handheld import glyphs

    assert drawing.pack(drawing.ART.read_text("ascii")) == (glyphs._CELLS, glyphs._TILES)


def test_every_picture_has_a_scene() -> None:
    assert {path.stem for path in GOLDEN.glob("*.png") if ".now" not in path.name} == set(SCENES)


def cost(board: Machine, button: str) -> int:
    """Bytes on the wire from a press to rest. The look at the panel every 2 s is kept out."""
    before = board.panel.wire_bytes
    board.press(KEYS[button])
    board.run(120)
    return board.panel.wire_bytes - before


def test_moving_the_cursor_costs_200_bytes_at_most() -> None:
    """design.md: bytes to the panel when the cursor moves one card; the same for choices and lists."""
    for players in (2, 4, 7):
        for found in (asked_to_bid, asked_to_follow, asked_to_lead)[: 2 if players > 4 else 3]:
            with machine(position(players, found)) as board:
                board.idle()
                play(board, "O")
                costs = [cost(board, button) for button in "RRRRRRLLL"]
                assert max(costs) <= 200 and min(costs) > 0, costs
    with machine(b"") as board:
        board.idle()
        for button in "RRL":
            assert 0 < cost(board, button) <= 200
        play(board, "RO")
        for button in "RRRLOLRO":
            assert cost(board, button) <= 200


def test_a_change_of_screen_costs_1104_bytes_at_most() -> None:
    """design.md: full redraw, and nothing twice."""
    with machine(position(4, asked_to_follow)) as board:
        board.idle()
        for button in "OBRROBLO":
            before = board.panel.wire_bytes
            board.press(KEYS[button])
            board.run(100)
            assert board.panel.wire_bytes - before <= 1104 + 4


def test_a_played_card_costs_less_than_a_screen() -> None:
    """A card leaves the hand, lies in the middle, the turn goes on: only that is sent."""
    for players in (2, 4, 7):
        with machine(position(players, asked_to_follow)) as board:
            board.idle()
            play(board, "O")
            assert cost(board, "O") <= 700


def test_nothing_changes_nothing_is_sent() -> None:
    with machine(position(4, asked_to_follow)) as board:
        board.idle()
        play(board, "O")
        before = board.panel.data_bytes
        board.run(30_000)
        assert board.panel.data_bytes == before


def test_partial_updates_show_what_a_full_repaint_shows() -> None:
    """A whole hand played, then the picture as it has grown against the same state painted at once."""
    with machine(position(4, asked_to_bid)) as board:
        board.idle()
        play(board, "O")
        for _ in range(9):
            play(board, "OR")
            grown = board.pixels()
            play(board, "BO")
            assert board.pixels() == grown


def sheet() -> Image.Image:
    """All the golden pictures on one sheet, scale 2."""
    names = list(SCENES)
    page = Image.new("L", (4 * 264 + 8, (len(names) + 3) // 4 * 136 + 8), 90)
    for i, name in enumerate(names):
        with Image.open(GOLDEN / f"{name}.png") as picture:
            page.paste(picture.resize((256, 128)).convert("L"), (8 + i % 4 * 264, 8 + i // 4 * 136))
    return page


if __name__ == "__main__":
    for wanted in sys.argv[1:] or SCENES:
        scene(wanted).save(GOLDEN / f"{wanted}.png")
    sheet().save(Path(__file__).parent.parent / "docs" / "screens.png")
