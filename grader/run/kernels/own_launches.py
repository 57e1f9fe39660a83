"""The launches `kernel<<<grid, block>>>(…)` that a file itself contains, with what its constants say of them: grid, block, sizes of
buffers, numbers.

This reads words and brackets of host code and runs nothing. What is read from a file, from the command line or computed in a loop is
unknown here.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from grader.engines.text_steps import launches_in
from grader.engines.token_scan import code_tokens
from grader.run.kernels.kernel_source import KernelSource, base_name
from grader.source.arithmetic import UnknownValueError, Value, evaluate
from grader.source.cuda_vocabulary import TYPE_BYTES
from grader.source.lexer import closing_bracket, parts_between, without_comments

# The value of an expression in host code, as far as constants of the file give it: `(N + 255) / 256`, `n * sizeof(float)`.

Number = int | float
_MAX_DEPTH = 24


def value_of(expression: str, names: Mapping[str, str]) -> Number | None:
    """`names`: the expression that each constant stands for."""
    known: dict[str, Value | None] = {}
    depth = 0

    def value(name: str) -> Value | None:
        nonlocal depth
        if name not in known and name in names and depth < _MAX_DEPTH:
            known[name] = None  # it may name itself
            depth += 1
            with suppress(UnknownValueError):
                known[name] = evaluate(names[name], value)
            depth -= 1
        return known.get(name)

    try:
        return evaluate(expression, value).shown
    except UnknownValueError:
        return None


Extent3 = tuple[int, int, int]
_DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+([^\n]+)$", re.MULTILINE)
_VARIABLE = re.compile(
    r"\b(?:unsigned|int|long|short|size_t|float|double|char|auto|uint|u?int\d+_t)\s+(\w+)\s*=([^;{}]{1,300});"
)
_CHANGED = re.compile(r"\b(\w+)\s*(?:[-+*/%|&^]|<<|>>)?=(?!=)|(?:\+\+|--)\s*(\w+)|\b(\w+)\s*(?:\+\+|--)|&\s*(\w+)")
_MOST_ELEMENTS = 1 << 26


def extent_text(extent: Sequence[int], between: str = ",") -> str:
    """`2048`, `64,64`: without sides of 1 at the end."""
    shown = list(extent)
    while len(shown) > 1 and shown[-1] == 1:
        shown.pop()
    return between.join(map(str, shown))


@dataclass(frozen=True)
class OwnLaunch:
    """What is unknown is None."""

    line: int
    grid: Extent3 | None
    block: Extent3 | None
    shared_bytes: int | None
    bytes: tuple[int | None, ...]  # of the buffer that each argument points to
    values: tuple[Number | None, ...]  # of each argument


def own_launches(source: KernelSource, kernel: str) -> list[OwnLaunch]:
    """The launches of `kernel` in the file and its headers, in their order."""
    texts = [without_comments(text) for text in source.texts.values()]
    names = constants_of("\n".join(texts))
    return [
        OwnLaunch(
            line=text.count("\n", 0, one.at) + 1,
            grid=_extent(one.config[0], text[: one.at], names),
            block=_extent(one.config[1], text[: one.at], names) if len(one.config) > 1 else None,
            shared_bytes=_whole(one.config[2], names) if len(one.config) > 2 else 0,  # noqa: PLR2004 -- the third is the shared memory
            bytes=tuple(_allocated(given, text, names) for given in one.arguments),
            values=tuple(value_of(given, names) for given in one.arguments),
        )
        for text in texts
        for one in _launches(text, base_name(kernel))
    ]


def macro_bodies(text: str) -> dict[str, str]:
    """What each macro without parameters stands for that is defined in one way only."""
    found: dict[str, set[str]] = {}
    for name, body in _DEFINE.findall(text):
        found.setdefault(name, set()).add(body.strip())
    return {name: next(iter(bodies)) for name, bodies in found.items() if len(bodies) == 1}


def constants_of(text: str) -> dict[str, str]:
    """What each name stands for that has one value in the whole text. The sides of a dim3 are `block.x`, `block.y` and `block.z`."""
    found: dict[str, set[str]] = {}
    for name, body in [*_DEFINE.findall(text), *_VARIABLE.findall(text)]:
        first, *others = parts_between(body)  # `int n = 4, m = 8;`
        together = (other.partition("=") for other in others)
        found.setdefault(name, set()).add(first.strip())
        for part, equals, value in together:
            if equals and re.fullmatch(r"\s*\w+\s*", part):
                found.setdefault(part.strip(), set()).add(value.strip())
    changes = Counter(name for match in _CHANGED.findall(text) for name in match if name)
    defined = {name for name, _ in _DEFINE.findall(text)}
    return dict(_sides(text, changes)) | {
        name: next(iter(values))
        for name, values in found.items()
        if len(values) == 1 and changes[name] <= (name not in defined)
    }


def _sides(text: str, changes: Mapping[str, int]) -> Iterator[tuple[str, str]]:
    """Those of each dim3 that is made once and never changed: `dim3 block(16, 16);`."""
    made = list(re.finditer(r"\bdim3\s+(\w+)\s*(=\s*(?:dim3\s*)?)?[({]", text))
    once = Counter(match[1] for match in made)
    for match in made:
        name, parts = match[1], parts_between(text[match.end() : closing_bracket(text, match.end() - 1)])
        changed = re.search(rf"\b{re.escape(name)}\s*\.\s*[xyz]\s*(?:[-+*/%|&^]|<<|>>)?=(?!=)", text)
        if once[name] > 1 or changed or changes[name] > (match[2] is not None) or not 0 < len(parts) <= 3:  # noqa: PLR2004 -- x, y and z
            continue
        yield from ((f"{name}.{axis}", side) for axis, side in zip("xyz", (*parts, "1", "1"), strict=False))


@dataclass(frozen=True)
class _Statement:
    """The texts in `kernel<template><<<config>>>(arguments)`, and where it begins."""

    at: int
    template: str
    config: list[str]
    arguments: list[str]


def _launches(text: str, kernel: str) -> Iterator[_Statement]:
    """`text`: without comments. `kernel`: without its namespaces."""
    tokens = code_tokens(text)
    for one in launches_in(tokens):
        begin, opening, config, closing, arguments, end = (
            tokens[at].start for at in (one.callee, one.opening, one.opening + 2, one.closing, one.closing + 3, one.end)
        )
        name, _, template = text[begin:opening].partition("<")
        if name.strip().rpartition("::")[2] == kernel:
            inside = parts_between(text[config + 1 : closing]), parts_between(text[arguments + 1 : end])
            yield _Statement(begin, template.rpartition(">")[0], *inside)


def _extent(expression: str, before: str, names: Mapping[str, str]) -> Extent3 | None:
    """A number, a dim3, or the name of a dim3 that is made before."""
    name = re.fullmatch(r"\s*(\w+)\s*", expression)
    made = re.match(r"\s*(?:dim3\s*[({]|\{)", expression)
    if made:
        parts = parts_between(expression[made.end() : closing_bracket(expression, made.end() - 1)])
    elif name:
        parts = _made_before(name[1], before) or [expression]
    else:
        parts = [expression]
    sides = [value_of(part, names) for part in parts]
    if not sides or len(sides) > 3 or any(side is None or side < 1 for side in sides):  # noqa: PLR2004 -- x, y and z
        return None
    x, y, z = (*(int(side) for side in sides if side is not None), 1, 1)[:3]
    return x, y, z


def _made_before(name: str, before: str) -> list[str]:
    """What the last dim3 of this name is made of. Empty: there is none."""
    for match in reversed(list(re.finditer(rf"\b{re.escape(name)}\s*(?:=\s*dim3\s*)?[({{]", before))):
        statement = before[max(before.rfind(sign, 0, match.start()) for sign in ";{}") + 1 : match.end()]
        if re.search(r"\bdim3\b", statement):
            return parts_between(before[match.end() : closing_bracket(before, match.end() - 1)])
    return []


def _whole(expression: str, names: Mapping[str, str]) -> int | None:
    value = value_of(expression, names)
    return None if value is None else int(value)


def _allocated(argument: str, text: str, names: Mapping[str, str]) -> int | None:
    """The bytes that cudaMalloc gave to a pointer."""
    name = re.fullmatch(r"\s*(?:\([\w\s*]+\)\s*)?&?\s*(\w+)\s*", argument)
    if not name:
        return None
    found = set[int | None]()
    for call in re.finditer(r"\bcudaMalloc(?:Managed)?\s*\(", text):
        parts = parts_between(text[call.end() : closing_bracket(text, call.end() - 1)])
        target = re.fullmatch(r"\s*(?:\([\w\s*]+\)\s*)?&\s*\(?\s*(\w+)\s*\)?\s*", parts[0])
        if target and target[1] == name[1] and len(parts) > 1:
            found.add(_whole(parts[1], names))
    size = found.pop() if len(found) == 1 else None
    return size if size is not None and 0 < size <= _MOST_ELEMENTS else None


# Which instance of a template is checked where the user names none: the one that the file's own launches name, else one with usual
# arguments. The name in the output says which it is.

_TYPES = frozenset({*TYPE_BYTES, "signed", "true", "false", "const"})
_TYPE, _FLAT, _WIDE = "float", "256", "16"  # a type, and the threads of a block in one dimension and in two
_MOST_ROUNDS = 8  # a macro that stands for a macro that stands for …
_WORD = re.compile(r"[^\W\d]\w*")
SECOND_AXIS = re.compile(r"\b(?:threadIdx|blockDim|blockIdx)\s*\.\s*y\b")


def definitions_of(source: KernelSource, kernel: str) -> list[str]:
    """The text of each definition of `kernel`, a name with its namespaces."""
    return [text for item, text in source.items() if item.kernel and item.qualified == kernel]


def versions_of(source: KernelSource, kernel: str) -> list[str]:
    """The versions of a kernel that is no template, as --kernel takes them: `scale(float*, int)`."""
    found = []
    for text in definitions_of(source, kernel):
        head = re.search(rf"\b{re.escape(kernel.rpartition('::')[2])}\s*\(", text)
        if head and not text.lstrip().startswith("template"):
            bare = without_comments(text)
            inside = bare[head.end() : closing_bracket(bare, head.end() - 1)]
            found.append(f"{kernel}({', '.join(map(_parameter_type, _template_parts(inside)))})")
    return list(dict.fromkeys(found))


def _parameter_type(text: str) -> str:
    """`const float*` of `const float* __restrict__ A`, and of `const float A[]`."""
    plain = re.sub(r"\b__restrict(?:__)?\b|=.*", " ", text).strip()
    name = re.fullmatch(r"(.*[\s*&])([^\W\d]\w*)\s*((?:\[[^\]]*\]\s*)*)", plain, re.DOTALL)
    if not name or name[2] in _TYPES:
        return " ".join(plain.split())
    return " ".join(name[1].split()) + ("*" if name[3] else "")


def with_arguments(source: KernelSource, kernel: str, definitions: Sequence[str] = ()) -> str:
    """`sum<float>` for the template `sum`; what is no template stays as it is, and so does a template whose arguments are not obvious.
    Macros in the arguments get their values, because the compiler has expanded the file's own when it sees the name. `definitions`:
    macros as -D takes them.
    """
    name, bracket, arguments = kernel.partition("<")
    if bracket:
        macros = _macros(source, definitions)
        return f"{name}<{_expanded(arguments, macros)}" if set(macros) & set(_WORD.findall(arguments)) else kernel
    found = definitions_of(source, kernel)
    if not found or not all(text.lstrip().startswith("template") for text in found):
        return kernel
    head = found[0].index("<")
    parameters = _template_parts(found[0][head + 1 : closing_bracket(found[0], head, "<>")])
    if parameters == [""]:  # a specialisation, template <>
        return kernel
    if launched := next(_launched(source, kernel.rsplit("::", 1)[-1], _macros(source, definitions)), None):
        return f"{kernel}<{launched}>"
    wide = SECOND_AXIS.search(found[0]) is not None
    usual = [_usual(one, wide=wide) for one in parameters if "=" not in one and "..." not in one]
    return f"{kernel}<{', '.join(usual)}>" if all(usual) else kernel


def _template_parts(inside: str) -> list[str]:
    return [one.strip() for one in parts_between(inside, brackets="()<>")]


def _macros(source: KernelSource, definitions: Sequence[str]) -> dict[str, str]:
    """What each macro without parameters stands for that has one value: as the user defines it, or as the files do."""
    given = {name: value if equals else "1" for name, equals, value in (one.partition("=") for one in definitions)}
    return macro_bodies("\n".join(map(without_comments, source.texts.values()))) | given


def _expanded(text: str, macros: Mapping[str, str]) -> str:
    for _ in range(_MOST_ROUNDS):
        text = _WORD.sub(lambda match: macros.get(match[0], match[0]), text)
    return text


def _launched(source: KernelSource, name: str, macros: Mapping[str, str]) -> Iterator[str]:
    """The template arguments in launches of the kernel, where every word is known outside the host's functions, or a constant."""
    known = {*_TYPES, *(word for item, _ in source.items() if not item.is_host for word in item.declares or ())}
    texts = [without_comments(text) for text in source.texts.values()]
    constants = constants_of("\n".join(texts)) | dict(macros)
    for one in (one for text in texts for one in _launches(text, name)):
        said = [_said(" ".join(part.split()), known, constants, macros) for part in _template_parts(one.template)]
        if one.template.strip() and all(said):
            yield ", ".join(said)


def _said(argument: str, known: set[str], constants: Mapping[str, str], macros: Mapping[str, str]) -> str:
    """One template argument as it can be written behind the file. Empty: nobody knows it there."""
    text = _expanded(argument, macros)
    if set(_WORD.findall(text)) <= known:
        return text
    value = value_of(text, constants)
    return str(value) if isinstance(value, int) else ""


def _usual(parameter: str, *, wide: bool) -> str:
    words = parameter.replace("std::", "").split()
    if words[0] in {"typename", "class"}:
        return _TYPE
    if words[0] == "bool":
        return "true"
    if words[0] in {"int", "unsigned", "size_t", "short", "long", "uint", "const", "uint32_t", "int32_t", "auto"}:
        return _WIDE if wide else _FLAT
    return ""
