"""`tilelab grade`: grades a class and prints the results."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from rich.console import Console

from grader.batch.class_batch import grade_submissions
from grader.batch.output_folder import OutputFolder
from grader.batch.scratch_folder import require_temporary_files
from grader.batch.week_insight import WeekSearch
from grader.clusters.comments_file import CommentsFile
from grader.clusters.mutant_search import MutantSearch
from grader.commands.classes.class_setup import class_setup
from grader.commands.classes.given_submissions import given_submissions, path_named, time_zone, with_attempts
from grader.commands.classes.named_exports import exports_named
from grader.commands.classes.progress import TerminalProgress
from grader.commands.classes.slurm_options import SlurmOptions, slurm_cluster
from grader.commands.classes.summary import summary
from grader.commands.frame.opened_tools import jobs_at_once, lab_judge, open_toolset
from grader.intake.intake import IntakeOptions
from grader.judging.sanitizer_run import under_sanitizer
from grader.machine.worker_processes import WorkerProcesses, fitting_count
from grader.model.course_root import course_root, load_labs
from grader.model.errors import RemediableError
from grader.model.labs import lab_ids
from grader.model.seed import course_seed
from grader.people.roster import read_roster
from grader.policy.policy_files import read_policy
from grader.slurm.array_order import JudgingOptions

_FAULTS = 3


@dataclass(frozen=True)
class ClassRequest:
    """What `tilelab grade` was asked to do: its options."""

    submissions: tuple[str, ...]  # several: one class
    out: str
    labs: tuple[str, ...] = ()  # empty: all
    exports: tuple[str, ...] = ()  # names of formats, besides grades.csv and those that lie in OUT
    assignment: str = ""  # what the platform calls it; empty: as SUBMISSIONS is called
    roster: str = ""  # a file; empty: there is none
    comments: str = ""  # a file; empty: the one in OUT
    course: str = ""  # a file; empty: course.toml in the course's folder, if it is there
    attempt: str = ""  # which of several counts; empty: as course.toml says
    timezone: str = ""  # of times that a platform writes without one; empty: course.toml's, else this machine's
    workers: int | None = None  # none: as many as suit this machine
    allow_no_sandbox: bool = False
    sanitized: bool = False
    sweep: bool = False
    search_seconds: float | None = None
    slurm: SlurmOptions = field(default_factory=SlurmOptions)


def grade_class(request: ClassRequest) -> int:
    """Grades a class, and returns the exit status."""
    require_temporary_files()
    target, sources = _named(request.out, "OUT"), given_submissions(request.submissions)
    console = Console(highlight=False)
    root = course_root(Path.cwd())
    labs = load_labs(root, request.labs)
    formats = exports_named(request.exports)
    folder = OutputFolder(target, sources[0])
    for source in sources:
        OutputFolder(target, source).require_usable()
    comments = CommentsFile(Path(request.comments) if request.comments.strip() else folder.comments)
    written = comments.read()
    people = read_roster(Path(request.roster)) if request.roster.strip() else None
    policy = read_policy(root, lab_ids(root), Path(request.course) if request.course.strip() else None)
    policy = with_attempts(policy, request.attempt)
    zone = time_zone(request.timezone) if request.timezone.strip() else policy.course.zone
    on_slurm = request.slurm.asked()
    # What runs here of a class that a cluster judges is no submission: a login node needs no GPU.
    toolset = open_toolset(root, allow_no_sandbox=request.allow_no_sandbox, backend="cpu" if on_slurm else None)
    if request.sanitized and not on_slurm:
        toolset = under_sanitizer(toolset)
    seed = course_seed(root)
    workers = WorkerProcesses(fitting_count(min(os.cpu_count() or 1, request.workers or sys.maxsize)))
    toolset = toolset.working_with(workers)
    on_cpu = lab_judge(toolset.without_gpu(), seed, public_only=False)  # behaviours are compared as it sees them
    at_once = request.workers or jobs_at_once(toolset)
    setup = class_setup(
        toolset,
        labs,
        seed,
        console,
        sweep=request.sweep and not on_slurm,
        search_seconds=request.search_seconds,
        workers=request.workers or os.cpu_count() or 1,
    )
    cluster = None
    if on_slurm:
        cluster = slurm_cluster(request.slurm, _judging_options(request), setup, folder, root)
        setup = replace(setup, elsewhere=cluster, lines=None)
    progress = TerminalProgress(console)
    try:
        report = grade_submissions(
            sources,
            folder,
            labs,
            setup,
            exports=formats,
            assignment=request.assignment.strip(),
            roster=people,
            week=WeekSearch(
                comments,
                written,
                folder.private,
                MutantSearch(partial(on_cpu, explained=False), 0 if on_slurm else request.search_seconds, at_once),
            ),
            policy=policy,
            intake=IntakeOptions(zone=zone, confinement=toolset.confinement),
            workers=at_once,
            progress=progress,
        )
    finally:
        workers.end()
        progress.end()
    console.print(summary(report), soft_wrap=True)
    console.print(cluster.speed_message if cluster else toolset.gpu.speed_message, soft_wrap=True)
    return _FAULTS if report.faults else 0


def _judging_options(request: ClassRequest) -> JudgingOptions:
    """What a task is told of the request."""
    return JudgingOptions(
        allow_no_sandbox=request.allow_no_sandbox,
        sanitized=request.sanitized,
        sweep=request.sweep,
        workers=request.workers,
        search_seconds=request.search_seconds,
    )


def _named(text: str, what: str) -> Path:
    """An empty name would be this very folder. Raises RemediableError."""
    if not text.strip():
        message = f'{what} is empty: name a folder, as in `make grade SUBMISSIONS="handed in" OUT=graded`.'
        raise RemediableError(message)
    return path_named(text)
