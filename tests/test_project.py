"""The project as a checkout: Python's own module `code` stays within reach beside code.py, the top level
holds what it should, and the README, the Makefile and CI name the same commands."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TOP = {
    "README.md",
    "LICENSE",
    "Makefile",
    "pyproject.toml",
    ".gitignore",
    ".ci",
    "code.py",
    "boot.py",
    "settings.toml",
    "lib",
    "pitch",
    "host_sim",
    "tests",
}
OPTIONAL = {"docs"}
COMMANDS = ("setup", "test", "check", "play")
OTHERS = ("python3.11", "python3.12", "python3.13")


def start(
    *command: str | Path, path: Path | None = None, cwd: Path = ROOT
) -> subprocess.CompletedProcess[str]:
    """Runs a command; `path`: first on Python's path."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTHON", "PYTEST", "COV_"))
    }
    environment["PYTHONDONTWRITEBYTECODE"] = "1"
    if path:
        environment["PYTHONPATH"] = str(path)
    return subprocess.run(
        list(map(str, command)),
        cwd=cwd,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
    )


def output(done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


# ---- code.py hides nothing


def interpreter(name: str) -> Path:
    """A Python of that name that runs: on the path, or one that a pyenv shim there stands for."""
    if name == "this":
        return Path(sys.executable)
    found = shutil.which(name)
    if not found:
        pytest.skip(f"no {name} on the path")
    versions = Path(found).parent.parent / "versions"
    for candidate in [Path(found), *sorted(versions.glob(f"*/bin/{name}"))]:
        if start(candidate, "-c", "pass", cwd=Path("/")).returncode == 0:
            return candidate
    pytest.skip(f"{name} is on the path and does not run")


# `code` and what imports it, as the folder of code.py stands first on the path.
IMPORT_CODE = """
import os, sys
import pdb, code
assert issubclass(code.InteractiveConsole, code.InteractiveInterpreter)
assert pdb.Pdb
assert sys.modules["code"] is code
own = os.path.join(os.path.dirname(os.__file__), "code.py")
assert os.path.samefile(code.__file__, own), code.__file__
import importlib.util
print(sys.path[0])
"""


@pytest.mark.parametrize("name", ["this", *OTHERS])
def test_import_code(name: str, tmp_path: Path) -> None:
    python = interpreter(name)
    # -c puts the working folder first, as '' ; PYTHONPATH by its name
    assert output(start(python, "-c", IMPORT_CODE)) == "\n"
    script = tmp_path / "script.py"
    script.write_text(f"import sys\nsys.path.insert(0, {str(ROOT)!r})\n{IMPORT_CODE}")
    assert output(start(python, script, cwd=tmp_path)).strip() == str(ROOT)
    output(start(python, "-m", "pdb", "-c", "quit", script, path=ROOT))
    # All this would hold as well if nothing were hidden; it is.
    find = "import importlib.util as u; print(u.find_spec('code').origin)"
    assert output(start(python, "-c", find)).strip() == str(ROOT / "code.py")


@pytest.mark.parametrize("how", ["python -m pytest", "pytest"])
def test_pytest_runs_from_the_root(how: str, tmp_path: Path) -> None:
    (tmp_path / "test_inner.py").write_text(
        "def test_inner():\n" + "".join(f"    {line}\n" for line in IMPORT_CODE.splitlines())
    )
    command: list[str | Path] = [sys.executable, "-m", "pytest"]
    if how == "pytest":
        script = Path(sys.executable).parent / "pytest"
        if not script.exists():
            pytest.skip("pytest has no command beside this Python")
        command = [script]
    options: list[str | Path] = ["-rA", "-p", "no:cacheprovider", "-c", ROOT / "pyproject.toml"]
    files: list[str | Path] = [tmp_path / "test_inner.py", f"{__file__}::test_places"]
    passed = output(start(*command, *options, f"--rootdir={ROOT}", *files))
    assert re.search(r"PASSED .*::test_inner\n", passed)
    assert re.search(r"PASSED .*test_project\.py::test_places", passed)


def test_host_sim_runs_from_the_root() -> None:
    listed = output(start(sys.executable, "-m", "host_sim", "--help"))
    assert "replay" in listed and "bench" in listed


# ---- what is in the repository


def tracked() -> list[str]:
    done = None
    if shutil.which("git"):
        done = start("git", "-c", f"safe.directory={ROOT}", "ls-files", "-z")
    if done is None or done.returncode:
        pytest.skip("not a git checkout")
    return [name for name in done.stdout.split("\0") if name]


def test_top_level() -> None:
    names = {name.split("/")[0] for name in tracked()}
    assert names - OPTIONAL == TOP


# Folders of one machine, and hosts of package registries: what is committed works anywhere. The brackets
# keep these patterns from finding themselves.
PLACES = re.compile(
    r"(?<![\w.$}])/(?:wor[k]/|tm[p]/|roo[t]/|hom[e]/\w|User[s]/\w|op[t]/)"
    r"|[A-Z]:\\User[s]\\"
    r"|\bpyp[i]\.(?:org|python)|pythonhoste[d]\.org|registr[y]\.(?:npmjs|yarnpkg)\.|\bnpmj[s]\.(?:org|com)"
    r"|crate[s]\.io|de[b]\.debian\.org|prox[y]\.golang\.org|(?:extra-)?index-ur[l]|find-link[s]"
)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("cd /wor" + "k/main", True),
        ('open("/tm' + 'p/x")', True),
        ("/hom" + "e/me/pitch", True),
        ("https://pyp" + "i.org/simple", True),
        ("pip install --index-ur" + "l x", True),
        ("#!/usr/bin/env bash", False),
        ("tests/work/x, $TMP/tmp/y, ../work/", False),
        ("a package on PyPI", False),
    ],
)
def test_places(text: str, found: bool) -> None:
    assert bool(PLACES.search(text)) == found


