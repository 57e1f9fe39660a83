"""A kernel's parameters, read from debug information: names, types, and which numbers and pointers a value of such a type consists of.

kernel_arguments.py decides which arguments fit them.
"""

from __future__ import annotations

import math
import platform
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from elftools.elf.elffile import ELFFile

from grader.engines.objects.debug_info import Die, TypeName, origin_of, text_of, type_of
from grader.source.cuda_vocabulary import NumberKind

OBJECTS = {"cudaTextureObject_t": "texture", "cudaSurfaceObject_t": "surface"}
_ALIASES = frozenset({"DW_TAG_typedef", "DW_TAG_restrict_type", "DW_TAG_const_type", "DW_TAG_volatile_type"})
_CLASSES = frozenset({"DW_TAG_structure_type", "DW_TAG_class_type"})
_PARTS = frozenset({"DW_TAG_member", "DW_TAG_inheritance"})
_NUMBERS = frozenset({"DW_TAG_base_type", "DW_TAG_enumeration_type"})
_REFERENCES = frozenset({"DW_TAG_reference_type", "DW_TAG_rvalue_reference_type"})
_POINTER, _ARRAY, _UNION = "DW_TAG_pointer_type", "DW_TAG_array_type", "DW_TAG_union_type"
_HALF = "__half"  # the kit's half precision: a number in CUDA, a class for the compiler
_SIZES = frozenset({1, 2, 4, 8})
_FLOATING, _BOOLEAN = 0x04, 0x02  # DW_ATE_float, DW_ATE_boolean
_SIGNED = frozenset({0x05, 0x06})  # DW_ATE_signed, DW_ATE_signed_char
_BY_REFERENCE = 0x04  # DW_CC_pass_by_reference
_FRAME_OFFSET, _DEREFERENCED = 0x91, 0x06  # DW_OP_fbreg, DW_OP_deref
_BITS = ("DW_AT_bit_size", "DW_AT_data_bit_offset", "DW_AT_bit_offset")
_LONG_NAMES = {
    "long unsigned int": "unsigned long", "long int": "long", "long long unsigned int": "unsigned long long",
    "short unsigned int": "unsigned short", "short int": "short", "long long int": "long long",
}  # fmt: skip
_POINTER_BYTES = 8
_MOST_MEMBERS = 32764  # numbers and pointers of one value: CUDA allows so many bytes of arguments
_MOST_STEPS = 1 << 17  # elements of arrays that are looked at, whatever is in them
_MOST_LEAVES = 256  # numbers of an element that is filled number by number
_MOST_DEPTH = 16
_MOST_POINTERS = 4  # pointers to pointers to …


@dataclass(frozen=True)
class Leaf:
    """One number in a value."""

    kind: NumberKind
    bytes: int
    offset: int = 0
    is_bool: bool = False


@dataclass(frozen=True)
class Member:
    """One number or pointer in a value."""

    path: str  # "n", "size.x", "rows[2]"; empty: the value is this one
    leaf: Leaf
    target: Parameter | None = None  # what a pointer leads to or a handle stands for, as an argument of its own


@dataclass(frozen=True)
class ValueType:
    name: str  # "float", "float4", "Body"
    bytes: int
    members: tuple[Member, ...] = ()
    names: frozenset[str] = frozenset()  # every name of the type
    alignment: int = 1
    is_class: bool = False
    is_described: bool = False  # behind a pointer, its values are written one by one: they hold pointers
    by_reference: bool = False  # its copies are made by code, so a function gets a pointer to one
    holds_union: bool = False  # so its members do not tell the registers in which it is passed
    trouble: str = ""  # why no value of it can be described; empty: one can

    @property
    def numbers(self) -> list[Leaf]:
        return [one.leaf for one in self.members if one.target is None or not one.target.is_pointer]

    @property
    def leaves(self) -> list[Leaf]:
        """The numbers that fill it; empty: they are too many, or of other sizes."""
        found = self.numbers
        return found if len(found) <= _MOST_LEAVES and all(one.bytes in _SIZES for one in found) else []

    @property
    def number(self) -> Leaf | None:
        """The number, where it is exactly one."""
        leaves = self.leaves
        return leaves[0] if len(leaves) == 1 and leaves[0].bytes == self.bytes else None


