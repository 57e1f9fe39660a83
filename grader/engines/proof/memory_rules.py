"""Holds each access of a function against what may be touched: its own frame, constants, or what was announced just before.

An access that is none of these is not refused here: it is noted, and a call that announces it will be inserted before it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache

from grader.engines.objects.symbol_table import ObjectFile, Symbol
from grader.engines.proof.machine_state import ALL, Atoms, State, Value, plus, signed

# Which functions announce an access, which never return, and which leave a frame as it is: what the proof knows of the kit. This must agree
# with `kit/executor/submission/callbacks.cpp` and `kit/executor/device_impl/`; a test reads both.

# What `object_proof.py` puts into the assembly.
UNSEEN = {kind: f"tilelab_unseen_{kind}" for kind in ("read", "write", "call")}

_SIZED = re.compile(r"__tsan_(?:unaligned_)?(?:volatile_)?(read|write)(1|2|4|8|16)")
_VIRTUAL = {"__tsan_vptr_update": "write", "__tsan_vptr_read": "read"}  # an object's pointer to its virtual functions
_POINTER_BYTES = 8
_RANGE = re.compile(r"__tsan_(read|write)_range|tilelab_unseen_(read|write)")
# They end the thread or the launch. The compiler does not know it, but has nothing to do behind them that matters.
_ENDS = """
    __ubsan_handle_out_of_bounds __ubsan_handle_type_mismatch_v1 __ubsan_handle_divrem_overflow __ubsan_handle_missing_return
    __assert_fail _ZN11cuda_on_cpu6__trapEv
