"""What is said of headers, members, functions and macros: names that exist, or nearly. Pure."""

from __future__ import annotations

import re

from grader.engines.compiler_words.told import Said, Told
from grader.engines.student_text.cuda_vocabulary import CPP, HEADERS, STD
from grader.engines.student_text.near_names import nearest
from grader.engines.student_text.student_code import Place


def header(told: Told) -> Said:
    name = told.group("a", "b", "c")
    quoted = re.search(r'[<"].*[>"]', told.code.raw(told.error.line))
    place = told.part(*quoted.span()) if quoted else told.at()
    near = nearest(name.replace("/", ""), [one.replace("/", "") for one in HEADERS])
    meant = next((one for one in HEADERS if one.replace("/", "") == near), "")
    advice = (
        f"The header's name is <{meant}>."
        if meant and meant != name
        else "Remove the line, or correct the header's name."
    )
    return Said(place, f"There is no header `{name}` that a kernel can use.", advice)


def member(told: Told) -> Said:
    name, of = told.group("a", "b", "c"), told.group("of_a", "of_b", "of_c")
    place = told.at(name)
    before = re.search(r"(\w+)\s*(?:\.|->)\s*$", told.bare[: place.start])
    owner = before[1] if before else of
    if re.fullmatch(r"(?:const )?(?:uint3|dim3)|__cuda_builtin_\w+_t", of):
        meant = f" `{owner}.{name.lower()}` is written with a small letter." if name.lower() in {"x", "y", "z"} else ""
        return Said(place, f"`{owner}` has no `{name}`: its parts are `x`, `y` and `z`.{meant}")
    near = nearest(name, [word for word in told.code.words if word != name])
    return Said(place, f"`{owner}` has no `{name}`." + (f" Did you mean `{near}`?" if near else ""))


def std(told: Told) -> Said:
    name = told.group("a", "b", "c")
    if name in {"cout", "cerr", "endl", "cin", "string", "vector", "thread", "mutex", "chrono", "array"}:
        advice = "A kernel can print with printf(), and its memory is arrays and pointers."
        return Said(told.at(name), f"`std::{name}` is for host code: a kernel cannot use it.", advice)
    near = nearest(name, STD)
    return Said(
        told.at(name), f"The standard library has no `std::{name}`." + (f" Did you mean `std::{near}`?" if near else "")
    )


def arrow(told: Told) -> Said | None:
    name = re.search(r"(\w+)\s*->", told.bare)
    if name is None:
        return None
    place = told.part(name.start(), name.end())
    return Said(place, f"`{name[1]}` is no pointer: its parts are written with a point, as in `{name[1]}.x`.")


def no_function(told: Told) -> Said | None:
    before = re.search(r"([^\W\d]\w*(?:\.\w+)?)\s*\($", told.bare[: told.column + 1])
    called = (
        before
        or re.search(r"([^\W\d]\w*(?:\.\w+)*)\s*\(\s*\)", told.bare)
        or re.search(r"(\w+(?:\.\w+)+)\s*\(", told.bare)
    )
    if called is None:
        return None
    name = called[1].split(".")[0]
    index = " An index stands in [ ]." if name in told.code.declared else ""
    return Said(told.at(name), f"`{called[1]}` is no function: it takes no ( ).{index}")


def arguments(told: Told) -> Said:
    name = told.group("name")
    called = re.search(r"(\w+)\s*\($", told.bare[: told.column + 1]) or re.search(
        r"(\w+)\s*\(", told.bare[told.column :]
    )
    named = re.search(r"(\w+)(?:\(|$)", name)
    name = named[1] if named else (called[1] if called else "")
    lines = told.code.declarations(name)
    where = f" Line {lines[0]} says which it takes." if lines else ""
    return Said(told.at(name), f"`{name}` is called with the wrong number or kinds of arguments.{where}")


def macro_constant(told: Told) -> Said | None:
    """A #define whose body has a sign too many, which every use of it copies."""
    for number, name, body in told.code.macros():
        if re.search(rf"\b{re.escape(name)}\b", told.bare) or number == told.error.line:
            sign = ";" if body.endswith(";") else "=" if body.startswith("=") else ""
            if sign:
                line = told.code.line(number)
                at = line.rfind(";") if sign == ";" else line.find("=")
                what = f"`{name}` stands for all of `{body}`: the `{sign}` in this #define is copied to each place that uses it."
                return Said(
                    Place(number, at, at + 1), what, f"A #define has no `{sign}`: the name, a space, the value."
                )
    return None


def reserved(told: Told) -> Said | None:
    word = told.group("word") or told.code.token(told.at())
    if not told.group("word") and word not in (
        *CPP,
        "new",
        "delete",
        "operator",
        "register",
        "try",
        "private",
        "public",
    ):
        return None
    return Said(told.at(word), f"`{word}` is a word of C++ itself and cannot be the name of a variable.")


def twice(told: Told) -> Said | None:
    name = told.group("name", "name_b", "name_c", "name_d")
    others = [line for line in told.code.declarations(name) if line < told.error.line]
    if not others:
        head = re.search(r"\bfor\s*\([^;]*,", told.bare)
        return (
            Said(
                told.part(*head.span()),
                "The three parts of a `for` are separated by `;`: for (start; condition; step).",
            )
            if head
            else None
        )
    advice = "Without its type, the second line assigns a value and declares nothing."
    return Said(told.at(name), f"`{name}` is declared twice: first in line {others[-1]}, and again here.", advice)
