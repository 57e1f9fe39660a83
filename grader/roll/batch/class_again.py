"""Writes a graded class's pages and exports again, with the instructor's comments and decisions as they are now.

Results stay as they were judged. What changes a grade gets its line in the history, as in a batch.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from grader.explain.class_mistakes import CommentsFile, comment_keys, with_comments
from grader.model.errors import RemediableError
from grader.model.graded_class import GradedClass
from grader.model.labs import Lab
from grader.model.result import LabResult
from grader.model.written_names import some
from grader.roll.batch.class_insight import pages_command
from grader.roll.batch.class_standing import HistoryFolder, candidate, earlier_labs, other_outs
from grader.roll.batch.last_batch import GRADE_AGAIN, LastBatch, LastBatchFile, Record, with_step_pages
from grader.roll.batch.output_folder import OutputFolder
from grader.roll.batch.plugin import Export
from grader.roll.batch.publishing import ClassToWrite, publish
from grader.roll.policy.applied_policy import Applied, apply_policy
from grader.roll.policy.class_policy import ClassPolicy, class_policy
from grader.roll.policy.course_file import CoursePolicy
from grader.roll.policy.grade_history import KeptBatch, KeptGrade, last_grades
from grader.run.scoring.redaction import redacted

# A graded class as its last batch left it in OUT: results, students' texts, and what else its pages are made from.
#
# It is whole or it is refused: a class page or an export that lacks a student could be taken for the grades of all.


@dataclass(frozen=True)
class KeptClass:
    batch: LastBatch
    records: Mapping[str, Record]  # by student, with the comments and decisions of the last batch
    history: tuple[KeptBatch, ...]  # the oldest first
    notices: tuple[str, ...]  # what was found damaged, and costs nobody a page


def kept_class(out: OutputFolder) -> KeptClass:
    """Raises RemediableError."""
    file = LastBatchFile(out.private)
    batch = file.read()
    found, lost = file.records(batch)
    if batch.stopped:
        raise RemediableError(f"{out.path}: the last batch here stopped ({batch.stopped}) Grade again first.")
    history = HistoryFolder(out.private)
    batches = tuple(history.read())
    last = last_grades(batches)
    records: dict[str, Record] = {}
    notices, other = [*history.notices], []
    for record in found:
        student = record.result.submission.id
        grades = [last[student, lab] for lab in batch.labs if (student, lab) in last]
        if any(record.digests.get(one.lab, "") != one.source for one in grades):
            other.append(student)
            continue
        whole, gone = with_step_pages(record.result, record.step_pages, out.students / student)
        records[student] = record.model_copy(update={"result": whole})
        notices += [f"{out.students / student / name} is gone or was changed, so no page leads to it" for name in gone]
    if lost or other:
        first = lost[0] if lost else f"what the pages of {some(other)} were made from is missing or of another batch"
        raise RemediableError(f"{out.path}: {first}. {GRADE_AGAIN} Nothing was changed.")
    return KeptClass(batch, records, batches, tuple(notices))


# Applies a course's policy to a class that was graded before: overrides and answered regrade requests above all. Writes nothing.
#
# Which of a student's attempts counts was decided by the batch, and so was what "now" is for deadlines: whoever handed in since then is not
# known here.


def policy_again(
    kept: KeptClass, policy: ClassPolicy, elsewhere: Mapping[tuple[str, str], KeptGrade], labs: Sequence[str]
) -> Applied:
    """The results without their old comments and decisions, by the `policy` of today. `elsewhere`: by student and lab, of other OUTs."""
    judged, candidates = [], {}
    for student, one in kept.records.items():
        labs_of = {lab_id: _as_judged(lab) for lab_id, lab in one.result.labs.items()}
        judged.append(one.result.model_copy(update={"labs": labs_of}))
        for lab_id in labs_of.keys() & one.said.keys():
            candidates[student, lab_id] = [candidate(policy, student, labs_of[lab_id], lab_id, one.said[lab_id])]
    known = {**elsewhere, **last_grades(kept.history)}
    now = datetime.fromisoformat(kept.batch.now)
    return apply_policy(judged, policy, candidates, now, earlier_labs(known, labs))


def _as_judged(lab: LabResult) -> LabResult:
    points = lab.points if lab.standing is None else lab.standing.judged_points
    return lab.model_copy(update={"points": points, "standing": None, "requests": (), "comment": "", "changes": ()})


@dataclass(frozen=True)
class WrittenAgain:
    """What was done, for the terminal."""

    students: int
    commented: Mapping[str, int]  # by key of a comment with a text: on how many pages it stands
    regraded: int  # grades that are others now
    notices: tuple[str, ...]
    alarms: tuple[str, ...]  # rows of a table that do nothing
    faults: tuple[str, ...]  # what could not be made or written
    exports: tuple[Export, ...]  # which were written


@dataclass(frozen=True)
class Decided:
    """What a person decided since the class was graded."""

    comments: CommentsFile
    written: Mapping[str, str]  # what it holds
    policy: CoursePolicy
    named: str = ""  # the file of comments, where it is not the one in OUT


def write_again(
    out: OutputFolder,
    labs: Sequence[Lab],
    decided: Decided,
    exports: Sequence[Export],
    assignment: str = "",
    now: datetime | None = None,
) -> WrittenAgain:
    """`labs`: those of the last batch; `now`: of a change in the history. The caller holds OUT's lock. Raises RemediableError
    before anything is written.
    """
    kept = kept_class(out)
    batch, book = kept.batch, out.identities.read()
    given = [one.result.submission for one in kept.records.values()]
    policy = class_policy(decided.policy, given, labs, book, batch.rostered)
    elsewhere = other_outs(policy.course.also_in, out.path, book)
    applied = policy_again(kept, policy, elsewhere.grades, batch.labs)
    sources = {student: one.texts for student, one in kept.records.items()}
    keys = comment_keys(applied.results, sources, batch.likenesses, decided.written)
    results = with_comments(applied.results, keys, decided.written)
    digests = {(student, lab): found for student, one in kept.records.items() for lab, found in one.digests.items()}
    history, moment = HistoryFolder(out.private), now or datetime.now(UTC)
    results, regraded, unkept = history.with_new(results, kept.history, digests, batch.bases, moment)
    of_policy = (*policy.notices, *elsewhere.notices)
    course = decided.policy.course
    stays = f"{course.name}: which attempt counts stays as the last batch chose it; `make grade` chooses anew"
    attempts = () if course.attempts == "latest" else (stays,)
    notices = (*policy.alarms, *batch.notices, *kept.notices, *of_policy, *applied.notices, *attempts)
    mistakes = tuple(
        replace(lab, mistakes=tuple(replace(one, comment=decided.written.get(one.key, "")) for one in lab.mistakes))
        for lab in batch.insight.mistakes
    )
    again = pages_command(out.path)
    insight = replace(batch.insight, mistakes=mistakes, comments=str(decided.comments.path), again=again)
    named = {"comments": decided.named, "course": decided.policy.named, "assignment": assignment or batch.assignment}
    batch = batch.model_copy(update={"insight": insight, **named})
    records = {
        student: kept.records[student].model_copy(update={"result": one})
        for student, one in zip(kept.records, results, strict=True)
    }
    graded = GradedClass(batch.title, batch.labs, results, notices, insight)
    published = publish(ClassToWrite(graded, redacted(graded), batch, records), out, exports)
    on_pages = Counter(keys.values())
    return WrittenAgain(
        len(results),
        {key: on_pages[key] for key, text in decided.written.items() if text},
        regraded,
        (*kept.notices, *of_policy, *attempts, *published.notices),
        policy.alarms,
        (*unkept, *published.faults, *published.unwritten),
        published.exports,
    )
