"""A lab's questions for tests: a prediction with two numbers, a question that wants a number and words, and one that wants words."""

from __future__ import annotations

from fractions import Fraction

from grader.course.question_file import LabQuestions, QuestionFile, sealed
from grader.course.starters import answer_form

SPEC = {
    "question": [
        {
            "id": "other-order",
            "before": "make trace",
            "text": "Thread (1,0) is slow. Which value does it read from the tile,\nand what is its sum then?",
            "number": [{"label": "As[0][0]"}, {"label": "sum of thread (1,0)"}],
        },
        {
            "id": "barriers",
            "text": "K = 1024. How many times does a thread arrive at a barrier? Which of them can be left out?",
            "words": True,
            "number": [{"label": "arrivals"}],
        },
        {"id": "symmetric", "text": "Name two mistakes in the indices that a symmetric result cannot reveal."},
        {
            "id": "memory",
            "text": "How large are both tiles together, and what part of the peak is that?",
            "number": [{"label": "size", "unit": "bytes"}, {"label": "part", "unit": "%", "digits": 2}],
        },
    ]
}
NUMBERS = {
    ("other-order", "As[0][0]"): Fraction(17),
    ("other-order", "sum of thread (1,0)"): Fraction(150),
    ("barriers", "arrivals"): Fraction(128),
    ("memory", "size"): Fraction(8192),
    ("memory", "part"): Fraction(22, 100),
}


def lab(lab_id: str = "02-tiled", *, known: bool = True) -> LabQuestions:
    """`known`: with the right numbers; else with their seals alone, as in a handout."""
    spec = QuestionFile.model_validate(SPEC)
    seals = {key: sealed(value, f"{lab_id}/{key}") for key, value in NUMBERS.items()} if not known else {}
    return LabQuestions(lab_id, "Tiles", "tiled.cu", spec, seals, dict(NUMBERS) if known else {})


def other_lab() -> LabQuestions:
    spec = {"question": [{"id": "only", "text": "Why is the first barrier needed in this other lab, and for whom?"}]}
    return LabQuestions("03-boundary", "Edges", "boundary.cu", QuestionFile.model_validate(spec))


def filled(form: str | None = None) -> str:
    """answers.md as a good student hands it in."""
    text = answer_form(lab()) if form is None else form
    for label, value in (
        ("As[0][0]", "17"),
        ("sum of thread (1,0)", "150"),
        ("arrivals", "128"),
        ("size (bytes)", "8 KiB"),
        ("part (%)", "21.9 %"),
    ):
        text = text.replace(f"- {label}: ____", f"- {label}: {value}")
    place = "_Write your answer here, in one or two sentences._"
    return text.replace(place, "The last one: nobody overwrites the tiles after it.", 1).replace(
        place, "A swapped index, and a wrong row length."
    )
