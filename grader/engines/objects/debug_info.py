"""Reads a linked runner's debug information: source lines, functions with their signatures, shared arrays, variables.

Only the submission has debug information: the kit is compiled without.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import islice, product
from operator import itemgetter
from pathlib import Path
from typing import Any, TypeAlias

from elftools.dwarf.dwarf_expr import DWARFExprParser
from elftools.elf.elffile import ELFFile

from grader.engines.device_functions import GUARD_NAME
from grader.engines.objects.symbol_table import ElfFile, Symbol

# The entries as pyelftools reads them: which are asked for, what they are called, of which type, and where they lie.

Die: TypeAlias = Any  # an entry of pyelftools, which has no type annotations

_QUALIFIERS = {"DW_TAG_const_type": "const", "DW_TAG_volatile_type": "volatile"}
_POINTERS = {"DW_TAG_pointer_type": "*", "DW_TAG_reference_type": "&", "DW_TAG_rvalue_reference_type": "&&"}
_SAME_TYPE = frozenset({"DW_TAG_restrict_type", "DW_TAG_typedef"})  # these do not change a signature
_SCOPES = frozenset(
    {"DW_TAG_subprogram", "DW_TAG_namespace", "DW_TAG_class_type", "DW_TAG_structure_type", "DW_TAG_union_type"}
)
_MAX_DEPTH = 16  # deeper than any real declaration
_EXTENT = (("upper_bound", 1), ("count", 0))  # what tells an array's, and how much is to be added to it


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


def function_around(die: Die) -> Die | None:
    """The entry of the function in which it stands."""
    while (die := die.get_parent()) is not None and die.tag != "DW_TAG_subprogram":
        pass
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
    if "DW_AT_type" not in die.attributes or depth > _MAX_DEPTH:
        return TypeName("?" if "DW_AT_type" in die.attributes else "void", 0)
    target = die.get_DIE_from_attribute("DW_AT_type")
    if target.tag in _POINTERS:
        return TypeName(type_of(target, depth + 1).name + _POINTERS[target.tag], 8)
    if target.tag in _SAME_TYPE or target.tag in _QUALIFIERS or target.tag == "DW_TAG_array_type":
        inner = type_of(target, depth + 1)
        if inner.name == "?" and target.tag == "DW_TAG_typedef":  # typedef struct { … } Matrix;
            return replace(inner, name=text_of(target, "DW_AT_name") or "?")
        if target.tag in _QUALIFIERS:
            return replace(inner, name=f"{inner.name} {_QUALIFIERS[target.tag]}")
        return replace(inner, dimensions=_extents(target) + inner.dimensions)
    size = target.attributes.get("DW_AT_byte_size")
    return TypeName(text_of(target, "DW_AT_name") or "?", size.value if size else 0)


def parameter_type(die: Die) -> str:
    """The parameter's type in the function's signature, which leaves out the last const of `const int M` and `float* const A`."""
    name = type_of(die).name
    for _ in range(_MAX_DEPTH):
        die = die.get_DIE_from_attribute("DW_AT_type") if "DW_AT_type" in die.attributes else None
        if die is None or die.tag not in _SAME_TYPE | _QUALIFIERS.keys():
            break
        name = name.removesuffix(f" {_QUALIFIERS[die.tag]}") if die.tag in _QUALIFIERS else name
    return name


def _extents(array: Die) -> tuple[int, ...]:
    """The constant extents: `extern __shared__ float rows[][16]` has one."""
    ranges = (child for child in array.iter_children() if child.tag == "DW_TAG_subrange_type")
    told = ([(one.attributes.get(f"DW_AT_{name}"), more) for name, more in _EXTENT] for one in ranges)
    known = (
        next((said.value + more for said, more in one if said and isinstance(said.value, int)), None) for one in told
    )
    return tuple(one for one in known if one is not None)


FRAME, THREAD, ADDRESS = "frame", "thread", "address"
# By the operations that tell it; the first one's argument is the place.
_OF_THREAD = product(("DW_OP_const4u", "DW_OP_const8u"), ("DW_OP_form_tls_address", "DW_OP_GNU_push_tls_address"))
_LOCATIONS: dict[tuple[str, ...], str] = {
    ("DW_OP_fbreg",): FRAME, ("DW_OP_addr",): ADDRESS, **dict.fromkeys(_OF_THREAD, THREAD),
}  # fmt: skip


def location_of(die: Die) -> tuple[str, int]:
    """Where a variable lies: from the frame's base on, from the begin of the thread-local segment, or at an address. "": nobody knows."""
    location = die.attributes.get("DW_AT_location")
    if location is None or location.form != "DW_FORM_exprloc" or not location.value:
        return "", 0
    operations = _expressions(die.cu.structs).parse_expr(location.value)
    where = _LOCATIONS.get(tuple(one.op_name for one in operations), "")
    return (where, operations[0].args[0]) if where else ("", 0)


