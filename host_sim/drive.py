"""`python -m host_sim drive`: what goes on a board's CIRCUITPY drive, as a folder.

`contents` gives the same files in memory, for flash, release and emulate. For host_sim only.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import json
import re
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

import click

REPOSITORY = Path(__file__).resolve().parent.parent
MANIFEST = "manifest.json"
SETTINGS = "settings.toml"
STAY_SOURCE = ("code.py", "boot.py")
"""CircuitPython looks for these under their .py names only."""
_LOOSE = (*STAY_SOURCE, SETTINGS)
_FOLDERS = ("pitch", "lib")
OURS = b'{\n "program": "pitch",\n'
"""What a manifest begins with."""
MPY_VERSION = 6
"""py/persistentcode.h of CircuitPython 9 and 10; 8 and older had 5."""

# A `try` that first imports one of these ends there on a board, which has none of them: what it
# imports next is for type checkers.
_PC_ONLY = {"typing", "typing_extensions", "circuitpython_typing", "collections.abc", "types"}


class DriveError(Exception):
    """What is wrong and what to do, in one line."""


# -- the files ----------------------------------------------------------------------------------


def contents(root: Path = REPOSITORY, mpy_cross: str | None = None) -> dict[str, bytes]:
    """Path on the drive -> contents, in the order to write them: libraries first, code.py last.

    With `mpy_cross`, CircuitPython's own compiler, all but code.py and boot.py is compiled. The
    manifest is the last but one.
    """
    files = own(root)
    for name, content in adafruit(files).items():
        if name in files:
            raise DriveError(f"{name} is both in the repository and an installed package.")
        files[name] = content
    if mpy_cross is not None:
        files = compiled(files, mpy_cross)
    files = {name: files[name] for name in sorted(files, key=_rank)}
    entry = files.pop("code.py")
    files[MANIFEST] = manifest({**files, "code.py": entry}, version(root))
    files["code.py"] = entry
    return files


def _rank(name: str) -> tuple[int, str]:
    """Order of writing: nothing may be there before what it imports."""
    if name.startswith("lib/handheld/"):
        return 1, name
    if name.startswith("lib/"):
        return 0, name
    if name.startswith("pitch/"):
        return 2, name
    return {SETTINGS: 3, "boot.py": 4}.get(name, 5), name


def own(root: Path) -> dict[str, bytes]:
    """The project's files that a board gets, as they are in the repository."""
    files = {}
    for name in _LOOSE:
        try:
            files[name] = (root / name).read_bytes()
        except FileNotFoundError:
            raise DriveError(f"{root / name} is missing.") from None
    for folder in _FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            parts = path.relative_to(root).parts
            if path.is_file() and not any(p.startswith(".") or p == "__pycache__" for p in parts):
                files["/".join(parts)] = path.read_bytes()
    return files


def version(root: Path = REPOSITORY) -> str:
    """The program's VERSION, which the title shows, from pitch/app/texts.py."""
    path = root / "pitch" / "app" / "texts.py"
    for node in ast.parse(path.read_bytes()).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "VERSION":
            return str(ast.literal_eval(node.value).decode())
    raise DriveError(f"{path} has no VERSION.")