def numbers_type(name: str, kind: NumberKind, size: int, count: int = 1) -> ValueType:
    members = (Member("", Leaf(kind, size, size * at)) for at in range(count))
    return ValueType(name, size * count, tuple(members), frozenset({name}))


@dataclass(frozen=True)
class Parameter:
    name: str
    text: str  # its type as people write it: "const float*"
    element: ValueType | None  # the type of a value, or of what a pointer points to; None: void
    is_pointer: bool
    is_const: bool  # whether what a pointer points to is const
    trouble: str = ""  # why no argument can be passed for it; empty: one can
    is_function: bool = False  # a pointer to a function

    @property
    def layout(self) -> ValueType | None:
        """The type of an object that is passed by value, and of an element that is more than numbers."""
        one = self.element
        return one if one and (one.is_described if self.is_pointer else one.is_class) else None

    @property
    def texture(self) -> str:
        """What a handle stands for: "texture" or "surface". Empty: it is no handle."""
        names = self.element.names if self.element and not self.is_pointer else frozenset()
        return next((OBJECTS[one] for one in names if one in OBJECTS), "")

    @property
    def holds_handles(self) -> str:
        """The same of what the elements of a buffer stand for."""
        first = self.layout.members[0] if self.is_pointer and self.layout else None
        return first.target.texture if first and first.target and not first.path else ""


def read_parameters(program: Path, address: int) -> list[Parameter]:
    """The parameters of the function at `address` in a linked program. Raises RuntimeError where there is no function."""
    with program.open("rb") as stream:
        dwarf = ELFFile(stream).get_dwarf_info(relocate_dwarf_sections=False)
        for unit in dwarf.iter_CUs():
            for die in unit.iter_DIEs():
                first = die.attributes.get("DW_AT_low_pc") if die.tag == "DW_TAG_subprogram" else None
                if first is not None and first.value == address:
                    known: _Known = {}
                    parameters = (one for one in die.iter_children() if one.tag == "DW_TAG_formal_parameter")
                    return [_parameter(one, known) for one in parameters]
    raise RuntimeError(f"{program} has no debug information of the function at {address:#x}")


_HANDLES = {
    name: Parameter("", kind, replace(numbers_type(kind, "unsigned", 8), names=frozenset({name})), False, False)
    for name, kind in OBJECTS.items()
}
# Pointers that were read, by where their type stands and how many lead to them: a class of many pointers to itself is read once.
_Known = dict[tuple[int, int], Parameter]


def _parameter(die: Die, known: _Known) -> Parameter:
    origin = origin_of(die)
    name, text = text_of(origin, "DW_AT_name") or "?", _as_written(type_of(origin))
    target, _ = _bare(origin)
    if target is not None and target.tag == _POINTER:
        pointer = _pointer(target, 0, known)
        named = min((one for one in _names(origin) if one), default="function")  # what a typedef calls it
        return replace(pointer, name=name, text=named if pointer.is_function else text)
    element, trouble = _value_type(origin, 0, known), ""
    if handle := next((one for one in OBJECTS if one in element.names), ""):
        text = handle
    elif target is not None and target.tag in _REFERENCES:
        trouble = "it is a reference"
    elif not element.is_class:
        trouble = "" if element.number else "it is passed by value and is not a number"
    else:
        element = replace(element, by_reference=element.by_reference or _leads_to_it(die))
        trouble = element.trouble
        if not trouble and element.holds_union and not element.by_reference:
            trouble = "it is passed by value and holds a union"
        if not trouble and element.alignment > WIDEST:
            trouble = f"it is passed by value and aligned to {element.alignment} bytes"
    return Parameter(name, text, element, is_pointer=False, is_const=False, trouble=trouble)


def _leads_to_it(die: Die) -> bool:
    """Whether the debug information finds the object behind a pointer that the function was given."""
    location = die.attributes.get("DW_AT_location")
    code = bytes(location.value) if location is not None and location.form == "DW_FORM_exprloc" else b""
    return code[:1] == bytes([_FRAME_OFFSET]) and code[-1] == _DEREFERENCED


