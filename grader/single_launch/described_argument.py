"""One argument of a launch in the form that kit/checker/launch_description.cpp reads. Plain data."""

from __future__ import annotations

import math
from collections.abc import Mapping

from grader.launch_arguments.argument_text import Content
from grader.launch_arguments.class_passing import passing_of
from grader.launch_arguments.element_types import Leaf
from grader.launch_arguments.kernel_arguments import Argument

_HANDLE = {"kind": "unsigned", "bytes": 8, "offset": 0}  # of a texture or a surface


def described(argument: Argument, functions: Mapping[str, int]) -> dict[str, object]:
    """`functions`: addresses of those that arguments name."""
    content, element = argument.content, argument.element
    described: dict[str, object] = {
        "name": argument.parameter.name,
        "element": element.name,
        "role": argument.role,
        "content": _filled(content, functions),
    }
    if argument.seen_as is not None:
        described["texture"] = argument.seen_as
    if argument.shown is not None:
        return {**described, "element": "unsigned long long", "scalar": _HANDLE}
    if argument.role == "scalar":
        return {**described, "scalar": _leaf(element.leaves[0])}
    if argument.filled is not None:
        described["numbers"] = [{**_leaf(leaf), **_number(value, functions)} for leaf, value in argument.filled.numbers]
        described["pointers"] = argument.filled.pointers
    layout = argument.parameter.layout
    if argument.role == "object" and layout is not None:
        passing = passing_of(layout)
        described |= {"passing": passing.how, "pieces": passing.pieces, "alignment": layout.alignment}
    return {
        **described,
        "hidden": argument.hidden,
        "elements": argument.elements,
        "element_bytes": element.bytes,
        "row_elements": argument.extents[-1] if len(argument.extents) > 1 else 0,
        "leaves": [_leaf(leaf) for leaf in element.leaves],
    }


def _filled(content: Content, functions: Mapping[str, int]) -> dict[str, object]:
    filled: dict[str, object] = {
        "fill": "constant" if content.fill == "function" else content.fill,
        **_number(content, functions),
    }
    if content.span:
        filled |= {"low": content.span[0], "high": content.span[1]}
    if content.fill == "listed":
        filled["listed"] = [_listed(one) for one in content.listed]
    return filled


def _number(content: Content, functions: Mapping[str, int]) -> dict[str, object]:
    integer = content.integer - (1 << 64) if content.integer >= 1 << 63 else content.integer
    if content.function:
        integer = functions[content.function]
    return {"floating": content.floating, "integer": integer}


def _listed(number: float) -> int | float | str:
    """JSON has no infinity and no NaN, and the checker reads whole numbers in two's complement."""
    if isinstance(number, int):
        return number - (1 << 64) if 1 << 63 <= number < 1 << 64 else number if abs(number) < 1 << 63 else float(number)
    return number if math.isfinite(number) else str(number)


def _leaf(leaf: Leaf) -> dict[str, object]:
    return {"kind": leaf.kind, "bytes": leaf.bytes, "offset": leaf.offset}
