"""`python -m host_sim play`, also without the word: a window, or this terminal where there is none."""

from __future__ import annotations

import os
import secrets
import sys
from pathlib import Path

import click

from host_sim import terminal, window
from host_sim.chip.profiles import PLAYABLE
from host_sim.machine import REPOSITORY, FirmwareError, Machine
from host_sim.run import plain
from host_sim.savefile import SaveFile, StoreError


def default_store(profile: str) -> Path:
    """Where a player's memory is kept: the folder for state of the user, by board."""
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home())
    else:
        base = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state")
    return base / "pitch" / f"{profile}.nvm"


@click.command()
@click.option("--window", "where", flag_value="window", help="In a window, or not at all.")
@click.option("--terminal", "where", flag_value="terminal", help="In this terminal.")
@click.option(
    "--seed", type=int, help="Fixes every random choice; else it is a new game each time."
)
@click.option(
    "--store", metavar="FILE", help="Keeps the board's memory there, not in the usual place."
)
@click.option(
    "--profile", type=click.Choice(PLAYABLE), default="pico", show_default=True, help="Board."
)
@click.option("--scale", default=4, show_default=True, help="Size of the window, 2 to 12.")
@click.option("--mute", is_flag=True, help="No sound from the window.")
@click.option("--root", default=str(REPOSITORY), hidden=True, help="Another program than this one.")
def command(
    where: str | None,
    seed: int | None,
    store: str | None,
    profile: str,
    scale: int,
    mute: bool,
    root: str,
) -> None:
    """Play on the PC, in a window or, where there is none, in this terminal.

    What you play is kept as on the board: close it at any time and go on later.
    """
    try:
        if where != "terminal" and (where == "window" or window.available()):
            kept = SaveFile(store or default_store(profile))
            try:
                with _machine(root, profile, seed, kept) as machine:
                    window.play(machine, scale, mute)
                    return
            except window.WindowError:
                if where == "window":
                    raise
            finally:
                kept.close()
        _in_terminal(root, profile, seed, store or default_store(profile))
    except (StoreError, window.WindowError, terminal.TerminalError) as error:
        raise plain(str(error), 1) from None
    except FirmwareError as error:
        raise plain(str(error).rstrip("\n"), 3) from None
    except KeyboardInterrupt:
        raise SystemExit(130) from None


def _in_terminal(root: str, profile: str, seed: int | None, store: str | Path) -> None:
    try:
        terminal.check()
    except terminal.TerminalError:
        if not window.available() and not (sys.stdin.isatty() and sys.stdout.isatty()):
            raise terminal.TerminalError(
                "Neither a display for a window nor a terminal; `run --keys FILE` plays from a script."
            ) from None
        raise
    kept = SaveFile(store)
    try:
        with _machine(root, profile, seed, kept) as machine:
            terminal.play(machine)
    finally:
        kept.close()


class _Closing:
    """A machine that is not switched on yet, and is off afterwards."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine

    def __enter__(self) -> Machine:
        return self.machine

    def __exit__(self, *_: object) -> None:
        self.machine.close()


def _machine(root: str, profile: str, seed: int | None, kept: SaveFile) -> _Closing:
    return _Closing(
        Machine(
            root,
            profile=profile,
            seed=secrets.randbits(32) if seed is None else seed,
            nvm=kept.data,
            saved=kept.saved,
            changes=kept.drive,
        )
    )
