"""Headers of libraries that do not compile for the executor, by the compiler's log: which #include of the author's own files brought each.

Such a header is host code. nvcc compiles it with exceptions, which device code has not.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

_FIRST = re.compile(r"In file included from (?:\./)?(?P<file>[^:\n]+):(?P<line>\d+)[:,]")
_NEXT = re.compile(r" +from (?:\./)?(?P<file>[^:\n]+):(?P<line>\d+)[:,]")  # GCC's
_ERROR = re.compile(r"(?P<file>[^:\s][^:\n]*):\d+:(?:\d+:)? (?:fatal )?error: ")


def failing_includes(log: str, own: Collection[str]) -> Iterator[tuple[str, int, str]]:
    """The own file and the line of each such #include, and the header with the error, which is none of `own`."""
    found = set[tuple[str, int]]()
    for chain, file in _errors(log):
        place = next((one for one in chain if one[0] in own), None)
        if file not in own and place is not None and place not in found:
            found.add(place)
            yield (*place, file)


def _errors(log: str) -> Iterator[tuple[list[tuple[str, int]], str]]:
    """The file of each error, and what includes it: the nearest file first. A chain holds until there is another one."""
    chain: list[tuple[str, int]] = []
    was_step = False
    for line in log.split("\n"):
        first, further = _FIRST.match(line), _NEXT.match(line)
        if first:  # GCC begins with the nearest file, and Clang says the same words of each, from the main file on
            chain = [(first["file"], int(first["line"])), *(chain if was_step else [])]
        elif further and was_step:
            chain.append((further["file"], int(further["line"])))
        elif error := _ERROR.match(line):
            yield chain, error["file"].removeprefix("./")
        was_step = bool(first or further)
