"""The class page as plain data: its sections (a panel for each lab, measured speed, mistakes, the model solution, questions), the
summary, and a row for each student. Pure.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import partial
from itertools import accumulate
from statistics import fmean, median
from typing import Any

from grader.model import visible_text
from grader.model.graded_class import ClassInsight, LabMistakes, Mistake, PlacedMistake, SolutionLine, SolutionMap
from grader.model.result import Finding, LabAnswers, LabResult, NumberAnswer, Result
from grader.model.verdicts import LOOKS, TECHNIQUE_MISSED, Verdict, VerdictFacts
from grader.model.visible_text import counted, points, share
from grader.pages.class_page.class_view import (
    ClassView,
    attention,
    decisions,
    follow_up,
    full_link,
    group,
    handed_in_nothing,
    is_open,
    moved,
    needs_help,
    people,
    report_link,
)
from grader.pages.page_section import Section, Shown, shown_sections
from grader.run.speed.speed_score import is_measured

# Findings that several students of a class share: the same kind on the same line of code. Pure.

_MOST = 5
# No mistakes that a lecturer can discuss in class: missing files, failures of ours, attempts at cheating.
_TOLD_ELSEWHERE = {Verdict.REJECTED, *(one for one in Verdict if one.facts.tone in {"absent", "ours"})}


def recurring(labs: Iterable[LabResult]) -> list[Shown]:
    """The most common findings, those of most students first. A student counts once, however often a finding repeats."""
    tally: Counter[tuple[Verdict, str, bool]] = Counter()
    for lab in labs:
        tally.update({_key(one) for one in lab.findings if one.severity == "error" and one.kind not in _TOLD_ELSEWHERE})
    order = list(Verdict)
    ranked = sorted(tally.items(), key=lambda item: (-item[1], order.index(item[0][0]), item[0][1]))
    return [
        Shown(look=kind.facts, text=text, is_code=is_code, students=counted(count, "student"))
        for (kind, text, is_code), count in ranked[:_MOST]
    ]


def _key(finding: Finding) -> tuple[Verdict, str, bool]:
    """The line without its indentation and outer spaces, and that it is code. Where there is no line, the message."""
    if finding.source and finding.source.strip():
        return finding.kind, visible_text.code(" ".join(finding.source.split()), 120), True
    return finding.kind, visible_text.line(finding.message, 160), False


_TONES = ("good", "partial", "bad", "absent", "waiting", "ours")


def verdict_bar(looks: Sequence[VerdictFacts]) -> list[Shown]:
    """Passes first, then the submissions' mistakes by number, then what was not judged. Places in percent of the bar."""
    counts = sorted(Counter(looks).items(), key=lambda one: (_TONES.index(one[0].tone), -one[1], LOOKS.index(one[0])))
    place = partial(share, maximum=len(looks))
    return [
        Shown(look=look, count=count, start=place(end - count), width=place(count), middle=place(end - count / 2))
        for (look, count), end in zip(counts, accumulate(count for _, count in counts), strict=True)
    ]


def lab_panels(view: ClassView) -> list[Shown]:
    return [_panel(lab_id, [lab for _, lab in each]) for lab_id, each in view.by_lab.items()]


def _panel(lab_id: str, labs: Sequence[LabResult]) -> Shown:
    earned = [lab.points for lab in labs]
    passed = sum(lab.passed for lab in labs)
    return Shown(
        id=lab_id,
        lab=labs[0],
        mean=points(round(fmean(earned), 1)),
        median=points(round(median(earned), 1)),
        passed=f"{share(passed, len(labs)):.0f} %",
        bar=verdict_bar([lab.look for lab in labs]),
        recurring=recurring(labs),
    )


# How many students have how many points, as bars. Pure.

HISTOGRAM_WIDTH, HEIGHT = 420.0, 120.0  # the drawing's own units
_MOST_BINS = 10
_STEPS = (1.0, 2.0, 2.5, 5.0)  # times powers of ten: round ends of bins
_HISTOGRAM_GAP = 4.0
_HISTOGRAM_ROOM = 40  # letters below all bars together


