"""The two texts that are made from a lab's questions: the list in its write-up, and the `answers.md` that students fill in. Pure."""

from __future__ import annotations

from grader.questions.question_file import LabQuestions, NumberSpec, QuestionSpec

BLANK = "____"
PLACE = "_Write your answer here, in one or two sentences._"


def answer_form(lab: LabQuestions) -> str:
    """`answers.md` as it is handed out."""
    parts = [heading(lab), "\n".join(introduction(lab))]
    for number, one in enumerate(lab.questions, start=1):
        parts += [f"## Question {number}", "\n".join(f"> {line}" for line in one.lines)]
        if one.number:
            parts.append("\n".join(f"- {label_of(each)}: {BLANK}" for each in one.number))
        if one.wants_words:
            parts.append(PLACE)
    return "\n\n".join(parts) + "\n"


def heading(lab: LabQuestions) -> str:
    return f"# Answers: {lab.lab_id}"


def introduction(lab: LabQuestions) -> tuple[str, ...]:
    """Below the heading. Each line is known again where an answer is looked for."""
    told = (
        (f"Numbers take the place of `{BLANK}`, one on its line; words go below it.",)
        if any(one.number for one in lab.questions)
        else ()
    )
    return (
        f"Write your answers into this file and hand it in beside `{lab.file}`. Leave the headings as they are.",
        *told,
        "`make answers` says which questions are open, and whether your numbers are right.",
    )


def label_of(number: NumberSpec) -> str:
    return f"{number.label} ({number.unit})" if number.unit else number.label


def question_list(lab: LabQuestions) -> str:
    """The questions as the write-up lists them."""
    return "\n".join(_item(number, one) for number, one in enumerate(lab.questions, start=1))


def _item(number: int, one: QuestionSpec) -> str:
    first, *more = one.lines
    indent = " " * len(f"{number}. ")
    return "\n".join([f"{number}. {first}", *(f"{indent}{line}" for line in more)])
