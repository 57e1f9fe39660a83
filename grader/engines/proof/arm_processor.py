"""64-bit ARM as the proof asks of a processor: its registers and operands, where control goes, and what its instructions do."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import capstone
from capstone import arm64_const

from grader.engines.objects.symbol_table import Relocation
from grader.engines.proof.evaluator import (
    CodeSite,
    Decoded,
    Decoder,
    Flow,
    FlowKind,
    Memory,
    Number,
    Operand,
    Other,
    Processor,
    Raw,
    Register,
    effects,
)
from grader.engines.proof.machine_state import (
    HALF,
    WORD,
    State,
    StrangeAssemblyError,
    UnprovableCodeError,
    Value,
    constant,
    minus,
    plus,
    times,
)
from grader.engines.proof.memory_rules import UNSEEN, FunctionMemory, Unannounced

# By the first letter of a register, or of what is narrow.
_BYTES = {"x": 8, "w": 4, "q": 16, "d": 8, "s": 4, "h": 2, "b": 1}
_LOAD_OR_STORE = re.compile(r"(ld|st)(u?r|p)(?:s?([bhw]))?")
_EXTENSIONS = {f"{sign}xt{of}": (sign == "s", bits) for sign in "su" for of, bits in (("w", 32), ("h", 16), ("b", 8))}
_EXTENDS = {getattr(arm64_const, f"ARM64_EXT_{name.upper()}"): name for name in _EXTENSIONS}
_SHIFTS = {arm64_const.ARM64_SFT_LSL: "lsl", arm64_const.ARM64_SFT_LSR: "lsr", arm64_const.ARM64_SFT_ASR: "asr"}
_OTHER_NAMES = {"fp": "x29", "lr": "x30", "xzr": "zero", "wzr": "zero", "wsp": "sp"}
# Relocations: R_AARCH64_…
_CALL26 = 283
_PAGE, _PAGE_OFFSET = 275, 277  # ADR_PREL_PG_HI21, ADD_ABS_LO12_NC
_PLACE_IN_PAGE = frozenset({278, 284, 285, 286, 299})  # LDST8, 16, 32, 64 and 128_ABS_LO12_NC
_THREAD_HIGH, _THREAD_LOW = 549, 551  # TLSLE_ADD_TPREL_HI12, TLSLE_ADD_TPREL_LO12_NC
_THREAD_SLOT_PAGE, _THREAD_SLOT = 541, 542  # TLSIE_ADR_GOTTPREL_PAGE21, TLSIE_LD64_GOTTPREL_LO12_NC

_CONDITIONS = {"ls": "be", "lo": "b", "cc": "b", "hi": "a", "hs": "ae", "cs": "ae"}
_FLOWS: dict[str, FlowKind] = {
    "bl": "call", "blr": "pointer call", "b": "jump", "br": "jump", "ret": "return",
    **dict.fromkeys(("cbz", "cbnz", "tbz", "tbnz"), "branch"),
    **dict.fromkeys(("brk", "udf", "hlt"), "stop"),
}  # fmt: skip
_EFFECTS = effects(
    """
    add add 2 kept       adds add 2 set       sub subtract 2 kept  subs subtract 2 set
    cmp compare 2 set    cmn compare 2 set    tst compare 2 set    mov copy 1 kept      movz copy 1 kept
    neg negate 1 kept    negs negate 1 set    mvn invert 1 kept    mul multiply 2 kept
    lsl left 2 kept      lsr right 2 kept     asr asr 2 kept       ror ror 2 kept
    and and 2 kept       ands and 2 set       orr orr 2 kept       eor eor 2 kept       bic bic 2 kept       bics bics 2 set
    orn orn 2 kept       eon eon 2 kept       madd madd 3 kept     msub msub 3 kept     smull smull 2 kept
    umull umull 2 kept   smulh smulh 2 kept   umulh umulh 2 kept   sdiv sdiv 2 kept     udiv udiv 2 kept
    cset choose 0 kept   csetm choose 0 kept  cinc choose 1 kept   cinv choose 1 kept   cneg choose 1 kept
    csel choose 2 kept   csinc choose 2 kept  csinv choose 2 kept  csneg choose 2 kept
    """
)
# Results in vectors, which nobody follows, or in a register that nothing is known of then.
_NO_RESULT = """
    fmov fadd fsub fmul fdiv fneg fabs fsqrt fmadd fmsub fnmadd fnmsub fnmul fmax fmin fmaxnm fminnm fcvt fcvtzs fcvtzu fcvtns fcvtnu
    fcvtas fcvtau fcvtms fcvtmu fcvtps fcvtpu scvtf ucvtf frinta frinti frintm frintn frintp frintx frintz fcsel movi mvni movn dup umov
    smov ins bfi bfxil bfm ubfm sbfm ubfx sbfx extr clz cls rbit rev rev16 rev32 cnt addv ext zip1 zip2 uzp1 uzp2 trn1 trn2 bsl ushr sshr
    shl sshll ushll xtn uaddlv fmla fmls fcmeq fcmgt fcmge cmeq cmgt cmge fabd
