"""What a value consists of: its numbers and its pointers, with their names as C++ writes them, read from debug information.

class_arguments.py fills such a value; class_layout.py says how it is passed to a function.
"""

from __future__ import annotations

import math
import platform
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Literal

from grader.engines.objects.entry_walk import Die, text_of
from grader.run.kernels.element_types import (
    CLASSES,
    HALF,
    NUMBERS,
    OBJECTS,
    SIZES,
    UNION,
    ElementType,
    Leaf,
    bare,
    element_of,
    extents_of,
    filling_member,
    leaf_of,
    size_of,
)

_POINTER = "DW_TAG_pointer_type"
_POINTER_BYTES = 8
_BY_REFERENCE = 0x04  # DW_CC_pass_by_reference
_BITS = ("DW_AT_bit_size", "DW_AT_data_bit_offset", "DW_AT_bit_offset")
_MOST_MEMBERS = 32764  # numbers and pointers of one value: CUDA allows so many bytes of arguments
_MOST_DEPTH = 16
_MOST_POINTERS = 4  # pointers to pointers to …


@dataclass(frozen=True)
class Pointee:
    """What a pointer leads to."""

    element: ElementType | None  # None: void
    text: str  # "const float", as people write it
    is_const: bool
    layout: Layout | None = None  # of an element, where it is more than numbers
    is_function: bool = False


@dataclass(frozen=True)
class Member:
    """One number or pointer in a value."""

    path: str  # "n", "size.x", "rows[2]"; empty: the value is this one
    offset: int
    number: Leaf | None = None
    pointee: Pointee | None = None
    handle: str = ""  # of a number that stands for a "texture" or a "surface"

    @property
    def bytes(self) -> int:
        return self.number.bytes if self.number else _POINTER_BYTES


@dataclass(frozen=True)
class Layout:
    name: str
    bytes: int
    members: tuple[Member, ...] = ()
    alignment: int = 1
    by_reference: bool = False  # its copies are made by code, so a function gets a pointer to one
    holds_union: bool = False  # so its members do not tell the registers in which it is passed
    trouble: str = ""  # why no value of it can be described; empty: one can
    names: frozenset[str] = field(default_factory=frozenset)

    @property
    def has_pointers(self) -> bool:
        return any(one.pointee or one.handle for one in self.members)


def layout_of(die: Die, depth: int = 0) -> Layout:
    """Of the type of `die`."""
    target, _ = bare(die)
    element = element_of(die)
    if target is None:
        return Layout("void", 0, trouble="it has no type")
    if "DW_AT_declaration" in target.attributes:
        return Layout(element.name, 0, trouble="its class is declared and not defined", names=element.names)
    try:
        members = tuple(_members(target, "", 0, 0, depth))
    except _UnknownError as unknown:
        return Layout(element.name, size_of(target), trouble=str(unknown), names=element.names)
    trouble = "" if len(members) <= _MOST_MEMBERS else f"it has more than {_MOST_MEMBERS:,} members"
    natural = max((one.bytes for one in members), default=1)
    asked = max([0, *_alignments(target, 0)])
    convention = target.attributes.get("DW_AT_calling_convention")
    by_reference = convention is not None and convention.value == _BY_REFERENCE
    return Layout(
        element.name,
        size_of(target),
        members,
        max(natural, asked),
        by_reference,
        _holds_union(target, 0),
        trouble,
        element.names | {element.name},
    )


def _holds_union(target: Die | None, level: int) -> bool:
    if target is None or level > _MOST_DEPTH or target.tag == _POINTER:
        return False
    if target.tag == "DW_TAG_array_type":
        return _holds_union(bare(target)[0], level + 1)
    parts = (one for one in target.iter_children() if one.tag in {"DW_TAG_member", "DW_TAG_inheritance"})
    return target.tag == UNION or any(_holds_union(bare(one)[0], level + 1) for one in parts)