def _pointer(pointer: Die, pointers: int, known: _Known) -> Parameter:
    """`pointer`: the entry of a pointer type; `pointers`: how many lead to it."""
    key = (pointer.offset, pointers)
    if key in known:
        return known[key]
    target, is_const = _bare(pointer)
    if target is None:
        found = Parameter("", "void*", None, is_pointer=True, is_const=is_const)
    elif target.tag == "DW_TAG_subroutine_type":
        found = Parameter("", "", None, is_pointer=True, is_const=False, is_function=True)
    else:
        element = _value_type(pointer, pointers + 1, known)
        fits = element.is_described or 0 < len(element.numbers) <= _MOST_LEAVES
        trouble = "" if fits else "it points to something that is not made of numbers"
        text = f"const {element.name}*" if is_const else f"{element.name}*"
        found = Parameter("", text, element, is_pointer=True, is_const=is_const, trouble=trouble)
    return known.setdefault(key, found)


def _as_written(kind: TypeName) -> str:
    """Turns "float const* const*" into "const float* const*"."""
    end = next((at for at, one in enumerate(kind.name) if one in "*&"), len(kind.name))
    name, stars = kind.name[:end], kind.name[end:]
    before = ""
    for qualifier in ("volatile", "const"):
        if name.endswith(f" {qualifier}"):
            before, name = f"{qualifier} {before}", name.removesuffix(f" {qualifier}")
    return before + _LONG_NAMES.get(name, name) + stars


def _aliases(die: Die) -> Iterator[Die]:
    """The types of `die`, from the one that it names to the bare one."""
    for _ in range(_MOST_DEPTH):
        if "DW_AT_type" not in die.attributes:
            return
        die = die.get_DIE_from_attribute("DW_AT_type")
        yield die
        if die.tag not in _ALIASES:
            return


def _bare(die: Die) -> tuple[Die | None, bool]:
    """The type of `die` without typedefs and qualifiers, and whether one of the qualifiers was const."""
    found = list(_aliases(die))
    target = found[-1] if found and found[-1].tag not in _ALIASES else None
    return target, any(one.tag == "DW_TAG_const_type" for one in found)


def _names(die: Die) -> frozenset[str]:
    return frozenset(name for one in _aliases(die) if (name := text_of(one, "DW_AT_name")))


def _value_type(die: Die, pointers: int, known: _Known) -> ValueType:
    """Of what `die` has. `pointers`: how many lead to it."""
    walk = _Walk(pointers, known)
    walk.take(die, "", 0, 0)
    (target, _), names = _bare(die), _names(die)
    tag = target.tag if target is not None else ""
    name = type_of(die).name.removesuffix(" volatile").removesuffix(" const").removesuffix(" volatile")
    many = f"it has more than {_MOST_MEMBERS:,} members" if len(walk.members) > _MOST_MEMBERS else ""
    trouble = walk.trouble or many
    has_pointers = any(one.target for one in walk.members) and not trouble
    convention = target.attributes.get("DW_AT_calling_convention") if target is not None else None
    return ValueType(
        _LONG_NAMES.get(name, name),
        _size(target) if target is not None else 0,
        tuple(walk.members),
        names,
        max([walk.alignment, *(one.leaf.bytes for one in walk.members)]),
        is_class=tag in _CLASSES and not _is_half(target),
        is_described=has_pointers and (tag in {_POINTER, *_CLASSES} or not names.isdisjoint(OBJECTS)),
        by_reference=convention is not None and convention.value == _BY_REFERENCE,
        holds_union=walk.holds_union,
        trouble=trouble,
    )


