"""The parameters of a kernel, read from its debug information: names, types, and the numbers that an element consists of.

kernel_arguments.py decides which arguments fit them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from elftools.elf.elffile import ELFFile

from grader.engines.object_code.dwarf_types import Die, TypeName, origin_of, text_of, type_of

_ALIASES = frozenset({"DW_TAG_typedef", "DW_TAG_restrict_type", "DW_TAG_const_type", "DW_TAG_volatile_type"})
_CLASSES = frozenset({"DW_TAG_structure_type", "DW_TAG_class_type"})
_REFERENCES = frozenset({"DW_TAG_reference_type", "DW_TAG_rvalue_reference_type"})
_FLOATING, _BOOLEAN = 0x04, 0x02  # DW_ATE_float, DW_ATE_boolean
_SIGNED = frozenset({0x05, 0x06})  # DW_ATE_signed, DW_ATE_signed_char
_HALF = "__half"  # the kit's half precision: a number in CUDA, a class for the compiler
_SIZES = frozenset({1, 2, 4, 8})
_LONG_NAMES = {
    "long unsigned int": "unsigned long",
    "long int": "long",
    "short unsigned int": "unsigned short",
    "short int": "short",
    "long long int": "long long",
    "long long unsigned int": "unsigned long long",
}
_MAX_DEPTH = 16
_MAX_LEAVES = 256

NumberKind = Literal["floating", "signed", "unsigned"]


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


@dataclass(frozen=True)
class Parameter:
    name: str
    text: str  # its type as people write it: "const float*"
    element: ElementType | None  # the type of a value, or of what a pointer points to; None: void
    is_pointer: bool
    is_const: bool  # whether what a pointer points to is const
    trouble: str = ""  # why no argument can be passed for it; empty: one can


def read_parameters(program: Path, address: int) -> list[Parameter] | None:
    """The parameters of the function at `address` in a linked program. None where there is no function."""
    with program.open("rb") as stream:
        dwarf = ELFFile(stream).get_dwarf_info(relocate_dwarf_sections=False)
        for unit in dwarf.iter_CUs():
            for die in unit.iter_DIEs():
                first = die.attributes.get("DW_AT_low_pc") if die.tag == "DW_TAG_subprogram" else None
                if first is not None and first.value == address:
                    return [_parameter(one) for one in die.iter_children() if one.tag == "DW_TAG_formal_parameter"]
    return None


def _parameter(die: Die) -> Parameter:
    origin = origin_of(die)
    name, text = text_of(origin, "DW_AT_name") or "?", _as_written(type_of(origin))
    target, _ = _bare(origin)
    if target is not None and target.tag == "DW_TAG_pointer_type":
        pointee, is_const = _bare(target)
        trouble = (
            "" if pointee is None or _holds_numbers(pointee) else "it points to something that is not made of numbers"
        )
        if pointee is not None and pointee.tag == "DW_TAG_subroutine_type":
            trouble = "it points to a function"
        element = None if pointee is None else _element(target)
        return Parameter(name, text, element, is_pointer=True, is_const=is_const, trouble=trouble)
    element = _element(origin)
    in_class = target is not None and target.tag in _CLASSES and text_of(target, "DW_AT_name") != _HALF
    trouble = "it is passed by value and is not a single number" if in_class or not element.number else ""
    if target is not None and target.tag in _REFERENCES:
        trouble = "it is a reference"
    return Parameter(name, text, element, is_pointer=False, is_const=False, trouble=trouble)


def _target(die: Die) -> Die | None:
    return die.get_DIE_from_attribute("DW_AT_type") if "DW_AT_type" in die.attributes else None


def _bare(die: Die) -> tuple[Die | None, bool]:
    """The type of `die` without typedefs and qualifiers, and whether one of the qualifiers was const."""
    target, is_const = _target(die), False
    for _ in range(_MAX_DEPTH):
        if target is None or target.tag not in _ALIASES:
            break
        is_const = is_const or target.tag == "DW_TAG_const_type"
        target = _target(target)
    return target, is_const


def _element(die: Die) -> ElementType:
    """The element type of `die`."""
    target, _ = _bare(die)
    kind = type_of(die)
    leaves = tuple(_leaves(target, 0, 0)) if target is not None else ()
    size = _size(target) if target is not None else 0
    well_formed = 0 < len(leaves) <= _MAX_LEAVES and all(leaf.bytes in _SIZES for leaf in leaves)
    name = kind.name.removesuffix(" volatile").removesuffix(" const").removesuffix(" volatile")
    return ElementType(_short(name), size, leaves if well_formed else (), _names(die))


def _names(die: Die) -> frozenset[str]:
    found, target = set[str](), _target(die)
    for _ in range(_MAX_DEPTH):
        if target is None:
            break
        if name := text_of(target, "DW_AT_name"):
            found.add(name)
        if target.tag not in _ALIASES:
            break
        target = _target(target)
    return frozenset(found)


def _holds_numbers(target: Die) -> bool:
    return 0 < len(list(_leaves(target, 0, 0))) <= _MAX_LEAVES


def _leaves(target: Die, offset: int, depth: int) -> Iterator[Leaf]:
    """Every number in a value of this type. Other parts (pointers, unions) are left out."""
    if depth > _MAX_DEPTH:
        return
    if target.tag in {"DW_TAG_base_type", "DW_TAG_enumeration_type"}:
        yield _leaf(target, offset)
    elif target.tag == "DW_TAG_array_type":
        inner = _bare(target)[0]
        for index in range(min(math.prod(_extents(target)), _MAX_LEAVES + 1)) if inner is not None else ():
            yield from _leaves(inner, offset + index * _size(inner), depth + 1)
    elif target.tag in _CLASSES and text_of(target, "DW_AT_name") == _HALF:
        yield Leaf("floating", _size(target), offset)
    elif target.tag in _CLASSES:
        for child in target.iter_children():
            member = _bare(child)[0] if child.tag in {"DW_TAG_member", "DW_TAG_inheritance"} else None
            place = child.attributes.get("DW_AT_data_member_location")
            if member is not None and place is not None and isinstance(place.value, int):
                yield from _leaves(member, offset + place.value, depth + 1)


def _leaf(target: Die, offset: int) -> Leaf:
    encoding = target.attributes.get("DW_AT_encoding")
    code = encoding.value if encoding else 0
    kind: NumberKind = "floating" if code == _FLOATING else "signed" if code in _SIGNED else "unsigned"
    if target.tag == "DW_TAG_enumeration_type":
        kind = "signed"
    return Leaf(kind, _size(target), offset, is_bool=code == _BOOLEAN)


def _size(target: Die) -> int:
    size = target.attributes.get("DW_AT_byte_size")
    if size is not None:
        return int(size.value)
    if target.tag == "DW_TAG_array_type":
        inner = _bare(target)[0]
        return math.prod(_extents(target)) * (_size(inner) if inner is not None else 0)
    return 0


def _extents(array: Die) -> list[int]:
    bounds = [child.attributes for child in array.iter_children() if child.tag == "DW_TAG_subrange_type"]
    upper = [one["DW_AT_upper_bound"].value if "DW_AT_upper_bound" in one else -1 for one in bounds]
    return [value + 1 if isinstance(value, int) else 0 for value in upper]


def _short(name: str) -> str:
    """Turns GCC's "long unsigned int" into "unsigned long"."""
    return _LONG_NAMES.get(name, name)


def _as_written(kind: TypeName) -> str:
    """Turns "float const*" into "const float*"."""
    name, stars = kind.name.rstrip("*&"), kind.name[len(kind.name.rstrip("*&")) :]
    before = ""
    for qualifier in ("volatile", "const"):
        if name.endswith(f" {qualifier}"):
            before, name = f"{qualifier} {before}", name.removesuffix(f" {qualifier}")
    return before + _short(name) + stars
