"""A submission's text as a person reads it: code without comments and strings at its own place, names, declarations. Pure.

Nothing here decides whether a file is accepted. It only helps to find words, and a wrong guess costs a sentence.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from os.path import commonprefix

from grader.source.cuda_vocabulary import CPP, CUDA, ELSEWHERE, LIBRARY, TYPE_BYTES, cuda_names, is_like_cuda

MOST_LOOKED_AT = (
    60  # declarations and loops for each of which a whole text is looked through: nobody writes more by hand
)
_HIDDEN = re.compile(r"""//[^\n]*|/\*.*?(?:\*/|\Z)|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'(?!\w)""", re.DOTALL)
_WORD = re.compile(r"[^\W\d]\w*")
_TOKEN = re.compile(r"\w+|\S")
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")
_MOST_CHARACTERS, _LONGEST_LINE = 60_000, 1_000  # what lies beyond was not written by hand
_OF_TYPES = "signed void auto const constexpr volatile static __restrict__ dim3 LaunchConfig struct class enum typename"
_TYPES = frozenset({*TYPE_BYTES, *_OF_TYPES.split()})


@dataclass(frozen=True)
class Span:
    """A part of one line. `line` counts from 1; `start` and `end` count characters from 0, and are equal where only a point is meant."""

    line: int
    start: int
    end: int

    @property
    def columns(self) -> tuple[int, int] | None:
        return (self.start, self.end) if self.start < self.end else None


@dataclass(frozen=True)
class StudentCode:
    text: str

    @cached_property
    def lines(self) -> list[str]:
        return [line if len(line) <= _LONGEST_LINE else "" for line in self.text[:_MOST_CHARACTERS].split("\n")]

    @cached_property
    def bare(self) -> list[str]:
        """The lines with blanks in place of comments and of what stands in strings: every column stays."""
        return _HIDDEN.sub(_blanked, "\n".join(self.lines)).split("\n")

    @cached_property
    def whole(self) -> str:
        return "\n".join(self.bare)

    def place(self, start: int, end: int | None = None) -> Span:
        """Of a part of `whole`, up to the end of its first line; without `end`: of that point."""
        begin = self.whole.rfind("\n", 0, start) + 1
        last = start if end is None else min(end, begin + len(self.line(self.whole.count("\n", 0, start) + 1)))
        return Span(self.whole.count("\n", 0, start) + 1, start - begin, last - begin)

    def found(self, pattern: str | re.Pattern[str], group: int = 0) -> Iterator[tuple[Span, re.Match[str]]]:
        """Where it matches in a line of code, with the place of its group."""
        for number, bare in enumerate(self.bare, 1):
            for match in re.finditer(pattern, bare):
                yield Span(number, *match.span(group)), match

    def line(self, number: int) -> str:
        return self.bare[number - 1] if 0 < number <= len(self.bare) else ""

    def raw(self, number: int) -> str:
        """The line with comments and strings; empty where there is none."""
        return self.lines[number - 1] if 0 < number <= len(self.lines) else ""

    def word_at(self, number: int, column: int, word: str = "") -> Span:
        """The occurrence of `word` that is nearest to the column, else the token at the column."""
        bare = self.line(number)
        if word:
            found = [match.start() for match in re.finditer(rf"(?<!\w){re.escape(word)}(?!\w)", bare)]
            if found:
                start = min(found, key=lambda at: abs(at - column))
                return Span(number, start, start + len(word))
        match = re.compile(r"\w+|\S").search(bare, min(max(column, 0), len(bare)))
        return Span(number, match.start(), match.end()) if match else Span(number, 0, 0)

    def before(self, number: int, column: int) -> Span:
        """The last token of code before that point, on that line or above it. Lines of the preprocessor do not count."""
        bare = self.line(number)[: max(column, 0)]
        while number > 0:
            if bare.strip() and not bare.lstrip().startswith("#"):
                last = re.search(r"(\w+|\S)\s*$", bare)
                assert last is not None
                return Span(number, last.start(1), last.end(1))
            number -= 1
            bare = self.line(number)
        return Span(0, 0, 0)

    def token(self, place: Span) -> str:
        return self.line(place.line)[place.start : place.end]

    @cached_property
    def words(self) -> dict[str, list[int]]:
        """Each name of the file and the lines that use it."""
        found: dict[str, list[int]] = {}
        for place, match in self.found(_WORD):
            found.setdefault(match[0], []).append(place.line)
        return found

    def declarations(self, name: str) -> list[int]:
        """The lines that seem to declare it: as a variable, a parameter, a macro, a type or a function."""
        return self.declared.get(name, [])

    @cached_property
    def declared(self) -> dict[str, list[int]]:
        """Each declared name and the lines of its declarations."""
        found: dict[str, list[int]] = {}
        state = _Declaration()
        for number, bare in enumerate(self.bare, 1):
            if macro := re.match(r"\s*#\s*define\s+(\w+)", bare):
                found.setdefault(macro[1], []).append(number)
            elif not bare.lstrip().startswith("#"):
                for token in _TOKEN.findall(bare):
                    if state.declares(token):
                        found.setdefault(token, []).append(number)
        return found

    def macros(self) -> Iterator[tuple[int, str, str]]:
        """Line, name and body of each macro without parameters."""
        for place, match in self.found(r"^\s*#\s*define\s+(\w+)\s+(.*\S)"):
            yield place.line, match[1], match[2]


