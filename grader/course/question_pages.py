"""Brings the files that are made from a lab's `questions.toml` up to date: the write-up's list, `answers.md`, and the numbers' seals.

`tilelab starters` writes them, with the starters. Which answers are right stays in `solutions/`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from grader.course.diagnostic import Diagnostic
from grader.model.labs import Lab, LabError, lab_ids, load_lab
from grader.questions.answer_form import answer_form, question_list
from grader.questions.question_file import ANSWERS, QUESTIONS, SEALS, LabQuestions, load_questions
from grader.questions.sealed_number import is_sealed, sealed

BEGIN, END = "<!-- questions -->", "<!-- questions: end -->"
_LIST = re.compile(rf"({re.escape(BEGIN)}\n).*?({re.escape(END)})", re.DOTALL)
_REMEDY = "run `tilelab starters`"


def outdated(root: Path) -> list[Diagnostic]:
    """What differs from what the labs' questions give. Empty: nothing. A lab without questions has none of these files."""
    return [one for lab_id in lab_ids(root) for one in _outdated(root, lab_id)]


def write(root: Path) -> list[Path]:
    """Writes each of these files that is missing or stale, and returns them. Raises LabError before anything is written."""
    wanted: dict[Path, str] = {}
    for lab_id in lab_ids(root):
        lab = load_lab(root, lab_id)
        questions = load_questions(lab)
        if questions is not None:
            wanted |= _wanted(lab, questions)
    stale = [path for path, text in wanted.items() if _read(path) != text]
    for path in stale:
        path.write_text(wanted[path], encoding="utf-8")
    return stale


def _outdated(root: Path, lab_id: str) -> Iterator[Diagnostic]:
    folder = f"assignments/{lab_id}"
    try:
        lab = load_lab(root, lab_id)
        questions = load_questions(lab)
        wanted = {} if questions is None else _wanted(lab, questions)
    except LabError as error:
        yield Diagnostic(f"{folder}/{QUESTIONS}", None, str(error))
        return
    for name in (ANSWERS, SEALS):
        if questions is None and (root / folder / name).is_file():
            yield Diagnostic(f"{folder}/{name}", None, f"there is no {QUESTIONS} beside it; remove the file")
    for path, text in wanted.items():
        if _read(path) != text:
            yield Diagnostic(path.relative_to(root).as_posix(), None, f"differs from what {QUESTIONS} gives; {_REMEDY}")


def _wanted(lab: Lab, questions: LabQuestions) -> dict[Path, str]:
    page = lab.public_dir / "README.md"
    text = _read(page)
    if len(_LIST.findall(text)) != 1:
        message = f"{page}: the questions need one place: a line {BEGIN}, and below it a line {END}"
        raise LabError(message)
    files = {
        page: _LIST.sub(lambda found: f"{found[1]}{question_list(questions)}\n{found[2]}", text),
        lab.public_dir / ANSWERS: answer_form(questions),
    }
    if lab.private_dir is not None and _has_sealed(questions):
        files[lab.public_dir / SEALS] = _seals(questions)
    return files


def _has_sealed(questions: LabQuestions) -> bool:
    return any(not number.counted for one in questions.questions for number in one.number)


def _seals(questions: LabQuestions) -> str:
    """The seals of the right numbers. One that is right stays, for it takes time to make one."""
    lines = [
        "# Seals of the right numbers: `make answers` knows a number by its seal. Made by `tilelab starters`; never edit it.",
    ]
    for one in questions.questions:
        kept = [number for number in one.number if not number.counted]
        lines += ["", f"[{one.id}]"] if kept else []
        for number in kept:
            key = (one.id, number.label)
            if key not in questions.numbers:
                message = (
                    f"solutions/{questions.lab_id}: no numbers.toml says what is right for {one.id}.{number.label!r}"
                )
                raise LabError(message)
            seal, value = questions.seals.get(key, ""), questions.numbers[key]
            if not (seal and is_sealed(value, seal)):
                seal = sealed(value, f"{questions.lab_id}/{one.id}/{number.label}")
            lines.append(f'"{number.label}" = "{seal}"')
    return "\n".join(lines) + "\n"


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""