def test_no_place_of_one_machine() -> None:
    told = []
    for name in tracked():
        file = ROOT / name
        if not file.is_file():  # deleted, not yet committed
            continue
        try:
            text = file.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue  # a picture
        for number, line in enumerate(text.splitlines(), 1):
            if PLACES.search(line):
                told.append(f"{name}:{number}: {line.strip()[:100]}")
    assert not told, "\n" + "\n".join(told)


# ---- README, Makefile and CI


def readme_commands() -> list[str]:
    """The lines of the README's code blocks, less a comment behind them, and what stands in backticks."""
    lines = []
    inside = False
    for line in (ROOT / "README.md").read_text(encoding="utf-8").splitlines():
        if line.lstrip().startswith("```"):
            inside = not inside
        elif inside:
            lines.append(line.split(" #")[0].strip().removeprefix("$ "))
        else:
            lines += re.findall(r"`([^`]+)`", line)
    return lines


def targets() -> set[str]:
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    return set(re.findall(r"^([a-z][\w-]*)\s*:(?!=)", text, re.MULTILINE))


def test_the_readme_names_the_commands_of_the_makefile() -> None:
    named = set(re.findall(r"^make ([a-z][\w-]*)", "\n".join(readme_commands()), re.MULTILINE))
    assert set(COMMANDS) <= named
    assert named <= targets()


def test_the_makefile_keeps_its_word() -> None:
    """`make help` lists targets that exist, and every phony target has a rule."""
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    listed = set(re.findall(r'echo "make ([a-z][\w-]*)', text))
    phony = set(" ".join(re.findall(r"^\.PHONY:(.*)$", text, re.MULTILINE)).split())
    assert listed | phony <= targets()
    assert set(COMMANDS) <= targets() & phony


def test_ci_runs_what_the_readme_says() -> None:
    lines = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    frame = ("#", "set ", "cd ")  # a strict shell, in the project's folder
    commands = [line.strip() for line in lines if line.strip() and not line.startswith(frame)]
    assert commands == ["make test"]
    assert "make test" in readme_commands()