class _Declaration:
    """Reads tokens one by one: after a type comes a name, and after a comma of the same statement another one."""

    def __init__(self) -> None:
        self._types = set(_TYPES)
        self._awaits = self._list = False
        self._depth = self._at = 0
        self._last = ""

    def declares(self, word: str) -> bool:
        last, self._last = self._last, word
        named = self._awaits and word not in self._types and _WORD.fullmatch(word) is not None
        if word in self._types:
            self._awaits = True
        elif named:
            self._awaits, self._list, self._at = False, True, self._depth
            if last in {"struct", "class", "enum"}:
                self._types.add(word)
        elif word not in {"*", "&"}:
            self._depth += (word in _OPENING) - (word in _CLOSING)
            self._list = self._list and word not in {";", ":"}
            self._awaits = word == "," and self._list and self._depth == self._at
        return named


def _blanked(match: re.Match[str]) -> str:
    text = match[0]
    inner = re.sub(r"[^\n]", " ", text)
    return text[0] + inner[1:-1] + text[-1] if text[0] in "\"'" else inner


# The name that was probably meant: by the fewest letters that differ, CUDA's names before all others. Pure.

_SHORT = 2  # letters: such names differ from all others too little
_LONG = 100  # nobody writes such a name by hand, and each letter of it costs as many comparisons as others have letters
_NEAR = 0.34  # share of its letters that a misspelt name may have wrong


def nearest_name(word: str, code: StudentCode, line: int) -> str:
    """Empty where nothing is near. A name of the file counts where it is declared above `line`."""
    if word in ELSEWHERE:
        return ELSEWHERE[word]
    own = [name for name, lines in code.declared.items() if name != word and min(lines) <= line]
    for names in (own, (*CUDA, *CPP, *LIBRARY)):
        if same := next((name for name in names if _plain(name) == _plain(word)), ""):
            return same
    longer = [name for name in own if len(word) > _SHORT and (name.startswith(f"{word}_") or name.endswith(f"_{word}"))]
    if len(longer) == 1:
        return longer[0]
    return (is_like_cuda(word) and nearest_of_cuda(word)) or nearest(word, (*CUDA, *own, *CPP, *LIBRARY))


def nearest(word: str, names: Iterable[str]) -> str:
    """The first of the nearest; empty where none is near."""
    plain = _plain(word)
    if not _SHORT < len(plain) <= _LONG:
        return ""
    room = max(1, int(len(plain) * _NEAR)) if len(plain) > 3 else 1  # noqa: PLR2004 -- "sun" may be "sum", and not "row"
    rated = [
        (distance(plain, _plain(name)), abs(len(name) - len(word)), name)
        for name in names
        if len(_plain(name)) > _SHORT and abs(len(_plain(name)) - len(plain)) <= room
    ]
    near = [one for one in rated if one[0] <= room]
    return min(near, key=lambda one: one[:2])[2] if near else ""


