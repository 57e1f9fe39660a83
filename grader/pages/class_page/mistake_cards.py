"""A lab's clusters of mistakes as cards: what it is, who made it, one of the files, and the comment that all of them get. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from grader.model import visible_text
from grader.model.result import LabMistakes, Mistake, PlacedMistake, SolutionLine, SolutionMap
from grader.model.verdicts import TECHNIQUE_MISSED, Verdict, VerdictFacts
from grader.model.visible_text import counted, share
from grader.pages.class_page.class_view import ClassView, full_link, report_link

_MOST_NAMES = 8


@dataclass(frozen=True)
class Line:
    number: int
    text: str
    meant: bool


@dataclass(frozen=True)
class MistakeCard:
    key: str
    look: VerdictFacts
    title: str
    like: str
    students: str  # "14 students"
    trend: str  # "9 in the batch before"; empty: as many, or there was none
    names: tuple[tuple[str, str], ...]  # with links
    more: int
    shown: tuple[str, str]  # whose file it is, with its link
    lines: tuple[Line, ...]
    hidden: bool
    comment: visible_text.Block | None


@dataclass(frozen=True)
class LabCards:
    lab_id: str
    title: str
    summary: str  # "34 of 36 wrong submissions in 8 groups"
    cards: tuple[MistakeCard, ...]


@dataclass(frozen=True)
class Mistakes:
    file: str  # where comments are written
    command: str  # what puts them onto pages
    labs: tuple[LabCards, ...]


def mistake_cards(view: ClassView) -> Mistakes | None:
    labs = tuple(_lab(one, view) for one in view.insight.mistakes if one.mistakes)
    told = view.insight
    return Mistakes(visible_text.line(told.comments, 300), visible_text.line(told.again, 300), labs) if labs else None


def _lab(lab: LabMistakes, view: ClassView) -> LabCards:
    covered = sum(len(one.students) for one in lab.mistakes)
    title = view.labs[lab.lab_id].title if lab.lab_id in view.labs else lab.lab_id
    groups = counted(len(lab.mistakes), "group")
    return LabCards(
        visible_text.line(lab.lab_id, 60),
        visible_text.line(title, 120),
        f"{covered} of {counted(lab.wrong, 'wrong submission')} ({share(covered, lab.wrong):.0f} %) in {groups}",
        tuple(_card(one, view) for one in lab.mistakes),
    )


def _card(mistake: Mistake, view: ClassView) -> MistakeCard:
    known: Mapping[str, tuple[str, str]] = {
        one: (visible_text.person(view.by_id[one].submission, 60), report_link(view.by_id[one]))
        for one in (*mistake.students, mistake.shown)
        if one in view.by_id
    }
    facts = mistake.verdict.facts if mistake.verdict is not Verdict.PASS else TECHNIQUE_MISSED
    name, _ = known.get(mistake.shown, ("", ""))
    return MistakeCard(
        key=mistake.key,
        look=facts,
        title=mistake.title[:1].upper() + mistake.title[1:],
        like=mistake.like,
        students=counted(len(mistake.students), "student"),
        trend=_trend(mistake),
        names=tuple(known[one] for one in mistake.students[:_MOST_NAMES] if one in known),
        more=max(0, len(mistake.students) - _MOST_NAMES),
        shown=(name, full_link(view.by_id[mistake.shown]) if name else ""),
        lines=tuple(
            Line(mistake.first_line + at, text, mistake.first_line + at == mistake.line)
            for at, text in enumerate(mistake.source)
        ),
        hidden=mistake.hidden,
        comment=visible_text.block(mistake.comment, lines=60, columns=1000) if mistake.comment else None,
    )


def _trend(mistake: Mistake) -> str:
    if mistake.before is None or mistake.before == len(mistake.students):
        return ""
    return f"{mistake.before or 'none'} in the batch before"


# A lab's model solution with what the class got wrong at each line: how many students, who, and in which groups. Pure.

STEPS = 5  # of the colour
_SOLUTION_HEAT_MOST_NAMES = 12
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
    return tuple(_solution_heat_lab(at, one, mistakes.get(one.lab_id), view) for at, one in enumerate(maps, start=1))


def _solution_heat_lab(number: int, lab: SolutionMap, mistakes: LabMistakes | None, view: ClassView) -> LabHeat:
    most = max((len(_students(one.placed)) for one in lab.lines), default=0)
    lines = tuple(_line(one, number, most, mistakes, view) for one in lab.lines)
    missing = sum(len(who) for _, who in lab.unplaced)
    placed = lab.wrong - missing
    summary = f"{placed} of {counted(lab.wrong, 'wrong submission')} placed ({share(placed, lab.wrong):.0f} %)"
    title = view.labs[lab.lab_id].title if lab.lab_id in view.labs else lab.lab_id
    return LabHeat(
        visible_text.line(lab.lab_id, 60),
        visible_text.line(title, 120),
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
                visible_text.line(one.what, 240),
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
    return tuple((one.key, visible_text.line(one.title, 120)) for count, one in common[:_MOST_GROUPS] if count)


def _who(students: Sequence[str], view: ClassView) -> Who:
    known = [view.by_id[one] for one in students if one in view.by_id]
    names = [(visible_text.person(one.submission, 60), full_link(one)) for one in known]
    return Who(tuple(names[:_SOLUTION_HEAT_MOST_NAMES]), max(0, len(known) - _SOLUTION_HEAT_MOST_NAMES))
