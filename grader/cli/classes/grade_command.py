"""`tilelab grade`: grades a class and prints the results."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from datetime import tzinfo
from glob import glob
from pathlib import Path
from typing import get_args
from zoneinfo import ZoneInfo

from rich.console import Console

from grader.cli.classes.pages_command import Exports, exports_named
from grader.cli.classes.progress import TerminalProgress, summary
from grader.cli.error_exit import argument, flag, option
from grader.explain.class_mistakes import CommentsFile
from grader.explain.suspect_search import MutantSearch
from grader.model.course_root import course_root, course_seed, load_labs
from grader.model.errors import RemediableError
from grader.model.labs import lab_ids
from grader.roll.batch.class_batch import Batch, grade_submissions
from grader.roll.batch.class_insight import InsightSearch
from grader.roll.batch.judging_setup import JudgingOptions
from grader.roll.batch.opened_tools import class_setup, jobs_at_once, lab_judge, open_toolset
from grader.roll.batch.output_folder import OutputFolder, require_temporary_files
from grader.roll.batch.plugin import OtherMachines, loaded, registered
from grader.roll.intake.intake import IntakeOptions
from grader.roll.people.roster import read_roster
from grader.roll.policy.class_policy import CoursePolicy, read_policy
from grader.roll.policy.course_file import Attempts
from grader.run.gpu_judging import under_sanitizer
from grader.system.worker_processes import WorkerProcesses, fitting_count

# What the command line says of SUBMISSIONS: one or several paths, which attempt counts, and in which time zone a platform's times are.


def given_submissions(texts: Sequence[str]) -> list[Path]:
    """`make` gives all paths as one text: where there is no such file or folder, its parts are meant. Raises RemediableError where one is
    not there.
    """
    if not texts or not all(text.strip() for text in texts):
        raise RemediableError(
            'SUBMISSIONS is empty: name a folder or a download, as in `make grade SUBMISSIONS="handed in" OUT=graded`.'
        )
    paths: list[Path] = []
    for text in texts:
        paths += [here] if _is_there(here := path_named(text)) else _parts(text)
    real = [path.resolve() for path in paths]
    if twice := [path for path in paths if real.count(path.resolve()) > 1]:
        raise RemediableError(f"{twice[0]}: this is given twice. Give each download once.")
    return paths


def with_attempts(policy: CoursePolicy, attempt: str) -> CoursePolicy:
    """`attempt`: what the command line says of them; empty: course.toml's word stays. Raises RemediableError where the word is unknown."""
    which: Attempts
    match attempt.strip().casefold():
        case "":
            return policy
        case "latest" | "best" | "before-deadline" as which:
            return replace(policy, course=replace(policy.course, attempts=which))
    raise RemediableError(
        f"--attempt {attempt}: there is no such choice. Choose one of {', '.join(get_args(Attempts))}."
    )


def time_zone(name: str) -> tzinfo:
    try:
        return ZoneInfo(name.strip())
    except (OSError, ValueError, KeyError) as error:  # a zone that is not there is a KeyError
        raise RemediableError(
            f"--timezone {name}: there is no such time zone. Give a name such as Europe/Berlin, America/New_York or UTC."
        ) from error


# One of several paths: a name with blanks stands in quotes.
_PATH = re.compile(r"""(?:'([^']+)'|"([^"]+)")(?!\S)|(\S+)""")


def _parts(text: str) -> list[Path]:
    found = {word: _found(word) for match in _PATH.finditer(text) for word in match.groups() if word}
    paths = [path for each in found.values() for path in each]
    if paths and (lost := [word for word, each in found.items() if not each]):
        raise RemediableError(_not_there(paths, lost))
    return paths or [path_named(text)]  # intake says that it is not there


def _found(text: str) -> list[Path]:
    """What is there under that name; with a star in it, everything that fits."""
    path = path_named(text)
    if _is_there(path):
        return [path]
    return sorted(map(Path, glob(str(path)))) if "*" in text else []  # noqa: PTH207 -- from the root as well


def _is_there(path: Path) -> bool:
    """Many paths in one text may be longer than a name can be."""
    try:
        return path.exists()
    except OSError:
        return False


def path_named(text: str) -> Path:
    """`~` is the user's own folder: inside of quotes the shell leaves it as it is."""
    with suppress(RuntimeError):  # there is no such user
        return Path(text).expanduser()
    return Path(text)