"""
NEVER_RETURN = frozenset(_ENDS.split())
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

    # "read" or "write": the bytes from the first argument on; "call": that this is a function's first byte.
    announces: str = ""
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


# What a function does with the addresses that it is given: register and kind -> from where to where.
Granted = dict[tuple[str, str], tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Unannounced:
    """An access that nothing proved announcement precedes."""

    offset: int  # of the instruction in its section
    # "read", "write"; "call": through a pointer that nobody checked; "end": control would leave the function here; "stack": it grows
    # by more than one page, of which none is touched
    kind: str
    operand: int = 0  # the instruction's how manieth; of no meaning for a call
    register: str = ""  # of a call: in which it hands on an address
    span: tuple[int, int] = (0, 0)  # of a call: from where to where that is used


Spot = tuple[int, int]  # an instruction's offset in its section, and how manieth its operand is


@dataclass
class FunctionMemory:
    """One function's memory. All places in the frame are told from the stack pointer that the function began with."""

    atoms: Atoms
    code: ObjectFile
    stack_pointer: str = ""
    link: tuple[int, int] = (0, 0)  # the two words that lead to the caller, from where to where: nothing writes there
    top: int = 0  # behind the frame; from there on lie the arguments that did not fit into registers
    red_zone: int = 0  # bytes below the stack pointer that a leaf may use
    is_leaf: bool = False  # calls nobody: what lies just below the stack pointer is its own
    is_silent: bool = False  # nothing in it announces: a small function of the kit's headers
    given: dict[str, Value] = field(default_factory=dict)  # registers that hold where its object or result is made
    answer: tuple[str, int] = ("", 0)  # such a register, and how many bytes the kit lets the function use from there on
    unannounced: list[Unannounced] = field(default_factory=list)
    argument_bytes: int = 0  # behind the link, that the function takes for arguments
    granted: Granted = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.entry = self.atoms.named("the stack pointer at the begin")[1]
        self._origins: dict[int, tuple[str, int]] = {}  # atoms that are a section's or a variable's address

    def address_of(self, symbol: Symbol, addend: int) -> Value:
        """Two names of one place have one address."""
        if symbol.in_section and symbol.kind != "STT_TLS":
            value = self.atoms.named(("section", symbol.section))
            self._origins[value[1][0][0]] = ("section", symbol.section)
            return plus(value, (symbol.value + addend, ()))
        value = self.atoms.named(("symbol", symbol.kind == "STT_TLS", symbol.section, symbol.name))
        if symbol.undefined and symbol.kind != "STT_TLS" and symbol.name in BUILT_IN_VARIABLES:
            self._origins[value[1][0][0]] = ("variable", BUILT_IN_VARIABLES[symbol.name])
        return plus(value, (addend & 0xFFFFFFFFFFFFFFFF, ()))

    def frame_offset(self, address: Value) -> int | None:
        """From the stack pointer at the begin, where that alone and a constant make the address."""
        return signed(address[0]) if address[1] == self.entry else None

    def load(self, state: State, spot: Spot, address: Value, size: int) -> Value | None:
        """What is read: the same for the same word of the frame. None: nobody knows."""
        offset = self.frame_offset(address)
        if offset is None:
            is_known = self._in_frame(state, address, size, writes=False) or self._constant(state, address, size)
            if not is_known and not self._grants("read", address, size):
                self._announced(state, spot, "read", address, size)
            return None
        if not self._frame_holds(state, offset, offset + size, writes=False):
            self._announced(state, spot, "read", address, size)
            return None
        known = state.words.get(offset)
        if known is not None and known[0] == size:
            return known[1]
        if size not in {4, 8}:
            return None
        value = self.atoms.fresh((0, (1 << 32) - 1) if size == 4 else None)  # noqa: PLR2004 - bytes
        state.stored(offset, size, value)
        return value

    def store(self, state: State, spot: Spot, address: Value, size: int, value: Value | None) -> None:
        offset = self.frame_offset(address)
        if offset is not None and self._frame_holds(state, offset, offset + size, writes=True):
            state.stored(offset, size, value)
        elif offset is None and (ends := self._in_frame(state, address, size, writes=True)):
            inside = [one for one, (size_of, _) in state.words.items() if one < ends[1] and one + size_of > ends[0]]
            for word in inside:
                del state.words[word]
        elif not self._grants("write", address, size):
            self._announced(state, spot, "write", address, size)
            state.words.clear()

    def _grants(self, kind: str, address: Value, size: int) -> bool:
        """A silent function reaches what it was given the address of on its caller's account: an object it makes, or its
        result. The caller answers for it, also for its lying in none of the function's own frame.
        """
        register = next((name for name, value in self.given.items() if value[1] == address[1]), "")
        begin = signed(address[0])
        answers = register == self.answer[0] and 0 <= begin <= begin + size <= self.answer[1]
        if not register or not (self.is_silent or answers):
            return False
        low, high = self.granted.get((register, kind), (begin, begin))
        self.granted[register, kind] = min(low, begin), max(high, begin + size)
        return True

    def answer_for(self, state: State, at: int, granted: Granted) -> bool:
        """For what a function does with an address that it is given: it lies in this frame, or is announced before the
        call. Whether it is known where it lies.
        """
        known = True
        for (register, kind), (begin, end) in granted.items():
            address = state.registers.get(register) or self.atoms.fresh()
            low, high = begin + signed(address[0]), end + signed(address[0])
            if address[1] == self.entry and self._frame_holds(state, low, high, writes=True):
                if kind == "write":
                    state.stored(low, high - low, None)
            elif not self._grants(kind, (low & ALL, address[1]), high - low):
                if not state.is_announced(kind, (low & ALL, address[1]), high - low):
                    self.unannounced.append(Unannounced(at, kind, register=register, span=(begin, end)))
                known = False
        return known

    def changed(self, state: State, address: Value, size: Value) -> None:
        """What a function of the kit has written, and announced itself."""
        offset = self.frame_offset(address)
        if size[1] or offset is None:
            state.words.clear()
        else:
            state.stored(offset, size[0], None)

    def touch(self, state: State, spot: Spot, kind: str, address: Value, size: Value) -> None:
        """Of a length that is itself a value: what a repeated instruction reads or writes."""
        if not size[1]:
            if kind == "read":
                self.load(state, spot, address, size[0])
            else:
                self.store(state, spot, address, size[0], None)
            return
        self._announced(state, spot, kind, address, size)
        if kind == "write":
            state.words.clear()

    def _announced(self, state: State, spot: Spot, kind: str, address: Value, size: int | Value) -> None:
        missing = Unannounced(spot[0], kind, spot[1])
        if not state.is_announced(kind, address, size) and missing not in self.unannounced[-2:]:  # of a pair, once
            self.unannounced.append(missing)

    def _in_frame(self, state: State, address: Value, size: int, *, writes: bool) -> tuple[int, int] | None:
        """The part of the frame in which it lies, where a checked index makes the address."""
        rest = plus(address, (0, tuple((atom, -1 & 0xFFFFFFFFFFFFFFFF) for atom, _ in self.entry)))
        if len(rest[1]) != len(address[1]) - 1:
            return None
        bounds = self.atoms.bounds(rest, state.facts)
        if bounds is None or not self._frame_holds(state, bounds[0], bounds[1] + size, writes=writes):
            return None
        return bounds[0], bounds[1] + size

    def _frame_holds(self, state: State, begin: int, end: int, *, writes: bool) -> bool:
        bottom = self.frame_offset(state.registers[self.stack_pointer])
        if bottom is None or begin < bottom - (self.red_zone if self.is_leaf else 0):
            return False
        if writes and begin < self.link[1] and end > self.link[0]:
            return False
        if end <= self.top:
            return True
        if begin < self.top or end - self.top > _MOST_ARGUMENTS:
            return False
        self.argument_bytes = max(self.argument_bytes, end - self.top)
        return True

    def _constant(self, state: State, address: Value, size: int) -> bool:
        """Read-only data of the submission's, from its first byte to its last, or a variable of CUDA's own."""
        for atom, factor in address[1]:
            origin = self._origins.get(atom)
            if origin is None or factor != 1:
                continue
            rest = address[0], tuple(term for term in address[1] if term[0] != atom)
            bounds = self.atoms.bounds(rest, state.facts)
            if bounds is None or bounds[0] < 0:
                return False
            if origin[0] == "variable":
                return bounds[1] + size <= origin[1]
            section = self.code.sections[origin[1]]
            if section.is_merged and bounds[0] != bounds[1]:
                return False
            return section.read_only and bounds[1] + size <= section.size
        return False


_MOST_ARGUMENTS = 4096  # bytes on the stack: what CUDA allows a kernel
