"""What a class's pages are made from besides its records: kept in OUT, so that they are written again without what was handed in.

instructor/pages/class.json is about the class, instructor/pages/students/<id>.json about one student. They hold students' code, and are
for the instructor alone. Both are plain data; a damaged file counts as a missing one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

from pydantic import Field

from grader.explain.story import packed_page, unpacked
from grader.model.graded_class import NOTHING_KNOWN, ClassInsight
from grader.model.result import Model, Result, StepPage
from grader.roll.batch.output_folder import read_kept
from grader.roll.batch.publishing import File, digest, inputs_digest
from grader.roll.policy.grade_history import Basis


class SaidHandIn(Model):
    """When a student handed in what counts for a lab, as the platform says."""

    at: str = ""  # ISO 8601; empty: it does not say
    late: bool = False  # it says only that it was late


class KeptStepPage(Model):
    """A page that steps through a block. Its text lies beside the report."""

    page: StepPage  # without its text
    text: str  # a digest


class StudentMaterial(Model):
    schema_: Literal["tilelab/student-material/v1"] = Field(default="tilelab/student-material/v1", alias="schema")
    texts: dict[str, str]  # by name of a file
    digests: dict[str, str] = Field(default_factory=dict)  # by lab: of the file as it was handed in
    said: dict[str, SaidHandIn] = Field(default_factory=dict)  # by lab
    step_pages: dict[str, tuple[KeptStepPage, ...]] = Field(default_factory=dict)  # by lab


class ClassMaterial(Model):
    schema_: Literal["tilelab/class-material/v1"] = Field(default="tilelab/class-material/v1", alias="schema")
    now: str  # when deadlines were looked at: ISO 8601
    stopped: str = ""  # why grading stopped; then nothing is known of the class
    comments: str = ""  # the file of comments that was named; empty: the one in OUT
    course: str = ""  # the course.toml that was named; empty: the course's own
    rostered: tuple[str, ...] | None = None  # ids of those in the roster; none: there was no roster
    notices: tuple[str, ...] = ()  # but those about the course's policy
    bases: dict[str, Basis] = Field(default_factory=dict)  # by lab
    likenesses: dict[str, dict[str, str]] = Field(default_factory=dict)  # by lab and behaviour
    insight: ClassInsight = NOTHING_KNOWN


@dataclass(frozen=True)
class MaterialFolder:
    """`private`: the instructor's folder in OUT."""

    private: Path

    @property
    def class_path(self) -> Path:
        return self.private / "pages" / "class.json"

    def student_path(self, student: str) -> Path:
        return self.private / "pages" / "students" / f"{student}.json"

    def of_class(self) -> ClassMaterial | None:
        """None: there is none that can be read."""
        return read_kept(self.class_path, ClassMaterial)

    def of_student(self, student: str) -> StudentMaterial | None:
        return read_kept(self.student_path(student), StudentMaterial)

    def files(self, material: ClassMaterial, students: Mapping[str, StudentMaterial]) -> Iterator[File]:
        """To be written."""
        for student, one in students.items():
            texts = (part for item in sorted(one.texts.items()) for part in item)
            inputs = inputs_digest(*texts, one.model_copy(update={"texts": {}}).model_dump_json())
            yield File(self.student_path(student), partial(_text, one), inputs)
        yield File(self.class_path, partial(_text, material))


def kept_step_pages(result: Result) -> dict[str, tuple[KeptStepPage, ...]]:
    return {
        lab_id: tuple(
            KeptStepPage(page=page.model_copy(update={"packed": ""}), text=digest(unpacked(page)))
            for page in lab.step_pages
        )
        for lab_id, lab in result.labs.items()
        if lab.step_pages
    }


def with_step_pages(
    result: Result, kept: Mapping[str, Sequence[KeptStepPage]], folder: Path
) -> tuple[Result, list[str]]:
    """The result with the pages that still lie in the student's `folder`, and the names of those that do not, or were changed."""
    labs, gone = dict(result.labs), []
    for lab_id, ones in kept.items():
        found = []
        for one in ones:
            try:
                text = (folder / one.page.name).read_text(encoding="utf-8")
            except (OSError, UnicodeDecodeError):
                text = ""
            if text and digest(text) == one.text:
                found.append(packed_page(one.page.name, text, one.page.links))
            else:
                gone.append(one.page.name)
        if lab_id in labs:
            labs[lab_id] = labs[lab_id].model_copy(update={"step_pages": tuple(found)})
    return result.model_copy(update={"labs": labs}), gone


def _text(material: Model) -> str:
    return material.model_dump_json(by_alias=True) + "\n"
