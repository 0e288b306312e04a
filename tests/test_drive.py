"""`drive` and `release`: the exact files a board gets, and what is refused (record.md, `drive`)."""

from __future__ import annotations

import errno
import hashlib
import json
import shlex
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from host_sim import drive, release

ROOT = Path(__file__).resolve().parent.parent


def listed(folder: Path) -> set[str]:
    return {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}


def run(*args: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(drive.command, list(args))
    return result.exit_code, result.stdout, result.stderr


@pytest.fixture
def compiler(tmp_path: Path):
    """A stand-in for mpy-cross that writes these first bytes and the module's name."""

    def make(magic: bytes, status: int = 0, stderr: str = "") -> str:
        path = tmp_path / "mpy-cross"
        octal = "".join(f"\\{byte:03o}" for byte in magic)
        path.write_text(
            "#!/bin/sh\n"  # called with -o OUT -s NAME SOURCE
            f"printf '%b' {shlex.quote(stderr)} >&2\n"
            f"[ {status} = 0 ] || exit {status}\n"
            f'printf \'{octal}%s\' "$5" > "$3"\n'
        )
        path.chmod(0o755)
        return str(path)

    return make


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A tiny program with the project's layout."""
    root = tmp_path / "program"
    for name, text in {
        "code.py": "import pitch.app\n",
        "boot.py": "",
        "settings.toml": "# nothing\n",
        "pitch/__init__.py": "",
        "pitch/app/__init__.py": "from handheld import screen\n",
        "pitch/app/texts.py": 'VERSION = b"2.5"\n',
        "pitch/__pycache__/app.cpython-311.pyc": "no",
        "pitch/.hidden": "no",
        "lib/handheld/__init__.py": "",
        "lib/handheld/screen.py": "from adafruit_display_text import bitmap_label\n",
        "tests/test_x.py": "",
        "README.md": "",
    }.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def test_the_repository_s_drive_holds_the_program_and_its_libraries(tmp_path: Path) -> None:
    status, out, err = run(str(tmp_path / "d"))
    assert (status, err) == (0, "") and "files" in out
    names = listed(tmp_path / "d")
    own = {
        p.relative_to(ROOT).as_posix()
        for folder in ("pitch", "lib")
        for p in (ROOT / folder).rglob("*.py")
    }
    assert own | {"code.py", "boot.py", "settings.toml", "manifest.json"} <= names
    others = names - own - {"code.py", "boot.py", "settings.toml", "manifest.json"}
    assert "lib/adafruit_displayio_sh1106.py" in others
    assert all(name.startswith("lib/adafruit_") for name in others)
    for name in own:
        assert (tmp_path / "d" / name).read_bytes() == (ROOT / name).read_bytes()


def test_exactly_the_files_that_the_layout_names(program: Path) -> None:
    files = drive.contents(program)
    assert set(files) == {
        "code.py",
        "boot.py",
        "settings.toml",
        "manifest.json",
        "pitch/__init__.py",
        "pitch/app/__init__.py",
        "pitch/app/texts.py",
        "lib/handheld/__init__.py",
        "lib/handheld/screen.py",
        "lib/adafruit_display_text/__init__.py",
        "lib/adafruit_display_text/bitmap_label.py",
        "lib/adafruit_ticks.py",  # bitmap_label 5 scrolls and needs it; pip hides the omission
    }
    assert list(files)[-1] == "code.py" and list(files)[0].startswith("lib/adafruit_")


def test_manifest_has_size_and_checksum_of_every_other_file(program: Path) -> None:
    files = drive.contents(program)
    table = json.loads(files["manifest.json"])
    assert table["version"] == "2.5"
    assert set(table["files"]) == set(files) - {"manifest.json"}
    for name, entry in table["files"].items():
        assert entry["size"] == len(files[name])
        assert entry["sha256"] == hashlib.sha256(files[name]).hexdigest()


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import adafruit_a\n", ["adafruit_a"]),
        ("def f():\n    from adafruit_a.b import c\n", ["adafruit_a.b.c"]),
        ("from . import sheet\n", ["handheld.sheet"]),
        ("from .sheet import *\n", ["handheld.sheet.*"]),
        # A board has no `typing`: the rest of such a `try` is for type checkers.
        (
            "try:\n    from typing import Any\n    import adafruit_t\nexcept ImportError:\n    pass\n"
            "import adafruit_a\n",
            ["adafruit_a"],
        ),
        (
            "if TYPE_CHECKING:\n    import adafruit_t\nelse:\n    import adafruit_e\n",
            ["adafruit_e"],
        ),
        ("try:\n    import a\nexcept ImportError:\n    import adafruit_b\n", ["a", "adafruit_b"]),
    ],
)
def test_imports_as_a_board_sees_them(source: str, expected: list[str]) -> None:
    assert drive.imports(source.encode(), "lib/handheld/x.py") == expected


