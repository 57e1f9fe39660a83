"""What a batch finds out about the class as a whole: mistakes that several made, with comments, and files that are alike.

No grade depends on it. What breaks here is told to the instructor, and costs nobody a page.
"""

from __future__ import annotations

import shlex
import traceback
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from grader.course.answer_check import check_answers, no_answers
from grader.course.question_file import LabQuestions, load_questions, model_answers
from grader.explain.class_mistakes import (
    CommentsFile,
    Sources,
    commented,
    counts_before,
    lab_mistakes,
    wrong_submissions,
)
from grader.explain.similar_files import kept_pairs
from grader.explain.solution_maps import solution_map
from grader.explain.suspect_search import FoundMutants, MutantSearch
from grader.model.graded_class import NOTHING_KNOWN, LabMistakes, SolutionMap
from grader.model.labs import Lab
from grader.model.result import LabAnswers, Result
from grader.pages.pages import similar_page
from grader.roll.batch.job_store import job_key, lab_fingerprint
from grader.roll.batch.judging_jobs import JudgingSetup
from grader.roll.batch.plugin import Added, File
from grader.roll.batch.publishing import inputs_digest
from grader.roll.intake.intake import Intake
from grader.roll.intake.matching import HandedAnswers


@dataclass(frozen=True)
class InsightSearch:
    """`comments`: the instructor's file; `written`: what it held before the batch; `private`: the instructor's folder in OUT."""

    comments: CommentsFile
    written: Mapping[str, str]
    private: Path
    mutants: MutantSearch | None = None  # none: nothing is compared with the solution

    def found_mutants(
        self, labs: Sequence[Lab], setup: JudgingSetup, scratch: Path, judging_seconds: float
    ) -> FoundMutants:
        """`labs`: those with wrong submissions, the most important first."""
        if self.mutants is None:
            return FoundMutants()

        def key(text: bytes, lab: Lab) -> str:
            return job_key(text, lab_fingerprint(lab), setup=setup.fingerprints[lab.id], seed=setup.seed)

        try:
            return self.mutants.run(labs, key, self.private / "mutants", scratch, judging_seconds)
        except Exception:  # noqa: BLE001 -- as in `look`
            return FoundMutants(faults=(f"the class as a whole: {traceback.format_exc()}",))

    def look(self, results: Sequence[Result], sources: Sources, labs: Sequence[Lab], mutants: FoundMutants) -> Added:
        """The class with the instructor's comments, and further pages for the instructor. Each part by itself: what breaks in one costs no
        other.
        """
        seen = Added(tuple(results))
        for part in (partial(self._mistakes, mutants), self._similar):
            try:
                seen = part(seen, sources, labs)
            except Exception:  # noqa: BLE001 -- grades stand, whatever breaks here
                seen = replace(seen, faults=(*seen.faults, f"the class as a whole: {traceback.format_exc()}"))
        return seen

    def _mistakes(self, mutants: FoundMutants, seen: Added, sources: Sources, labs: Sequence[Lab]) -> Added:
        likenesses = mutants.likenesses()
        wrong = wrong_submissions(seen.results, sources, likenesses)
        before = counts_before(self.private / "clusters" / "mistakes.json", wrong, [lab.id for lab in labs])
        mistakes = tuple(
            lab_mistakes(
                lab.id,
                wrong[lab.id],
                _texts(sources, lab),
                likenesses.get(lab.id, {}),
                self.written,
                before.get(lab.id),
            )
            for lab in labs
            if lab.id in wrong
        )
        maps, broken = self._maps(seen.results, sources, [lab for lab in labs if lab.id in wrong], likenesses)
        return replace(
            seen,
            results=commented(seen.results, sources, likenesses, self.written),
            insight=replace(
                seen.insight or NOTHING_KNOWN,
                mistakes=mistakes,
                maps=maps,
                comments=str(self.comments.path),
                again=pages_command(self.private.parent),
            ),
            faults=(*seen.faults, *mutants.faults, *broken, *self._kept(mutants, mistakes)),
        )

    @staticmethod
    def _maps(
        results: Sequence[Result], sources: Sources, labs: Sequence[Lab], likenesses: Mapping[str, Mapping[str, str]]
    ) -> tuple[tuple[SolutionMap, ...], tuple[str, ...]]:
        """Of the labs that have a model solution; and what broke."""
        made = []
        try:
            for lab in labs:
                file = lab.public.file
                if lab.private_dir is not None and (path := lab.private_dir / file).is_file():
                    solution = path.read_text(encoding="utf-8", errors="replace")
                    like = likenesses.get(lab.id, {})
                    made.append(solution_map(lab.id, file, solution, results, _texts(sources, lab), like))
        except Exception:  # noqa: BLE001 -- comments and groups do not depend on it
            return (), (f"the lines of the solution: {traceback.format_exc()}",)
        return tuple(one for one in made if one is not None), ()

    def _kept(self, mutants: FoundMutants, mistakes: Sequence[LabMistakes]) -> Iterator[str]:
        """What could not be."""
        try:
            mutants.keep()
        except OSError as error:
            yield f"how mistakes in the model solutions behave could not be kept: {error}"
        try:
            self.comments.add(mistakes)
        except Exception as error:  # noqa: BLE001 -- somebody may have saved half a text at this moment
            yield f"{self.comments.path}: new mistakes could not be added: {error}"

    def _similar(self, seen: Added, sources: Sources, labs: Sequence[Lab]) -> Added:
        names = {one.submission.id: one.submission.called for one in seen.results}
        teams = {one.submission.id: one.submission.student.team for one in seen.results}
        counts, files, folder = [], [], self.private / "similar"
        known = list(_known(labs))
        for lab in labs:
            texts = _texts(sources, lab)
            of, found = kept_pairs(folder / f"{lab.id}.json", texts, known, teams)
            counts.append((lab.id, len(found.pairs) + found.left_out + len(found.equal)))
            page = partial(similar_page, lab.id, lab.public.title, found, names=names, texts=texts)
            inputs = inputs_digest(of, lab.public.title, repr(sorted(names.items())))
            files.append(File(folder / f"{lab.id}.html", page, inputs))
        return replace(seen, insight=replace(seen.insight or NOTHING_KNOWN, similar=tuple(counts)), files=tuple(files))


