"""The example of checking-any-kernel.md: the command, and what `tilelab check` prints.

That page holds it as a passage made by this command: `make check` fails when it is not current,
`.venv/bin/tilelab check-course --remake` brings it up to date.
"""

# ruff: noqa: INP001, T201 -- a script, in no package; it prints
from __future__ import annotations

import contextlib
import shlex
import sys
from pathlib import Path

from typer.testing import CliRunner

import grader
from grader.cli.cli import app

ROOT = Path(__file__).resolve().parent.parent
KERNEL = ROOT / "tests" / "anykernel" / "found" / "race_in_a_reduction.cu"
BUILT = (
    Path(grader.__file__).resolve().parent.parent
)  # where the kit that this Python drives was built: here, but for a copy
_WIDTH = 100  # of the page


def example() -> str:
    """Markdown. Raises RuntimeError where nothing is found, as there is something to find."""
    options = KERNEL.read_text(encoding="utf-8").split("\n", 1)[0].split(": ", 1)[1]
    with contextlib.chdir(BUILT):
        done = CliRunner().invoke(app, ["check", str(KERNEL), *shlex.split(options)], env={"COLUMNS": str(_WIDTH)})
    if done.exit_code != 1:
        message = f"expected a finding, and the exit status is {done.exit_code}: {done.output}"
        raise RuntimeError(message)
    shown = "\n".join(line.rstrip() for line in done.stdout.strip().split("\n"))
    return f"```\n$ tilelab check {KERNEL.name} {options}\n{shown}\n```"


if __name__ == "__main__":
    print(example())
    sys.exit(0)
