"""Reads a linked runner's debug information: source lines, functions with their signatures, shared arrays, variables.

Only the submission has debug information: the kit is compiled without.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from elftools.elf.elffile import ELFFile

from grader.engines.objects.entry_walk import (
    ADDRESS,
    FRAME,
    THREAD,
    Die,
    function_around,
    location_of,
    origin_of,
    parameter_type,
    qualified_name,
    telling,
    text_of,
    type_of,
)
from grader.engines.objects.frame_guards import Frame, add_local, frame_of
from grader.engines.objects.symbol_table import ElfFile, Symbol

_MAX_DIES = 400_000  # no lab's debug information is larger
_DWARF_5 = 5
GUARD = "_ZGV"  # a flag that the compiler adds: whether a variable is initialised
DATA_SECTIONS = ("tlrodata", "tldata", "tlbss")  # what a submission's data is in, once it is linked


@dataclass(frozen=True)
class Function:
    first: int
    end: int
    name: str  # without parameters
    signature: str  # "scale(float const*, float*, int)"
    returns: str
    in_submission: bool
    is_implicit: bool = False  # made by the compiler


@dataclass(frozen=True)
class SharedArray:
    name: str
    symbol: str
    offset: int  # within the thread-local segment
    bytes: int
    element: str
    element_bytes: int
    dimensions: tuple[int, ...]
    dynamic: bool


@dataclass(frozen=True)
class StaticVariable:
    """A __device__ or __constant__ variable, or a static variable of a function."""

    name: str
    address: int  # near 0: nothing uses the variable, and the linker removed it
    bytes: int
    element: str
    element_bytes: int
    dimensions: tuple[int, ...]


@dataclass(frozen=True)
class DebugInfo:
    files: list[str] = field(default_factory=list)
    lines: list[tuple[int, int, int]] = field(default_factory=list)  # address, line, index into `files`
    functions: list[Function] = field(default_factory=list)
    shared: list[SharedArray] = field(default_factory=list)
    variables: list[StaticVariable] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)  # of the functions
    guards: list[tuple[int, int]] = field(default_factory=list)  # of shared arrays of classes: offset and size
    offsets: dict[str, int] = field(default_factory=dict)  # of every thread-local symbol, within its segment
    addresses: dict[str, int] = field(default_factory=dict)  # of every function, by symbol
    data: tuple[Symbol, ...] = ()  # the variables of the submission's sections, sorted by address, one for each address


def read_debug_info(program: Path, file_name: str, *, headers: Collection[str] = ()) -> DebugInfo:
    """The debug information of a linked runner. `file_name` is the submission, `headers` are the submission's own headers."""
    elf = ElfFile(program)
    symbols = {one.name: one for one in elf.of_kind("STT_TLS")}
    functions = elf.of_kind("STT_FUNC")
    names = {one.value: one.name for one in functions}
    info = DebugInfo(
        guards=[(one.value, one.size) for name, one in symbols.items() if name.startswith(GUARD)],
        offsets={name: symbol.value for name, symbol in symbols.items()},
        addresses={one.name: one.value for one in functions},
        data=_data(elf),
    )
    with program.open("rb") as stream:
        dwarf: Any = ELFFile(stream).get_dwarf_info(relocate_dwarf_sections=False)
        for unit in dwarf.iter_CUs():
            known = len(info.lines)
            ours = _read_lines(dwarf.line_program_for_CU(unit), info, {file_name, *headers})
            own_code = {
                at for at, _, file in info.lines[known:] if info.files[file].rsplit("/", 1)[-1] in {file_name, *headers}
            }
            for die in islice(telling(unit.get_top_DIE(), ours), _MAX_DIES):
                if die.tag == "DW_TAG_subprogram" and "DW_AT_low_pc" in die.attributes:
                    info.functions.append(_function(die, ours, own_code))
                    info.frames.append(frame_of(die, info.functions[-1].first, info.functions[-1].end, elf.machine))
                elif die.tag == "DW_TAG_variable" and location_of(die)[0] == FRAME:
                    add_local(info.frames, die)
                elif die.tag == "DW_TAG_variable" and (array := _shared_array(die, symbols, names, info.shared)):
                    info.shared.append(array)
                elif die.tag == "DW_TAG_variable" and (variable := _static_variable(die)):
                    info.variables.append(variable)
    info.lines.sort()
    return info


def _data(elf: ElfFile) -> tuple[Symbol, ...]:
    wanted = {index for index, section in enumerate(elf.sections) if section.name in DATA_SECTIONS}
    found = (one for one in elf.of_kind("STT_OBJECT") if one.section in wanted)
    largest_last = sorted(found, key=lambda one: (one.value, one.size, one.name))
    return tuple({symbol.value: symbol for symbol in largest_last}.values())