def test_a_library_that_is_not_installed_is_named(program: Path) -> None:
    (program / "pitch/app/__init__.py").write_text("import adafruit_no_such_thing\n")
    with pytest.raises(drive.DriveError) as error:
        drive.contents(program)
    assert str(error.value) == (
        "pitch/app/__init__.py imports adafruit_no_such_thing, which is not installed:"
        " pip install adafruit-circuitpython-no-such-thing"
    )


def test_compiled_drive_has_no_source_beside_its_compiled_file(program: Path, compiler) -> None:
    files = drive.contents(program, compiler(b"C\x06\x00\x1f"))
    sources = {name for name in files if name.endswith(".py")}
    assert sources == {"code.py", "boot.py"}
    assert files["pitch/app/__init__.mpy"] == b"C\x06\x00\x1fapp"
    assert "lib/adafruit_ticks.mpy" in files and "lib/handheld/screen.mpy" in files


@pytest.mark.parametrize(
    ("names", "objects", "holds"),
    [
        (39, 0, True),
        (40, 0, True),
        (38, 0, False),
        (41, 0, False),
        (40, 1, False),
        (8, 0, True),
        (168, 0, True),
    ],
)
def test_a_module_that_would_hold_its_neighbour_gets_a_constant(
    program: Path, compiler, names: int, objects: int, holds: bool
) -> None:
    """A board never freed 7 KB of a library that lay behind `score`: 39 names, two bytes each, no object."""
    count = bytes([0x80 | names >> 7, names & 0x7F]) if names > 127 else bytes([names])
    code = b"C\x06\x00\x1f" + count + bytes([objects, 0, 0])
    assert drive.holds_neighbour(code) == holds
    (program / "pitch/app/__init__.py").write_text("x = 1")
    path = Path(compiler(code))
    with path.open("a") as script:
        script.write('cat "$6" >> "$3"\n')
    compiled = drive.contents(program, str(path))["pitch/app/__init__.mpy"]
    assert compiled.endswith(b'x = 1\n_ = b"."\n' if holds else b"x = 1")


@pytest.mark.parametrize(
    ("magic", "words"),
    [
        (b"M\x06\x00\x1f", "is MicroPython's compiler"),
        (b"C\x05\x02\x1f", "writes version 5;"),
        (b"", "writes no .mpy at all;"),
        (b"\x7fELF", "writes no .mpy at all;"),
    ],
)
def test_another_compiler_is_refused_in_one_line(
    tmp_path: Path, compiler, magic: bytes, words: str
) -> None:
    status, out, err = run(str(tmp_path / "d"), "--mpy-cross", compiler(magic))
    assert status == 2 and out == ""
    assert words in err and err.count("\n") == 1
    assert not (tmp_path / "d").exists()


def test_a_compiler_s_own_error_names_file_and_line(tmp_path: Path, compiler) -> None:
    program = compiler(b"", 1, 'Traceback:\n  File "x", line 7, in <module>\nSyntaxError: no\n')
    status, _, err = run(str(tmp_path / "d"), "--mpy-cross", program)
    assert status == 2 and err.endswith(", line 7: SyntaxError: no\n") and err.count("\n") == 1


def test_no_compiler_at_all(tmp_path: Path) -> None:
    status, _, err = run(str(tmp_path / "d"), "--mpy-cross", str(tmp_path / "nothing"))
    assert status == 2 and err.count("\n") == 1 and "does not run" in err


def test_a_second_run_leaves_only_the_new_drive(program: Path, compiler, tmp_path: Path) -> None:
    target = tmp_path / "d"
    (program / "pitch/old.py").write_text("")
    drive.write(target, drive.contents(program))
    (program / "pitch/old.py").rename(program / "pitch/table.py")
    files = drive.contents(program, compiler(b"C\x06"))
    drive.write(target, files)
    assert listed(target) == set(files)
    assert not (target / "pitch/old.py").exists() and not (target / "pitch/table.py").exists()


@pytest.mark.parametrize("name", ["holiday.jpg", "pitch/mine.py", "boot_out.txt"])
def test_a_folder_with_other_things_in_it_is_refused(
    program: Path, tmp_path: Path, name: str
) -> None:
    target = tmp_path / "d"
    (target / name).parent.mkdir(parents=True)
    (target / name).write_text("mine")
    with pytest.raises(drive.DriveError):
        drive.write(target, drive.contents(program))
    assert listed(target) == {name}


def test_nothing_is_written_through_a_link(program: Path, tmp_path: Path) -> None:
    files = drive.contents(program)
    for name in ("pitch", "code.py"):
        outside, target = tmp_path / f"outside {name}", tmp_path / f"d {name}"
        drive.write(target, files)
        outside.mkdir()
        for path in [*(target / "pitch").rglob("*"), target / "code.py"]:
            if path.is_file() and (name == "pitch" or path.name == name):
                path.unlink()
        if name == "pitch":
            shutil.rmtree(target / name)
        (target / name).symlink_to(outside)
        with pytest.raises(drive.DriveError, match=f"holds {name}, which no drive written here"):
            drive.write(target, files)
        assert not list(outside.iterdir())


