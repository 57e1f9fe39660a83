"""A file with answers as it was handed in: whether it is text, and which lab's it is. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from grader.questions.answer_text import words_of
from grader.questions.question_file import LabQuestions

ANSWER_BYTES = 128 << 10
_NAMED = re.compile(r"(?:^|[^a-z])answers?(?:[^a-z]|$)")
_TEXTS = (".md", ".markdown", ".txt", ".text", ".mdown")
_DOCUMENTS = (".docx", ".doc", ".odt", ".rtf", ".pdf", ".pages", ".html")
_TITLE = re.compile(r"\W*answers:\s*(\S+)", re.IGNORECASE)
_TITLE_LINES = 20
_NO_TEXT = "is no plain text: copy the answers into answers.md with a text editor, and save it as UTF-8"


class NoAnswersError(Exception):
    """The file cannot be read as answers. The text says why, and what to do."""


def is_named_answers(name: str) -> bool:
    """Whether a file's name says that it holds answers: `answers.md`, `answers (1).md`, `lab2_Answers.txt`, `answers.docx`."""
    plain = name.casefold()[-80:]
    return plain.endswith((*_TEXTS, *_DOCUMENTS)) and _NAMED.search(plain) is not None


def answer_text(data: bytes, name: str) -> str:
    """The text of such a file; `data` is UTF-8 or what a Windows editor writes. Raises NoAnswersError."""
    if len(data) > ANSWER_BYTES:
        message = f"{name} is larger than {ANSWER_BYTES >> 10} KiB, which no answers need"
        raise NoAnswersError(message)
    if b"\0" in data or data.startswith(
        (b"PK\x03\x04", b"%PDF", b"{\\rtf", b"\x7fELF", b"\x1f\x8b", b"\xd0\xcf\x11\xe0")
    ):
        message = f"{name} {_NO_TEXT}"
        raise NoAnswersError(message)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def lab_of(text: str, place: Sequence[str], labs: Sequence[LabQuestions]) -> tuple[LabQuestions | None, bool]:
    """Whose answers they are, and whether the text itself says so: by its questions, its title, then its folder and name. None: no lab's
    of `labs`; then true means that another lab's are meant.
    """
    lines = text.splitlines()
    said = {words_of(line) for line in lines[:4_000]}
    counts = {lab.lab_id: sum(words_of(one.text_lines[0]) in said for one in lab.questions) for lab in labs}
    best = max(counts.values(), default=0)
    if best and list(counts.values()).count(best) == 1:
        return next(lab for lab in labs if counts[lab.lab_id] == best), True
    by_id = {lab.lab_id.casefold(): lab for lab in labs}
    titles = [match[1].casefold() for line in lines[:_TITLE_LINES] if (match := _TITLE.match(line)) is not None]
    if titles:  # of a lab that is not among `labs`: nobody's here
        return by_id.get(titles[0]), True
    folders = [part.casefold() for part in place[:-1]]
    for folder in reversed(folders):
        if folder in by_id:
            return by_id[folder], False
    if "assignments" in folders[:-1]:
        return None, True
    name = place[-1].casefold() if place else ""
    named = [lab for lab_id, lab in by_id.items() if lab_id in name]
    if len(named) == 1:
        return named[0], False
    return (labs[0], False) if len(labs) == 1 else (None, False)
