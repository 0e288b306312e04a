"""Playing on the PC: the terminal behind a pty, the window on SDL's dummy driver, which is taken."""

import os
import re
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from sim_board import OPEN_DISPLAY, program

from host_sim.machine import REPOSITORY, Machine
from host_sim.recording import Recorder
from host_sim.terminal import Fingers, Keyboard, braille

SHOWS_KEYS = (
    "import keypad, time\n"
    + OPEN_DISPLAY
    + """
keys = keypad.Keys((board.GP10, board.GP11, board.GP12, board.GP13), value_when_pressed=False)
bitmap = displayio.Bitmap(128, 64, 2)
palette = displayio.Palette(2)
palette[1] = 0xFFFFFF
group = displayio.Group()
group.append(displayio.TileGrid(bitmap, pixel_shader=palette))
display.root_group = group
bitmap[0, 0] = 1
display.refresh()
down = count = 0
while True:
    event = keys.events.get()
    if event:
        if event.pressed:
            down = event.timestamp
            print("down", event.key_number)
        else:
            print("up", event.key_number, (event.timestamp - down) & 0x1FFFFFFF)
        count += 1
        bitmap[count % 128, 8 + 4 * event.key_number] = 1
        display.refresh()
    else:
        time.sleep(0.01)
"""
)


@pytest.fixture
def shows_keys(tmp_path: Path) -> Path:
    (tmp_path / "root").mkdir()
    return program(tmp_path / "root", SHOWS_KEYS)


def environment(tmp_path: Path, **more: str) -> dict[str, str]:
    """No display, and a folder for state of its own."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER", "XDG_STATE_HOME")
    }
    return kept | {"XDG_STATE_HOME": str(tmp_path / "state"), "TERM": "xterm"} | more


class TestKeyboard:
    @pytest.mark.parametrize(
        ("sent", "names"),
        [
            (b"\x1b[D\x1b[C", ["LEFT", "RIGHT"]),
            (b"\x1bOA\x1bOB", ["LEFT", "RIGHT"]),
            (b"\r\n ", ["OK", "OK", "OK"]),
            (b"\x7f\x08", ["BACK", "BACK"]),
            (b"\x1b[1;5D\x1b[3~x\x1b[C", ["RIGHT"]),
            (b"\x1b\x1b[C", ["BACK", "RIGHT"]),
            (b"P", ["POWER"]),
        ],
    )
    def test_sequences(self, sent: bytes, names: list[str]) -> None:
        assert [name for name, _ in Keyboard().feed(sent, 0.0)] == names

    def test_lone_escape_is_back_once_nothing_follows(self) -> None:
        keyboard = Keyboard()
        assert list(keyboard.feed(b"\x1b", 1.0)) == []
        assert [name for name, _ in keyboard.feed(b"", 1.1)] == ["BACK"]

    def test_a_sequence_may_arrive_in_pieces(self) -> None:
        keyboard = Keyboard()
        assert list(keyboard.feed(b"\x1b", 1.0)) == []
        assert list(keyboard.feed(b"[", 1.01)) == []
        assert [name for name, _ in keyboard.feed(b"C", 1.02)] == ["RIGHT"]

    def test_capitals_hold(self) -> None:
        assert list(Keyboard().feed(b"oO", 0.0)) == [("OK", 60), ("OK", 1000)]


def test_fingers_press_one_after_the_other(shows_keys: Path) -> None:
    with Machine(shows_keys) as machine:
        machine.idle()
        fingers = Fingers(machine)
        fingers.add("OK", 60)
        fingers.add("OK", 1000)
        fingers.add("BACK", 60)
        for _ in range(100):
            fingers.run(17)
        lines = "".join(machine.serial_text).splitlines()
        assert [line.rsplit(" ", 1)[0] if "up" in line else line for line in lines] == [
            "down 2",
            "up 2",
            "down 2",
            "up 2",
            "down 3",
            "up 3",
        ]
        assert int(lines[1].split()[2]) <= 80 and 980 <= int(lines[3].split()[2]) <= 1020


def test_braille_dots() -> None:
    """Unicode's order: 1 2 3 7 down the left column, 4 5 6 8 down the right one."""
    seen = bytearray(128 * 64)
    for x, y in ((0, 0), (3, 3), (127, 63), (4, 1), (5, 2)):
        seen[y * 128 + x] = 1
    lines = braille(bytes(seen))
    assert len(lines) == 16 and all(len(line) == 64 for line in lines)
    assert lines[0][:3] == "\u2801\u2880\u2822" and lines[15][63] == "\u2880"


