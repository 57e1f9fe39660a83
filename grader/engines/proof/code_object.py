"""An object file's sections, symbols and relocations as the proof needs them: every byte of code, and what will be put into it."""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from elftools.common.exceptions import ELFError

from grader.engines.objects.entry_walk import QuickElf
from grader.engines.objects.symbol_table import Symbol, symbols_of

_RELOCATION = struct.Struct("<QQq")  # r_offset, r_info, r_addend
_UNWINDING = ".eh_frame"  # names every function, and nothing reads it
_WRITABLE, _ALLOCATED, _EXECUTABLE, _MERGED = 1, 2, 4, 16  # SHF_WRITE, SHF_ALLOC, SHF_EXECINSTR, SHF_MERGE


@dataclass(frozen=True)
class Relocation:
    kind: int  # R_X86_64_…, R_AARCH64_…
    symbol: Symbol
    addend: int


@dataclass(frozen=True)
class Section:
    name: str
    flags: int
    size: int
    code: bytes  # empty where it is none
    relocations: dict[int, Relocation]  # by offset

    @property
    def read_only(self) -> bool:
        return bool(self.flags & _ALLOCATED) and not self.flags & (_WRITABLE | _EXECUTABLE)

    @property
    def is_merged(self) -> bool:
        """The linker moves its pieces: only within one of them is what follows what."""
        return bool(self.flags & _MERGED)


@dataclass(frozen=True)
class CodeObject:
    machine: str  # "x64", "AArch64"
    sections: tuple[Section, ...]
    symbols: tuple[Symbol, ...]

    @cached_property
    def functions(self) -> dict[int, list[Symbol]]:
        """By section."""
        found: dict[int, list[Symbol]] = {}
        for symbol in self.symbols:
            if symbol.kind == "STT_FUNC" and symbol.in_section:
                found.setdefault(symbol.section, []).append(symbol)
        return found

    def function_at(self, section: int, offset: int) -> Symbol | None:
        return next((one for one in self.functions.get(section, ()) if one.value == offset), None)


def read_code(path: Path) -> CodeObject:
    """Raises ELFError or struct.error where the file is none, or not of a kind we know."""
    with path.open("rb") as stream:
        elf = QuickElf(stream)
        symbols = tuple(symbols_of(elf))
        headers = [(section, section["sh_flags"]) for section in elf.iter_sections()]
        codes = {index: section.data() for index, (section, flags) in enumerate(headers) if flags & _EXECUTABLE}
        loaded = [
            index for index, (section, flags) in enumerate(headers) if flags & _ALLOCATED and section.name != _UNWINDING
        ]
        relocations: dict[int, dict[int, Relocation]] = {index: {} for index in loaded}
        for section, _ in headers:
            if section["sh_type"] == "SHT_REL":
                message = f"{path} has relocations without addends"
                raise ELFError(message)
            if section["sh_type"] == "SHT_RELA" and section["sh_info"] in relocations:
                relocations[section["sh_info"]].update(_relocations(section.data(), symbols, path))
        sections = tuple(
            Section(section.name, flags, section["sh_size"], codes.get(index, b""), relocations.get(index, {}))
            for index, (section, flags) in enumerate(headers)
        )
        return CodeObject(elf.get_machine_arch(), sections, symbols)


def _relocations(records: bytes, symbols: tuple[Symbol, ...], path: Path) -> dict[int, Relocation]:
    found: dict[int, Relocation] = {}
    for offset, info, addend in _RELOCATION.iter_unpack(records):
        if info >> 32 >= len(symbols) or offset in found:
            message = f"{path} relocates against symbols it does not have, or one place twice"
            raise ELFError(message)
        found[offset] = Relocation(info & 0xFFFFFFFF, symbols[info >> 32], addend)
    return found


# Which functions announce an access, which never return, and which leave a frame as it is: what the proof knows of the kit.
#
# The list must agree with `kit/executor/submission/callbacks.cpp` and `kit/executor/device_impl/`; a test reads both.

UNSEEN = {
    "read": "tilelab_unseen_read",
    "write": "tilelab_unseen_write",
    "call": "tilelab_unseen_call",
}  # what `object_proof.py` puts into the assembly

_SIZED = re.compile(r"__tsan_(?:unaligned_)?(?:volatile_)?(read|write)(1|2|4|8|16)")
_VIRTUAL = {"__tsan_vptr_update": "write", "__tsan_vptr_read": "read"}  # an object's pointer to its virtual functions
_POINTER_BYTES = 8
_RANGE = re.compile(r"__tsan_(read|write)_range|tilelab_unseen_(read|write)")
# They end the thread or the launch. The compiler does not know it, but has nothing to do behind them that matters.
NEVER_RETURN = frozenset(
    {
        "__ubsan_handle_out_of_bounds",
        "__ubsan_handle_type_mismatch_v1",
        "__ubsan_handle_divrem_overflow",
        "__ubsan_handle_missing_return",
        "__assert_fail",
        "_ZN11cuda_on_cpu6__trapEv",
    }
)
_INSTRUMENTATION = frozenset(
    {"__tsan_func_entry", "__tsan_func_exit", "__sanitizer_cov_trace_pc", "__ubsan_handle_alignment_assumption"}
)
# Pure, and what they answer fits in a register: the silent constructors of the kit's headers call them.
_CONVERSION = re.compile(
    r"_ZN11cuda_on_cpu16cuda_fp16_on_cpu\d+__(?:float|double|u?short|u?int|u?ll)2half(?:_r[nzud])?E[fdstijlmxy]"
)
_COPIES = re.compile(r"(?:__tsan_)?mem(?:cpy|move|set)|tilelab_copy")
BUILT_IN_VARIABLES = {
    f"_ZN11cuda_on_cpu{len(name)}{name}E": size
    for name, size in {"threadIdx": 12, "blockIdx": 12, "blockDim": 12, "gridDim": 12, "warpSize": 4}.items()
}


@dataclass(frozen=True)
class KitCall:
    """What a call of a function outside the submission does to what is known."""

    announces: str = (
        ""  # "read" or "write": the bytes from the first argument on; "call": that this is a function's first byte
    )
    size: int = 0  # 0: the second argument says
    leaves_frame: bool = False  # writes to no memory of its caller's
    leaves_registers: bool = False
    returns: bool = True
    copies: bool = False  # writes where its first argument points, as many bytes as its third says
    is_silent: bool = False  # announces nothing, and changes nothing but what it answers


_NAMED = {
    **{name: KitCall(kind, _POINTER_BYTES, leaves_frame=True) for name, kind in _VIRTUAL.items()},
    UNSEEN["call"]: KitCall("call", 1, leaves_frame=True, leaves_registers=True),
}


@cache
def kit_call(name: str) -> KitCall:
    if sized := _SIZED.fullmatch(name):
        return KitCall(sized[1], int(sized[2]), leaves_frame=True)
    if name in _NAMED:
        return _NAMED[name]
    if ranged := _RANGE.fullmatch(name):
        return KitCall(ranged[1] or ranged[2], 0, leaves_frame=True, leaves_registers=name.startswith("tilelab"))
    if _COPIES.fullmatch(name):
        return KitCall(copies=True)
    if _CONVERSION.fullmatch(name):
        return KitCall(leaves_frame=True, is_silent=True)
    return KitCall(
        leaves_frame=name in _INSTRUMENTATION,
        returns=name not in NEVER_RETURN,
        is_silent=name in {"__tsan_func_entry", "__tsan_func_exit"},
    )
