"""Finds pieces of model solutions in what students are given: starters, write-ups, handouts.

A line in a SOLUTION region is secret, unless the same line is also outside all SOLUTION regions of all labs. Two consecutive
secret lines are a leak, and so is one secret indexing expression. A short index such as `[i + 1]` is a secret of its own lab only:
another lab's write-up may need it. Pure: callers read the files.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import chain, pairwise
from pathlib import PurePosixPath
from posixpath import normpath

# Cuts a model solution at its `// BEGIN …` and `// END …` markers. Pure: it knows neither labs nor files.


class Region(StrEnum):
    """Which part of a model solution a line belongs to."""

    OUTSIDE = "OUTSIDE"  # in the solution and in the starter
    SOLUTION = "SOLUTION"  # in the solution only
    GIVEN = "GIVEN"  # likewise in both, and said to be code that the student is meant to have
    PROMPT = "PROMPT"  # a hint in the starter, which the student replaces with code


@dataclass(frozen=True)
class Line:
    """One line of a solution; no marker line."""

    number: int  # 1-based
    text: str
    region: Region


class MarkerError(Exception):
    """A marker is nested, stray, unterminated or misspelt. The lab's author has to correct it."""

    def __init__(self, name: str, line: int, reason: str) -> None:
        super().__init__(f"{name}:{line}: {reason}")
        self.name, self.line, self.reason = name, line, reason


_MARKER = re.compile(r"^\s*//\s*(BEGIN|END)\s+(SOLUTION|PROMPT|GIVEN)\s*$")
# A misspelt marker must be an error: otherwise the solution would be handed out and nobody would notice.
_ALMOST = re.compile(r"\b(?:BEGIN|END)\W*(?:SOLUTION|PROMPT|GIVEN)\b|//\s*#*\s*(?:BEGIN|END)\b", re.IGNORECASE)


def cut(text: str, name: str) -> list[Line]:
    """The lines of `text`, each with its region. Raises MarkerError, which names `name` and the line."""
    lines: list[Line] = []
    region, opened = Region.OUTSIDE, 0
    for number, line in enumerate(text.splitlines(), start=1):
        marker = _MARKER.match(line)
        if marker is None:
            if _ALMOST.search(line):
                reason = f"this looks like a marker, but it is not one: {line.strip()!r}; write `// BEGIN SOLUTION`"
                raise MarkerError(name, number, reason)
            lines.append(Line(number, line, region))
            continue
        verb, named = marker[1], Region(marker[2])
        if verb == "BEGIN":
            if region is not Region.OUTSIDE:
                reason = f"BEGIN {named} inside the {region} that began in line {opened}; regions cannot be nested"
                raise MarkerError(name, number, reason)
            region, opened = named, number
        else:
            if region is not named:
                inside = f"inside the {region} of line {opened}" if opened else "without a BEGIN"
                raise MarkerError(name, number, f"END {named} {inside}")
            region, opened = Region.OUTSIDE, 0
    if region is not Region.OUTSIDE:
        raise MarkerError(name, opened, f"BEGIN {region} without an END")
    return lines


_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_INDEXED = re.compile(r"([A-Za-z_]\w*)((?:\[[^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)*\])+)")
_INDEX = re.compile(r"\[([^\[\]]+)\]")
_COMPUTED = re.compile(r"\w[-+*/%]")
_WORD = re.compile(r"\w")
_NAME = re.compile(r"[A-Za-z_]\w*")
# `in[i]`, `in[row*N+column]` and the latter's index alone: every oracle of a row-major matrix has them.
_ORDINARY = re.compile(r"(?:\w*\[)?(?:\w+\*\w+\+)?\w+\]?")
_NAMES_OF_CHANCE = 2  # two labs can use an expression with so few names without knowing of each other


@dataclass(frozen=True)
class Secrets:
    """What must not be given to students: pairs of lines, and indexing expressions, both without white space."""

    pairs: frozenset[tuple[str, str]] = field(default_factory=frozenset)
    expressions: frozenset[str] = field(default_factory=frozenset)

    def outside_of_labs(self) -> Secrets:
        """What files of no lab must not show, such as the kit's and problems': everything but the place of an
        element in a row or in a row-major matrix.
        """
        return Secrets(self.pairs, frozenset(one for one in self.expressions if not _ORDINARY.fullmatch(one)))

    def beyond_chance(self) -> Secrets:
        """What no other lab writes by chance: pairs of lines, and expressions of more than two names. They are secret everywhere."""
        long = (one for one in self.expressions if one[0] != "[" and len(set(_NAME.findall(one))) > _NAMES_OF_CHANCE)
        return Secrets(self.pairs, frozenset(long))