def pointee_of(pointer: Die, depth: int = 0) -> Pointee:
    """`pointer`: the entry of a pointer type."""
    target, is_const = bare(pointer)
    if target is None:
        return Pointee(None, "void", is_const)
    if target.tag == "DW_TAG_subroutine_type":
        return Pointee(None, "function", is_const, is_function=True)
    element = element_of(pointer)
    text = f"const {element.name}" if is_const else element.name
    if handle := handle_of(pointer):
        member = Member("", 0, number=Leaf("unsigned", _POINTER_BYTES), handle=handle)
        return Pointee(element, text, is_const, Layout(element.name, _POINTER_BYTES, (member,), _POINTER_BYTES))
    if target.tag == _POINTER or target.tag in CLASSES:
        layout = layout_of(pointer, depth + 1) if depth < _MOST_POINTERS else None
        if layout is not None and (layout.has_pointers or target.tag == _POINTER):
            return Pointee(element, text, is_const, layout)
    return Pointee(element, text, is_const)


def handle_of(die: Die) -> str:
    """What the type of `die` stands for, by its name: "texture", "surface" or nothing."""
    return next((OBJECTS[one] for one in element_of(die).names if one in OBJECTS), "")


def _with_handle(die: Die, members: Iterator[Member]) -> Iterator[Member]:
    handle = handle_of(die)
    for member in members:
        yield replace(member, handle=handle) if handle and member.number else member


class _UnknownError(Exception):
    """A part that no argument can describe."""


def _members(target: Die, path: str, offset: int, level: int, depth: int) -> Iterator[Member]:
    if level > _MOST_DEPTH:
        why = "it is nested too deeply"
        raise _UnknownError(why)
    named = f"`{path.rpartition('.')[2]}`" if path else "it"
    if target.tag in NUMBERS or (target.tag in CLASSES and text_of(target, "DW_AT_name") == HALF):
        leaf = Leaf("floating", size_of(target), offset) if target.tag in CLASSES else leaf_of(target, offset)
        if leaf.bytes not in SIZES:
            why = f"{named} is a number of {leaf.bytes} bytes"
            raise _UnknownError(why)
        yield Member(path, offset, number=leaf)
    elif target.tag == _POINTER:
        yield Member(path, offset, pointee=pointee_of(target, depth))
    elif target.tag == "DW_TAG_array_type":
        yield from _elements(target, path, offset, level, depth)
    elif target.tag in CLASSES:
        for child in target.iter_children():
            yield from _of_child(child, path, offset, level, depth)
    elif target.tag == UNION:
        chosen = filling_member(target)
        if chosen is not None:
            yield from _of_child(chosen, path, offset, level, depth)
    else:
        kind = {"DW_TAG_reference_type": "a reference", "DW_TAG_ptr_to_member_type": "a pointer to a member"}
        why = f"{named} is {kind.get(target.tag, 'of a kind that no argument can describe')}"
        raise _UnknownError(why)


def _of_child(child: Die, path: str, offset: int, level: int, depth: int) -> Iterator[Member]:
    if child.tag not in {"DW_TAG_member", "DW_TAG_inheritance"} or "DW_AT_external" in child.attributes:
        return
    name = text_of(child, "DW_AT_name") or ""
    place, inner = child.attributes.get("DW_AT_data_member_location"), bare(child)[0]
    if any(bits in child.attributes for bits in _BITS):
        why = f"`{name}` is a bit-field"
        raise _UnknownError(why)
    if name.startswith("_vptr"):
        why = "it has virtual functions, and CUDA does not let a kernel take such an object by value"
        raise _UnknownError(why)
    if inner is None or (place is not None and not isinstance(place.value, int)):
        why = "it has a virtual base class"
        raise _UnknownError(why)
    if place is None and child.get_parent().tag == UNION:
        yield from _members(inner, f"{path}.{name}".strip("."), offset, level + 1, depth)
        return
    if place is None:
        if child.tag == "DW_TAG_member" and "DW_AT_declaration" in child.attributes:
            return  # a static member
        why = f"nobody knows where `{name}` lies"
        raise _UnknownError(why)
    within = path if child.tag == "DW_TAG_inheritance" or not name else f"{path}.{name}".lstrip(".")
    yield from _with_handle(child, _members(inner, within, offset + place.value, level + 1, depth))


