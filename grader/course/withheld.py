"""Finds what a handout must not hold: private files, model solutions, hidden cases, and references to any of them.

Pure: callers read the files. `starters` checks whether starters are current.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import PurePosixPath
from posixpath import normpath

from grader.course.diagnostic import Diagnostic
from grader.course.leaks import CourseSecrets, leaks

_PRIVATE_FOLDERS = {"solutions", "tests"}
_PRIVATE_NAMES = {"grading.toml", "hidden_tests.cpp"}
_INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')
_LINK = re.compile(r"\]\(([^)\s]+)\)|<(?:img|a)\b[^>]*?\b(?:src|href)=\"([^\"]+)\"")
_INCLUDE_FOLDERS = ("kit", "kit/include", "kit/simt/device")
_WORD = re.compile(r"\w")
_Statements = list[tuple[int, str]]  # lines by number, without white space


@dataclass(frozen=True)
class HiddenCases:
    """One lab's hidden cases: their titles, and the text of the tests."""

    lab_id: str
    titles: Sequence[str]
    text: str


def withheld(files: Mapping[str, str], secrets: CourseSecrets, hidden: Sequence[HiddenCases]) -> list[Diagnostic]:
    """Everything in `files` (path in the handout to text) that students may not see, or that refers to a file they do not get."""
    found: list[Diagnostic] = []
    for path, text in files.items():
        pure = PurePosixPath(path)
        if pure.parts[0] in _PRIVATE_FOLDERS or pure.name in _PRIVATE_NAMES:
            found.append(Diagnostic(path, None, "is private; students must never get it"))
        found += [
            Diagnostic(path, leak.line, f"gives a solution away: {leak.text}")
            for leak in (leaks(text, secrets.for_file(path)) if _WORD.search(text) else [])
        ]
        if pure.parts[0] == "assignments":
            found += _dangling(path, text, files)
    statements = {path: _statements(text) for path, text in files.items()}
    for lab in hidden:
        found += _hidden(files, statements, lab)
    return sorted(found, key=lambda one: (one.path, one.line or 0, one.what))


def _dangling(path: str, text: str, files: Mapping[str, str]) -> Iterator[Diagnostic]:
    """Includes and links in a lab's file whose target is not in the handout."""
    here = str(PurePosixPath(path).parent)
    for number, line in enumerate(text.splitlines(), start=1):
        include = _INCLUDE.match(line)
        if include and not path.endswith(".md"):
            target = include[1] or include[2]
            reached = {normpath(f"{folder}/{target}") for folder in (here, *_INCLUDE_FOLDERS)}
            if (include[1] or ".." in target) and not reached & files.keys():
                yield Diagnostic(path, number, f"includes {target}, which is not in the handout")
        if path.endswith(".md"):
            for link in (one or other for one, other in _LINK.findall(line)):
                target = normpath(f"{here}/{link.partition('#')[0]}") if link[0] != "#" else path
                folders = (name for name in files if name.startswith(f"{target}/"))
                if ":" not in link and target not in files and not any(folders):
                    yield Diagnostic(path, number, f"links to {link}, which is not in the handout; does git track it?")


def _statements(text: str) -> _Statements:
    squeezed = ((number, "".join(line.split())) for number, line in enumerate(text.splitlines(), start=1))
    return [
        (number, line) for number, line in squeezed if _WORD.search(line) and not line.startswith(("//", "#", "using"))
    ]


def _hidden(files: Mapping[str, str], statements: Mapping[str, _Statements], lab: HiddenCases) -> Iterator[Diagnostic]:
    """Two consecutive lines of a lab's hidden tests in any file, and the title of a hidden case in that lab's own files."""
    pairs = {(one, other) for (_, one), (_, other) in pairwise(_statements(lab.text))}
    for path, text in files.items():
        for (number, one), (_, other) in pairwise(statements[path]):
            if (one, other) in pairs:
                yield Diagnostic(path, number, f"repeats hidden tests of {lab.lab_id}: {one}")
        if path.startswith(f"assignments/{lab.lab_id}/"):
            for number, line in enumerate(text.splitlines(), start=1):
                for title in lab.titles:
                    if f'"{title}"' in line:
                        yield Diagnostic(path, number, f"names a hidden case of {lab.lab_id}: {title!r}")