@dataclass(frozen=True)
class CourseSecrets:
    """The secrets of each lab."""

    of_labs: Mapping[str, Secrets]
    _joined: dict[str | None, Secrets] = field(default_factory=dict, init=False, repr=False, compare=False)  # by lab

    def for_file(self, path: str) -> Secrets:
        """What the handout's file `path` must not show. A file that belongs to no lab must show no lab's secrets, but
        may say `in[i]` and `in[row * N + column]`.
        """
        parts = PurePosixPath(path).parts
        lab = parts[1] if parts[0] == "assignments" and len(parts) > 2 else None  # noqa: PLR2004  assignments/<lab>/...
        return self.for_lab(lab)

    def for_lab(self, lab_id: str | None) -> Secrets:
        """What the files of this lab must not show."""
        if lab_id not in self._joined:
            held = [one.outside_of_labs() for one in self.of_labs.values()]
            if lab_id is not None:
                held = [one if lab_id == own else one.beyond_chance() for own, one in self.of_labs.items()]
            pairs, expressions = (one.pairs for one in held), (one.expressions for one in held)
            self._joined[lab_id] = Secrets(frozenset().union(*pairs), frozenset().union(*expressions))
        return self._joined[lab_id]


@dataclass(frozen=True)
class Leak:
    line: int  # 1-based, in the text that was searched
    text: str  # the secret that was found, without white space


def _squeezed(text: str) -> str:
    return "".join(text.split())


def _statements(lines: list[str]) -> list[tuple[int, str]]:
    """Position and text of the lines that contain a word, without comments and white space. A line with only `}` does not count."""
    squeezed = ((position, _squeezed(text)) for position, text in enumerate(_bare(lines)))
    return [(position, text) for position, text in squeezed if _WORD.search(text)]


def _bare(lines: list[str]) -> list[str]:
    """Without comments."""
    return _COMMENT.sub(lambda comment: "\n" * comment[0].count("\n"), "\n".join(lines)).split("\n")


def _expressions(text: str) -> set[str]:
    """`x[y][z]` and `x[y + z]` without white space. A computed index counts with any array too, so that renaming the array does not
    hide it; an index of three names or more counts without its brackets as well.
    """
    found: set[str] = set()
    for array, indices in _INDEXED.findall(text):
        if not re.search(r"[A-Za-z_]", indices):
            continue  # a[0] is no secret
        found.add(_squeezed(array + indices))
        computed = [index for index in _INDEX.findall(_squeezed(indices)) if _COMPUTED.search(index)]
        found |= {f"[{index}]" for index in computed}
        found |= {index for index in computed if len(set(_NAME.findall(index))) > _NAMES_OF_CHANCE}
    return found


def secrets_of(solutions: Mapping[str, Sequence[list[Line]]]) -> CourseSecrets:
    """What is in the SOLUTION regions of each lab's files and nowhere outside of them. `solutions`: a lab's name to its files."""
    public_lines: set[str] = set()
    public: set[str] = set()
    for line in chain.from_iterable(chain.from_iterable(solutions.values())):
        if line.region is not Region.SOLUTION:
            public_lines |= {text for _, text in _statements([line.text])}
            public |= _expressions(line.text)
    return CourseSecrets({lab: _secrets(files, public_lines, public) for lab, files in solutions.items()})


def _secrets(files: Iterable[list[Line]], public_lines: set[str], public: set[str]) -> Secrets:
    pairs: set[tuple[str, str]] = set()
    secret: set[str] = set()
    for lines in files:
        inside = [line.text for line in lines if line.region is Region.SOLUTION]
        for text in inside:
            secret |= _expressions(_COMMENT.sub("", text))
        pairs |= {(one, other) for (_, one), (_, other) in pairwise(_statements(inside))}
    kept = {pair for pair in pairs if not (pair[0] in public_lines and pair[1] in public_lines)}
    return Secrets(frozenset(kept), frozenset(secret - public))


def leaks(text: str, secrets: Secrets) -> list[Leak]:
    """Every place in `text` that shows a secret. Expressions count in comments and prose too."""
    lines = text.splitlines()
    pairs = [(position, (one, other)) for (position, one), (_, other) in pairwise(_statements(lines))]
    found = [Leak(position + 1, " ".join(pair)) for position, pair in pairs if pair in secrets.pairs]
    for number, line in enumerate(lines, start=1):
        squeezed = _squeezed(line)
        held = [one for one in secrets.expressions if one in squeezed]
        here = [one for one in held if _stands(one, squeezed)]
        found += [Leak(number, one) for one in here if not any(one != other and one in other for other in here)]
    return sorted(found, key=lambda leak: (leak.line, leak.text))