_expressions = lru_cache(4)(DWARFExprParser)


# Where functions with code and variables are: not inside a mere declaration, nor inside a class of another file but that of a lambda.

_SCOPES_OF_CODE = frozenset(
    {"DW_TAG_namespace", "DW_TAG_subprogram", "DW_TAG_lexical_block", "DW_TAG_inlined_subroutine"}
)
_CLASSES = frozenset({"DW_TAG_structure_type", "DW_TAG_class_type", "DW_TAG_union_type"})


def telling(scope: Die, ours: Collection[int]) -> Iterator[Die]:
    """Entries below this one that may be functions with code, or variables, in their order. `ours`: numbers of the submission's files."""
    for entry in scope.iter_children():
        if entry.tag == "DW_TAG_variable":
            yield entry
        elif entry.tag in _SCOPES_OF_CODE | _CLASSES and "DW_AT_declaration" not in entry.attributes:
            yield entry
            file = entry.attributes.get("DW_AT_decl_file")
            is_lambda = (name := entry.attributes.get("DW_AT_name")) is None or name.value.startswith(b"<lambda")
            if entry.tag in _SCOPES_OF_CODE or file is None or file.value in ours or is_lambda:
                yield from telling(entry, ours)


# Where the guards around local variables lie in the frames of functions (see `local_guards.py`).

# DW_OP_call_frame_cfa; the frame pointer of x86-64. Bytes from the frame pointer.
_FRAME_BASES = {b"\x9c": 16, b"\x56": 0}
_ALIGNMENT_GAP, _STRICTEST_ALIGNMENT = 16, 64  # of guards, and of variables in the frames that can be proved
_MOST_BYTES = 4096
# What a thread can keep in registers: in one variable, in a frame. So small variables are not looked at: nvcc chooses between their values.
_REGISTER_BYTES, _MOST_REGISTER_BYTES, _SMALL_BYTES = 255 * 4, 4 * 255 * 4, 28
_MOST_MEMBERS = 8  # inside each other


@dataclass(frozen=True)
class Local:
    """A variable of a frame."""

    name: str
    begin: int  # from the frame pointer
    kind: TypeName
    line: int = 0  # of its declaration
    last: Local | None = None  # of an object: the array at its end

    @property
    def bytes(self) -> int:
        return math.prod(self.kind.dimensions) * self.kind.bytes

    @property
    def end(self) -> int:
        return self.begin + self.bytes

    @property
    def is_guard(self) -> bool:
        return self.name.startswith(GUARD_NAME)


@dataclass(frozen=True)
class Zone:
    """Bytes of a frame that belong to nobody, from `begin` to `end` as seen from the frame pointer."""

    begin: int
    end: int
    below: Local | None  # the guarded variable that ends where it begins, or the array at its end
    above: Local | None  # the one that begins where it ends


@dataclass
class Frame:
    """Of one function."""

    first: int
    end: int
    base: int | None
    dies: list[Die] = field(default_factory=list)  # of its variables

    def zones(self) -> list[Zone]:
        return zones_of(self.locals)

    def extents(self) -> list[tuple[int, int]]:
        """Where its variables lie, from their first bytes to behind their last ones."""
        return [(one.begin, one.end) for one in self.locals if 0 < one.bytes <= _MOST_BYTES and not one.is_guard]

    @cached_property
    def large(self) -> list[Local]:
        return [one for one in self.locals if one.bytes > _SMALL_BYTES and not one.is_guard]

    def in_memory(self, at_run_time: Mapping[str, Sequence[tuple[int, int]]]) -> list[Local]:
        """The variables that a GPU keeps in local memory: they are larger than its registers, or subscripts are known only at run time.
        `at_run_time`: see `local_arrays.Spans`.
        """

        def is_held(one: Local) -> bool:
            spans = at_run_time.get(one.name, ())
            before = bisect_left(spans, (one.line + 1,))
            return before > 0 and spans[before - 1][1] >= one.line

        found = [one for one in self.large if one.bytes > _REGISTER_BYTES or is_held(one)]
        left = sum(one.bytes for one in self.large) - sum(one.bytes for one in found)
        return self.large if left > _MOST_REGISTER_BYTES else found

    @cached_property
    def locals(self) -> list[Local]:
        """To be asked for when all have been added."""
        return [one for one in map(self._local, self.dies) if one is not None]

    def _local(self, die: Die) -> Local | None:
        where, offset = location_of(die)
        if where != FRAME or self.base is None:
            return None
        name, begin, origin = _name(die), offset + self.base, origin_of(die)
        line = origin.attributes.get("DW_AT_decl_line")
        kind = type_of(origin)
        return Local(name, begin, kind, line.value if line else 0, _last_array(name, begin, origin))