def test_what_is_in_the_way_is_told_before_anything_is_written(
    program: Path, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(drive.DriveError, match="is a file; give an empty or a new folder"):
        drive.write(tmp_path / "file", drive.contents(program))
    (tmp_path / "d" / "code.py").mkdir(parents=True)
    with pytest.raises(drive.DriveError, match="holds code.py, which no drive written here has"):
        drive.write(tmp_path / "d", drive.contents(program))
    assert list((tmp_path / "d").rglob("*")) == [tmp_path / "d" / "code.py"]


def test_a_run_that_was_cut_short_can_be_repeated(
    program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files, written = drive.contents(program), Path.write_bytes
    (program / "pitch/old.py").write_text("")
    before = drive.contents(program)
    for cut in range(len(files)):
        target, left = tmp_path / f"d{cut}", [cut]

        def scarce(path: Path, data: bytes, left: list[int] = left) -> int:
            left[0] -= 1
            if left[0] < 0:
                written(path, data[: len(data) // 2])
                raise OSError(errno.ENOSPC, "No space left on device", str(path))
            return written(path, data)

        drive.write(target, before)
        with monkeypatch.context() as full:
            full.setattr(Path, "write_bytes", scarce)
            with pytest.raises(OSError):
                drive.write(target, files)
        drive.write(target, files)
        assert listed(target) == set(files)


def test_a_manifest_reaches_nothing_outside_its_folder(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    names = ["../x", "/etc/x", "a/../../x", "C:x", "a\\x", "", "good/x.py", "..x.py", "x" * 256]
    table = {name: {"size": 1, "sha256": "00"} for name in names}
    text = json.dumps({"program": "pitch", "version": "1", "files": table})
    (tmp_path / "d" / "manifest.json").write_text(text)
    assert set(drive.read_manifest(tmp_path / "d")) == {"good/x.py", "..x.py"}


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"program": "pitch", "files": 3}', "\x00\xff", "[" * 100_000]
)
def test_a_broken_manifest_is_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "manifest.json").write_text(text)
    assert drive.read_manifest(tmp_path) == {}


def test_settings_are_replaced_by_name(program: Path) -> None:
    (program / "settings.toml").write_text('A = 1\nB = "x" # old\n')
    files = drive.with_settings(drive.contents(program), {"B": 5, "C": 'a"b'})
    assert files["settings.toml"] == b'A = 1\nB = 5\nC = "a\\"b"\n'


def test_as_a_command(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "host_sim", "drive", str(tmp_path / "d")],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0 and done.stderr == ""
    assert (tmp_path / "d" / "code.py").is_file()


def test_release_is_a_zip_of_both_kinds_with_checksums(tmp_path: Path, compiler) -> None:
    arguments = ["--out", str(tmp_path), "--mpy-cross", compiler(b"C\x06")]
    result = CliRunner().invoke(release.command, arguments)
    assert result.exit_code == 0, result.output
    (path,) = tmp_path.glob("*.zip")
    top = f"pitch-{drive.version()}"
    assert path.name == f"{top}.zip"
    with zipfile.ZipFile(path) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    inner = {name.removeprefix(f"{top}/"): data for name, data in files.items()}
    assert {f"py/{name}" for name in drive.contents()} <= set(inner)
    assert {"py/code.py", "mpy/code.py", "mpy/pitch/hand.mpy"} <= set(inner)
    assert not any(n.startswith("mpy/pitch/") and n.endswith(".py") for n in inner)
    lines = inner.pop("SHA256SUMS").decode().splitlines()
    sums = {line[66:]: line[:64] for line in lines}
    assert sums == {name: hashlib.sha256(data).hexdigest() for name, data in inner.items()}
    text = inner["INSTALL.txt"].decode()
    assert '"mpy"' in text and "BOOTSEL" in text and "CIRCUITPY" in text
    assert not list(tmp_path.glob("*.part"))


def test_release_of_the_same_program_is_the_same_zip(tmp_path: Path) -> None:
    made = []
    for name in "ab":
        files = release.bundle({"py": {"code.py": b"x"}}, "1")
        release.write_zip(tmp_path / f"{name}.zip", files)
        made.append((tmp_path / f"{name}.zip").read_bytes())
    assert made[0] == made[1] and b"mpy" not in files["pitch-1/INSTALL.txt"].split(b"2. The")[0]


def test_a_release_that_does_not_fit_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(zipfile.ZipFile, "writestr", full)
    result = CliRunner().invoke(release.command, ["--out", str(tmp_path / "out")])
    assert result.exit_code == 2 and "No space left on device" in result.output
    assert not list((tmp_path / "out").iterdir())