def histogram(totals: Sequence[float], maximum: float) -> Shown:
    """At most ten equal bins up to `maximum`. The last one holds full marks and, with extra credit, more than that."""
    step, bins = _bins(maximum)
    counts = [0] * bins
    for total in totals:
        counts[min(bins - 1, max(0, math.floor(total / step + 1e-9)))] += 1
    slot, top = HISTOGRAM_WIDTH / bins, max([1, *counts])
    ranges = [_range(at, step, last=at == bins - 1) for at in range(bins)]
    bars = [
        Shown(
            x=round(at * slot + _HISTOGRAM_GAP / 2, 2),
            y=round(HEIGHT - HEIGHT * count / top, 2),
            width=round(slot - _HISTOGRAM_GAP, 2),
            height=round(HEIGHT * count / top, 2),
            middle=round((at + 0.5) * slot, 2),
            count=count,
            label=ranges[at][0],
            title=f"{ranges[at][1]}: {counted(count, 'student')}",
        )
        for at, count in enumerate(counts)
    ]
    return Shown(
        bars=bars,
        alternative="; ".join(bar.title for bar in bars if bar.count) or "no student handed in anything",
        roomy=all(len(bar.label) * len(bars) <= _HISTOGRAM_ROOM for bar in bars),  # for larger letters below the bars
    )


def _bins(maximum: float) -> tuple[float, int]:
    """The width and the number of bins: the narrowest width with at most ten bins, where the last bin holds full marks."""
    if not (math.isfinite(maximum) and maximum > 0):
        return 1.0, 1
    power = 10.0 ** (math.floor(math.log10(maximum)) - 1)
    steps = (scale * each for scale in (power, 10 * power) for each in _STEPS)
    step = next(step for step in steps if maximum / step <= _MOST_BINS)
    return step, math.ceil(maximum / step - 1e-9)


def _range(at: int, step: float, *, last: bool) -> tuple[str, str]:
    """As a label and in words."""
    low, high = points(at * step), points((at + 1) * step)
    if last:
        return f"{low}+", f"{low} points and more"
    return f"{low}\N{EN DASH}{high}", f"from {low} to under {high} points"


# Whose speed was measured on which GPU, and whose was not and why. Some kernels of a batch may have been graded without a GPU, or at a time
# when the machine was too noisy. Pure.

_NUMBER = re.compile(r"\d[\d.,]*")
_FEW = 12  # a longer list is folded
_MOST_NAMES = 300
_LETTERS = 10_000  # names of labs
_MOST_GROUPS = 12


def measured_speed(results: Sequence[Result]) -> Shown | None:
    """Covers the right kernels in timed labs; no other kernels are timed. None where no lab is timed."""
    kernels = list(_right_kernels(results))
    if not any(lab.timing for result in results for lab in result.labs.values()):
        return None
    if not any(_is_timed(lab) for _, _, lab in kernels):
        reasons = list({_group_key(lab): _gpu_or_reason(lab) for _, _, lab in kernels}.values())
        why = "; ".join(reasons[:_MOST_GROUPS]) or "no kernel is correct yet"
        return Shown(labs=[], groups=[], sentence=f"Speed was not measured: {why}.")
    keys = sorted({_group_key(lab) for _, _, lab in kernels})
    labs = dict.fromkeys(lab_id for _, lab_id, _ in kernels)
    return Shown(
        labs=[_of_lab(lab_id, [lab for _, one, lab in kernels if one == lab_id]) for lab_id in labs],
        groups=[_group([one for one in kernels if _group_key(one[2]) == key]) for key in keys[:_MOST_GROUPS]],
        sentence="",
    )


def _right_kernels(results: Sequence[Result]) -> Iterator[tuple[Result, str, LabResult]]:
    for result in results:
        for lab_id, lab in result.labs.items():
            is_right = all(case.passed for case in lab.cases if case.role == "correctness")
            if lab.timing and lab.verdict is Verdict.PASS and is_right:
                yield result, lab_id, lab


