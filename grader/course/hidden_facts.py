"""Finds secret facts in what students get: shapes of hidden cases, the secret seed, and the answers to questions.

Pure: callers read the files. `leaks` and `withheld` find secret code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from grader.course.diagnostic import Diagnostic

_SHAPE = re.compile(r"\{([^{}]*)\}")
_NUMBER = re.compile(r"(?<![\w.])\d+(?![\w.]*\w)")
_JOINED = r"(?:\s*[\u00d7x*\u00b7,;]\s*|\s+)(?:(?:and|or|by|to)\s+)?"
_BETWEEN = rf"{_JOINED}(?:\.?[A-Za-z_]\w*\s*=\s*)?"
_ONE_SIZE = re.compile(r"\s*(?:\.?(\w+)\s*=\s*)?(\d+)\s*")
_THINGS = r"(?:elements|numbers|values|items|entries|bytes|floats|integers|bins|points|threads)"
_LARGE = 32  # groups of smaller numbers are too common to be a secret
_RARE = 1000  # a larger number that is not round is a secret wherever it stands
_ROUND = (32, 100)
_WORD = re.compile(r"\w+")
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
        if not path.endswith(_TEXT):
            continue
        told: set[str] = set()
        for place, run in _runs(text):
            for source in secrets.get(run, ()):
                if source not in told:
                    told.add(source)
                    yield Diagnostic(path, _line(text, place), f"repeats an answer of {source}: {' '.join(run)}")


def _runs(text: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    found = list(_WORD.finditer(text))
    words = [word[0].lower() for word in found]
    runs = zip(*(words[first:] for first in range(_RUN_LENGTH)), strict=False)
    return zip((word.start() for word in found), runs, strict=False)


def _line(text: str, place: int) -> int:
    return text.count("\n", 0, place) + 1
