"""`flash` on a folder as a fake drive: order, power cuts at every step, and what it refuses.

The promise under test (record.md and README): whatever instant the board is unplugged at, a whole
program starts from it, the old one or the new one; and no file of the user's is lost.
"""

from __future__ import annotations

import errno
import os
import shutil
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from host_sim import drive, flash

BOOT_OUT = "Adafruit CircuitPython {} on 2026-03-12; Raspberry Pi Pico with rp2040\nBoard ID:x\n"


def files(version: str, **more: str) -> dict[str, bytes]:
    """A drive.contents() of a tiny program whose every module knows its version."""
    texts = {
        "lib/adafruit_x.py": f"V = {version!r}\n",
        "lib/handheld/__init__.py": "",
        "lib/handheld/screen.py": f"import adafruit_x\nV = {version!r}, adafruit_x.V\n",
        "pitch/__init__.py": "",
        "pitch/app.py": f"from handheld import screen\nV = {version!r}, *screen.V\n",
        "settings.toml": "# shipped\n",
        "boot.py": "",
        **more,
    }
    entry = b"from pitch import app\nRESULT = app.V\n"
    made = {name: text.encode() for name, text in texts.items()}
    manifest = drive.manifest({**made, "code.py": entry}, version)
    return {**made, "manifest.json": manifest, "code.py": entry}


def start(root: Path) -> object:
    """What a board that starts now would run: code.txt before code.py, /lib last on the path."""
    entry = next(n for n in ("code.txt", "code.py") if (root / n).exists())
    saved, modules, byte_code = sys.path[:], dict(sys.modules), sys.dont_write_bytecode
    sys.path[:] = [str(root), str(root / "lib"), *sys.path]
    sys.dont_write_bytecode = True
    for name in list(sys.modules):
        if name.partition(".")[0] in ("pitch", "handheld", "adafruit_x"):
            del sys.modules[name]
    scope: dict[str, object] = {"__name__": "__main__"}
    try:
        source = (root / entry).read_text().replace('"/next', f'"{root}/next')
        sys.path_importer_cache.clear()
        exec(compile(source, entry, "exec"), scope)
    finally:
        sys.path[:], sys.dont_write_bytecode = saved, byte_code
        sys.modules.clear()
        sys.modules.update(modules)
    return scope.get("RESULT")


OLD, NEW = ("1", "1", "1"), ("2", "2", "2")


