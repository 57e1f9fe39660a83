"""The course's policy in a batch: when each student handed in each lab, what late days earlier labs took, and the history of grades.

The rules are in grader/policy/. Nothing here is judged.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from grader.batch.standing.counted_files import OtherAttempt, with_chosen
from grader.batch.standing.history_folder import HistoryFolder
from grader.batch.written.page_material import SaidHandIn, StudentMaterial, kept_step_pages
from grader.intake.intake import Intake
from grader.model.labs import Lab
from grader.model.result import Environment, LabResult, Result
from grader.model.verdicts import Verdict
from grader.policy.applied_policy import Applied, Candidate, EarlierLab, HandIn, apply_policy
from grader.policy.class_policy import ClassPolicy
from grader.policy.grade_history import Basis, KeptBatch, KeptGrade, last_grades, new_grades, with_changes
from grader.policy.moments import handed_in_at

_UNDECIDED = {Verdict.INTERNAL_ERROR.value, Verdict.NEEDS_GPU.value}


@dataclass
class Standings:
    """What turns a batch's scores into grades."""

    policy: ClassPolicy
    students: list[Intake]  # with the attempts that count
    labs: Sequence[Lab]
    history: HistoryFolder
    now: datetime
    elsewhere: Mapping[tuple[str, str], KeptGrade] = field(default_factory=dict)  # by student and lab: other OUTs
    known: list[KeptBatch] = field(default_factory=list)  # of earlier batches, once it was read

    def applied(self, results: Sequence[Result], others: Sequence[OtherAttempt] = ()) -> Applied:
        """The results by the course's policy, and notices about them and about the history. `results`: of the students, then of the
        `others`, among which the best may be.
        """
        self.known = self.history.read()
        own, of_others = results[: len(self.students)], results[len(self.students) :]
        candidates = {
            (student.submission.id, lab.id): [(student.counted.get(lab.public.file, -1), result.labs[lab.id])]
            for student, result in zip(self.students, own, strict=True)
            for lab in self.labs
        }
        for other, result in zip(others, of_others, strict=True):
            for lab in self.labs:
                if lab.public.file in other.intake.sources:
                    student_id = self.students[other.student].submission.id
                    candidates[student_id, lab.id].append((other.attempt, result.labs[lab.id]))
        tried = {key: sorted(found, key=lambda one: one[0]) for key, found in candidates.items()}
        applied = apply_policy(own, self.policy, self._candidates(tried), self.now, self._earlier())
        chosen = {key: tried[key][number][0] for key, number in applied.chosen.items()}
        self.students = [self._with_chosen(one, chosen) for one in self.students]
        final = tuple(
            result.model_copy(update={"submission": student.submission})
            for result, student in zip(applied.results, self.students, strict=True)
        )
        return Applied(final, (*self.history.notices, *applied.notices))

    def keep(
        self, results: Sequence[Result], bases: Mapping[str, Basis], environment: Environment
    ) -> tuple[tuple[Result, ...], list[str]]:
        """The results with their changes, and what could not be written. Nothing is lost by that: the next batch finds it again."""
        found = new_grades(results, self._sources(), bases, last_grades(self.known))
        batches, unwritten = list(self.known), []
        if found:
            date = self.now.astimezone(UTC).isoformat(timespec="seconds")
            batches.append(KeptBatch(date=date, kit=environment.kit, grades=found))
            try:
                self.history.append(batches[-1])
            except OSError as error:
                unwritten.append(f"{self.history.path}: {error.strerror}")
        return tuple(with_changes(results, batches)), unwritten

    def material(self, results: Sequence[Result], texts: Mapping[str, Mapping[str, str]]) -> dict[str, StudentMaterial]:
        """By student, what is kept for writing pages again. `results`: of the students, in their order; `texts`: of their files."""
        digests = self._sources()
        return {
            student.submission.id: StudentMaterial(
                texts=dict(texts[student.submission.id]),
                digests={lab.id: found for lab in self.labs if (found := digests.get((student.submission.id, lab.id)))},
                said={lab.id: _said(student, student.counted.get(lab.public.file, -1)) for lab in self.labs},
                step_pages=kept_step_pages(result),
            )
            for student, result in zip(self.students, results, strict=True)
        }

    def _with_chosen(self, student: Intake, chosen: Mapping[tuple[str, str], int]) -> Intake:
        of_file = {lab.public.file: chosen[student.submission.id, lab.id] for lab in self.labs}
        return with_chosen(student, {file: attempt for file, attempt in of_file.items() if attempt >= 0})

    def _candidates(
        self, tried: Mapping[tuple[str, str], Sequence[tuple[int, LabResult]]]
    ) -> dict[tuple[str, str], list[Candidate]]:
        return {
            (student.submission.id, lab.id): [
                Candidate(found, self._hand_in(student, attempt, lab))
                for attempt, found in tried[student.submission.id, lab.id]
            ]
            for student in self.students
            for lab in self.labs
        }

    def _hand_in(self, student: Intake, attempt: int, lab: Lab) -> HandIn:
        return hand_in(self.policy, student.submission.id, lab.id, _said(student, attempt))

    def _earlier(self) -> dict[str, dict[str, EarlierLab]]:
        known = {**self.elsewhere, **last_grades(self.known)}
        return earlier_labs(known, [lab.id for lab in self.labs], self.policy)

    def _sources(self) -> dict[tuple[str, str], str]:
        """By student and lab, the digest of the file."""
        digests: dict[Path, str] = {}
        found = {}
        for student in self.students:
            for lab in self.labs:
                path = student.sources.get(lab.public.file)
                if path is not None:
                    if path not in digests:
                        digests[path] = hashlib.sha256(path.read_bytes()).hexdigest()[:32]
                    found[student.submission.id, lab.id] = digests[path]
        return found


def hand_in(policy: ClassPolicy, student: str, lab: str, said: SaidHandIn) -> HandIn:
    """What the platform does not say, the instructor may have said."""
    return HandIn(handed_in_at(said.at, policy.course.zone) or policy.times.get((student, lab)), said_late=said.late)


def earlier_labs(
    known: Mapping[tuple[str, str], KeptGrade], labs: Sequence[str], policy: ClassPolicy
) -> dict[str, dict[str, EarlierLab]]:
    """By student, those that are none of `labs`."""
    found: dict[str, dict[str, EarlierLab]] = {}
    for (student, lab), one in known.items():
        if lab not in labs:
            found.setdefault(student, {})[lab] = _earlier(one, policy)
    return found


def _said(student: Intake, attempt: int) -> SaidHandIn:
    """Of one attempt; of a student whose attempts are not known, of the whole submission."""
    if attempt < 0:
        return SaidHandIn(at=student.submission.at)
    one = student.attempts[attempt]
    return SaidHandIn(at="" if one.at is None else one.at.isoformat(), late=one.late)


def _earlier(one: KeptGrade, policy: ClassPolicy) -> EarlierLab:
    at = handed_in_at(one.at, policy.course.zone)
    return EarlierLab(one.judged, one.most, at, one.points, decided=one.verdict not in _UNDECIDED)
