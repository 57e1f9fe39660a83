"""Goes through a unit's debug information and builds only those entries that may be functions with code, or variables.

pyelftools builds an entry with all its attributes to find out where the next one begins. Most entries are the kit's headers': types,
and functions that are only declared. Here these are stepped over by the sizes of their forms. Not here: what an entry means.
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import IO, Any, TypeAlias

from elftools.construct import Container
from elftools.dwarf.abbrevtable import AbbrevDecl
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


SCOPES = frozenset({"DW_TAG_namespace", "DW_TAG_subprogram", "DW_TAG_lexical_block", "DW_TAG_inlined_subroutine"})
CLASSES = frozenset({"DW_TAG_structure_type", "DW_TAG_class_type", "DW_TAG_union_type"})
_ASKED_FOR = SCOPES | CLASSES | {"DW_TAG_variable"}
_BYTES = {
    **dict.fromkeys(("DW_FORM_flag_present", "DW_FORM_implicit_const"), 0),
    **dict.fromkeys(("DW_FORM_data1", "DW_FORM_ref1", "DW_FORM_flag", "DW_FORM_strx1", "DW_FORM_addrx1"), 1),
    **dict.fromkeys(("DW_FORM_data2", "DW_FORM_ref2", "DW_FORM_strx2", "DW_FORM_addrx2"), 2),
    **dict.fromkeys(("DW_FORM_data4", "DW_FORM_ref4", "DW_FORM_strp", "DW_FORM_line_strp", "DW_FORM_sec_offset"), 4),
    **dict.fromkeys(("DW_FORM_data8", "DW_FORM_ref8", "DW_FORM_addr"), 8),
}
_NUMBERS = frozenset(
    {"DW_FORM_udata", "DW_FORM_sdata", "DW_FORM_strx", "DW_FORM_addrx", "DW_FORM_loclistx", "DW_FORM_rnglistx"}
)
_SIBLING = frozenset({"DW_FORM_ref4"})


class UnreadableEntryError(Exception):
    """An entry of a form that is not known here: pyelftools has to read the unit."""


@dataclass(frozen=True)
class _Plan:
    """What an abbreviation says of its entries. `steps`: sizes of attributes; negative: the size of a number, of text or of a block."""

    tag: str
    has_children: bool
    asked_for: bool
    steps: tuple[int, ...]
    sibling: int | None  # which step is the offset of the next entry on the same level


_A_NUMBER, _A_TEXT, _A_BLOCK, _A_SHORT_BLOCK = -1, -2, -3, -4


class EntryWalk:
    """Raises UnreadableEntryError, in any of its methods."""

    def __init__(self, unit: Any) -> None:  # noqa: ANN401 - pyelftools ships no types
        if unit.structs.dwarf_format != 32 or unit.structs.address_size != 8 or not unit.structs.little_endian:  # noqa: PLR2004 - bits
            raise UnreadableEntryError
        self._unit = unit
        self._top = unit.get_top_DIE()
        stream = self._top.stream
        stream.seek(unit.cu_offset)
        self._bytes: bytes = stream.read(unit.size)
        self._plans: dict[int, _Plan] = {}

    def telling(self, ours: Collection[int]) -> Iterator[Die]:
        """Entries that may be functions with code, or variables, in their order. `ours`: numbers of the submission's files. Those inside a
        mere declaration, or inside a class of another file, are passed over.
        """
        yield from self._below(self._top, ours)

    def adopt(self, die: Die) -> None:
        """Tells an entry its parents, which pyelftools would look for in all entries."""
        parent, wanted = self._top, die.offset
        while parent.offset < wanted:
            for at, _, following in self._children(parent):
                if at <= wanted < following:
                    break
            else:
                return
            child = self._unit.get_DIE_from_refaddr(at)
            child.set_parent(parent)
            parent = child

    def _below(self, scope: Die, ours: Collection[int]) -> Iterator[Die]:
        for at, plan, _ in self._children(scope):
            if not plan.asked_for:
                continue
            die = self._unit.get_DIE_from_refaddr(at)
            die.set_parent(scope)
            yield die
            if not plan.has_children:
                continue
            file = die.attributes.get("DW_AT_decl_file")
            if plan.tag in SCOPES or (plan.tag in CLASSES and (file is None or file.value in ours)):
                yield from self._below(die, ours)

    def _children(self, scope: Die) -> Iterator[tuple[int, _Plan, int]]:
        """Where each begins, what it is, and where the next one begins. Offsets are in the section."""
        if not scope.has_children:
            return
        base = self._unit.cu_offset
        at = scope.offset + scope.size - base
        while step := self._entry(at):
            plan, end, sibling = step
            following = sibling or (self._after_children(end) if plan.has_children else end)
            if following <= at:
                raise UnreadableEntryError
            yield base + at, plan, base + following
            at = following

    def _after_children(self, at: int) -> int:
        """Where no entry says where the next one on its level is."""
        depth = 1
        while depth:
            step = self._entry(at)
            if step is None:
                depth, at = depth - 1, at + 1
            elif step[0].has_children and step[2] > at:
                at = step[2]
            else:
                depth, at = depth + step[0].has_children, step[1]
        return at

    def _entry(self, at: int) -> tuple[_Plan, int, int] | None:
        """The entry at this place of the unit: its plan, its end and its sibling; 0: it names none. None: the level ends here."""
        code, at = self._number(at)
        if code == 0:
            return None
        plan = self._plans.get(code) or self._plan(code)
        sibling = 0
        for number, step in enumerate(plan.steps):
            if number == plan.sibling:
                sibling = int.from_bytes(self._bytes[at : at + step], "little")
            if step >= 0:
                at += step
            elif step == _A_NUMBER:
                at = self._number(at)[1]
            elif step == _A_TEXT:
                at = self._bytes.find(0, at) + 1
                if at == 0:
                    raise UnreadableEntryError
            else:
                length, at = (
                    self._number(at)
                    if step == _A_BLOCK
                    else (int.from_bytes(self._bytes[at : at + 1], "little"), at + 1)
                )
                at += length
        return plan, at, sibling

    def _number(self, at: int) -> tuple[int, int]:
        """An unsigned LEB128, and where it ends; a signed one ends at the same place."""
        value = shift = 0
        while at < len(self._bytes):
            byte = self._bytes[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:  # noqa: PLR2004 - the last byte of the number
                return value, at
        raise UnreadableEntryError

    def _plan(self, code: int) -> _Plan:
        try:
            abbreviation = self._unit.get_abbrev_table().get_abbrev(code)
        except KeyError as error:
            raise UnreadableEntryError from error
        tag, specs = abbreviation["tag"], list(abbreviation.iter_attr_specs())
        names = {name for name, _ in specs}
        sibling = next(
            (at for at, (name, form) in enumerate(specs) if name == "DW_AT_sibling" and form in _SIBLING), None
        )
        asked_for = tag in _ASKED_FOR and (tag == "DW_TAG_variable" or "DW_AT_declaration" not in names)
        plan = _Plan(tag, abbreviation.has_children(), asked_for, tuple(_step(form) for _, form in specs), sibling)
        self._plans[code] = plan
        return plan


def _step(form: str) -> int:
    if form in _BYTES:
        return _BYTES[form]
    if form in _NUMBERS:
        return _A_NUMBER
    if form == "DW_FORM_string":
        return _A_TEXT
    if form in {"DW_FORM_exprloc", "DW_FORM_block"}:
        return _A_BLOCK
    if form == "DW_FORM_block1":
        return _A_SHORT_BLOCK
    raise UnreadableEntryError(form)


# The abbreviations of debug information, each number of which is read from the bytes. They say which attributes an entry has.
#
# pyelftools reads every number through several objects: that took a fifth of the time in which a runner's debug information is read. What
# is not known here it reads as ever. Not here: entries.

_IMPLICIT = "DW_FORM_implicit_const"
_CHILDREN = {0: "DW_CHILDREN_no", 1: "DW_CHILDREN_yes"}


def _names(codes: Mapping[str, object]) -> dict[int, str]:
    """By number, where only one name has it."""
    numbers = Counter(code for code in codes.values() if isinstance(code, int))
    return {code: name for name, code in codes.items() if isinstance(code, int) and numbers[code] == 1}


_TAGS, _ATTRIBUTES, _FORMS = _names(ENUM_DW_TAG), _names(ENUM_DW_AT), _names(ENUM_DW_FORM)


@dataclass(frozen=True)
class Abbreviations:
    by_code: Mapping[int, AbbrevDecl]

    def get_abbrev(self, code: int) -> AbbrevDecl:
        """Raises KeyError, as pyelftools' own table."""
        return self.by_code[code]