def _elements(array: Die, path: str, offset: int, level: int, depth: int) -> Iterator[Member]:
    inner, extents = bare(array)[0], extents_of(array)
    if inner is None or math.prod(extents) > _MOST_MEMBERS:
        why = f"`{path}` is too large an array"
        raise _UnknownError(why)
    for index in range(math.prod(extents)):
        subscripts, rest = "", index
        for extent in reversed(extents):
            subscripts, rest = f"[{rest % extent}]{subscripts}", rest // extent
        place = offset + index * size_of(inner)
        yield from _with_handle(array, _members(inner, path + subscripts, place, level + 1, depth))


def _alignments(target: Die, level: int) -> Iterator[int]:
    """What `alignas` asks for, of a class and of what it holds."""
    asked = target.attributes.get("DW_AT_alignment")
    if asked is not None:
        yield asked.value
    if target.tag in CLASSES | {"DW_TAG_array_type"} and level < _MOST_DEPTH:
        children = [target, *target.iter_children()] if target.tag == "DW_TAG_array_type" else target.iter_children()
        for child in children:
            inner = bare(child)[0] if child is target or child.tag in {"DW_TAG_member", "DW_TAG_inheritance"} else None
            is_code = (
                child is target or child.tag == "DW_TAG_subprogram"
            )  # the mark of __host__ is an alignment of code
            own = None if is_code else child.attributes.get("DW_AT_alignment")
            if own is not None:
                yield own.value
            if inner is not None:
                yield from _alignments(inner, level + 1)


# How an object is passed by value: in which registers, on the stack, or as a pointer to a copy.
#
# The rules are those of the System V convention for x86-64 and of AAPCS64, with the Itanium C++ rules for classes.
# kit/runner/kernel_call.cpp
# puts the parts there. Objects aligned to more than 16 bytes are not passed.

_WORD = 8  # bytes of a register
_IN_REGISTERS = 16  # bytes of an object that may travel in registers
_MOST_SAME = 4  # members of a homogeneous aggregate
WIDEST = 16  # alignment

RegisterPart = tuple[int, int, bool]  # offset, bytes, whether its register is one for floating-point numbers


@dataclass(frozen=True)
class Passing:
    how: Literal["registers", "stack", "reference"]
    pieces: tuple[RegisterPart, ...] = ()


def passing_of(layout: Layout, machine: str = platform.machine()) -> Passing:
    if layout.by_reference:
        return Passing("reference")
    return _on_arm(layout) if machine in {"aarch64", "arm64"} else _on_x86(layout)


def _on_x86(layout: Layout) -> Passing:
    if layout.bytes > _IN_REGISTERS or any(one.offset % one.bytes for one in layout.members):
        return Passing("stack")
    words = [
        [one for one in layout.members if one.offset // _WORD == word] for word in range(-(-layout.bytes // _WORD))
    ]
    pieces = [
        (word * _WORD, min(_WORD, layout.bytes - word * _WORD), all(map(_is_floating, held)))
        for word, held in enumerate(words)
        if held
    ]
    return Passing("registers", tuple(pieces))


def _on_arm(layout: Layout) -> Passing:
    members = layout.members
    if 0 < len(members) <= _MOST_SAME and all(map(_is_floating, members)) and len({one.bytes for one in members}) == 1:
        return Passing("registers", tuple((one.offset, one.bytes, True) for one in members))
    if layout.bytes > _IN_REGISTERS:
        return Passing("reference")
    return Passing(
        "registers", tuple((at, min(_WORD, layout.bytes - at), False) for at in range(0, layout.bytes, _WORD))
    )


def _is_floating(member: Member) -> bool:
    """The kit's half precision is an integer for the compiler."""
    return member.number is not None and member.number.kind == "floating" and member.number.bytes in {4, 8}