def adafruit(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The installed Adafruit modules that `files` import, and those that these import in turn.

    lib/NAME.py or lib/PACKAGE/NAME.py -> source. Of a package come only the modules in use: each
    one more is room on the drive.
    """
    found: dict[str, bytes] = {}
    wanted = [
        (module, name)
        for name, source in files.items()
        if name.endswith(".py")
        for module in imports(source, name)
    ]
    while wanted:
        module, importer = wanted.pop()
        top, *inner = module.split(".")
        if not top.startswith("adafruit_") or f"lib/{top}.py" in files:
            continue
        base = _installed(top, importer)
        if base.name != "__init__.py":
            steps = [(f"lib/{top}.py", base)]
        else:
            # The package itself, and what the name means inside it, as far as that is a module.
            steps = [(f"lib/{top}/__init__.py", base)]
            path = base.parent.joinpath(*inner)
            where = "/".join([top, *inner])
            if inner and path.with_suffix(".py").is_file():
                steps.append((f"lib/{where}.py", path.with_suffix(".py")))
            elif inner and (path / "__init__.py").is_file():
                steps.append((f"lib/{where}/__init__.py", path / "__init__.py"))
        for name, source in steps:
            if name not in found:
                found[name] = source.read_bytes()
                wanted += [(more, name) for more in imports(found[name], name)]
    return found


def _installed(top: str, importer: str) -> Path:
    spec = importlib.util.find_spec(top)
    if spec is None or spec.origin is None:
        package = top.removeprefix("adafruit_").replace("_", "-")
        raise DriveError(
            f"{importer} imports {top}, which is not installed:"
            f" pip install adafruit-circuitpython-{package}"
        )
    return Path(spec.origin)


def imports(source: bytes, name: str) -> list[str]:
    """The modules that a source file would import on a board, absolute, `from a import b` as a.b.

    `name` is its path on the drive: relative imports start there.
    """
    parts = name.removeprefix("lib/").removesuffix(".py").split("/")
    package = parts[:-1]
    found: list[str] = []

    def walk(body: list[ast.stmt]) -> None:
        for node in body:
            modules = list(_named(node, package))
            if any(m in _PC_ONLY or m.rpartition(".")[0] in _PC_ONLY for m in modules):
                return
            found.extend(modules)
            if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
                walk(node.orelse)
                continue
            for field in ("body", "orelse", "finalbody"):
                walk(getattr(node, field, []))
            for handler in getattr(node, "handlers", []):
                walk(handler.body)

    try:
        walk(ast.parse(source).body)
    except SyntaxError as error:
        raise DriveError(f"{name}, line {error.lineno}: {error.msg}.") from None
    return found


def _named(node: ast.stmt, package: list[str]) -> Iterator[str]:
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield alias.name
    elif isinstance(node, ast.ImportFrom):
        base = package[: len(package) + 1 - node.level] if node.level else []
        base = base + (node.module.split(".") if node.module else [])
        for alias in node.names:
            yield ".".join([*base, alias.name])


def with_settings(
    files: Mapping[str, bytes], settings: Mapping[str, int | str]
) -> dict[str, bytes]:
    """The same drive with these lines in its settings.toml, in place of lines of the same names."""
    kept = [
        line
        for line in files[SETTINGS].decode().splitlines()
        if line.partition("=")[0].strip() not in settings
    ]
    # TOML and JSON write whole numbers and simple texts alike.
    added = [f"{name} = {json.dumps(value)}" for name, value in settings.items()]
    return {**files, SETTINGS: ("\n".join([*kept, *added]) + "\n").encode()}


# -- compiling ----------------------------------------------------------------------------------


def compiled(files: Mapping[str, bytes], mpy_cross: str) -> dict[str, bytes]:
    """The same drive with .mpy in place of .py: never both, or the .py would win the import."""
    result = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, source in {"probe.py": b"", **files}.items():
            if not name.endswith(".py") or name in STAY_SOURCE:
                result[name] = source
                continue
            code = _compile(mpy_cross, Path(folder), name, source)
            _check_magic(mpy_cross, code)
            if holds_neighbour(code):
                code = _compile(mpy_cross, Path(folder), name, source + b'\n_ = b"."\n')
            if name != "probe.py":
                result[name.removesuffix(".py") + ".mpy"] = code
    return result


def _module(name: str) -> str:
    """What a traceback on the board calls the file `name`."""
    path = PurePosixPath(name)
    return path.parent.name if path.stem == "__init__" else path.stem


def _compile(mpy_cross: str, folder: Path, name: str, source: bytes) -> bytes:
    text, code = folder / "source.py", folder / "code.mpy"
    text.write_bytes(source)
    code.unlink(missing_ok=True)
    try:
        done = subprocess.run(
            # -O3 leaves line numbers out, and the module's name does for its path: 3 KB of a Pico's heap.
            [mpy_cross, "-O3", "-o", str(code), "-s", _module(name), str(text)],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=60,
        )
    except OSError as error:
        raise DriveError(f"{mpy_cross} does not run: {error.strerror}.") from None
    except subprocess.TimeoutExpired:
        raise DriveError(f"{mpy_cross} does not come to an end.") from None
    if done.returncode or not code.is_file():
        said = (done.stderr or done.stdout).strip().splitlines()
        why = said[-1] if said else f"exit status {done.returncode}"
        line = re.findall(r", line (\d+)", done.stderr)
        where = f"{name}, line {line[-1]}" if line else name
        raise DriveError(f"{mpy_cross} cannot compile {where}: {why}")
    return code.read_bytes()


def holds_neighbour(code: bytes) -> bool:
    """Whether a board that loads this .mpy may never free what comes to lie behind it.

    mp_module_context_alloc_tables (py/bc.c, CircuitPython 10) lays a module's names, two bytes each, and then
    its constant objects into one piece of heap. Without any object the pointer to them is one past the end;
    where the names fill the last block of 16 bytes, that is the next piece, and the collector takes it for
    used. 7 KB of the label library stayed like that. A module with one constant object is not concerned.
    """
    counts, value = [], 0
    for byte in code[4:]:
        value = value << 7 | byte & 0x7F
        if not byte & 0x80:
            counts.append(value)
            value = 0
        if len(counts) == 2:
            names, objects = counts
            return not objects and (2 * names + 3) // 4 % 4 == 0
    return False


def _check_magic(mpy_cross: str, code: bytes) -> None:
    if code[:1] == b"M":
        raise DriveError(
            f"{mpy_cross} is MicroPython's compiler and a board refuses its files;"
            " use CircuitPython's own mpy-cross."
        )
    if code[:2] != bytes([ord("C"), MPY_VERSION]):
        kind = f"version {code[1]}" if code[:1] == b"C" and len(code) > 1 else "no .mpy at all"
        raise DriveError(
            f"{mpy_cross} writes {kind}; CircuitPython 9 and 10 need .mpy version {MPY_VERSION}."
        )


# -- manifest -----------------------------------------------------------------------------------


def digest(content: bytes) -> str:
    """SHA-256 in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def manifest(files: Mapping[str, bytes], program_version: str) -> bytes:
    """JSON: version, and path -> size in bytes and SHA-256 of every file but the manifest."""
    table = {
        name: {"size": len(content), "sha256": digest(content)}
        for name, content in sorted(files.items())
    }
    program = {"program": "pitch", "version": program_version, "files": table}
    return (json.dumps(program, indent=1) + "\n").encode()


def read_manifest(folder: Path) -> dict[str, str]:
    """Path -> SHA-256 of what an earlier drive held; empty without a manifest that is ours."""
    try:
        program = json.loads((folder / MANIFEST).read_bytes())
        if program["program"] != "pitch":
            return {}
        return {
            str(name): str(entry["sha256"])
            for name, entry in program["files"].items()
            if _is_inside(name)
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}


def _is_inside(name: str) -> bool:
    """A manifest from outside must not make anything outside the drive be removed. FAT has 255 characters."""
    return 0 < len(name) < 256 and not re.search(r"(^|/)\.\.?(/|$)|^/|[\\:\0]|//", name)


def remove_empty(folder: Path, name: str) -> None:
    """Remove the folders that `name` was in, as far as nothing is left in them."""
    for parent in Path(name).parents:
        if parent == Path():
            break
        try:
            (folder / parent).rmdir()
        except OSError:
            break


# -- command ------------------------------------------------------------------------------------


def write(folder: Path, files: Mapping[str, bytes]) -> None:
    """Make `folder` hold exactly `files`. Only what an earlier run left there is replaced."""
    if folder.exists() and not folder.is_dir():
        raise DriveError(f"{folder} is a file; give an empty or a new folder.")
    if (folder / "boot_out.txt").exists():
        raise DriveError(f"{folder} is a board's drive: use flash --drive {folder}")
    part = f"{MANIFEST}.part"
    old = {MANIFEST, part, *read_manifest(folder)} if folder.is_dir() else set()
    there: set[str] = set()
    ways: set[str] = set()
    for path in folder.rglob("*"):
        # A link to a folder would lead out of this one.
        (ways if path.is_dir() and not path.is_symlink() else there).add(
            path.relative_to(folder).as_posix()
        )
    foreign = sorted(there - old | ways & set(files))
    foreign += sorted(name for name in there if (folder / name).is_symlink())
    if foreign:
        raise DriveError(
            f"{folder} holds {foreign[0]}, which no drive written here has;"
            " give an empty or a new folder."
        )
    for name in sorted(there - set(files)):
        (folder / name).unlink()
        remove_empty(folder, name)
    # The manifest first, in one piece: what a run that was cut short has left is known by it.
    folder.mkdir(parents=True, exist_ok=True)
    if MANIFEST in files:
        (folder / part).write_bytes(files[MANIFEST])
        (folder / part).replace(folder / MANIFEST)
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if name != MANIFEST:
            path.write_bytes(content)


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--mpy-cross", metavar="PROGRAM", help="CircuitPython's own; compiles everything.")
def command(folder: Path, mpy_cross: str | None) -> None:
    """Write into DIR exactly what goes on a board's CIRCUITPY drive.

    That is code.py, boot.py, settings.toml, pitch/, lib/ with every Adafruit module in use, and a
    manifest. With a compiler all but code.py and boot.py are .mpy: less memory, quicker start.
    """
    try:
        files = contents(mpy_cross=mpy_cross)
        write(folder, files)
    except DriveError as error:
        click.echo(str(error), err=True)
        raise SystemExit(2) from None
    except OSError as error:
        click.echo(f"{error.filename or folder}: {error.strerror}", err=True)
        raise SystemExit(2) from None
    total = sum(len(content) for content in files.values())
    click.echo(f"{len(files)} files, {-(-total // 1024)} KB, version {version()}: {folder}")
