"""The `tilelab` program and the notebook extension of the wheel. The labs, the grader and the built kit are in `handout.tar.gz` beside this
file, as students get them without the wheel: `tilelab start FOLDER` unpacks them, and every other command is that of the grader in the
folder around the current one.

In a notebook, `%load_ext tilelab` once, then a cell that begins with `%%tilelab 02-tiled` and goes on with the kernel's file.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import shlex
import subprocess
import sys
import tarfile
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Protocol

HANDOUT = Path(__file__).with_name("handout.tar.gz")
_MARK = "handout.json"  # at the top of each handout
_COMPILER_UNFIT = 3  # status of `tilelab canaries`
_COLUMNS = "100"  # of a screen in a notebook


class StartError(Exception):
    """What somebody who starts has to do; a sentence."""


def main() -> int:
    """The `tilelab` program. Returns its exit status."""
    try:
        if sys.argv[1:2] == ["start"]:
            return _start(sys.argv[2:])
        folder = _course_here()
    except StartError as error:
        print(f"tilelab: {error}", file=sys.stderr)
        return 2
    # Behind Python's own library, of which no file in there may take a place, and before what is installed.
    installed = (at for at, one in enumerate(sys.path) if one.endswith(("site-packages", "dist-packages")))
    sys.path.insert(next(installed, len(sys.path)), str(folder))
    from grader.cli.resident_process import run  # noqa: PLC0415 -- only that folder has it

    return run()


def course_around(folder: Path) -> Path | None:
    """The folder of labs that this folder is, or lies in."""
    around = (folder.resolve(), *folder.resolve().parents)
    return next((one for one in around if (one / "grader").is_dir() and (one / "assignments").is_dir()), None)


def _course_here() -> Path:
    folder = course_around(Path.cwd())
    if folder is None:
        raise StartError(
            "there are no labs here: `tilelab start labs` makes the folder labs with all; then change to it"
        )
    if str(folder) not in _own_folders():
        # Its grader would run as whoever calls this: what somebody has handed in may look like a folder of labs, too.
        remedy = f"if they are yours, run `tilelab start {shlex.quote(str(folder))}` once"
        raise StartError(f"the labs in {folder} were not made by `tilelab start` here: {remedy}")
    return folder


def _register() -> Path:
    """The file that lists the folders of labs whose grader may run."""
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(state) / "tilelab" / "folders"


def _own_folders() -> list[str]:
    return _register().read_text(encoding="utf-8").splitlines() if _register().is_file() else []


def _remember(folder: Path) -> None:
    if str(folder) not in _own_folders():
        _register().parent.mkdir(parents=True, exist_ok=True)
        with _register().open("a", encoding="utf-8") as register:
            register.write(f"{folder}\n")


def _start(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="tilelab start", description="Make a folder with all labs, ready to work in.")
    parser.add_argument("folder", type=Path, nargs="?", default=Path("labs"))
    folder = parser.parse_args(words).folder
    start(folder)
    print(
        f"{folder} is ready. Begin with the first lab:\n  cd {shlex.quote(str(folder))}\n  tilelab test {first_lab(folder)}"
    )
    return 0


def start(folder: Path) -> None:
    """Unpacks the labs into this new folder, and makes the kit ready. What is in the folder already stays as it is."""
    folder = folder.resolve()
    if not (folder / _MARK).is_file():
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise StartError(f"{folder} is there already, and is no folder of labs: name another")
        _unpack(folder)
    _remember(folder)
    done = subprocess.run(["bash", "kit/setup/setup.sh", "kit"], cwd=folder, env=_environment(), check=False)
    if done.returncode != 0:
        raise StartError(
            f"the kit in {folder} is not ready, for the reason above; afterwards run the same command again"
        )
    if not _was_tried(folder):
        tried = _grader(folder, ["canaries", "--if-new"])
        if tried.returncode == _COMPILER_UNFIT:
            raise StartError(tried.stdout.removeprefix("tilelab: ").strip())


def _unpack(folder: Path) -> None:
    """The folder is there whole or not at all."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=folder.parent, prefix=".tilelab-") as scratch, tarfile.open(HANDOUT) as tar:
        whole = Path(scratch) / "labs"
        for member in tar:
            path = whole / member.name.partition("/")[2]  # without the archive's one folder
            path.parent.mkdir(parents=True, exist_ok=True)
            stream = tar.extractfile(member)
            path.write_bytes(stream.read() if stream else b"")
            path.chmod(member.mode & 0o755)
        whole.replace(folder)  # an empty one may be there


