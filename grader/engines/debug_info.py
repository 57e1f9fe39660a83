"""Reads a linked runner's debug information: source lines, functions with their signatures, shared arrays.

Only the submission's translation unit carries any: the kit is compiled without.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from elftools.elf.elffile import ELFFile

from grader.engines.symbol_table import thread_local_symbols

_QUALIFIERS = {"DW_TAG_const_type": "const", "DW_TAG_volatile_type": "volatile"}
_POINTERS = {"DW_TAG_pointer_type": "*", "DW_TAG_reference_type": "&", "DW_TAG_rvalue_reference_type": "&&"}
_MAX_DIES = 400_000  # a submission whose debug information is larger is not a lab's


@dataclass(frozen=True)
class Function:
    first: int
    end: int
    name: str  # without parameters
    signature: str  # "scale(float const*, float*, int)"
    returns: str
    in_submission: bool


@dataclass(frozen=True)
class SharedArray:
    name: str
    symbol: str
    offset: int  # in the thread-local segment
    bytes: int
    element: str
    element_bytes: int
    dimensions: tuple[int, ...]
    dynamic: bool


@dataclass(frozen=True)
class DebugInfo:
    files: list[str] = field(default_factory=list)
    lines: list[tuple[int, int, int]] = field(default_factory=list)  # address, line, index into files
    functions: list[Function] = field(default_factory=list)
    shared: list[SharedArray] = field(default_factory=list)
    offsets: dict[str, int] = field(default_factory=dict)  # of every thread-local symbol, in its segment


@dataclass(frozen=True)
class _Type:
    name: str
    bytes: int
    dimensions: tuple[int, ...] = ()


class _Reader:
    def __init__(self, elf: ELFFile, file_name: str) -> None:
        self.dwarf = elf.get_dwarf_info(relocate_dwarf_sections=False)
        self.file_name = file_name
        self.symbols = thread_local_symbols(elf)

    def read(self) -> DebugInfo:
        info = DebugInfo(offsets={name: symbol.value for name, symbol in self.symbols.items()})
        for unit in self.dwarf.iter_CUs():
            ours = self._lines(unit, info)
            for count, die in enumerate(unit.iter_DIEs()):
                if count > _MAX_DIES:
                    break
                if die.tag == "DW_TAG_subprogram" and "DW_AT_low_pc" in die.attributes:
                    info.functions.append(self._function(die, ours))
                elif die.tag == "DW_TAG_variable":
                    info.shared.extend(self._shared(die))
        info.lines.sort()
        return info

    def _lines(self, unit: Any, info: DebugInfo) -> set[int]:
        program = self.dwarf.line_program_for_CU(unit)
        if program is None:
            return set()
        base = len(info.files)
        entries = program["file_entry"]
        info.files.extend(entry.name.decode("utf-8", "replace") for entry in entries)
        first_number = 0 if program["version"] >= 5 else 1  # noqa: PLR2004 - DWARF 5 counts files from 0
        for entry in program.get_entries():
            state = entry.state
            if state is not None and not state.end_sequence and state.line:
                info.lines.append((state.address, state.line, base + state.file - first_number))
        return {i + first_number for i, entry in enumerate(entries) if entry.name.decode("utf-8", "replace").rsplit("/", 1)[-1] == self.file_name}

    def _function(self, die: Any, ours: set[int]) -> Function:
        first = die.attributes["DW_AT_low_pc"].value
        high = die.attributes["DW_AT_high_pc"]
        end = high.value if high.form == "DW_FORM_addr" else first + high.value
        origin = self._origin(die)
        parameters = [child for child in die.iter_children() if child.tag == "DW_TAG_formal_parameter"]
        # `const int M` and `float* const A` declare the same function as without that last const.
        types = [
            self._type(self._origin(child)).name.removesuffix(" const")
            if self._top_const(self._origin(child))
            else self._type(self._origin(child)).name
            for child in parameters
            if "DW_AT_artificial" not in self._origin(child).attributes
        ]
        name = self._qualified(origin)
        file = origin.attributes.get("DW_AT_decl_file")
        return Function(first, end, name, f"{name}({', '.join(types)})", self._type(origin).name, file is not None and file.value in ours)

    @staticmethod
    def _top_const(parameter: Any) -> bool:
        """Whether the parameter itself is const or restrict const, rather than what it points at."""
        target = parameter.get_DIE_from_attribute("DW_AT_type") if "DW_AT_type" in parameter.attributes else None
        while target is not None and target.tag == "DW_TAG_restrict_type":
            target = target.get_DIE_from_attribute("DW_AT_type")
        return target is not None and target.tag == "DW_TAG_const_type"

    def _shared(self, die: Any) -> Iterator[SharedArray]:
        origin = self._origin(die)
        linkage = die.attributes.get("DW_AT_linkage_name") or origin.attributes.get("DW_AT_linkage_name")
        name = origin.attributes.get("DW_AT_name")
        if name is None:
            return
        plain = name.value.decode("utf-8", "replace")
        offset = self._thread_local_offset(die)
        symbol = linkage.value.decode("utf-8", "replace") if linkage else plain
        external = offset is None and symbol in self.symbols and "DW_AT_declaration" in die.attributes
        if offset is None and not external:
            return
        kind = self._type(origin)
        dimensions = kind.dimensions
        elements = 1
        for extent in dimensions:
            elements *= extent
        if external:
            yield SharedArray(plain, symbol, self.symbols[symbol].value, 0, kind.name, max(1, kind.bytes), dimensions[:0], dynamic=True)
        elif offset is not None:
            yield SharedArray(plain, symbol, offset, elements * kind.bytes, kind.name, max(1, kind.bytes), dimensions, dynamic=False)

    @staticmethod
    def _thread_local_offset(die: Any) -> int | None:
        location = die.attributes.get("DW_AT_location")
        if location is None or location.form != "DW_FORM_exprloc":
            return None
        code = bytes(location.value)
        sizes = {0x0C: 4, 0x0E: 8}  # DW_OP_const4u, DW_OP_const8u
        size = sizes.get(code[0]) if code else None
        if size is None or len(code) != size + 2 or code[-1] not in {0x9B, 0xE0}:  # DW_OP_form_tls_address, DW_OP_GNU_push_tls_address
            return None
        return int.from_bytes(code[1 : 1 + size], "little")

    def _origin(self, die: Any) -> Any:
        for _ in range(8):
            for link in ("DW_AT_abstract_origin", "DW_AT_specification"):
                if link in die.attributes:
                    die = die.get_DIE_from_attribute(link)
                    break
            else:
                return die
        return die

    def _qualified(self, die: Any) -> str:
        parts = []
        while die is not None and die.tag != "DW_TAG_compile_unit":
            name = die.attributes.get("DW_AT_name")
            if die.tag in {"DW_TAG_subprogram", "DW_TAG_namespace", "DW_TAG_class_type", "DW_TAG_structure_type"}:
                parts.append(name.value.decode("utf-8", "replace") if name else "(anonymous)")
            die = die.get_parent()
        return "::".join(reversed(parts))

    def _type(self, die: Any, depth: int = 0) -> _Type:
        """The type a DIE refers to, named as demanglers name it: qualifiers to the right."""
        if "DW_AT_type" not in die.attributes:
            return _Type("void", 0)
        target = die.get_DIE_from_attribute("DW_AT_type")
        if depth > 16:  # noqa: PLR2004 - deeper than any declaration a person writes
            return _Type("?", 0)
        if target.tag in _POINTERS:
            return _Type(self._type(target, depth + 1).name + _POINTERS[target.tag], 8)
        if target.tag in _QUALIFIERS:
            inner = self._type(target, depth + 1)
            return _Type(f"{inner.name} {_QUALIFIERS[target.tag]}", inner.bytes, inner.dimensions)
        if target.tag == "DW_TAG_restrict_type":
            return self._type(target, depth + 1)
        if target.tag == "DW_TAG_typedef":
            return self._type(target, depth + 1)
        if target.tag == "DW_TAG_array_type":
            inner = self._type(target, depth + 1)
            return _Type(inner.name, inner.bytes, self._dimensions(target) + inner.dimensions)
        name = target.attributes.get("DW_AT_name")
        size = target.attributes.get("DW_AT_byte_size")
        return _Type(name.value.decode("utf-8", "replace") if name else "?", size.value if size else 0)

    @staticmethod
    def _dimensions(array: Any) -> tuple[int, ...]:
        extents = []
        for child in array.iter_children():
            if child.tag != "DW_TAG_subrange_type":
                continue
            bound = child.attributes.get("DW_AT_upper_bound")
            count = child.attributes.get("DW_AT_count")
            if bound is not None and isinstance(bound.value, int):
                extents.append(bound.value + 1)
            elif count is not None and isinstance(count.value, int):
                extents.append(count.value)
        return tuple(extents)


def read_debug_info(program: Path, file_name: str) -> DebugInfo:
    """The debug information of a linked runner whose submission is `file_name`."""
    with program.open("rb") as stream:
        return _Reader(ELFFile(stream), file_name).read()

