"""Whether two compilers read the same program in one file: what is left of a submission once the preprocessor's conditions are
decided, and what the macros mean that it uses and did not define. Comments do not count. Pure, but for the headers that it keeps.

It reads what GCC makes of a file with `-E -fdirectives-only -dI`: conditions and includes are done, macros stand as they are written.
The kit's functions are rows of macros, so what its prelude declares is read where those are expanded.
What a program can learn of its compiler without the preprocessor, as by the names that headers declare, is not seen here.
"""

from __future__ import annotations

import hashlib
import marshal
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from itertools import zip_longest
from pathlib import Path

from grader.engines.refusal import Refusal
from grader.model.verdicts import Verdict
from grader.source.bare_code import CodeLine, live_lines, unclear_line
from grader.system.own_files import write_atomically

# Whether a submission uses a name of CUDA's that only one of two compilers' headers declare. Pure.
#
# A file that both compile can then only have declared it itself, or asks by a template whether it is there: overload resolution finds
# another function for nvcc than for the CPU executor. Names of other kinds are not looked at; students choose those themselves.

_WORD = re.compile(r"[^\W\d][\w$]*")
# Reserved for compilers and their headers, or as CUDA names its own functions and types.
_LIKE_CUDA = (
    r"(?:__(?!builtin_|atomic_|sync_|is_|has_|cpp_|cplusplus)"
    r"|cuda[A-Z]|cu[A-Z]|CU[a-z]|make_\w+\d|make_cuda|tex[123C]|surf[123C])\w*"
)
_OF_CUDA = re.compile(_LIKE_CUDA)
_ANYWHERE = re.compile(rf"\b{_LIKE_CUDA}")
_KEYWORDS = """
    __alignof __alignof__ __asm __asm__ __attribute __attribute__ __auto_type __const __const__ __complex __complex__ __decltype
    __extension__ __func__ __imag__ __inline __inline__ __int128 __label__ __null __real__ __restrict __restrict__ __signed
    __signed__ __thread __typeof __typeof__ __volatile __volatile__
"""
_KEYWORD = frozenset(_KEYWORDS.split())
_IN_COMMENT = re.compile(r"\s*\*|.*(?://|/\*)")
_DECLARES = re.compile(r".*(?:\b(?:struct|class|enum|union|using|namespace|typedef)\b[^;{}]*|\}\s*)")
_CALLED = re.compile(r"\s*\(")


def one_sided_name(
    lines: Sequence[CodeLine], cpu: Sequence[Mapping[str, bool]], gpu: Sequence[Mapping[str, bool]]
) -> tuple[int, str] | None:
    """The line of the first such name, and the name. `cpu`, `gpu`: what `named_in` found in the headers that each compiler reads."""
    used: dict[str, int] = {}
    for line in lines:
        for word in _WORD.findall(line.bare):
            if _OF_CUDA.fullmatch(word) and word not in _KEYWORD:
                used.setdefault(word, line.number)
    by_cpu, by_nvcc = (_declared(used, said) for said in (cpu, gpu))
    differ = by_cpu.keys() ^ by_nvcc.keys()
    declared = [name for name in differ if not name.startswith("__") or (by_cpu | by_nvcc)[name]]
    return min(((used[name], name) for name in declared), default=None)


def _declared(used: Mapping[str, int], headers: Sequence[Mapping[str, bool]]) -> dict[str, bool]:
    """Those of `used` that stand in headers, and whether one of them declares them."""
    found: dict[str, bool] = {}
    for names in headers:
        found |= {name: found.get(name, False) or names[name] for name in used.keys() & names.keys()}
    return found


def named_in(text: str, start: int, end: int) -> Iterator[tuple[str, bool]]:
    """Names of CUDA's outside comments, between two beginnings of lines; whether each is declared there. A name may come several times."""
    declared: set[str] = set()
    for match in _ANYWHERE.finditer(text, start, end):
        name = match[0]
        if name in declared:
            continue
        before = text[text.rfind("\n", start, match.start()) + 1 or start : match.start()]
        if not _IN_COMMENT.match(before):
            if declares := bool(_CALLED.match(text, match.end(), end) or _DECLARES.fullmatch(before)):
                declared.add(name)
            yield name, declares


