"""The numbers that a type consists of, read from debug information: what an element of a buffer holds."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grader.engines.objects.entry_walk import Die, text_of, type_of
from grader.source.cuda_vocabulary import NUMBER_TYPES, NumberKind

ALIASES = frozenset({"DW_TAG_typedef", "DW_TAG_restrict_type", "DW_TAG_const_type", "DW_TAG_volatile_type"})
CLASSES = frozenset({"DW_TAG_structure_type", "DW_TAG_class_type"})
HALF = "__half"  # the kit's half precision: a number in CUDA, a class for the compiler
UNION = "DW_TAG_union_type"
NUMBERS = frozenset({"DW_TAG_base_type", "DW_TAG_enumeration_type"})
SIZES = frozenset({1, 2, 4, 8})
_FLOATING, _BOOLEAN = 0x04, 0x02  # DW_ATE_float, DW_ATE_boolean
_SIGNED = frozenset({0x05, 0x06})  # DW_ATE_signed, DW_ATE_signed_char
_LONG_NAMES = {
    "long unsigned int": "unsigned long",
    "long int": "long",
    "short unsigned int": "unsigned short",
    "short int": "short",
    "long long int": "long long",
    "long long unsigned int": "unsigned long long",
}
_POINTER_BYTES = 8
_MAX_DEPTH = 16
_MAX_LEAVES = 256


@dataclass(frozen=True)
class Leaf:
    """One number in an element."""

    kind: NumberKind
    bytes: int
    offset: int = 0
    is_bool: bool = False


@dataclass(frozen=True)
class ElementType:
    name: str  # "float", "float4", "Body"
    bytes: int
    leaves: tuple[Leaf, ...]  # empty: it contains something other than numbers
    names: frozenset[str] = frozenset()  # every name of the type

    @property
    def number(self) -> Leaf | None:
        """The number, where the element is exactly one number."""
        return self.leaves[0] if len(self.leaves) == 1 and self.leaves[0].bytes == self.bytes else None


def target_of(die: Die) -> Die | None:
    return die.get_DIE_from_attribute("DW_AT_type") if "DW_AT_type" in die.attributes else None


def bare(die: Die) -> tuple[Die | None, bool]:
    """The type of `die` without typedefs and qualifiers, and whether one of the qualifiers was const."""
    target, is_const = target_of(die), False
    for _ in range(_MAX_DEPTH):
        if target is None or target.tag not in ALIASES:
            break
        is_const = is_const or target.tag == "DW_TAG_const_type"
        target = target_of(target)
    return target, is_const


def element_of(die: Die) -> ElementType:
    """The element type of `die`."""
    target, _ = bare(die)
    kind = type_of(die)
    leaves = tuple(_leaves(target, 0, 0)) if target is not None else ()
    size = size_of(target) if target is not None else 0
    well_formed = 0 < len(leaves) <= _MAX_LEAVES and all(leaf.bytes in SIZES for leaf in leaves)
    name = kind.name.removesuffix(" volatile").removesuffix(" const").removesuffix(" volatile")
    return ElementType(short_name(name), size, leaves if well_formed else (), _names(die))


def _names(die: Die) -> frozenset[str]:
    found, target = set[str](), target_of(die)
    for _ in range(_MAX_DEPTH):
        if target is None:
            break
        if name := text_of(target, "DW_AT_name"):
            found.add(name)
        if target.tag not in ALIASES:
            break
        target = target_of(target)
    return frozenset(found)


def holds_numbers(target: Die) -> bool:
    return 0 < len(list(_leaves(target, 0, 0))) <= _MAX_LEAVES


def _leaves(target: Die, offset: int, depth: int) -> Iterator[Leaf]:
    """Every number in a value of this type, and of a union in one of its members. Pointers are left out."""
    if depth > _MAX_DEPTH:
        return
    if target.tag in NUMBERS:
        yield leaf_of(target, offset)
    elif target.tag == "DW_TAG_array_type":
        inner = bare(target)[0]
        for index in range(min(math.prod(extents_of(target)), _MAX_LEAVES + 1)) if inner is not None else ():
            yield from _leaves(inner, offset + index * size_of(inner), depth + 1)
    elif target.tag in CLASSES and text_of(target, "DW_AT_name") == HALF:
        yield Leaf("floating", size_of(target), offset)
    elif target.tag in CLASSES | {UNION}:
        for member, place in _parts(target, depth):
            yield from _leaves(member, offset + place, depth + 1)


def _parts(target: Die, depth: int) -> Iterator[tuple[Die, int]]:
    """The types and offsets of a class's parts, and of the one member as which a union is described."""
    if target.tag == UNION:
        chosen = filling_member(target, depth)
        inner = bare(chosen)[0] if chosen is not None else None
        if inner is not None:
            yield inner, 0
        return
    for child in target.iter_children():
        member = bare(child)[0] if child.tag in {"DW_TAG_member", "DW_TAG_inheritance"} else None
        place = child.attributes.get("DW_AT_data_member_location")
        if member is not None and place is not None and isinstance(place.value, int):
            yield member, place.value


