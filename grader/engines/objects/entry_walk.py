"""The entries of debug information: which there are, what they are called, and of which type. pyelftools reads the rest of a file, and the
lines. Not here: what an entry means.
"""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import IO, Any, TypeAlias

from elftools.common.exceptions import DWARFError
from elftools.construct import Container
from elftools.dwarf.enums import ENUM_DW_AT, ENUM_DW_FORM, ENUM_DW_TAG
from elftools.elf.elffile import ELFFile
from elftools.elf.enums import ENUM_SH_TYPE_BASE

# Names and types of debug information entries, written as demanglers write them, with qualifiers on the right.

Die: TypeAlias = Any  # an entry of pyelftools, which has no type annotations

_QUALIFIERS = {"DW_TAG_const_type": "const", "DW_TAG_volatile_type": "volatile"}
_POINTERS = {"DW_TAG_pointer_type": "*", "DW_TAG_reference_type": "&", "DW_TAG_rvalue_reference_type": "&&"}
_SAME_TYPE = frozenset({"DW_TAG_restrict_type", "DW_TAG_typedef"})  # these do not change a signature
_SCOPES = frozenset(
    {"DW_TAG_subprogram", "DW_TAG_namespace", "DW_TAG_class_type", "DW_TAG_structure_type", "DW_TAG_union_type"}
)
_MAX_DEPTH = 16  # deeper than any real declaration


@dataclass(frozen=True)
class TypeName:
    name: str  # for an array, that of its element
    bytes: int  # the size of one element
    dimensions: tuple[int, ...] = ()


def origin_of(die: Die) -> Die:
    """The entry with the declaration, where `die` is only an instance or the definition."""
    for _ in range(_MAX_DEPTH):
        link = next((a for a in ("DW_AT_abstract_origin", "DW_AT_specification") if a in die.attributes), None)
        if link is None:
            break
        die = die.get_DIE_from_attribute(link)
    return die


def text_of(die: Die, attribute: str) -> str | None:
    value = die.attributes.get(attribute)
    return value.value.decode("utf-8", "replace") if value else None


def qualified_name(die: Die) -> str:
    parts = []
    while die is not None and die.tag != "DW_TAG_compile_unit":
        if die.tag in _SCOPES:
            parts.append(text_of(die, "DW_AT_name") or "(anonymous)")
        die = die.get_parent()
    return "::".join(reversed(parts))


def type_of(die: Die, depth: int = 0) -> TypeName:
    """The type of the variable, parameter or function `die`; "void" where it has none."""
    if "DW_AT_type" not in die.attributes:
        return TypeName("void", 0)
    target = die.get_DIE_from_attribute("DW_AT_type")
    if depth > _MAX_DEPTH:
        return TypeName("?", 0)
    if target.tag in _POINTERS:
        return TypeName(type_of(target, depth + 1).name + _POINTERS[target.tag], 8)
    if target.tag in _SAME_TYPE or target.tag in _QUALIFIERS or target.tag == "DW_TAG_array_type":
        inner = type_of(target, depth + 1)
        if inner.name == "?" and target.tag == "DW_TAG_typedef":  # typedef struct { … } Matrix;
            return TypeName(text_of(target, "DW_AT_name") or "?", inner.bytes, inner.dimensions)
        return _derived(target, inner)
    size = target.attributes.get("DW_AT_byte_size")
    return TypeName(text_of(target, "DW_AT_name") or "?", size.value if size else 0)


def parameter_type(die: Die) -> str:
    """The parameter's type in the function's signature, which leaves out the last const of `const int M` and `float* const A`."""
    name = type_of(die).name
    target = die.get_DIE_from_attribute("DW_AT_type") if "DW_AT_type" in die.attributes else None
    for _ in range(_MAX_DEPTH):
        if target is None or target.tag not in _SAME_TYPE | _QUALIFIERS.keys():
            break
        if target.tag in _QUALIFIERS:
            name = name.removesuffix(f" {_QUALIFIERS[target.tag]}")
        target = target.get_DIE_from_attribute("DW_AT_type") if "DW_AT_type" in target.attributes else None
    return name


def _derived(target: Die, inner: TypeName) -> TypeName:
    if target.tag == "DW_TAG_array_type":
        return TypeName(inner.name, inner.bytes, _extents(target) + inner.dimensions)
    if target.tag in _QUALIFIERS:
        return TypeName(f"{inner.name} {_QUALIFIERS[target.tag]}", inner.bytes, inner.dimensions)
    return inner