def _is_timed(lab: LabResult) -> bool:
    return lab.timing is not None and lab.timing.speedup is not None


def _gpu_or_reason(lab: LabResult) -> str:
    """The GPU that a kernel was timed on, or why it was not."""
    assert lab.timing is not None
    return visible_text.line(lab.timing.device if _is_timed(lab) else lab.timing.words, 200)


def _group_key(lab: LabResult) -> tuple[bool, str]:
    """The key to group and sort by. Timed kernels come first. Reasons that differ only in their numbers are the same."""
    return not _is_timed(lab), _gpu_or_reason(lab) if _is_timed(lab) else _NUMBER.sub("0", _gpu_or_reason(lab))


def _of_lab(lab_id: str, labs: Sequence[LabResult]) -> str:
    """The rule is that of scoring: speed counts in a lab if all its right kernels were timed, or were too slow for that."""
    timed = sum(is_measured(lab.timing) for lab in labs)
    name = visible_text.line(lab_id, 60)
    if timed == len(labs):
        return f"{name}: all correct kernels were timed, {len(labs)} of {len(labs)}."
    many = counted(len(labs), "correct kernel")
    return f"{name}: only {timed} of {many} were timed, so speed changes no points."


def _group(kernels: Sequence[tuple[Result, str, LabResult]]) -> Shown:
    first = kernels[0][2]
    students: dict[str, tuple[Result, list[str]]] = {}
    for result, lab_id, _ in kernels:
        students.setdefault(result.submission.id, (result, []))[1].append(visible_text.line(lab_id, 60))
    ordered = sorted(students.values(), key=lambda each: each[0].submission.called.casefold())
    timed, number = _is_timed(first), counted(len(kernels), "kernel")
    title, why = (f"Timed on {_gpu_or_reason(first)}", "") if timed else ("Not timed", _gpu_or_reason(first))
    few, tone = (-1, "good") if timed else (_FEW, "waiting")
    found = ((result, ", ".join(labs)) for result, labs in ordered)
    return group(title, why, found, most=_MOST_NAMES, few=few, letters=_LETTERS, tone=tone, count=number)


# What the class got wrong: clusters of mistakes as cards, and model solutions with the number of students at each line. Pure.

_MOST_LINKS = 8


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
        people=people(view, mistake.students, _MOST_LINKS, report_link),
        shown=people(view, [mistake.shown], 1),  # whose file stands for all
        lines=list(zip(numbers, mistake.source, strict=True)),
    )


# A lab's model solution with what the class got wrong at each line: how many students, who, and in which groups. Pure.

STEPS = 5  # of the colour
_SOLUTION_HEAT_MOST_NAMES = 12
_MOST_OF_LINE = 4


def solution_heat(view: ClassView) -> list[Shown]:
    mistakes = {one.lab_id: one for one in view.insight.mistakes}
    return [_heat_of_lab(at, one, mistakes.get(one.lab_id), view) for at, one in enumerate(view.insight.maps, start=1)]


def _heat_of_lab(number: int, lab: SolutionMap, mistakes: LabMistakes | None, view: ClassView) -> Shown:
    most = max((len(_students(one.placed)) for one in lab.lines), default=0)
    lines = [_solution_line(one, number, most, mistakes, view) for one in lab.lines]
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


