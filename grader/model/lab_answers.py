"""What a student answered to a lab's questions, as a part of the result. It gives no points and changes no verdict."""

from __future__ import annotations

from typing import Literal

from grader.model.result.plain_data import Model


# open: nothing is there; unclear: there is something, but no number; unchecked: nothing here knows the right one.
NumberState = Literal["open", "unclear", "wrong", "right", "unchecked"]


class NumberAnswer(Model):
    """A number that a question asks for."""

    label: str
    unit: str = ""
    given: str = ""  # untrusted, cut
    state: NumberState
    remark: str = ""  # for the student: what is wrong with the text, never the right number


class QuestionAnswer(Model):
    """One question, and what was found below it."""

    number: int  # from 1
    id: str
    question: str
    before: str = ""  # a prediction: the command that was to be run after it
    wants_words: bool = True
    text: str = ""  # untrusted, cut; for the instructor alone
    more: int = 0  # characters that were cut
    has_words: bool = False  # whether `text` holds an answer
    numbers: tuple[NumberAnswer, ...] = ()
    model: str = ""  # the course's own answer; for the instructor alone

    @property
    def answered(self) -> bool:
        """Whether all that the question asks for is there, right or not."""
        given = all(one.state not in {"open", "unclear"} for one in self.numbers)
        return given and (self.has_words or not self.wants_words)

    @property
    def begun(self) -> bool:
        return self.has_words or any(one.state != "open" for one in self.numbers)


class LabAnswers(Model):
    """A lab's questions, beside what one student wrote."""

    found: bool  # whether a file with answers was found
    file: str = ""  # where it was, in the upload
    trouble: str = ""  # why it could not be read
    notices: tuple[str, ...] = ()  # what was odd about it
    strays: str = ""  # text that belongs to no question: untrusted, cut; for the instructor alone
    listed: bool = False  # whether the course wants it to be said where nothing was found
    questions: tuple[QuestionAnswer, ...] = ()

    def for_student(self) -> LabAnswers:
        """What was found, and which numbers are right. Without what was written, and without the course's own answers."""
        hidden = {"text": "", "more": 0, "model": ""}
        return self.model_copy(
            update={"strays": "", "questions": tuple(one.model_copy(update=hidden) for one in self.questions)}
        )

    @property
    def begun(self) -> bool:
        """Whether it is more than the form as it was handed out, or something that cannot be read."""
        return bool(self.trouble or self.strays) or any(one.begun for one in self.questions)

    @property
    def answered(self) -> int:
        return sum(one.answered for one in self.questions)

    @property
    def numbers(self) -> tuple[NumberAnswer, ...]:
        return tuple(number for one in self.questions for number in one.numbers)

    @property
    def all_right(self) -> bool:
        """Whether no number is known to be wrong, and none is missing."""
        return all(one.state in {"right", "unchecked"} for one in self.numbers)

    @property
    def right(self) -> int:
        return sum(one.state == "right" for one in self.numbers)
