"""The abbreviations of debug information, each number of which is read from the bytes. They say which attributes an entry has.

pyelftools reads every number through several objects: that took a fifth of the time in which a runner's debug information is read. What
is not known here it reads as ever. Not here: entries.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from elftools.construct import Container
from elftools.dwarf.abbrevtable import AbbrevDecl
from elftools.dwarf.enums import ENUM_DW_AT, ENUM_DW_FORM, ENUM_DW_TAG

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
