"""Loads, stores, atomic functions, asynchronous copies and fences of PTX as calls of the kit's functions, which announce them."""

from __future__ import annotations

from grader.engines.ptx.ptx_reader import (
    SPACES,
    WIDTHS,
    Address,
    Instruction,
    NotUnderstoodError,
    Operand,
    is_float,
    is_signed,
)
from grader.engines.ptx.ptx_registers import KIT, Emit, Registers, operands, parts_of, refuse, truth

# No cache is modelled, so what chooses one changes nothing.
_CACHE_WORDS = """
    ca cg cs lu cv wb wt nc L1:evict_normal L1:evict_unchanged L1:evict_first L1:evict_last L1:no_allocate L2:64B L2:128B
    L2:256B L2:evict_normal L2:evict_first L2:evict_last
"""
_CACHES = frozenset(_CACHE_WORDS.split())
_SCOPES = frozenset({"cta", "gpu", "sys"})
_VECTORS = {"v2": 2, "v4": 4}
_WIDEST = 128
# The numbers are those of ptx_memory.cpp. Where two types differ, the signed one has the second.
_ATOMIC = {"add": 0, "min": 1, "max": 2, "and": 5, "or": 6, "xor": 7, "exch": 8, "cas": 9, "inc": 10, "dec": 11}
_SIGNED_ATOMIC = {"min": 3, "max": 4}
_FLOAT_ADD = 12
_OF_BLOCK, _OF_SYSTEM = 32, 64
_ATOMIC_TYPES = {
    "add": ("u32", "s32", "u64", "f32", "f64"),
    "min": ("u32", "s32", "u64", "s64"),
    "max": ("u32", "s32", "u64", "s64"),
    **dict.fromkeys(("and", "or", "xor", "exch", "cas"), ("b32", "b64")),
    **dict.fromkeys(("inc", "dec"), ("u32",)),
}


def memory(instruction: Instruction, registers: Registers) -> list[str] | None:
    """The statements for this instruction, or None where it is none of memory."""
    emit = _TABLE.get(instruction.opcode[0])
    return emit(instruction, registers) if emit else None


def _address(registers: Registers, operand: Operand, *, narrow: bool) -> str:
    """`narrow`: of shared memory, whose addresses have 32 bits in either kind of register."""
    if not isinstance(operand, Address):
        message = "an operand without `[ ]` where an address belongs"
        raise NotUnderstoodError(message)
    constant = registers.constant(operand.base)
    if constant is not None:
        base = constant
    else:
        register = registers.register(operand.base)
        if register.width not in {32, 64} or (not narrow and register.width != 64):  # noqa: PLR2004 -- bits of a pointer
            message = f"an address in a register of {register.width} bits"
            raise NotUnderstoodError(message)
        base = register.code
    return f"{base} + {operand.offset & (1 << 64) - 1:#x}ull" if operand.offset else base


def shared_address(registers: Registers, operand: Operand) -> str:
    return _address(registers, operand, narrow=True)


def _split(instruction: Instruction, *allowed: str) -> tuple[str, int, str, set[str]]:
    """The space, the number of elements, their type, and the other words."""
    said = [one.removesuffix(":cta") if one.startswith("shared") else one for one in instruction.opcode[1:-1]]
    kind = instruction.opcode[-1]
    spaces = [one for one in said if one in SPACES]
    vectors = [_VECTORS[one] for one in said if one in _VECTORS]
    others = set(said) - set(SPACES) - set(_VECTORS) - _CACHES
    if kind not in WIDTHS or kind == "pred" or len(spaces) > 1 or len(vectors) > 1 or others - set(allowed):
        raise refuse(instruction)
    return (spaces or [""])[0], (vectors or [1])[0], kind, others


_STRONG = ("volatile", "relaxed", "acquire", "release", "cta", "gpu", "sys", "weak", "mmio")


