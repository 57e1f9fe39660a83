"""Steps of a trace as patterns: text with the subscripts as numbers in it, so that a formula can take their place. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from grader.single_launch.trace_phases import Access, ThreadInterval

Pattern = tuple[str | int, ...]

BRIEF = 3  # the entries at the beginning of a long cell, where a trace is told in short; then comes the last


def of_access(access: Access) -> Pattern:
    pattern: list[str | int] = [access.array]
    for index in access.index:
        pattern += ["[", index, "]"]
    return tuple(pattern)


def of_run(array: str, start: Sequence[int], end: Sequence[int]) -> Pattern:
    """`As[0][0…3]`."""
    pattern: list[str | int] = [array]
    for one, other in zip(start, end, strict=True):
        pattern += ["[", one, *(() if one == other else ("…", other)), "]"]
    return tuple(pattern)


def joined(between: str, patterns: Sequence[Pattern]) -> Pattern:
    return tuple(part for at, pattern in enumerate(patterns) for part in ((between, *pattern) if at else pattern))


def of_many(between: str, patterns: Sequence[Pattern]) -> Pattern:
    """All patterns where they are few, else the first ones and the last. How many there are is part of it."""
    if len(patterns) <= BRIEF + 2:
        return joined(between, patterns)
    return (*joined(between, patterns[:BRIEF]), f"{between}… ({len(patterns)} in all){between}", *patterns[-1])


def of_spans(reads: Sequence[Access]) -> list[Pattern]:
    names = list(dict.fromkeys(one.array for one in reads))
    return [
        of_run(name, start, end)
        for name in names
        for start, end in _runs([one.index for one in reads if one.array == name])
    ]


def _runs(indices: Sequence[tuple[int, ...]]) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    start, end, moving = indices[0], indices[0], -1
    for index in indices[1:]:
        moved = [axis for axis in range(len(index)) if index[axis] != end[axis]]
        if len(moved) == 1 and index[moved[0]] == end[moved[0]] + 1 and moving in (-1, moved[0]):
            end, moving = index, moved[0]
            continue
        yield start, end
        start, end, moving = index, index, -1
    yield start, end


def of_sum(stay: ThreadInterval) -> Pattern:
    terms = [(*of_access(one), "·", *of_access(two)) for one, two in stay.products]
    return joined(" + ", terms) if len(terms) <= 1 else (*terms[0], " + … + " if len(terms) > 2 else " + ", *terms[-1])  # noqa: PLR2004
