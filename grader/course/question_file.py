"""`questions.toml`: a lab's questions as data. The write-up's section, `answers.md` and the check of answers are all made from it.

The right numbers are in no public file: `numbers.toml` beside the model solution holds them, `seals.toml` their seals.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Literal, Self

from pydantic import Field, RootModel, model_validator

from grader.course.number_text import read_number, rounded, stays_rounded
from grader.model.described_problem import Strict
from grader.model.labs import Lab, LabError, read_table

# A number that a program can recognise and a reader cannot see: scrypt of the number, with a salt of its question. Pure.
#
# It hides a number from the eye, and not from a program: a loop tries a thousand small numbers in a minute.

_COST = {"n": 1 << 14, "r": 8, "p": 1, "maxmem": 64 << 20, "dklen": 16}  # 40 ms and 16 MiB a number
_SEAL = re.compile(r"scrypt-14:[0-9a-f]{32}:[0-9a-f]{32}")


def sealed(value: Fraction, place: str) -> str:
    """The seal of a number. `place` names what asks for it, so that equal numbers have different seals."""
    salt = hashlib.sha256(f"tilelab seal: {place}".encode()).digest()[:16]
    return f"scrypt-14:{salt.hex()}:{_hash(value, salt).hex()}"


def is_sealed(value: Fraction, seal: str) -> bool:
    _, salt, kept = seal.split(":")
    return hmac.compare_digest(_hash(value, bytes.fromhex(salt)).hex(), kept)


@cache  # proofs of a course, and hints, ask for the same again
def _hash(value: Fraction, salt: bytes) -> bytes:
    return hashlib.scrypt(f"{value.numerator}/{value.denominator}".encode(), salt=salt, **_COST)


QUESTIONS, ANSWERS, SEALS, NUMBERS = "questions.toml", "answers.md", "seals.toml", "numbers.toml"
_MOST_QUESTIONS = 40


class NumberSpec(Strict):
    """A number that an answer has to hold, on a line of its own."""

    label: str = Field(pattern=r"^[A-Za-z][A-Za-z0-9 ,'()/_\[\]-]{0,59}$")  # "blocks", "sectors of one load"
    unit: str = Field(default="", max_length=20)  # "bytes", "%", "ms"; an answer may use another one of the same kind
    digits: int | None = Field(default=None, ge=1, le=6)  # so many significant ones are compared; none: it is exact
    # What is right is counted in a run of the student's own kernel: a name of Nsight Compute's metrics, and the shape, "64x64x64".
    counted: str = ""
    shape: str = ""

    @model_validator(mode="after")
    def says_what_is_counted(self) -> Self:
        if bool(self.counted) != bool(self.shape):
            raise ValueError(f"the number {self.label!r} needs both `counted` and `shape`, or neither")
        return self


class QuestionSpec(Strict):
    id: str = Field(pattern=r"^[a-z][a-z0-9-]{0,39}$")
    text: str = Field(min_length=1, max_length=2000)  # Markdown, one paragraph
    before: str = Field(default="", max_length=40)  # a prediction: the command that is to be run after it, "make trace"
    number: tuple[NumberSpec, ...] = Field(default=(), max_length=6)
    words: bool | None = None  # whether it wants words; none: only where it wants no number

    @property
    def wants_words(self) -> bool:
        return self.words if self.words is not None else not self.number

    @property
    def lines(self) -> tuple[str, ...]:
        """The question as it is printed: what makes it a prediction, and the text as it is wrapped in the file."""
        told = (f"**Predict, before `{self.before}`:**",) if self.before else ()
        return (*told, *self.text_lines)

    @property
    def text_lines(self) -> tuple[str, ...]:
        return tuple(line.strip() for line in self.text.strip().splitlines() if line.strip())

    @model_validator(mode="after")
    def is_complete(self) -> Self:
        labels = [one.label.casefold() for one in self.number]
        if len(set(labels)) < len(labels):
            raise ValueError(f"question {self.id!r} has two numbers with the same label")
        if not self.text_lines:
            raise ValueError(f"question {self.id!r} has no text")
        if not self.wants_words and not self.number:
            raise ValueError(f"question {self.id!r} wants neither words nor a number")
        return self


class QuestionFile(Strict):
    """questions.toml."""

    unanswered: Literal["quiet", "listed"] = "quiet"  # listed: pages say so where nobody answered, also without a file
    question: tuple[QuestionSpec, ...] = Field(min_length=1, max_length=_MOST_QUESTIONS)

    @model_validator(mode="after")
    def has_different_questions(self) -> Self:
        ids = [one.id for one in self.question]
        if twice := {one for one in ids if ids.count(one) > 1}:
            raise ValueError(f"two questions have the id {min(twice)!r}")
        return self


@dataclass(frozen=True)
class LabQuestions:
    """A lab's questions, counted from 1, and what is known of their numbers: by the question's id and the number's label."""

    lab_id: str
    title: str
    file: str  # that is handed in beside the answers
    spec: QuestionFile
    seals: dict[tuple[str, str], str] = field(default_factory=dict)
    numbers: dict[tuple[str, str], Fraction] = field(default_factory=dict)  # empty in a handout

    @property
    def questions(self) -> tuple[QuestionSpec, ...]:
        return self.spec.question