def _load(instruction: Instruction, registers: Registers) -> list[str]:
    space, count, kind, said = _split(instruction, *(one for one in _STRONG if one not in {"release", "mmio"}))
    target, where = operands(instruction, 2)
    place = f"{SPACES[space]}, {truth(said & {'volatile', 'relaxed', 'acquire'})}, {_address(registers, where, narrow=space == 'shared')}"
    parts = parts_of(target, count) if count > 1 else (target,)
    width = WIDTHS[kind]
    code = []
    if width * count == _WIDEST:
        kept = registers.variable()
        code.append(f"const uint4 {kept}w = {KIT}load_16({place});")
        words = [f"{kept}w.{name}" for name in "xyzw"]
        if width == 64:  # noqa: PLR2004 -- two elements of two words
            words = [f"({low} | static_cast<unsigned long long>({high}) << 32)" for low, high in (words[:2], words[2:])]
        values = words
    elif width * count > _WIDEST:
        raise refuse(instruction)
    else:
        kept = registers.variable()
        code.append(f"{kept} = {KIT}load({width * count // 8}, {place});")
        values = [f"({kept} >> {width * at} & {(1 << width) - 1:#x}ull)" for at in range(count)]
    for part, value in zip(parts, values, strict=True):
        widened = f"{KIT}convert({_SIGNED[width]}, 7, 0, false, {value})" if is_signed(kind) and width < 64 else value  # noqa: PLR2004
        code.append(registers.write(part, kind, widened, wider=not is_float(kind)))
    if "acquire" in said:
        code.append(f"{KIT}fence({truth('cta' in said)});")
    return code


_SIGNED = {8: 4, 16: 5, 32: 6}  # types of `convert`


def _store(instruction: Instruction, registers: Registers) -> list[str]:
    space, count, kind, said = _split(instruction, *(one for one in _STRONG if one not in {"acquire", "mmio"}))
    if space == "const":
        raise refuse(instruction)
    where, given = operands(instruction, 2)
    place = f"{SPACES[space]}, {truth(said & {'volatile', 'relaxed', 'release'})}, {_address(registers, where, narrow=space == 'shared')}"
    width = WIDTHS[kind]
    parts = parts_of(given, count) if count > 1 else (given,)
    values = [registers.read(part, kind, wider=not is_float(kind)) for part in parts]
    code = [f"{KIT}fence({truth('cta' in said)});"] if "release" in said else []
    if width * count > _WIDEST:
        raise refuse(instruction)
    if width * count == _WIDEST:
        if width == 64:  # noqa: PLR2004 -- two elements of two words
            values = [half for value in values for half in (f"{value} & 0xffffffffull", f"{value} >> 32")]
        words = ", ".join(f"static_cast<unsigned>({value})" for value in values)
        return [*code, f"{KIT}store_16({place}, uint4{{{words}}});"]
    value = " | ".join(f"({one} << {width * at})" for at, one in enumerate(values))
    return [*code, f"{KIT}store({width * count // 8}, {place}, {value});"]


def _atomic(instruction: Instruction, registers: Registers) -> list[str]:
    space, count, kind, said = _split(instruction, *_ATOMIC, *_SCOPES, "relaxed", "acquire", "release", "acq_rel")
    names = said & set(_ATOMIC)
    if count > 1 or len(names) != 1 or len(said & _SCOPES) > 1 or space in {"const", "local"}:
        raise refuse(instruction)
    name = names.pop()
    if kind not in _ATOMIC_TYPES[name]:
        raise refuse(instruction)
    returns = instruction.opcode[0] == "atom"
    if not returns and name in {"exch", "cas"}:
        raise refuse(instruction)
    given = list(operands(instruction, 2 + returns + (name == "cas")))
    target = [given.pop(0)] if returns else []
    where, first, *others = given
    operation = _SIGNED_ATOMIC.get(name, _ATOMIC[name]) if is_signed(kind) else _ATOMIC[name]
    operation = _FLOAT_ADD if is_float(kind) else operation
    if space != "shared":
        operation += _OF_BLOCK if "cta" in said else _OF_SYSTEM if "sys" in said else 0
    values = f"{registers.read(first, kind)}, {registers.read(others[0], kind) if others else '0ull'}"
    place = f"{SPACES[space]}, {operation}, {_address(registers, where, narrow=space == 'shared')}"
    call = f"{KIT}atomic_{WIDTHS[kind] // 8}({place}, {values})"
    fence = f"{KIT}fence({truth('cta' in said)});"
    code = [fence] if said & {"release", "acq_rel"} else []
    code.append(registers.write(target[0], kind, call) if returns else f"{call};")
    return [*code, fence] if said & {"acquire", "acq_rel"} else code