class Unplugged(flash.Volume):
    """A drive that is gone at the n-th change; half of what was being written may be there."""

    def __init__(self, root: Path, at: int, torn: bool = True, code: int = errno.EIO) -> None:
        super().__init__(root)
        self.left, self.torn, self.code = at, torn, code
        self.steps = 0

    def _step(self) -> bool:
        self.steps += 1
        self.left -= 1
        return self.left < 0

    def _gone(self) -> None:
        self.left = 0
        raise OSError(self.code, os.strerror(self.code))

    def write(self, name: str, content: bytes) -> None:
        if self._step():
            if self.torn:
                super().write(name, content[: len(content) // 2])
            self._gone()
        super().write(name, content)

    def move(self, name: str, target: str) -> None:
        if self._step():
            self._gone()
        super().move(name, target)

    def remove(self, name: str) -> None:
        if self._step():
            self._gone()
        super().remove(name)


@pytest.fixture(autouse=True)
def no_waiting_for_the_disk(monkeypatch) -> None:
    """Some thousand fsync would take a minute; that each write has one is tested on its own."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


@pytest.fixture
def board(tmp_path: Path) -> Path:
    """A fresh board, as CircuitPython leaves it."""
    root = tmp_path / "CIRCUITPY"
    (root / "lib").mkdir(parents=True)
    (root / "boot_out.txt").write_text(BOOT_OUT.format("10.2.1"))
    (root / "code.py").write_text('print("Hello World!")\n')
    (root / "settings.toml").write_text("")
    return root


def tree(root: Path) -> dict[str, bytes]:
    return {p.relative_to(root).as_posix(): p.read_bytes() for p in root.rglob("*") if p.is_file()}


def install(root: Path, contents: dict[str, bytes]) -> list[str]:
    said: list[str] = []
    flash.install(flash.Volume(root), contents, said.append)
    return said


def test_a_fresh_board_gets_exactly_the_program(board: Path) -> None:
    new = files("1")
    assert install(board, new) == [
        f"Writing {len(new)} files, 2 KB; this may take a minute.",
        f"{len(new)} files written and read back.",
    ]
    assert tree(board) == {**new, "boot_out.txt": (board / "boot_out.txt").read_bytes()}
    assert start(board) == OLD


def test_the_same_version_again_writes_nothing(board: Path) -> None:
    install(board, files("1"))
    before = {p: p.stat().st_mtime_ns for p in board.rglob("*") if p.is_file()}
    assert install(board, files("1")) == ["The board already has this version."]
    assert before == {p: p.stat().st_mtime_ns for p in board.rglob("*") if p.is_file()}


def test_libraries_are_written_first_and_code_py_after_them(board: Path) -> None:
    order: list[str] = []

    class Watched(flash.Volume):
        def write(self, name: str, content: bytes) -> None:
            order.append(name)
            super().write(name, content)

        def move(self, name: str, target: str) -> None:
            order.append(target)
            super().move(name, target)

    flash.install(Watched(board), files("1"), lambda _: None)
    final = [name for name in order if not name.startswith("next/")]
    assert final == [
        "code.txt",
        "lib/adafruit_x.py",
        "lib/handheld/__init__.py",
        "lib/handheld/screen.py",
        "pitch/__init__.py",
        "pitch/app.py",
        "settings.toml",
        "boot.py",
        "code.py",
        "manifest.json",
    ]


def test_every_change_is_on_the_board_before_the_next(board: Path, monkeypatch) -> None:
    (board / "lib/mine.py").touch()
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda handle: synced.append(os.fstat(handle).st_ino))
    volume = flash.Volume(board)
    volume.write("a.txt", b"1")
    assert synced == [(board / "a.txt").stat().st_ino, board.stat().st_ino]
    volume.move("a.txt", "lib/a.txt")
    volume.remove("lib/a.txt")
    assert synced[2:] == [(board / "lib").stat().st_ino] * 2


def count_steps(board: Path, new: dict[str, bytes]) -> int:
    volume = Unplugged(board, 10_000)
    flash.install(volume, new, lambda _: None)
    return volume.steps


@pytest.mark.parametrize("torn", [True, False])
def test_unplugged_at_every_step_a_whole_program_starts(tmp_path: Path, torn: bool) -> None:
    old = files("1", **{"pitch/gone.py": "V = '1'\n", "pitch/card.py": "V = '1'\n"})
    new = files("2", **{"pitch/card.mpy": "compiled", "lib/more/__init__.py": ""})

    def fresh(name: str) -> Path:
        root = tmp_path / name
        root.mkdir()
        (root / "boot_out.txt").write_text(BOOT_OUT.format("10.2.1"))
        install(root, old)
        return root

    steps = count_steps(fresh("count"), new)
    assert steps > 2 * len(new)
    outcomes = set()
    for at in range(steps):
        root = fresh(f"cut{at}")
        with pytest.raises(flash.FlashError) as error:
            flash.install(Unplugged(root, at, torn), new, lambda _: None)
        assert "disappeared" in str(error.value) and "\n" not in str(error.value)
        runs = start(root)
        assert runs in (OLD, NEW), (at, runs)
        outcomes.add(runs)
        said_new = "The new program starts all the same" in str(error.value)
        assert said_new == (runs == NEW), (at, str(error.value))
        # Flashing again mends everything, whatever was left lying about.
        install(root, new)
        assert start(root) == NEW
        assert set(tree(root)) == {*new, "boot_out.txt"}, at
    assert outcomes == {OLD, NEW}


def test_unplugged_twice_in_a_row(tmp_path: Path) -> None:
    """The second flashing, which first finishes the first one, is cut too."""
    old, new, newer = files("1"), files("2"), files("3")
    for first in (13, 22):
        for at in range(0, 120, 7):
            root = tmp_path / f"{first}-{at}"
            root.mkdir()
            (root / "boot_out.txt").write_text(BOOT_OUT.format("9.0.0"))
            install(root, old)
            with pytest.raises(flash.FlashError):
                flash.install(Unplugged(root, first), new, lambda _: None)
            try:
                flash.install(Unplugged(root, at), newer, lambda _: None)
                break
            except flash.FlashError:
                assert start(root) in (OLD, NEW, ("3", "3", "3")), (first, at)
        else:
            pytest.fail("never came to an end")
        assert start(root) == ("3", "3", "3")


def test_an_older_version_s_files_go_and_the_user_s_stay(board: Path) -> None:
    install(board, files("1", **{"pitch/gone.py": "", "lib/old/__init__.py": ""}))
    for name in ("lib/mine.py", "pitch/notes.txt", "photo.jpg", "lib/old/mine.py"):
        (board / name).write_text("mine")
    new = files("2")
    install(board, new)
    assert set(tree(board)) == {
        *new,
        "boot_out.txt",
        "lib/mine.py",
        "pitch/notes.txt",
        "photo.jpg",
        "lib/old/mine.py",
    }


def test_sources_of_the_old_version_do_not_hide_compiled_files(board: Path) -> None:
    install(board, files("1"))
    new = files("2", **{"pitch/app.mpy": "compiled"})
    del new["pitch/app.py"]
    install(board, new)
    assert not (board / "pitch/app.py").exists()


def test_a_source_of_the_user_s_that_hides_a_compiled_file_is_named(board: Path) -> None:
    (board / "lib/adafruit_x.py").write_text("mine")
    new = files("2", **{"lib/adafruit_x.mpy": "compiled"})
    del new["lib/adafruit_x.py"]
    before = tree(board)
    with pytest.raises(flash.FlashError, match="lib/adafruit_x.py on the board would be taken"):
        install(board, new)
    assert tree(board) == before


def test_changed_settings_stay_through_every_version(board: Path) -> None:
    install(board, files("1"))
    (board / "settings.toml").write_text('HANDHELD_SDA = "GP8"\n')
    for version in ("2", "3"):
        new = files(version, **{"settings.toml": f"# shipped with {version}\n"})
        assert "settings.toml was changed on the board and stays as it is." in install(board, new)
        assert (board / "settings.toml").read_text() == 'HANDHELD_SDA = "GP8"\n'


def test_settings_that_nobody_changed_are_renewed(board: Path) -> None:
    install(board, files("1"))
    install(board, files("2", **{"settings.toml": "# shipped with 2\n"}))
    assert (board / "settings.toml").read_text() == "# shipped with 2\n"


def test_somebody_else_s_program_is_kept_under_another_name(board: Path) -> None:
    (board / "code.py").write_text("import my_robot\n")
    said = install(board, files("1"))
    assert "The board's own code.py is kept as code.py.bak." in said
    assert (board / "code.py.bak").read_text() == "import my_robot\n"
    assert start(board) == OLD


def test_what_is_changed_on_the_board_is_kept_and_no_backup_is_lost(board: Path) -> None:
    for version, text in (("1", "first"), ("2", "second"), ("3", "third")):
        (board / "code.py").write_text(text)
        install(board, files(version))
    (board / "manifest.json").write_text('{"mine": 1}')
    assert "The board's own manifest.json is kept as manifest.json.bak." in install(
        board, files("4")
    )
    kept = {name: (board / name).read_text() for name in tree(board) if ".bak" in name}
    assert kept == {
        "code.py.bak": "first",
        "code.py.bak2": "second",
        "code.py.bak3": "third",
        "manifest.json.bak": '{"mine": 1}',
    }


def test_somebody_else_s_program_outlives_a_flashing_cut_anywhere(tmp_path: Path) -> None:
    for at in range(60):
        root = tmp_path / f"cut{at}"
        root.mkdir()
        (root / "boot_out.txt").write_text(BOOT_OUT.format("10.2.1"))
        (root / "code.py").write_text("import my_robot\n")
        try:
            flash.install(Unplugged(root, at), files("1"), lambda _: None)
            done = True
        except flash.FlashError:
            done = False
            install(root, files("1"))
        assert start(root) == OLD
        assert set(tree(root)) == {*files("1"), "boot_out.txt", "code.py.bak"}, at
        assert (root / "code.py.bak").read_text() == "import my_robot\n"
        if done:
            break
    assert done and at > 20


@pytest.mark.parametrize("name", ["code.py", "boot.py"])
@pytest.mark.parametrize("second", ["2", "3"])
def test_what_was_changed_outlives_the_same_version_cut_anywhere(
    tmp_path: Path, name: str, second: str
) -> None:
    for at in range(80):
        root = tmp_path / f"cut{at}"
        root.mkdir()
        (root / "boot_out.txt").write_text(BOOT_OUT.format("10.2.1"))
        install(root, files("2"))
        (root / name).write_text("import my_robot\n")
        try:
            flash.install(Unplugged(root, at), files("2"), lambda _: None)
            done = True
        except flash.FlashError:
            done = False
            install(root, files(second))
        kept = {path: data for path, data in tree(root).items() if ".bak" in path}
        assert kept == {f"{name}.bak": b"import my_robot\n"}, at
        if done:
            break
    assert done and at > 20


@pytest.mark.parametrize(
    "name",
    [
        "next/mine.txt",
        "next/code.py",
        "next/deep/er.py",
        "next/manifest.json",
        "next/code.txt",
        "next/moving",
    ],
)
def test_a_folder_next_of_the_user_s_is_left_alone(board: Path, name: str) -> None:
    (board / name).parent.mkdir(parents=True)
    (board / name).write_text("mine")
    before = tree(board)
    with pytest.raises(flash.FlashError) as error:
        install(board, files("1"))
    assert str(error.value) == f"{name} on the board is in the way: move it and flash again."
    assert tree(board) == before


@pytest.mark.parametrize("name", ["lib", "pitch/app.py", "next"])
def test_nothing_is_written_through_a_link(board: Path, tmp_path: Path, name: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (board / "lib").rmdir()
    (board / name).parent.mkdir(exist_ok=True)
    (board / name).symlink_to(outside)
    with pytest.raises(flash.FlashError, match="is a link; a board has none: remove it first"):
        install(board, files("1"))
    assert not list(outside.iterdir())


def test_somebody_else_s_code_txt_is_refused(board: Path) -> None:
    (board / "code.txt").write_text("print(1)\n")
    with pytest.raises(flash.FlashError, match="code.txt on the board starts in place of code.py"):
        install(board, files("1"))
    assert (board / "code.txt").read_text() == "print(1)\n"


@pytest.mark.parametrize("version", ["6.3.0", "8.2.10", "8.0.0-beta.6"])
def test_too_old_circuitpython(board: Path, version: str) -> None:
    (board / "boot_out.txt").write_text(BOOT_OUT.format(version))
    before = tree(board)
    with pytest.raises(flash.FlashError) as error:
        install(board, files("1"))
    assert f"CircuitPython {version}; 9 or later" in str(error.value)
    assert tree(board) == before


@pytest.mark.parametrize("version", ["9.0.0", "9.2.8", "10.2.1", "10.3.0-alpha.4", "11.0.0"])
def test_new_enough_circuitpython(board: Path, version: str) -> None:
    (board / "boot_out.txt").write_text(BOOT_OUT.format(version))
    install(board, files("1"))


def test_a_folder_that_is_no_board(tmp_path: Path) -> None:
    with pytest.raises(flash.FlashError, match="no such drive"):
        install(tmp_path / "nothing", files("1"))
    with pytest.raises(flash.FlashError, match="not a CircuitPython board"):
        install(tmp_path, files("1"))


def test_too_little_room_is_known_before_anything_is_written(board: Path) -> None:
    class Small(flash.Volume):
        def free(self) -> int:
            return 20_000

        def cluster(self) -> int:
            return 512

    before = tree(board)
    new = files("1", **{"pitch/big.py": "x" * 10_000})  # twice, while both copies are there
    with pytest.raises(flash.FlashError, match=r"full: 3\d KB are needed and 19 KB are free"):
        flash.install(Small(board), new, lambda _: None)
    assert tree(board) == before


def test_full_while_writing(board: Path) -> None:
    install(board, files("1"))
    with pytest.raises(flash.FlashError, match="is full. The program that was on it still starts"):
        flash.install(Unplugged(board, 5, code=errno.ENOSPC), files("2"), lambda _: None)
    assert start(board) == OLD


@pytest.mark.parametrize("name", ["lib", "code.py"])
def test_what_is_in_the_way_is_named(board: Path, name: str) -> None:
    """A file where a folder belongs, and the other way round, are no board that disappeared."""
    (board / "code.py").unlink()
    if name == "lib":
        shutil.rmtree(board / name)
        (board / name).write_text("")
    else:
        (board / name).mkdir()
    with pytest.raises(flash.FlashError, match=rf"{name} is in the way: move it"):
        install(board, files("1"))


@pytest.mark.parametrize("code", [errno.EROFS, errno.EACCES])
def test_read_only(board: Path, code: int) -> None:
    before = tree(board)
    with pytest.raises(flash.FlashError) as error:
        flash.install(Unplugged(board, 0, torn=False, code=code), files("1"), lambda _: None)
    assert "is read-only for this PC" in str(error.value) and "\n" not in str(error.value)
    assert tree(board) == before


def test_what_does_not_read_back_as_written(board: Path) -> None:
    class Bad(flash.Volume):
        def read(self, name: str) -> bytes | None:
            content = super().read(name)
            return content and content[:-1] if name == "next/pitch/app.py" else content

    with pytest.raises(flash.FlashError, match="next/pitch/app.py is not on the board as it was"):
        flash.install(Bad(board), files("1"), lambda _: None)


def test_boards_are_found_by_their_boot_out_txt(tmp_path: Path) -> None:
    for name in ("user/CIRCUITPY", "user/CIRCUITPY1", "user/STICK", "CIRCUITPY"):
        (tmp_path / name).mkdir(parents=True)
        if "STICK" not in name:
            (tmp_path / name / "boot_out.txt").write_text(BOOT_OUT.format("10.0.0"))
    found = flash.boards([f"{tmp_path}/*/*", f"{tmp_path}/*"])
    assert [p.relative_to(tmp_path).as_posix() for p in found] == [
        "CIRCUITPY",
        "user/CIRCUITPY",
        "user/CIRCUITPY1",
    ]


def test_several_boards_without_anybody_to_ask(board: Path, monkeypatch) -> None:
    monkeypatch.setattr(flash, "boards", lambda: [board, Path("/media/x/OTHER")])
    result = CliRunner().invoke(flash.command)
    assert result.exit_code == 1 and result.output.count("\n") == 1
    assert f"2 boards: give --drive with one of {board}, /media/x/OTHER." in result.output


def test_several_boards_asks_which(board: Path, monkeypatch) -> None:
    other = board.parent / "CIRCUITPY1"
    other.mkdir()
    (other / "boot_out.txt").write_text(BOOT_OUT.format("10.0.0"))
    monkeypatch.setattr(flash.sys.stdin.__class__, "isatty", lambda _: True, raising=False)
    monkeypatch.setattr(flash.click, "prompt", lambda *_, **__: 2)
    assert flash.choose([board, other]) == other
    assert flash.describe(other) == "Raspberry Pi Pico with rp2040"


def test_no_board(monkeypatch) -> None:
    monkeypatch.setattr(flash, "boards", list)
    result = CliRunner().invoke(flash.command)
    assert result.exit_code == 1 and result.output.startswith("No board found: plug it in")


def test_the_command_puts_the_real_program_on_a_board(board: Path) -> None:
    result = CliRunner().invoke(flash.command, ["--drive", str(board)])
    assert result.exit_code == 0, result.output
    expected = drive.contents()
    assert {**tree(board), "boot_out.txt": b""} == {**expected, "boot_out.txt": b""}
    assert f"Version {drive.version()} is on {board}" in result.output