def _not_there(paths: Sequence[Path], lost: Sequence[str]) -> str:
    found, missing = ", ".join(map(str, paths)), " ".join(lost)
    return (
        f"{missing}: there is no such file or folder; {found} {'is' if len(paths) == 1 else 'are'} there. Nothing was graded. Names with "
        """spaces are given in quotes of their own: SUBMISSIONS="'week 3.zip' b.zip"."""
    )


_FAULTS = 3


@dataclass(frozen=True)
class ClassRequest:
    """What `tilelab grade` was asked to do."""

    submissions: tuple[str, ...] = argument(
        "what your platform lets you download, as it is; or a folder or archive with one folder or archive per student. Several are one "
        "class: one download for each lab, for example"
    )
    out: str = option("the folder to write the report to", default="out")
    labs: tuple[str, ...] = option("grade this lab only; may be given several times", "--lab", default=())
    exports: Exports = ()
    assignment: str = option(
        "what the platform calls it, for exports: 'Week 3 (4711)'; see docs/exports.md", metavar="NAME"
    )
    roster: str = option(
        "a CSV file of everybody in the course, as a platform exports it: see docs/roster.md", metavar="FILE"
    )
    comments: str = option(
        "comments for all who made the same mistake; default: OUT/instructor/comments.toml", metavar="FILE"
    )
    course: str = option(
        "the course's deadlines and rules for late work; default: course.toml in the course's folder, if it is there: see docs/policy.md",
        metavar="FILE",
    )
    attempt: str = option(
        "which of a student's attempts counts for each lab: latest, best, or before-deadline (the last one before it); default: as "
        "course.toml says, else the latest",
        metavar="WHICH",
    )
    timezone: str = option(
        "of times that a platform writes without one, such as Europe/Berlin; default: that of course.toml, else this machine's",
        metavar="NAME",
    )
    workers: int | None = option("how many to judge at once; default: one per core", "--jobs", min=1, default=None)
    allow_no_sandbox: bool = flag("--no-sandbox", "run submissions even where there is no sandbox to confine them")
    sanitized: bool = flag("--sanitize", "on a GPU: also run every case under compute-sanitizer (slow)")
    sweep: bool = flag("--sweep", "on a GPU: also time correct kernels at all sizes of each lab's sweep (slow)")
    search_seconds: float | None = option(
        "how long to look for the lines of wrong results after judging; 0: not at all; default: an eighth of what judging took",
        min=0,
        default=None,
    )
    of_plugins: Mapping[str, object] = field(default_factory=dict)  # options of what may judge in place of this machine


def grade_class(request: ClassRequest) -> int:
    """Grade a class and write the report."""
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
    there = next((one for one in registered(OtherMachines) if one.asked(_of(one, request))), None)
    # What runs here of a class that other machines judge is no submission: a login node needs no GPU.
    toolset = open_toolset(root, allow_no_sandbox=request.allow_no_sandbox, backend="cpu" if there else None)
    if request.sanitized and not there:
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
        sweep=request.sweep and not there,
        search_seconds=request.search_seconds,
        workers=request.workers or os.cpu_count() or 1,
    )
    if there:
        told = JudgingOptions(**{name: getattr(request, name) for name in JudgingOptions.model_fields})
        elsewhere = loaded(there.opens)(_of(there, request), told, setup, folder.path, root)
        setup = replace(setup, elsewhere=elsewhere, lines=None)
    progress = TerminalProgress(console)
    try:
        batch = Batch(
            sources,
            folder,
            labs,
            setup,
            progress,
            exports=formats,
            assignment=request.assignment.strip(),
            roster=people,
            insight=InsightSearch(
                comments,
                written,
                folder.private,
                MutantSearch(replace(on_cpu, explained=False), 0 if there else request.search_seconds, at_once),
            ),
            policy=policy,
            intake=IntakeOptions(zone=zone, confinement=toolset.confinement),
            workers=at_once,
        )
        report = grade_submissions(batch)
    finally:
        workers.end()
        progress.end()
    console.print(summary(report), soft_wrap=True)
    console.print(setup.elsewhere.speed_message if setup.elsewhere else toolset.gpu.speed_message, soft_wrap=True)
    return _FAULTS if report.faults else 0


def _of(machines: OtherMachines, request: ClassRequest) -> object:
    own = {one.name for one in fields(machines.options)}
    return machines.options(**{name: value for name, value in request.of_plugins.items() if name in own})


def _named(text: str, what: str) -> Path:
    """An empty name would be this very folder. Raises RemediableError."""
    if not text.strip():
        raise RemediableError(f'{what} is empty: name a folder, as in `make grade SUBMISSIONS="handed in" OUT=graded`.')
    return path_named(text)
