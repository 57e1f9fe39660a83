"""What is said of values: where they may be stored, what is returned, how numbers are written. Pure."""

from __future__ import annotations

import re

from grader.engines.compiler_words.told import Said, Told
from grader.engines.student_text.cuda_vocabulary import BUILT_IN


def read_only(told: Told) -> Said:
    """GCC and Clang point at the sign that stores, nvcc at what is stored to."""
    before, after = told.bare[: told.error.column + 1], told.bare[told.column :]
    stored = re.search(r"(\w+)\s*(?:\[[^\[\]]*\]\s*)*(?:\.\w+\s*)?(?:[-+*/%&|^]?=?|\+\+?|--?)$", before)
    stored = stored if stored and stored[0] != stored[1] else re.search(r"(\w+)", after)
    name = told.group("name") or (stored[1] if stored else "")
    if name in BUILT_IN:
        return Said(told.at(name), f"`{name}` is CUDA's own: a kernel can only read it.")
    lines = told.code.declarations(name)
    where = f", declared `const` in line {lines[0]}," if lines else ""
    what = (
        f"`{name}`{where} may only be read, and this line stores to it."
        if name
        else "This line stores to what is `const`."
    )
    advice = "A `const` pointer is an input. Results go to the output's pointer or to a variable of your own."
    return Said(told.at(name), what, advice)


def float_literal(told: Told) -> Said:
    number = re.search(r"(?<![\w.])\d+[fF]\b", told.bare)
    place = told.part(*number.span()) if number else told.at()
    text = number[0] if number else told.code.token(place)
    better = f"{text[:-1]}.0f" if number else "1.0f"
    return Said(place, f"`{text}` is no number in C++: a number that ends in f needs a point, as in `{better}`.")


def void_value(told: Told) -> Said | None:
    place = told.code.word_at(told.error.line, told.error.column, "return")
    if "LaunchConfig" in told.bare:
        return None
    return Said(
        place,
        "A kernel returns nothing: it is `void`, and this `return` has a value.",
        "Store the result where the lab asks for it, through the output's pointer. `return;` alone ends a thread.",
    )


def launch_config(told: Told) -> Said:
    place = told.code.word_at(told.error.line, told.error.column, "return")
    return Said(
        place,
        "The launch function has to return a `LaunchConfig`, which holds a grid and a block.",
        "As in the starter file: return LaunchConfig{grid, block}; with the name and with braces.",
    )


def exception(told: Told) -> Said:
    """GCC points at the end of the `throw`."""
    word = told.match.groupdict().get("word") or next(iter(re.findall(r"\b(?:throw|try|catch)\b", told.bare)), "")
    at = next((found.span() for found in re.finditer(rf"\b{word}\b", told.bare)), None) if word else None
    what = f"`{word}` is for host code" if word else "Exceptions are for host code"
    return Said(
        told.part(*at) if at else told.at(),
        f"{what}: a kernel and the functions that it calls have no exceptions.",
        "Test for the error before, and write a value that says what happened: no compiler for a GPU takes exceptions.",
    )


def not_assignable(told: Told) -> Said:
    return Said(
        told.at(),
        "Nothing can be stored in what stands to the left of this `=`.",
        "`=` stores a value; `==` compares two.",
    )


def else_alone(told: Told) -> Said | None:
    if told.code.token(told.at()) != "else":
        return None
    return Said(
        told.at("else"),
        "This `else` belongs to no `if`.",
        "Look at the `if` above it: a `;` right after its condition ends it, and two statements need braces.",
    )


def converts(told: Told) -> Said | None:
    given, wanted = told.group("from", "from_b", "from_c"), told.group("to", "to_b", "to_c")
    if given.replace(" ", "") != f"const {wanted}".replace(" ", "") or not wanted.endswith("*"):
        return None
    what = f"A `{given}` points to what may only be read, so it cannot become a `{wanted}`."
    return Said(told.at(), what, f"Declare the pointer as `{given}`.")