def frame_of(die: Die, first: int, end: int, machine: str) -> Frame:
    """Of a function's entry. Nothing is known of its variables where the frame is laid out in a way that we do not know."""
    if machine != "x64":
        return Frame(first, end, None)
    base = die.attributes.get("DW_AT_frame_base")
    known = bytes(base.value) if base is not None and base.form == "DW_FORM_exprloc" else b""
    return Frame(first, end, _FRAME_BASES.get(known))


def add_local(frames: Sequence[Frame], variable: Die) -> None:
    """To the frame of the function in whose entry the variable's lies."""
    owner = function_around(variable)
    first = owner.attributes.get("DW_AT_low_pc") if owner is not None else None
    frame = next((one for one in reversed(frames) if first is not None and one.first == first.value), None)
    if frame is not None:
        frame.dies.append(variable)


def zones_of(variables: Sequence[Local]) -> list[Zone]:
    """Neighbouring guards are one zone. What alignment leaves free between a variable and the guard above it belongs to the zone."""
    found = list[Zone]()
    ordered = sorted((one for one in variables if one.bytes > 0), key=lambda one: one.begin)
    guarded = {_guarded_by(one) for one in ordered if one.is_guard}
    for index, guard in enumerate(ordered):
        if not guard.is_guard:
            continue
        before = ordered[index - 1] if index else None
        after = ordered[index + 1] if index + 1 < len(ordered) else None
        begin = guard.begin
        if before is not None and 0 <= guard.begin - before.end < _gap(before, guard):
            begin = before.end
        above = after if after and not after.is_guard and after.begin == guard.end and after.name in guarded else None
        if found and before is not None and before.is_guard and begin == found[-1].end:
            found[-1] = Zone(found[-1].begin, guard.end, found[-1].below, above)
        else:
            below = (
                before if before and not before.is_guard and begin == before.end and before.name in guarded else None
            )
            found.append(Zone(begin, guard.end, (below.last or below) if below else None, above))
    return found


def _guarded_by(guard: Local) -> str:
    return guard.name.removeprefix(GUARD_NAME).partition("_")[2].removesuffix("_")


def _gap(before: Local, guard: Local) -> int:
    """Less than so many bytes between the two are there for alignment: the guard above a variable is declared just before it."""
    if before.is_guard:
        return _ALIGNMENT_GAP
    return _STRICTEST_ALIGNMENT if before.name == _guarded_by(guard) else 0


def _last_array(name: str, begin: int, die: Die) -> Local | None:
    """`rows.items`, if the type of `rows` ends with that array."""
    for _ in range(_MOST_MEMBERS):
        if type_of(die).dimensions or (struct := _struct_of(die)) is None:
            break
        members = [one for one in struct.iter_children() if one.tag == "DW_TAG_member"]
        places = [one.attributes.get("DW_AT_data_member_location") for one in members]
        if not members or any(place is None or not isinstance(place.value, int) for place in places):
            break
        offset, die = max(zip((one.value for one in places if one), members, strict=True), key=itemgetter(0))
        name, begin = f"{name}.{text_of(die, 'DW_AT_name') or ''}", begin + offset
        if type_of(die).dimensions and not name.endswith("."):
            return Local(name, begin, type_of(die))
    return None


def _struct_of(die: Die) -> Die | None:
    """The entry of the class that the variable is an object of."""
    for _ in range(_MOST_MEMBERS):
        if "DW_AT_type" not in die.attributes:
            return None
        die = die.get_DIE_from_attribute("DW_AT_type")
        if die.tag in {"DW_TAG_structure_type", "DW_TAG_class_type"}:
            return die
        if die.tag not in {"DW_TAG_typedef", "DW_TAG_const_type", "DW_TAG_volatile_type"}:
            return None
    return None


def _name(die: Die) -> str:
    return text_of(origin_of(die), "DW_AT_name") or ""


# What a runner is told.

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
    columns: dict[int, int] = field(default_factory=dict)  # by the same addresses
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
    at: dict[tuple[int, int], list[str]] = {}
    for one in symbols.values():
        at.setdefault((one.value, one.size), []).append(one.name)
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
                elif die.tag == "DW_TAG_variable" and (array := _shared_array(die, symbols, at, names, info.shared)):
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
            info.columns[state.address] = state.column
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
    die: Die,
    symbols: Mapping[str, Symbol],
    at_place: Mapping[tuple[int, int], Sequence[str]],
    functions: Mapping[int, str],
    known: Sequence[SharedArray],
) -> SharedArray | None:
    """The shared array of a thread-local variable: in a runner, __shared__ is thread-local. One without a definition is `extern`.
    `at_place`: the symbols' names by value and size.
    """
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
        if not any(name in one for one in at_place.get((offset, size), ())):
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
