"""What the commands do once their words are parsed: opens the workshop, runs, prints. Returns the exit status."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from rich.console import Console

from grader.course import course_root, lab_at, load_labs
from grader.labs import LabError, load_lab
from grader.result import Verdict

_NOT_PASSED, _FAULTS = 1, 3


def grade_class(
    submissions: Path, out: Path, lab_ids: Sequence[str], *, workers: int | None, allow_no_sandbox: bool
) -> int:
    """`tilelab grade`."""
    from grader.batch import Bench, grade
    from grader.jobs import grader_fingerprint
    from grader.judging import judge_lab
    from grader.landing import check
    from grader.progress import TerminalProgress
    from grader.seed import course_seed
    from grader.summary import summary
    from grader.workshop import Workshop

    console = Console()
    root = course_root(Path.cwd())
    labs = load_labs(root, lab_ids)
    check(out, submissions)
    workshop = Workshop.open(root, allow_no_sandbox=allow_no_sandbox)
    seed = course_seed(root)
    bench = Bench(
        judge=partial(judge_lab, workshop, seed=seed, public_only=False),
        environment=environment_of(workshop),
        fingerprint=f"{workshop.fingerprint()} {grader_fingerprint()} cpu",
        seed=seed,
    )
    progress = TerminalProgress(console)
    try:
        report = grade(submissions, out, labs, bench, workers=workers, progress=progress)
    finally:
        progress.end()
    console.print(summary(report))
    return _FAULTS if report.failures else 0


def test_lab(lab_id: str | None, *, case: str | None, file: Path | None) -> int:
    """`tilelab test`."""
    from grader.judging import judge_lab
    from grader.reports.terminal import render_lab
    from grader.trial import PUBLIC_SEED, try_out
    from grader.workshop import Workshop

    root = course_root(Path.cwd())
    lab = load_lab(root, lab_id or lab_at(root, Path.cwd()))
    source = file or lab.public_dir / lab.public.file
    workshop = Workshop.open(root, allow_no_sandbox=True)
    judge = partial(judge_lab, workshop, seed=PUBLIC_SEED, public_only=True)
    with tempfile.TemporaryDirectory(prefix="tilelab-") as scratch:
        result = try_out(lab, source, Path(scratch), judge, case=case)
    text = source.read_bytes().decode("utf-8", "replace")
    Console().print(render_lab(lab.id, result, sources={lab.public.file: text}))
    return 0 if result.verdict is Verdict.PASS else _NOT_PASSED


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
