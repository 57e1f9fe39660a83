"""Maps what went wrong in a class to the lines of a lab's model solution that play the same part. Decides no grade. Pure.

A finding is placed by the statement of the student's file that it stands in. A race without a barrier between its two accesses is
placed at the solution's barrier that this student does not have. A wrong result is placed by what helps it, or by the change of the
solution that behaves the same. Everything else is counted as not placed, with the reason.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from grader.clusters.alignment import counterparts
from grader.clusters.behaviour import behaviour
from grader.clusters.mistake_cause import went_wrong
from grader.clusters.solution_mutants import lines_of
from grader.clusters.statements import Statement, by_line, statements_of
from grader.course.markers import MarkerError, Region, cut
from grader.model.class_insight import PlacedMistake, SolutionLine, SolutionMap
from grader.model.result import Finding, LabResult, Result, Site
from grader.model.verdicts import Verdict
from grader.reports.text import visible

NO_LINE = "no line of the file is known to be at fault"
NO_COUNTERPART = "the solution has no line that plays the same part"
MISSING_BARRIER = "this barrier is missing"
_LONGEST = 160  # characters of a line

Place = tuple[Verdict, str, int]  # what it is, in words, and the solution's line


def solution_map(  # noqa: PLR0913, PLR0917 -- a lab, its solution, and the class that is compared with it
    lab_id: str,
    file: str,
    solution: str,
    results: Sequence[Result],
    texts: Mapping[str, str],
    likenesses: Mapping[str, str],
) -> SolutionMap | None:
    """`texts`: each student's file of this lab; `likenesses`: by behaviour, which change of the solution behaves so. None where nobody
    went wrong.
    """
    statements = statements_of(solution)
    placed: dict[Place, list[str]] = {}
    unplaced: dict[str, list[str]] = {}
    wrong = 0
    for result in results:
        lab = result.labs.get(lab_id)
        if lab is None or not went_wrong(lab) or result.submission.refused is not None:
            continue
        wrong += 1
        student = result.submission.id
        like = likenesses.get(behaviour(lab.cases), "")
        places = set(_places(lab, _Matched.of(texts.get(student, ""), statements), like))
        for place in sorted(places):
            placed.setdefault(place, []).append(student)
        if not places:
            unplaced.setdefault(NO_COUNTERPART if _has_line(lab) else NO_LINE, []).append(student)
    if not wrong:
        return None
    lines = tuple(_lines(solution, placed))
    return SolutionMap(lab_id, file, wrong, lines, tuple((why, tuple(who)) for why, who in unplaced.items()))


@dataclass(frozen=True)
class _Matched:
    """A student's file beside the solution."""

    mine: Sequence[Statement]
    solution: Sequence[Statement]
    pairs: Mapping[int, int]
    lines: Mapping[int, Sequence[int]]

    @classmethod
    def of(cls, text: str, solution: Sequence[Statement]) -> _Matched:
        mine = statements_of(text)
        return cls(mine, solution, counterparts(mine, solution), by_line(mine))

    def statement(self, site: Site) -> int | None:
        """The number of the solution's statement. Of several in one line, the one that names what the finding names comes first."""
        here = [at for at in self.lines.get(site.line or 0, ()) if at in self.pairs]
        name = (getattr(site, "array", None) or "").split("[")[0]
        at = next((at for at in here if name in self.mine[at].words), here[-1] if here else None)
        return self.pairs[at] if at is not None else None

    def missing_barrier(self, first: int, then: int) -> int | None:
        """The solution's barrier on the way from one statement to the other, around a loop if it stands behind, that `mine` lacks."""
        count = len(self.solution)
        way = range(first + 1, then) if first < then else [*range(first + 1, count), *range(then)]
        has = set(self.pairs.values())
        return next((at for at in way if self.solution[at].is_barrier and at not in has), None)


def _places(lab: LabResult, matched: _Matched, like: str) -> Iterator[Place]:
    found = False
    for finding in lab.findings:
        if finding.severity == "error" and (place := _of_finding(finding, matched)):
            found = True
            yield place
    if found or any(one.severity == "error" and one.line for one in lab.findings):
        return
    verdict = lab.verdict if lab.verdict is not Verdict.PASS else Verdict.WRONG_ANSWER
    lines = [(line, "a change here makes it right") for one in lab.suspects[:1] for line in one.lines]
    lines = lines or [(one.line, one.message) for one in lab.causes[:1] if one.line]
    for line, what in lines:
        at = matched.statement(Site(line=line))
        if at is not None:
            found = True
            yield verdict, what, matched.solution[at].first
    if not found and len(alike := lines_of(like)) == 1:
        yield verdict, f"behaves like {like}", next(iter(alike))


def _of_finding(finding: Finding, matched: _Matched) -> Place | None:
    at = matched.statement(finding)
    if at is None:
        return None
    if finding.kind is Verdict.RACE and finding.other is not None and finding.array:
        then = matched.statement(finding.other)
        ways = [(at, then), (then, at)] if then is not None and then != at else []  # which access came first is chance
        barrier = next((one for way in ways if (one := matched.missing_barrier(*way)) is not None), None)
        if barrier is not None:
            return finding.kind, MISSING_BARRIER, matched.solution[barrier].first
    return finding.kind, "", matched.solution[at].first


def _has_line(lab: LabResult) -> bool:
    findings = [one for one in lab.findings if one.severity == "error"]
    return any(one.line for one in (*findings, *lab.causes[:1])) or bool(lab.suspects)


def _lines(solution: str, placed: Mapping[Place, Sequence[str]]) -> Iterator[SolutionLine]:
    try:
        shown = [(one.number, one.text) for one in cut(solution, "") if one.region is not Region.PROMPT]
    except MarkerError:
        shown = list(enumerate(solution.splitlines(), start=1))
    blank = True
    for number, text in shown:
        here = [
            PlacedMistake(verdict, what, tuple(who)) for (verdict, what, line), who in placed.items() if line == number
        ]
        if blank and not text.strip():
            continue
        blank = not text.strip()
        here.sort(key=lambda one: -len(one.students))
        yield SolutionLine(number, visible.code(text, _LONGEST), tuple(here))
