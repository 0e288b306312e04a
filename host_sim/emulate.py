"""`python -m host_sim emulate`: real firmware on an emulated Pico, with the key scripts of `run`.

With --compare the simulated board plays the same script, and the pictures have to be the same.
"""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click
from PIL import Image

from host_sim import drive, fat, pico, script
from host_sim.panel import HEIGHT, WIDTH, Panel

FIRMWARE = "PITCH_FIRMWARE"
QUIET_MS = 200.0  # record.md, `idle`
_SILENT_MS = 5000.0
"""How long a panel has to be quiet before the program has reported: compiling shows nothing for 2 s."""
IDLE_LIMIT_MS = 60_000.0
_LOOK_MS = 10.0
_EXTRA = ("unplug", "plug")  # commands that only an emulated panel's cable understands
_SPI = {"BUS": "spi", "CLOCK": "GP18", "DATA": "GP19", "CS": "GP17", "DC": "GP20", "RESET": "GP21"}
_MILESTONE = re.compile(rb"milestone (\w+): used=(\d+) free=(\d+) ms=(-?\d+)")
# CircuitPython tells its state in the terminal's title too, again when a console connects: what a
# program prints before that (the first tenths of a second after boot) is lost.
_TITLE = "\N{SNAKE}".encode()
_STARTED = re.compile(rb"code\.(?:py|txt) output:|" + _TITLE + rb"code\.(?:py|txt) ")
_ENDED = re.compile(rb"Code done running\.|" + _TITLE + rb"(?:Done|\d+@)")
_CRASHED = re.compile(rb"Traceback \(most recent call last\)|" + _TITLE + rb"\d+@\S+ \w+")
_WORDS = re.compile(rb"^(rest|busy)\s*$", re.MULTILINE)


class NotIdle(Exception):
    """The program did not come to rest within the limit."""


@dataclass
class Press:
    """One press of a button and what came of it."""

    button: str
    at_ms: float
    first_pixel_ms: float | None = None
    """Emulated milliseconds from the contact closing to the first pixel that changed."""


@dataclass
class Report:
    """What a session has measured; times are emulated milliseconds since power-on."""

    code_ms: float | None = None
    """When the console said that code.py runs; the console itself may have connected later."""
    first_picture_ms: float | None = None
    presses: list[Press] = field(default_factory=list)