# What headers say in one stretch of a view: which macros they leave behind, and which of CUDA's names they use.
#
# Most of a view is the same for every file of a class: some megabytes of the system's headers. So a long stretch that was read is kept,
# in memory and in a file for the next command, and recognised by its text alone. What a submission itself says is never part of it.

MARKER = re.compile(r'# (\d+) "((?:[^"\\\n]|\\.)*)"[ \d]*\n')  # of a whole line
MACRO = re.compile(r"^#[ \t]*(define|undef)[ \t]+([^\W\d][\w$]*)(.*)$", re.MULTILINE)
_KEPT_CHARACTERS = 1 << 16  # shorter ones are read each time
_MOST_KEPT = 8  # each takes about 15 MB where nvcc read CUDA's headers
_MOST_FILES = 32


@dataclass(frozen=True)
class HeaderText:
    """`defined`: macros as they are where the stretch ends; None: undefined. `own`: the bodies of those that the kit's headers define.
    `names`: CUDA's names outside comments; whether they are declared there.
    """

    defined: Mapping[str, str | None]
    own: Mapping[str, str]
    names: Mapping[str, bool]

    @classmethod
    def read(cls, text: str, ours: tuple[str, ...]) -> HeaderText:
        """`text` begins with a line marker, and ends with a line."""
        defined: dict[str, str | None] = {}
        own: dict[str, str] = {}
        names: dict[str, bool] = {}
        at = 0
        while marker := MARKER.match(text, at):
            at, end = marker.end(), next_marker(text, marker.end())
            for macro in MACRO.finditer(text, at, end):
                defined[macro[2]] = _body(macro)
                if macro[1] == "define" and marker[2].startswith(ours):
                    own[macro[2]] = macro[3]
            for name, declared in named_in(text, at, end):
                names[name] = declared or names.get(name, False)
            at = end
        return cls(defined, own, names)


def _body(macro: re.Match[str]) -> str | None:
    return macro[3].strip() if macro[1] == "define" else None


_Part = CodeLine | HeaderText


def read_headers(text: str, ours: tuple[str, ...], kept: Path | None = None) -> HeaderText:
    """`kept`: a folder for what was read."""
    return HeaderText.read(text, ours) if len(text) < _KEPT_CHARACTERS else _read_once(text, ours, kept)


@lru_cache(_MOST_KEPT)
def _read_once(text: str, ours: tuple[str, ...], kept: Path | None) -> HeaderText:
    """A file that cannot be read, or is damaged, is made anew."""
    if kept is None:
        return HeaderText.read(text, ours)
    asked = hashlib.sha256(Path(__file__).read_bytes() + repr(ours).encode() + text.encode("utf-8", "surrogatepass"))
    file = kept / f"headers-{asked.hexdigest()[:32]}"
    with suppress(OSError, ValueError, EOFError, TypeError):
        data = file.read_bytes()
        if hashlib.sha256(data[32:]).digest() == data[:32]:
            return HeaderText(*marshal.loads(data[32:]))  # noqa: S302 -- our own, in the kit's folder
    read = HeaderText.read(text, ours)
    with suppress(OSError):
        if len(list(kept.glob("headers-*"))) < _MOST_FILES:
            data = marshal.dumps((dict(read.defined), dict(read.own), dict(read.names)))
            write_atomically(file, hashlib.sha256(data).digest() + data)
    return read


def next_marker(text: str, at: int) -> int:
    """Where the next line marker begins, for `at` at the beginning of a line; the end where there is none."""
    while not MARKER.match(text, at):
        found = text.find("\n# ", at)
        if found < 0:
            return len(text)
        at = found + 1
    return at


# Words in a submission's own text that ask a compiler for what nvcc and the CPU executor's compiler need not answer alike: which files
# there are, what a compiler knows, how it spells a function. Pure.
#
# The two preprocessors' answers are compared as well, in `compiler_view.py`. But they are asked in folders of their own, and what a
# function is called is decided after them.