"""
UNKNOWN = frozenset(_NO_RESULT.split())
COMPARES = frozenset({"fcmp", "fcmpe", "ccmp", "ccmn", "fccmp", "fccmpe"})
_SPECIAL = {  # each with its method
    "sbfiz": "_field", "ubfiz": "_field", "movk": "_move_part", "mrs": "_thread_pointer", "xpaclri": "_strip_link",
}  # fmt: skip
NOTHING = frozenset({"nop", "dmb", "dsb", "isb", "prfm", "yield", "bti"})


def _read(instruction: capstone.CsInsn) -> Decoded:
    operands = [_operand(instruction, one) for one in instruction.operands]
    name, _, condition = instruction.mnemonic.partition(".")
    if not condition and instruction.cc not in {arm64_const.ARM64_CC_INVALID, arm64_const.ARM64_CC_AL}:
        condition = instruction.op_str.rpartition(", ")[2]
    return Decoded(name, instruction.size, _with_memory(instruction, name, operands), instruction.op_str, condition)


def _operand(instruction: capstone.CsInsn, operand: Raw) -> Operand:
    shift, by = operand.shift.type, operand.shift.value
    extend = _EXTENDS.get(operand.ext, "")
    if operand.type == arm64_const.ARM64_OP_REG:
        return _register(instruction, operand.reg, extend, _SHIFTS.get(shift, "?" if shift else ""), by)
    if operand.type == arm64_const.ARM64_OP_IMM:
        return Number(operand.imm << (by if shift == arm64_const.ARM64_SFT_LSL else 0))
    if operand.type != arm64_const.ARM64_OP_MEM:
        return Other()
    place = operand.mem
    index = _register(instruction, place.index, extend, "lsl", by) if place.index else None
    return Memory(_register(instruction, place.base).name, index, place.disp, 0)


def _register(instruction: capstone.CsInsn, number: int, extend: str = "", shift: str = "", by: int = 0) -> Register:
    name = instruction.reg_name(number)
    name = _OTHER_NAMES.get(name, name)
    bits = 64 if name in {"sp", "zero"} else 0
    if re.fullmatch(r"[xw]\d+", name):
        name, bits = f"x{name[1:]}", 64 if name[0] == "x" else 32
    return Register(name, bits, extend, shift, by)


def _with_memory(instruction: capstone.CsInsn, name: str, operands: list[Operand]) -> tuple[Operand, ...]:
    """With the number of bytes, which follows from the registers' names; a size of 0 is refused where it is executed."""
    at = next((at for at, one in enumerate(operands) if isinstance(one, Memory)), -1)
    kind = _LOAD_OR_STORE.fullmatch(name)
    place = operands[at] if operands else None
    if kind is None or not isinstance(place, Memory):
        return tuple(operands)
    if any(isinstance(one, Memory) for one in operands[at + 1 :]):
        return (Other(),)
    first = instruction.op_str.partition(",")[0]
    size = _BYTES[kind[3]] if kind[3] else _BYTES.get("x" if first in {"fp", "lr"} else first[:1], 0)
    behind = next((one.value for one in operands[at + 1 :] if isinstance(one, Number)), None)
    how = ("before" if behind is None else "behind") if instruction.writeback else ""
    moves_by = behind if behind is not None else place.displacement if how else 0
    size *= 2 if kind[2] == "p" else 1
    return (*operands[:at], Memory(place.base, place.index, place.displacement, size, "", how, moves_by))