class Terminal:
    """A pty with `python -m host_sim play` behind it."""

    def __init__(self, root: Path, tmp_path: Path, columns: int, rows: int) -> None:
        import fcntl
        import pty
        import termios

        self.fd, self.inner = pty.openpty()
        self.resize(columns, rows)
        self.before = termios.tcgetattr(self.inner)

        def as_a_terminal_does() -> None:
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
            # Ctrl-C is heard, though the tests may have been started where it is not.
            signal.signal(signal.SIGINT, signal.SIG_DFL)

        self.process = subprocess.Popen(
            [sys.executable, "-m", "host_sim", "play", "--root", str(root), "--terminal"],
            cwd=REPOSITORY,
            stdin=self.inner,
            stdout=self.inner,
            stderr=self.inner,
            env=environment(tmp_path),
            start_new_session=True,
            preexec_fn=as_a_terminal_does,
        )
        self.seen = b""

    def resize(self, columns: int, rows: int) -> None:
        import fcntl
        import termios

        fcntl.ioctl(self.inner, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def read(self, seconds: float = 0.2) -> None:
        import select

        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if select.select([self.fd], [], [], left)[0]:
                self.seen += os.read(self.fd, 65536)

    def until(self, wanted: Callable[[str], bool], what: str) -> None:
        for _ in range(150):
            if wanted(self.text()):
                return
            self.read(0.1)
        raise AssertionError(f"never seen: {what}; last: {self.text()[-300:]!r}")

    def text(self) -> str:
        return self.seen.decode("utf-8", "replace")

    def end(self) -> int:
        import termios

        for _ in range(200):  # a terminal that nobody reads holds up whoever writes to it
            self.read(0.1)
            if self.process.poll() is not None:
                break
        status = self.process.wait(1)
        self.read(0.2)
        assert termios.tcgetattr(self.inner) == self.before
        return status

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.fd)
        os.close(self.inner)


@pytest.fixture
def terminal(shows_keys: Path, tmp_path: Path) -> Iterator[Callable[[int, int], Terminal]]:
    pytest.importorskip("termios")
    made: list[Terminal] = []

    def start(columns: int, rows: int) -> Terminal:
        made.append(Terminal(shows_keys, tmp_path, columns, rows))
        return made[-1]

    yield start
    for each in made:
        each.close()


def left_as_it_was(text: str) -> bool:
    """Cursor shown and the usual screen back, at the very end."""
    return re.search(r"\x1b\[\?25h\x1b\[\?1049l(\^C)?\s*$", text) is not None


def test_half_blocks_from_128_columns_on(terminal: Callable[[int, int], Terminal]) -> None:
    play = terminal(128, 40)
    play.until(lambda text: "\x1b[1;1H▀ " in text, "the first pixel")
    assert not set(play.text()) & {chr(code) for code in range(0x2801, 0x2900)}
    os.write(play.fd, b"\r")
    play.until(lambda text: "up 2" in text, "OK")
    os.write(play.fd, b"\x03")  # Ctrl-C
    assert play.end() == 0
    assert left_as_it_was(play.text())


def test_braille_below_and_resizing(terminal: Callable[[int, int], Terminal]) -> None:
    play = terminal(127, 24)
    play.until(lambda text: "\x1b[1;1H\u2801" in text, "the first dot")
    assert "▀" not in play.text()
    play.seen = b""
    play.resize(130, 33)
    play.until(lambda text: "\x1b[1;1H▀" in text, "half blocks")
    play.seen = b""
    play.resize(30, 10)
    play.until(lambda text: "This terminal has 30 columns" in text, "too small")
    play.resize(64, 16)
    play.until(lambda text: "\x1b[1;1H\u2801" in text, "the first dot again")
    play.process.send_signal(signal.SIGTERM)
    assert play.end() == 128 + signal.SIGTERM
    assert left_as_it_was(play.text())


