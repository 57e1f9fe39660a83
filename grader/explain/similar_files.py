"""Pairs of files with passages in common that few others have. Pure.

What the starter or a model solution holds is left out, and what many of the class wrote: those who solve one small task write much
that is alike. A file with little of its own is compared with nobody. The number of comparisons grows with the passages that are
shared, not with the square of the class.
"""

from __future__ import annotations

import hashlib
import re
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

from pydantic import TypeAdapter, ValidationError

from grader.system.own_files import write_atomically

# The tokens of a file as somebody wrote it, without the preprocessor. It reads any text once, however it is made. Pure.
#
# `engines/token_scan.py` decides what is refused, and knows more of C++. Nothing follows from the tokens here but a comparison.

LONGEST = 60_000  # characters of a file; what comes after them is not compared
# A comment or a text without its end goes on to the end of the file or the line, so that nothing is read twice.
_TOKEN = re.compile(
    r"(?P<include>^[ \t]*\#[ \t]*include[^\n]*)|(?P<comment>//[^\n]*|/\*(?:.*?\*/|.*))"
    r"|(?P<text>\"(?:[^\"\\\n]|\\.)*\"?|'(?:[^'\\\n]|\\.)*'?)|(?P<word>[^\W\d]\w*)|(?P<number>\.?\d[\w.]*)"
    r"|(?P<newline>\n)|(?P<sign>&&|\+=|[^\s\w])",
    re.DOTALL | re.MULTILINE,
)


class FileToken(NamedTuple):
    kind: str  # include, comment, text, word, number, sign
    text: str
    line: int


def file_tokens(source: str) -> Iterator[FileToken]:
    line = 1
    for match in _TOKEN.finditer(source[:LONGEST]):
        kind, text = match.lastgroup or "", match[0]
        if kind == "newline":
            line += 1
            continue
        yield FileToken(kind, text, line)
        if kind in {"comment", "text"}:
            line += text.count("\n")


# A file's passages: every run of a few tokens as a number, with its first line. Pure.
#
# There are two views. In the plain one every name and number counts, and the words of comments; it finds copies. In the other one all
# names are alike and comments are left out; it finds copies with other names. Layout plays no part in either.

_WORD = re.compile(r"\w+")
# Of the language and of CUDA: the same in everybody's file.
_OF_LANGUAGE = """if else for while do return break continue switch case const constexpr static extern int unsigned float double bool
    void size_t auto struct template dim3 __global__ __device__ __host__ __shared__ __restrict__ threadIdx blockIdx blockDim gridDim
    __syncthreads true false"""
_LANGUAGE = frozenset(_OF_LANGUAGE.split())
_AXES = frozenset({"x", "y", "z"})  # of threadIdx and the like; elsewhere they are names
PLAIN, NAMELESS = 10, 18  # tokens of a passage


class Passages:
    """Of one text, in both views: each passage, and the line on which it begins."""

    def __init__(self, text: str) -> None:
        plain: list[tuple[int, int]] = []  # a number for each token, and its line
        nameless: list[tuple[int, int]] = []
        before = ""
        for kind, token, line in file_tokens(text):
            if kind == "comment":
                for at, text_line in enumerate(token.split("\n"), line):
                    plain += [(_number(word.casefold()), at) for word in _WORD.findall(text_line)]
            elif kind != "include":
                plain.append((_number(token), line))
                kept = token in _LANGUAGE or (token in _AXES and before == ".")
                alike = {"word": "name", "number": "0", "text": "text"}.get(kind, token)
                nameless.append((_number(token if kept else alike), line))
                before = token
        self.plain, self.nameless = _runs(plain, PLAIN), _runs(nameless, NAMELESS)


@lru_cache(maxsize=1 << 14)
def _number(token: str) -> int:
    """The same in every run of the program, unlike hash()."""
    return zlib.crc32(token.encode("utf-8", "surrogatepass")) + 1


def _runs(tokens: Sequence[tuple[int, int]], length: int) -> dict[int, int]:
    """A number for each run of `length` tokens, and the first line that it begins on. Hashes of integers are the same in every run."""
    numbers = [number for number, _ in tokens]
    hashes = list(map(hash, zip(*(numbers[at:] for at in range(length)), strict=False)))
    lines = [line for _, line in tokens[: len(hashes)]]
    return dict(zip(reversed(hashes), reversed(lines), strict=True))


MOST_PAIRS = 40  # of a lab; the most alike
LEAST_SHARE = 0.5  # of the passages that few others have, in the file that has fewer of them
LEAST_NAMELESS_SHARE = 0.7  # where names do not count; without them, work of one's own is more alike
LEAST_PASSAGES = 20  # in common
_FEW = 4  # so many may share a passage
_FEW_SHARE = 0.1  # or this part of the class,
_MOST_FEW = 20  # but not more than these, so that the work does not grow with the square of a class