def _stands(expression: str, squeezed: str) -> bool:
    """Whether `expression` is there as a whole: `n-i` is not part of `n-i2`, nor of `2*n-i`."""
    if "[" in expression:
        before, after = ("" if expression[0] == "[" else r"(?<!\w)"), ""
    else:  # a bare index
        before, after = r"(?<![\w.*/%+-])(?<!->)", r"(?![\w(*/%+-])"
    return re.search(f"{before}{re.escape(expression)}{after}", squeezed) is not None


# What a check of a course's files reports: one thing that is wrong, where it is, and what to do about it.


@dataclass(frozen=True)
class Diagnostic:
    path: str  # below the course's root
    line: int | None
    what: str

    def __str__(self) -> str:
        place = self.path if self.line is None else f"{self.path}:{self.line}"
        return f"{place}: {self.what}"


# Finds secret facts in what students get: shapes of hidden cases, the secret seed, and the answers to questions.
#
# Pure: callers read the files. `leaks` and `withheld` find secret code.

_SHAPE = re.compile(r"\{([^{}]*)\}")
_NUMBER = re.compile(r"(?<![\w.])\d+(?![\w.]*\w)")
_JOINED = r"(?:\s*[\u00d7x*\u00b7,;]\s*|\s+)(?:(?:and|or|by|to)\s+)?"
_BETWEEN = rf"{_JOINED}(?:\.?[A-Za-z_]\w*\s*=\s*)?"
_ONE_SIZE = re.compile(r"\s*(?:\.?(\w+)\s*=\s*)?(\d+)\s*")
_THINGS = r"(?:elements|numbers|values|items|entries|bytes|floats|integers|bins|points|threads)"
_LARGE = 32  # groups of smaller numbers are too common to be a secret
_RARE = 1000  # a larger number that is not round is a secret wherever it stands
_ROUND = (32, 100)
_HIDDEN_FACTS_WORD = re.compile(r"\w+")
_RUN_LENGTH = 10  # so many consecutive words of an answer are no coincidence
_TEXT = (".md", ".cu", ".cpp", ".hpp", ".toml", ".txt", ".cuh")


def shapes_in(text: str) -> set[tuple[str, ...]]:
    """The numbers in each pair of braces in a test, where there are at least two and one of them is large."""
    groups = (tuple(_NUMBER.findall(group)) for group in _SHAPE.findall(text))
    return {group for group in groups if len(group) > 1 and max(map(int, group)) > _LARGE}


def shape_pattern(shape: Sequence[str]) -> re.Pattern[str]:
    """Matches these numbers in this order, in any notation of a shape: `97 x 13 x 61`, `M=97 N=13`, `{.M = 97, .N = 13}`."""
    return re.compile(r"(?<![\d.])" + _BETWEEN.join(shape) + r"(?!\.?\d)")


def sizes_in(text: str) -> set[tuple[str, str]]:
    """Name (`n`, or empty) and number of each size that stands alone in its braces, `{.n = 1021}`, where it is large."""
    found = (_ONE_SIZE.fullmatch(group) for group in _SHAPE.findall(text))
    return {(one[1] or "", one[2]) for one in found if one and int(one[2]) > _LARGE}


def stated_size(name: str, number: str) -> re.Pattern[str]:
    """Matches this one size where it is called a size: `n = 1021`, `n = 255, 1021 and 3001`, `1021 elements`."""
    whole = _whole(number)
    listed = rf"\b{re.escape(name)}\s*=\s*(?:[\d,]*\d{_BETWEEN})*?" if name else "(?!)"
    return re.compile(rf"{listed}{whole}|{whole}\s+{_THINGS}\b")


def size_pattern(name: str, number: str) -> re.Pattern[str]:
    """As `stated_size`. A number that is neither small nor round counts wherever it stands alone."""
    rare = int(number) > _RARE and not any(int(number) % one == 0 for one in _ROUND)
    return re.compile(_whole(number)) if rare else stated_size(name, number)


def _whole(number: str) -> str:
    grouped = number if len(number) <= 3 else f"{number[:-3]},?{number[-3:]}"  # noqa: PLR2004  1,021
    return rf"(?<![\w.]){grouped}(?!\w|[.,]\d)"


def disclosed_shapes(files: Mapping[str, str], hidden: str, lab_id: str) -> Iterator[Diagnostic]:
    """Shapes and sizes of the hidden tests `hidden` in that lab's public files, in any notation: `97 x 13 x 61`, `97, 13 and 61`."""
    here = {path: text for path, text in files.items() if path.startswith(f"assignments/{lab_id}/")}
    tests = [text for path, text in here.items() if path.endswith(".cpp")]
    shapes = shapes_in(hidden) - {shape for text in tests for shape in shapes_in(text)}
    known = {number for text in tests for _, number in sizes_in(text)}
    sizes = {size for size in sizes_in(hidden) if size[1] not in known}
    for pattern in [*map(shape_pattern, sorted(shapes)), *(size_pattern(*size) for size in sorted(sizes))]:
        for path, text in here.items():
            if found := pattern.search(text):
                yield Diagnostic(path, _line(text, found.start()), f"gives away a hidden shape of {lab_id}: {found[0]}")


