"""`run` to the letter of its contract: commands, names, exit statuses, seed, store, profile."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from PIL import Image
from sim_board import OPEN_DISPLAY, program

from host_sim import script
from host_sim.machine import REPOSITORY
from host_sim.run import command

BOX = (
    """
import keypad, os, time
"""
    + OPEN_DISPLAY
    + """
import microcontroller, supervisor
nvm = microcontroller.nvm
keys = keypad.Keys((board.GP10, board.GP11, board.GP12, board.GP13), value_when_pressed=False)
bitmap = displayio.Bitmap(128, 64, 2)
palette = displayio.Palette(2)
palette[1] = 0xFFFFFF
group = displayio.Group()
group.append(displayio.TileGrid(bitmap, pixel_shader=palette))
display.root_group = group
bitmap[nvm[0] if nvm[0] < 128 else 0, 63] = 1
for bit in range(8):
    bitmap[64 + bit, 0] = os.urandom(1)[0] & 1
display.refresh()
down = 0
while True:
    event = keys.events.get()
    if event:
        if event.pressed:
            bitmap[event.key_number, 10] = 1
            down = event.timestamp
            if event.key_number == 3:
                1 // 0
            nvm[0] = event.key_number + 100
        else:
            held = (event.timestamp - down) & 0x1FFFFFFF
            bitmap[min(held // 10, 127), 20] = 1
        display.refresh()
    else:
        time.sleep(0.01)
"""
)


def run(folder: Path, keys: str, *options: str, code: str = BOX) -> Result:
    """`run` on a small program; pictures go to folder/shots."""
    root = folder / "root"
    root.mkdir(exist_ok=True)
    program(root, code)
    (folder / "keys").write_text(keys, encoding="utf-8")
    arguments = ["--keys", str(folder / "keys"), "--root", str(root), *options]
    if "--shots" not in options and "shot" in keys:
        arguments += ["--shots", str(folder / "shots")]
    return CliRunner().invoke(command, arguments)


def lit(path: Path) -> set[tuple[int, int]]:
    """Lit pixels of a picture at scale 4."""
    image = Image.open(path)
    assert image.size == (512, 256)
    small = image.convert("L").resize((128, 64), Image.Resampling.NEAREST)
    grown = small.resize((512, 256), Image.Resampling.NEAREST)
    assert grown.tobytes() == image.convert("L").tobytes()
    data = small.tobytes()
    return {(i % 128, i // 128) for i, grey in enumerate(data) if grey}


def row(pixels: set[tuple[int, int]], y: int) -> list[int]:
    return sorted(a for a, b in pixels if b == y)


def test_buttons_by_name_and_pictures(tmp_path: Path) -> None:
    done = run(tmp_path, "idle\npress LEFT\npress RIGHT # both\n\npress OK\nidle\nshot a-1\n")
    assert (done.exit_code, done.output) == (0, "")
    assert row(lit(tmp_path / "shots/a-1.png"), 10) == [0, 1, 2]


def test_how_long_a_press_takes(tmp_path: Path) -> None:
    """60 ms if no time is given; keypad looks every 20 ms."""
    done = run(tmp_path, "idle\npress OK\nidle\nshot a\npress OK 800\nidle\nshot b\n")
    assert done.exit_code == 0
    (first,) = row(lit(tmp_path / "shots/a.png"), 20)
    assert 4 <= first <= 8
    long = row(lit(tmp_path / "shots/b.png"), 20)[-1]
    assert 78 <= long <= 82


def test_text_is_32_lines_of_half_blocks(tmp_path: Path) -> None:
    done = run(tmp_path, "idle\npress LEFT\nidle\ntext\n")
    lines = done.stdout.split("\n")
    assert done.exit_code == 0 and len(lines) == 33 and lines[32] == ""
    assert all(len(line) == 128 and set(line) <= set(" ▀▄█") for line in lines[:32])
    assert lines[5][0] == "▀" and lines[31][0] == "▄"


def test_power_keeps_what_was_stored(tmp_path: Path) -> None:
    done = run(tmp_path, "idle\npress RIGHT\nidle\nshot a\npower\nidle\nshot b\n")
    assert done.exit_code == 0
    assert row(lit(tmp_path / "shots/a.png"), 63) == [0]
    after = lit(tmp_path / "shots/b.png")
    assert row(after, 63) == [101] and row(after, 10) == []


def test_store_is_kept_in_a_file(tmp_path: Path) -> None:
    store = str(tmp_path / "new" / "store")
    assert run(tmp_path, "idle\npress OK\nidle\n", "--store", store).exit_code == 0
    assert Path(store).stat().st_size == 4096
    assert run(tmp_path, "idle\nshot a\n", "--store", store).exit_code == 0
    assert row(lit(tmp_path / "shots/a.png"), 63) == [102]
    assert run(tmp_path, "idle\nshot a\n").exit_code == 0
    assert row(lit(tmp_path / "shots/a.png"), 63) == [0]


def test_seed_fixes_every_choice(tmp_path: Path) -> None:
    seen = []
    for seed in ("1", "1", "2", "3"):
        assert run(tmp_path, "idle\nshot a\n", "--seed", seed).exit_code == 0
        seen.append(tuple(row(lit(tmp_path / "shots/a.png"), 0)))
    assert seen[0] == seen[1] and len(set(seen)) == 3


def test_exception_of_the_program_is_status_3(tmp_path: Path) -> None:
    done = run(tmp_path, "idle\npress BACK\nidle\ntext\n")
    assert done.exit_code == 3 and done.stdout == ""
    assert done.stderr.startswith("Traceback (most recent call last):\n")
    assert done.stderr.endswith("ZeroDivisionError: integer division or modulo by zero\n")


def test_syntax_error_of_the_program_is_status_3(tmp_path: Path) -> None:
    done = run(tmp_path, "idle\n", code="a = = 1\n")
    assert done.exit_code == 3 and "SyntaxError" in done.stderr


def test_what_the_program_prints_is_no_output_of_run(tmp_path: Path) -> None:
    done = run(tmp_path, "wait 2000\n", code="print('serial')\n")
    assert (done.exit_code, done.stdout, done.stderr) == (0, "", "serial\n")


def test_never_idle_is_an_error_and_not_for_ever(tmp_path: Path) -> None:
    done = run(tmp_path, "idle\n", code="import time\nwhile True: time.sleep(0.001)\n")
    assert done.exit_code == 1
    assert "still busy after 120 s" in done.stderr and len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("jump", "no command 'jump'; there are press wait idle shot text power"),
        ("press", "write: press NAME [MS]"),
        ("press LEFT 5 6", "write: press NAME [MS]"),
        ("press left", "no button 'left'; there are LEFT RIGHT OK BACK"),
        ("press UP", "no button 'UP'; there are LEFT RIGHT OK BACK"),
        ("press OK soon", "'soon' is not a number of milliseconds"),
        ("press OK -5", "'-5' is not a number of milliseconds"),
        ("press OK 1.5", "'1.5' is not a number of milliseconds"),
        ("wait", "write: wait MS"),
        ("wait ²", "'²' is not a number of milliseconds"),
        ("wait 99999999999", "99999999999 ms is more than a day"),
        ("idle 5", "idle takes nothing after it"),
        ("power off", "power takes nothing after it"),
        ("shot", "write: shot NAME"),
        ("shot ../x", "'../x' is no file name: letters, digits, '.', '_' and '-' only"),
        ("shot a b", "write: shot NAME"),
    ],
)
def test_bad_line_is_named_before_anything_runs(tmp_path: Path, line: str, says: str) -> None:
    done = run(tmp_path, f"text\n\n{line}\n")
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr == f"{tmp_path / 'keys'}, line 3: {says}\n"


def test_files_that_are_none(tmp_path: Path) -> None:
    missing = CliRunner().invoke(command, ["--keys", str(tmp_path / "none")])
    assert missing.exit_code == 2
    assert missing.stderr == f"{tmp_path / 'none'}: No such file or directory\n"
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00idle")
    binary = CliRunner().invoke(command, ["--keys", str(tmp_path / "binary")])
    assert (binary.exit_code, binary.stderr) == (2, f"{tmp_path / 'binary'}: is not a text file\n")
    (tmp_path / "store").write_bytes(b"x" * 100)
    store = run(tmp_path, "idle\n", "--store", str(tmp_path / "store"))
    assert store.exit_code == 2
    assert store.stderr.endswith("holds 100 bytes, but a store holds 4096; name another file\n")
    (tmp_path / "keys").write_text("shot a\n")
    shots = CliRunner().invoke(command, ["--keys", str(tmp_path / "keys")])
    assert shots.exit_code == 2 and "line 1: shot needs --shots DIR" in shots.stderr


def test_two_games_do_not_share_a_store(tmp_path: Path) -> None:
    pytest.importorskip("fcntl")
    from host_sim.savefile import SaveFile, StoreError

    first = SaveFile(tmp_path / "store")
    with pytest.raises(StoreError, match="another game has it open"):
        SaveFile(tmp_path / "store")
    first.close()
    SaveFile(tmp_path / "store").close()


def test_script_from_the_end_of_a_file_without_a_newline() -> None:
    commands = script.parse(["press OK 5", "  wait 7 # x", "# y", "shot z"], "f")
    assert [(c.line, c.verb, c.name, c.ms) for c in commands] == [
        (1, "press", "OK", 5),
        (2, "wait", "", 7),
        (4, "shot", "z", 0),
    ]


def test_from_the_command_line_with_this_program(tmp_path: Path) -> None:
    """The real code.py, in a process of its own, which ends (Blinka's thread does not hold it)."""
    (tmp_path / "keys").write_text("idle\nshot title\ntext\n")
    done = subprocess.run(
        [sys.executable, "-m", "host_sim", "run", "--keys", str(tmp_path / "keys")]
        + ["--shots", str(tmp_path / "deep" / "shots"), "--seed", "1"],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        timeout=60,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 32
    assert lit(tmp_path / "deep/shots/title.png")


@pytest.mark.parametrize("profile", ["pico", "macropad"])
def test_both_profiles_show_the_same_title(tmp_path: Path, profile: str) -> None:
    (tmp_path / "keys").write_text("idle\nshot title\n")
    done = CliRunner().invoke(
        command,
        ["--keys", str(tmp_path / "keys"), "--shots", str(tmp_path), "--profile", profile],
    )
    assert done.exit_code == 0, done.output
    assert len(lit(tmp_path / "title.png")) > 100


def test_gif_of_all_that_was_shown(tmp_path: Path) -> None:
    gif = tmp_path / "a.gif"
    keys = "idle\npress LEFT\nwait 440\npower\nidle\n"
    assert run(tmp_path, keys, "--gif", str(gif)).exit_code == 0
    image: Any = Image.open(gif)
    seen = []
    for index in range(image.n_frames):
        image.seek(index)
        seen.append((image.info["duration"], sum(map(bool, image.convert("L").tobytes()))))
    assert image.size == (512, 256)
    # dark while starting, then the first picture, the press, its release, dark, the picture
    assert len(seen) >= 5
    assert sum(duration for duration, _ in seen) == pytest.approx(2 * 400 + 560, abs=60)


def test_a_gif_under_any_name_and_one_that_cannot_be_written(tmp_path: Path) -> None:
    """A film is not lost for its name, nor told of by a traceback."""
    keys = tmp_path / "keys.txt"
    keys.write_text("\ufeffidle\n", encoding="utf-8")  # as some editors begin a file
    film = tmp_path / "film.txt"
    result = CliRunner().invoke(command, ["--keys", str(keys), "--gif", str(film)])
    assert result.exit_code == 0 and film.read_bytes()[:4] == b"GIF8"
    result = CliRunner().invoke(command, ["--keys", str(keys), "--gif", str(tmp_path)])
    assert result.exit_code == 2 and result.output.count("\n") == 1
    result = CliRunner().invoke(command, ["--keys", str(keys), "--gif", str(tmp_path / "a/b.gif")])
    assert result.exit_code == 2 and "no such folder" in result.output
