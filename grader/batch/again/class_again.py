"""Writes a graded class's pages and exports again, with the instructor's comments and decisions as they are now.

Results stay as they were judged. What changes a grade gets its line in the history, as in a batch.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from grader.batch.again.kept_class import KeptClass, kept_class
from grader.batch.again.policy_again import policy_again
from grader.batch.output_folder import OutputFolder
from grader.batch.publishing import publish
from grader.batch.standing.history_folder import HistoryFolder
from grader.batch.standing.other_outs import other_outs
from grader.batch.week_insight import pages_command
from grader.batch.written.page_material import MaterialFolder
from grader.clusters.class_mistakes import comment_keys, with_comments
from grader.clusters.comments_file import CommentsFile
from grader.exports import Export
from grader.model.class_insight import ClassInsight
from grader.model.labs import Lab
from grader.model.result import Result
from grader.model.result.graded_class import GradedClass
from grader.policy.class_policy import class_policy
from grader.policy.grade_history import KeptBatch, last_grades, new_grades, with_changes
from grader.policy.policy_files import CoursePolicy


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


def write_again(  # noqa: PLR0913, PLR0917 -- the class, what was decided, and what is written
    out: OutputFolder,
    labs: Sequence[Lab],
    decided: Decided,
    exports: Sequence[Export],
    assignment: str = "",
    now: datetime | None = None,
) -> WrittenAgain:
    """`labs`: those of the last batch; `now`: of a change in the history. The caller holds OUT's lock. Raises NotKeptError, PolicyError or
    OutError before anything is written.
    """
    kept = kept_class(out)
    material, book = kept.material, out.identities.read().book
    given = [one.submission for one in kept.results]
    policy = class_policy(decided.policy, given, labs, book, material.rostered)
    elsewhere = other_outs(policy.course.also_in, out.path, book)
    applied = policy_again(kept, policy, elsewhere.grades, kept.batch.labs)
    sources = {student: one.texts for student, one in kept.students.items()}
    keys = comment_keys(applied.results, sources, material.likenesses, decided.written)
    results = with_comments(applied.results, keys, decided.written)
    results, regraded, unkept = _with_history(results, kept, out, now or datetime.now(UTC))
    notices = (
        *policy.alarms,
        *material.notices,
        *kept.notices,
        *policy.notices,
        *elsewhere.notices,
        *applied.notices,
        *_attempts(decided.policy),
    )
    insight = _with_comments(material.insight, decided, pages_command(out.path))
    material = material.model_copy(
        update={"insight": insight, "comments": decided.named, "course": decided.policy.named}
    )
    graded = GradedClass(kept.batch.title, kept.batch.labs, results, notices, insight)
    published = publish(
        graded,
        out,
        sources,
        seed=kept.seed,
        exports=exports,
        assignment=assignment or kept.batch.assignment,
        more=tuple(MaterialFolder(out.private).files(material, kept.students)),
    )
    on_pages = Counter(keys.values())
    return WrittenAgain(
        len(results),
        {key: on_pages[key] for key, text in decided.written.items() if text},
        regraded,
        (*kept.notices, *policy.notices, *elsewhere.notices, *_attempts(decided.policy), *published.notices),
        policy.alarms,
        (*unkept, *published.faults, *published.unwritten),
        published.exports,
    )


def _attempts(policy: CoursePolicy) -> tuple[str, ...]:
    if policy.course.attempts == "latest":
        return ()
    return (f"{policy.course.name}: which attempt counts stays as the last batch chose it; `make grade` chooses anew",)


def _with_history(
    results: Sequence[Result], kept: KeptClass, out: OutputFolder, now: datetime
) -> tuple[tuple[Result, ...], int, list[str]]:
    """The results with their changes, how many grades changed, and what could not be written."""
    digests = {(student, lab): found for student, one in kept.students.items() for lab, found in one.digests.items()}
    found = new_grades(results, digests, kept.material.bases, last_grades(kept.history))
    batches, unkept = list(kept.history), []
    if found:
        kit = results[0].environment.kit
        batches.append(KeptBatch(date=now.astimezone(UTC).isoformat(timespec="seconds"), kit=kit, grades=found))
        history = HistoryFolder(out.private)
        try:
            history.append(batches[-1])
        except OSError as error:
            unkept.append(f"{history.path}: {error.strerror}")
    return tuple(with_changes(results, batches)), len(found), unkept


def _with_comments(insight: ClassInsight, decided: Decided, command: str) -> ClassInsight:
    mistakes = tuple(
        replace(lab, mistakes=tuple(replace(one, comment=decided.written.get(one.key, "")) for one in lab.mistakes))
        for lab in insight.mistakes
    )
    return replace(insight, mistakes=mistakes, comments=str(decided.comments.path), again=command)