class Session:
    """A Pico that is switched on, watched, and driven by commands of a script."""

    def __init__(self, board: pico.Pico, serial: Callable[[bytes], None] | None = None) -> None:
        self.board = board
        self.report = Report()
        self._listen = serial
        self._before = b""  # the picture when the last button was pressed
        self._watched: Press | None = None
        self._quiet_from = 0.0  # of panel, flash, console and buttons
        self._boot_at = 0  # where the output of this power-on starts
        board.panel.on_write = self._written
        board.on_serial = self._printed
        self._flashed = board.on_flash
        board.on_flash = self._flash

    def power_on(self) -> None:
        """Boot what is in flash."""
        self._boot_at = len(self.board.serial)
        self._quiet_from = 0.0
        self._watched = None
        self.report.code_ms = self.report.first_picture_ms = None
        self.board.power_on()

    def power(self) -> None:
        """Cut the power at this instant and boot again."""
        self.board.power_off()
        self.power_on()

    def press(self, button: str, ms: float = script.PRESS_MS) -> Press:
        """Press, hold for `ms`, release, and wait as long as `run` does before the next press."""
        press = Press(button, round(self.board.ms, 3))
        self.report.presses.append(press)
        self._before = self.board.panel.pixels()
        self._watched = press
        self._quiet_from = self.board.ms
        self.board.press(button)
        self.board.run(ms)
        self.board.release(button)
        self._quiet_from = self.board.ms
        self.board.run(script.GAP_MS)
        return press

    def idle(self, limit: float = IDLE_LIMIT_MS) -> None:
        """Until the program waits for a button and the panel has been quiet for 200 ms."""
        if not self.board.run_until(self._is_idle, limit, _LOOK_MS):
            raise NotIdle(f"the program was still busy after {limit / 1000:g} emulated seconds")

    def output(self) -> bytes:
        """What the board has printed since it was switched on."""
        return bytes(self.board.serial[self._boot_at :])

    def ended(self) -> bool:
        """The program has come to its end, well or badly."""
        return _ENDED.search(self.output()) is not None

    def crashed(self) -> bool:
        """The program ended with an exception."""
        return _CRASHED.search(self.board.serial) is not None

    def milestones(self) -> list[dict[str, int | str]]:
        """What the program has said of its heap: name, used and free bytes, its own time in ms."""
        return [
            {"name": name.decode(), "used": int(used), "free": int(free), "ms": int(ms)}
            for name, used, free, ms in _MILESTONE.findall(bytes(self.board.serial))
        ]

    def as_json(self) -> dict[str, Any]:
        """The object of `emulate --json`."""
        heap = self.milestones()
        panel = self.board.panel
        return {
            "circuitpython": pico.version(self.board.flash),
            "code_ms": self.report.code_ms,
            "first_picture_ms": self.report.first_picture_ms,
            "heap_free": heap[-1]["free"] if heap else None,
            "heap_used": heap[-1]["used"] if heap else None,
            "milestones": heap,
            "panel_bytes": panel.wire_bytes,
            "panel_data_bytes": panel.data_bytes,
            "panel_unknown_commands": {f"0x{k:02x}": n for k, n in panel.unknown.items()},
            "presses": [vars(press) for press in self.report.presses],
            "crashed": self.crashed(),
        }

    # -- watching -------------------------------------------------------------------------------

    def _is_idle(self) -> bool:
        output = self.output()
        if self.ended():
            return True
        words = _WORDS.findall(output.replace(b"\r", b""))
        quiet = self.board.ms - self._quiet_from
        if words:
            return bool(words[-1] == b"rest") and quiet >= QUIET_MS
        return self.board.panel.on and quiet >= _SILENT_MS

    def _written(self) -> None:
        now = self.board.ms
        self._quiet_from = now
        panel = self.board.panel
        report = self.report
        painted = panel.data_bytes >= WIDTH * HEIGHT // 8
        if report.first_picture_ms is None and painted and any(panel.pixels()):
            report.first_picture_ms = round(now, 3)
        if self._watched is not None and panel.pixels() != self._before:
            self._watched.first_pixel_ms = round(now - self._watched.at_ms, 3)
            self._watched = None

    def _printed(self, data: bytes) -> None:
        self._quiet_from = self.board.ms
        if self.report.code_ms is None and _STARTED.search(self.output()):
            self.report.code_ms = round(self.board.ms, 3)
        if self._listen is not None:
            self._listen(data)

    def _flash(self, write: pico.FlashWrite) -> int | None:
        self._quiet_from = write.ms
        return self._flashed(write) if self._flashed is not None else None


# -- scripts ------------------------------------------------------------------------------------


def parse(lines: Iterable[str], file: str) -> list[script.Command]:
    """As script.parse, with the two commands for the panel's cable besides."""
    extra, rest = [], []
    for number, line in enumerate(lines, 1):
        word = line.partition("#")[0].strip()
        if word in _EXTRA:
            extra.append(script.Command(number, word))
        rest.append("" if word in _EXTRA else line)
    return sorted([*extra, *script.parse(rest, file)], key=lambda command: command.line)


def perform(
    session: Session, commands: Iterable[script.Command], shot: Callable[[script.Command], None]
) -> None:
    """Switch on and do what the script says; `shot` is called for each picture to be taken."""
    session.power_on()
    for command in commands:
        if command.verb == "press":
            session.press(command.name, command.ms)
        elif command.verb == "wait":
            session.board.run(command.ms)
        elif command.verb == "idle":
            session.idle()
        elif command.verb == "shot":
            shot(command)
        elif command.verb == "text":
            click.echo("\n".join(session.board.panel.text()))
        elif command.verb == "power":
            session.power()
        else:
            session.board.plug(command.verb == "plug")


