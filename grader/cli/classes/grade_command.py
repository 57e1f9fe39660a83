"""`tilelab grade`: grades a class and prints the results."""

from __future__ import annotations

import os
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from datetime import tzinfo
from glob import glob
from pathlib import Path
from typing import get_args
from zoneinfo import ZoneInfo

from rich.console import Console, Group, RenderableType
from rich.progress import BarColumn, TextColumn
from rich.progress import Progress as Bar
from rich.table import Table
from rich.text import Text

from grader.cli.classes.pages_command import Exports, exports_named
from grader.cli.error_exit import argument, flag, option, say_next
from grader.explain.class_mistakes import CommentsFile
from grader.explain.suspect_search import MutantSearch
from grader.model.course_root import course_root, course_seed, load_labs
from grader.model.errors import RemediableError
from grader.model.labs import lab_ids
from grader.model.verdicts import LOOKS, TECHNIQUE_MISSED, TERMINAL_STYLES, Verdict
from grader.model.visible_text import counted
from grader.roll.batch.class_batch import Batch, BatchReport, grade_submissions
from grader.roll.batch.class_insight import InsightSearch
from grader.roll.batch.controls import class_setup, jobs_at_once
from grader.roll.batch.judging_jobs import JudgingOptions, Progress
from grader.roll.batch.opened_tools import lab_judge, open_toolset
from grader.roll.batch.output_folder import OutputFolder, require_temporary_files
from grader.roll.batch.plugin import OtherMachines, loaded, registered
from grader.roll.intake.intake import IntakeOptions
from grader.roll.people.roster import read_roster
from grader.roll.policy.course_file import Attempts, CoursePolicy, read_policy
from grader.run.gpu_judging import under_sanitizer
from grader.system.worker_processes import WorkerProcesses

# The progress of a batch on the terminal: one line that moves if a person watches, a few lines if the output is a log.

_LEAST_SECONDS = 4.0  # of work, before anything can be told from it
_MINUTE, _HOUR = 60, 3600


def time_left(done: int, total: int, seconds: float) -> str:
    """`done` of `total` equal steps took `seconds`. Empty where that tells nothing yet, or nothing is left."""
    if not 0 < done < total or seconds < _LEAST_SECONDS:
        return ""
    left = (total - done) * seconds / done
    if left < _MINUTE:
        return "less than a minute left"
    if left < 1.5 * _HOUR:
        return f"about {counted(round(left / _MINUTE), 'minute')} left"
    return f"about {counted(round(left / _HOUR), 'hour')} left"


_LINES = 5  # in a log, for the judging of a whole batch
_QUIET_SECONDS = 2.0  # in a log, of any other work before it is mentioned
_REPEATED_SECONDS = 60.0  # in a log, between two lines about it


class TerminalProgress(Progress):
    """Implements the batch's Progress on a console."""

    def __init__(self, console: Console, clock: Callable[[], float] = time.monotonic) -> None:
        self._console, self._clock = console, clock
        self._jobs = self._done = 0
        self._began = self._told = self._noted = 0.0
        self._what = self._note = ""
        self._bar: Bar | None = None

    def doing(self, what: str, done: int, total: int) -> None:
        """Work other than judging: `done` of `total` steps. It may be called as often as one likes."""
        if what != self._what:
            self._start(what, total)
            self._told = self._began + _QUIET_SECONDS - _REPEATED_SECONDS
        if self._bar is not None:
            self._show(what, done, total)
        elif self._clock() - self._told >= _REPEATED_SECONDS and done < total:
            self._told = self._clock()
            self._console.print(self._sentence(what, done, total))

    def begin(self, jobs: int, reused: int) -> None:
        self.end()
        self._jobs, self._done, self._note = jobs, 0, ""
        known = f", {reused} already judged earlier" if reused else ""
        self._console.print(f"{jobs} to judge{known}")
        self._start("judged", jobs)

    def step(self) -> None:
        self._done += 1
        if self._bar is not None:
            self._show("judged", self._done, self._jobs)
        elif self._done * _LINES // self._jobs > (self._done - 1) * _LINES // self._jobs:
            self._console.print(self._sentence("judged", self._done, self._jobs))

    def note(self, text: str) -> None:
        """What else there is to know of the work at this moment; the last one counts. A log gets one in a minute."""
        if text == self._note:
            return
        if self._bar is not None:
            self._note = text
            self._show(self._what, self._done, self._jobs)
        elif not self._note or self._clock() - self._noted >= _REPEATED_SECONDS:
            self._note, self._noted = text, self._clock()
            self._console.print(text, markup=False, soft_wrap=True)

    def end(self) -> None:
        """Removes the bar, also after an interruption."""
        self._what = ""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def _start(self, what: str, total: int) -> None:
        self.end()
        self._what, self._began = what, self._clock()
        if total and self._console.is_terminal:
            columns = (BarColumn(bar_width=20), TextColumn("{task.description}", markup=False))
            self._bar = Bar(*columns, console=self._console, transient=True)
            self._bar.add_task("", total=total)
            self._show(what, 0, total)
            self._bar.start()

    def _show(self, what: str, done: int, total: int) -> None:
        assert self._bar is not None
        words = self._sentence(what, done, total) + (f"; {self._note}" if self._note else "")
        self._bar.update(self._bar.task_ids[0], completed=done, total=total, description=words)

    def _sentence(self, what: str, done: int, total: int) -> str:
        left = time_left(done, total, self._clock() - self._began)
        said = f"{done} of {total} judged" if what == "judged" else f"{what}: {done} of {total}"
        return f"{said}, {left}" if left else said


