"""What the class got wrong: clusters of mistakes as cards, and model solutions with the number of students at each line. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from grader.model.graded_class import LabMistakes, Mistake, PlacedMistake, SolutionLine, SolutionMap
from grader.model.verdicts import TECHNIQUE_MISSED, Verdict
from grader.model.visible_text import counted, share
from grader.pages.class_page.class_view import ClassView, people, report_link
from grader.pages.page_section import Shown

_MOST_NAMES = 8


def mistake_cards(view: ClassView) -> Shown | None:
    labs = [_lab(one, view) for one in view.insight.mistakes if one.mistakes]
    return Shown(insight=view.insight, labs=labs) if labs else None


def _lab(lab: LabMistakes, view: ClassView) -> Shown:
    covered = sum(len(one.students) for one in lab.mistakes)
    of, groups = counted(lab.wrong, "wrong submission"), counted(len(lab.mistakes), "group")
    return Shown(
        title=view.title(lab.lab_id),
        summary=f"{covered} of {of} ({share(covered, lab.wrong):.0f} %) in {groups}",
        cards=[_card(one, view) for one in lab.mistakes],
    )


def _card(mistake: Mistake, view: ClassView) -> Shown:
    told = mistake.before is None or mistake.before == len(mistake.students)
    numbers = range(mistake.first_line, mistake.first_line + len(mistake.source))
    return Shown(
        mistake=mistake,
        look=mistake.verdict.facts if mistake.verdict is not Verdict.PASS else TECHNIQUE_MISSED,
        trend="" if told else f"{mistake.before or 'none'} in the batch before",
        people=people(view, mistake.students, _MOST_NAMES, report_link),
        shown=people(view, [mistake.shown], 1),  # whose file stands for all
        lines=list(zip(numbers, mistake.source, strict=True)),
    )


# A lab's model solution with what the class got wrong at each line: how many students, who, and in which groups. Pure.

STEPS = 5  # of the colour
_SOLUTION_HEAT_MOST_NAMES = 12
_MOST_GROUPS = 4


def solution_heat(view: ClassView) -> list[Shown]:
    mistakes = {one.lab_id: one for one in view.insight.mistakes}
    return [_heat_of_lab(at, one, mistakes.get(one.lab_id), view) for at, one in enumerate(view.insight.maps, start=1)]


def _heat_of_lab(number: int, lab: SolutionMap, mistakes: LabMistakes | None, view: ClassView) -> Shown:
    most = max((len(_students(one.placed)) for one in lab.lines), default=0)
    lines = [_line(one, number, most, mistakes, view) for one in lab.lines]
    missing = sum(len(who) for _, who in lab.unplaced)
    placed = lab.wrong - missing
    summary = f"{placed} of {counted(lab.wrong, 'wrong submission')} placed ({share(placed, lab.wrong):.0f} %)"
    return Shown(
        title=view.title(lab.lab_id),
        file=lab.file,
        summary=f"{summary}, {missing} not" if missing else summary,
        lines=lines,
        hot=[one for one in lines if one.count],  # in the order of the file
        unplaced=[(why, len(who), people(view, who, _SOLUTION_HEAT_MOST_NAMES)) for why, who in lab.unplaced],
    )


def _line(line: SolutionLine, number: int, most: int, mistakes: LabMistakes | None, view: ClassView) -> Shown:
    students = _students(line.placed)
    return Shown(
        number=line.number,
        text=line.text,
        step=-(-STEPS * len(students) // most) if most else 0,  # 0: nothing; STEPS: the most of this lab
        count=len(students),
        anchor=f"solution-{number}-{line.number}",
        entries=[(one, people(view, one.students, _SOLUTION_HEAT_MOST_NAMES)) for one in line.placed],
        groups=_groups(students, mistakes),
    )


def _students(placed: Sequence[PlacedMistake]) -> frozenset[str]:
    return frozenset(student for one in placed for student in one.students)


def _groups(students: frozenset[str], mistakes: LabMistakes | None) -> list[Mistake]:
    """The groups of mistakes that most of these students are in."""
    common = [(len(students.intersection(one.students)), one) for one in (mistakes.mistakes if mistakes else ())]
    common.sort(key=lambda one: -one[0])
    return [one for count, one in common[:_MOST_GROUPS] if count]
