"""Whether two compilers read the same program in one file: what is left of a submission once the preprocessor's conditions are
decided, and what the macros mean that it uses and did not define. Comments do not count. Pure.

It reads what GCC makes of a file with `-E -fdirectives-only -dI`: conditions and includes are done, macros stand as they are written.
What a program can learn of its compiler without the preprocessor, as by the names that headers declare, is not seen here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from grader.engines.checks.bare_code import CodeLine, live_lines, unclear_line
from grader.engines.compiler_views.cuda_names import one_sided_name
from grader.engines.compiler_views.header_text import MACRO, MARKER, HeaderText, ReadHeaders, next_marker
from grader.engines.compiler_views.unlike_words import ASKING, unlike_words
from grader.engines.refusal import Refusal
from grader.model.verdicts import Verdict

_ANY_MARKER = re.compile(r'^# \d+ "', re.MULTILINE)
_WORD = re.compile(r"[^\W\d][\w$]*")
_PIECE = re.compile(r"[\w$]+")
_POP = re.compile(r"\bpop_macro\b")
_INTEGER = re.compile(r"\s*[\da-fA-FxXuUlL]+\s*$")
_NEVER_SYSTEM = ("/proc/", "/dev/", "/sys/", "/run/")
# The compiler's own: no two compilations need to agree about them.
_CHANGING = frozenset({"__COUNTER__", "__INCLUDE_LEVEL__", "__BASE_FILE__", "__TIME__", "__DATE__", "__TIMESTAMP__"})
_PASTES = ("##", "%:%:", "??=")
_ADVICE = "Write one program for both: test no macro that tells compilers apart, and use none."
_HEADERS = ReadHeaders()
_OWN_NAMES = "Give what you declare a name of your own: none that begins with `__` or `cuda`."


@dataclass(frozen=True)
class _Line:
    """A line of the submission, with every macro of others that it may expand, as a definition."""

    number: int
    text: str
    macros: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class CompilerView:
    """`text`: GCC's output. `ours`: folders whose headers are the kit's, and files that are."""

    text: str
    ours: tuple[str, ...] = ()


def no_one_program(source: str) -> Refusal | None:
    """What stands in the text itself that no comparison can settle."""
    lines = live_lines(source)
    hiding = (number for number, text in lines if _ANY_MARKER.match(text) or _POP.search(text))
    if hidden := unclear_line(source) or next(hiding, 0):
        return _refuse(hidden, "What stands here keeps nvcc's program from being compared with the CPU executor's.")
    asked = unlike_words(lines)
    return _refuse(*asked) if asked else None


def different_programs(source: str, file: str, cpu: CompilerView, gpu: CompilerView) -> Refusal | None:
    """The first place where the CPU executor's compiler and nvcc would read `file` differently. The views are of the plain text of
    `source`.
    """
    seen_parts, nvcc_parts = (list(_parts(view, file)) for view in (cpu, gpu))
    surface = _kit_names(seen_parts)
    seen, by_nvcc = (_Reading(parts, surface) for parts in (seen_parts, nvcc_parts))
    for one, other in zip_longest(seen.lines, by_nvcc.lines):
        if one is None or other is None or one.text != other.text:
            first = min(line.number for line in (one, other) if line is not None)
            return _refuse(first, "nvcc and the CPU executor would be given different programs from here on.")
        if one.macros != other.macros:
            name = next((a or b)[0] for a, b in zip_longest(one.macros, other.macros) if a != b)
            return _refuse(one.number, f"`{name}` does not mean the same to nvcc and to the CPU executor.")
        if unsteady := next((name for name, _ in one.macros if name in _CHANGING), None):
            return _refuse(one.number, f"`{unsteady}` need not be the same for nvcc and for the CPU executor.")
    lines = live_lines(source)
    if found := one_sided_name(lines, *(_named(parts) for parts in (seen_parts, nvcc_parts))):
        return _refuse(found[0], f"Only one of nvcc's and the CPU executor's headers declare `{found[1]}`.", _OWN_NAMES)
    if any(paste in line.bare for paste in _PASTES for line in lines):
        pieces = {piece for line in lines for piece in _PIECE.findall(line.bare)}
        changed = {
            name for name in seen.state.keys() | by_nvcc.state.keys() if seen.meaning(name) != by_nvcc.meaning(name)
        }
        for name in sorted(changed | _CHANGING | ASKING | {"pop_macro"}):
            if _composed(name, pieces):
                return _refuse(
                    0, f"`{name}` can be put together here, and nvcc and the CPU executor may read it differently."
                )
    return None


class _Reading:
    """One view, read from its first line to its last."""

    def __init__(self, parts: Sequence[_Part | HeaderText], surface: frozenset[str]) -> None:
        self._surface = surface
        self.state: dict[str, str] = {}
        self.lines = list(self._read(parts))

    def meaning(self, name: str) -> tuple[tuple[str, str], ...]:
        return tuple(sorted(self._expanded([name])))

    def _read(self, parts: Sequence[_Part | HeaderText]) -> Iterator[_Line]:
        for part in parts:
            if isinstance(part, HeaderText):
                self.state |= part.defined
                for name in part.undefined:
                    self.state.pop(name, None)
                continue
            for line in _lines(part.text, part.number):
                yield _Line(line.number, line.text, tuple(sorted(self._expanded(_WORD.findall(line.bare)))))
                if macro := MACRO.match(line.text):
                    self._know(macro)

    def _know(self, macro: re.Match[str]) -> None:
        if macro[1] == "define":
            self.state[macro[2]] = macro[3].strip()
        else:
            self.state.pop(macro[2], None)

    def _expanded(self, words: Sequence[str]) -> Iterator[tuple[str, str]]:
        waiting, seen = list(words), set(words)
        while waiting:
            word = waiting.pop()
            if word in _CHANGING:
                yield word, ""
            if word in self._surface or word not in self.state:
                continue
            yield word, self.state[word]
            inner = set(_WORD.findall(self.state[word])) - seen
            seen |= inner
            waiting += inner


@dataclass(frozen=True)
class _Part:
    """What one line marker says of the submission's own text."""

    number: int
    text: str