# The result of a batch for the terminal: verdicts of each lab, which tools were used, where the report is. Pure.

_MOST_LETTERS = 40  # of the headings: 80 columns have room for these, a verdict's name and frames


def summary(report: BatchReport) -> RenderableType:
    """The last lines that `tilelab grade` prints."""
    lines: list[RenderableType] = [_table(report)]
    alarms = {f"grading stopped: {report.found.stopped}", *report.alarms}
    lines += [Text(f"note: {notice}", style="yellow") for notice in report.graded.notices if notice not in alarms]
    lines += [Text(f"note: {notice}", style="yellow") for notice in report.published.notices]
    lines += [Text(fault, style="bold magenta") for fault in _faults(report)]
    lines += [Text(f"look at this first: {alarm}", style="bold red") for alarm in report.alarms]
    environment, everybody = report.environment, report.graded.results
    absent = sum(not one.submission.handed_in for one in everybody)  # in no row of the table: they failed at nothing
    people = f"{len(everybody) - absent} submissions" + (
        f", {absent} of the roster handed in nothing" if absent else ""
    )
    lines += [
        Text(f"{people}; {report.found.judged} labs judged, {report.found.reused} reused from an earlier run"),
        Text(f"compiler: {environment.compiler}; sandbox: {environment.sandbox}"),
        Text(f"report: {report.out / 'index.html'}", style="bold"),
        *(Text(f"{name}: {path}") for name, path in report.added),
        *(Text(f"grades: {report.out / export.file}") for export in report.published.exports),
    ]
    return Group(*lines)


def _faults(report: BatchReport) -> Iterator[str]:
    """What broke on our side, and what that means for the grades."""
    file = report.out / "instructor" / "faults.txt"
    if report.found.faults:
        many = f"{len(report.found.faults)} files were" if len(report.found.faults) > 1 else "1 file was"
        yield f"{many} not graded through a fault of the grader, and left blank: see {file}"
    if report.published.faults:
        many = f"{len(report.published.faults)} pages" if len(report.published.faults) > 1 else "1 page"
        yield f"{many} could not be made; grades stand as they are: see {file}"
    if report.published.unwritten:
        yield (
            f"{len(report.published.unwritten)} files could not be written and are as they were before, grades among them. The first: "
            f"{report.published.unwritten[0]}. Make room or choose another OUT, and grade again"
        )
    if report.found.stopped:
        yield f"grading stopped: {report.found.stopped} What was not judged yet is left blank."


