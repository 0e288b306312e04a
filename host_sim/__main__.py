"""`python -m host_sim`: finds a command's module only when that command is asked for."""

from __future__ import annotations

import importlib

import click

# name -> module with a click command called `command`, and the line shown by --help
COMMANDS = {
    "play": ("host_sim.play", "Play in a window or, without one, in this terminal."),
    "run": ("host_sim.run", "Press buttons from a script; write pictures."),
    "replay": ("host_sim.replay", "Replay records; print one JSON object a record."),
    "bench": ("host_sim.bench", "Speed of the rules core on this PC."),
    "memory": ("host_sim.memory", "Heap of the program on a real MicroPython."),
    "drive": ("host_sim.drive", "Write what goes on a board's CIRCUITPY drive."),
    "flash": ("host_sim.flash", "Put the program on a mounted board."),
    "release": ("host_sim.release", "Write a zip with the drive, to install by drag and drop."),
    "emulate": ("host_sim.emulate", "Run real firmware on an emulated Pico."),
}


class LazyGroup(click.Group):
    """A group whose commands are imported on use, so that `replay` never loads a picture library."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(COMMANDS[cmd_name][0]).command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])


@click.group(cls=LazyGroup, invoke_without_command=True)
@click.pass_context
def main(ctx: click.Context) -> None:
    """Pitch on the PC: the same program as on the board, on a simulated chip."""
    if ctx.invoked_subcommand is None:
        command = main.get_command(ctx, "play")
        assert command is not None
        ctx.invoke(command)


if __name__ == "__main__":
    main(prog_name="python -m host_sim")