def _copy(instruction: Instruction, registers: Registers) -> list[str]:
    said = instruction.opcode[2:] if instruction.opcode[1:2] == ("async",) else ("?",)
    if said == ("commit_group",):
        operands(instruction, 0)
        return [f"{KIT}commit_copies();"]
    if said == ("wait_all",):
        operands(instruction, 0)
        return [f"{KIT}await_copies(0, true);"]
    if said == ("wait_group",):
        (count,) = operands(instruction, 1)
        number = registers.constant(count)
        if number is None:
            raise refuse(instruction)
        return [f"{KIT}await_copies(static_cast<unsigned>({number}), false);"]
    words = [one.removesuffix(":cta") for one in said if not one.startswith("L2:")]
    if words not in (["ca", "shared", "global"], ["cg", "shared", "global"]) or any(
        "cache_hint" in one for one in said
    ):
        raise refuse(instruction)
    to, source, size, *filled = operands(instruction, 3, 4)
    number = registers.constant(size)
    if number is None:
        raise refuse(instruction)
    sizes = (16,) if words[0] == "cg" else (4, 8, 16)
    fits = " || ".join(f"{number} == {one}" for one in sizes)
    read = f"{registers.read(filled[0], 'b32')}" if filled else f"{number}"
    place = f"{_address(registers, to, narrow=True)}, {_address(registers, source, narrow=False)}"
    return [
        f'static_assert({fits}, "the size of this copy is not allowed");',
        f"{KIT}copy_async({place}, {number}, static_cast<unsigned>({read}));",
    ]


def _to_space(instruction: Instruction, registers: Registers) -> list[str]:
    *said, kind = [one.removesuffix(":cta") for one in instruction.opcode[1:]]
    into = said[:1] == ["to"]
    said = said[1:] if into else said
    if len(said) != 1 or said[0] not in {"global", "shared", "local", "const"} or kind != "u64":
        raise refuse(instruction)
    target, given = operands(instruction, 2)
    function = "to_space" if into else "from_space"
    return [registers.write(target, kind, f"{KIT}{function}({SPACES[said[0]]}, {registers.read(given, kind)})")]


def _is_in_space(instruction: Instruction, registers: Registers) -> list[str]:
    said = [one.removesuffix(":cta") for one in instruction.opcode[1:]]
    if len(said) != 1 or said[0] not in {"global", "shared", "local", "const"}:
        raise refuse(instruction)
    target, given = operands(instruction, 2)
    value = f"{KIT}is_in_space({SPACES[said[0]]}, {registers.read(given, 'b64')}) ? 1ull : 0ull"
    return [registers.write(target, "pred", value)]


def _fence(instruction: Instruction, registers: Registers) -> list[str]:
    del registers
    operands(instruction, 0)
    said = instruction.opcode[1:]
    scope = said[-1] if said else ""
    known = {"cta": True, "gl": False, "gpu": False, "sys": False}
    if scope not in known or said[:-1] not in {(), ("sc",), ("acq_rel",)}:
        raise refuse(instruction)
    return [f"{KIT}fence({truth(known[scope])});"]


def _prefetch(instruction: Instruction, registers: Registers) -> list[str]:
    """A prefetch accesses nothing that a program could notice."""
    if set(instruction.opcode[1:]) - {"global", "L1", "L2", "L2:evict_last", "L2:evict_normal"}:
        raise refuse(instruction)
    (where,) = operands(instruction, 1)
    return [f"(void)({_address(registers, where, narrow=False)});"]


_TABLE: dict[str, Emit] = {
    "ld": _load,
    "ldu": _load,
    "st": _store,
    "atom": _atomic,
    "red": _atomic,
    "cp": _copy,
    "cvta": _to_space,
    "isspacep": _is_in_space,
    "membar": _fence,
    "fence": _fence,
    "prefetch": _prefetch,
    "prefetchu": _prefetch,
}
