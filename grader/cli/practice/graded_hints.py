"""Hints for a lab that fails, from a question to the place in the write-up, one more each time. They are taken from what the lab's
files and its findings say to students; no solution is read. Pure.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from grader.course.answer_check import check_answers, no_answers
from grader.course.answer_text import ANSWER_BYTES, NoAnswersError, answer_text
from grader.course.number_text import rounded
from grader.course.question_file import ANSWERS, LabQuestions, load_questions
from grader.engines.toolset import Toolset
from grader.model import visible_text
from grader.model.advice import question_for
from grader.model.errors import RemediableError
from grader.model.labs import Lab
from grader.model.result import LabAnswers, LabResult
from grader.model.verdicts import Verdict
from grader.pages.findings.one_cause import explanations
from grader.pages.screens.first_mistake import Tried
from grader.run.kernels.kernel_source import read_source
from grader.run.launches.lab_launch import build_launch
from grader.run.scoring.metrics import metrics_of
from grader.source.student_code import normalise

_HEADING = re.compile(r"^#{2,4} +(.+?)\s*$", re.MULTILINE)
_LIST = re.compile(r"^(?:[-*|>]|\d+\.|```|!\[|<)")
_LONGEST = 600
_NO_HELP = frozenset({"how it is graded", "questions", "what you will learn"})
# Words of a write-up about each mistake, the most telling first.
_WORDS: dict[Verdict, tuple[str, ...]] = {
    Verdict.RACE: ("__syncthreads", "barrier", "atomic", "overwrit"),
    Verdict.BARRIER_DIVERGENCE: ("every thread", "__syncthreads", "barrier"),
    Verdict.OUT_OF_BOUNDS: ("stick out", "outside", "edge", "exist", "past the end"),
    Verdict.UNINITIALIZED_READ: ("zero", "never written", "does not hold", "__syncthreads"),
    Verdict.WRONG_ANSWER: ("row-major", "index", "r·w", "sum"),
    Verdict.LAUNCH_ERROR: ("round up", "grid", "blocks"),
    Verdict.MISSING_ENTRY_POINT: ("keep their names", "you write"),
    Verdict.COMPILE_ERROR: ("you write", "edit"),
    Verdict.TIMEOUT: ("barrier", "loop"),
    Verdict.INPUT_MODIFIED: ("write every", "read none", "stores"),
}


def graded_hints(tried: Tried, write_up: str) -> list[str]:
    """From the most general to the most exact; none for a lab that passes. `write_up`: the text of the lab's README.md."""
    if tried.passed:
        return []
    return list(dict.fromkeys(one for one in _hints(tried, write_up) if one))


def _hints(tried: Tried, write_up: str) -> Iterator[str]:
    lab = tried.result
    if not tried.starting:
        if lab.first_error is not None and lab.ran:
            yield question_for(lab.first_error)
        failed = [case for case in lab.cases if not case.passed]
        yield from (visible_text.line(case.advice, _LONGEST) for case in failed[:2])
        yield from (f"Seen in the result: {visible_text.line(one.sentence, _LONGEST)}" for one in explanations(lab)[:1])
    yield from _of_write_up(lab, write_up, starting=tried.starting)


def _of_write_up(lab: LabResult, write_up: str, *, starting: bool) -> Iterator[str]:
    """Which section to read, and then its sentence."""
    words = ("edit", "you write") if starting else _WORDS.get(lab.verdict, ())
    for word in words:
        for heading, text in _sections(write_up):
            paragraph = next((one for one in _paragraphs(text) if word in one.casefold()), "")
            if paragraph and heading.casefold() not in _NO_HELP:
                yield f"Read again in README.md: “{visible_text.line(_plain(heading), 120)}”."
                yield visible_text.line(_plain(paragraph), _LONGEST)
                return


def _sections(write_up: str) -> Iterator[tuple[str, str]]:
    found = list(_HEADING.finditer(write_up))
    ends = [*(one.start() for one in found[1:]), len(write_up)]
    for heading, end in zip(found, ends, strict=False):
        yield heading[1], write_up[heading.end() : end]


