"""Reads the messages of GCC, Clang and nvcc about one file: severity, place and words. Pure. What they mean is in `error_report.py`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from grader.source.student_code import Span, StudentCode

_QUOTES = str.maketrans("\u2018\u2019", "''")
_HEAD = re.compile(
    r"^(?:\./)?(?P<file>[^\s:(][^:\n]*?)(?::(?P<line>\d+):(?:(?P<column>\d+):)?|\((?P<nvcc>\d+)\):) "
    r"(?P<kind>fatal error|catastrophic error|error|warning|note|Note)(?: #[\w-]+)?: (?P<text>.*)$"
)
_OURS = re.compile(r"\b(?:struct |class )?cuda_on_cpu::|\b(?:struct|class) (?=(?:u?int|float|double|dim)\d\b)")
_OPTION = re.compile(r" \[-W[^\]]+\]$")  # "[-Wparentheses]"
_CARET = re.compile(r"^\s*(?:\|)?\s*[~^][~^ ]*$")


@dataclass(frozen=True)
class Diagnostic:
    """`column` counts characters from 0; -1: unknown. Quotation marks are plain ones, and our own namespace is left out."""

    file: str  # without folders
    severity: str  # "error", "warning", "note"
    line: int
    column: int
    text: str


def diagnostics(log: str, file_name: str, lines: Sequence[str] = ()) -> list[Diagnostic]:
    """Those about `file_name`, in the compiler's order. `lines`: the file's, to turn GCC's bytes into characters."""
    return [one for one in messages(log, lines) if one.file == file_name]


def messages(log: str, lines: Sequence[str] = ()) -> Iterator[Diagnostic]:
    """Those about every file."""
    said = log.split("\n")
    for index, match in enumerate(map(_HEAD.match, said)):
        if match is None:
            continue
        number = int(match["line"] or match["nvcc"])
        column = int(match["column"]) - 1 if match["column"] else _under(said[index + 1 : index + 3])
        text = _OPTION.sub("", _OURS.sub("", match["text"].translate(_QUOTES)))
        kind = match["kind"].lower().rpartition(" ")[2]
        line = lines[number - 1] if 0 < number <= len(lines) else ""
        file = match["file"].rsplit("/", 1)[-1]
        yield Diagnostic(file, kind, number, _characters(line, column), text)


def _under(following: Sequence[str]) -> int:
    """The caret that nvcc shows below the line."""
    if len(following) == 2 and _CARET.match(following[1]):  # noqa: PLR2004 -- the line and what is below it
        caret, code = following[1].find("^"), following[0]
        return caret - 2 if code.startswith("  ") else caret
    return -1


def _characters(line: str, column: int) -> int:
    """A column in bytes as one in characters."""
    if column < 0 or line.isascii():
        return column
    return len(line.encode("utf-8", "replace")[:column].decode("utf-8", "ignore"))


# One message of a compiler beside the text that it is about, and what is said of it instead. Plain data.


@dataclass(frozen=True)
class Said:
    """A sentence for the student, and the place that it is about."""

    place: Span
    message: str
    advice: str = ""


@dataclass(frozen=True)
class MatchedMessage:
    """A message that matched a row of the table, and what is known of the place that it names."""

    match: re.Match[str]
    error: Diagnostic
    code: StudentCode

    @property
    def bare(self) -> str:
        return self.code.line(self.error.line)

    @property
    def column(self) -> int:
        return max(self.error.column, 0)

    def group(self, name: str) -> str:
        """What this group of the expression matched; empty where it matched nothing or is not there."""
        return self.match.groupdict().get(name) or ""

    def from_column(self, pattern: str) -> re.Match[str] | None:
        """The first match from the column on, else in the whole line."""
        return re.search(pattern, self.bare[self.column :]) or re.search(pattern, self.bare)

    def at(self, word: str = "") -> Span:
        return self.code.word_at(self.error.line, self.error.column, word)

    def part(self, start: int, end: int) -> Span:
        return Span(self.error.line, start, end)


Say = Callable[[MatchedMessage], Said | None]


class Phrasebook:
    """Functions that say in the words of the lab what messages mean, each with its own messages: of GCC, of Clang, then of nvcc."""

    def __init__(self) -> None:
        self._rows: dict[Say, tuple[re.Pattern[str], ...]] = {}

    def says(self, *messages: str) -> Callable[[Say], Say]:
        def with_messages(say: Say) -> Say:
            self._rows[say] = tuple(map(re.compile, messages))
            return say

        return with_messages

    def row(self, *messages: str, what: str, advice: str = "", line: str = "", at: str = "") -> Say:
        """One of these functions as a row of a table: said where `line` is found in the line. Its group `at`, or all of it, is the place;
        else the word `at`. The words of either match, and `number`, the line's, may stand in the sentences.
        """
        pattern = re.compile(line)

        def say(told: MatchedMessage) -> Said | None:
            if (found := pattern.search(told.bare)) is None:
                return None
            words = told.match.groupdict() | found.groupdict() | {"number": told.error.line}
            part = found.span("at" if "at" in pattern.groupindex else 0)
            place = told.part(*part) if line and not at else told.at(at.format(**words))
            return Said(place, what.format(**words), advice.format(**words))

        return self.says(*messages)(say)

    def rank(self, say: Say) -> int:
        return list(self._rows).index(say)

    def said(self, message: Diagnostic, code: StudentCode) -> Iterator[tuple[Say, Said]]:
        """In the order in which the functions are written."""
        for say, patterns in self._rows.items():
            for match in filter(None, (one.search(message.text) for one in patterns)):
                if said := say(MatchedMessage(match, message, code)):
                    yield say, said
