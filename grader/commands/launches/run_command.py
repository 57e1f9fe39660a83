"""`tilelab run` after its options are parsed: reads the program, builds and runs it, prints what was found. Returns the exit status.

What the program prints stays on standard output, alone. What was found goes to standard error, after the program's end.
"""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from grader.kernel_files.kernel_source import CheckError
from grader.machine.toolset import Toolset
from grader.model.course_root import course_root
from grader.programs.host.program_source import read_program
from grader.programs.program_report import ProgramReport
from grader.programs.whole_program import WholeProgram, run_whole
from grader.reports.screens.program_screen import ProgramPage

_FOUND, _CANNOT = 1, 2
_CLEAR = "\r\x1b[K"


@dataclass(frozen=True)
class RunOptions:
    """The command's options as they were written."""

    definitions: Sequence[str]  # -D
    folders: Sequence[Path]  # -I
    others: Sequence[Path]  # --with
    readable: Sequence[Path]  # --read
    seconds: int


def run_file(file: Path, arguments: Sequence[str], options: RunOptions, *, as_json: bool) -> int:
    """Returns the program's own exit status if nothing was found; 1 if something was found or the program did not end by itself; 2 if
    it could not be built, or launched a kernel that could not.
    """
    for definition in options.definitions:
        if not re.fullmatch(r"[A-Za-z_]\w*(=[^\n\\]*)?", definition):
            message = f"-D {definition!r}: write NAME or NAME=VALUE"
            raise CheckError(message)
    for folder in options.readable:
        if not folder.is_dir():
            message = f"--read {folder}: there is no such folder"
            raise CheckError(message)
    source = read_program(file, options.others, options.folders)
    toolset = Toolset.open(course_root(Path.cwd()), allow_no_sandbox=True)
    program = WholeProgram(
        source,
        arguments,
        Path.cwd(),
        options.seconds,
        options.definitions,
        [folder.resolve() for folder in options.readable],
        keeps_output=as_json,
    )
    with tempfile.TemporaryDirectory(prefix="tilelab-") as scratch:
        report = run_whole(toolset, program, Path(scratch), _progress())
    if as_json:
        _print_json(report)
    else:
        sys.stdout.flush()
        console = Console(file=sys.stderr, highlight=False, color_system=None if os.environ.get("NO_COLOR") else "auto")
        console.print(ProgramPage(report, source.texts_in_order()), soft_wrap=False)
    return _status(report)


def _status(report: ProgramReport) -> int:
    if report.ended in {"not-built", "refused"}:
        return _CANNOT
    return (report.status or 0) if report.is_clean else _FOUND


def _progress() -> Callable[[str], None]:
    """One line that is overwritten, where a person watches."""
    if not sys.stderr.isatty():
        return lambda _: None

    def show(text: str) -> None:
        sys.stderr.write(f"{_CLEAR}{f'tilelab: {text} …' if text else ''}")
        sys.stderr.flush()

    return show


def _print_json(report: ProgramReport) -> None:
    plain = report.model_dump(mode="json", exclude={"findings"})
    plain["findings"] = [
        finding.model_dump(mode="json", exclude={"cases"}, exclude_none=True) for finding in report.findings
    ]
    sys.stdout.write(json.dumps(plain, indent=1, ensure_ascii=False) + "\n")
