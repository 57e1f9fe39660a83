"""One kernel of a public suite, run by `tilelab check`, and what came of it. Knows nothing of a suite's format."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

SECONDS = 300
_UNSUPPORTED = frozenset({"needs-gpu", "rejected"})
_ELEMENTS = 1 << 19
_EXTENT = re.compile(r"\[\d+\]")
_PROPOSED = re.compile(r"^\s*tilelab check .*$", re.MULTILINE)


class Outcome(StrEnum):
    RIGHT = "right"
    MISSED = "missed"  # the suite knows of a mistake, and nothing was found
    FALSE = "false alarm"  # the suite says that the kernel is right, and something was found
    UNSUPPORTED = "unsupported"  # there was no launch, and that is not what the suite asks for
    FAILED = "failed"  # the command itself failed


@dataclass(frozen=True)
class SuiteCase:
    """`name`: in the suite. `text`: the whole file, with what its suite needs put into its first line. `faulty`: whether something
    has to be found. `arguments`: the options `--arg` and whatever else the command needs; None: what the command proposes.
    """

    name: str
    text: str
    kernel: str | None
    grid: str
    block: str
    faulty: bool
    arguments: Sequence[str] | None = None
    note: str = ""
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class SuiteResult:
    case: SuiteCase
    outcome: Outcome
    verdict: str
    said: str


def run(case: SuiteCase) -> SuiteResult:
    with tempfile.TemporaryDirectory(prefix="suite-") as folder:
        file = Path(folder) / "kernel.cu"
        file.write_text(case.text, encoding="utf-8")
        for name, text in case.headers.items():
            (Path(folder) / name).write_text(text, encoding="utf-8")
        launch = ["--grid", case.grid, "--block", case.block, *(["--kernel", case.kernel] if case.kernel else [])]
        arguments = case.arguments
        done = _check(file, [*launch, *(arguments or ())])
        if arguments is None and (proposed := _PROPOSED.search(done.stderr)):
            done = _check(file, [*launch, *_arguments(proposed[0])])
    return _judged(case, done)


def _check(file: Path, options: Sequence[str]) -> subprocess.CompletedProcess[str]:
    command = [str(Path(sys.executable).with_name("tilelab")), "check", str(file), "--json", *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)


def _arguments(proposed: str) -> list[str]:
    """Those that the command proposes, with buffers large enough for every launch of a suite."""
    words = shlex.split(proposed)
    large = [_EXTENT.sub(f"[{_ELEMENTS}]", word, count=1) for word in words]
    return [word for at, one in enumerate(words) if one == "--arg" for word in large[at : at + 2]]


def _judged(case: SuiteCase, done: subprocess.CompletedProcess[str]) -> SuiteResult:
    try:
        report = json.loads(done.stdout)
        verdict = str(report["verdict"])
    except (ValueError, KeyError, TypeError):
        report, verdict = {}, ""
    errors = [one for one in report.get("findings", []) if one.get("severity", "error") == "error"]
    said = errors[0]["message"] if errors else done.stderr.strip().split("\n")[-1]
    if not verdict:
        return SuiteResult(case, Outcome.FAILED, f"exit {done.returncode}", done.stderr.strip()[-300:])
    if verdict in _UNSUPPORTED or (verdict == "compile-error" and not case.faulty):
        return SuiteResult(case, Outcome.UNSUPPORTED, verdict, said)
    found = verdict != "pass"
    wrong = Outcome.MISSED if case.faulty else Outcome.FALSE
    return SuiteResult(case, Outcome.RIGHT if found == case.faulty else wrong, verdict, said)
