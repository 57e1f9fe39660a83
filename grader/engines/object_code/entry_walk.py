"""Goes through a unit's debug information and builds only those entries that may be functions with code, or variables.

pyelftools builds an entry with all its attributes to find out where the next one begins. Most entries are the kit's headers': types,
and functions that are only declared. Here these are stepped over by the sizes of their forms. Not here: what an entry means.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from grader.engines.object_code.dwarf_types import Die

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