def simulated(
    files: Mapping[str, bytes], commands: Iterable[script.Command], seed: int
) -> dict[str, bytes]:
    """The pictures that the simulated board shows at each `shot`: name -> 128 * 64 pixels. NotIdle, with what
    the program said last, if it does not come to rest."""
    from host_sim import machine as run  # loads Blinka, which only --compare needs

    frames = {}
    with tempfile.TemporaryDirectory() as folder:
        drive.write(Path(folder), files)
        try:
            with run.Machine(folder, seed=seed) as machine:
                for command in commands:
                    if command.verb == "press":
                        machine.press(command.name, command.ms)
                    elif command.verb == "wait":
                        machine.run(command.ms)
                    elif command.verb == "idle":
                        machine.idle()
                    elif command.verb == "shot":
                        frames[command.name] = machine.pixels()
                    elif command.verb == "power":
                        machine.power()
        except run.NotIdle as error:
            raise NotIdle(f"{error} in run, where it said: {machine.printed()}") from None
        except run.FirmwareError as error:
            last = str(error).rstrip().splitlines()[-1]
            raise NotIdle(f"the program ended in run: {last}") from None
    return frames


def difference(board: bytes, run: bytes) -> str:
    """Where two pictures differ, in words; "" if they do not."""
    where = [at for at, (a, b) in enumerate(zip(board, run, strict=True)) if a != b]
    if not where:
        return ""
    x, y = [at % WIDTH for at in where], [at // WIDTH for at in where]
    return (
        f"{len(where)} pixels differ, columns {min(x)} to {max(x)}, rows {min(y)} to {max(y)};"
        f" first x={where[0] % WIDTH}, y={where[0] // WIDTH}:"
        f" {board[where[0]]} on the board, {run[where[0]]} in run"
    )


def picture(pixels: bytes, scale: int = 4) -> Image.Image:
    """128 * 64 pixels of 0 or 1 as a picture."""
    image = Image.frombytes("L", (WIDTH, HEIGHT), bytes(255 * p for p in pixels))
    return image.resize((WIDTH * scale, HEIGHT * scale), Image.Resampling.NEAREST)


def three(board: bytes, run: bytes) -> Image.Image:
    """Board, run, and only the pixels that differ, one below the other."""
    parts = (board, run, bytes(a ^ b for a, b in zip(board, run, strict=True)))
    whole = Image.new("L", (WIDTH * 4, (HEIGHT * 4 + 8) * 3 - 8), 96)
    for number, part in enumerate(parts):
        whole.paste(picture(part), (0, number * (HEIGHT * 4 + 8)))
    return whole


# -- command ------------------------------------------------------------------------------------


def _plain(message: str, status: int) -> SystemExit:
    click.echo(message, err=True)
    return SystemExit(status)


def _settings(changes: tuple[str, ...], bus: str, seed: int | None) -> dict[str, int | str]:
    """Lines for settings.toml; whole numbers go in without quotes."""
    settings: dict[str, int | str] = {"HANDHELD_REPORT": 1}
    if seed is not None:
        settings["HANDHELD_SEED"] = seed
    if bus == "spi":
        settings.update({f"HANDHELD_{name}": value for name, value in _SPI.items()})
    for change in changes:
        name, equals, value = change.partition("=")
        if not equals or not name.isidentifier():
            raise _plain(f"--set {change}: write NAME=VALUE", 2)
        settings[name] = int(value) if re.fullmatch(r"-?\d+", value) else value
    return settings


@click.command()
@click.option("--firmware", metavar="UF2", envvar=FIRMWARE, help=f"CircuitPython; or {FIRMWARE}.")
@click.option("--keys", metavar="FILE", help="A script as for run; unplug and plug move the cable.")
@click.option("--shots", metavar="DIR", type=click.Path(file_okay=False), help="For `shot`.")
@click.option("--mpy-cross", metavar="PROGRAM", help="CircuitPython's own; compiles everything.")
@click.option("--seed", type=click.IntRange(0, (1 << 30) - 1), help="Fixes every random choice.")
@click.option("--bus", type=click.Choice(["i2c", "spi"]), default="i2c", show_default=True)
@click.option("--set", "changes", metavar="NAME=VALUE", multiple=True, help="For settings.toml.")
@click.option("--compare", is_flag=True, help="The pictures have to be those of run.")
@click.option("--json", "want_json", is_flag=True, help="End with one object: times, heap, bytes.")
def command(
    firmware: str | None,
    keys: str | None,
    shots: str | None,
    mpy_cross: str | None,
    seed: int | None,
    bus: str,
    changes: tuple[str, ...],
    compare: bool,
    want_json: bool,
) -> None:
    """Boot a CircuitPython image on an emulated Pico with the reference wiring, and press buttons.

    What the board prints goes to standard error. Without a script it boots until the program waits
    for a button. About half a minute of computing goes into the boot, and 5 to 20 s into each
    emulated second after it.
    """
    try:
        commands = [script.Command(0, "idle")] if keys is None else script.read(keys, parse)
    except script.ScriptError as error:
        raise _plain(str(error), 2) from None
    pictures = [line for line in commands if line.verb == "shot"]
    if pictures and shots is None and not compare:
        raise _plain(f"{keys}, line {pictures[0].line}: shot needs --shots DIR", 2)
    if compare and not pictures:
        raise _plain("--compare needs a script with at least one shot", 2)
    if compare and any(line.verb in _EXTRA for line in commands):
        raise _plain("--compare: run knows no unplug and plug", 2)
    settings = _settings(changes, bus, 0 if compare and seed is None else seed)
    frames: dict[str, bytes] = {}
    differing: list[str] = []

    def shot(line: script.Command) -> None:
        seen = session.board.panel.pixels()
        if shots is not None:
            picture(seen).save(Path(shots) / f"{line.name}.png")
        if compare:
            found = difference(seen, frames[line.name])
            click.echo(f"{line.name}: {found or 'same'}", err=want_json)
            if found:
                differing.append(line.name)
                if shots is not None:
                    three(seen, frames[line.name]).save(Path(shots) / f"{line.name}-differs.png")
                if len(differing) == 1:
                    click.echo("\n".join(session.board.panel.text()), err=True)

    try:
        if shots is not None:
            Path(shots).mkdir(parents=True, exist_ok=True)
        files = drive.with_settings(drive.contents(mpy_cross=mpy_cross), settings)
        board = pico.Pico(
            Path(firmware) if firmware else None,
            files,
            panel=Panel(),
            wiring=pico.Wiring(bus=bus),
        )
        if compare:
            own = drive.with_settings(drive.own(drive.REPOSITORY), settings)
            frames = simulated(own, commands, seed or 0)
        stderr = sys.stderr.buffer

        def serial(data: bytes) -> None:
            stderr.write(data.replace(b"\r\n", b"\n"))
            stderr.flush()

        session = Session(board, serial)
        perform(session, commands, shot)
    except (drive.DriveError, fat.FatError, pico.FirmwareError) as error:
        raise _plain(str(error), 2) from None
    except NotIdle as error:
        raise _plain(f"{keys or 'boot'}: idle: {error}", 1) from None
    except OSError as error:
        raise _plain(f"{error.filename or ''}: {error.strerror or error}".lstrip(": "), 2) from None
    except KeyboardInterrupt:
        raise _plain("Stopped.", 130) from None
    if want_json:
        result = session.as_json()
        if compare:
            result["compared"] = len(pictures)
            result["differing"] = differing
        click.echo(json.dumps(result))
    if session.crashed():
        raise _plain("The program ended with an exception.", 3)
    if differing:
        raise _plain(f"First difference: {differing[0]}. {len(differing)} of {len(pictures)}.", 1)


def default_firmware() -> Path | None:
    """The image that PITCH_FIRMWARE names, for tests."""
    name = os.environ.get(FIRMWARE)
    return Path(name) if name else None
