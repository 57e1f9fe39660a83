"""Finds the files with answers in one upload, and whose lab each of them is. Nothing here refuses an upload or a lab's file.

All labs' files have one name, `answers.md`. So what is in a file counts first: the questions that it holds, then its title, then the
folder that it lies in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grader.intake.lab_files import LabFile
from grader.intake.source_text import normalise
from grader.intake.uploads.naming import clean, is_copy
from grader.intake.uploads.stored_bytes import stored_bytes
from grader.intake.uploads.upload import Contents, Stored
from grader.questions.answer_bytes import ANSWER_BYTES, NoAnswersError, answer_text, is_named_answers, lab_of
from grader.questions.answer_text import is_blank, read_answers
from grader.questions.question_file import ANSWERS, LabQuestions

_MOST_FILES = 64


@dataclass(frozen=True)
class HandedAnswers:
    """One lab's answers in one attempt."""

    text: str
    place: str  # in the upload, safe to show
    trouble: str = ""  # why it cannot be read; then there is no text
    notices: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Found:
    """A file that may hold a lab's answers."""

    lab: LabQuestions
    path: tuple[str, ...]
    text: str
    trouble: str
    said: bool  # the text itself says whose it is

    @property
    def rank(self) -> tuple[object, ...]:
        """The first one counts: a text that was filled in and says whose it is, where the handout keeps it, at the top."""
        blank = bool(self.trouble) or is_blank(read_answers(self.text, self.lab), self.lab.questions)
        aside = any(is_copy(part) for part in self.path[:-1])
        home = self.path[-3:-1] == ("assignments", self.lab.lab_id) or self.path[-2:-1] == (self.lab.lab_id,)
        return (
            bool(self.trouble),
            aside,
            blank,
            not self.said,
            not home,
            self.path[-1] != ANSWERS,
            len(self.path),
            self.path,
        )


def take_answers(contents: Contents, wanted: Sequence[LabFile]) -> tuple[dict[str, HandedAnswers], list[str]]:
    """By the name of each lab's file: the answers to its questions. And notices about files that are nobody's."""
    labs = {one.questions.lab_id: one for one in wanted if one.questions is not None}
    asking = [one.questions for one in labs.values() if one.questions is not None]
    named = [file for file in contents.files if file.path and is_named_answers(file.path[-1])][:_MOST_FILES]
    found: dict[str, list[_Found]] = {}
    notices: list[str] = []
    for file in named if asking else []:
        one = _read(file, asking)
        if isinstance(one, str):
            notices.append(one)
        elif one is not None:
            found.setdefault(one.lab.lab_id, []).append(one)
    return {labs[lab_id].name: _chosen(files) for lab_id, files in found.items()}, notices[:3]


def _read(file: Stored, labs: Sequence[LabQuestions]) -> _Found | str | None:
    """None: it is of a lab that is not asked for here. A text: nothing says whose it is."""
    name, text, trouble = clean(file.path[-1]), "", ""
    data = stored_bytes(file, 2 * ANSWER_BYTES)
    try:
        if data is None:
            trouble = f"{name} cannot be read"
        else:
            text = answer_text(normalise(data)[0], name)
    except NoAnswersError as error:
        trouble = str(error)
    lab, said = lab_of(text, file.path, labs)
    if lab is not None:
        return _Found(lab, file.path, text, trouble, said)
    shown = clean("/".join(file.path))
    unclear = f"{shown} holds answers, and it is not clear for which lab: leave the title as the handout has it"
    return None if said else unclear


def _chosen(files: Sequence[_Found]) -> HandedAnswers:
    first, *others = sorted(files, key=lambda one: one.rank) if len(files) > 1 else files
    notices: list[str] = []
    place = clean("/".join(first.path))
    folders = first.path[:-1]
    if "assignments" in folders[:-1] and folders[-1] != first.lab.lab_id and first.said:
        notices.append(f"{place} holds the answers of {first.lab.lab_id}, so they are taken for that lab")
    if any(one.text != first.text and not one.trouble for one in others):
        notices.append(f"there are {len(files)} files with answers for this lab: {place} was taken")
    return HandedAnswers(first.text, place, first.trouble, tuple(notices))
