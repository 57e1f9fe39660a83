"""What headers say in one stretch of a view: which macros they leave behind, and which of CUDA's names they use. Pure.

Most of a view is the same for every file of a class: some megabytes of the system's headers. So a long stretch that was read is kept,
and recognised by its text alone. What a submission itself says is never part of it.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass

from grader.engines.compiler_views.cuda_names import named_in

MARKER = re.compile(r'# (\d+) "((?:[^"\\\n]|\\.)*)"[ \d]*\n')  # of a whole line
MACRO = re.compile(r"^#[ \t]*(define|undef)[ \t]+([^\W\d][\w$]*)(.*)$", re.MULTILINE)
_KEPT_CHARACTERS = 1 << 16  # shorter ones are read each time
_MOST_KEPT = 8  # each takes about 15 MB where nvcc read CUDA's headers


@dataclass(frozen=True)
class HeaderText:
    """`defined`, `undefined`: macros as they are where the stretch ends. `own`: the bodies of those that the kit's headers define.
    `names`: CUDA's names outside comments; whether they are declared there.
    """

    text: str
    ours: tuple[str, ...]
    defined: Mapping[str, str]
    undefined: frozenset[str]
    own: Mapping[str, str]
    names: Mapping[str, bool]
    files: frozenset[str]  # the last part of each path

    @classmethod
    def read(cls, text: str, ours: tuple[str, ...]) -> HeaderText:
        """`text` begins with a line marker, and ends with a line."""
        defined: dict[str, str | None] = {}
        own: dict[str, str] = {}
        names: dict[str, bool] = {}
        files: set[str] = set()
        at = 0
        while marker := MARKER.match(text, at):
            at, end = marker.end(), next_marker(text, marker.end())
            files.add(marker[2].rsplit("/", 1)[-1])
            for macro in MACRO.finditer(text, at, end):
                defines = macro[1] == "define"
                defined[macro[2]] = macro[3].strip() if defines else None
                if defines and marker[2].startswith(ours):
                    own[macro[2]] = macro[3]
            for name, declared in named_in(text, at, end):
                names[name] = declared or names.get(name, False)
            at = end
        undefined = frozenset(name for name, body in defined.items() if body is None)
        bodies = {name: body for name, body in defined.items() if body is not None}
        return cls(text, ours, bodies, undefined, own, names, frozenset(files))

    def stands_at(self, view: str, at: int, ours: tuple[str, ...], file: str) -> bool:
        """Whether `view` has this text at `at`, and it means the same in a view of a submission called `file`."""
        return ours == self.ours and file not in self.files and view.startswith(self.text, at)


class ReadHeaders:
    """The long stretches that were read last. Several threads may ask."""

    def __init__(self) -> None:
        self._kept: list[HeaderText] = []
        self._lock = threading.Lock()

    def at(self, view: str, start: int, ours: tuple[str, ...], file: str) -> HeaderText | None:
        """One that was read before and stands there. The caller looks whether it ends there as well."""
        for one in list(self._kept):
            if one.stands_at(view, start, ours, file):
                return one
        return None

    def read(self, text: str, ours: tuple[str, ...]) -> HeaderText:
        if len(text) < _KEPT_CHARACTERS:
            return HeaderText.read(text, ours)
        with self._lock:  # at the beginning of a class, all ask for the same
            found = next((one for one in self._kept if one.ours == ours and one.text == text), None)
            found = found or HeaderText.read(text, ours)
            self._kept = [found, *(one for one in self._kept if one is not found)][:_MOST_KEPT]
            return found


def next_marker(text: str, at: int) -> int:
    """Where the next line marker begins, for `at` at the beginning of a line; the end where there is none."""
    while not MARKER.match(text, at):
        found = text.find("\n# ", at)
        if found < 0:
            return len(text)
        at = found + 1
    return at
