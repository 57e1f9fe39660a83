"""Why one submission is wrong, in three steps from the verdict to the line, each with a key that another submission may share. Pure.

A key holds no name that a student chose, no line number and no size, so it is the same in the next batch.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

from grader.clusters.line_shape import LineShapes
from grader.model.result import Case, Finding, LabResult, Suspect
from grader.model.verdicts import Verdict, is_wrong

_ARRAYS = {"tile": "a shared array", "input": "an input", "output": "an output", "sum": "a sum"}
_QUOTED = re.compile(r"\u2018[^\u2019]*\u2019|'[^'\n]*'|`[^`\n]*`|\"[^\"\n]*\"|\([^)\n]*\)|\[[^]\n]*\]")
_NUMBER = re.compile(r"\d[\d,.]*")
_LONGEST = 2000  # characters of a message


@dataclass(frozen=True)
class Step:
    key: str
    title: str


@dataclass(frozen=True)
class WrongSubmission:
    student: str
    verdict: Verdict
    steps: tuple[Step, ...]  # from coarse to fine
    line: int | None  # in the student's file
    hidden: bool  # no public case shows it
    behaviour: str = ""
    also: tuple[str, ...] = ()  # other keys that a comment may be written for

    @property
    def keys(self) -> tuple[str, ...]:
        """Whose comments concern it, the closest first."""
        return (*(step.key for step in reversed(self.steps[1:])), *self.also, self.steps[0].key)


def went_wrong(lab: LabResult) -> bool:
    """As grader/model/verdicts.py says it."""
    return is_wrong(lab.verdict, every_case_passed=all(one.passed for one in lab.cases))


def wrong_submission(  # noqa: PLR0913 -- whose, what came of it, and what it is compared with
    student: str, lab_id: str, lab: LabResult, text: str, *, like: str = "", behaviour: str = ""
) -> WrongSubmission:
    """`text`: the file that was handed in; `like`: the small mistake in the solution that behaves the same."""
    shapes = LineShapes(text)
    finding = _finding(lab)
    case = _case(lab)
    summary = _summary(case)
    cause, title, line = _cause(lab, finding, case, shapes)
    if not cause:
        cause, title = (f"like {like}", f"as {like}") if like else summary
    verdict = Step(
        f"{lab_id}/{lab.verdict}",
        lab.verdict.facts.label if lab.verdict is not Verdict.PASS else "Right, but not as asked",
    )
    steps = [verdict]
    if cause:
        steps.append(Step(f"{verdict.key}/{_digest(cause)}", title))
        if shape := shapes.shape(_line(text, line)):
            steps.append(Step(f"{steps[-1].key}/{_digest(shape)}", title))
    also = [f"{verdict.key}/{_digest(one)}" for one in (f"like {like}" if like else "", summary[0]) if one]
    shown = {step.key for step in steps}
    return WrongSubmission(
        student,
        lab.verdict,
        tuple(steps),
        line,
        bool(lab.cases) and all(one.visibility == "hidden" for one in lab.cases if not one.passed),
        behaviour,
        tuple(one for one in also if one not in shown),
    )


def _finding(lab: LabResult) -> Finding | None:
    return next((one for one in lab.findings if one.kind is lab.verdict and one.severity == "error"), None)


def _case(lab: LabResult) -> Case | None:
    """The first case that shows the verdict, a public one before all others."""
    failed = [one for one in lab.cases if not one.passed]
    fitting = [one for one in failed if one.verdict is lab.verdict] or failed
    return min(fitting, key=lambda one: one.visibility != "public", default=None)


def _summary(case: Case | None) -> tuple[str, str]:
    """Where the output is wrong, without sizes."""
    for launch in case.launches if case else ():
        if launch.mismatch:
            return f"wrong {_words(launch.mismatch.summary)}", f"the result is wrong: {launch.mismatch.summary}"
    return "", ""


def _cause(  # noqa: PLR0911 -- one for each way to know a cause
    lab: LabResult, finding: Finding | None, case: Case | None, shapes: LineShapes
) -> tuple[str, str, int | None]:
    """What a key is made of, the same for readers, and the line."""
    if finding is not None:
        cause, title = _of_finding(finding, shapes)
        return cause, title, finding.line
    suspect = next(iter(lab.suspects), None)
    line = suspect.lines[0] if suspect else None
    explained = next((one.explanation for one in case.launches if one.explanation), None) if case else None
    if explained:
        return f"explained {explained.mistake}", explained.sentence, line
    if suspect and suspect.after:
        return *_of_change(suspect, shapes), line
    hint = next(iter(lab.causes), None)
    if hint:
        return f"hint {_words(hint.message)}", hint.message, hint.line
    if lab.verdict is Verdict.PASS and case:
        return f"technique {case.name}", f"{case.name}: {case.message}", None
    if case and case.message and lab.verdict is not Verdict.WRONG_ANSWER:
        return f"said {_words(case.message)}", case.message, None
    return "", "", line


def _of_change(suspect: Suspect, shapes: LineShapes) -> tuple[str, str]:
    before, after = shapes.shape(suspect.before), shapes.shape(suspect.after)
    return f"change {before} -> {after}", f"right with `{suspect.after.strip()}` for `{suspect.before.strip()}`"


def _of_finding(finding: Finding, shapes: LineShapes) -> tuple[str, str]:
    if finding.array is None and finding.other is None:
        return f"said {finding.label or ''} {_words(finding.message)}", finding.message
    array = shapes.role((finding.array or "").split("[")[0])
    what = _ARRAYS.get(array, "a variable" if finding.array else "")
    other = finding.other
    if finding.kind is Verdict.RACE and other is not None:
        order = _order(finding.line, other.line)
        barrier = "a barrier in the wrong place" if "The __syncthreads()" in finding.message else "no barrier between"
        words = f"{what}: {finding.access} and {other.access} {order}, {barrier}"
        known = finding.array and finding.access and other.access  # of host code, the finding's own words say more
        return f"race {array} {finding.access} {other.access} {order} {barrier}", words if known else finding.message
    if finding.kind is Verdict.BARRIER_DIVERGENCE:
        missed = finding.access if other is None else f"{finding.access} {other.access}"
        skipped = "skipped the barrier" in finding.message
        return f"barrier {missed} {_words(finding.message)}", (
            "some threads skip a barrier for which others wait"
            if skipped
            else "threads of a block wait at different places"
        )
    where = next((words for sign, words in _PLACES.items() if sign in finding.message), "")
    if where or finding.kind is Verdict.UNINITIALIZED_READ:
        did = {"read": "reads", "write": "writes"}.get(finding.access or "", "uses")
        end = where or "that nobody has written"
        return f"{finding.kind} {finding.access} {array} {end}", f"{did} {what} {end}"
    return f"{finding.kind} {array} {_words(finding.message)}", finding.message


_PLACES = {
    "past the end": "past its end",
    "before the start": "before its start",
    "before the beginning": "before its beginning",
    "this dimension has only": "past one of its dimensions",
}


def _order(line: int | None, other: int | None) -> str:
    if line is None or other is None:
        return "somewhere"
    return "in one line" if line == other else "further down" if other > line else "further up"


def _words(message: str) -> str:
    """A message without names, numbers and places."""
    return " ".join(_NUMBER.sub("n", _QUOTED.sub("", message[:_LONGEST])).split()).casefold()


def _line(text: str, line: int | None) -> str:
    lines = text.split("\n")
    return lines[line - 1] if line is not None and 0 < line <= len(lines) else ""


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=4).hexdigest()