def _table(report: BatchReport) -> Table:
    """A row for each verdict that occurred, a column for each lab."""
    results = [result for result in report.graded.results if result.submission.handed_in]
    counts = {lab: Counter(result.labs[lab].look for result in results) for lab in report.graded.lab_ids}
    table = Table("verdict", *headings(report.graded.lab_ids), pad_edge=False)
    for column in table.columns[1:]:
        column.justify = "right"
    names = {TECHNIQUE_MISSED: "pass, technique missed"} | {verdict.facts: verdict.value for verdict in Verdict}
    for look in reversed(LOOKS):  # passes first, then what is nearest to a pass
        if any(count[look] for count in counts.values()):
            row = [str(counts[lab][look] or "") for lab in report.graded.lab_ids]
            table.add_row(Text(names[look], style=TERMINAL_STYLES[look.tone]), *row)
    return table


def headings(labs: Sequence[str]) -> list[str]:
    """The labs' numbers where their names are too long for a terminal: what stands before the first hyphen."""
    numbers = [lab.split("-")[0] for lab in labs]
    is_short = sum(map(len, labs)) <= _MOST_LETTERS
    return list(labs) if is_short or len(set(numbers)) < len(labs) else numbers


# What the command line says of SUBMISSIONS: one or several paths, which attempt counts, and in which time zone a platform's times are.


def given_submissions(texts: Sequence[str]) -> list[Path]:
    """`make` gives all paths as one text: its parts are meant where it is no file or folder. Raises RemediableError if one is missing."""
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
    choices = ", ".join(get_args(Attempts))
    raise RemediableError(f"--attempt {attempt}: there is no such choice. Choose one of {choices}.")


def time_zone(name: str) -> tzinfo:
    try:
        return ZoneInfo(name.strip())
    except (OSError, ValueError, KeyError) as error:  # a zone that is not there is a KeyError
        remedy = "Give a name such as Europe/Berlin, America/New_York or UTC."
        raise RemediableError(f"--timezone {name}: there is no such time zone. {remedy}") from error


# One of several paths: a name with blanks stands in quotes.
_PATH = re.compile(r"""(?:'([^']+)'|"([^"]+)")(?!\S)|(\S+)""")


def _parts(text: str) -> list[Path]:
    found = {word: _found(word) for match in _PATH.finditer(text) for word in match.groups() if word}
    paths = [path for each in found.values() for path in each]
    if paths and (lost := [word for word, each in found.items() if not each]):
        there = f"{', '.join(map(str, paths))} {'is' if len(paths) == 1 else 'are'} there"
        raise RemediableError(
            f"{' '.join(lost)}: there is no such file or folder; {there}. Nothing was graded. Names with spaces are given in quotes "
            """of their own: SUBMISSIONS="'week 3.zip' b.zip"."""
        )
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
    workers: int | None = option(
        "how many to judge at once; default: one more than cores", "--jobs", min=1, default=None
    )
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
    if not request.out.strip():  # it would be this very folder
        raise RemediableError('OUT is empty: name a folder, as in `make grade SUBMISSIONS="handed in" OUT=graded`.')
    target, sources = path_named(request.out), given_submissions(request.submissions)
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
    workers = WorkerProcesses(min(os.cpu_count() or 1, request.workers or sys.maxsize))
    toolset = toolset.working_with(workers)
    on_cpu = lab_judge(toolset.without_gpu(), seed, public_only=False)  # behaviours are compared as it sees them
    at_once = request.workers or jobs_at_once(toolset)
    sweep, seconds, beside = request.sweep and not there, request.search_seconds, request.workers or os.cpu_count() or 1
    setup = class_setup(toolset, labs, seed, console, sweep=sweep, search_seconds=seconds, workers=beside)
    if there:
        told = JudgingOptions(**{name: getattr(request, name) for name in JudgingOptions.model_fields})
        elsewhere = loaded(there.opens)(_of(there, request), told, setup, folder.path, root)
        setup = replace(setup, elsewhere=elsewhere, lines=None)
    progress = TerminalProgress(console)
    mutants = MutantSearch(replace(on_cpu, explained=False), 0 if there else seconds, at_once)
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
            insight=InsightSearch(comments, written, folder.private, mutants),
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
    after = "docs/running-a-course.md says how to decide, and what to give back"
    say_next(f"open {folder.path / 'index.html'}; {after}")
    return _FAULTS if report.faults else 0


def _of(machines: OtherMachines, request: ClassRequest) -> object:
    own = {one.name for one in fields(machines.options)}
    return machines.options(**{name: value for name, value in request.of_plugins.items() if name in own})