def _paragraphs(text: str) -> Iterator[str]:
    """Prose alone: no code, tables, pictures. The points of a list count one by one."""
    outside = "".join(text.split("```")[::2])
    for block in re.split(r"\n\s*\n|\n(?=- |\d+\. )", outside):
        line = " ".join(block.split())
        if re.match(r"- |\d+\. ", line):
            yield line.partition(" ")[2]
        elif line and not _LIST.match(line):
            yield line


def _plain(markdown: str) -> str:
    """Without the signs of Markdown."""
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", markdown)
    return re.sub(r"\*\*|(?<!\w)\*(?=\S)|(?<=\S)\*(?!\w)|`", "", text)


# Numbers that questions ask of a student's own kernel: counted in a run of it, so that nothing has to be kept. It builds and runs.

# By a shape: the counts of a run at it. None: the run was not right and clean.
Counts = Callable[[str], dict[str, float] | None]


def with_counted(questions: LabQuestions, counts: Counts) -> LabQuestions:
    """The questions with what the student's kernel does as the right numbers. What cannot be counted stays unknown."""
    numbers = dict(questions.numbers)
    for one in questions.questions:
        for spec in one.number:
            if spec.counted and (found := counts(spec.shape)) and spec.counted in found:
                numbers[one.id, spec.label] = rounded(Fraction(found[spec.counted]), spec.digits)
    return replace(questions, numbers=numbers)


def own_counts(lab: Lab, toolset: Toolset) -> Counts:
    """Of the file in the lab's folder. Raises what building it raises."""
    source = read_source(lab.public_dir / lab.public.file)
    known: dict[str, dict[str, float] | None] = {}

    def counts(shape: str) -> dict[str, float] | None:
        if shape not in known:
            with tempfile.TemporaryDirectory(prefix="tilelab-") as scratch:
                launch = build_launch(toolset, lab, source, Path(scratch)).profile(shape).launch
            right = launch.verdict is Verdict.PASS and launch.traffic is not None
            known[shape] = metrics_of(launch.traffic) if right else None
        return known[shape]

    return counts


# The answers that a student has written so far into a lab's `answers.md`, checked. Nothing is compiled or run.

_NOT_RIGHT = "what your kernel does is counted once it is right: make test says what is wrong"


def own_answers(lab: Lab, counts: Callable[[], Counts] | None = None, *, hints: bool = True) -> LabAnswers | None:
    """None: the lab asks nothing. Of a file that cannot be read it is said why. `counts`: begins to count what the student's kernel does,
    and is called only where an answer asks for that. `hints`: as check_answers takes it. Raises LabError where the lab's own files are
    wrong.
    """
    questions = load_questions(lab)
    if questions is None:
        return None
    path = lab.public_dir / ANSWERS
    name = f"{lab.id}/{ANSWERS}"
    if not path.is_file():
        return no_answers(questions)
    try:
        with path.open("rb") as file:
            beginning = file.read(2 * ANSWER_BYTES + 1)  # so much that a larger file is noticed
        text = answer_text(normalise(beginning)[0], ANSWERS)
    except (NoAnswersError, OSError) as error:
        said = f"{path} cannot be read ({error.strerror})" if isinstance(error, OSError) else str(error)
        return no_answers(questions, said, name)
    found = check_answers(text, questions, file=name, hints=hints)
    if counts is None or not any(one.state == "unchecked" for one in found.numbers):
        return found
    try:
        counted = with_counted(questions, counts())
        said = "" if counted.numbers != questions.numbers else _NOT_RIGHT
    except RemediableError as error:  # the kernel cannot be built or started: tests say more of it
        counted, said = questions, str(error)
    found = check_answers(text, counted, file=name, hints=hints)
    return found.model_copy(update={"notices": (*found.notices, said)}) if said else found
