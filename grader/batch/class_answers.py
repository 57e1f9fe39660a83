"""What a class answered to the labs' questions, as a part of its results. No verdict and no points depend on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from grader.intake.answer_files import HandedAnswers
from grader.intake.intake import Intake
from grader.model.lab_answers import LabAnswers
from grader.model.labs import Lab
from grader.model.result import Result
from grader.questions.answer_check import check_answers, no_answers
from grader.questions.model_answers import model_answers
from grader.questions.question_file import LabQuestions, load_questions


@dataclass(frozen=True)
class Asking:
    """A lab that asks something."""

    lab: Lab
    questions: LabQuestions

    @cached_property
    def models(self) -> Mapping[int, str]:
        return model_answers(self.lab.private_dir)

    def answers(self, handed: HandedAnswers | None) -> LabAnswers:
        if handed is None:
            return no_answers(self.questions)
        if handed.trouble:
            return no_answers(self.questions, handed.trouble, handed.place)
        found = check_answers(handed.text, self.questions, file=handed.place, models=self.models)
        return found.model_copy(update={"notices": (*handed.notices, *found.notices)})


def asking_labs(labs: Sequence[Lab]) -> list[Asking]:
    """Those of them that ask something. Raises LabError where a lab's own questions are wrong."""
    return [Asking(lab, found) for lab in labs if (found := load_questions(lab)) is not None]


def with_answers(results: Sequence[Result], students: Sequence[Intake], asking: Sequence[Asking]) -> list[Result]:
    """The results with what each student answered. Of those who handed in nothing, nothing is said."""
    return [_with(result, student, asking) for result, student in zip(results, students, strict=True)]


def _with(result: Result, student: Intake, asking: Sequence[Asking]) -> Result:
    if not student.submission.handed_in or not asking:
        return result
    labs = dict(result.labs)
    for one in asking:
        found = one.answers(student.answers.get(one.lab.public.file))
        labs[one.lab.id] = labs[one.lab.id].model_copy(update={"answers": found})
    return result.model_copy(update={"labs": labs})