def test_too_small_from_the_start(terminal: Callable[[int, int], Terminal]) -> None:
    play = terminal(63, 40)
    assert play.end() == 1
    assert play.text() == (
        "This terminal has 63 columns and 40 rows; the picture needs 64 by 16 or more.\r\n"
    )


def test_firmware_that_ends_with_an_exception_leaves_the_terminal_too(
    terminal: Callable[[int, int], Terminal], shows_keys: Path
) -> None:
    code = shows_keys / "code.py"
    code.write_text(code.read_text().replace('print("down"', '1 // 0, print("down"'))
    play = terminal(128, 40)
    play.until(lambda text: "\x1b[1;1H▀ " in text, "the first pixel")
    os.write(play.fd, b"\x1b")
    assert play.end() == 3
    after = play.text().partition("\x1b[?1049l")[2]
    assert "ZeroDivisionError" in after


def play_without_a_terminal(root: Path, tmp_path: Path, *options: str, **env: str) -> Any:
    return subprocess.run(
        [sys.executable, "-m", "host_sim", *options],
        cwd=REPOSITORY,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        env=environment(tmp_path, **env),
        check=False,
    )


def test_neither_display_nor_terminal_is_one_plain_line(shows_keys: Path, tmp_path: Path) -> None:
    for options in ([], ["play"]):
        done = play_without_a_terminal(shows_keys, tmp_path, *options)
        assert done.returncode == 1 and done.stdout == ""
        assert done.stderr == (
            "Neither a display for a window nor a terminal; "
            "`run --keys FILE` plays from a script.\n"
        )


def test_a_display_that_cannot_be_reached(shows_keys: Path, tmp_path: Path) -> None:
    if sys.platform != "linux":
        pytest.skip("X11 only")
    done = play_without_a_terminal(shows_keys, tmp_path, "play", "--window", DISPLAY=":987")
    assert done.returncode == 1 and len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith("No window can be opened here: the display does not answer.")


