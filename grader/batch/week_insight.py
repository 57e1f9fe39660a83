"""What a batch finds out about the class as a whole, for the class page: mistakes that several made, with a comment on each of them.

No grade depends on it. What breaks here is told to the instructor, and costs nobody a page.
"""

from __future__ import annotations

import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.batch.judging_jobs import JudgingSetup
from grader.batch.mutant_search import MutantSearch
from grader.clusters.class_mistakes import Sources, commented, lab_mistakes, wrong_submissions
from grader.clusters.comments_file import CommentsFile
from grader.model.class_insight import ClassInsight, LabMistakes
from grader.model.labs import Lab
from grader.model.result import Result


@dataclass(frozen=True)
class WeekSearch:
    """`comments`: the instructor's file; `written`: what it held before the batch; `kept`: where it is kept how mutants behave."""

    comments: CommentsFile
    written: Mapping[str, str]
    kept: Path
    mutants: MutantSearch | None = None  # none: nothing is compared with the solution

    def insight(  # noqa: PLR0913 -- whom it is about, and what may be done to find it out
        self,
        results: Sequence[Result],
        sources: Sources,
        labs: Sequence[Lab],
        setup: JudgingSetup,
        *,
        scratch: Path,
        judging_seconds: float,
    ) -> tuple[tuple[Result, ...], ClassInsight, tuple[str, ...]]:
        """The results with comments, what is known of the class, and what broke on our side."""
        try:
            return self._insight(results, sources, labs, setup, scratch, judging_seconds)
        except Exception:  # noqa: BLE001 -- grades stand, whatever breaks here
            return tuple(results), ClassInsight(), (f"the class's mistakes: {traceback.format_exc()}",)

    def _insight(  # noqa: PLR0913, PLR0917 -- as above
        self,
        results: Sequence[Result],
        sources: Sources,
        labs: Sequence[Lab],
        setup: JudgingSetup,
        scratch: Path,
        judging_seconds: float,
    ) -> tuple[tuple[Result, ...], ClassInsight, tuple[str, ...]]:
        wrong = wrong_submissions(results, sources, {})
        likenesses: Mapping[str, Mapping[str, str]] = {}
        faults: tuple[str, ...] = ()
        if self.mutants is not None:
            concerned = sorted((lab for lab in labs if lab.id in wrong), key=lambda lab: -len(wrong[lab.id]))
            likenesses, faults = self.mutants.run(concerned, setup, self.kept, scratch, judging_seconds)
            wrong = wrong_submissions(results, sources, likenesses)
        mistakes = tuple(
            lab_mistakes(
                lab.id,
                wrong[lab.id],
                {student: files.get(lab.public.file, "") for student, files in sources.items()},
                likenesses.get(lab.id, {}),
                self.written,
            )
            for lab in labs
            if lab.id in wrong
        )
        return (
            commented(results, wrong, self.written),
            ClassInsight(mistakes=mistakes, comments=str(self.comments.path)),
            (*faults, *self._added(mistakes)),
        )

    def _added(self, mistakes: Sequence[LabMistakes]) -> tuple[str, ...]:
        try:
            self.comments.add(mistakes)
        except Exception as error:  # noqa: BLE001 -- somebody may have saved half a text at this moment
            return (f"{self.comments.path}: new mistakes could not be added: {error}",)
        return ()