def _parts(view: CompilerView, file: str) -> Iterator[_Part | HeaderText]:
    """The view from its first line marker on: what is the submission's, and each stretch of headers between."""
    text, at = view.text, next_marker(view.text, 0)
    if at == len(text):
        message = "a preprocessor's output holds no line marker"
        raise ValueError(message)
    while marker := MARKER.match(text, at):
        end = next_marker(text, marker.end())
        if _is_submissions(marker[2], file, view.ours):
            yield _Part(int(marker[1]), text[marker.end() : end])
        elif not _is_header(marker[2]):
            yield HeaderText.read(text[at:end], view.ours)
        elif end > marker.end():  # else it names a file and nothing more, as the folder where the compiler runs
            known = _HEADERS.at(text, at, view.ours, file)
            if known and _ends(view, file, at + len(known.text)):
                end = at + len(known.text)
            else:
                while not _ends(view, file, end):
                    end = next_marker(text, text.index("\n", end) + 1)
                known = _HEADERS.read(text[at:end], view.ours)
            yield known
        at = end


def _ends(view: CompilerView, file: str, at: int) -> bool:
    """Whether a stretch of headers ends there."""
    if at == len(view.text):
        return True
    marker = MARKER.match(view.text, at)
    return marker is not None and (not _is_header(marker[2]) or _is_submissions(marker[2], file, view.ours))


def _lines(text: str, number: int) -> Iterator[CodeLine]:
    """Those that are not empty. No line of a plain text goes on in the next."""
    return (CodeLine(at, line.rstrip()) for at, line in enumerate(text.split("\n"), number) if line.strip())


def _is_submissions(path: str, file: str, ours: Sequence[str]) -> bool:
    """Its own file, and whatever else it may have made the compiler read that is no header of the system's."""
    if path.startswith("<") or path in ours:
        return False
    return path.rsplit("/", 1)[-1] == file or not path.startswith("/") or path.startswith(_NEVER_SYSTEM)


def _is_header(path: str) -> bool:
    """Whether it can be a header of the system's or the kit's, or the compiler's own: no file in the folder of the submission."""
    return path.startswith(("<", "/"))


def _named(parts: Sequence[_Part | HeaderText]) -> list[Mapping[str, bool]]:
    return [part.names for part in parts if isinstance(part, HeaderText)]


def _kit_names(parts: Sequence[_Part | HeaderText]) -> frozenset[str]:
    """Macros by which the kit means the same as CUDA with other words: `__shared__`. Not those that are numbers."""
    bodies: dict[str, str] = {}
    for part in parts:
        if isinstance(part, HeaderText):
            bodies |= part.own
    return frozenset(name for name, body in bodies.items() if not _INTEGER.match(body))


def _composed(name: str, pieces: set[str]) -> bool:
    """Whether ## can make this name of at least two of these pieces."""
    reached = {0: 0}  # how far into the name, with how many pieces at most
    for end in range(1, len(name) + 1):
        counts = [reached[start] + 1 for start in range(end) if start in reached and name[start:end] in pieces]
        if counts:
            reached[end] = max(counts)
    return reached.get(len(name), 0) > 1


def _refuse(line: int, message: str, advice: str = _ADVICE) -> Refusal:
    return Refusal(Verdict.REJECTED, line, message, advice)
