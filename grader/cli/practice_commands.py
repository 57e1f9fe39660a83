"""`tilelab test`, `watch`, `answers` and `report`: a student's own files, with the public tests."""

# ruff: noqa: PLC0415 -- what `tilelab test` does not need is imported where it is: that command is run many times a day

from __future__ import annotations

import contextlib
import dataclasses
import datetime as dt
import os
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from grader.cli.error_exit import say_next
from grader.cli.practice.practice import Practice, chosen_cases, chosen_labs, focus_of
from grader.cli.practice.terminal_keys import OwnTerminal, keys_of_terminal, student_console, window_lines
from grader.engines.toolset import Toolset
from grader.model.course_root import PUBLIC_SEED, load_labs
from grader.model.errors import RemediableError
from grader.model.labs import Lab, LabError
from grader.model.result import Suspect
from grader.model.verdicts import Verdict
from grader.model.visible_text import counted
from grader.roll.batch.opened_tools import environment_of, lab_judge, open_toolset, size_sweep

if TYPE_CHECKING:
    from rich.console import Console

    from grader.course.answer_check import Counts
    from grader.pages.screens.first_mistake import Tried

_Labs = Annotated[
    list[str] | None, typer.Argument(help="a lab, or part of its name; default: this folder's lab, or all labs")
]
_Case = Annotated[str | None, typer.Option(help="run this public test only; part of its name is enough")]

_NOT_PASSED = 1
_CANNOT = 2  # a lab could not be tested
_SEARCH_SECONDS = 12.0  # for the line of a wrong result; what `tilelab test` has to say is shown before

_PLACE_LINES = 5  # below the screen: where to look for a wrong result
_IDLE_SECONDS = 60.0  # in `tilelab watch`, or until the next save


def run_tests(
    lab: _Labs = None,
    case: _Case = None,
    file: Annotated[Path | None, typer.Option(help="test this file instead of the one in assignments/")] = None,
) -> int:
    """Run the public tests on your files."""
    practice, _ = _practice(lab, case=case, file=file)
    left = [one for one in practice.labs if practice.is_left_alone(one)]
    tried, troubles = _attempts(practice)
    from grader.pages.screens.first_mistake import suspect_view
    from grader.pages.screens.lab_screen import Screen

    console, focus = student_console(), focus_of(tried)
    chosen = "" if case is None else chosen_cases(practice)
    lines = window_lines(console)
    if lines is not None:
        lines -= len(troubles) + bool(chosen) + bool(left)
        if focus is not None and focus.result.verdict is Verdict.WRONG_ANSWER and practice.may_suspect(focus):
            lines -= _PLACE_LINES
    next_lab = practice.after(tried[0].lab_id) if len(practice.labs) == 1 else ""
    console.print(Screen(tried, focus, lines=lines, next_lab=next_lab))
    if chosen:
        console.print(chosen, style="dim", markup=False)
    if left:
        ids = [one.id for one in left]
        named = focus.lab_id if focus is not None and focus.lab_id in ids else ids[0]
        said = f"Not tested, because not started: {counted(len(ids), 'lab')}. The tests of a lab are built"
        console.print(f"{said} when you change its file, or name it: LAB={named}", style="dim", markup=False)
    if focus is not None:
        _say_what_is_answered(practice, focus.lab_id, console)
    if focus is not None and not focus.passed:
        with console.status("looking for the line …"):  # after the screen: nobody should wait for it
            suspected = practice.suspected(focus)
        for shown in suspect_view(suspected.result, {suspected.result.file: suspected.source}, console.width):
            console.print(shown)
    if troubles:
        return _CANNOT
    return 0 if all(one.passed for one in tried) else _NOT_PASSED


def show_answers(lab: _Labs = None) -> int:
    """Say which questions of a lab are answered in its answers.md, and whether the numbers are right."""
    from grader.course.answer_check import own_answers, own_counts
    from grader.pages.screens.lab_screen import answers_screen

    root, labs = chosen_labs(Path.cwd(), lab or [], case=None, file=None)
    console = student_console()

    def counts(of: Lab) -> Counts:
        with console.status("counting what your kernel does …"):
            return own_counts(of, open_toolset(root, allow_no_sandbox=True))

    found = [(one.id, answers) for one in labs if (answers := own_answers(one, partial(counts, one))) is not None]
    if not found:
        raise LabError(f"{labs[0].id} asks no questions" if len(labs) == 1 else "none of these labs asks questions")
    console.print(answers_screen(found))
    done = all(one.answered == len(one.questions) and one.all_right for _, one in found)
    say_next("hand in answers.md with your code" if done else "write in answers.md, below each question")
    return 0 if done else _NOT_PASSED


def _attempts(practice: Practice) -> tuple[list[Tried], list[str]]:
    """Each lab that can be tested. What is wrong with the others is said, and listed. Raises LabError if there is no other."""
    tried: list[Tried] = []
    troubles: list[str] = []
    for lab in practice.labs:
        try:
            tried.append(practice.attempt(lab))
        except LabError as error:
            if len(practice.labs) == len(troubles) + 1:
                raise
            troubles.append(str(error))
            sys.stderr.write(f"tilelab: {error}\n")
    return tried, troubles