def _was_tried(folder: Path) -> bool:
    """Whether the canaries were tried with this compiler where the kit was built, as set-up asks (kit/setup/build.sh)."""
    mark = folder / "build" / ".tried"
    if not mark.is_file():
        return False
    built_with = json.loads((folder / "build" / "kit.json").read_text(encoding="utf-8"))["compiler"]
    command = [os.environ.get("TILELAB_COMPILER") or built_with, "--version"]
    done = subprocess.run(command, env={**os.environ, "LC_ALL": "C"}, capture_output=True, text=True, check=False)
    return done.stdout.strip() == mark.read_text(encoding="utf-8").split("\n", 2)[-1].strip()


def first_lab(folder: Path) -> str:
    return min(path.parent.name for path in folder.glob("assignments/*/lab.toml"))


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHON": sys.executable}


class Notebook(Protocol):
    """What of IPython's shell is used."""

    def register_magic_function(self, function: Callable[..., None], kind: str, name: str) -> None: ...


def load_ipython_extension(shell: Notebook) -> None:
    """Called by `%load_ext tilelab`."""
    shell.register_magic_function(_test_cell, "cell", "tilelab")
    shell.register_magic_function(_command_line, "line", "tilelab")


def _test_cell(line: str, cell: str) -> None:
    """`%%tilelab LAB [OPTIONS]`: tests the rest of the cell as that lab's file."""
    folder = notebook_folder()
    lab, *options = shlex.split(line) or [""]
    ids = sorted(path.parent.name for path in folder.glob("assignments/*/lab.toml"))
    found = [one for one in ids if one == lab] or [one for one in ids if lab and lab in one]
    if len(found) != 1:
        _show(f"tilelab: name one lab, as in %%tilelab {ids[0]}. The labs are: {', '.join(ids)}")
        return
    _file_of(folder / "assignments" / found[0]).write_text(cell, encoding="utf-8")
    _show(screen(folder, ["test", found[0], *options]))


def _command_line(line: str) -> None:
    """`%tilelab COMMAND …`: any other command, as `%tilelab answers 02`."""
    _show(screen(notebook_folder(), shlex.split(line) or ["--help"]))


def _file_of(lab: Path) -> Path:
    import tomllib  # noqa: PLC0415 -- only a notebook needs it

    return lab / str(tomllib.loads((lab / "lab.toml").read_text(encoding="utf-8"))["file"])


def notebook_folder() -> Path:
    """The folder of labs around the notebook, or `labs` beside it, which is made at first use."""
    around = course_around(Path.cwd())
    folder = around if around and str(around) in _own_folders() else Path.cwd() / "labs"
    if not (folder / "build" / "kit.json").is_file():
        start(folder)
    return folder


def screen(folder: Path, words: list[str]) -> str:
    """What `tilelab WORDS` prints, in a terminal's colours."""
    terminal = {
        "FORCE_COLOR": "1",
        "TTY_COMPATIBLE": "1",
        "TTY_INTERACTIVE": "0",
        "COLUMNS": _COLUMNS,
        "TERM": "xterm-256color",
    }
    return _grader(folder, words, terminal).stdout


def _grader(
    folder: Path, words: list[str], variables: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Runs that command in the folder, with all that it prints on standard output."""
    return subprocess.run(
        [sys.executable, "-P", "-c", "import sys, tilelab; sys.exit(tilelab.main())", *words],
        cwd=folder, env={**_environment(), **(variables or {})}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, errors="replace", check=False,
    )  # fmt: skip


def as_html(text: str) -> str:
    """A screen in a terminal's colours as HTML with its own styles; what it shows is escaped."""
    from rich.console import Console  # noqa: PLC0415 -- only a notebook needs it
    from rich.text import Text  # noqa: PLC0415

    console = Console(
        file=io.StringIO(),
        record=True,
        width=int(_COLUMNS),
        color_system="truecolor",
        force_terminal=True,
        force_jupyter=False,
    )
    console.print(Text.from_ansi(text), soft_wrap=True)
    return console.export_html(inline_styles=True, code_format='<pre style="line-height:1.25">{code}</pre>')


def _show(text: str) -> None:
    from IPython.display import HTML, display  # type: ignore[import-not-found]  # only notebooks have it  # noqa: PLC0415

    display(HTML(as_html(text)))