@pytest.fixture
def window(shows_keys: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    pytest.importorskip("pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setenv("SDL_AUDIODRIVER", "dummy")
    monkeypatch.chdir(tmp_path)
    from host_sim.window import Window

    with Machine(shows_keys) as machine:
        made = Window(machine, scale=3)
        machine.idle()
        yield made
        made.close()


def post(window: Any, kind: str, **values: Any) -> None:
    pygame = window.pygame
    pygame.event.post(pygame.event.Event(getattr(pygame, kind), **values))


def steps(window: Any, count: int) -> None:
    for _ in range(count):
        window.step(16)


def test_keys_of_the_window(window: Any) -> None:
    pygame = window.pygame
    for key in (pygame.K_LEFT, pygame.K_RIGHT, pygame.K_RETURN, pygame.K_ESCAPE):
        post(window, "KEYDOWN", key=key, mod=0)
        steps(window, 5)
        post(window, "KEYUP", key=key, mod=0)
        steps(window, 5)
    lines = "".join(window.machine.serial_text).splitlines()
    assert [line.split()[:2] for line in lines] == [
        [word, str(key)] for key in range(4) for word in ("down", "up")
    ]


def test_two_keys_for_one_button_and_losing_the_focus(window: Any) -> None:
    pygame = window.pygame
    post(window, "KEYDOWN", key=pygame.K_RETURN, mod=0)
    post(window, "KEYDOWN", key=pygame.K_SPACE, mod=0)
    steps(window, 5)
    post(window, "KEYUP", key=pygame.K_RETURN, mod=0)
    steps(window, 5)
    assert "".join(window.machine.serial_text).split() == ["down", "2"]
    post(window, "WINDOWFOCUSLOST")
    steps(window, 5)
    assert "up" in "".join(window.machine.serial_text)


def test_mouse_on_the_drawn_buttons(window: Any) -> None:
    x, y = window.layout.buttons["BACK"]
    post(window, "MOUSEBUTTONDOWN", button=1, pos=(x + 2, y - 2))
    steps(window, 4)
    assert window.surface.get_at((x - window.layout.radius // 2, y))[:3] == (0xE0, 0xA0, 0x30)
    post(window, "MOUSEBUTTONUP", button=1, pos=(0, 0))
    steps(window, 4)
    assert "".join(window.machine.serial_text).startswith("down 3\nup 3")
    post(window, "MOUSEBUTTONDOWN", button=1, pos=(1, 1))
    steps(window, 4)
    assert "".join(window.machine.serial_text).count("down") == 1


def test_window_shows_the_panel(window: Any) -> None:
    steps(window, 1)
    x, y, w, h = window.layout.screen
    assert (w, h) == (128 * 3, 64 * 3)
    assert window.surface.get_at((x + 2, y + 2))[:3] == (0xD6, 0xEA, 0xFF)
    assert window.surface.get_at((x + 3, y))[:3] == (0x0B, 0x0E, 0x14)


def test_size_by_key_within_bounds(window: Any) -> None:
    pygame = window.pygame
    for _ in range(20):
        post(window, "KEYDOWN", key=pygame.K_PLUS, mod=0)
    steps(window, 1)
    assert window.layout.scale == 12
    for _ in range(20):
        post(window, "KEYDOWN", key=pygame.K_MINUS, mod=0)
    steps(window, 1)
    assert window.layout.scale == 2 and window.surface.get_size() == window.layout.size


def test_picture_and_gif_by_key(window: Any, tmp_path: Path) -> None:
    pygame = window.pygame
    post(window, "KEYDOWN", key=pygame.K_F2, mod=0)
    post(window, "KEYDOWN", key=pygame.K_F3, mod=0)
    steps(window, 2)
    post(window, "KEYDOWN", key=pygame.K_RETURN, mod=0)
    steps(window, 5)
    post(window, "KEYUP", key=pygame.K_RETURN, mod=0)
    steps(window, 5)
    post(window, "KEYDOWN", key=pygame.K_F3, mod=0)
    steps(window, 2)
    (png,) = tmp_path.glob("pitch-*.png")
    assert Image.open(png).size == (384, 192)
    (gif,) = tmp_path.glob("pitch-*.gif")
    assert Image.open(gif).n_frames == 3  # type: ignore[attr-defined]


def test_power_key_and_closing(window: Any) -> None:
    pygame = window.pygame
    window.machine.press("OK")
    lit = sum(window.machine.pixels())
    post(window, "KEYDOWN", key=pygame.K_F5, mod=0)
    steps(window, 30)
    assert sum(window.machine.pixels()) == 1 < lit
    post(window, "QUIT")
    steps(window, 1)
    assert not window.open


def test_recorder_keeps_times(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    with Machine(program(tmp_path / "root", SHOWS_KEYS)) as machine:
        machine.idle()
        recorder = Recorder(machine.panel, machine.now_ms)
        for _ in range(2):
            machine.run(500)
            recorder.look(machine.now_ms)
            machine.press("OK", 100)
            recorder.look(machine.now_ms)
        assert recorder.save(tmp_path / "a.gif", 2, machine.now_ms + 700) == 3
    gif: Any = Image.open(tmp_path / "a.gif")
    times = []
    for index in range(gif.n_frames):
        gif.seek(index)
        times.append(gif.info["duration"])
    assert gif.size == (256, 128) and times == [660, 660, 700]


def test_usual_place_of_the_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from host_sim.play import default_store

    if sys.platform == "win32":
        pytest.skip("another place there")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert default_store("pico") == tmp_path / "pitch" / "pico.nvm"
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "me"))
    assert default_store("macropad") == tmp_path / "me/.local/state/pitch/macropad.nvm"
