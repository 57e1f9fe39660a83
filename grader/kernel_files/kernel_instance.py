"""Which instance of a template is checked where the user names none: the one that the file's own launches name, else one with usual
arguments. The name in the output says which it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from grader.kernel_files.host_code import Item, items_of, qualified
from grader.kernel_files.host_expression import value_of
from grader.kernel_files.kernel_source import KernelSource
from grader.kernel_files.own_launches import constants_of, macro_bodies, without_comments

_TYPE_NAMES = """
    float double half __half bool char short int long unsigned signed size_t int8_t uint8_t int16_t uint16_t int32_t uint32_t int64_t
    uint64_t uchar uint ushort float2 float3 float4 double2 int2 int3 int4 uint2 uint3 uint4 uchar4 true false const
"""
_TYPES = frozenset(_TYPE_NAMES.split())
_TYPE, _FLAT, _WIDE = (
    "float",
    "256",
    "16",
)  # usual arguments: a type, and the threads of a block in one and in two dimensions
_MOST_ROUNDS = 8  # a macro that stands for a macro that stands for …
_WORD = re.compile(r"[^\W\d]\w*")
_SECOND_AXIS = re.compile(r"\b(?:threadIdx|blockDim|blockIdx)\s*\.\s*y\b")


def definitions_of(source: KernelSource, kernel: str) -> list[str]:
    """The text of each definition of `kernel`, a name with its namespaces."""
    return [
        text[item.first : item.end]
        for text in source.texts.values()
        for item in items_of(text)
        if item.kernel and qualified(item) == kernel
    ]


def versions_of(source: KernelSource, kernel: str) -> list[str]:
    """The versions of a kernel that is no template, as --kernel takes them: `scale(float*, int)`."""
    found = []
    for text in definitions_of(source, kernel):
        head = re.search(rf"\b{re.escape(kernel.rpartition('::')[2])}\s*\(", text)
        if head and not text.lstrip().startswith("template"):
            inside = _between(without_comments(text), head.end() - 1, "(", ")")
            found.append(f"{kernel}({', '.join(map(_parameter_type, _parts(inside)))})")
    return list(dict.fromkeys(found))


def _parameter_type(text: str) -> str:
    """`const float*` of `const float* __restrict__ A`, and of `const float A[]`."""
    plain = re.sub(r"\b__restrict(?:__)?\b|=.*", " ", text).strip()
    name = re.fullmatch(r"(.*[\s*&])([^\W\d]\w*)\s*((?:\[[^\]]*\]\s*)*)", plain, re.DOTALL)
    if not name or name[2] in _TYPES:
        return " ".join(plain.split())
    return " ".join(name[1].split()) + ("*" if name[3] else "")


def is_two_dimensional(source: KernelSource, kernel: str) -> bool:
    return any(_SECOND_AXIS.search(text) for text in definitions_of(source, kernel))


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
    parameters = _template_parameters(found[0])
    if parameters == [""]:  # a specialisation, template <>
        return kernel
    if launched := next(_launched(source, kernel.rsplit("::", 1)[-1], _macros(source, definitions)), None):
        return f"{kernel}<{launched}>"
    wide = _SECOND_AXIS.search(found[0]) is not None
    usual = [_usual(one, wide=wide) for one in parameters if "=" not in one and "..." not in one]
    return f"{kernel}<{', '.join(usual)}>" if all(usual) else kernel


def _template_parameters(text: str) -> list[str]:
    return _parts(_angles(text, text.index("<")))


def _parts(inside: str) -> list[str]:
    """What stands between commas outside brackets."""
    parts, depth = [""], 0
    for character in inside:
        depth += (character in "<(") - (character in ">)")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts]


def _angles(text: str, opening: int) -> str:
    """What stands between the `<` at `opening` and its `>`."""
    return _between(text, opening, "<", ">")


def _between(text: str, opening: int, left: str, right: str) -> str:
    depth = 0
    for at in range(opening, len(text)):
        depth += (text[at] == left) - (text[at] == right)
        if depth == 0:
            return text[opening + 1 : at]
        if text[at] in ";{":
            break
    return ""


def _macros(source: KernelSource, definitions: Sequence[str]) -> dict[str, str]:
    """What each macro without parameters stands for that has one value: as the user defines it, or as the files do."""
    given = {name: value if equals else "1" for name, equals, value in (one.partition("=") for one in definitions)}
    return macro_bodies("\n".join(map(without_comments, source.texts.values()))) | given


def _expanded(text: str, macros: Mapping[str, str]) -> str:
    for _ in range(_MOST_ROUNDS):
        text = _WORD.sub(lambda match: macros.get(match[0], match[0]), text)
    return text


def _launched(source: KernelSource, name: str, macros: Mapping[str, str]) -> Iterator[str]:
    """The template arguments in launches of the kernel, where every word of them is known outside the host's functions, or is a constant of
    one.
    """
    known = set(_TYPES)
    for text in source.texts.values():
        known |= {word for item in items_of(text) if not item.is_function or item.on_device for word in _names(item)}
    texts = [without_comments(text) for text in source.texts.values()]
    constants = constants_of("\n".join(texts)) | dict(macros)
    for text in texts:
        for match in re.finditer(rf"\b{re.escape(name)}\s*(<)(?!\s*<\s*<|<)", text):
            inside = _angles(text, match.start(1))
            after = text[match.start(1) + len(inside) + 2 :].lstrip()
            if inside.strip() and re.match(r"<\s*<\s*<", after):
                said = [_said(" ".join(part.split()), known, constants, macros) for part in _parts(inside)]
                if all(said):
                    yield ", ".join(said)


def _said(argument: str, known: set[str], constants: Mapping[str, str], macros: Mapping[str, str]) -> str:
    """One template argument as it can be written behind the file. Empty: nobody knows it there."""
    text = _expanded(argument, macros)
    if set(_WORD.findall(text)) <= known:
        return text
    value = value_of(text, constants)
    return str(value) if isinstance(value, int) else ""


def _names(item: Item) -> frozenset[str]:
    return item.declares or frozenset()


def _usual(parameter: str, *, wide: bool) -> str:
    words = parameter.replace("std::", "").split()
    if words[0] in {"typename", "class"}:
        return _TYPE
    if words[0] == "bool":
        return "true"
    if words[0] in {"int", "unsigned", "size_t", "short", "long", "uint", "const", "uint32_t", "int32_t", "auto"}:
        return _WIDE if wide else _FLAT
    return ""