def _solution_line(line: SolutionLine, number: int, most: int, mistakes: LabMistakes | None, view: ClassView) -> Shown:
    students = _students(line.placed)
    common = [(len(students.intersection(one.students)), one) for one in (mistakes.mistakes if mistakes else ())]
    common.sort(key=lambda one: -one[0])
    return Shown(
        number=line.number,
        text=line.text,
        step=-(-STEPS * len(students) // most) if most else 0,  # 0: nothing; STEPS: the most of this lab
        count=len(students),
        anchor=f"solution-{number}-{line.number}",
        entries=[(one, people(view, one.students, _SOLUTION_HEAT_MOST_NAMES)) for one in line.placed],
        groups=[one for count, one in common[:_MOST_OF_LINE] if count],  # that most of these students are in
    )


def _students(placed: Sequence[PlacedMistake]) -> frozenset[str]:
    return frozenset(student for one in placed for student in one.students)


# The section of questions on the class page: which were answered, which numbers were right, and what others wrote instead. Pure.

_MOST_STUDENTS, _MOST_GIVEN = 200, 40  # students of a lab; characters of a number


def class_answers(view: ClassView) -> list[Shown]:
    """Empty where nobody answered anything: then a course does not use it. A form as it was handed out is no answer."""
    asked = {
        lab_id: [(result, lab.answers) for result, lab in each if lab.answers is not None]
        for lab_id, each in view.by_lab.items()
    }
    used = (one for one in asked.items() if any(answers.begun or answers.listed for _, answers in one[1]))
    return [_answers_of_lab(lab_id, each) for lab_id, each in used]


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
        questions=[
            Shown(
                question=one,
                answered=f"{sum(each.answered for each in given)} of {len(given)}",
                numbers=[_number(number, [each.numbers[i] for each in given]) for i, number in enumerate(one.numbers)],
            )
            for one, given in ((one, [answers.questions[at] for _, answers in found]) for at, one in enumerate(asked))
        ],
        students=[
            Shown(result=result, link=full_link(result), answers=answers) for result, answers in begun[:_MOST_STUDENTS]
        ],
        more=max(0, len(begun) - _MOST_STUDENTS),
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
    there = [one for one in results if not handed_in_nothing(one)]
    totals = [one.total for one in there]
    of_labs = [[one.labs[lab_id] for one in there if lab_id in one.labs] for lab_id in labs]
    none = "\N{EN DASH}"
    return Shown(
        name=visible_text.line(key, 60) or "no section",
        key=key,
        students=len(results),
        handed_in=len(there),
        mean=points(round(fmean(totals), 1)) if totals else none,
        median=points(round(median(totals), 1)) if totals else none,
        passed=[f"{share(sum(lab.passed for lab in of), len(of)):.0f} %" if of else none for of in of_labs],
    )


# The sections of the class page, from top to bottom: those between the summary and the table of students, and those below it. A new
# section is a line here.

FIRST_SECTIONS: tuple[Section[ClassView], ...] = (
    Section("class_page/attention.html.j2", follow_up),
    Section("class_page/attention.html.j2", lambda view: attention(view.results)),
    Section("class_page/attention.html.j2", lambda view: decisions(view.results)),
    Section("class_page/by_section.html.j2", by_section),
    Section("class_page/lab_panels.html.j2", lab_panels),
    Section("class_page/mistakes.html.j2", mistake_cards),
)
FURTHER_SECTIONS: tuple[Section[ClassView], ...] = (
    Section("class_page/solution_heat.html.j2", solution_heat),
    Section("class_page/similar.html.j2", lambda view: tuple(one for one in view.insight.similar if one[1])),
    Section("class_page/class_answers.html.j2", class_answers),
    Section("class_page/measured_speed.html.j2", lambda view: measured_speed(view.results)),
)
CLASS_SECTIONS = (*FIRST_SECTIONS, *FURTHER_SECTIONS)


# What the page's script sorts and filters by: one block of data for all rows, in their order. Pure.
#
# The rows themselves hold only what a reader sees, so that a page of 500 students stays light.

FILTERS = {
    "nothing": "handed in nothing",
    "help": "need help",
    "open": "total not final",
    "changed": "grade changed last",
}
_NO_POINTS = -1.0  # of a lab that the result does not hold


def row_data(view: ClassView, rows: Sequence[Result], names: Sequence[str]) -> dict[str, Any]:
    """`rows`: in the order of the table. `names`: what they are sorted by. Verdicts and sections are numbers in lists."""
    labs = list(view.labs)
    sections = [*view.sections, ""]
    changed = {one.submission.id: {change.date for change in moved(one)} for one in view.results}
    last = max(set().union(*changed.values()), default="")  # when a batch last found a grade other than before
    flags: dict[str, Collection[str]] = {
        "nothing": {one.submission.id for one in view.results if handed_in_nothing(one)},
        "help": needs_help(view),
        "open": {one.submission.id for one in view.results if is_open(one)},
        "changed": {student for student, dates in changed.items() if last in dates},
    }
    mistakes = [mistake for lab in view.insight.mistakes for mistake in lab.mistakes]
    making: dict[str, list[int]] = {}
    for at, mistake in enumerate(mistakes):
        for student in mistake.students:
            making.setdefault(student, []).append(at)
    return {
        "labs": [visible_text.line(one, 60) for one in labs],
        "verdicts": [one.label for one in view.looks],
        "sections": [visible_text.line(one, 60) for one in view.sections],
        "mistakes": [[one.key, visible_text.line(one.title, 120)] for one in mistakes],
        "rows": [
            {
                "name": name,
                "section": sections.index(result.submission.student.section),
                "flags": [flag for flag in FILTERS if result.submission.id in flags[flag]],
                "points": [result.labs[one].points if one in result.labs else _NO_POINTS for one in labs],
                "verdicts": [view.looks.index(result.labs[one].look) if one in result.labs else -1 for one in labs],
                "total": result.total,
                "mistakes": making.get(result.submission.id, []),
            }
            for result, name in zip(rows, names, strict=True)
        ],
    }


def class_sheet(results: Sequence[Result], course: str, notes: Sequence[str], insight: ClassInsight) -> Shown:
    view = ClassView(results, insight)
    totals = [result.total for result in view.handed_in]  # of others there is nothing to judge
    maximum = max((result.max for result in results), default=0.0)
    ordered = sorted(results, key=lambda each: each.submission.called.casefold())
    names = [visible_text.person(one.submission) for one in ordered]
    data = row_data(view, ordered, [one.casefold() for one in names])
    # Each choice of rows: its name, its label, and what can be chosen, as the script compares it and as people read it.
    same = ((label, [(one, one) for one in data[f"{label.lower()}s"]]) for label in ("Section", "Lab", "Verdict"))
    mistakes = [(key, f"{key.split('/')[0]}: {title}") for key, title in data["mistakes"]]
    choices = [("who", "Show", list(FILTERS.items())), *((label.lower(), label, each) for label, each in same)]
    choices.append(("mistake", "Mistake", mistakes))
    conditions = (  # several where the results come from different runs
        f"{one.date} · {'GPU: ' + one.gpu if one.gpu else 'CPU'} · {one.compiler} · sandbox: {one.sandbox} · kit {one.kit}"
        for one in (result.environment for result in results)
    )
    return Shown(
        course=visible_text.line(course, 120) or "Class report",
        handed_in=len(view.handed_in),
        of_whom="handed in" if len(view.handed_in) == len(results) else f"of {len(results):,} handed in",
        students_text=counted(len(results), "student"),
        maximum=maximum,  # 0: every lab is extra credit
        mean=points(round(fmean(totals), 1)) if totals else "?",
        mean_text=f"mean of {points(maximum)}" if maximum else "mean, all extra credit" if results else "mean",
        median=points(round(median(totals), 1)) if totals else "?",
        conditions=tuple(visible_text.line(text, 240) for text in dict.fromkeys(conditions))[:6],
        notes=notes,
        histogram=histogram(totals, max((result.most for result in results), default=0.0)),
        sections=shown_sections(FIRST_SECTIONS, view),
        further=shown_sections(FURTHER_SECTIONS, view),
        view=view,
        legend=view.looks[::-1],
        rows=[
            Shown(result=one, name=name, link=report_link(one), full_link=full_link(one), flag=is_open(one))
            for one, name in zip(ordered, names, strict=True)
        ],
        choices=choices,
        data=data,
    )