class _Walk:
    """Every number and pointer in a value, and of a union in one of its members. `trouble`: the first part that no argument describes."""

    def __init__(self, pointers: int, known: _Known) -> None:
        self.members: list[Member] = []
        self.alignment, self.holds_union, self.trouble = 1, False, ""
        self._pointers, self._known, self.steps = pointers, known, 0

    def take(self, die: Die, path: str, offset: int, level: int) -> None:
        """What `die` has."""
        target, _ = _bare(die)
        named = f"`{path.rpartition('.')[2]}`" if path else "it"
        handle = next((_HANDLES[one] for one in _names(die) if one in OBJECTS), None)
        if target is None or level > _MOST_DEPTH or "DW_AT_declaration" in target.attributes:
            self._cannot("it is nested too deeply" if level else "its class is declared and not defined")
        elif target.tag in _NUMBERS or _is_half(target):
            leaf = _leaf(target, offset)
            self.members.append(Member(path, leaf, handle))
            if leaf.bytes not in _SIZES:
                self._cannot(f"{named} is a number of {leaf.bytes} bytes")
        elif target.tag == _POINTER:
            if self._pointers <= _MOST_POINTERS:
                leaf = Leaf("unsigned", _POINTER_BYTES, offset)
                self.members.append(Member(path, leaf, _pointer(target, self._pointers, self._known)))
        elif target.tag == _ARRAY:
            self._elements(target, path, offset, level)
        elif target.tag in _CLASSES or target.tag == _UNION:
            self._align(target)
            if target.tag == _UNION:
                self._take_fullest(target, path, offset, level)
                return
            for child in target.iter_children():
                self.child(child, path, offset, level)
        else:
            kind = {"DW_TAG_reference_type": "a reference", "DW_TAG_ptr_to_member_type": "a pointer to a member"}
            self._cannot(f"{named} is {kind.get(target.tag, 'of a kind that no argument can describe')}")

    def child(self, child: Die, path: str, offset: int, level: int) -> None:
        if child.tag not in _PARTS or "DW_AT_external" in child.attributes:
            return
        name = text_of(child, "DW_AT_name") or ""
        place = child.attributes.get("DW_AT_data_member_location")
        in_union = place is None and child.get_parent().tag == _UNION
        if any(bits in child.attributes for bits in _BITS):
            self._cannot(f"`{name}` is a bit-field")
        elif name.startswith("_vptr"):
            self._cannot("it has virtual functions, and CUDA does not let a kernel take such an object by value")
        elif place is not None and not isinstance(place.value, int):
            self._cannot("it has a virtual base class")
        elif place is None and not in_union:
            if child.tag != "DW_TAG_member" or "DW_AT_declaration" not in child.attributes:  # no static member
                self._cannot(f"it is unknown where `{name}` is stored")
        else:
            self._align(child)
            within = path if child.tag == "DW_TAG_inheritance" or not name else f"{path}.{name}".lstrip(".")
            self.take(child, within, offset + (place.value if place is not None else 0), level + 1)

    def _take_fullest(self, union: Die, path: str, offset: int, level: int) -> None:
        """The member of a union that says most of its bytes; of several, the first. As that one, a value of the union is described."""
        self.holds_union = True
        walks: list[_Walk] = []
        for child in union.iter_children():
            walks.append(walk := _Walk(self._pointers, self._known))
            walk.steps = self.steps
            walk.child(child, path, offset, level)
            self.steps = walk.steps
        if walks:
            fullest = max(walks, key=lambda walk: sum(one.leaf.bytes for one in walk.members))
            self.members += fullest.members
            self.alignment = max(self.alignment, fullest.alignment)
            self._cannot(fullest.trouble)

    def _elements(self, array: Die, path: str, offset: int, level: int) -> None:
        (inner, _), extents = _bare(array), _extents(array)
        count = math.prod(extents)
        if inner is None or count > _MOST_MEMBERS:
            self._cannot(f"`{path}` is too large an array")
            count = _MOST_LEAVES + 1
        for index in range(count):
            self.steps += 1
            if len(self.members) > _MOST_MEMBERS or self.steps > _MOST_STEPS:
                self._cannot(f"`{path}` is too large an array")
                return
            subscripts, rest = "", index
            for extent in reversed(extents):
                subscripts, rest = f"[{rest % extent}]{subscripts}", rest // extent
            self.take(array, path + subscripts, offset + index * _size(inner), level + 1)

    def _align(self, die: Die) -> None:
        """What `alignas` asks for."""
        asked = die.attributes.get("DW_AT_alignment")
        self.alignment = max(self.alignment, asked.value if asked is not None else 1)

    def _cannot(self, why: str) -> None:
        self.trouble = self.trouble or why


