"""The course's policy in a batch: when each student handed in each lab, what late days earlier labs took, and the history of grades.

The rules are in grader/policy/. Nothing here is judged.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from grader.batch.standing.history_folder import HistoryFolder
from grader.intake.intake import Intake
from grader.model.labs import Lab
from grader.model.result import Environment, Result
from grader.model.verdicts import Verdict
from grader.policy.applied_policy import Applied, EarlierLab, HandIn, apply_policy
from grader.policy.class_policy import ClassPolicy
from grader.policy.grade_history import Basis, KeptBatch, KeptGrade, last_grades, new_grades, with_changes
from grader.policy.moments import handed_in_at

_UNDECIDED = {Verdict.INTERNAL_ERROR.value, Verdict.NEEDS_GPU.value}


@dataclass
class Standings:
    """What turns a batch's scores into grades."""

    policy: ClassPolicy
    students: Sequence[Intake]
    labs: Sequence[Lab]
    history: HistoryFolder
    now: datetime
    known: list[KeptBatch] = field(default_factory=list)  # of earlier batches, once it was read

    def applied(self, results: Sequence[Result]) -> Applied:
        """The results by the course's policy, and notices about them and about the history."""
        self.known = self.history.read()
        hand_ins = {(one.submission.id, lab.id): self._hand_in(one, lab) for one in self.students for lab in self.labs}
        applied = apply_policy(results, self.policy, hand_ins, self.now, self._earlier())
        return Applied(applied.results, (*self.history.notices, *applied.notices))

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

    def _hand_in(self, student: Intake, lab: Lab) -> HandIn:
        """By the attempt that counts for this lab; of a student whose attempts are not known, by the whole submission."""
        attempt = student.attempt_for(lab.public.file)
        if attempt is None:
            return HandIn(handed_in_at(student.submission.at, self.policy.course.zone))
        at = "" if attempt.at is None else attempt.at.isoformat()
        return HandIn(handed_in_at(at, self.policy.course.zone), said_late=attempt.late)

    def _earlier(self) -> dict[str, dict[str, EarlierLab]]:
        """Labs that this batch does not grade, by student."""
        here = {lab.id for lab in self.labs}
        found: dict[str, dict[str, EarlierLab]] = {}
        for (student, lab), one in last_grades(self.known).items():
            if lab not in here:
                found.setdefault(student, {})[lab] = _earlier(one, self.policy)
        return found

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


def _earlier(one: KeptGrade, policy: ClassPolicy) -> EarlierLab:
    at = handed_in_at(one.at, policy.course.zone)
    return EarlierLab(one.judged, one.most, at, one.points, decided=one.verdict not in _UNDECIDED)