def pages_command(out: Path) -> str:
    """What writes pages and exports of the class in `out` again."""
    return f"make pages OUT={shlex.quote(str(out))}"


def _texts(sources: Sources, lab: Lab) -> dict[str, str]:
    """Each student's file of the lab, of those who handed it in."""
    return {student: files[lab.public.file] for student, files in sources.items() if lab.public.file in files}


def _known(labs: Sequence[Lab]) -> Iterator[str]:
    """What nobody has to have written: starters and right kernels of the whole course, for a lab may begin with an earlier one's."""
    folders = {folder.parent for lab in labs for folder in (lab.public_dir, lab.private_dir) if folder is not None}
    for folder in sorted(folders):
        for path in sorted(folder.rglob("*.cu*")):
            if "rejects" not in path.relative_to(folder).parts:
                yield path.read_text(encoding="utf-8", errors="replace")


# What a class answered to the labs' questions, as a part of its results. No verdict and no points depend on it.


# A lab's questions, and the course's own answers by the question's number.
AskingLab = tuple[LabQuestions, Mapping[int, str]]


def asking_labs(labs: Sequence[Lab]) -> list[AskingLab]:
    """Those of them that ask something. Raises LabError where a lab's own questions are wrong."""
    asking = [(load_questions(lab), lab.private_dir) for lab in labs]
    return [(questions, model_answers(private)) for questions, private in asking if questions is not None]


def with_answers(results: Sequence[Result], students: Sequence[Intake], asking: Sequence[AskingLab]) -> list[Result]:
    """The results with what each student answered. Of those who handed in nothing, nothing is said."""
    answered = []
    for result, student in zip(results, students, strict=True):
        labs = dict(result.labs)
        for questions, models in asking if student.submission.handed_in else ():
            found = _answers(student.answers.get(questions.file), questions, models)
            labs[questions.lab_id] = labs[questions.lab_id].model_copy(update={"answers": found})
        answered.append(result.model_copy(update={"labs": labs}))
    return answered


def _answers(handed: HandedAnswers | None, questions: LabQuestions, models: Mapping[int, str]) -> LabAnswers:
    if handed is None or handed.trouble:
        return no_answers(questions, handed.trouble if handed else "", handed.place if handed else "")
    found = check_answers(handed.text, questions, file=handed.place, models=models)
    return found.model_copy(update={"notices": (*handed.notices, *found.notices)})