_DIRECTIVE = re.compile(r"[\s\0]*(?:#|%:|\?\?=)[\s\0]*(include_next|import|embed|include)\b[\s\0]*(.*)")
# Functions that answer about files and about the compiler in a condition.
_QUESTIONS = "include include_next embed builtin feature extension attribute cpp_attribute c_attribute declspec_attribute warning"
ASKING = frozenset(f"__has_{what}" for what in _QUESTIONS.split())
_TRAIT = re.compile(r"__has_(?:nothrow|trivial|unique|virtual)_\w+")  # asks about a type
_SPELLINGS = """
    __PRETTY_FUNCTION__ __FUNCSIG__ __FUNCDNAME__ __ASSERT_FUNCTION source_location __builtin_source_location
    __builtin_FUNCTION __builtin_FUNCSIG __builtin_FILE __builtin_FILE_NAME __builtin_LINE __builtin_COLUMN
"""
_SPELLED = frozenset(_SPELLINGS.split())
_NAMED = frozenset({"__func__", "__FUNCTION__"})
_UNLIKE_NAME = re.compile(r'\boperator\s*(?:[^\W\d]|"|::)')  # of a conversion, or of a literal: not spelled alike


def unlike_words(lines: Sequence[CodeLine]) -> tuple[int, str] | None:
    """The line of the first such word, and what is wrong with it; None where there is none. `lines`: those that a compiler reads."""
    conversions = any(_UNLIKE_NAME.search(line.bare) for line in lines)
    for line in lines:
        said = (_wrong_word(word, conversions=conversions) for word in _WORD.findall(line.bare))
        if what := _wrong_inclusion(line.text) or next(filter(None, said), ""):
            return line.number, what
    return None


def _wrong_word(word: str, *, conversions: bool) -> str:
    if word.startswith("__has_") and not _TRAIT.fullmatch(word):
        return f"`{word}` may be answered in one way for nvcc and in another for the CPU executor."
    if word in _SPELLED or (conversions and word in _NAMED):
        return f"`{word}` is not spelled alike by nvcc and by the CPU executor's compiler."
    return ""


def _wrong_inclusion(text: str) -> str:
    found = _DIRECTIVE.match(text)
    if found is None:
        return ""
    if found[1] != "include":
        return f"`#{found[1]}` may find one file for nvcc and another for the CPU executor."
    if found[2].startswith(("</", '"/')):
        return "A header is included by its whole path, which need not lead to the same file for nvcc and for the CPU executor."
    if not found[2].startswith(("<", '"')):
        return "A macro says which header is included: nvcc and the CPU executor may be given different ones."
    return ""


_ANY_MARKER = re.compile(r'^# \d+ "', re.MULTILINE)
_PIECE = re.compile(r"[\w$]+")
_POP = re.compile(r"\bpop_macro\b")
_INTEGER = re.compile(r"\s*[\da-fA-FxXuUlL]+\s*$")
_NEVER_SYSTEM = ("/proc/", "/dev/", "/sys/", "/run/")
# The compiler's own: no two compilations need to agree about them.
_CHANGING = frozenset({"__COUNTER__", "__INCLUDE_LEVEL__", "__BASE_FILE__", "__TIME__", "__DATE__", "__TIMESTAMP__"})
_PASTES = ("##", "%:%:", "??=")
_ADVICE = "Write one program for both: test no macro that tells compilers apart, and use none."
_OWN_NAMES = "Give what you declare a name of your own: none that begins with `__` or `cuda`."


@dataclass(frozen=True)
class _Line:
    """A line of the submission, with every macro of others that it may expand, as a definition."""

    number: int
    text: str
    macros: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class CompilerView:
    """`text`: GCC's output. `ours`: folders whose headers are the kit's, and files that are. `expanded`: headers that every file reads,
    with their macros expanded. `kept`: a folder for what was read of long headers.
    """

    text: str
    ours: tuple[str, ...] = ()
    expanded: str = ""
    kept: Path | None = None

    def named(self, parts: Sequence[_Part]) -> list[Mapping[str, bool]]:
        names = [part.names for part in parts if isinstance(part, HeaderText)]
        if self.expanded:
            names.append(read_headers(self.expanded[_first_marker(self.expanded) :], self.ours, self.kept).names)
        return names


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
    if found := one_sided_name(lines, cpu.named(seen_parts), gpu.named(nvcc_parts)):
        return _refuse(found[0], f"Only one of nvcc's and the CPU executor's headers declare `{found[1]}`.", _OWN_NAMES)
    if any(paste in line.bare for paste in _PASTES for line in lines):
        pieces = {piece for line in lines for piece in _PIECE.findall(line.bare)}
        known = seen.state.keys() | by_nvcc.state.keys()
        changed = {name for name in known if seen.meaning(name) != by_nvcc.meaning(name)}
        for name in sorted(changed | _CHANGING | ASKING | {"pop_macro"}):
            if _composed(name, pieces):
                said = f"`{name}` can be put together here, and nvcc and the CPU executor may read it differently."
                return _refuse(0, said)
    return None