@dataclass(frozen=True)
class SimilarPair:
    one: str  # ids
    other: str
    share: float
    passages: int  # in common
    lines: tuple[tuple[int, ...], tuple[int, ...]]  # where they begin, in either file
    renamed: bool = False  # only names and comments differ there


@dataclass(frozen=True)
class SimilarFiles:
    pairs: tuple[SimilarPair, ...] = ()
    equal: tuple[tuple[str, ...], ...] = ()  # students whose files are the same, letter by letter
    left_out: int = 0  # pairs beyond the most alike


def similar_files(texts: Mapping[str, str], known: Iterable[str], together: Callable[[str, str], bool]) -> SimilarFiles:
    """`texts`: by student; `known`: starter and solutions; `together`: whether two may hand in one work."""
    holders: dict[str, list[str]] = defaultdict(list)
    known = tuple(known)
    for student, text in texts.items():
        if text.strip() and text not in known:
            holders[text].append(student)
    equal = tuple(
        tuple(ones) for ones in holders.values() if not all(together(*pair) for pair in combinations(ones, 2))
    )
    if len(holders) < 2:  # noqa: PLR2004 -- a pair
        return SimilarFiles(equal=equal)  # the course's own files need not be read
    files = {ones[0]: Passages(text) for text, ones in holders.items()}  # one stands for all who have the same
    course = [Passages(text) for text in known]
    best: dict[tuple[str, str], SimilarPair] = {}
    for renamed in (False, True):
        of = {student: one.nameless if renamed else one.plain for student, one in files.items()}
        of_course = {passage for one in course for passage in (one.nameless if renamed else one.plain)}
        for pair in _pairs(of, of_course, renamed=renamed):
            key = pair.one, pair.other
            if not together(*key) and (key not in best or best[key].share < pair.share):
                best[key] = pair
    ranked = sorted(best.values(), key=lambda pair: (-pair.share, -pair.passages, pair.one, pair.other))
    return SimilarFiles(tuple(ranked[:MOST_PAIRS]), equal, max(0, len(ranked) - MOST_PAIRS))


def _pairs(files: Mapping[str, Mapping[int, int]], known: set[int], *, renamed: bool) -> list[SimilarPair]:
    having: dict[int, list[str]] = defaultdict(list)
    for student, passages in files.items():
        for passage in passages:
            if passage not in known:
                having[passage].append(student)
    few = max(_FEW, min(_MOST_FEW, int(_FEW_SHARE * len(files))))
    own: Counter[str] = Counter()
    shared: dict[tuple[str, str], list[int]] = defaultdict(list)
    for passage, students in having.items():
        if len(students) > few:
            continue
        own.update(students)
        for pair in combinations(students, 2):
            shared[pair].append(passage)
    found = []
    for (one, other), common in shared.items():
        share = len(common) / min(own[one], own[other])
        if len(common) >= LEAST_PASSAGES and share >= (LEAST_NAMELESS_SHARE if renamed else LEAST_SHARE):
            lines = _lines(files[one], common), _lines(files[other], common)
            found.append(SimilarPair(one, other, round(share, 3), len(common), lines, renamed))
    return found


def _lines(passages: Mapping[int, int], common: Iterable[int]) -> tuple[int, ...]:
    return tuple(sorted({passages[one] for one in common}))


# What the comparison of a lab's files found, kept in OUT: where no file has changed since, nothing is compared again.

_KEPT: TypeAdapter[tuple[str, SimilarFiles]] = TypeAdapter(tuple[str, SimilarFiles])
_HERE = Path(__file__).parent


def kept_pairs(
    path: Path, texts: Mapping[str, str], known: Sequence[str], teams: Mapping[str, str]
) -> tuple[str, SimilarFiles]:
    """A digest of all that it depends on, and what was found. `teams`: of students who may hand in one work. Raises OSError."""
    of = _digest(texts, known, teams)
    try:
        kept, found = _KEPT.validate_json(path.read_bytes())
    except (OSError, ValidationError):
        kept, found = "", SimilarFiles()
    if kept != of:
        found = similar_files(
            texts, known, lambda one, other: bool(teams.get(one)) and teams.get(one) == teams.get(other)
        )
        write_atomically(path, _KEPT.dump_json((of, found)) + b"\n")
    return of, found


def _digest(texts: Mapping[str, str], known: Sequence[str], teams: Mapping[str, str]) -> str:
    """Of the files, and of the modules that compare them."""
    modules = [path.read_text(encoding="utf-8") for path in sorted(_HERE.glob("*.py"))]
    parts = modules, list(known), [(student, texts[student], teams.get(student, "")) for student in sorted(texts)]
    return hashlib.blake2b(repr(parts).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
