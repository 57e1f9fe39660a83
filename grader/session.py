"""What the commands do once their words are parsed: opens the workshop, runs, prints. Returns the exit status."""

from __future__ import annotations

import dataclasses
import datetime as dt
import hashlib
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

# ruff: noqa: PLC0415 -- what one command alone needs is imported in it: `tilelab test` is run many times a day
from rich.console import Console

from grader import __version__
from grader.course import course_root, load_labs
from grader.errors import RemediableError
from grader.labs import Lab, LabError
from grader.outcome import LabOutcome
from grader.result import Environment

if TYPE_CHECKING:
    from grader.practice import Practice
    from grader.size_sweep import SizeSweep
    from grader.workshop import Workshop

_NOT_PASSED, _FAULTS = 1, 3


def grade_class(  # noqa: PLR0913 - as the command
    submissions: Path,
    out: Path,
    lab_ids: Sequence[str],
    *,
    workers: int | None,
    allow_no_sandbox: bool,
    sanitized: bool = False,
    sweep: bool = False,
) -> int:
    """`tilelab grade`."""
    from grader.batch import Bench, grade
    from grader.landing import check
    from grader.progress import TerminalProgress
    from grader.sanitizing import under_sanitizer
    from grader.seed import course_seed
    from grader.summary import summary

    console = Console(highlight=False)
    root = course_root(Path.cwd())
    labs = load_labs(root, lab_ids)
    check(out, submissions)
    workshop = _open(root, allow_no_sandbox=allow_no_sandbox)
    if sanitized:
        workshop = under_sanitizer(workshop)
    seed = course_seed(root)
    bench = Bench(
        judge=_judge(workshop, seed, public_only=False),
        environment=_environment(workshop),
        fingerprints=judging_fingerprints(workshop, labs),
        seed=seed,
        sweep=_sweep(workshop, console) if sweep else None,
    )
    progress = TerminalProgress(console)
    try:
        report = grade(submissions, out, labs, bench, workers=workers, progress=progress)
    finally:
        progress.end()
    console.print(summary(report), soft_wrap=True)
    console.print(workshop.gpu.on_speed, soft_wrap=True)
    return _FAULTS if report.failures else 0


def test_labs(wanted: Sequence[str], *, case: str | None, file: Path | None) -> int:
    """`tilelab test`."""
    from grader.practice import focus_of
    from grader.reports.terminal import Screen
    from grader.window import student_console, window_lines

    practice, _ = _practice(wanted, case=case, file=file)
    tried = [practice.attempt(lab) for lab in practice.labs]
    console, focus = student_console(), focus_of(tried)
    next_lab = practice.after(tried[0].lab_id) if len(tried) == 1 else ""
    console.print(Screen(tried, focus, lines=window_lines(console), next_lab=next_lab))
    return 0 if all(one.passed for one in tried) else _NOT_PASSED


def watch_labs(wanted: Sequence[str], *, case: str | None) -> int:
    """`tilelab watch`."""
    import time

    from grader.vigil import Vigil
    from grader.watch import Watch
    from grader.window import student_console

    practice, _ = _practice(wanted, case=case, file=None)
    watch = Watch({lab.id: practice.path(lab) for lab in practice.labs}, sleep=time.sleep)
    return Vigil(practice, student_console(), clock=dt.datetime.now).keep(watch.saves())


def report_labs(wanted: Sequence[str], *, out: Path, show: bool, sweep: bool) -> int:
    """`tilelab report`."""
    import os

    from grader.landing import land
    from grader.page_opener import open_page
    from grader.reports import student_page
    from grader.result import Result, Submission
    from grader.scoring import total
    from grader.window import student_console

    practice, workshop = _practice(wanted, case=None, file=None)
    if sweep and (added := _sweep(workshop, student_console())):
        practice = dataclasses.replace(practice, sweep=added)
    tried = [practice.attempt(lab) for lab in practice.labs]
    labs = {one.lab_id: one.result for one in tried}
    points, maximum = total(labs)
    result = Result(
        submission=Submission(id="your-files", name="Your files", files=tuple(lab.file for lab in labs.values())),
        environment=_environment(workshop),
        labs=labs,
        total=points,
        max=maximum,
    )
    page = practice.root / out
    try:
        land(page, student_page(result, sources={one.result.file: one.source for one in tried}, preview=True))
    except OSError as error:
        message = f"{page} cannot be written ({error.strerror}); name another file with --out"
        raise RemediableError(message) from error
    console = student_console()
    console.print(f"report: {page}", markup=False, soft_wrap=True)
    if show and console.is_terminal and not open_page(page, os.environ):
        console.print("Nothing here opens pages by itself: open that file in a browser.", style="dim")
    return 0


