"""One lab of one submission, from source file to what the judge saw: build it, let the judge run it, read judge.json.

The judge is ours and trusted; what it repeats of the runner's words is not. Source text in a finding comes from the
submission's own file and nowhere else.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from grader.advice import advice_for
from grader.engines.cpu_build import CpuBuild, build_for_cpu
from grader.engines.entry_points import EntrySignatures
from grader.engines.refusal import Refusal
from grader.labs import Lab
from grader.outcome import JudgedCase, LabOutcome, unjudged
from grader.result import Build, Finding, Launch, Site, Verdict
from grader.sandbox import Limits
from grader.workshop import Workshop

RUN_LIMITS = Limits(
    cpu_seconds=120, wall_seconds=150, memory_bytes=1 << 30, processes=32, file_bytes=64 << 20, open_files=64
)
# The judge answers by itself well before: every launch has a clock of its own.
JUDGE_SECONDS = 300
MAX_REPORT_BYTES = 64 << 20


def judge_lab(  # noqa: PLR0913 - what a lab is judged on, each by name
    workshop: Workshop,
    lab: Lab,
    source: Path | None,
    scratch: Path,
    *,
    seed: int,
    public_only: bool,
    case: str | None = None,
    order: int = 0,
) -> LabOutcome:
    """`source` None: the submission lacks the file. `scratch` is a folder of the caller's; nothing in it is kept.
    `case`: only the Catch2 case of that name. `order`: blocks and threads run shuffled by this number; 0: in order.
    """
    if source is None:
        return unjudged(lab.id, Verdict.MISSING_FILE, f"The submission has no {lab.public.file}.")
    began = time.monotonic()
    folder = Path(tempfile.mkdtemp(prefix=f"{lab.id}-", dir=scratch))
    try:
        text = source.read_text(encoding="utf-8", errors="replace")
        if source.name != lab.public.file:
            renamed = folder / lab.public.file
            renamed.write_text(text, encoding="utf-8")
            source = renamed
        work = folder / "work"
        work.mkdir()
        built = build_for_cpu(
            workshop.toolchain,
            workshop.confinement,
            source,
            work,
            EntrySignatures(lab.public.kernel, lab.public.launch),
        )
        build = Build(
            ok=built.runner is not None,
            compiler=workshop.compiler_version,
            log=built.log,
            seconds=round(built.seconds, 3),
        )
        if built.runner is None:
            return _refused(lab, build, built.refusals, text, time.monotonic() - began)
        cases = _judge(workshop, lab, built, folder, text, seed=seed, public_only=public_only, case=case, order=order)
        return LabOutcome(lab.id, build=build, cases=cases, seconds=time.monotonic() - began)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _refused(lab: Lab, build: Build, refusals: tuple[Refusal, ...], text: str, seconds: float) -> LabOutcome:
    lines = text.split("\n")  # as the compiler counts them: splitlines() also splits at form feeds
    findings = tuple(
        Finding(
            kind=refusal.verdict,
            message=refusal.message,
            advice=refusal.advice or None,
            file=lab.public.file,
            line=refusal.line if 0 < refusal.line <= len(lines) else None,
            source=lines[refusal.line - 1] if 0 < refusal.line <= len(lines) else None,
        )
        for refusal in refusals
    )
    return LabOutcome(lab.id, refusals[0].verdict, build=build, findings=findings, seconds=seconds)


def _judge(  # noqa: PLR0913 - as judge_lab
    workshop: Workshop,
    lab: Lab,
    built: CpuBuild,
    folder: Path,
    text: str,
    *,
    seed: int,
    public_only: bool,
    case: str | None,
    order: int,
) -> tuple[JudgedCase, ...]:
    assert built.runner is not None
    assert built.image is not None
    argv = workshop.confinement.wrap(
        [str(built.runner), "--image", str(built.image)],
        readable=[built.runner.parent],
        writable=[],
        limits=RUN_LIMITS,
        profile="run",
    )
    runner_file, report_file = folder / "runner.json", folder / "judge.json"
    runner_file.write_text(json.dumps({"argv": argv}), encoding="utf-8")
    judge = workshop.judge_program(lab.id, public_only=public_only)
    command = [
        str(judge),
        "--runner",
        str(runner_file),
        "--seed",
        str(seed),
        "--shuffle",
        str(order),
        "--report",
        str(report_file),
    ]
    if case is not None:
        command.insert(1, case.replace("\\", "\\\\").replace(",", "\\,").replace("[", "\\["))
    try:
        finished = subprocess.run(
            command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=JUDGE_SECONDS, check=False
        )
    except subprocess.TimeoutExpired as error:
        message = f"the judge of {lab.id} was still busy after {JUDGE_SECONDS} seconds"
        raise RuntimeError(message) from error
    if finished.returncode not in {0, 1} or not report_file.is_file() or report_file.stat().st_size > MAX_REPORT_BYTES:
        said = (finished.stderr + finished.stdout).decode("utf-8", "replace")[-2000:]
        message = f"the judge of {lab.id} failed with status {finished.returncode}: {said}"
        raise RuntimeError(message)
    try:
        report = json.loads(report_file.read_text(encoding="utf-8", errors="replace"))
        cases = [_case(entry, lab, text.split("\n")) for entry in report["cases"]]
    except (ValueError, KeyError, TypeError, ValidationError) as error:
        message = f"the judge of {lab.id} wrote a report that cannot be read: {error}"
        raise RuntimeError(message) from error
    seen = [judged.name for judged in cases]
    return tuple(
        replace(judged, seen=seen.count(name)) for name, judged in {judged.name: judged for judged in cases}.items()
    )


def _case(entry: dict[str, Any], lab: Lab, lines: list[str]) -> JudgedCase:
    launches = tuple(_launch(launch, lab, lines) for launch in entry["launches"])
    return JudgedCase(entry["name"], bool(entry["passed"]), Verdict(entry["verdict"]), entry["message"], launches)


def _launch(entry: dict[str, Any], lab: Lab, lines: list[str]) -> Launch:
    launch = Launch.model_validate(entry)
    findings = tuple(_finding(finding, lab, lines) for finding in launch.findings)
    return launch.model_copy(update={"findings": findings})


def _finding(finding: Finding, lab: Lab, lines: list[str]) -> Finding:
    """Keeps only lines of the submission's own file, and adds their text and advice."""
    other = _site(finding.other, lab, lines) if finding.other else None
    return finding.model_copy(
        update={**_place(finding, lab, lines), "other": other, "advice": finding.advice or advice_for(finding)}
    )


def _site(site: Site, lab: Lab, lines: list[str]) -> Site:
    return site.model_copy(update=_place(site, lab, lines))


def _place(site: Site, lab: Lab, lines: list[str]) -> dict[str, Any]:
    if site.file != lab.public.file or site.line is None or not 0 < site.line <= len(lines):
        return {"file": lab.public.file, "line": None, "source": None}
    return {"source": lines[site.line - 1]}
