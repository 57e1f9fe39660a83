"""A story as the block of data in its page: plain JSON with the steps as columns of small numbers. Pure.

A column is a sequence of differences, each zigzag coded as a varint (LEB128), in base64. Lanes and relative offsets of a step are a
pattern, and most steps share few patterns. What lanes read is not written down: the page replays the stores, and `seen` lists reads
that saw something else. story_data.js reads all of this.
"""

from __future__ import annotations

import base64
import json
import math
import struct
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Set  # noqa: PYI025 -- any set
from dataclasses import asdict, replace
from functools import cache, lru_cache
from itertools import chain
from typing import TypeVar

from grader.explain.story import Story, StoryArray, StoryPlace, StoryRun
from grader.run.launches.trace_phases import ACCESSES, CHANGES, StepKind, Trace, TracedArray

# An element's bits as text: the shortest number that is exactly this value, by the array's type. Pure.

_WHOLE = {"int", "unsigned", "char", "long", "short", "signed", "bool", "int32_t", "uint32_t", "uint8_t", "size_t"}
_FORMATS = {2: "<e", 4: "<f", 8: "<d"}
_MOST_DIGITS = {2: 5, 4: 9, 8: 17}
_MOST_BYTES = 8  # of a value that is shown; a struct has no number
_LONGEST_TYPE = 80


def value_text(bits: int, size: int, element: str) -> str:
    """Empty where the element is larger than any number."""
    if not 0 < size <= _MOST_BYTES:
        return ""
    return _text(bits & ((1 << 8 * size) - 1), size, element if len(element) <= _LONGEST_TYPE else "")


@lru_cache(maxsize=1 << 16)  # of short texts only: types and values come from the submission's process
def _text(bits: int, size: int, element: str) -> str:
    words = element.replace("const", "").split()
    raw = bits.to_bytes(size, "little")
    if words and words[0] in _WHOLE:
        unsigned = {"unsigned", "bool"} & set(words) or words[0].startswith("u")
        return str(int.from_bytes(raw, "little", signed=not unsigned))
    if size not in _FORMATS:
        return f"0x{raw[::-1].hex()}"
    if "bfloat16" in element and size == 2:  # noqa: PLR2004 -- its bytes
        return _shortest(struct.unpack("<f", b"\0\0" + raw)[0], b"\0\0" + raw, 4)
    return _shortest(struct.unpack(_FORMATS[size], raw)[0], raw, size)


def _shortest(value: float, raw: bytes, size: int) -> str:
    if not math.isfinite(value):
        return {"nan": "NaN", "inf": "Inf", "-inf": "-Inf"}[str(value)]
    for digits in range(1, _MOST_DIGITS[size]):
        text = f"{value:.{digits}g}"
        try:
            if struct.pack(_FORMATS[size], float(text)) == raw:
                break
        except OverflowError:  # rounded up past the largest
            continue
    else:
        text = f"{value:.{_MOST_DIGITS[size]}g}"
    # 1.6e+03 for 1600 is harder to read.
    return str(int(float(text))) if "e" in text and abs(value) < 1e9 and float(text) == int(float(text)) else text  # noqa: PLR2004 -- digits of a cell


VERSION = 1
MOST_BYTES = 850_000  # of the block; a page has at most a million, and holds a source, a style and scripts besides
Entry = TypeVar("Entry")
Pattern = tuple[tuple[int, ...], tuple[int, ...]]  # lanes, and their offsets relative to the first one's
EXCHANGED_BYTES = {"float": 4, "int": 4, "unsigned": 4, "double": 8, "long long": 8, "unsigned long long": 8}
_COLUMNS = ("site", "warp", "interval", "pattern", "from", "count", "least")  # of the steps
UNSET = 0  # the value's number where an element holds nothing yet, or nobody knows what


def page_block(story: Story, *, most_bytes: int = MOST_BYTES) -> str:
    """JSON. If the story is too large, it loses what its steps do not use. If that is not enough, steps are left out at the ends of its
    runs, and the page says so.
    """
    longest = max((len(run.steps) for run in story.runs), default=0)
    text = _written(story)
    kept = longest
    if len(text) > most_bytes:
        text = _written(shortened(story, max(1, longest)))
    while len(text) > most_bytes and kept > 1:
        kept = min(kept - 1, int(kept * 0.95 * most_bytes / len(text)))
        text = _written(shortened(story, max(1, kept)))
    return text