def filling_member(union: Die, depth: int = 0) -> Die | None:
    """The member of a union that says most of its bytes; of several, the first. As that one, a value of the union is described."""
    members = [child for child in union.iter_children() if child.tag == "DW_TAG_member"]
    return max(members, key=lambda one: _said_bytes(bare(one)[0], depth + 1), default=None)


def _said_bytes(target: Die | None, depth: int) -> int:
    """Without padding."""
    if target is None or depth > _MAX_DEPTH:
        return 0
    if target.tag == "DW_TAG_array_type":
        return math.prod(extents_of(target)) * _said_bytes(bare(target)[0], depth + 1)
    if target.tag in CLASSES and text_of(target, "DW_AT_name") != HALF:
        parts = (one for one in target.iter_children() if one.tag in {"DW_TAG_member", "DW_TAG_inheritance"})
        return sum(_said_bytes(bare(one)[0], depth + 1) for one in parts if "DW_AT_external" not in one.attributes)
    if target.tag == UNION:
        chosen = filling_member(target, depth)
        return _said_bytes(bare(chosen)[0], depth + 1) if chosen is not None else 0
    return size_of(target)


def leaf_of(target: Die, offset: int) -> Leaf:
    encoding = target.attributes.get("DW_AT_encoding")
    code = encoding.value if encoding else 0
    kind: NumberKind = "floating" if code == _FLOATING else "signed" if code in _SIGNED else "unsigned"
    if target.tag == "DW_TAG_enumeration_type":
        kind = "signed"
    return Leaf(kind, size_of(target), offset, is_bool=code == _BOOLEAN)


def size_of(target: Die) -> int:
    size = target.attributes.get("DW_AT_byte_size")
    if size is not None:
        return int(size.value)
    if target.tag == "DW_TAG_pointer_type":
        return _POINTER_BYTES
    if target.tag == "DW_TAG_array_type":
        inner = bare(target)[0]
        return math.prod(extents_of(target)) * (size_of(inner) if inner is not None else 0)
    return 0


def extents_of(array: Die) -> list[int]:
    """GCC names the highest subscript, and Clang how many there are."""
    bounds = [child.attributes for child in array.iter_children() if child.tag == "DW_TAG_subrange_type"]
    counts = [
        one["DW_AT_count"].value if "DW_AT_count" in one
        else one["DW_AT_upper_bound"].value + 1 if "DW_AT_upper_bound" in one and isinstance(one["DW_AT_upper_bound"].value, int)
        else 0
        for one in bounds
    ]  # fmt: skip
    return [count if isinstance(count, int) else 0 for count in counts]


def short_name(name: str) -> str:
    """Turns GCC's "long unsigned int" into "unsigned long"."""
    return _LONG_NAMES.get(name, name)


# Reads what stands before the buffer in `texture(linear, wrap) float[48][64]=random`: how a kernel looks at a texture or a surface.
#
# The buffer itself is read as any other is, in argument_text.py.

_BEGIN = re.compile(r"\s*(texture|surface)\s*(?:\(([^()]*)\))?\s*(?=[A-Za-z_])")
_SHOWN = re.compile(r"&\s*([A-Za-z_]\w*)")
_ADDRESS_MODES = ("clamp", "wrap", "mirror", "border")
_FILTERS = ("point", "linear")
_SWITCHES = ("normalized", "unnormalized", "asfloat", "layered")
_MOST_BYTES = 4  # of a texel's number
_NUMBERS = {name: of for name, of in NUMBER_TYPES.items() if of[1] <= _MOST_BYTES and name != "bool"}
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
    """The form that kit/protocol/program_message.cpp reads. `shown`: the index of the argument whose memory it shows."""
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
