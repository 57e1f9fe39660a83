"""A lab's clusters of mistakes as cards: what it is, who made it, one of the files, and the comment that all of them get. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from grader.model.class_insight import LabMistakes, Mistake
from grader.model.verdicts import TECHNIQUE_MISSED, Verdict, VerdictFacts
from grader.reports.class_week.class_view import ClassView, full_link, report_link
from grader.reports.text import visible
from grader.reports.text.number_format import counted, share

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
    comment: visible.Block | None


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
    return Mistakes(visible.line(told.comments, 300), visible.line(told.again, 300), labs) if labs else None


def _lab(lab: LabMistakes, view: ClassView) -> LabCards:
    covered = sum(len(one.students) for one in lab.mistakes)
    title = view.labs[lab.lab_id].title if lab.lab_id in view.labs else lab.lab_id
    groups = counted(len(lab.mistakes), "group")
    return LabCards(
        visible.line(lab.lab_id, 60),
        visible.line(title, 120),
        f"{covered} of {counted(lab.wrong, 'wrong submission')} ({share(covered, lab.wrong):.0f} %) in {groups}",
        tuple(_card(one, view) for one in lab.mistakes),
    )


def _card(mistake: Mistake, view: ClassView) -> MistakeCard:
    known: Mapping[str, tuple[str, str]] = {
        one: (visible.person(view.by_id[one].submission, 60), report_link(view.by_id[one]))
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
        comment=visible.block(mistake.comment, lines=60, columns=1000) if mistake.comment else None,
    )


def _trend(mistake: Mistake) -> str:
    if mistake.before is None or mistake.before == len(mistake.students):
        return ""
    return f"{mistake.before or 'none'} in the batch before"