def _say_what_is_answered(practice: Practice, lab_id: str, console: Console) -> None:
    """One line, where the student has begun to answer the lab's questions. Tests stand whatever is wrong with them."""
    from grader.course.answer_check import own_answers
    from grader.pages.screens.lab_screen import answers_line

    lab = next(lab for lab in practice.labs if lab.id == lab_id)
    try:
        line = answers_line(own_answers(lab, hints=False), lab_id)
    except RemediableError as error:
        sys.stderr.write(f"tilelab: {error}\n")
        return
    if line is not None:
        console.print(line)


def watch_labs(lab: _Labs = None, case: _Case = None) -> int:
    """Run the public tests again whenever you save a file."""
    from grader.cli.practice.watch_loop import FilePoller, WatchLoop, watch_events

    practice, _ = _practice(lab, case=case, idle=True)
    console = student_console()
    keys = keys_of_terminal(is_shown=console.is_terminal)
    try:  # all labs of the course, because a key goes on to another one; the chosen ones alone where another is broken
        labs: Sequence[Lab] = load_labs(practice.root, [])
    except LabError:
        labs = practice.labs
    paths = {one.id: practice.path(one) for one in labs}
    others = {one.id: partial(one.files_beside, paths[one.id].parent) for one in labs}
    sleep = keys.wait if keys else time.sleep
    poller = FilePoller(paths, sleep=sleep, beside=lambda name: others[name]())
    own = OwnTerminal(practice.root, keys.lent) if keys else None
    commands = {"t": own.trace, "p": own.page, "a": own.answers} if own else {}
    watch = WatchLoop(practice, console, clock=dt.datetime.now, commands=commands)
    with keys or contextlib.nullcontext():
        return watch.run(watch_events(poller, keys.take if keys else str))


def report_labs(
    lab: _Labs = None,
    out: Annotated[Path, typer.Option(help="the file to write")] = Path("build/report.html"),
    show: Annotated[bool, typer.Option("--show/--no-show", help="open the page in a browser, if there is one")] = True,
    sweep: Annotated[
        bool,
        typer.Option("--sweep", help="on a GPU: also time correct kernels at all sizes of each lab's sweep (slow)"),
    ] = False,
) -> int:
    """Write the page that your instructor will see, for the public tests, and open it."""
    from grader.course.answer_check import own_answers
    from grader.explain.story import unpacked
    from grader.model.result import Result, Submission
    from grader.pages.pages import student_page
    from grader.run.scoring.lab_score import total
    from grader.system.own_files import is_foreign, open_page, remove_stale, write_atomically

    practice, toolset = _practice(lab, draws=True)
    # A page needs no labs whose tests would have to be built to say that nobody has begun them; but it has one lab at least.
    begun = [one for one in practice.labs if not practice.is_left_alone(one)]
    practice = dataclasses.replace(practice, labs=begun or practice.labs[:1])
    if sweep and (added := size_sweep(toolset, student_console())):
        practice = dataclasses.replace(practice, sweep=added.add)
    tried = [practice.suspected(one) for one in _attempts(practice)[0]]
    asked = {one.id: own_answers(one) for one in practice.labs}
    labs = {one.lab_id: one.result.model_copy(update={"answers": asked[one.lab_id]}) for one in tried}
    points, maximum = total(labs)
    yours = Submission(id="your-files", name="Your files", files=tuple(one.file for one in labs.values()))
    result = Result(submission=yours, environment=environment_of(toolset), labs=labs, total=points, max=maximum)
    page = practice.root / out
    try:
        texts = {one.result.file: one.source for one in tried}
        write_atomically(page, student_page(result, sources=texts, preview=True, steps=""))
        drawn = [steps for one in labs.values() for steps in one.step_pages]
        remove_stale(page.parent, labs, (one.name for one in drawn))
        for steps in drawn:
            if not is_foreign(page.with_name(steps.name)):
                write_atomically(page.with_name(steps.name), unpacked(steps))
    except OSError as error:
        raise RemediableError(f"{page} cannot be written ({error.strerror}); name another file with --out") from error
    console = student_console()
    console.print(f"report: {page}", markup=False, soft_wrap=True)
    if show and console.is_terminal and not open_page(page, os.environ):
        console.print("No browser could be started: open that file in a browser yourself.", style="dim")
    left = next((one.lab_id for one in tried if not one.passed), "")
    say_next(f"read on the page what to look at first in {left}" if left else "hand in your files")
    return 0


def _practice(
    wanted: Sequence[str] | None,
    *,
    case: str | None = None,
    file: Path | None = None,
    idle: bool = False,
    draws: bool = False,
) -> tuple[Practice, Toolset]:
    """`idle`: lines are looked for while nobody waits, on half the cores: the next save finds the others free."""
    root, labs = chosen_labs(Path.cwd(), wanted or [], case=case, file=file)
    toolset = open_toolset(root, allow_no_sandbox=True)
    seconds, workers = (_IDLE_SECONDS, max((os.cpu_count() or 1) // 2, 1)) if idle else (_SEARCH_SECONDS, None)
    judge = lab_judge(toolset, PUBLIC_SEED, public_only=True, draws=draws)
    named = bool(wanted) or len(labs) == 1

    def suspects(*asked: Any, stopped: Callable[[], bool]) -> tuple[Suspect, ...]:  # noqa: ANN401 -- as the search has it
        from grader.explain.suspect_search import SuspectSearch

        return SuspectSearch(toolset, PUBLIC_SEED, seconds, workers=workers).suspects(*asked, stopped=stopped)

    practice = Practice(root, labs, judge, case, file, search=suspects, toolset=toolset, named=named)
    practice.build(labs)
    return practice, toolset
