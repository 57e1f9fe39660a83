"""What is said of arrays, their indices and their sizes. Pure."""

from __future__ import annotations

import re

from grader.engines.compiler_words.told import Said, Told
from grader.engines.student_text.cuda_vocabulary import BUILT_IN


def subscript(told: Told) -> Said | None:
    """One index too many, where `A[row]` is a number already; or what is no array at all. nvcc points at the name, others at the `[`."""
    items = list(re.finditer(r"(\w+)\s*((?:\[[^\[\]]*\]\s*)+)(\[[^\[\]]*\])", told.bare))
    item = next((one for one in items if one.start() <= told.column <= one.end()), None)
    if item is None:
        around = (
            one for one in re.finditer(r"(\w+)\s*\[[^\[\]]*\]", told.bare) if one.start() <= told.column <= one.end()
        )
        name = (
            next(around, None)
            or re.search(r"(\w+)\s*\[", told.bare[told.column :])
            or re.search(r"(\w+)\s*\[", told.bare)
        )
        return (
            Said(told.at(name[1]), f"`{name[1]}` is a single value, not an array: it takes no index in [ ].")
            if name
            else None
        )
    first = f"{item[1]}{item[2].strip()}"
    message = (
        f"`{first}` is one number already, so it takes no further [ ]: `{item[1]}` points to its elements in one row after the other, "
        "and has one index."
    )
    advice = "Work out how many elements lie before the one that you want: all rows above it, and those to its left."
    return Said(told.part(*item.span()), message, advice)


def index_type(told: Told) -> Said:
    inner = re.search(r"(\w+)\s*\[([^\[\]]*)\]", told.bare)
    place = told.part(inner.start(2), inner.end(2)) if inner else told.at()
    of = f" `{inner[2].strip()}`" if inner else ""
    names = [name for name in re.findall(r"[^\W\d]\w*", inner[2] if inner else "") if name in told.code.declared]
    named = ((name, line) for name in names for line in told.code.declarations(name))
    floats = [
        f"`{name}` (line {n})"
        for name, n in named
        if re.search(rf"\b(?:float|double)\b[^;(]*\b{name}\b", told.code.line(n))
    ]
    why = f" {floats[0]} is declared as a floating-point number." if floats else ""
    return Said(place, f"The index{of} is no integer.{why} An index has to be an integer, as `int` is.")


def vector_subscript(told: Told) -> Said | None:
    name = next((one for one in (*BUILT_IN, *told.code.declared) if re.search(rf"\b{one}\s*\[", told.bare)), "")
    if not name:
        return None
    return Said(told.at(name), f"`{name}` is no array: its parts are `{name}.x`, `{name}.y` and `{name}.z`.")


def fixed_size(told: Told) -> Said:
    found = re.search(r"(\w+)\s*((?:\[[^\[\]]*\])+)", told.bare)
    name = told.group("name") or (found[1] if found else "")
    inside = re.findall(r"[^\W\d]\w*", found[2]) if found else []
    unknown = next((one for one in inside if one in BUILT_IN or told.code.declarations(one)), "")
    why = f": `{unknown}` is known only when the kernel runs" if unknown else ""
    place = told.part(*found.span()) if found else told.at(name)
    return Said(
        place,
        f"The size of the array `{name}` is not a constant{why}. CUDA has no arrays of variable length.",
        "Give the array a length that is known when the file is compiled, as by a #define, a constexpr or a template parameter.",
    )


def open_dimensions(told: Told) -> Said:
    name = told.group("name")
    found = re.search(r"(\w+)\s*\[\s*\]\s*\[\s*\]", told.bare)
    name = name or (found[1] if found else "")
    return Said(
        told.at(name), f"Of `{name}`, only the first [ ] may be empty: the compiler has to know how long a row is."
    )


def whole_row(told: Told) -> Said | None:
    rows = re.search(r"'(?:const )?(\w+) ?\[(\d+)\]", told.error.text)
    if rows is None:
        return None
    items = list(re.finditer(r"(\w+)\s*\[[^\[\]]*\](?!\s*\[)", told.bare))
    found = next(
        (one for one in items if one[1] in told.code.declared and one.end() >= told.column), next(iter(items), None)
    )
    if found is None:
        return None
    place = told.part(*found.span())
    return Said(place, f"`{found[0]}` is a whole row of {rows[2]} elements, not one number: an index is missing.")


def percent(told: Told) -> Said | None:
    at = told.bare.find("%", told.column)
    at = at if at >= 0 else told.bare.find("%")
    place = told.part(at, at + 1)
    return Said(place, "`%` is for integers: one side of it is a floating-point number.") if at >= 0 else None