def nearest_of_cuda(word: str) -> str:
    """Of all that CUDA has; empty where nothing is near. A few letters in a long name are many other names of CUDA."""
    plain = _plain(word)
    room = max(1, len(plain) // 6)
    close = ((_plain(name), name) for name in cuda_names() if len(word) <= _LONG)
    rated = (
        (0 if other == plain else distance(plain, other), -len(commonprefix([plain, other])), name)  # noqa: RUF071 -- letters
        for other, name in close
        if abs(len(other) - len(plain)) <= room
    )
    return min((one for one in rated if one[0] <= room), default=(0, 0, ""))[2]


def distance(one: str, other: str) -> int:
    """How many letters to insert, delete, replace or exchange with their neighbour."""
    before, above = [0] * (len(other) + 1), list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        row = [i]
        for j, wanted in enumerate(other, 1):
            cost = min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (letter != wanted))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == wanted:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        before, above = above, row
    return above[-1]


def _plain(name: str) -> str:
    """Without the marks that are easily forgotten: underscores, small and capital letters."""
    return re.sub(r"_", "", name).lower()


# The functions that a file defines, as a person finds them in its text: where a kernel stands, and how its parameters differ from those
# that are asked for. Pure. Which functions there are for the judge is read from the object file, in `engines/entry_points.py`.

_MOST = 60  # lines of one head
_NAME = re.compile(r"([^\W\d]\w*)\s*\(")
_NO_NAME = frozenset(
    {"__launch_bounds__", "__attribute__", "__align__", "__maxnreg__", "void", "if", "for", "while", "switch", "return"}
)


@dataclass(frozen=True)
class NamedPlace:
    name: str
    place: Span


def kernels(source: str) -> list[NamedPlace]:
    """Names that follow `__global__`."""
    code = StudentCode(source)
    return [one for place, _ in code.found(r"\b__global__\b") if (one := _named(code, place.line, place.end))]


def function_called(source: str, name: str) -> Span | None:
    """Where the function of this name is defined, or at least its name stands before a parenthesis at the margin."""
    code = StudentCode(source)
    for place, match in code.found(rf"(?<![\w.>])({re.escape(name)})\s*\(", 1):
        before = match.string[: match.start()]
        if not before.lstrip().startswith("#") and not re.search(r"\breturn\b|=", before):
            return place
    return None


def launch_functions(source: str) -> list[NamedPlace]:
    code = StudentCode(source)
    return [NamedPlace(match[1], place) for place, match in code.found(r"\bLaunchConfig\s+([^\W\d]\w*)\s*\(", 1)]


def meant(wanted: str, found: list[NamedPlace]) -> NamedPlace | None:
    """The one that probably stands for `wanted`: the only one, else the nearest by its letters."""
    if len(found) == 1:
        return found[0]
    near = nearest(wanted, [one.name for one in found])
    return next((one for one in found if one.name == near), None)


def difference(wanted: str, found: str) -> str:
    """What differs first between two signatures: "f(float const*, int)"."""
    asked, given = map(_parameters, (wanted, found))
    if len(asked) != len(given):
        return f"It has {len(given)} parameters, and the lab asks for {len(asked)}."
    if sorted(asked) == sorted(given):
        return "The parameters are the right ones in another order."
    for number, (one, other) in enumerate(zip(asked, given, strict=True), 1):
        if one != other:
            return f"Parameter {number} is `{in_c(other)}`, and the lab asks for `{in_c(one)}`."
    return ""


def _parameters(signature: str) -> list[str]:
    inner = signature.partition("(")[2].rpartition(")")[0]
    return [one.strip() for one in inner.split(",") if one.strip()]


def in_c(parameter: str) -> str:
    """Turns "f(float const*)" into "f(const float*)", which is how people write it."""
    return re.sub(r"((?:unsigned |signed |long )*\w+) const\b", r"const \1", parameter)


def _named(code: StudentCode, number: int, column: int) -> NamedPlace | None:
    for line in range(number, min(number + _MOST, len(code.bare) + 1)):
        for match in _NAME.finditer(code.line(line), column if line == number else 0):
            if match[1] not in _NO_NAME:
                return NamedPlace(match[1], Span(line, *match.span(1)))
    return None


# Converts an uploaded source file into the form that a compiler expects. Every line keeps its number. Pure.