def _practice(wanted: Sequence[str], *, case: str | None, file: Path | None) -> tuple[Practice, Workshop]:
    from grader.practice import Practice, chosen_labs
    from grader.trial import PUBLIC_SEED

    root, labs = chosen_labs(Path.cwd(), wanted, case=case, file=file)
    workshop = _open(root, allow_no_sandbox=True)
    return Practice(root, labs, _judge(workshop, PUBLIC_SEED, public_only=True), case, file), workshop


def _sweep(workshop: Workshop, console: Console) -> SizeSweep | None:
    """None where there is nothing to do it on: then it is said, and the rest goes on."""
    from grader.size_sweep import SizeSweep

    if workshop.gpu.runs:
        return SizeSweep(workshop)
    console.print(f"no size sweep can be made here: {'; '.join(workshop.gpu.reasons)}", markup=False, soft_wrap=True)
    return None


def _open(root: Path, *, allow_no_sandbox: bool) -> Workshop:
    from grader.backend import wish
    from grader.workshop import Workshop

    return Workshop.open(root, allow_no_sandbox=allow_no_sandbox, backend=wish())


def _judge(workshop: Workshop, seed: int, *, public_only: bool) -> partial[LabOutcome]:
    from grader.judging import judge_lab

    return partial(judge_lab, workshop, seed=seed, public_only=public_only)


def judging_fingerprints(workshop: Workshop, labs: Sequence[Lab]) -> dict[str, str]:
    """What a lab's outcomes follow from beside its files. The judge counts as it was built, not as it would be."""
    from grader.jobs import grader_fingerprint

    judges = {lab.id: workshop.judge_program(lab.id, public_only=False).read_bytes() for lab in labs}
    bench = f"{workshop.fingerprint()} {grader_fingerprint()} {workshop.gpu.description}"
    return {lab_id: f"{bench} {hashlib.sha256(judge).hexdigest()}" for lab_id, judge in judges.items()}


def _environment(workshop: Workshop) -> Environment:
    return Environment(
        kit=__version__,
        compiler=workshop.compiler_version,
        backend="cuda" if workshop.gpu.runs else "cpu",
        gpu=str(workshop.gpu.device) if workshop.gpu.runs else "",
        sandbox=workshop.confinement.name,
        date=dt.datetime.now(tz=dt.UTC).date().isoformat(),
    )


def make_starters(*, check: bool) -> int:
    """`tilelab starters`."""
    from grader import starters
    from grader.markers import MarkerError

    console = Console(highlight=False)
    root = course_root(Path.cwd())
    if check:
        problems = starters.stale(root)
        for problem in problems:
            console.print(str(problem), markup=False, soft_wrap=True)
        return _NOT_PASSED if problems else 0
    try:
        written = starters.write(root)
    except MarkerError as error:
        raise LabError(str(error)) from error
    for path in written:
        console.print(f"wrote {path}", markup=False, soft_wrap=True)
    return 0


def make_handouts(out: Path, lab_ids: Sequence[str], *, accept: bool) -> int:
    """`tilelab handouts`."""
    from grader.handouts import LISTING, handout, listing, problems, write

    console = Console(highlight=False)
    root = course_root(Path.cwd())
    labs = load_labs(root, lab_ids)
    made = handout(root, labs)
    if accept:
        (root / LISTING).write_text(listing(made), encoding="utf-8")
    if broken := problems(root, labs, made):
        for problem in broken:
            console.print(str(problem), markup=False, soft_wrap=True)
        console.print("nothing was written", style="red")
        return _NOT_PASSED
    target = write(made, root / out)
    console.print(f"{target}\n{made.manifest}", markup=False, soft_wrap=True)
    return 0


def make_lab(lab_id: str, *, problem: str | None, kernel: str | None, title: str | None) -> int:
    """`tilelab new-lab`."""
    from grader.new_lab import files_of, lay_down, named, next_steps

    root = course_root(Path.cwd())
    new = named(lab_id, title=title, problem=problem, kernel=kernel)
    files = files_of(root, new)
    lay_down(root, files)
    said = "".join(f"wrote {path}\n" for path in files) + "\n" + next_steps(new)
    Console(highlight=False).print(said, markup=False, soft_wrap=True, end="")
    return 0
