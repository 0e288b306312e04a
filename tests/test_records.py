"""Records from outside: malformed ones, illegal actions, odd files, very many of them, and the way back
from a match to its text."""

import json
import os
import random
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from host_sim import replay as command_module
from host_sim.replay import replay
from pitch.match import Match
from pitch.record import Replay, hand_text, head_text, records, seed_text
from pitch.rules import VARIANTS, Rules
from pitch.text import OPTIONS, find

ROOT = Path(__file__).parent.parent

DEAL = "HA H9 H4 SK C8 D6 / HK H2 S5 D9 C4 D3 / H7 ST S7 CA C6 DJ / HQ HT SA S3 DK C9"
PLAY = "2 - - - HA H2 H7 HQ SK S5 S7 SA DK D6 D9 DJ HT H4 HK C6 D3 CA S3 H9 C8 C4 ST C9"
GOOD = f'[Game "auction"]\n[Dealer "D"]\n[Deal "{DEAL}"]\n[Actions "{PLAY}"]\n'


def run(capfd: pytest.CaptureFixture[str], *files: Path) -> tuple[int, list[Any], str]:
    """Status, answers and stderr of the replay command, in this process."""
    capfd.readouterr()
    with pytest.raises(SystemExit) as stop:
        command_module.command.main([str(file) for file in files])
    out, err = capfd.readouterr()
    status = stop.value.code
    assert isinstance(status, int)
    return status, [json.loads(line) for line in out.splitlines()], err


def refused(capfd: pytest.CaptureFixture[str], file: Path, line: int | None, word: str) -> None:
    """`file` is refused with status 2 and one line that names it, the line and what is wrong."""
    status, _, err = run(capfd, file)
    assert status == 2
    assert err.count("\n") == 1 and err.endswith("\n"), err
    where = f"{file}:{line}: " if line else f"{file}: "
    assert err.startswith(where), err
    assert word in err, err


# ---- malformed text: (tag lines, line that is wrong, a word of the reason)

