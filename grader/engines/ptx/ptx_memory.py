"""Loads, stores, atomic functions, asynchronous copies and matrices of PTX as calls of the kit's functions, which announce them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from grader.engines.ptx.ptx_reader import (
    SPACES,
    WIDTHS,
    Instruction,
    Operand,
    is_float,
    is_signed,
)
from grader.engines.ptx.ptx_registers import KIT, Emit, Registers, address, operands, parts_of, refuse, truth

# No cache is modelled, so what chooses one changes nothing.
_CACHE_WORDS = """
    ca cg cs lu cv wb wt nc L1:evict_normal L1:evict_unchanged L1:evict_first L1:evict_last L1:no_allocate L2:64B L2:128B
    L2:256B L2:evict_normal L2:evict_first L2:evict_last
"""
_CACHES = frozenset(_CACHE_WORDS.split())
_LDMATRIX = re.compile(r"sync\.aligned\.m8n8\.x([124])(\.trans)?\.shared(?::cta)?\.b16")
_SCOPES = frozenset({"cta", "gpu", "sys"})
_VECTORS = {"v2": 2, "v4": 4}
_WIDEST = 128
# CUDA's functions, and the types that they have.
_ATOMIC = {
    **{name: name.capitalize() for name in ("add", "min", "max", "and", "or", "xor", "exch", "inc", "dec")},
    "cas": "CAS",
}
_ATOMIC_OF = {
    "u32": "unsigned", "b32": "unsigned", "s32": "int", "f32": "float", "u64": "unsigned long long", "b64": "unsigned long long",
    "s64": "long long", "f64": "double",
}  # fmt: skip
_ATOMIC_TYPES = {
    "add": ("u32", "s32", "u64", "f32", "f64"),
    "min": ("u32", "s32", "u64", "s64"),
    "max": ("u32", "s32", "u64", "s64"),
    **dict.fromkeys(("and", "or", "xor", "exch", "cas"), ("b32", "b64")),
    **dict.fromkeys(("inc", "dec"), ("u32",)),
}


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
    place = f"{SPACES[space]}, {truth(said & {'volatile', 'relaxed', 'acquire'})}, {address(registers, where, narrow=space == 'shared')}"
    parts = parts_of(target, count) if count > 1 else (target,)
    width = WIDTHS[kind]
    if width * count > _WIDEST:
        raise refuse(instruction)
    kept = registers.variable()
    if width * count == _WIDEST:
        code = [f"const uint4 {kept}w = {KIT}load_16({place});"]
        values = [f"{kept}w.{name}" for name in "xyzw"]
        if width == 64:  # noqa: PLR2004 -- two elements of two words
            pairs = values[:2], values[2:]
            values = [f"({low} | static_cast<unsigned long long>({high}) << 32)" for low, high in pairs]
    else:
        code = [f"{kept} = {KIT}load({width * count // 8}, {place});"]
        values = [f"({kept} >> {width * at} & {(1 << width) - 1:#x}ull)" for at in range(count)]
    for part, value in zip(parts, values, strict=True):
        widened = f"{KIT}convert({_SIGNED[width]}, 7, 0, false, {value})" if is_signed(kind) and width < 64 else value  # noqa: PLR2004
        code.append(registers.write(part, kind, widened, wider=not is_float(kind)))
    if "acquire" in said:
        code.append(_fence(said))
    return code


def _fence(said: set[str]) -> str:
    return f"::__threadfence{'_block' if 'cta' in said else ''}();"


_SIGNED = {8: 4, 16: 5, 32: 6}  # types of `convert`


def _store(instruction: Instruction, registers: Registers) -> list[str]:
    space, count, kind, said = _split(instruction, *(one for one in _STRONG if one not in {"acquire", "mmio"}))
    if space == "const":
        raise refuse(instruction)
    where, given = operands(instruction, 2)
    place = f"{SPACES[space]}, {truth(said & {'volatile', 'relaxed', 'release'})}, {address(registers, where, narrow=space == 'shared')}"
    width = WIDTHS[kind]
    parts = parts_of(given, count) if count > 1 else (given,)
    values = [registers.read(part, kind, wider=not is_float(kind)) for part in parts]
    code = [_fence(said)] if "release" in said else []
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
    scope = "" if space == "shared" else "_block" if "cta" in said else "_system" if "sys" in said else ""
    of = _ATOMIC_OF[kind if name in {"min", "max"} or is_float(kind) else f"u{kind[1:]}"]  # sums wrap around
    place = f"{SPACES[space]}, {address(registers, where, narrow=space == 'shared')}, sizeof({of})"
    values = ", ".join(f"{KIT}value_of<{of}>({registers.read(one, kind)})" for one in (first, *others))
    call = f"{KIT}bits_of(::atomic{_ATOMIC[name]}{scope}(static_cast<{of}*>({KIT}place({place}, 2)), {values}))"
    fence = _fence(said)
    code = [fence] if said & {"release", "acq_rel"} else []
    code.append(registers.write(target[0], kind, call) if returns else f"{call};")
    return [*code, fence] if said & {"acquire", "acq_rel"} else code


# `ldmatrix` and `mma.sync`.

# By shape and by the types of a and b: the number in matrix_fragments.cpp, and how many registers of a and of b a lane gives.
_SHAPES = {
    **dict.fromkeys((("m16n8k8", "f16"), ("m16n8k8", "bf16")), (0, 2, 1)),
    **dict.fromkeys((("m16n8k16", "f16"), ("m16n8k16", "bf16")), (1, 4, 2)),
    ("m16n8k4", "tf32"): (2, 2, 1),
    ("m16n8k8", "tf32"): (0, 4, 2),
}
_OPERANDS = {"f16": 0, "bf16": 1, "tf32": 2}
_SUMS = {("f32", "f32"): 0, ("f16", "f16"): 1, ("f16", "f32"): 2, ("f32", "f16"): 3}
_WORDS_OF_SUM = {"f32": 4, "f16": 2}


def _load_matrices(instruction: Instruction, registers: Registers) -> list[str]:
    said = _LDMATRIX.fullmatch(".".join(instruction.opcode[1:]))
    if said is None:
        raise refuse(instruction)
    count, transposed = int(said[1]), said[2]
    target, where = operands(instruction, 2)
    kept = f"{registers.variable()}w"
    place = address(registers, where, narrow=True)
    code = f"const uint4 {kept} = {KIT}load_matrices({count}, {truth(transposed)}, {place});"
    return [code, *_spread(registers, target, count, "b32", kept)]


def _spread(registers: Registers, target: Operand, count: int, kind: str, kept: str) -> Iterator[str]:
    """The words of a uint4, into as many registers."""
    for part, letter in zip(parts_of(target, count), "xyzw", strict=False):
        yield registers.write(part, kind, f"{kept}.{letter}")


def _multiply_matrices(instruction: Instruction, registers: Registers) -> list[str]:
    said = instruction.opcode[1:]
    if said[:2] != ("sync", "aligned") or said[3:5] != ("row", "col") or len(said) != 9:  # noqa: PLR2004 -- and four types
        raise refuse(instruction)
    sum_, left, right, added = said[5:]
    shape, sums = _SHAPES.get((said[2], left)), _SUMS.get((sum_, added))
    if shape is None or sums is None or left != right or (left != "f16" and sums != 0):
        raise refuse(instruction)
    d, a, b, c = operands(instruction, 4)
    kinds = {"f16": "b32", "f32": "f32"}
    number, of_a, of_b = shape
    a_words = _words(registers, parts_of(a, of_a), "b32")
    b_words = [registers.read(one, "b32") for one in parts_of(b, of_b)]
    b_words += ["0ull"] * (2 - len(b_words))
    c_words = _words(registers, parts_of(c, _WORDS_OF_SUM[added]), kinds[added])
    kept = f"{registers.variable()}w"
    given = f"{number}, {_OPERANDS[left]}, {sums}, {a_words}, {', '.join(b_words)}, {c_words}"
    code = f"const uint4 {kept} = {KIT}multiply_matrices({given});"
    return [code, *_spread(registers, d, _WORDS_OF_SUM[sum_], kinds[sum_], kept)]


def _words(registers: Registers, parts: Sequence[Operand], kind: str) -> str:
    """Up to four words as a uint4."""
    values = [registers.read(one, kind) for one in parts]
    values += ["0ull"] * (4 - len(values))
    return f"uint4{{{', '.join(f'static_cast<unsigned>({value})' for value in values)}}}"


MEMORY: dict[str, Emit] = {
    **dict.fromkeys(("ld", "ldu"), _load),
    "st": _store,
    **dict.fromkeys(("atom", "red"), _atomic),
    "ldmatrix": _load_matrices,
    "mma": _multiply_matrices,
}