def _read_lines(program: Any | None, info: DebugInfo, own: Collection[str]) -> set[int]:  # noqa: ANN401 - pyelftools ships no types
    """Adds the unit's files and lines. Returns which of its file numbers belong to the submission."""
    if program is None:
        return set()
    base = len(info.files)
    names = [entry.name.decode("utf-8", "replace") for entry in program["file_entry"]]
    info.files.extend(names)
    first_number = 0 if program["version"] >= _DWARF_5 else 1
    for entry in program.get_entries():
        state = entry.state
        if state is not None and not state.end_sequence and state.line:
            info.lines.append((state.address, state.line, base + state.file - first_number))
    return {i + first_number for i, name in enumerate(names) if name.rsplit("/", 1)[-1] in own}


def _function(die: Die, ours: set[int], own_code: Collection[int]) -> Function:
    """`ours`: file numbers, `own_code`: addresses where a line of the submission begins. GCC does not say where a lambda is declared."""
    first, high = die.attributes["DW_AT_low_pc"].value, die.attributes["DW_AT_high_pc"]
    end = high.value if high.form == "DW_FORM_addr" else first + high.value
    origin = origin_of(die)
    parameters = [origin_of(child) for child in die.iter_children() if child.tag == "DW_TAG_formal_parameter"]
    types = [parameter_type(one) for one in parameters if "DW_AT_artificial" not in one.attributes]
    name, file = qualified_name(origin), origin.attributes.get("DW_AT_decl_file")
    is_lambda = file is None and name.rpartition("::")[2] == "operator()"
    in_submission = first in own_code if is_lambda else file is not None and file.value in ours
    signature, implicit = f"{name}({', '.join(types)})", "DW_AT_artificial" in origin.attributes
    return Function(first, end, name, signature, type_of(origin).name, in_submission, implicit)


def _shared_array(
    die: Die, symbols: Mapping[str, Symbol], functions: Mapping[int, str], known: Sequence[SharedArray]
) -> SharedArray | None:
    """The shared array of a thread-local variable: in a runner, __shared__ is thread-local. One without a definition is `extern`."""
    origin = origin_of(die)
    name = text_of(origin, "DW_AT_name")
    if name is None:
        return None
    symbol = text_of(die, "DW_AT_linkage_name") or text_of(origin, "DW_AT_linkage_name") or name
    where, at = location_of(die)
    offset, kind = at if where == THREAD else None, type_of(origin)
    element_bytes, size = max(1, kind.bytes), math.prod(kind.dimensions) * kind.bytes
    if not {"DW_AT_location", "DW_AT_declaration"} & die.attributes.keys():
        found = unplaced_offsets(die, size, symbols, functions)
        offset = next((one for one in found if all(one != array.offset for array in known)), None)
    if offset is not None:
        if not any(one.value == offset and one.size == size and name in one.name for one in symbols.values()):
            return None  # nothing uses it, so the linker removed it, and the offset belongs to another variable
        return SharedArray(name, symbol, offset, size, kind.name, element_bytes, kind.dimensions, dynamic=False)
    if symbol in symbols and "DW_AT_declaration" in die.attributes:
        return SharedArray(name, symbol, symbols[symbol].value, 0, kind.name, element_bytes, (), dynamic=True)
    return None


def _static_variable(die: Die) -> StaticVariable | None:
    name, (where, address), kind = text_of(origin_of(die), "DW_AT_name"), location_of(die), type_of(origin_of(die))
    if name is None or where != ADDRESS:
        return None
    size = math.prod(kind.dimensions) * kind.bytes
    return StaticVariable(name, address, size, kind.name, max(1, kind.bytes), kind.dimensions)


def unplaced_offsets(die: Die, size: int, symbols: Mapping[str, Symbol], functions: Mapping[int, str]) -> list[int]:
    """Where a thread-local variable of this size may lie whose entry has no location: on 64-bit ARM, GCC gives it none, and no linkage name
    where nothing outside the file can use one. So it is known by the rules of name mangling (Itanium C++ ABI, 5.1). `As` in `_Z5tiledPf`
    is `_ZZ5tiledPfE2As`; the next `As` in it ends in `_0`. `functions`: symbols by first address.
    """
    origin, function = origin_of(die), function_around(die)
    name = re.escape(text_of(origin, "DW_AT_name") or "")
    word = f"{len(name)}{name}"
    if linkage := text_of(die, "DW_AT_linkage_name") or text_of(origin, "DW_AT_linkage_name"):
        names = re.escape(linkage)
    elif function is None:
        names = rf"{name}|_ZL{word}|_ZN\w*{word}E"
    else:
        first = function.attributes.get("DW_AT_low_pc")
        symbol = functions.get(first.value if first else 0, "")
        encoding = symbol[2:] if symbol.startswith("_Z") else f"{len(symbol)}{symbol}"
        names = rf"_ZZ{re.escape(encoding)}E{word}(?:_\d|__\d+_)?"
    fitting = [one for one in symbols.values() if one.size == size and re.fullmatch(names, one.name)]
    return [one.value for one in sorted(fitting, key=lambda one: (len(one.name), one.name))]