AUCTION = '[Game "auction"]'
BAD: list[tuple[str, int, str]] = [
    ("hello", 1, "tag"),
    ("[Game auction]", 1, "tag"),
    ('[Game "auction"', 1, "tag"),
    ('Game "auction"]', 1, "tag"),
    ('["auction"]', 1, "tag"),
    ('[ "auction"]', 1, "tag"),
    ('[Game"auction"]', 1, "tag"),
    ('[Game "]', 1, "tag"),
    ("[", 1, "tag"),
    ("[]", 1, "tag"),
    ('"]', 1, "tag"),
    ('[Game "auc"tion"]', 1, "quotation"),
    ('[Game "auction"] [Players "4"]', 1, "quotation"),
    (f"{AUCTION}\n; a comment", 2, "tag"),
    ('[Players "4"]', 1, "Game"),
    ('[Game ""]', 1, "game"),
    ('[Game "Auction"]', 1, "Auction"),
    ('[Game "whist"]', 1, "whist"),
    ('[game "auction"]', 1, "game"),
    (f"{AUCTION}\n{AUCTION}", 2, "second Game"),
    (f'{AUCTION}\n[Event "x"]', 2, "Event"),
    (f'{AUCTION}\n[Players "4"]\n[Players "4"]', 3, "second Players"),
    (f'{AUCTION}\n[Seed "1"]\n[Seed "1"]', 3, "second Seed"),
    *[
        (f'{AUCTION}\n[Players "{value}"]', 2, "Players")
        for value in ("", "0", "1", "8", "44", "x")
    ],
    *[(f'{AUCTION}\n[Players "{value}"]', 2, "Players") for value in ("-4", "4.0", " 4", "04")],
    ('[Game "allfours"]\n[Players "3"]', 2, "allfours"),
    ('[Game "sevenup"]\n[Players "5"]', 2, "sevenup"),
    ('[Game "cinch"]\n[Players "2"]', 2, "cinch"),
    ('[Players "7"]\n[Game "cinch"]', 1, "cinch"),
    *[
        (f'{AUCTION}\n[Options "{value}"]', 2, "option")
        for value in (
            "low",
            "low=",
            "low=all",
            "=taker",
            "colour=red",
            "low=taker;tie=elder",
            "low==taker",
        )
    ],
    *[
        (f'{AUCTION}\n[Options "{value}"]', 2, "option")
        for value in (
            "low=taker,",
            ",low=taker",
            ",",
            "Low=taker",
            "low=Taker",
            "low = taker",
            "tie=two",
        )
    ],
    (f'{AUCTION}\n[Options "low=taker,low=taker"]', 2, "twice"),
    # options that can change nothing in that game: better refused than quietly without effect
    ('[Game "allfours"]\n[Options "nobids=next"]', 2, "nobids"),
    ('[Game "sevenup"]\n[Options "mustbid=on"]', 2, "mustbid"),
    ('[Game "sevenup"]\n[Options "sweep=anyone"]', 2, "sweep"),
    ('[Game "cinch"]\n[Options "smudge=5"]', 2, "smudge"),
    ('[Game "cinch"]\n[Options "tie=elder"]', 2, "tie"),
    *[
        (f'{AUCTION}\n[Options "target={value}"]', 2, "target")
        for value in ("", "4", "0", "53", "-7", "7.0", "100", "999999999999", "x", "+7")
    ],
    (f'{AUCTION}\n[Options "sides=2x2"]\n[Players "5"]', 2, "sides"),
    (f'{AUCTION}\n[Options "sides=2x4"]', 2, "sides"),
    *[
        (f'{AUCTION}\n[Dealer "{value}"]', 2, "Dealer")
        for value in ("", "E", "a", "AB", "1", " ", "Z")
    ],
    (f'{AUCTION}\n[Players "7"]\n[Dealer "H"]', 3, "Dealer"),
    *[
        (f'{AUCTION}\n[{tag} "{value}"]', 2, tag)
        for tag in ("Scores", "Setbacks")
        for value in (
            "",
            "0 0 0",
            "0 0 0 0 0",
            "0 0 0 x",
            "0,0,0,0",
            "1.5 0 0 0",
            "--1 0 0 0",
            "- 0 0 0",
        )
    ],
    (f'{AUCTION}\n[Scores "99999999999999999999 0 0 0"]', 2, "Scores"),
    (f'{AUCTION}\n[Setbacks "-1 0 0 0"]', 2, "Setbacks"),
    (f'{AUCTION}\n[Options "sides=2x2"]\n[Scores "0 0 0 0"]', 3, "Scores"),
    *[
        (f'{AUCTION}\n[Seed "{value}"]', 2, "Seed")
        for value in (
            "",
            "x",
            "-1",
            "4294967296",
            "42949672950",
            "1e3",
            "0x10",
            " 1",
            "1 ",
            "1 2",
            "9" * 300,
        )
    ],
    (f'{AUCTION}\n[Actions "2"]', 2, "Seed"),
    (f'{AUCTION}\n[Actions ""]', 2, "Seed"),
    (f'{AUCTION}\n[Deal "{DEAL}"]\n[Actions "2"]\n[Actions "-"]', 4, "Seed"),
    *[
        (f'{AUCTION}\n[Deal "{value}"]', 2, word)
        for value, word in (
            ("", "hand"),
            ("/ / /", "card"),
            (DEAL + " /", "hands"),
            (DEAL.replace(" /", ""), "hands"),
            (DEAL.replace("HA", "HX"), "HX"),
            (DEAL.replace("HA", "AH"), "AH"),
            (DEAL.replace("HA", "ha"), "ha"),
            (DEAL.replace("HA", "H1"), "H1"),
            (DEAL.replace("HA", "H10"), "H10"),
            (DEAL.replace("HA", "?"), "?"),
            (DEAL.replace("HA", "HK"), "HK"),
            (DEAL.replace("HA ", ""), "cards"),
            (DEAL.replace("HA", "HA S2"), "cards"),
        )
    ],
    (f'{AUCTION}\n[Players "3"]\n[Deal "{DEAL}"]', 3, "hands"),
    (f'[Game "cinch"]\n[Deal "{DEAL}"]', 2, "cards"),
    (f'{AUCTION}\n[Stock "C2"]', 2, "Stock"),
    (f'{AUCTION}\n[Deal "{DEAL}"]\n[Stock "C2"]\n[Stock "C3"]', 4, "Stock"),
    (f'{AUCTION}\n[Deal "{DEAL}"]\n[Actions ""]\n[Stock "C3"]', 4, "Stock"),
    (f'{AUCTION}\n[Deal "{DEAL}"]\n[Stock "HA"]', 3, "HA"),
    (f'{AUCTION}\n[Deal "{DEAL}"]\n[Stock "C2 C2"]', 3, "C2"),
    (f'{AUCTION}\n[Deal "{DEAL}"]\n[Stock "nine"]', 3, "nine"),
    (f'{AUCTION}\n[Deal "{DEAL}"]\n[Stock "{" ".join(["??"] * 29)}"]', 3, "Stock"),
]