def _is_half(target: Die) -> bool:
    return target.tag in _CLASSES and text_of(target, "DW_AT_name") == _HALF


def _leaf(target: Die, offset: int) -> Leaf:
    encoding = target.attributes.get("DW_AT_encoding")
    code = encoding.value if encoding else 0
    is_floating = code == _FLOATING or target.tag in _CLASSES
    is_signed = code in _SIGNED or target.tag == "DW_TAG_enumeration_type"
    kind: NumberKind = "floating" if is_floating else "signed" if is_signed else "unsigned"
    return Leaf(kind, _size(target), offset, is_bool=code == _BOOLEAN)


def _size(target: Die) -> int:
    size = target.attributes.get("DW_AT_byte_size")
    if size is not None:
        return int(size.value)
    if target.tag == _ARRAY:
        inner, _ = _bare(target)
        return math.prod(_extents(target)) * (_size(inner) if inner is not None else 0)
    return _POINTER_BYTES if target.tag == _POINTER else 0


def _extents(array: Die) -> list[int]:
    """GCC names the highest subscript, and Clang how many there are."""
    bounds = [child.attributes for child in array.iter_children() if child.tag == "DW_TAG_subrange_type"]
    counts = [
        one["DW_AT_count"].value if "DW_AT_count" in one
        else one["DW_AT_upper_bound"].value + 1 if "DW_AT_upper_bound" in one and isinstance(one["DW_AT_upper_bound"].value, int)
        else 0
        for one in bounds
    ]  # fmt: skip
    return [count if isinstance(count, int) else 0 for count in counts]


# How an object is passed by value: in which registers, on the stack, or as a pointer to a copy.
#
# The rules are those of the System V convention for x86-64 and of AAPCS64, with the Itanium C++ rules for classes.
# kit/runner/kernel_call.cpp puts the parts there. Objects aligned to more than 16 bytes are not passed.

_WORD = 8  # bytes of a register
IN_REGISTERS = 16  # bytes of an object that may travel in registers
_MOST_SAME = 4  # members of a homogeneous aggregate
WIDEST = 16  # alignment

RegisterPart = tuple[int, int, bool]  # offset, bytes, whether its register is one for floating-point numbers


@dataclass(frozen=True)
class Passing:
    how: Literal["registers", "stack", "reference"]
    pieces: tuple[RegisterPart, ...] = ()


def passing_of(layout: ValueType, machine: str = platform.machine()) -> Passing:
    if layout.by_reference:
        return Passing("reference")
    return _on_arm(layout) if machine in {"aarch64", "arm64"} else _on_x86(layout)


def _on_x86(layout: ValueType) -> Passing:
    if layout.bytes > IN_REGISTERS or any(one.leaf.offset % one.leaf.bytes for one in layout.members):
        return Passing("stack")
    held_at = ((at, range(at, at + _WORD)) for at in range(0, layout.bytes, _WORD))
    words = ((at, [one for one in layout.members if one.leaf.offset in word]) for at, word in held_at)
    pieces = [(at, min(_WORD, layout.bytes - at), all(map(_is_floating, held))) for at, held in words if held]
    return Passing("registers", tuple(pieces))


def _on_arm(layout: ValueType) -> Passing:
    members = () if layout.trouble else layout.members
    is_same = all(map(_is_floating, members)) and len({one.leaf.bytes for one in members}) == 1
    if is_same and len(members) <= _MOST_SAME:
        return Passing("registers", tuple((one.leaf.offset, one.leaf.bytes, True) for one in members))
    if layout.bytes > IN_REGISTERS:
        return Passing("reference")
    words = range(0, layout.bytes, _WORD)
    return Passing("registers", tuple((at, min(_WORD, layout.bytes - at), False) for at in words))


def _is_floating(member: Member) -> bool:
    """The kit's half precision is an integer for the compiler."""
    return member.leaf.kind == "floating" and member.leaf.bytes in {4, 8}