def _extents(array: Die) -> tuple[int, ...]:
    """The constant extents: `extern __shared__ float rows[][16]` has one."""
    extents = []
    for child in array.iter_children():
        bound, count = child.attributes.get("DW_AT_upper_bound"), child.attributes.get("DW_AT_count")
        if child.tag != "DW_TAG_subrange_type":
            continue
        if bound is not None and isinstance(bound.value, int):
            extents.append(bound.value + 1)
        elif count is not None and isinstance(count.value, int):
            extents.append(count.value)
    return tuple(extents)


FRAME, THREAD, ADDRESS = "frame", "thread", "address"
_FROM_FRAME_BASE, _AN_ADDRESS = 0x91, 0x03  # DW_OP_fbreg, DW_OP_addr
_OFFSET_BYTES = {0x0C: 4, 0x0E: 8}  # DW_OP_const4u, DW_OP_const8u
_FROM_THREAD_POINTER = frozenset({0x9B, 0xE0})  # DW_OP_form_tls_address, DW_OP_GNU_push_tls_address
_ADDRESS_BYTES = 8


def location_of(die: Die) -> tuple[str, int]:
    """Where a variable lies: from the frame's base on, from the begin of the thread-local segment, or at an address. "": nobody knows."""
    location = die.attributes.get("DW_AT_location")
    code = bytes(location.value) if location is not None and location.form == "DW_FORM_exprloc" else b""
    first, size = code[:1], _OFFSET_BYTES.get(code[0], 0) if code else 0
    if first == bytes([_FROM_FRAME_BASE]):
        value, end = _number(code, 1, signed=True)
        return (FRAME, value) if end == len(code) else ("", 0)
    if first == bytes([_AN_ADDRESS]) and len(code) == 1 + _ADDRESS_BYTES:
        return ADDRESS, int.from_bytes(code[1:], "little")
    if size and len(code) == size + 2 and code[-1] in _FROM_THREAD_POINTER:
        return THREAD, int.from_bytes(code[1 : 1 + size], "little")
    return "", 0


# A unit's entries, read from the bytes in one pass. pyelftools reads each number of them through several objects, and a student waits.

SCOPES = frozenset({"DW_TAG_namespace", "DW_TAG_subprogram", "DW_TAG_lexical_block", "DW_TAG_inlined_subroutine"})
CLASSES = frozenset({"DW_TAG_structure_type", "DW_TAG_class_type", "DW_TAG_union_type"})
_ASKED_FOR = SCOPES | CLASSES | {"DW_TAG_variable"}
_BYTES = {
    **dict.fromkeys(("DW_FORM_flag_present", "DW_FORM_implicit_const"), 0),
    **dict.fromkeys(("DW_FORM_data1", "DW_FORM_ref1", "DW_FORM_flag"), 1),
    **dict.fromkeys(("DW_FORM_data2", "DW_FORM_ref2"), 2),
    **dict.fromkeys(("DW_FORM_data4", "DW_FORM_ref4", "DW_FORM_strp", "DW_FORM_line_strp", "DW_FORM_sec_offset"), 4),
    **dict.fromkeys(("DW_FORM_data8", "DW_FORM_ref8", "DW_FORM_addr"), 8),
    "DW_FORM_data16": 16,
}
_IMPLICIT = "DW_FORM_implicit_const"
_NUMBERS = frozenset({"DW_FORM_udata", "DW_FORM_sdata", "DW_FORM_ref_udata", "DW_FORM_loclistx", "DW_FORM_rnglistx"})
_BLOCKS = {"DW_FORM_exprloc": 0, "DW_FORM_block": 0, "DW_FORM_block1": 1, "DW_FORM_block2": 2, "DW_FORM_block4": 4}
_TAGS, _ATTRIBUTES, _FORMS = (
    {code: name for name, code in names.items()} for names in (ENUM_DW_TAG, ENUM_DW_AT, ENUM_DW_FORM)
)


@dataclass(frozen=True, slots=True)
class Attribute:
    """`value`: as pyelftools gives it; texts and blocks are bytes."""

    form: str
    value: Any


@dataclass(frozen=True, slots=True)
class _Plan:
    """What an abbreviation says of its entries. `specs`: of each attribute its name, its form and its value where all have the same."""

    tag: str
    has_children: bool
    specs: tuple[tuple[str, str, int], ...]


