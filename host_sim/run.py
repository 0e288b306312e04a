"""`python -m host_sim run`: presses buttons from a script on the simulated board, without a window."""

from __future__ import annotations

import errno
import shutil
import tempfile
from pathlib import Path

import click

from host_sim import script
from host_sim.chip.profiles import PLAYABLE
from host_sim.machine import BOOT_MS, REPOSITORY, FirmwareError, Machine, NotIdle
from host_sim.recording import Recorder
from host_sim.savefile import SaveFile, StoreError


def plain(message: str, status: int) -> SystemExit:
    """One line on stderr and the exit status to raise."""
    click.echo(message, err=True)
    return SystemExit(status)


class Film:
    """Everything that the panel shows in a run, looked at 50 times a simulated second."""

    _EVERY_US = 20_000
    _SETTLED_US = 3_000  # never a picture of which half is sent

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.before = 0.0  # milliseconds in earlier runs of the board
        machine.run(BOOT_MS)
        self.recorder = Recorder(machine.panel, self.time())
        self._look()

    def time(self) -> float:
        """Milliseconds since the first power-on."""
        return self.before + self.machine.now_ms

    def _look(self) -> None:
        chip = self.machine.chip
        if chip.now - self.machine.panel_at >= self._SETTLED_US:
            self.recorder.look(self.time())
        chip.at(chip.now + self._EVERY_US, self._look)

    def power(self) -> None:
        """Cut the power and go on filming."""
        self.before = self.time()
        self.machine.power()
        self.before -= BOOT_MS
        self.machine.run(BOOT_MS)
        self._look()


def perform(
    machine: Machine, commands: list[script.Command], shots: Path | None, gif: str | None = None
) -> None:
    """Do what the script says on a board that is switched on here."""
    machine.boot()
    film = None if gif is None else Film(machine)
    for command in commands:
        if command.verb == "press":
            machine.press(command.name, command.ms)
        elif command.verb == "wait":
            machine.run(command.ms)
        elif command.verb == "idle":
            machine.idle()
        elif command.verb == "shot":
            assert shots is not None
            machine.shot(shots / f"{command.name}.png")
        elif command.verb == "text":
            # As bytes: a console that is not UTF-8 has no half blocks.
            click.echo(f"{machine.text()}\n".encode(), nl=False)
        elif film is not None:
            film.power()
        else:
            machine.power()
    if film is not None and gif is not None:
        try:
            film.recorder.save(gif, end_ms=film.time())
        except OSError as error:
            raise plain(f"{gif}: cannot be written: {error.strerror}", 2) from None


@click.command()
@click.option("--keys", required=True, metavar="FILE", help="The script; - reads standard input.")
@click.option("--shots", metavar="DIR", type=click.Path(file_okay=False), help="For `shot`.")
@click.option("--seed", default=0, show_default=True, help="Fixes every random choice.")
@click.option("--store", metavar="FILE", help="Keeps the non-volatile memory in this file.")
@click.option(
    "--profile", type=click.Choice(PLAYABLE), default="pico", show_default=True, help="Board."
)
@click.option("--gif", metavar="FILE", help="All that the panel shows, as an animated GIF.")
@click.option("--root", default=str(REPOSITORY), hidden=True, help="Another program than this one.")
def command(
    keys: str,
    shots: str | None,
    seed: int,
    store: str | None,
    profile: str,
    gif: str | None,
    root: str,
) -> None:
    """Press buttons from a script on the simulated board; write pictures.

    One command a line: press NAME [MS] - wait MS - idle - shot NAME - text - power; # starts a
    comment. What the program prints goes to standard error.
    """
    try:
        commands = script.read(keys)
    except script.ScriptError as error:
        raise plain(str(error), 2) from None
    folder = None
    if any(line.verb == "shot" for line in commands):
        if shots is None:
            first = next(line for line in commands if line.verb == "shot")
            raise plain(f"{keys}, line {first.line}: shot needs --shots DIR", 2)
        folder = Path(shots)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise plain(f"{shots}: {error.strerror}", 2) from None
    if gif is not None and not Path(gif).absolute().parent.is_dir():
        raise plain(f"{gif}: there is no such folder", 2)
    try:
        kept = None if store is None else SaveFile(store)
    except StoreError as error:
        raise plain(str(error), 2) from None
    # What the program writes to its drive, if its boot.py makes that possible.
    changes = Path(tempfile.mkdtemp()) if kept is None else kept.drive
    machine = Machine(
        root,
        profile=profile,
        seed=seed,
        nvm=True if kept is None else kept.data,
        saved=None if kept is None else kept.saved,
        changes=changes,
        serial=lambda text: click.echo(text, nl=False, err=True),
    )
    try:
        perform(machine, commands, folder, gif)
    except FirmwareError as error:
        raise plain(str(error).rstrip("\n"), 3) from None
    except NotIdle as error:
        raise plain(f"{keys}: idle: {error}", 1) from None
    except OSError as error:
        if error.errno == errno.EPIPE:
            raise  # whoever read standard output has gone; click ends quietly
        raise plain(
            f"{error.filename or shots or gif or 'standard output'}: {error.strerror}", 2
        ) from None
    except KeyboardInterrupt:
        raise plain("Stopped.", 130) from None
    finally:
        machine.close()
        if kept is not None:
            kept.close()
        else:
            shutil.rmtree(changes, ignore_errors=True)
    if machine.crashes:
        raise plain(machine.crashes[-1].rstrip("\n"), 3)
