"""Reads what stands before the buffer in `texture(linear, wrap) float[48][64]=random`: how a kernel looks at a texture or a surface.

The buffer itself is read as any other is, in argument_text.py.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from grader.launch_arguments.element_types import ElementType, Leaf, NumberKind

_BEGIN = re.compile(r"\s*(texture|surface)\s*(?:\(([^()]*)\))?\s*(?=[A-Za-z_])")
_SHOWN = re.compile(r"&\s*([A-Za-z_]\w*)")
_ADDRESS_MODES = ("clamp", "wrap", "mirror", "border")
_FILTERS = ("point", "linear")
_SWITCHES = ("normalized", "unnormalized", "asfloat", "layered")
_NUMBERS: dict[str, tuple[NumberKind, int]] = {
    "float": ("floating", 4), "half": ("floating", 2), "__half": ("floating", 2), "char": ("signed", 1), "signed char": ("signed", 1),
    "uchar": ("unsigned", 1), "unsigned char": ("unsigned", 1), "short": ("signed", 2), "ushort": ("unsigned", 2),
    "unsigned short": ("unsigned", 2), "int": ("signed", 4), "uint": ("unsigned", 4), "unsigned": ("unsigned", 4),
    "unsigned int": ("unsigned", 4), "int8_t": ("signed", 1), "uint8_t": ("unsigned", 1), "int16_t": ("signed", 2),
    "uint16_t": ("unsigned", 2), "int32_t": ("signed", 4), "uint32_t": ("unsigned", 4),
}  # fmt: skip
_VECTOR = re.compile(r"(u?char|u?short|u?int|float|half)([124])")
OBJECTS = {"cudaTextureObject_t": "texture", "cudaSurfaceObject_t": "surface"}
_MOST_DIMENSIONS = 3


@dataclass(frozen=True)
class TextureOptions:
    kind: str  # "texture" or "surface"
    address: tuple[str, str, str] = ("clamp", "clamp", "clamp")  # of x, y and z
    is_linear: bool = False
    is_normalized: bool = False  # coordinates from 0 to 1
    as_float: bool = False  # whole numbers are read as fractions
    is_layered: bool = False
    shows: str = ""  # the parameter whose memory it shows; empty: it has its own


class OptionError(ValueError):
    """Options that cannot be read."""


def split_options(text: str) -> tuple[TextureOptions | None, str]:
    """The options, and the buffer behind them; None and the whole text where it is no texture. Raises OptionError."""
    begin = _BEGIN.match(text)
    if begin is None or "=" in text[: begin.end()] or "[" not in text:
        return None, text
    words = [one for one in re.split(r"[\s,]+", (begin[2] or "").strip()) if one]
    buffer, equals, fill = text[begin.end() :].partition("=")
    shown = _SHOWN.fullmatch(fill.strip())
    options = _read(begin[1], words, shown[1] if shown else "")
    return options, buffer if shown else buffer + equals + fill


def _read(kind: str, words: Sequence[str], shows: str) -> TextureOptions:
    known = ("layered",) if kind == "surface" else (*_ADDRESS_MODES, *_FILTERS, *_SWITCHES)
    for word in words:
        if word not in known:
            message = f"{word!r} is no option of a {kind}: write {', '.join(known)}"
            raise OptionError(message)
    modes = [word for word in words if word in _ADDRESS_MODES]
    if len(modes) > _MOST_DIMENSIONS:
        message = "a texture has at most three address modes: of x, y and z"
        raise OptionError(message)
    x, y, z = (*modes, *[modes[-1] if len(modes) == 1 else "clamp"] * 3)[:3] if modes else ("clamp",) * 3
    return TextureOptions(
        kind,
        (x, y, z),
        is_linear="linear" in words,
        is_normalized="normalized" in words,
        as_float="asfloat" in words,
        is_layered="layered" in words,
        shows=shows,
    )


def texel_type(name: str) -> ElementType | None:
    """The type of a texel: one, two or four numbers of at most four bytes."""
    vector = _VECTOR.fullmatch(name)
    number = _NUMBERS.get(vector[1] if vector else name)
    if number is None:
        return None
    kind, size = number
    count = int(vector[2]) if vector else 1
    return ElementType(name, size * count, tuple(Leaf(kind, size, size * at) for at in range(count)), frozenset({name}))


def trouble_of(options: TextureOptions, element: ElementType, extents: Sequence[int]) -> str:
    """Why there is no such texture. Empty: there is one."""
    number = element.leaves[0]
    dimensions = len(extents) - options.is_layered
    if not 1 <= dimensions <= (_MOST_DIMENSIONS - options.is_layered):
        layers = " after the layers" if options.is_layered else ""
        most = "two" if options.is_layered else "three"
        return f"a {options.kind} has from one to {most} dimensions{layers}"
    if options.as_float and (number.kind == "floating" or number.bytes > 2):  # noqa: PLR2004 -- CUDA's limit
        return "only whole numbers of 8 or 16 bits can be read as normalized floats (asfloat)"
    if options.is_linear and number.kind != "floating" and not options.as_float:
        return "a linear filter needs texels of float, or whole numbers of 8 or 16 bits that are read as normalized floats (asfloat)"
    return ""


def described(
    options: TextureOptions, element: ElementType, extents: Sequence[int], shown: int | None
) -> dict[str, object]:
    """The form that kit/protocol/texture_message.cpp reads. `shown`: the index of the argument whose memory it shows."""
    number = element.leaves[0]
    found: dict[str, object] = {
        "surface": options.kind == "surface",
        "extents": list(extents[1:] if options.is_layered else extents),
        "layers": extents[0] if options.is_layered else 0,
        "kind": number.kind,
        "bytes": number.bytes,
        "components": len(element.leaves),
        "address": list(options.address),
        "linear": options.is_linear,
        "normalized": options.is_normalized,
        "as_float": options.as_float,
    }
    return found if shown is None else {**found, "of": shown}
