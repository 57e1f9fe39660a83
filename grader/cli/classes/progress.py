"""The progress of a batch on the terminal: one line that moves if a person watches, a few lines if the output is a log."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from rich.console import Console, Group, RenderableType
from rich.progress import BarColumn, TextColumn
from rich.progress import Progress as Bar
from rich.table import Table
from rich.text import Text

from grader.model.verdicts import LOOKS, TECHNIQUE_MISSED, TERMINAL_STYLES, Verdict
from grader.model.visible_text import counted
from grader.roll.batch.class_batch import BatchReport
from grader.roll.batch.judging_setup import Progress

# How long a piece of work will still take, in words, from how long what is done has taken. Pure.

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
    alarms = {f"grading stopped: {report.stopped}", *report.alarms}
    lines += [Text(f"note: {notice}", style="yellow") for notice in report.graded.notices if notice not in alarms]
    lines += [Text(f"note: {notice}", style="yellow") for notice in report.export_notices]
    lines += [Text(fault, style="bold magenta") for fault in _faults(report)]
    lines += [Text(f"look at this first: {alarm}", style="bold red") for alarm in report.alarms]
    environment = report.environment
    lines += [
        Text(f"{_people(report)}; {report.judged} labs judged, {report.reused} reused from an earlier run"),
        Text(f"compiler: {environment.compiler}; sandbox: {environment.sandbox}"),
        Text(f"report: {report.out / 'index.html'}", style="bold"),
        *(Text(f"{name}: {path}") for name, path in report.added),
        *(Text(f"grades: {report.out / export.file}") for export in report.exports),
    ]
    return Group(*lines)


def _faults(report: BatchReport) -> Iterator[str]:
    """What broke on our side, and what that means for the grades."""
    file = report.out / "instructor" / "faults.txt"
    if report.ungraded:
        many = f"{len(report.ungraded)} files were" if len(report.ungraded) > 1 else "1 file was"
        yield f"{many} not graded through a fault of the grader, and left blank: see {file}"
    if report.pages:
        many = f"{len(report.pages)} pages" if len(report.pages) > 1 else "1 page"
        yield f"{many} could not be made; grades stand as they are: see {file}"
    if report.unwritten:
        yield (
            f"{len(report.unwritten)} files could not be written and are as they were before, grades among them. The first: "
            f"{report.unwritten[0]}. Make room or choose another OUT, and grade again"
        )
    if report.stopped:
        yield f"grading stopped: {report.stopped} What was not judged yet is left blank."


def _people(report: BatchReport) -> str:
    """How many handed in. Those of the roster who did not are in no row of the table: they failed at nothing."""
    absent = sum(not result.submission.handed_in for result in report.graded.results)
    handed_in = f"{len(report.graded.results) - absent} submissions"
    return f"{handed_in}, {absent} of the roster handed in nothing" if absent else handed_in


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
