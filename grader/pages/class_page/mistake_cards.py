"""What the class got wrong: clusters of mistakes as cards, and model solutions with the number of students at each line. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import fmean, median

from grader.model import visible_text
from grader.model.graded_class import LabMistakes, Mistake, PlacedMistake, SolutionLine, SolutionMap
from grader.model.result import LabAnswers, NumberAnswer, QuestionAnswer, Result
from grader.model.verdicts import TECHNIQUE_MISSED, Verdict
from grader.model.visible_text import counted, points, share
from grader.pages.class_page.class_view import ClassView, brought_nothing, full_link, people, report_link
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


# The section of questions on the class page: which were answered, which numbers were right, and what others wrote instead. Pure.

_MOST_STUDENTS, _MOST_GIVEN = 200, 40  # students of a lab; characters of a number


def class_answers(view: ClassView) -> list[Shown]:
    """Empty where nobody answered anything: then a course does not use it. A form as it was handed out is no answer."""
    asked = {
        lab_id: [(result, lab.answers) for result, lab in each if lab.answers is not None]
        for lab_id, each in view.by_lab.items()
    }
    return [
        _answers_of_lab(lab_id, each)
        for lab_id, each in asked.items()
        if any(answers.begun or answers.listed for _, answers in each)
    ]


def _answers_of_lab(lab_id: str, each: Sequence[tuple[Result, LabAnswers]]) -> Shown:
    found = [(result, answers) for result, answers in each if answers.begun]
    asked = each[0][1].questions
    mean = sum(answers.answered for _, answers in found) / len(found) if found else 0
    summary = f"{len(found)} of {len(each)} handed in answers"
    if found:
        summary += f"; {mean:.1f} of {len(asked)} questions answered on average"
    begun = [(result, answers) for result, answers in found if answers.answered]
    begun.sort(key=lambda one: (one[1].answered, one[0].submission.called.casefold()))
    return Shown(
        id=lab_id,
        summary=summary,  # "24 of 30 handed in answers; 4.1 of 6 questions answered on average"
        questions=[_question(one, [answers.questions[at] for _, answers in found]) for at, one in enumerate(asked)],
        students=[
            Shown(result=result, link=full_link(result), answers=answers) for result, answers in begun[:_MOST_STUDENTS]
        ],
        more=max(0, len(begun) - _MOST_STUDENTS),
    )


def _question(one: QuestionAnswer, given: Sequence[QuestionAnswer]) -> Shown:
    return Shown(
        question=one,
        answered=f"{sum(each.answered for each in given)} of {len(given)}",
        numbers=[_number(number, [each.numbers[at] for each in given]) for at, number in enumerate(one.numbers)],
    )


def _number(one: NumberAnswer, given: Sequence[NumberAnswer]) -> tuple[str, str, str]:
    """Its label, how many are right, and the most common one that is not; empty: no two wrote the same."""
    written = [each for each in given if each.state in {"right", "wrong"}]
    others = Counter(" ".join(each.given.split())[:_MOST_GIVEN] for each in written if each.state == "wrong")
    unchecked = sum(each.state == "unchecked" for each in given)
    none = f"{unchecked} given, not checked here" if unchecked else "no number yet"
    text, times = others.most_common(1)[0] if others else ("", 0)
    return (
        one.label,
        f"{sum(each.state == 'right' for each in written)} of {len(written)} right" if written else none,
        f"{visible_text.line(text, _MOST_GIVEN)} ({times} times)" if times > 1 else "",
    )


# The course's sections side by side: who handed in, points, and how many pass each lab. Pure.

_FEWEST = 2  # one section is the class itself


def by_section(view: ClassView) -> Shown | None:
    keys = [*view.sections, *([""] if any(not one.submission.student.section for one in view.results) else [])]
    if len(keys) < _FEWEST:
        return None
    labs = list(view.labs)
    rows = [
        _section_row(key, [one for one in view.results if one.submission.student.section == key], labs) for key in keys
    ]
    return Shown(labs=labs, rows=rows)


def _section_row(key: str, results: Sequence[Result], labs: Sequence[str]) -> Shown:
    """`key`: as in the data of the page; empty: those whom the roster gives no section."""
    there = [one for one in results if not brought_nothing(one)]
    totals = [one.total for one in there]
    return Shown(
        name=visible_text.line(key, 60) or "no section",
        key=key,
        students=len(results),
        handed_in=len(there),
        mean=points(round(fmean(totals), 1)) if totals else "\N{EN DASH}",
        median=points(round(median(totals), 1)) if totals else "\N{EN DASH}",
        passed=[_passed(there, lab_id) for lab_id in labs],
    )


def _passed(results: Sequence[Result], lab_id: str) -> str:
    labs = [one.labs[lab_id] for one in results if lab_id in one.labs]
    return f"{share(sum(one.passed for one in labs), len(labs)):.0f} %" if labs else "\N{EN DASH}"
