"""How a file uses a texture or a surface that a kernel gets: the type of its texels, its dimensions, and what the host's code says of
filter and address modes. Reads words, and runs nothing: a proposal is made of it, not a verdict.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from grader.run.kernels.kernel_source import KernelSource
from grader.source.lexer import closing_bracket, without_comments

_TEXTURE = re.compile(
    r"\btex(?P<of>[123])D(?P<fetch>fetch)?(?P<layered>Layered)?(?:Lod|Grad|gather)?\s*(?:<\s*(?P<type>[\w ]+?)\s*>)?\s*\("
)
_SURFACE = re.compile(
    r"\bsurf(?P<of>[123])D(?P<layered>Layered)?(?P<verb>read|write)\s*(?:<\s*(?P<type>[\w ]+?)\s*>)?\s*\("
)
_CHANNEL = re.compile(r"\bcudaCreateChannelDesc\s*<\s*([\w ]+?)\s*>")
_ADDRESS = re.compile(r"\baddressMode\s*\[\s*[012]\s*\]\s*=\s*cudaAddressMode(\w+)\s*;")
_SETTING = r"\b{name}\s*=\s*(\w+)\s*;"
_MADE = re.compile(
    r"\bmake_(\w+)\s*\(|\(\s*(\w+)\s*\)|static_cast\s*<\s*(\w+)\s*>|(\w+)\s*\("
)  # make_float4(…), (float)x, float(x)
_TYPES = frozenset(
    f"{number}{count}"
    for number in ("char", "uchar", "short", "ushort", "int", "uint", "float")
    for count in ("", "1", "2", "4")
) | {"unsigned", "unsigned char", "unsigned short", "unsigned int", "signed char"}


@dataclass(frozen=True)
class TextureUse:
    element: str = "float"
    dimensions: int = 2
    is_layered: bool = False
    options: tuple[str, ...] = ()


def texture_use(source: KernelSource, kind: str, name: str) -> TextureUse:
    """Of the parameter `name`; `kind` is "texture" or "surface". Where a helper function uses it under another name, any use in the file
    counts.
    """
    text = "\n".join(without_comments(one) for one in source.texts.values())
    calls = list((_TEXTURE if kind == "texture" else _SURFACE).finditer(text))
    own = [
        one
        for one in calls
        if name and re.search(rf"\b{re.escape(name)}\b", text[one.end() : closing_bracket(text, one.end() - 1)])
    ]
    if not calls:
        return TextureUse()
    chosen = (own or calls)[0]
    element = next((found for one in own or calls if (found := _type_of(text, one))), "float")
    options = ["layered"] if chosen["layered"] else []
    if kind == "texture":
        made = _CHANNEL.search(text)
        said = _host_options(text)
        if "asfloat" in said and not (made and _is_small(made[1])):
            said.remove("asfloat")
        elif "asfloat" in said and made:
            element = made[1]
        if "linear" in said and "float" not in element and "asfloat" not in said:
            said.remove("linear")
        options += said
    return TextureUse(element, int(chosen["of"]), bool(chosen["layered"]), tuple(options))


def _type_of(text: str, call: re.Match[str]) -> str:
    """The type in angle brackets, or of the variable that is filled or stored. Empty: unknown."""
    if call["type"]:
        return call["type"] if call["type"] in _TYPES else ""
    first = text[call.end() : closing_bracket(text, call.end() - 1)].split(",", maxsplit=1)[0].strip()
    if made := _MADE.match(first):
        return next((name for name in made.groups() if name in _TYPES), "")
    variable = re.fullmatch(r"&?\s*(\w+)", first)
    declared = variable and re.search(
        rf"\b((?:unsigned |signed )?\w+)\s+{variable[1]}\b\s*[=;,)({{]", text[: call.start()]
    )
    return declared[1] if declared and declared[1] in _TYPES else ""


def _is_small(name: str) -> bool:
    return re.fullmatch(r"(?:unsigned |signed )?u?(?:char|short)[124]?", name) is not None


def _host_options(text: str) -> list[str]:
    """What each text descriptor says that is written with constants, where all say the same."""
    modes = {one.lower() for one in _ADDRESS.findall(text)}
    said = sorted(modes) if len(modes) == 1 and modes != {"clamp"} else []
    if _only(text, "filterMode") == "cudaFilterModeLinear":
        said.append("linear")
    if _only(text, "normalizedCoords") in {"1", "true"}:
        said.append("normalized")
    elif said[:1] in (["wrap"], ["mirror"]):
        said.pop(0)
    if _only(text, "readMode") == "cudaReadModeNormalizedFloat":
        said.append("asfloat")
    return said


def _only(text: str, name: str) -> str:
    """The one value that is ever given to a member of this name. Empty: none, or several."""
    values = set(re.findall(_SETTING.format(name=name), text))
    return values.pop() if len(values) == 1 else ""