@pytest.mark.parametrize(("text", "line", "word"), BAD)
def test_malformed(
    text: str, line: int, word: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "bad.pitch"
    file.write_text(text + "\n")
    refused(capfd, file, line, word)
    # the same in the second record of a file, ten lines further down; the first is still answered
    file.write_text(GOOD + "\n" * 6 + text + "\n\n" + GOOD)
    refused(capfd, file, line + 10, word)
    _, got, _ = run(capfd, file)
    assert len(got) == 1 and got[0]["error"] is None


def test_missing_blank_line_between_records(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "two.pitch"
    file.write_text(GOOD + GOOD)
    refused(capfd, file, 5, "blank line")


# ---- odd files


@pytest.mark.parametrize(
    ("data", "line"),
    [
        (b"\xff\xfe[\x00G\x00", 1),  # UTF-16
        (b"\xef\xbb\xbf" + GOOD.encode(), 1),  # a UTF-8 mark at the start
        (b'[Game "auction"]\n[Options "low=t\xe4ker"]\n', 2),
        (b'[Game "auction"]\n[Play\xe4rs "4"]\n', 2),
        (b'[Game "\x00auction"]\n', 1),
        (b'[Game "auction"]\n[Dealer "\t"]\n', 2),
        (b'[Game \xc2\xa0"auction"]\n', 1),
        (bytes(range(256)) * 64, 1),
        (b"\x7fELF\x02\x01\x01" + bytes(5000), 1),
        (b"[" * 2_000_000, 1),
        (b'[Game "' + b"x" * 2_000_000 + b'"]', 1),
        (b'[Game "auction"]\n[Scores "' + b"1 " * 500_000 + b'"]', 2),
        (b'[Game "auction"]\n[Deal "' + b"/ " * 500_000 + b'"]', 2),
    ],
)
def test_files_that_are_no_records(
    data: bytes, line: int, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "odd.pitch"
    file.write_bytes(data)
    refused(capfd, file, line, "")


def test_random_bytes_never_raise(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    rng = random.Random(1)
    for _ in range(300):
        data = bytearray(GOOD.encode())
        for _ in range(rng.randint(1, 4)):
            place = rng.randrange(len(data))
            if rng.random() < 0.5:
                data[place] = rng.randrange(256)
            else:
                del data[place : place + rng.randint(1, 20)]
        file = tmp_path / "noise.pitch"
        file.write_bytes(data)
        status, _, err = run(capfd, file)
        assert status in (0, 1, 2)
        assert err.count("\n") == (status == 2)


@pytest.mark.parametrize(
    "data",
    [
        GOOD.encode(),
        GOOD.rstrip("\n").encode(),
        GOOD.replace("\n", "\r\n").encode(),
        GOOD.replace("\n", "\r").encode(),
        b"\n\n \n\t\n" + GOOD.encode() + b"\n \n\n",
        b"\r\n\r\n" + GOOD.replace("\n", "  \r\n  ").encode(),
    ],
    ids=["plain", "no final newline", "CRLF", "CR", "blank lines", "CRLF and spaces"],
)
def test_line_ends_and_blank_lines(
    data: bytes, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "fine.pitch"
    file.write_bytes(data)
    status, got, err = run(capfd, file)
    assert (status, len(got), err) == (0, 1, "")
    assert got[0]["hands"][0]["gain"] == [-2, 1, 0, 1]  # the worked case of the agreed cases


def test_line_numbers_count_crlf_once(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "crlf.pitch"
    file.write_bytes((GOOD + "\n\n[Game]\n").replace("\n", "\r\n").encode())
    refused(capfd, file, 7, "tag")


@pytest.mark.parametrize("data", [b"", b"\n", b"\r\n \r\n"])
def test_empty_file(data: bytes, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "empty.pitch"
    file.write_bytes(data)
    assert run(capfd, file) == (0, [], "")


def test_files_that_cannot_be_read(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    refused(capfd, tmp_path / "missing.pitch", None, "No such file")
    refused(capfd, tmp_path, None, "directory")
    good = tmp_path / "good.pitch"
    good.write_text(GOOD)
    status, got, err = run(capfd, good, tmp_path / "missing.pitch")
    assert (status, len(got), err.count("\n")) == (2, 1, 1)


def test_many_files_and_the_worst_status(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    good, illegal = tmp_path / "good.pitch", tmp_path / "illegal.pitch"
    good.write_text(GOOD)
    illegal.write_text(GOOD.replace("2 - - -", "9 - - -"))
    assert run(capfd, good, good)[0] == 0
    status, got, _ = run(capfd, illegal, good)
    assert status == 1 and [answer["error"] is None for answer in got] == [False, True]


def test_nothing_but_answers_on_stdout_as_a_process(tmp_path: Path) -> None:
    file = tmp_path / "mixed.pitch"
    file.write_text(GOOD + "\n" + GOOD.replace("2 - - -", "1 - - -") + "\n" + GOOD)
    start = [sys.executable, "-m", "host_sim", "replay"]
    done = subprocess.run([*start, str(file)], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and done.stderr == ""
    assert [json.loads(line)["error"] is None for line in done.stdout.splitlines()] == [
        True,
        False,
        True,
    ]
    done = subprocess.run(
        [*start, "no such file"], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1 and "Traceback" not in done.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a POSIX pipe")
def test_reader_that_stops_early(tmp_path: Path) -> None:
    """`replay … | head -1` must not blame the file, nor show a traceback."""
    file = tmp_path / "many.pitch"
    file.write_text((GOOD + "\n") * 3000)
    start = [sys.executable, "-m", "host_sim", "replay", str(file)]
    with subprocess.Popen(
        start, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout and process.stderr
        process.stdout.readline()
        process.stdout.close()
        err = process.stderr.read().decode()
    assert "Traceback" not in err and "cannot be read" not in err, err


# ---- illegal actions

TURN_UP = "HA H9 H4 SK C8 D6 / HK H2 S5 D9 C4 D3"  # B is the eldest
CINCH = (
    "HA HK HQ SJ ST S9 S8 S7 S6 / CA CK CQ CJ CT C9 C8 C7 C6 / "
    "DA DK DQ DJ DT D9 D8 D7 D6 / HJ HT H9 H8 H7 H6 H5 H4 H3"
)
CINCH_STOCK = "SA SK SQ S5 S4 S3 S2 C5 C4 C3 C2 D5 D4 D3 D2 H2"


def record(game: str, deal: str, actions: str, *more: str) -> str:
    """A record dealt by D (or by A where two play)."""
    dealer = "A" if deal.count("/") == 1 else "D"
    head = [f'[Game "{game}"]', *more, f'[Players "{deal.count("/") + 1}"]', f'[Dealer "{dealer}"]']
    stock = {"cinch": CINCH_STOCK, "allfours": "S2 C2 C3", "sevenup": "SJ C2 C3"}.get(game)
    lines = [*head, f'[Deal "{deal}"]', *([f'[Stock "{stock}"]'] if stock else [])]
    return "\n".join([*lines, f'[Actions "{actions}"]', ""])


# (record, number of the action, words that the reason must hold)
ILLEGAL: list[tuple[str, int, Sequence[str]]] = [
    (record("auction", DEAL, "1"), 1, ["2", "4", "R5"]),
    (record("auction", DEAL, "5"), 1, ["2", "4", "R5"]),
    (record("auction", DEAL, "14"), 1, ["R5"]),
    (record("auction", DEAL, "6", '[Options "smudge=5"]'), 1, ["2", "5", "R5"]),
    (record("auction", DEAL, "3 2"), 2, ["higher", "R5"]),
    (record("auction", DEAL, "3 3"), 2, ["higher", "R5"]),
    (record("auction", DEAL, "3 - - 2"), 4, ["higher", "R5"]),
    (record("auction", DEAL, "4 - - 4"), 4, ["match", "R7"]),
    (record("auction", DEAL, "3 - - 3", '[Options "match=never"]'), 4, ["match"]),
    (record("auction", DEAL, "3 - - 3", '[Options "match=only4"]'), 4, ["match"]),
    (record("auction", DEAL, "- - - -"), 4, ["dealer", "must bid"]),
    (record("auction", DEAL, "HA"), 1, ["bid", "R4"]),
    (record("auction", DEAL, "2 - - - -"), 5, ["card"]),
    (record("auction", DEAL, "2 - - - 3"), 5, ["card"]),
    (record("auction", DEAL, "2 - - - HK"), 5, ["A", "hold", "HK"]),
    (record("auction", DEAL, "2 - - - HA S5"), 6, ["follow", "hearts", "R9"]),
    (record("auction", DEAL, "2 - - - HA H2 H7 HQ SK D9"), 10, ["spades", "trump", "R10"]),
    (
        record("auction", DEAL, "2 - - - HA H2 H7 HQ SK HK", '[Options "follow=strict"]'),
        10,
        ["spades", "follow"],
    ),
    (record("auction", DEAL, "2 - - - HA H2 H7 HQ HA"), 9, ["hold", "HA"]),
    *[
        (record("auction", DEAL, token), 1, ["action"])
        for token in (
            "x",
            "--",
            "02",
            "15",
            "0",
            "-1",
            "h9",
            "??",
            "HX",
            "=",
            "=X",
            "hA",
            "pass",
            "+2",
        )
    ],
    *[
        (record("auction", DEAL, token), 1, ["bid"])
        for token in ("stand", "beg", "give", "run", "sell", "keep", "=H", "~", "~HA", "~XX", "~,")
    ],
    (record("allfours", TURN_UP, "-"), 1, ["stand", "beg"]),
    (record("allfours", TURN_UP, "2"), 1, ["stand", "beg"]),
    (record("allfours", TURN_UP, "run"), 1, ["stand", "beg"]),
    (record("allfours", TURN_UP, "HK"), 1, ["stand", "beg"]),
    (record("allfours", TURN_UP, "beg stand"), 2, ["give", "run"]),
    (record("allfours", TURN_UP, "beg HK"), 2, ["give", "run"]),
    (record("allfours", TURN_UP, "stand HA"), 2, ["B", "hold"]),
    (record("allfours", TURN_UP, "stand S5 H9"), 3, ["spades", "R9"]),
    (record("allfours", TURN_UP, "stand beg"), 2, ["card"]),
    (record("allfours", TURN_UP, "beg run"), 2, ["Stock"]),
    (record("sevenup", TURN_UP, "beg give", '[Scores "0 6"]'), 2, ["put"]),
    (record("cinch", CINCH, "0"), 1, ["action"]),
    (record("cinch", CINCH, "7 6"), 2, ["higher"]),
    (record("cinch", CINCH, "7 - - 7"), 4, ["match"]),
    (record("cinch", CINCH, "- - - - HA"), 5, ["trump", "=H"]),
    (record("cinch", CINCH, "- - - - 3"), 5, ["trump", "=H"]),
    # hearts: D has nine trumps and keeps six; HJ HT H5 count, and H2 from the stock
    (record("cinch", CINCH, "- - - - =H ~HJ,H9,H8,H7"), 6, ["six", "counts"]),
    (record("cinch", CINCH, "- - - - =H ~H9"), 6, ["six"]),
    (record("cinch", CINCH, "- - - - =H ~"), 6, ["six"]),
    (record("cinch", CINCH, "- - - - =H ~H9,H8,H7,H6,H6"), 6, []),
    (record("cinch", CINCH, "- - - - =H ~H9,H8,H7,CA"), 6, []),
    (record("cinch", CINCH, "- - - - =H H3"), 6, ["~"]),
]


@pytest.mark.parametrize(("text", "action", "words"), ILLEGAL)
def test_illegal_action(
    text: str,
    action: int,
    words: Sequence[str],
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    file = tmp_path / "illegal.pitch"
    file.write_text(text + "\n" + GOOD)
    status, got, err = run(capfd, file)
    assert (status, len(got), err) == (1, 2, "")
    error = got[0]["error"]
    tokens = text.split("[Actions ")[1].strip('"]\n').split()
    assert (error["hand"], error["action"], error["token"]) == (1, action, tokens[action - 1])
    assert "\n" not in error["reason"]
    for word in words:
        assert word in error["reason"]
    assert got[0]["next"] is None and got[1]["error"] is None


def test_error_after_the_match_or_hand_is_over() -> None:
    end = '[Scores "6 0 0 6"]\n'  # D makes Game and gets there; A is set back
    over = replay(next(records((end + GOOD.replace(PLAY, PLAY + " 2")).splitlines())))
    assert over["winner"] == "D"
    assert (over["error"]["hand"], over["error"]["action"], over["error"]["token"]) == (1, 29, "2")
    assert "over" in over["error"]["reason"]
    more = replay(next(records(GOOD.replace(PLAY, PLAY + " 2").splitlines())))
    assert (more["error"]["hand"], more["error"]["action"], more["error"]["token"]) == (1, 29, "2")
    assert len(more["hands"]) == 1  # what was finished stays


def test_error_in_a_later_hand() -> None:
    text = GOOD + f'[Deal "{DEAL}"]\n[Actions "2 2"]\n'
    answer = replay(next(records(text.splitlines())))
    assert len(answer["hands"]) == 1
    # A dealt, so B spoke first
    assert (answer["error"]["hand"], answer["error"]["action"]) == (2, 2)
    assert answer["scores"] == [-2, 1, 0, 1]


def test_a_deal_before_the_hand_is_over() -> None:
    text = f'[Game "auction"]\n[Deal "{DEAL}"]\n[Actions "2"]\n[Deal "{DEAL}"]\n[Actions "2"]\n'
    answer = replay(next(records(text.splitlines())))
    assert answer["error"] is not None and answer["error"]["reason"]


def test_hidden_cards_of_every_suit_and_rank_can_be_played() -> None:
    """A bot's record shows `??` for the others' cards; what they played stands in Actions."""
    for suit in "CDHS":
        for rank in "23456789TJQKA":
            other = " ".join(("D" if suit != "D" else "C") + r for r in "234567")
            text = (
                f'[Game "auction"]\n[Players "2"]\n[Dealer "B"]\n'
                f'[Deal "?? ?? ?? ?? ?? ?? / {other}"]\n[Actions "2 - {suit}{rank}"]\n'
            )
            answer = replay(next(records(text.splitlines())))
            assert answer["error"] is None, answer
            assert answer["next"]["seat"] == "B" and len(answer["next"]["legal"]) == 6


# ---- seeds and where a record may stop


@pytest.mark.parametrize("game", ["auction", "allfours", "sevenup", "cinch"])
@pytest.mark.parametrize("seed", [0, 1, 65535, 65536, 2**30, 2**31, 4294967295])
def test_seed_alone(game: str, seed: int) -> None:
    record = next(records([f'[Game "{game}"]', f'[Seed "{seed}"]']))
    assert record.seed == (seed >> 16, seed & 0xFFFF)
    assert seed_text(*record.seed) == str(seed)
    answer = replay(record)
    assert answer["error"] is None and answer["next"] is not None


def test_seed_with_leading_zeros_is_the_same_seed() -> None:
    short, long = (next(records([AUCTION, f'[Seed "{text}"]'])) for text in ("7", "0000000007"))
    assert short.seed == long.seed


def played(
    rules: Rules, seed: tuple[int, int], rng: random.Random, hands: int
) -> tuple[Match, list[str]]:
    """A seeded match played at random, `hands` hands at most, and the text of each."""
    match = Match(rules, *seed)
    texts: list[str] = []
    for _ in range(hands):
        match.deal()
        hand = match.hand
        while hand.turn >= 0:
            count = hand.legal()
            hand.apply(choose(hand, count, rng))
        texts.append(hand_text(hand))
        match.close()
        if match.winner >= 0:
            break
    return match, texts


def choose(hand: Any, count: int, rng: random.Random) -> int:
    """A random legal action; where sets to throw are too many to list, a random one of them."""
    action: int = hand.acts[rng.randrange(count)]
    if action == 1 << 24:
        held = hand.held[hand.turn]
        while True:
            action = 1 << 24 | sum(1 << place for place in rng.sample(range(held), held - 6))
            if hand.draw.may_throw(hand, action - (1 << 24)):
                break
    return action


TABLES = [
    ("auction", players, options)
    for players, options in [
        *[(count, "") for count in range(2, 8)],
        (4, "sides=2x2"),
        (6, "sides=3x2"),
        (6, "sides=2x3"),
        (
            4,
            "low=taker,tie=elder,nobids=same,match=any,smudge=5,sweep=anyone,follow=strict,target=9",
        ),
        (
            5,
            "tie=pitcher,nobids=next,match=only4,smudge=off,mustbid=on,finish=highest,setbackpay=on",
        ),
        (3, "nobids=eldest,match=never,target=52"),
    ]
] + [("allfours", 2, ""), ("allfours", 4, "tie=nobody"), ("sevenup", 2, ""), ("sevenup", 3, "")]
TABLES += [("sevenup", 4, "low=taker"), ("cinch", 4, ""), ("cinch", 4, "target=30")]


@pytest.mark.parametrize(("game", "players", "options"), TABLES)
def test_text_and_back(game: str, players: int, options: str) -> None:
    """Match -> text -> match: the seeded match as one record of Deal tags replays to the same scores, its
    text comes out the same again, and the same actions under Seed alone give the same answer."""
    rng = random.Random(players)
    head = [f'[Game "{game}"]', f'[Players "{players}"]', f'[Options "{options}"]']
    rules = next(records(head)).rules
    for seed in ((0, 0), (0xFFFF, 0xFFFF), (rng.getrandbits(16), rng.getrandbits(16))):
        match, texts = played(rules, seed, rng, 6)
        text = head_text(rules) + "".join(texts)
        record = next(records(text.splitlines()))
        assert list(record.rules.options) == list(rules.options)
        again: list[str] = []
        play = Replay(record, lambda match, to=again: to.append(hand_text(match.hand)))  # type: ignore[misc]
        play.run()
        assert again == texts
        assert play.match.scores == match.scores and play.match.setbacks == match.setbacks
        assert play.match.winner == match.winner and play.match.settlement == match.settlement
        assert head_text(play.match.rules) == head_text(rules)

        tokens = [line[10:-2] for line in text.splitlines() if line.startswith("[Actions")]
        seeded = head_text(rules, seed=seed) + f'[Actions "{" ".join(tokens)}"]'
        one, other = replay(record), replay(next(records(seeded.splitlines())))
        assert one["hands"] == other["hands"] and one["winner"] == other["winner"]
        assert one["error"] is None and other["error"] is None


# Options that can change nothing: bids where nobody bids, High, Low, Jack and Game where there are none.
NO_USE = {
    "allfours": ("nobids", "match", "smudge", "sweep", "mustbid"),
    "sevenup": ("nobids", "match", "smudge", "sweep", "mustbid"),
    "cinch": ("low", "tie", "smudge", "sweep"),
}


def test_head_text_and_back() -> None:
    """Every option value, alone and against the default; scores, set-backs, dealer and seed."""
    for row, variant in enumerate(VARIANTS):
        for option, names in enumerate(OPTIONS[:-1]):
            values = range(5, 53) if len(names) == 1 else range(len(names) - 1)
            for value in values:
                rules = Rules(row, 0, ((option, value),))
                if names[0] in NO_USE.get(variant[0], ()):
                    continue
                scores = list(range(-1, rules.nsides - 1))
                setbacks = list(range(rules.nsides))
                text = head_text(rules, 1, scores, setbacks, (0xFFFF, 0xFFFF))
                back = next(records(text.splitlines()))
                assert list(back.rules.options) == list(rules.options), text
                assert (back.rules.players, back.rules.name) == (rules.players, variant[0])
                assert (back.dealer, back.scores, back.setbacks) == (1, scores, setbacks)
                assert back.seed == (0xFFFF, 0xFFFF)


@pytest.mark.parametrize(
    ("game", "players"), [("auction", 4), ("allfours", 4), ("sevenup", 3), ("cinch", 4)]
)
def test_a_record_may_stop_anywhere(game: str, players: int) -> None:
    """Cut after each token, the finished hands are the same, no error is reported, and the next token of
    the whole record is among those offered."""
    rules = Rules(find(game), players)
    match, texts = played(rules, (3, players), random.Random(5), 2)
    tokens = [
        token
        for text in texts
        for line in text.splitlines()
        if line.startswith("[Actions")
        for token in line[10:-2].split()
    ]
    head = head_text(rules, seed=(3, players))
    whole = replay(next(records((head + f'[Actions "{" ".join(tokens)}"]').splitlines())))
    for count in range(len(tokens)):
        text = head + f'[Actions "{" ".join(tokens[:count])}"]'
        answer = replay(next(records(text.splitlines())))
        assert answer["error"] is None
        assert answer["hands"] == whole["hands"][: len(answer["hands"])]
        legal = answer["next"]["legal"]
        assert legal == sorted(legal) and len(set(legal)) == len(legal)
        assert tokens[count] in legal or legal == ["~"]


def test_deal_and_seed_mixed() -> None:
    """The hand with a Deal tag is that deal; the others come from the seed, each by its number."""
    rules = Rules(0, 4)
    _, texts = played(rules, (0, 9), random.Random(2), 2)
    text = f'[Game "auction"]\n[Seed "9"]\n[Dealer "D"]\n[Deal "{DEAL}"]\n[Actions "{PLAY}"]\n'
    answer = replay(next(records(text.splitlines())))
    assert len(answer["hands"]) == 1 and answer["error"] is None
    # D dealt the first hand, so A deals the second: B is asked
    assert answer["next"] == {"seat": "B", "legal": ["-", "2", "3", "4"]}
    # the second hand's cards, dealt by A as in the match above they were dealt by B: same pack, so
    # the eldest of one has the cards of the eldest of the other
    second = Replay(next(records(text.splitlines())))
    second.run()
    deal = texts[1].split('"')[1].split(" / ")
    assert hand_text(second.match.hand).split('"')[1].split(" / ") == deal[1:] + deal[:1]
    more = text + '[Actions "- - - 2"]\n'
    answer = replay(next(records(more.splitlines())))
    assert answer["error"] is None and answer["next"]["seat"] == "A"


# ---- very many records

# A process in between, because a child's peak starts at the size of the process that forked it: pytest's
# own 50 MB would hide what is measured. Prints seconds of processor time and peak in KB (macOS: bytes).
MEASURE = """
import resource, subprocess, sys
start = [sys.executable, "-m", "host_sim", "replay", sys.argv[1]]
status = subprocess.run(start, stdout=open(sys.argv[2], "wb")).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(status, used.ru_utime + used.ru_stime, used.ru_maxrss)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no module resource there")
def test_ten_thousand_records(tmp_path: Path) -> None:
    """Ten thousand in one file: under 10 s of processor time (a loaded machine adds little to that), and
    no more memory than a thousand take."""
    source = (Path(__file__).parent / "cases" / "random.pitch").read_text()
    hundred = "\n\n".join(source.split("\n\n")[:100]) + "\n\n"
    seconds, peak = {}, {}
    for count in (1000, 10_000):
        file, answers = tmp_path / f"{count}.pitch", tmp_path / f"{count}.jsonl"
        file.write_text(hundred * (count // 100))
        done = subprocess.run(
            [sys.executable, "-c", MEASURE, str(file), str(answers)],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=120,
        )
        status, time, size = done.stdout.split()
        assert (status, done.stderr) == ("0", "")
        assert answers.read_bytes().count(b"\n") == count
        seconds[count], peak[count] = float(time), int(size)
    assert seconds[10_000] < 10
    unit = 1024 if sys.platform == "darwin" else 1
    # measured: 16.1 MB and 16.2 MB; a list of 9,000 records more would be 30 MB
    assert peak[10_000] - peak[1000] < 3072 * unit


@pytest.mark.parametrize("known", ["", "HA H9 H4 SK C8 D6"])
def test_a_hidden_hand_holds_no_card_that_was_played(tmp_path: Path, known: str) -> None:
    """rules.md 3: each card is in one place. A seat with `??` could play what another had played before."""
    hidden = "?? ?? ?? ?? ?? ??"
    deal = " / ".join([known or hidden, hidden, hidden, hidden])
    path = tmp_path / "x.txt"
    path.write_text(
        f'[Game "auction"]\n[Dealer "D"]\n[Deal "{deal}"]\n[Actions "2 - - - HA H2 HT HT"]\n'
    )
    result = CliRunner().invoke(command_module.command, [str(path)])
    error = json.loads(result.output)["error"]
    assert result.exit_code == 1 and (error["action"], error["token"]) == (8, "HT")
