"""`mbarrier` of PTX and bulk copies of one dimension as calls of the kit's functions. Loops that wait are one instruction here."""

from __future__ import annotations

import re

from grader.engines.inline_ptx.ptx_memory import generic_address, shared_address
from grader.engines.inline_ptx.ptx_operands import Emit, operands, refuse, truth
from grader.engines.inline_ptx.ptx_registers import KIT, Registers
from grader.engines.inline_ptx.ptx_syntax import Instruction, Name, Operand

# `L: mbarrier.try_wait… p, …; @p bra D; bra L; D:` and the same without the second label: `@!p bra L;`
_LOOP = re.compile(
    r"(?P<label>[\w$%]+)\s*:\s*(?P<begin>mbarrier\.(?:try|test)_wait)(?P<rest>[^;]*?\s(?P<p>[\w%]+)\s*,[^;]*;)\s*"
    r"(?:@(?P=p)\s+bra(?:\.uni)?\s+(?P<done>[\w$%]+)\s*;\s*bra(?:\.uni)?\s+(?P=label)\s*;\s*(?P=done)\s*:"
    r"|@!(?P=p)\s+bra(?:\.uni)?\s+(?P=label)\s*;)"
)
_ORDERS = frozenset({"release", "acquire", "relaxed", "cta", "cluster"})


def loops_as_waits(text: str) -> str:
    """The same text, as long as before: a loop around a wait is a wait that does not give up."""

    def one(found: re.Match[str]) -> str:
        blank = " " * (found.start("begin") - found.start())
        wait = f"{blank}mbarrier.wait{found['rest']}"
        return wait.ljust(len(found[0])) if len(wait) <= len(found[0]) else found[0]

    return _LOOP.sub(one, text)


def of_barriers(instruction: Instruction, registers: Registers) -> list[str] | None:
    """The statements for this instruction, or None where it is none of mbarriers."""
    if instruction.opcode[:3] == ("cp", "async", "bulk"):
        return _bulk(instruction, registers)
    if instruction.opcode[0] == "fence" and instruction.opcode[1:] in _FENCES:
        operands(instruction, 0)
        return [f"{KIT}fence(true);"]
    if instruction.opcode[0] != "mbarrier":
        return None
    emit = _TABLE.get(instruction.opcode[1] if len(instruction.opcode) > 1 else "")
    if emit is None or instruction.opcode[-1] != "b64":
        raise refuse(instruction)
    return emit(instruction, registers)


# What makes a barrier or shared memory known to the unit that copies.
_FENCES = {
    ("mbarrier_init", "release", "cluster"),
    ("proxy", "async"),
    ("proxy", "async", "shared:cta"),
    ("proxy", "async", "global"),
}


def _said(instruction: Instruction, *allowed: str) -> tuple[str, set[str]]:
    """Where the barrier is, as the kit's first argument, and the words behind the name."""
    words = [one.removesuffix(":cta") for one in instruction.opcode[2:-1]]
    if set(words) - {"shared", *_ORDERS, *allowed}:
        raise refuse(instruction)
    return truth("shared" in words), set(words)


def _init(instruction: Instruction, registers: Registers) -> list[str]:
    shared, _ = _said(instruction)
    where, count = operands(instruction, 2)
    return [f"{KIT}init_mbarrier({shared}, {_place(registers, where, shared)}, {registers.read(count, 'b32')});"]


def _invalidate(instruction: Instruction, registers: Registers) -> list[str]:
    shared, _ = _said(instruction)
    (where,) = operands(instruction, 1)
    return [f"(void)({_place(registers, where, shared)});"]


def _arrive(instruction: Instruction, registers: Registers) -> list[str]:
    shared, said = _said(instruction, "expect_tx", "noComplete")
    if "noComplete" in said:
        raise refuse(instruction)
    state, where, *given = operands(instruction, 2, 3)
    number = registers.read(given[0], "b32") if given else ""
    expects = "expect_tx" in said
    if expects and not given:
        raise refuse(instruction)
    count, size = ("1", number) if expects else (number or "1", "0")
    drops = truth(instruction.opcode[1] == "arrive_drop")
    call = f"{KIT}arrive_at_mbarrier({shared}, {_place(registers, where, shared)}, {count}, {size}, {drops})"
    return [f"(void){call};" if state == Name("_") else registers.write(state, "b64", call)]


def _expect(instruction: Instruction, registers: Registers) -> list[str]:
    shared, _ = _said(instruction)
    where, size = operands(instruction, 2)
    return [f"{KIT}expect_at_mbarrier({shared}, {_place(registers, where, shared)}, {registers.read(size, 'b32')});"]


def _wait(instruction: Instruction, registers: Registers) -> list[str]:
    shared, said = _said(instruction, "parity")
    target, where, phase, *_hint = operands(instruction, 3, 4)
    by_parity = "parity" in said
    asked = registers.read(phase, "b32" if by_parity else "b64")
    tries = truth(instruction.opcode[1] != "wait")
    call = f"{KIT}await_mbarrier({shared}, {_place(registers, where, shared)}, {asked}, {truth(by_parity)}, {tries})"
    return [registers.write(target, "pred", call)]


def _bulk(instruction: Instruction, registers: Registers) -> list[str]:
    """From global to shared memory, completed by an mbarrier."""
    words = list(instruction.opcode[3:])
    if words not in (
        ["shared:cluster", "global", "mbarrier:complete_tx:bytes"],
        ["shared:cta", "global", "mbarrier:complete_tx:bytes"],
    ):
        raise refuse(instruction)
    to, source, size, barrier = operands(instruction, 4)
    places = f"{shared_address(registers, to)}, {generic_address(registers, source)}"
    return [f"{KIT}copy_bulk({places}, {registers.read(size, 'b32')}, {shared_address(registers, barrier)});"]


def _place(registers: Registers, where: Operand, shared: str) -> str:
    return shared_address(registers, where) if shared == "true" else generic_address(registers, where)


_TABLE: dict[str, Emit] = {
    "init": _init,
    "inval": _invalidate,
    "arrive": _arrive,
    "arrive_drop": _arrive,
    "expect_tx": _expect,
    "try_wait": _wait,
    "test_wait": _wait,
    "wait": _wait,
}