class Entry:
    """One of a unit's, with those of the methods of pyelftools' DIE that are asked for."""

    def __init__(self, unit: Unit, offset: int, plan: _Plan) -> None:
        self.offset, self.tag, self.has_children = offset, plan.tag, plan.has_children
        self.attributes: dict[str, Attribute] = {}
        self.end = offset  # of its own attributes
        self.parent: Entry | None = None  # known once the parent's children were asked for
        self._unit = unit

    def iter_children(self) -> Iterator[Entry]:
        at = self.end
        while self.has_children and (child := self._unit.entry_or_end(at)):
            child.parent = self
            yield child
            if child.following <= at:
                message = "an entry that comes before itself"
                raise DWARFError(message)
            at = child.following

    @property
    def following(self) -> int:
        """Where the next entry on the same level begins."""
        if not self.has_children:
            return self.end
        if sibling := self.attributes.get("DW_AT_sibling"):
            return self._unit.place(sibling)
        return max((one.following for one in self.iter_children()), default=self.end) + 1

    def get_parent(self) -> Entry | None:
        parent = self._unit.get_top_DIE()
        while self.parent is None and parent.offset < self.offset:
            inner = next((one for one in parent.iter_children() if one.offset <= self.offset < one.following), None)
            if inner is None:
                break
            parent = inner
        return self.parent

    def get_DIE_from_attribute(self, name: str) -> Entry:  # noqa: N802 - as in pyelftools
        return self._unit.entry(self._unit.place(self.attributes[name]))


@dataclass(frozen=True)
class _Sections:
    abbreviations: bytes
    texts: Mapping[str, bytes]  # by the form that leads there


def units_of(dwarf: Any) -> Iterator[Unit]:  # noqa: ANN401 - pyelftools ships no types
    """Raises DWARFError, here and in a unit's methods, for what ends too early and for forms that no compiler of ours uses."""

    def content(section: Any) -> bytes:  # noqa: ANN401 - the same
        if section is None:
            return b""
        section.stream.seek(0)
        whole: bytes = section.stream.read()
        return whole

    texts = {"DW_FORM_strp": content(dwarf.debug_str_sec), "DW_FORM_line_strp": content(dwarf.debug_line_str_sec)}
    sections, entries = _Sections(content(dwarf.debug_abbrev_sec), texts), content(dwarf.debug_info_sec)
    return (Unit(one, entries, sections) for one in dwarf.iter_CUs())


class Unit:
    """Of one source file. Offsets are in the section."""

    def __init__(self, unit: Any, entries: bytes, sections: _Sections) -> None:  # noqa: ANN401 - the same
        self.structs = unit.structs
        if self.structs.dwarf_format != 32 or self.structs.address_size != 8 or not self.structs.little_endian:  # noqa: PLR2004
            message = "debug information of another machine"
            raise DWARFError(message)
        self.first, self._bytes = unit.cu_offset, entries[: unit.cu_offset + unit.size]
        self._sections, self._plans = sections, dict[int, _Plan]()
        self._read_plans(unit["debug_abbrev_offset"])
        self._known = dict[int, Entry]()
        self._top = self.entry(unit.cu_die_offset)

    def get_top_DIE(self) -> Entry:  # noqa: N802 - as in pyelftools
        return self._top

    def place(self, attribute: Attribute) -> int:
        """Of the entry that it names."""
        place: int = attribute.value + (0 if attribute.form == "DW_FORM_ref_addr" else self.first)
        return place

    def entry(self, at: int) -> Entry:
        if entry := self.entry_or_end(at):
            return entry
        message = "an entry that is none"
        raise DWARFError(message)

    def entry_or_end(self, at: int) -> Entry | None:
        """None: the level ends here."""
        if at in self._known:
            return self._known[at]
        code, end = _number(self._bytes, at)
        if code == 0:
            return None
        if code not in self._plans:
            message = f"no abbreviation {code}"
            raise DWARFError(message)
        entry = Entry(self, at, self._plans[code])
        for name, form, constant in self._plans[code].specs:
            value, end = self._value(form, end, constant)
            entry.attributes[name] = Attribute(form, value)
        entry.end = end
        self._known[at] = entry
        return entry

    def telling(self, ours: Collection[int], scope: Entry | None = None) -> Iterator[Entry]:
        """Entries that may be functions with code, or variables, in their order. `ours`: numbers of the submission's files. Those inside a
        mere declaration, or inside a class of another file, are passed over.
        """
        for entry in (scope or self._top).iter_children():
            if entry.tag not in _ASKED_FOR or (
                entry.tag != "DW_TAG_variable" and "DW_AT_declaration" in entry.attributes
            ):
                continue
            yield entry
            file = entry.attributes.get("DW_AT_decl_file")
            if entry.tag in SCOPES or (entry.tag in CLASSES and (file is None or file.value in ours)):
                yield from self.telling(ours, entry)

    def _value(self, form: str, at: int, constant: int) -> tuple[Any, int]:
        """And where it ends."""
        if (size := _BYTES.get(form)) is not None:
            value: Any = int.from_bytes(self._bytes[at : at + size], "little")
            at += size
            if form in self._sections.texts:
                value = _text(self._sections.texts[form], value)[0]
            elif size == 0:
                value = constant if form == _IMPLICIT else True
        elif form in _NUMBERS:
            value, at = _number(self._bytes, at, signed=form == "DW_FORM_sdata")
        elif form == "DW_FORM_string":
            value, at = _text(self._bytes, at)
        elif form in _BLOCKS:
            size = _BLOCKS[form]
            length, at = (
                (int.from_bytes(self._bytes[at : at + size], "little"), at + size) if size else _number(self._bytes, at)
            )
            value, at = self._bytes[at : at + length], at + length
        else:
            raise DWARFError(form)
        if at > len(self._bytes):
            message = "debug information that ends too early"
            raise DWARFError(message)
        return value, at

    def _read_plans(self, at: int) -> None:
        content = self._sections.abbreviations
        code, at = _number(content, at)
        while code:
            number, at = _number(content, at)
            tag, has_children, at = _TAGS.get(number, ""), content[at : at + 1] == b"\1", at + 1
            specs = list[tuple[str, str, int]]()
            while True:
                name, at = _number(content, at)
                form, at = _number(content, at)
                constant, at = _number(content, at, signed=True) if _FORMS.get(form) == _IMPLICIT else (0, at)
                if name == form == 0:
                    break
                specs.append((_ATTRIBUTES.get(name, str(name)), _FORMS.get(form, str(form)), constant))
            self._plans[code] = _Plan(tag, has_children, tuple(specs))
            code, at = _number(content, at)


