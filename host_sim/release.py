"""`python -m host_sim release`: the zip that people without this repository put on their board."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path

import click

from host_sim import drive

CHECKSUMS = "SHA256SUMS"
INSTALL = "INSTALL.txt"
_TIME = (2026, 1, 1, 0, 0, 0)
"""In every entry, so that the same program gives the same zip, byte for byte."""

_TEXT = """\
PITCH {version} - a card game console for your pocket

You need a Raspberry Pi Pico with CircuitPython 9 or 10, an SH1106 OLED and four
buttons, wired as README.md of the project shows, or an Adafruit MacroPad RP2040.

1. CircuitPython, if the board does not have it yet
   Get the .uf2 for your board from circuitpython.org/downloads. Hold BOOTSEL while
   you plug the board in: a drive RPI-RP2 appears. Drag the .uf2 onto it. After a few
   seconds the drive CIRCUITPY appears instead.

2. The game
   {folders}
   Open that folder and drag all that is in it onto CIRCUITPY, code.py last. Say yes
   when asked whether to replace files. A settings.toml with your own changes: keep
   yours.
   If an older version with files of the other kind (.py or .mpy) is on the drive,
   remove its folders pitch and lib/handheld first: of two files of one name
   CircuitPython takes the .py.

3. Eject the drive, then press reset or unplug the board and plug it in again.
   The title appears after about three seconds.

The screen stays dark? Open the board's serial console (any terminal program,
115200 baud): the program says there in one line what it misses, and the board's
light blinks. Mostly it is a swapped SDA and SCL wire.

{sums} has the checksum of every file, for `sha256sum -c {sums}`.
"""


def bundle(variants: Mapping[str, Mapping[str, bytes]], version: str) -> dict[str, bytes]:
    """Path in the zip -> contents: a folder per variant ("py", "mpy"), text and checksums."""
    top = f"pitch-{version}"
    names = {
        "py": 'Folder "py": readable, for any CircuitPython 9 or 10.',
        "mpy": 'Folder "mpy": compiled, starts quicker and leaves more memory. Take this one.',
    }
    text = _TEXT.format(
        version=version,
        sums=CHECKSUMS,
        folders="\n   ".join(names[kind] for kind in reversed(list(variants))),
    )
    files = {f"{top}/{INSTALL}": text.encode()}
    for kind, content in variants.items():
        files.update({f"{top}/{kind}/{name}": data for name, data in content.items()})
    sums = [
        f"{drive.digest(data)}  {name.removeprefix(top + '/')}\n" for name, data in files.items()
    ]
    files[f"{top}/{CHECKSUMS}"] = "".join(sums).encode()
    return files


def write_zip(path: Path, files: Mapping[str, bytes]) -> None:
    """The zip in one piece: whoever looks finds no half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".part")
    try:
        with zipfile.ZipFile(unfinished, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in files.items():
                entry = zipfile.ZipInfo(name, _TIME)
                entry.external_attr = 0o644 << 16
                entry.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(entry, data)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


@click.command()
@click.option("--out", default="dist", show_default=True, help="Folder for the zip.")
@click.option("--mpy-cross", metavar="PROGRAM", help="CircuitPython's own; adds the .mpy files.")
def command(out: str, mpy_cross: str | None) -> None:
    """Make the zip to install by drag and drop: .py, and .mpy when a compiler is given.

    With checksums and a text on how to install it.
    """
    version = drive.version()
    path = Path(out) / f"pitch-{version}.zip"
    try:
        variants = {"py": drive.contents()}
        if mpy_cross:
            variants["mpy"] = drive.contents(mpy_cross=mpy_cross)
        files = bundle(variants, version)
        write_zip(path, files)
    except drive.DriveError as error:
        click.echo(str(error), err=True)
        raise SystemExit(2) from None
    except OSError as error:
        click.echo(f"{error.filename or path}: {error.strerror}", err=True)
        raise SystemExit(2) from None
    size = path.stat().st_size
    click.echo(f"{path}: {len(files)} files, {-(-size // 1024)} KB, {' and '.join(variants)}")
    click.echo(f"{drive.digest(path.read_bytes())}  {path.name}")