def read_quickly(dwarf: Any) -> None:  # noqa: ANN401 - pyelftools ships no types
    """From now on, units of this debug information get their abbreviations from here."""
    section = dwarf.debug_abbrev_sec
    if section is None:
        return
    section.stream.seek(0)
    content: bytes = section.stream.read()
    slowly, tables = dwarf.get_abbrev_table, {}

    def table(offset: int) -> object:
        if offset not in tables:
            tables[offset] = abbreviations(content, offset) or slowly(offset)
        return tables[offset]

    dwarf.get_abbrev_table = table


def abbreviations(content: bytes, at: int) -> Abbreviations | None:
    """Those that begin at this place. None where pyelftools has to say what it is, or what is wrong with it."""
    found: dict[int, AbbrevDecl] = {}
    try:
        code, at = _number(content, at)
        while code:
            declared, at = _declared(content, at)
            found[code] = AbbrevDecl(code, declared)
            code, at = _number(content, at)
    except (IndexError, KeyError):
        return None
    return Abbreviations(found)


def _declared(content: bytes, at: int) -> tuple[Container, int]:
    tag, at = _number(content, at)
    children, at = content[at], at + 1
    specs = []
    while True:
        name, at = _number(content, at)
        form, at = _number(content, at)
        if name == form == 0:
            break
        spec = Container(name=_ATTRIBUTES[name], form=_FORMS[form], value=None)
        if spec.form == _IMPLICIT:
            begin = at
            value, at = _number(content, at)
            spec.value = value - (1 << 7 * (at - begin)) if content[at - 1] & 0x40 else value
        specs.append(spec)
    return Container(tag=_TAGS[tag], children_flag=_CHILDREN[children], attr_spec=specs), at


def _number(content: bytes, at: int) -> tuple[int, int]:
    """An unsigned LEB128, and where it ends; a signed one ends at the same place. Raises IndexError at the end of the section."""
    value = content[at]
    at += 1
    if value < 0x80:  # noqa: PLR2004 - the last byte of the number
        return value, at
    value &= 0x7F
    shift = 7
    while True:
        byte = content[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:  # noqa: PLR2004 - the last byte of the number
            return value, at
        shift += 7


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