def disclosed_seed(files: Mapping[str, str], seed: int) -> Iterator[Diagnostic]:
    for path, text in files.items():
        if found := re.search(rf"(?<!\d){seed}(?!\d)", text):
            yield Diagnostic(path, _line(text, found.start()), "gives away the course's secret seed")


def copied_answers(files: Mapping[str, str], answers: Mapping[str, str]) -> Iterator[Diagnostic]:
    """Sequences of words from `answers` (path to text) in `files`. Line breaks do not matter."""
    secrets: dict[tuple[str, ...], list[str]] = {}
    for source, answer in answers.items():
        for run in {run for _, run in _runs(answer)}:
            secrets.setdefault(run, []).append(source)
    for path, text in files.items():
        told: dict[str, Diagnostic] = {}  # of each source, the first run
        for place, run in _runs(text) if path.endswith(_TEXT) else ():
            for source in secrets.get(run, ()):
                what = f"repeats an answer of {source}: {' '.join(run)}"
                told.setdefault(source, Diagnostic(path, _line(text, place), what))
        yield from told.values()


def _runs(text: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    found = list(_HIDDEN_FACTS_WORD.finditer(text))
    words = [word[0].lower() for word in found]
    runs = zip(*(words[first:] for first in range(_RUN_LENGTH)), strict=False)
    return zip((word.start() for word in found), runs, strict=False)


def _line(text: str, place: int) -> int:
    return text.count("\n", 0, place) + 1


# Finds what a handout must not hold: private files, model solutions, hidden cases, and references to any of them.
#
# Pure: callers read the files. `starters` checks whether starters are current.

_PRIVATE_FOLDERS = {"solutions", "tests"}
_PRIVATE_NAMES = {"grading.toml", "hidden_tests.cpp"}
_INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')
_LINK = re.compile(r"\]\(([^)\s]+)\)|<(?:img|a)\b[^>]*?\b(?:src|href)=\"([^\"]+)\"")
_INCLUDE_FOLDERS = ("kit", "kit/include", "kit/executor/device")
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
    statements = {path: _withheld_statements(text) for path, text in files.items()}
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


def _withheld_statements(text: str) -> _Statements:
    squeezed = [(number, _squeezed(line)) for number, line in enumerate(text.splitlines(), start=1)]
    return [one for one in squeezed if _WORD.search(one[1]) and not one[1].startswith(("//", "#", "using"))]


def _hidden(files: Mapping[str, str], statements: Mapping[str, _Statements], lab: HiddenCases) -> Iterator[Diagnostic]:
    """Two consecutive lines of a lab's hidden tests in any file, and the title of a hidden case in that lab's own files."""
    pairs = {(one, other) for (_, one), (_, other) in pairwise(_withheld_statements(lab.text))}
    for path, text in files.items():
        for (number, one), (_, other) in pairwise(statements[path]):
            if (one, other) in pairs:
                yield Diagnostic(path, number, f"repeats hidden tests of {lab.lab_id}: {one}")
        if path.startswith(f"assignments/{lab.lab_id}/"):
            for number, line in enumerate(text.splitlines(), start=1):
                for title in lab.titles:
                    if f'"{title}"' in line:
                        yield Diagnostic(path, number, f"names a hidden case of {lab.lab_id}: {title!r}")


# Finds code of a model solution that is outside its markers, and would be handed out by mistake. Pure.
#
# Only comments, includes and headers of functions belong outside the markers. Any other code that students get is in a PROMPT, or is
# marked as GIVEN.

_STATEMENT = re.compile(r"\w[^{}]*;|\{[^}]*\w")  # a declaration, or code after a brace in the same line


def unmarked(lines: list[Line]) -> list[Line]:
    """The lines outside all regions that contain a statement or are inside a function."""
    found: list[Line] = []
    depth = 0  # how many braces are open at the line's start
    for line, code in zip(lines, _bare([line.text for line in lines]), strict=True):
        has_code = re.search(r"\w", code) and not code.lstrip().startswith("#")
        if line.region is Region.OUTSIDE and has_code and (depth > 0 or _STATEMENT.search(code)):
            found.append(line)
        if line.region is Region.OUTSIDE:
            depth += code.count("{") - code.count("}")
    return found
