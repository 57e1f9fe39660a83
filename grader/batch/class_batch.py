"""Grades a whole class in four steps: takes the submissions in, judges what is new, scores everything, writes the results."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.batch.job_store import JobStore
from grader.batch.judging_jobs import JudgingSetup, Progress, judge_class
from grader.batch.output_folder import OutputFolder
from grader.batch.publishing import publish
from grader.exports import Export
from grader.intake.intake import discover
from grader.model.graded_class import GradedClass
from grader.model.labs import Lab
from grader.model.result import Environment
from grader.scoring.class_score import score_class


@dataclass(frozen=True)
class BatchReport:
    """What a batch did, for the terminal."""

    graded: GradedClass
    out: Path
    exports: tuple[Export, ...]
    environment: Environment
    judged: int
    reused: int
    faults: tuple[str, ...] = ()  # what broke on our side, for a person to look at


def grade_submissions(  # noqa: PLR0913 -- what comes in, what goes out, and what it is done with
    submissions: Path,
    out: OutputFolder,
    labs: Sequence[Lab],
    setup: JudgingSetup,
    *,
    exports: Sequence[Export],
    workers: int | None = None,
    progress: Progress,
) -> BatchReport:
    """Grades `submissions` for `labs`. Raises IntakeError or OutError before anything is written."""
    with tempfile.TemporaryDirectory(prefix="tilelab-") as scratch:
        discovery = discover(submissions, Path(scratch) / "intake", [lab.public.file for lab in labs])
        out.claim()
        store = JobStore(out.jobs)
        jobs = Path(scratch) / "jobs"
        judged = judge_class(discovery.students, labs, setup, store, jobs, workers=workers, progress=progress)
        results = score_class(judged.students, labs, setup.environment)
        notices = (*discovery.notices, *out.left_over([result.submission.id for result in results]))
        graded = GradedClass(discovery.title, tuple(lab.id for lab in labs), tuple(results), notices)
        sources = {student.submission.id: student.texts() for student in discovery.students}
        faults = [*judged.faults, *publish(graded, out, sources, seed=setup.seed, exports=exports)]
        out.record_faults(faults)
    return BatchReport(graded, out.path, tuple(exports), setup.environment, judged.judged, judged.reused, tuple(faults))
