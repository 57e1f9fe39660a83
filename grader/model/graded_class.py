"""A graded class as plain data: pages and exports are made from it. It is no part of `result.json`."""

from __future__ import annotations

from dataclasses import dataclass

from grader.model.result import Result
from grader.model.verdicts import Verdict


@dataclass(frozen=True)
class Mistake:
    """A cluster: submissions of one lab that went wrong in the same way."""

    key: str  # stays the same from batch to batch: "LAB/race/5f0c31"
    verdict: Verdict
    title: str  # what the submissions have in common
    like: str  # "the solution with `<=` for `<` in line 12"; empty: no small change of it behaves so
    students: tuple[str, ...]  # ids, in the order of the class
    shown: str  # the id of the student whose file stands for all
    line: int | None  # in that file, or in `file`
    source: tuple[str, ...]  # that line, with those around it
    first_line: int  # the number of the first of them
    hidden: bool  # only hidden cases show it
    comment: str = ""  # what the instructor wrote to all of them
    file: str = ""  # beside the lab's main file
    rest: bool = False  # others with this key have groups of their own
    before: int | None = None  # how many students made it in the batch before; none: nobody knows


@dataclass(frozen=True)
class LabMistakes:
    lab_id: str
    wrong: int  # so many submissions are wrong
    mistakes: tuple[Mistake, ...]  # those of most students first


@dataclass(frozen=True)
class PlacedMistake:
    """What went wrong at a line of the model solution."""

    verdict: Verdict
    what: str  # "the barrier is missing"; empty: the verdict says it all
    students: tuple[str, ...]  # ids, in the order of the class


@dataclass(frozen=True)
class SolutionLine:
    number: int  # in the solution's file
    text: str
    placed: tuple[PlacedMistake, ...] = ()  # those of most students first


@dataclass(frozen=True)
class SolutionMap:
    """What went wrong in a lab, at the lines of the model solution that play the same part as the students' lines."""

    lab_id: str
    file: str
    wrong: int  # so many submissions are wrong
    lines: tuple[SolutionLine, ...]  # without what only the starter has
    unplaced: tuple[tuple[str, tuple[str, ...]], ...] = ()  # why, and who; nobody stands here and at a line


@dataclass(frozen=True)
class ClassInsight:
    """What a batch knows of a class as a whole, besides each student's result."""

    mistakes: tuple[LabMistakes, ...] = ()
    comments: str = ""  # the file that the instructor's comments are written into
    similar: tuple[tuple[str, int], ...] = ()  # labs, and how many pairs of similar files each has
    maps: tuple[SolutionMap, ...] = ()  # of labs that have a model solution
    again: str = ""  # the command that puts comments onto pages


NOTHING_KNOWN = ClassInsight()


@dataclass(frozen=True)
class GradedClass:
    title: str  # the name of SUBMISSIONS, safe to show
    lab_ids: tuple[str, ...]  # each result holds every one of them
    results: tuple[Result, ...]  # one for each student
    notices: tuple[str, ...] = ()  # about SUBMISSIONS and OUT as a whole
    insight: ClassInsight = NOTHING_KNOWN  # for the class page
