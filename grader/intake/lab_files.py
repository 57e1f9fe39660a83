"""The files that labs ask for, and how to know each of them: by its name, its place in the handout, what it defines, and the starter."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from grader.model.labs import Lab
from grader.questions.question_file import LabQuestions, load_questions

_CALLED = re.compile(r"([A-Za-z_]\w*)\(")


@dataclass(frozen=True)
class LabFile:
    name: str
    lab: str = ""  # the lab's id; the handout keeps the file in assignments/<lab>/
    entries: tuple[str, ...] = ()  # names of functions that it must define
    starter: bytes | None = None  # what the handout gives
    questions: LabQuestions | None = field(default=None, compare=False)  # whose answers may be beside it

    def is_at_home(self, path: tuple[str, ...]) -> bool:
        """Whether it lies where the handout keeps it, in whatever folder the handout is."""
        return bool(self.lab) and path[-3:] == ("assignments", self.lab, self.name)


def lab_file(lab: Lab) -> LabFile:
    """Raises LabError where the lab's questions are wrong."""
    names = tuple(found[1] for entry in lab.public.entries if (found := _CALLED.search(entry)))
    return LabFile(lab.public.file, lab.id, names, _bytes(lab.public_dir / lab.public.file), load_questions(lab))


def lab_files(wanted: Collection[str] | Collection[LabFile]) -> Sequence[LabFile]:
    """In the order of their names. Of a plain name nothing else is known."""
    found = [one if isinstance(one, LabFile) else LabFile(one) for one in wanted]
    return sorted(found, key=lambda one: one.name)


def _bytes(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None