# The call that announces an access before it happens.

_SAVED = 32  # bytes
_LOW = re.compile(r"#?(:lo12:[^\]\s]+)\]")


def call_before(missing: Unannounced, instruction: Decoded, line: str) -> list[str]:
    """As `Processor.call_before`."""
    return [
        f"\tstp\tx0, x1, [sp, #-{_SAVED}]!",
        "\tstr\tx30, [sp, #16]",
        *_where(missing, instruction, line),
        f"\tbl\t{UNSEEN[missing.kind]}",
        "\tldr\tx30, [sp, #16]",
        f"\tldp\tx0, x1, [sp], #{_SAVED}",
    ]


def _where(missing: Unannounced, instruction: Decoded, line: str) -> Iterator[str]:
    """The first byte's address into x0, the number of bytes into x1; of a call through a pointer, where that leads."""
    target, place = instruction.operands[0], instruction.operands[-1]
    if missing.kind == "call" and isinstance(target, Register):
        yield f"\tmov\tx0, {target.name}"
        return
    if missing.register:
        begin, end = missing.span
        yield f"\tadd\tx0, {missing.register}, #{begin}"
        yield f"\tmov\tx1, #{end - begin}"
        return
    if not isinstance(place, Memory):
        raise StrangeAssemblyError(line)
    low = _LOW.search(line)
    displacement = 0 if place.writes_back == "behind" else place.displacement
    if place.base == "sp":
        displacement += _SAVED
    if place.index is not None:
        width = "w" if place.index.bits == 32 else "x"  # noqa: PLR2004 - bits
        how = place.index.extend or "lsl"
        yield f"\tadd\tx0, {place.base}, {width}{place.index.name[1:]}, {how} #{place.index.by}"
    elif low:
        yield f"\tadd\tx0, {place.base}, #{low[1]}"
    else:
        yield f"\tmov\tx0, {place.base}"
    if displacement:
        yield f"\tmov\tx1, #{displacement}"
        yield "\tadd\tx0, x0, x1"
    yield f"\tmov\tx1, #{place.size}"