def shortened(story: Story, most_steps: int) -> Story:
    """With so many steps of each run at most, and without contents of memory and names of places that these do not use."""

    def shorter(run: StoryRun) -> StoryRun:
        marks = tuple(mark for mark in run.marks if mark.step < most_steps)
        complete = run.complete and len(run.steps) <= most_steps
        return _with_used(replace(run, steps=run.steps[:most_steps], marks=marks, complete=complete))

    runs, questions = map(shorter, story.runs), (one for one in story.questions if one.step < most_steps)
    return replace(story, runs=tuple(runs), questions=tuple(questions), start=min(story.start, most_steps - 1))


def _with_used(run: StoryRun) -> StoryRun:
    used = {step.place for step in run.steps}
    touched = {
        (step.array, (offset + part * step.bytes) // run.arrays[step.array].element_bytes)
        for step in run.steps
        if step.array >= 0
        for offset in step.offsets
        for part in range(step.parts)
    }
    arrays = []
    for number, array in enumerate(run.arrays):
        held = array.initial.items()
        initial = {offset: one for offset, one in held if (number, offset // array.element_bytes) in touched}
        arrays.append(replace(array, initial=initial))
    places = (place if number in used else StoryPlace(0) for number, place in enumerate(run.places))
    return replace(run, arrays=tuple(arrays), places=tuple(places))


def column(numbers: Iterable[int]) -> str:
    """Differences to the number before, as zigzag varints in base64."""
    coded = bytearray()
    before = 0
    for number in numbers:
        change, before = number - before, number
        left = change << 1 if change >= 0 else (-change << 1) - 1
        while left > 0x7F:  # noqa: PLR2004 -- seven bits of a byte
            coded.append(left & 0x7F | 0x80)
            left >>= 7
        coded.append(left)
    return base64.b64encode(bytes(coded)).decode()


def _written(story: Story) -> str:
    block = {
        "version": VERSION,
        **{name: getattr(story, name) for name in ("title", "file", "grid", "block", "at", "beside", "start")},
        "runs": [_run(run) for run in story.runs],
        "questions": [asdict(one) for one in story.questions],
    }
    # "<" cannot end the page's script element then.
    return json.dumps(block, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


class _Numbered(dict[Entry, int]):
    """The number of each entry of a table without repetition, in the order of first use."""

    def __missing__(self, entry: Entry) -> int:
        return self.setdefault(entry, len(self))


def _run(run: StoryRun) -> dict[str, object]:
    texts: _Numbered[str] = _Numbered({"": UNSET})

    @cache
    def number(bits: int | None, size: int, element: str) -> int:
        return UNSET if bits is None else texts[value_text(bits, size, element)]

    arrays: list[dict[str, object]] = []
    cells: dict[tuple[int, int], int] = {}  # the arrays' elements as numbers of values, replayed as the page does it
    for at, array in enumerate(run.arrays):
        initial = {
            offset // array.element_bytes: number(bits, size, array.element)
            for offset, (bits, size) in sorted(array.initial.items())
        }
        cells |= {(at, cell): value for cell, value in initial.items()}
        told = {name.removeprefix("element_"): one for name, one in vars(array).items()}
        arrays.append(told | {"initial": [column(initial), column(initial.values())]})
    sites: _Numbered[tuple[int, ...]] = _Numbered()
    patterns: _Numbered[Pattern] = _Numbered()
    rows: list[tuple[int, ...]] = []
    stored: list[int] = []
    seen: list[int] = []
    for row, step in enumerate(run.steps):
        first = step.offsets[0] if step.offsets else 0
        relative = tuple([offset - first for offset in step.offsets])  # a list is faster than a generator
        site = sites[int(step.kind), step.place, step.array, step.bytes, step.parts]
        cost = (step.cost.count, step.cost.least) if step.cost else (0, 0)
        rows.append((site, step.warp, step.interval, patterns[step.lanes, relative], first, *cost))
        if step.kind is StepKind.EXCHANGE:
            element = run.places[step.place].element
            stored += [number(bits, EXCHANGED_BYTES.get(element, 0), element) for bits in step.bits]
        if step.array < 0 or step.kind is StepKind.OUTSIDE:
            continue
        array = run.arrays[step.array]
        offsets = [offset + part * step.bytes for offset in step.offsets for part in range(step.parts)]
        for at, (offset, bits) in enumerate(zip(offsets, step.bits, strict=True)):
            cell, value = (step.array, offset // array.element_bytes), number(bits, step.bytes, array.element)
            if step.kind in CHANGES:
                stored.append(value)
                cells[cell] = value
            elif value != cells.get(cell, UNSET):
                seen += [row, at, value]
    lanes, relatives = zip(*patterns, strict=True) if patterns else ((), ())
    return {
        **{name: getattr(run, name) for name in ("title", "schedule", "complete", "ending")},
        "arrays": arrays,
        "places": [[place.line, place.function, place.calls] for place in run.places],
        "sites": list(sites),
        # How many lanes each has, then all lanes, then all offsets relative to the first lane's.
        "patterns": [column(map(len, lanes)), column(chain(*lanes)), column(chain(*relatives))],
        "steps": {name: column(one[at] for one in rows) for at, name in enumerate(_COLUMNS)},
        "stored": column(stored),
        "seen": [column(seen[start::3]) for start in range(3)],
        "texts": list(texts),
        "marks": [
            vars(mark)
            | {"elements": [[one.array, one.offset // run.arrays[one.array].element_bytes] for one in mark.elements]}
            for mark in run.marks
        ],
    }


# The arrays and places of a page, from a recorded trace: in which unit their elements are shown, and what they hold at first. Pure.

_WIDEST = 8  # bytes of the largest number
# Plain numbers: comparing with a member of an enumeration is slow, and a trace has tens of thousands of steps.
_ACCESSES, _CHANGES = frozenset(map(int, ACCESSES)), frozenset(map(int, CHANGES))


def page_arrays(trace: Trace, steps: Iterable[int]) -> tuple[StoryArray, ...]:
    """`steps`: those that the page shows, rising. An array holds at first what was written before the first of them, and, of memory that is
    older than the block, what the shown steps read before anybody has written it.
    """
    shown = list(steps)
    sizes: dict[int, set[int]] = defaultdict(set)  # how many bytes accesses inside each array have, by its number
    for number, size in {(step[3], step[5]) for step in trace.steps if step[0] in _ACCESSES}:
        sizes[number].add(size)
    initial = _initial(trace, set(shown), shown[0] if shown else 0)
    return tuple(
        replace(_in_units(array, sizes.get(number, set())), initial=initial.get(number, {}))
        for number, array in enumerate(trace.arrays)
    )


def page_places(trace: Trace, file: str, line_of: Mapping[int, int] | None = None) -> tuple[StoryPlace, ...]:
    """`file`: the shown source; other files' lines are not told. `line_of`: its lines, where the traced one has others."""
    lines = line_of or {}
    return tuple(
        StoryPlace(lines.get(one.line, one.line) if one.file == file else 0, one.function, one.calls, one.element)
        for one in trace.places
    )


def _in_units(array: TracedArray, sizes: Set[int]) -> StoryArray:
    """An array of bytes that is only used as floats is shown as floats. One of structs is shown by the smallest access."""
    is_struct = array.element_bytes > _WIDEST
    size = min(sizes) if len(sizes) == 1 or (sizes and is_struct) else array.element_bytes
    plain = StoryArray(array.name, array.space, array.element, array.element_bytes, array.dimensions, array.base)
    if size == array.element_bytes:
        return plain
    return replace(plain, element="float" if size in {4, 8} else "", element_bytes=size, dimensions=())


def _initial(trace: Trace, shown: Collection[int], start: int) -> dict[int, dict[int, tuple[int, int]]]:
    """By array: the offset of an element to its bits, and how many bytes of it they are."""
    used = {trace.steps[number][3] for number in shown if trace.steps[number][0] in _ACCESSES}
    older = {number for number in used if trace.arrays[number].space != "shared"}
    found: dict[int, dict[int, tuple[int, int]]] = defaultdict(dict)
    written: set[tuple[int, int]] = set()
    for number, (kind, _, _, array, offset, size, bits, _, _, _) in enumerate(trace.steps):
        if kind not in _ACCESSES or array not in used:
            continue
        if kind in _CHANGES:
            written.add((array, offset))
            if number < start:
                found[array][offset] = bits, size
        elif array in older and number in shown and (array, offset) not in written:
            found[array].setdefault(offset, (bits, size))
    return found
