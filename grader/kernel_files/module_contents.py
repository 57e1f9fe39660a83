"""What a `__constant__` or `__device__` variable holds, as a user says it with --set: host code would have copied it there.

The value becomes the variable's initialiser in the text that is compiled. Lines stay.
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from grader.kernel_files.host_code import Item, items_of
from grader.kernel_files.kernel_source import CheckError, KernelSource
from grader.launch_arguments.number_list import NumbersError, is_numbers, numbers_of

_SETTING = re.compile(r"\s*([A-Za-z_]\w*)\s*((?:\[\s*\d+\s*\]\s*)*)=\s*(.*?)\s*", re.DOTALL)
_MODULE_WORDS = frozenset({"__constant__", "__device__", "__managed__"})
_FLOATING = frozenset({"float", "double", "half", "__half", "float2", "float3", "float4", "double2"})
_MOST_NUMBERS = 1 << 16  # of an initialiser


def with_contents(source: KernelSource, settings: Sequence[str]) -> KernelSource:
    """The source with these variables initialised. Raises CheckError."""
    texts = dict(source.texts)
    for setting in settings:
        match = _SETTING.fullmatch(setting)
        if match is None:
            message = f"--set {setting!r}: write a variable and what it holds, as in 'weights={{1,2,1}}', 'scale=0.5' or 'w[9]=random'"
            raise CheckError(message)
        numbers = _numbers(setting, match[2], match[3])
        changed = {name: _initialised(text, match[1], numbers) for name, text in texts.items()}
        if changed == texts:
            message = f"--set {setting!r}: there is no __constant__ or __device__ variable {match[1]!r}"
            raise CheckError(message)
        texts = changed
    return replace(source, texts=texts)


@dataclass(frozen=True)
class _Numbers:
    """What a variable holds. `values` is empty for `random`."""

    values: Sequence[int | float]
    count: int

    def written(self, *, whole: bool) -> str:
        drawn = random.Random(1)  # noqa: S311 -- numbers to compute with, the same each time
        values = self.values or [
            drawn.randint(0, 99) if whole else round(drawn.uniform(-1, 1), 6) for _ in range(self.count)
        ]
        return "{" + ", ".join(map(repr, values)) + "}"


def _numbers(setting: str, extents: str, value: str) -> _Numbers:
    count = math.prod(int(extent) for extent in re.findall(r"\d+", extents))
    if not 0 < count <= _MOST_NUMBERS:
        message = f"--set {setting!r}: a variable may be given from 1 to {_MOST_NUMBERS:,} numbers"
        raise CheckError(message)
    if value in {"random", "iota"}:
        return _Numbers([] if value == "random" else range(count), count)
    try:
        found = numbers_of(value if is_numbers(value) else f"{{{value}}}", "float")
    except NumbersError as error:
        message = f"--set {setting!r}: {error}"
        raise CheckError(message) from error
    if len(found) > _MOST_NUMBERS or not all(map(math.isfinite, found)):
        message = (
            f"--set {setting!r}: a variable may be given at most {_MOST_NUMBERS:,} numbers, without infinity and NaN"
        )
        raise CheckError(message)
    return _Numbers(found if is_numbers(value) else found * count, count)


def _initialised(text: str, name: str, numbers: _Numbers) -> str:
    for item in reversed(items_of(text)):
        if not (item.declares and name in item.declares and _MODULE_WORDS & item.words) or item.is_function:
            continue
        if place := _after_name(text, item, name):
            start, end = place
            lines = "\n" * text.count("\n", start, end)
            text = f"{text[:start]} = {numbers.written(whole=not _FLOATING & item.words)}{lines}{text[end:]}"
    return text


def _after_name(text: str, item: Item, name: str) -> tuple[int, int] | None:
    """Where the initialiser goes: after the name and its extents, and up to the end of one that is there."""
    found = re.compile(rf"\b{re.escape(name)}\s*((?:\[[^\]]*\]\s*)*)").search(text, item.first, item.end)
    if not found or "extern" in item.words:
        return None
    depth, end = 0, found.end()
    while end < item.end and (depth or text[end] not in ",;"):
        depth += (text[end] in "({[") - (text[end] in ")}]")
        end += 1
    return len(text[: found.end()].rstrip()), end