_OF_A_NOTEBOOK = re.compile(rb"\s*(%%(?:cu\w*|nvcc\w*|writefile|file)\b[^\n]*)")


def normalise(data: bytes) -> tuple[bytes, list[str]]:
    """The text with Unix line ends and without a byte-order mark, and a list of what was changed. A notebook's command in the first line
    of text becomes blanks.

    UTF-16 becomes UTF-8. Other bytes that are not UTF-8 stay: comments in Latin-1 do no harm.
    """
    done: list[str] = []
    if data.startswith(codecs.BOM_UTF8):
        data = data[len(codecs.BOM_UTF8) :]
        done.append("removed a byte-order mark")
    elif (encoding := _utf16(data)) is not None:
        data = data.decode(encoding, "replace").encode("utf-8", "replace")
        done.append("converted from UTF-16; save it as UTF-8")
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        done.append("converted the line endings")
    if magic := _OF_A_NOTEBOOK.match(data):
        data = data[: magic.start(1)] + b" " * len(magic[1]) + data[magic.end() :]
        done.append("left out a notebook's command in the first line")
    return data, done


_WRITES = re.compile(r"[ \t]*%%writefile[ \t]+(?P<adds>-a[ \t]+)?(?:\S*/)?(?P<name>[^\s/]+)[ \t]*\n")
_RUNS = re.compile(r"[ \t]*%%(?:cu|cuda)\b[^\n]*\n")


def notebook_source(data: bytes, file: str) -> bytes | None:
    """What a notebook has for the file: its cells `%%writefile FILE`, or else its last cell `%%cu` or `%%cuda` with a kernel, each with an
    empty line for the magic word, so that lines are those of the cell. None: there is none.
    """
    written, run = "", ""
    for text in _cells(data):
        writes = _WRITES.match(text)
        if writes and writes["name"] == file:
            written = (written if writes["adds"] else "") + "\n" + text[writes.end() :]
        elif (runs := _RUNS.match(text)) and "__global__" in text:
            run = "\n" + text[runs.end() :]
    found = written or run
    return found.encode("utf-8", "replace") + b"\n" if found else None


def cells_written(data: bytes) -> list[str]:
    """The names that cells %%writefile have."""
    return list(dict.fromkeys(found["name"] for text in _cells(data) if (found := _WRITES.match(text))))


def _cells(data: bytes) -> list[str]:
    """The texts of a notebook's cells with code; none where it is no notebook."""
    try:
        cells = [one for one in json.loads(data)["cells"] if one["cell_type"] == "code"]
        return [one["source"] if isinstance(one["source"], str) else "".join(one["source"]) for one in cells]
    except (ValueError, KeyError, TypeError, RecursionError):
        return []


def _utf16(data: bytes) -> str | None:
    """The UTF-16 encoding of `data`. Its mark tells; without a mark, every second byte of its start is zero."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    head = data[:512]
    if len(head) < 8:  # noqa: PLR2004 -- too short to tell
        return None
    for encoding, zero in (("utf-16-le", 1), ("utf-16-be", 0)):
        share = head[zero::2].count(0) / len(head[zero::2])
        if share > 0.8 and not head[1 - zero :: 2].count(0):  # noqa: PLR2004 -- nearly all, for mostly ASCII text
            return encoding
    return None


# What stands in the source for an access. It is text of a submission: each look at it takes time in proportion to its length. Pure.

_SOURCE_WORDS_LONGEST_LINE = 400
_LONGEST, _DEEPEST = 80, 2  # characters of an expression that is quoted, and subscripts in its subscripts


def subscripted(source: Sequence[str], line: int, array: str) -> str:
    """`A[i][j]`: the array with its subscripts, where the line has one such expression; else empty."""
    if not 1 <= line <= len(source) or len(source[line - 1]) > _SOURCE_WORDS_LONGEST_LINE:
        return ""
    text = source[line - 1].partition("//")[0]
    inner = r"[^\[\]]*"
    for _ in range(_DEEPEST):
        inner = rf"[^\[\]]*(?:\[{inner}\][^\[\]]*)*"
    found = set(re.findall(rf"(?<![\w.>]){re.escape(array)}(?:\[{inner}\])+", text))
    only = found.pop() if len(found) == 1 else ""
    return only if len(only) <= _LONGEST else ""
