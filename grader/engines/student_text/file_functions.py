"""The functions that a file defines, as a person finds them in its text: where a kernel stands, and how its parameters differ from those
that are asked for. Pure. Which functions there are for the judge is read from the object file, in `checks/entry_points.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from grader.engines.student_text.near_names import nearest
from grader.engines.student_text.student_code import Place, StudentCode

_MOST = 60  # lines of one head
_KERNEL = re.compile(r"\b__global__\b")
_NAME = re.compile(r"([^\W\d]\w*)\s*\(")
_NO_NAME = frozenset(
    {"__launch_bounds__", "__attribute__", "__align__", "__maxnreg__", "void", "if", "for", "while", "switch", "return"}
)


@dataclass(frozen=True)
class NamedPlace:
    name: str
    place: Place


def kernels(source: str) -> list[NamedPlace]:
    """Names that follow `__global__`."""
    code = StudentCode(source)
    return [
        one
        for number, bare in enumerate(code.bare, 1)
        if (at := _KERNEL.search(bare)) and (one := _named(code, number, at.end()))
    ]


def function_called(source: str, name: str) -> Place | None:
    """Where the function of this name is defined, or at least its name stands before a parenthesis at the margin."""
    code = StudentCode(source)
    for number, bare in enumerate(code.bare, 1):
        match = re.search(rf"(?<![\w.>]){re.escape(name)}\s*\(", bare)
        if match and not bare.lstrip().startswith("#") and not re.search(r"\breturn\b|=", bare[: match.start()]):
            return Place(number, match.start(), match.start() + len(name))
    return None


def launch_functions(source: str) -> list[NamedPlace]:
    code = StudentCode(source)
    pattern = re.compile(r"\bLaunchConfig\s+([^\W\d]\w*)\s*\(")
    found = ((number, pattern.search(bare)) for number, bare in enumerate(code.bare, 1))
    return [NamedPlace(match[1], Place(number, *match.span(1))) for number, match in found if match]


def meant(wanted: str, found: list[NamedPlace]) -> NamedPlace | None:
    """The one that probably stands for `wanted`: the only one, else the nearest by its letters."""
    if len(found) == 1:
        return found[0]
    near = nearest(wanted, [one.name for one in found])
    return next((one for one in found if one.name == near), None)


def difference(wanted: str, found: str) -> str:
    """What differs first between two signatures: "f(float const*, int)"."""
    asked, given = (list(_parameters(one)) for one in (wanted, found))
    if len(asked) != len(given):
        return f"It has {len(given)} parameters, and the lab asks for {len(asked)}."
    if sorted(asked) == sorted(given):
        return "The parameters are the right ones in another order."
    for number, (one, other) in enumerate(zip(asked, given, strict=True), 1):
        if one != other:
            return f"Parameter {number} is `{_in_c(other)}`, and the lab asks for `{_in_c(one)}`."
    return ""


def _parameters(signature: str) -> Iterator[str]:
    inner = signature.partition("(")[2].rpartition(")")[0]
    yield from (one.strip() for one in inner.split(",") if one.strip())


def _in_c(parameter: str) -> str:
    return re.sub(r"((?:unsigned |signed |long )*\w+) const\b", r"const \1", parameter)


def _named(code: StudentCode, number: int, column: int) -> NamedPlace | None:
    for line in range(number, min(number + _MOST, len(code.bare) + 1)):
        for match in _NAME.finditer(code.line(line), column if line == number else 0):
            if match[1] not in _NO_NAME:
                return NamedPlace(match[1], Place(line, *match.span(1)))
    return None