class Arm(Processor):
    stack_pointer, frame_pointer, link_register = "sp", "x29", "x30"
    arguments, result = ("x0", "x1", "x2"), "x8"
    preserved = frozenset({*(f"x{number}" for number in range(19, 30)), "sp"})
    call_relocations = frozenset({_CALL26})
    call_addend = 0
    stop = "\tbrk\t#1000"
    decoder = Decoder(capstone.CS_ARCH_ARM64, capstone.CS_MODE_ARM, _read)
    effects = _EFFECTS
    extensions = _EXTENSIONS
    probe_text = re.compile(r"sub sp, sp, #1, lsl #12; str xzr, \[sp(?:, #0x\w+)?\]; cmp sp, x(?:9|1[0-3])")
    call_before = staticmethod(call_before)

    def __init__(self, memory: FunctionMemory) -> None:
        super().__init__(memory)
        memory.given = {name: self.atoms.named(("given in", name)) for name in ("x0", "x8")}

    def flow(self, instruction: Decoded) -> Flow:
        name, operands, kind = instruction.name, instruction.operands, _FLOWS.get(instruction.name, "")
        last = operands[-1] if operands else None
        target = last.value if isinstance(last, Number) else None
        if kind == "branch" or (name == "b" and instruction.condition):
            return Flow("branch", _CONDITIONS.get(instruction.condition, "?"), target)
        if name == "ret" and operands not in {(), (Register(self.link_register, WORD),)}:
            return Flow()  # refused where it is executed
        return Flow(kind, "", target)

    def called_address(self, state: State, place: CodeSite) -> Value | None:
        operands = place.instruction.operands
        if len(operands) != 1 or not isinstance(operands[0], Register) or operands[0].bits != WORD:
            raise UnprovableCodeError(place.offset, "a call of a kind no compiler makes")
        return self.register(state, operands[0].name)

    def execute(self, state: State, place: CodeSite) -> None:
        instruction, name = place.instruction, place.instruction.name
        relocation = place.relocations.get(0)
        if len(place.relocations) > (relocation is not None):
            raise UnprovableCodeError(place.offset, "a relocation of an unknown kind")
        if name in NOTHING:
            return
        if any(isinstance(one, Memory) for one in instruction.operands):
            self._load_or_store(state, place, relocation)
        elif relocation is not None:
            self._relocated(state, place, relocation)
        elif name in UNKNOWN:
            self.assign(state, place, None)
        elif name in COMPARES:
            state.flags = None
        elif name in _SPECIAL:
            getattr(self, _SPECIAL[name])(state, place)
        elif not self.computes(state, place):
            raise UnprovableCodeError(place.offset, f"the instruction `{name}`")

    def make_frame(self, state: State, place: CodeSite, value: Value | None) -> None:
        """Where the two words are that were stored for it."""
        offset = None if value is None else self.memory.frame_offset(value)
        bytes_of = WORD // 8
        if (
            value is None
            or offset is None
            or state.words.get(offset) != (bytes_of, self.caller)
            or state.words.get(offset + bytes_of) != (bytes_of, self.back)
            or self.memory.link not in {(0, 0), (offset, offset + 2 * bytes_of)}
        ):
            raise UnprovableCodeError(place.offset, "a frame without a link to its caller's")
        self.memory.link = offset, offset + 2 * bytes_of
        state.registers[self.frame_pointer] = value

    # --- What the table of effects does not say.

    def _thread_pointer(self, state: State, place: CodeSite) -> None:
        if not place.instruction.text.endswith(", tpidr_el0"):
            raise UnprovableCodeError(place.offset, "a system register")
        self.assign(state, place, self.thread)

    def _strip_link(self, state: State, _place: CodeSite) -> None:
        state.registers[self.link_register] = self.atoms.fresh()

    def _move_part(self, state: State, place: CodeSite) -> None:
        """`movk`: sixteen bits among known ones."""
        before = self.value(state, place, 0)
        words = re.fullmatch(r"\w+, #(\w+)(?:, lsl #(\w+))?", place.instruction.text)
        value = None
        if before is not None and not before[1] and words is not None:
            shift = int(words[2] or "0", 0)
            value = constant((before[0] & ~(0xFFFF << shift)) | (int(words[1], 0) << shift))
        self.assign(state, place, value)

    def _field(self, state: State, place: CodeSite) -> None:
        """`sbfiz x0, x1, 2, 32`: an index of 32 bits, extended and scaled."""
        _, source, shift, width = place.instruction.operands
        value = None
        if isinstance(source, Register) and isinstance(shift, Number) and width == Number(HALF) and place.bits == WORD:
            index = self.register(state, source.name)
            value = times(self.extended(index, place.instruction.name == "sbfiz", HALF), 1 << shift.value)
        self.assign(state, place, value)

    def _load_or_store(self, state: State, place: CodeSite, relocation: Relocation | None) -> None:
        name, (*registers, memory) = place.instruction.name, place.instruction.operands
        kind = _LOAD_OR_STORE.fullmatch(name)
        if not isinstance(memory, Memory) or memory.size == 0 or kind is None:
            raise UnprovableCodeError(place.offset, f"the instruction `{name}`")
        if relocation is not None and relocation.kind == _THREAD_SLOT:
            self._load_slot(state, place, memory, relocation)
            return
        address, moved = self._addresses(state, place, memory, relocation)
        grows = memory.writes_back != "" and memory.base == self.stack_pointer and memory.moves_by < 0
        if grows:
            self.move_stack(state, place, moved)  # what is stored lies above the pointer then
        each, spot = memory.size // len(registers), (place.offset, len(registers))
        places = [plus(address, constant(number * each)) for number in range(len(registers))]
        if kind[1] == "st":
            for number, one in enumerate(places):
                value = self.value(state, place, number) if each in {HALF // 8, WORD // 8} else None
                self.memory.store(state, spot, one, each, value)
        else:
            self._load(state, place, places, each)
        if memory.writes_back and not grows:
            self.put(state, place, Register(memory.base, WORD), moved)

    def _load(self, state: State, place: CodeSite, places: Sequence[Value], each: int) -> None:
        """`each`: bytes into every register."""
        name, registers = place.instruction.name, place.instruction.operands[:-1]
        if any(isinstance(one, Register) and one.name == self.frame_pointer for one in registers):
            self._restore_frame(state, place, places[0])
            return
        keeps_sign = name in {"ldrsw", "ldursw", "ldpsw"} or name.endswith(("sb", "sh"))
        loaded = [self.memory.load(state, (place.offset, len(registers)), one, each) for one in places]
        for register, value in zip(registers, loaded, strict=True):
            known = value
            if keeps_sign and each == HALF // 8:
                known = self.extended(value, True, HALF)
            elif not keeps_sign and each < HALF // 8:
                known = self.atoms.fresh((0, (1 << (8 * each)) - 1))
            self.put(state, place, register, known)

    def _addresses(
        self, state: State, place: CodeSite, memory: Memory, relocation: Relocation | None
    ) -> tuple[Value, Value]:
        """Of the access, and what the base register holds afterwards where the instruction moves it."""
        base = address = self.register(state, memory.base)
        if memory.writes_back != "behind":
            address = plus(address, constant(memory.displacement))
        if memory.index is not None:
            address = plus(address, self.of_register(state, memory.index) or self.atoms.fresh())
        if relocation is not None:
            if relocation.kind not in _PLACE_IN_PAGE:
                raise UnprovableCodeError(place.offset, f"a relocation of kind {relocation.kind}")
            address = plus(address, self._in_page(relocation))
        return address, plus(base, constant(memory.moves_by))

    def _restore_frame(self, state: State, place: CodeSite, address: Value) -> None:
        """The two words of the link hold what was stored there: no other store may reach them."""
        begin, end = self.memory.link
        names = tuple(one.name for one in place.instruction.operands if isinstance(one, Register))
        is_link = begin < end and self.memory.frame_offset(address) == begin
        if names != (self.frame_pointer, self.link_register) or not is_link:
            raise UnprovableCodeError(place.offset, "a frame pointer from somewhere else")
        state.registers[self.frame_pointer], state.registers[self.link_register] = self.caller, self.back

    def _load_slot(self, state: State, place: CodeSite, memory: Memory, relocation: Relocation) -> None:
        """From the linker's own table: where a variable of the thread's lies."""
        known = self.register(state, memory.base) == self._slot(relocation) and memory.displacement == 0
        if place.instruction.name != "ldr" or not known or relocation.symbol.kind != "STT_TLS" or relocation.addend:
            raise UnprovableCodeError(place.offset, "the linker's table, used in an unsupported way")
        self.assign(state, place, self.memory.address_of(relocation.symbol, 0))

    def _relocated(self, state: State, place: CodeSite, relocation: Relocation) -> None:
        name, operands, kind = place.instruction.name, place.instruction.operands, relocation.kind
        is_thread = relocation.symbol.kind == "STT_TLS"
        base = self.value(state, place, 1) if name == "add" and operands[-1] == Number(0) else None
        if name == "adrp" and kind == (_THREAD_SLOT_PAGE if is_thread else _PAGE):
            value = self._slot(relocation) if is_thread else self._part("page", relocation)
        elif base is not None and kind in ({_THREAD_HIGH, _THREAD_LOW} if is_thread else {_PAGE_OFFSET}):
            part = self._part("high", relocation) if kind == _THREAD_HIGH else self._behind("high", relocation)
            value = plus(base, part if is_thread else self._behind("page", relocation))
        else:
            raise UnprovableCodeError(place.offset, f"a relocation of kind {kind}")
        self.assign(state, place, value)

    def _in_page(self, relocation: Relocation) -> Value:
        """What is to be added to the page's address, which cancels out."""
        return self.atoms.fresh() if relocation.symbol.kind == "STT_TLS" else self._behind("page", relocation)

    def _behind(self, what: str, relocation: Relocation) -> Value:
        return minus(self.memory.address_of(relocation.symbol, relocation.addend), self._part(what, relocation))

    def _part(self, what: str, relocation: Relocation) -> Value:
        symbol = relocation.symbol
        return self.atoms.named((what, symbol.section, symbol.name, symbol.value, relocation.addend))

    def _slot(self, relocation: Relocation) -> Value:
        return self.atoms.named(("slot", relocation.symbol.name, relocation.symbol.section, relocation.addend))