class _Reading:
    """One view, read from its first line to its last."""

    def __init__(self, parts: Sequence[_Part], surface: frozenset[str]) -> None:
        self._surface = surface
        self.state: dict[str, str | None] = {}
        self.lines = list(self._read(parts))

    def meaning(self, name: str) -> tuple[tuple[str, str], ...]:
        return tuple(sorted(self._expanded([name])))

    def _read(self, parts: Sequence[_Part]) -> Iterator[_Line]:
        for part in parts:
            if isinstance(part, HeaderText):
                self.state |= part.defined
                continue
            for number, text in enumerate(part.text.split("\n"), part.number):
                if not text.strip():  # no line of a plain text goes on in the next
                    continue
                line = CodeLine(number, text.rstrip())
                yield _Line(*line, tuple(sorted(self._expanded(_WORD.findall(line.bare)))))
                if macro := MACRO.match(line.text):
                    self.state[macro[2]] = _body(macro)

    def _expanded(self, words: Sequence[str]) -> Iterator[tuple[str, str]]:
        waiting, seen = list(words), set(words)
        while waiting:
            word = waiting.pop()
            if word in _CHANGING:
                yield word, ""
            if word in self._surface or (body := self.state.get(word)) is None:
                continue
            yield word, body
            inner = set(_WORD.findall(body)) - seen
            seen |= inner
            waiting += inner


def _parts(view: CompilerView, file: str) -> Iterator[_Part]:
    """The view from its first line marker on: what each says of the submission's own text, and each stretch of headers between."""
    text, at = view.text, _first_marker(view.text)
    while marker := MARKER.match(text, at):
        end = next_marker(text, marker.end())
        if _is_submissions(marker[2], file, view.ours):
            yield CodeLine(int(marker[1]), text[marker.end() : end])
        elif end > marker.end():  # else it names a file and nothing more, as the folder where the compiler runs
            while _is_header(marker[2]) and not _ends(view, file, end):
                end = next_marker(text, text.index("\n", end) + 1)
            yield read_headers(text[at:end], view.ours, view.kept)
        at = end


def _first_marker(text: str) -> int:
    if (at := next_marker(text, 0)) == len(text):
        raise ValueError("a preprocessor's output holds no line marker")
    return at


def _ends(view: CompilerView, file: str, at: int) -> bool:
    """Whether a stretch of headers ends there."""
    if at == len(view.text):
        return True
    marker = MARKER.match(view.text, at)
    return marker is not None and (not _is_header(marker[2]) or _is_submissions(marker[2], file, view.ours))


def _is_submissions(path: str, file: str, ours: Sequence[str]) -> bool:
    """Its own file, and whatever else it may have made the compiler read that is no header of the system's."""
    if path.startswith("<") or path in ours:
        return False
    return path.rsplit("/", 1)[-1] == file or not path.startswith("/") or path.startswith(_NEVER_SYSTEM)


def _is_header(path: str) -> bool:
    """Whether it can be a header of the system's or the kit's, or the compiler's own: no file in the folder of the submission."""
    return path.startswith(("<", "/"))


def _kit_names(parts: Sequence[_Part]) -> frozenset[str]:
    """Macros by which the kit means the same as CUDA with other words: `__shared__`. Not those that are numbers."""
    bodies = {name: body for part in parts if isinstance(part, HeaderText) for name, body in part.own.items()}
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
