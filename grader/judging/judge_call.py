"""Starts a lab's judge on a runner and reads judge.json.

The judge is ours and trusted; the runner's words that it repeats are not. Source text in a finding comes only from the
submission's own file.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from grader.model.advice import advice_for
from grader.model.labs import Lab
from grader.model.outcome import JudgedCase
from grader.model.result import Finding, Launch, Site, Traffic
from grader.model.seed import judge_key
from grader.model.verdicts import Verdict

# The judge itself ends long before, because every launch has a time limit of its own.
JUDGE_SECONDS = 300
MAX_REPORT_BYTES = 64 << 20


@dataclass(frozen=True)
class JudgeCall:
    """`judge` is the program. `cases` are the Catch2 cases to run; if it is empty, all of them."""

    judge: Path
    seed: int
    cases: Sequence[str] = ()
    order: int = 0  # blocks and threads run in the order shuffled by this number; 0: in order
    until_failure: bool = False  # stop after the first case that fails
    seconds: float | None = None  # time limit of the whole call; None: JUDGE_SECONDS
    # How long the runner may take to end. A tool that watches it writes its report then.
    shutdown_grace_ms: int = 0


def run_judge(
    call: JudgeCall, lab: Lab, runner_argv: Sequence[str], folder: Path, lines: Sequence[str]
) -> tuple[JudgedCase, ...]:
    """What the judge saw of the runner that `runner_argv` starts. `lines` are the submission's. Raises RuntimeError, which is
    ours to investigate, if the judge dies, hangs or writes a file that cannot be read.
    """
    runner_file, report_file = folder / "runner.json", folder / "judge.json"
    runner_file.write_text(json.dumps({"argv": list(runner_argv)}), encoding="utf-8")
    command = [
        str(call.judge), "--runner", str(runner_file),
        *(["--allow-same-value-writes"] if lab.public.races.same_value_writes == "allowed" else []),
        *(["--early-return-is-error"] if lab.public.barriers.early_return == "error" else []),
        "--shuffle", str(call.order), "--report", str(report_file), *(["--abort"] if call.until_failure else []),
        *(["--shutdown-grace-ms", str(call.shutdown_grace_ms)] if call.shutdown_grace_ms else []),
    ]  # fmt: skip
    seconds = JUDGE_SECONDS * _clock_factor() if call.seconds is None else call.seconds
    try:
        finished = subprocess.run(
            command, cwd=folder, input=_task(call, lab), capture_output=True, timeout=seconds, check=False
        )
    except subprocess.TimeoutExpired as error:
        message = f"the judge of {lab.id} was still busy after {seconds} seconds"
        raise RuntimeError(message) from error
    if finished.returncode not in {0, 1} or not report_file.is_file() or report_file.stat().st_size > MAX_REPORT_BYTES:
        said = (finished.stderr + finished.stdout).decode("utf-8", "replace")[-2000:]
        message = f"the judge of {lab.id} failed with status {finished.returncode}: {said}"
        raise RuntimeError(message)
    try:
        report = json.loads(report_file.read_text(encoding="utf-8", errors="replace"))
        cases = [_case(entry, lab, lines) for entry in report["cases"]]
    except (ValueError, KeyError, TypeError, ValidationError) as error:
        message = f"the judge of {lab.id} wrote a report that cannot be read: {error}"
        raise RuntimeError(message) from error
    seen = [judged.name for judged in cases]
    return tuple(
        replace(judged, seen=seen.count(name)) for name, judged in {judged.name: judged for judged in cases}.items()
    )


def _task(call: JudgeCall, lab: Lab) -> bytes:
    """For its standard input: on a command line, everybody on this machine could read the key.

    Cases that show a student everything are run before all others. What a hidden case does then, to the time that is left or
    to a GPU's memory, shows in none of them.
    """
    policies = {case.name: case.feedback for case in lab.cases}
    asked = list(call.cases or policies)
    groups = [[name for name in asked if policies.get(name, "none") == one] for one in ("full", "verdict", "none")]
    task = {
        "key": judge_key(call.seed, lab.id).hex(),
        "groups": [group for group in groups if group],
        "and_others": not call.cases,
    }
    return json.dumps(task).encode()


def _clock_factor() -> int:
    """How many times slower an emulator is. The judge reads it too, and reports a value that is no number from 1 to 100."""
    text = os.environ.get("TILELAB_CLOCK_FACTOR", "1")
    return int(text) if text.isdecimal() else 1


Kind = TypeVar("Kind", bound=Launch)


def _case(entry: dict[str, Any], lab: Lab, lines: Sequence[str]) -> JudgedCase:
    launches = tuple(_launch(launch, lab, lines) for launch in entry["launches"])
    return JudgedCase(entry["name"], bool(entry["passed"]), Verdict(entry["verdict"]), entry["message"], launches)


def _launch(entry: dict[str, Any], lab: Lab, lines: Sequence[str]) -> Launch:
    return located(Launch.model_validate(entry), {lab.public.file: lines})


def located(launch: Kind, sources: Mapping[str, Sequence[str]]) -> Kind:
    """Adds the source line and advice to each finding. `sources`: the submission's own lines by file, its main file first."""
    findings = tuple(_finding(finding, sources) for finding in launch.findings)
    traffic = _located_traffic(launch.traffic, sources) if launch.traffic else None
    return launch.model_copy(update={"findings": findings, "traffic": traffic})


def _located_traffic(traffic: Traffic, sources: Mapping[str, Sequence[str]]) -> Traffic:
    """Keeps only lines of the submission's own files, and adds their text."""
    placed = [(one, sources.get(one.file or "", ())) for one in traffic.lines]
    own = [
        one.model_copy(update={"source": lines[one.line - 1]})
        for one, lines in placed
        if one.line is not None and 0 < one.line <= len(lines)
    ]
    return traffic.model_copy(update={"lines": tuple(own)})


def _finding(finding: Finding, sources: Mapping[str, Sequence[str]]) -> Finding:
    """Keeps only lines of the submission's own files, and adds their text and advice."""
    other = _site(finding.other, sources) if finding.other else None
    placed = finding.model_copy(update={**_place(finding, sources), "other": other})
    return placed.model_copy(update={"advice": finding.advice or advice_for(placed)})


def _site(site: Site, sources: Mapping[str, Sequence[str]]) -> Site:
    return site.model_copy(update=_place(site, sources))


def _place(site: Site, sources: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    lines = sources.get(site.file or "", ())
    if site.line is None or not 0 < site.line <= len(lines):
        return {"file": next(iter(sources)), "line": None, "source": None}
    return {"source": lines[site.line - 1]}
