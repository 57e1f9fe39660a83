"""A lab's model solution with what the class got wrong at each line: how many students, who, and in which groups. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grader.model.class_insight import LabMistakes, PlacedMistake, SolutionLine, SolutionMap
from grader.model.verdicts import VerdictFacts
from grader.reports.class_week.class_view import ClassView, full_link
from grader.reports.text import visible
from grader.reports.text.number_format import counted, share

STEPS = 5  # of the colour
_MOST_NAMES = 12
_MOST_GROUPS = 4


@dataclass(frozen=True)
class Who:
    names: tuple[tuple[str, str], ...]  # with links
    more: int


@dataclass(frozen=True)
class HeatEntry:
    look: VerdictFacts
    what: str
    students: str  # "12 students"
    who: Who


@dataclass(frozen=True)
class HeatLine:
    number: int
    text: str
    step: int  # 0: nothing, up to STEPS: the most of this lab
    count: int
    students: str
    anchor: str
    entries: tuple[HeatEntry, ...]
    groups: tuple[tuple[str, str], ...]  # of mistakes: key and title


@dataclass(frozen=True)
class Unplaced:
    why: str
    students: str
    who: Who


@dataclass(frozen=True)
class LabHeat:
    lab_id: str
    title: str
    file: str
    summary: str
    lines: tuple[HeatLine, ...]
    hot: tuple[HeatLine, ...]  # those with something, in the order of the file
    unplaced: tuple[Unplaced, ...]


def solution_heat(view: ClassView) -> tuple[LabHeat, ...]:
    mistakes = {one.lab_id: one for one in view.insight.mistakes}
    maps = view.insight.maps
    return tuple(_lab(at, one, mistakes.get(one.lab_id), view) for at, one in enumerate(maps, start=1))


def _lab(number: int, lab: SolutionMap, mistakes: LabMistakes | None, view: ClassView) -> LabHeat:
    most = max((len(_students(one.placed)) for one in lab.lines), default=0)
    lines = tuple(_line(one, number, most, mistakes, view) for one in lab.lines)
    missing = sum(len(who) for _, who in lab.unplaced)
    placed = lab.wrong - missing
    summary = f"{placed} of {counted(lab.wrong, 'wrong submission')} placed ({share(placed, lab.wrong):.0f} %)"
    title = view.labs[lab.lab_id].title if lab.lab_id in view.labs else lab.lab_id
    return LabHeat(
        visible.line(lab.lab_id, 60),
        visible.line(title, 120),
        lab.file,
        f"{summary}, {missing} not" if missing else summary,
        lines,
        tuple(one for one in lines if one.count),
        tuple(Unplaced(why, counted(len(who), "student"), _who(who, view)) for why, who in lab.unplaced),
    )


def _line(line: SolutionLine, number: int, most: int, mistakes: LabMistakes | None, view: ClassView) -> HeatLine:
    students = _students(line.placed)
    return HeatLine(
        number=line.number,
        text=line.text,
        step=-(-STEPS * len(students) // most) if most else 0,
        count=len(students),
        students=counted(len(students), "student"),
        anchor=f"solution-{number}-{line.number}",
        entries=tuple(
            HeatEntry(
                one.verdict.facts,
                visible.line(one.what, 240),
                counted(len(one.students), "student"),
                _who(one.students, view),
            )
            for one in line.placed
        ),
        groups=_groups(students, mistakes),
    )


def _students(placed: Sequence[PlacedMistake]) -> frozenset[str]:
    return frozenset(student for one in placed for student in one.students)


def _groups(students: frozenset[str], mistakes: LabMistakes | None) -> tuple[tuple[str, str], ...]:
    """The groups of mistakes that most of these students are in."""
    common = [(len(students.intersection(one.students)), one) for one in (mistakes.mistakes if mistakes else ())]
    common.sort(key=lambda one: -one[0])
    return tuple((one.key, visible.line(one.title, 120)) for count, one in common[:_MOST_GROUPS] if count)


def _who(students: Sequence[str], view: ClassView) -> Who:
    known = [view.by_id[one] for one in students if one in view.by_id]
    names = [(visible.person(one.submission, 60), full_link(one)) for one in known]
    return Who(tuple(names[:_MOST_NAMES]), max(0, len(known) - _MOST_NAMES))