def load_questions(lab: Lab) -> LabQuestions | None:
    """None: the lab has no questions. Raises LabError that names the file and the remedy."""
    path = lab.public_dir / QUESTIONS
    if not path.is_file():
        return None
    spec = read_table(path, QuestionFile)
    counted = [number for one in spec.question for number in one.number if number.counted]
    if counted and lab.public.starts_itself:
        raise LabError(f"{path}: {counted[0].label!r} is counted, which is for labs with contract = 'kernel'")
    known = {(one.id, number.label): number for one in spec.question for number in one.number if not number.counted}
    numbers: dict[tuple[str, str], Fraction] = {}
    if lab.private_dir is not None and (lab.private_dir / NUMBERS).is_file():
        numbers = _numbers(lab.private_dir / NUMBERS, known)
    seals = _seals(lab.public_dir / SEALS, known)
    return LabQuestions(lab.id, lab.public.title, lab.public.file, spec, seals, numbers)


def _numbers(path: Path, known: dict[tuple[str, str], NumberSpec]) -> dict[tuple[str, str], Fraction]:
    """The right numbers. Each number that a question asks for has to be there, and no other."""
    found: dict[tuple[str, str], Fraction] = {}
    for key, value in _entries(path).items():
        if key not in known:
            raise LabError(f"{path}: no question asks for {key[0]}.{key[1]!r}; remove it, or correct its name")
        spec = known[key]
        text = str(value) if isinstance(value, int | float | str) and not isinstance(value, bool) else ""
        values = read_number(text, spec.unit).values
        if not text or re.search(r"[A-Za-z,]", text) or not values:
            raise LabError(f'{path}: {key[0]}.{key[1]!r} has to be a plain number, or a fraction as text such as "1/3"')
        if not stays_rounded(values[0], spec.digits):
            raise LabError(
                f"{path}: {key[0]}.{key[1]!r} is nearly half-way between two numbers of {spec.digits} digits, so answers that "
                "are rounded once more would count as wrong: choose other `digits` in questions.toml"
            )
        found[key] = rounded(values[0], spec.digits)
    if missing := sorted(known.keys() - found.keys()):
        raise LabError(f"{path}: the right number of {missing[0][0]}.{missing[0][1]!r} is missing")
    return found


def _seals(path: Path, known: dict[tuple[str, str], NumberSpec]) -> dict[tuple[str, str], str]:
    if not path.is_file():
        return {}
    found = {key: str(value) for key, value in _entries(path).items() if key in known}
    for key, seal in found.items():
        if not _SEAL.fullmatch(seal):
            raise LabError(f"{path}: {key[0]}.{key[1]!r}: this is no seal; run `tilelab starters`, which makes it")
    return found


class _Entries(RootModel[dict[str, object]]):
    """By the question's id."""


def _entries(path: Path) -> dict[tuple[str, str], object]:
    """`[question-id]` tables of `label = value`."""
    found: dict[tuple[str, str], object] = {}
    for question, table in read_table(path, _Entries).root.items():
        if not isinstance(table, dict):
            raise LabError(f"{path}: {question} has to be a table: [{question}], and below it a line for each number")
        found |= {(question, label): value for label, value in table.items()}
    return found


# A line of an `answers.md` that is the heading of a question, as a form, an editor or a hand has written it. Pure.

_SPELT = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
_HEADING = re.compile(
    r"\s{0,3}(?P<mark>#{1,6}\s*|\*\*\s*)?(?:question|answer|q|frage|aufgabe|antwort)\s*(?:no\.?|nr\.?|#)?\s*"
    rf"(?P<number>[0-9]{{1,3}}|{'|'.join(_SPELT)})\b(?P<rest>.*)",
    re.IGNORECASE,
)
_BARE_HEADING = re.compile(r"\s{0,3}#{1,6}\s*(?P<number>[0-9]{1,3})\s*[.):]?\s*(?P<rest>)")


def heading_number(line: str) -> int | None:
    """From 1. None: the line is no heading, or that of something else."""
    match = _HEADING.fullmatch(line) or _BARE_HEADING.fullmatch(line)
    if match is None:
        return None
    marked = line.lstrip().startswith("#")
    if line.strip(" \t#*").casefold().startswith(("answer", "antwort")) and not line.lstrip().startswith(("#", "**")):
        return None  # "Answer 17" is one
    if not marked and re.search(r"[^\W_]", match["rest"]):  # "Question 2 says that …" is an answer
        return None
    spelt = match["number"].casefold()
    return _SPELT.index(spelt) + 1 if spelt in _SPELT else int(spelt)


# The course's own answers, in `solutions/<lab>/answers.md`: one for each question, in a numbered list. Instructors alone see them.

_ITEM = re.compile(r"^(\d{1,2})\. ", re.MULTILINE)
_MOST_TEXT = 2_000


def model_answers(private_dir: Path | None) -> Mapping[int, str]:
    """By the question's number. Empty where there are none: nothing depends on them."""
    try:
        text = (private_dir / ANSWERS).read_text(encoding="utf-8") if private_dir is not None else ""
    except (OSError, UnicodeDecodeError):
        return {}
    _, *items = _ITEM.split(text)
    pairs = zip(items[::2], items[1::2], strict=True)
    return {int(number): " ".join(answer.split())[:_MOST_TEXT] for number, answer in pairs}