def _number(content: bytes, at: int, *, signed: bool = False) -> tuple[int, int]:
    """A number in LEB128, and where it ends."""
    value = shift = 0
    while at < len(content):
        byte = content[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:  # noqa: PLR2004 - the last byte of the number
            return (value - (1 << shift) if signed and byte & 0x40 else value), at
    message = "debug information that ends too early"
    raise DWARFError(message)


def _text(content: bytes, at: int) -> tuple[bytes, int]:
    end = content.find(0, at)
    if end < 0:
        message = "a text without an end"
        raise DWARFError(message)
    return content[at:end], end + 1


# An ELF file whose section headers are read once, each with one call of `struct`.
#
# pyelftools reads them field by field, and again whenever a section is asked for. An object file has hundreds of sections, because each
# function has its own, and several checks go through all of them: that took a third of the time of all checks. Not here: what is in a
# section.

_HEADER = struct.Struct("<IIQQQQIIQQ")
_FIELDS = (
    *("sh_name", "sh_type", "sh_flags", "sh_addr", "sh_offset"),
    *("sh_size", "sh_link", "sh_info", "sh_addralign", "sh_entsize"),
)
_FIRST_OF_A_SYSTEM = 0x60000000  # SHT_LOOS: from here on, the same number has several names
_KINDS = {code: name for name, code in ENUM_SH_TYPE_BASE.items() if isinstance(code, int) and code < _FIRST_OF_A_SYSTEM}


class QuickElf(ELFFile):
    """As its base, and as fast as it can be where the file has 64 bits and is little-endian."""

    def __init__(self, stream: IO[bytes]) -> None:
        super().__init__(stream)
        self._headers: dict[int, Container] = {}

    def _get_section_header(self, n: int) -> Container:
        """Where a version of pyelftools never calls it, reading is slower and nothing else."""
        if n not in self._headers:
            self._headers[n] = self._quickly(n) or super()._get_section_header(n)
        return self._headers[n]

    def _quickly(self, n: int) -> Container | None:
        """None where pyelftools has to say what it is, or what is wrong with it."""
        if self.elfclass != 64 or not self.little_endian or self["e_shentsize"] != _HEADER.size:  # noqa: PLR2004 - bits
            return None
        self.stream.seek(self["e_shoff"] + n * _HEADER.size)
        record = self.stream.read(_HEADER.size)
        if len(record) < _HEADER.size:
            return None
        values = dict(zip(_FIELDS, _HEADER.unpack(record), strict=True))
        kind = _KINDS.get(values["sh_type"])
        return Container(**{**values, "sh_type": kind}) if kind else None
