"""The table of PTX instructions, each with the C++ that does the same, and those that need more than a row: numbers of any type."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from grader.engines.ptx.ptx_reader import (
    FLOAT_OPERATIONS,
    KIT,
    NUMBER_OF_NAN,
    RELATIONS,
    ROUNDINGS,
    SATURATED,
    SPACES,
    TYPES,
    WIDTHS,
    Both,
    Emit,
    Instruction,
    Not,
    Number,
    Operand,
    Registers,
    Vector,
    address,
    base_type,
    is_float,
    is_signed,
    kind_of,
    modifiers,
    operands,
    parts_of,
    refuse,
    truth,
)

# Loads, stores, atomic functions and matrices as calls of the kit's functions, which announce them.

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
_ATOMIC = {name: name.capitalize() for name in ["add", "min", "max", "and", "or", "xor", "exch", "inc", "dec"]} | {
    "cas": "CAS"
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


# What groups of a row's words stand for, where it is not the words themselves: numbers that the kit's functions know them by, and parts of
# the names of CUDA's functions.
_MEANINGS: dict[str, Mapping[str, object]] = {
    "relation": RELATIONS,
    "join": {"and": "&", "or": "|", "xor": "^"},
    "mode": {"up": 0, "down": 1, "bfly": 2, "idx": 3},
    "where": {"global": "Global", "shared": "Shared", "local": "Local", "const": "Constant"},
    "block": {"cta": "_block"},
}


@dataclass(frozen=True)
class Row:
    """`words`: a pattern of what stands behind an instruction's first word. Its group `T` is the type, `is_…` a truth, the others are
    words or what _MEANINGS makes of them. `given`: what the operands are. "=b32": a register that the result goes to; "=b32|p": and a
    predicate beside it, or none; "b32": what is read; "T", "W": of the type, of one twice as wide; "p": a predicate; "n": a constant; "0":
    nothing else; "a", "g": an address of shared memory, of any. `code`: an expression, or a statement where it has no result. `first`,
    `second`: what goes to the two registers, of what the expression gave.
    """

    names: str
    words: str
    given: str
    code: str
    first: str = "{kept}"
    second: str = ""
    pattern: re.Pattern[str] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "pattern", re.compile(self.words))

    def emit(self, said: re.Match[str], instruction: Instruction, registers: Registers) -> list[str]:
        kinds = self.given.split()
        kind = said.groupdict().get("T") or ""
        types = {"T": kind, "W": f"{kind[:1]}{WIDTHS.get(kind, 0) * 2}"}
        given = list(operands(instruction, len(kinds)))
        target = given.pop(0) if self.given.startswith("=") else None
        into = kinds.pop(0)[1:] if target else ""
        values = [_read(instruction, registers, one, types.get(of, of)) for one, of in zip(given, kinds, strict=True)]
        told: dict[str, object] = {name: _told(name, text) for name, text in said.groupdict().items()}
        if kind:
            told |= {"type": TYPES.get(base_type(kind)), "width": WIDTHS[kind], "signed": truth(is_signed(kind))}
            told["widest"] = TYPES.get(f"{kind[0]}64")
        code = self.code.format(*(one for one, of in zip(values, kinds, strict=True) if of != "0"), kit=KIT, **told)
        if target is None:
            return [code]
        result, bar, _ = into.partition("|")
        if not bar:
            return [registers.write(target, types.get(result, result), code)]
        kept = registers.variable()
        first, second = (target.first, target.second) if isinstance(target, Both) else (target, None)
        lines = [f"{kept} = {code};", registers.write(first, result, self.first.format(*values, kept=kept, **told))]
        value = self.second.format(*values, kept=kept, **told)
        return lines + ([registers.write(second, "pred", value)] if second else [])


def _told(group: str, text: str | None) -> object:
    return truth(text) if group.startswith("is_") else _MEANINGS.get(group, {}).get(text or "", text or "")


def _read(instruction: Instruction, registers: Registers, operand: Operand, kind: str) -> str:
    if kind in {"p", "pred"}:
        value = registers.predicate(operand)
        return value if kind == "p" else f"({value} ? 1ull : 0ull)"
    if kind in {"a", "g"}:
        return address(registers, operand, narrow=kind == "a")
    if kind == "0":  # of the sixteen barriers of a block, only that of __syncthreads() is known here
        if operand != Number(0):
            raise refuse(instruction)
        return ""
    if kind != "n":
        return registers.read(operand, kind)
    constant = registers.constant(operand)
    if constant is None:
        raise refuse(instruction)
    return constant


_I, _I32 = r"(?P<T>[us](?:16|32|64))", r"(?P<T>[us](?:32|64))"
_B, _B32 = r"(?P<T>b(?:16|32|64)|pred)", r"(?P<T>b(?:32|64))"
_ANY = rf"(?P<T>{'|'.join(name for name in WIDTHS if name != 'pred')})"
_SPACE = r"(?P<where>global|shared|local|const)(?::cta)?"
_SYNC, _REDUCES = r"(?:cta\.)?sync(?:\.aligned)?", r"(?:cta\.)?red(?:\.aligned)?\."
_LESS = f"{{kit}}compare({{type}}, {RELATIONS['lt']}, "
_WIDE = "{kit}convert({type}, {widest}, 0, false, {0}) * {kit}convert({type}, {widest}, 0, false, {1})"
_POINTER = "reinterpret_cast<const void*>({0})"
_NUMBER = rf"(?P<T>{'|'.join(one for one in WIDTHS if base_type(one) in TYPES and one != 'tf32')})"
_RELATION = rf"(?P<relation>{'|'.join(RELATIONS)})\."
_HOLDS = "{kit}compare({type}, {relation}, {0}, {1}) ? 1ull : 0ull"
_CP_ASYNC = r"async\.(?:(?P<is_small>ca)|cg)\.shared(?::cta)?\.global(?:\.L2:(?!cache_hint)\w+)*"
_COPY = (
    'static_assert({2} == 16 || ({is_small} && ({2} == 4 || {2} == 8)), "the size of this copy is not allowed"); '
    "::pipeline_on_cpu::copy({kit}place(2, {0}, {2}, 1), {kit}place(1, {1}, {2}, 0), {2}, "
)
_HIGH = "{kit}multiply_high({0}, {1}, {width}, {signed})"

_TABLE = (
    Row("add", _I, "=T T T", "{0} + {1}"),
    Row("sub", _I, "=T T T", "{0} - {1}"),
    Row("min", _I, "=T T T", _LESS + "{1}, {0}) ? {1} : {0}"),
    Row("max", _I, "=T T T", _LESS + "{0}, {1}) ? {1} : {0}"),
    Row("neg", _I, "=T T", "0ull - {0}"),
    Row("abs", _I, "=T T", _LESS + "{0}, 0ull) ? 0ull - {0} : {0}"),
    Row("div", _I, "=T T T", "{kit}divide({0}, {1}, {width}, {signed})"),
    Row("rem", _I, "=T T T", "{kit}remainder({0}, {1}, {width}, {signed})"),
    Row("mul", rf"lo\.{_I}", "=T T T", "{0} * {1}"),
    Row("mad", rf"lo\.{_I}", "=T T T T", "{0} * {1} + {2}"),
    Row("mul", rf"hi\.{_I}", "=T T T", _HIGH),
    Row("mad", rf"hi\.{_I}", "=T T T T", _HIGH + " + {2}"),
    Row("mul", r"wide\.(?P<T>[us](?:16|32))", "=W T T", _WIDE),
    Row("mad", r"wide\.(?P<T>[us](?:16|32))", "=W T T W", _WIDE + " + {2}"),
    Row("and", _B, "=T T T", "{0} & {1}"),
    Row("or", _B, "=T T T", "{0} | {1}"),
    Row("xor", _B, "=T T T", "{0} ^ {1}"),
    Row("not", _B, "=T T", "~{0}"),
    Row("shl", r"(?P<T>b(?:16|32|64))", "=T T b32", "{kit}shift_left({0}, {1}, {width})"),
    Row("shr", r"(?P<T>[bus](?:16|32|64))", "=T T b32", "{kit}shift_right({0}, {1}, {width}, {signed})"),
    Row("bfe", _I32, "=T T b32 b32", "{kit}extract_field({0}, {1}, {2}, {width}, {signed})"),
    Row("bfi", _B32, "=T T T b32 b32", "{kit}insert_field({0}, {1}, {2}, {3}, {width})"),
    Row("popc", _B32, "=b32 T", "::__popcll({0})"),
    Row("clz", _B32, "=b32 T", "::__clzll({0}) - (64 - {width})"),
    Row("brev", _B32, "=T T", "::__brevll({0}) >> (64 - {width})"),
    Row(
        "bfind", rf"(?P<is_shift>shiftamt\.)?{_I32}", "=b32 T", "{kit}find_leading({0}, {width}, {signed}, {is_shift})"
    ),
    Row("prmt", "b32", "=b32 b32 b32 b32", "::__byte_perm({0}, {1}, {2})"),
    Row("lop3", "b32", "=b32 b32 b32 b32 n", "{kit}logic_3({0}, {1}, {2}, static_cast<int>({3} & 0xff))"),
    Row(
        "shf", r"(?P<to>[lr])\.(?:(?P<c>c)lamp|wrap)\.b32", "=b32 b32 b32 b32", "::__funnelshift_{to}{c}({0}, {1}, {2})"
    ),
    Row(
        "vabsdiff4",
        r"u32\.u32\.u32(?P<is_sum>\.add)?",
        "=b32 b32 b32 b32",
        "{kit}byte_differences({0}, {1}, {2}, {is_sum})",
    ),
    Row("selp", _ANY, "=T T T p", "{2} ? {0} : {1}"),
    Row("setp", _RELATION + _NUMBER, "=pred|p T T", _HOLDS, second="{kept} == 0 ? 1ull : 0ull"),
    Row(
        "setp",
        rf"{_RELATION}(?P<join>and|or|xor)\.{_NUMBER}",
        "=pred|p T T p",
        _HOLDS,
        "(({kept} != 0) {join} {2}) ? 1ull : 0ull",
        "(({kept} == 0) {join} {2}) ? 1ull : 0ull",
    ),
    Row("mov", "pred", "=pred pred", "{0}"),
    # Of a warp, and of a block.
    Row("bar barrier", r"warp\.sync", "b32", "::__syncwarp({0});"),
    Row("bar barrier", _SYNC, "0", "::__syncthreads();"),
    Row("bar barrier", rf"{_REDUCES}popc\.u32", "=b32 0 p", "::__syncthreads_count({0})"),
    Row("bar barrier", rf"{_REDUCES}(?P<way>and|or)\.pred", "=pred 0 p", "::__syncthreads_{way}({0})"),
    Row(
        "shfl",
        r"sync\.(?P<mode>up|down|bfly|idx)\.b32",
        "=b32|p b32 b32 b32 b32",
        "{kit}shuffle({mode}, {0}, {1}, {2}, {3})",
        "{kept} & 0xffffffffull",
        "{kept} >> 32",
    ),
    Row("vote", r"sync\.ballot\.b32", "=b32 p b32", "::__ballot_sync({1}, {0})"),
    Row("vote", r"sync\.(?P<vote>all|any)\.pred", "=pred p b32", "::__{vote}_sync({1}, {0})"),
    Row("vote", r"sync\.uni\.pred", "=pred p b32", "{kit}match_all({0} ? 1ull : 0ull, {1}) != 0 ? 1ull : 0ull"),
    Row("activemask", "b32", "=b32", "::__activemask()"),
    Row("match", r"any\.sync\.(?P<T>b(?:32|64))", "=b32 T b32", "::__match_any_sync({1}, {0})"),
    Row(
        "match",
        r"all\.sync\.(?P<T>b(?:32|64))",
        "=b32|p T b32",
        "{kit}match_all({0}, {1})",
        second="{kept} != 0 ? 1ull : 0ull",
    ),
    Row(
        "redux",
        r"sync\.(?:(?P<way>add)\.[us]32|(?P<least>min|max)\.u32|(?P<of_bits>and|or|xor)\.b32)",
        "=b32 b32 b32",
        "::__reduce_{way}{least}{of_bits}_sync({1}, static_cast<unsigned>({0}))",
    ),
    Row("redux", r"sync\.(?P<way>min|max)\.s32", "=b32 b32 b32", "::__reduce_{way}_sync({1}, static_cast<int>({0}))"),
    Row("nanosleep", "u32", "b32", "::__nanosleep(static_cast<unsigned>({0}));"),
    Row("trap", "", "", "::__trap();"),
    # Of memory, without an access.
    Row("cvta", r"to\.shared(?::cta)?\.u64", "=u64 u64", "::__cvta_generic_to_shared(" + _POINTER + ")"),
    Row("cvta", r"shared(?::cta)?\.u64", "=u64 u64", "{kit}bits_of(::__cvta_shared_to_generic({0} & 0xffffffffull))"),
    Row("cvta", r"(?:to\.)?(?:global|local|const)\.u64", "=u64 u64", "{0}"),
    Row("isspacep", _SPACE, "=pred b64", "::__is{where}(" + _POINTER + ")"),
    Row("membar fence", r"(?:(?:sc|acq_rel)\.)?(?:(?P<block>cta)|gl|gpu|sys)", "", "::__threadfence{block}();"),
    # A prefetch accesses nothing that a program could notice.
    Row("prefetch prefetchu", r"(?:global\.)?L[12](?::evict_(?:last|normal))?", "g", "(void)({0});"),
    Row("cp", _CP_ASYNC, "a g n", _COPY + "0);"),
    Row("cp", _CP_ASYNC, "a g n b32", _COPY + "{3} < {2} ? {2} - {3} : 0);"),
    Row("cp", r"async\.commit_group", "", "::pipeline_on_cpu::commit();"),
    Row("cp", r"async\.wait_all", "", "::pipeline_on_cpu::commit(); ::pipeline_on_cpu::wait(0);"),
    Row("cp", r"async\.wait_group", "n", "::pipeline_on_cpu::wait({0});"),
)
_ROWS: dict[str, list[Row]] = {}
for _row in _TABLE:
    for _name in _row.names.split():
        _ROWS.setdefault(_name, []).append(_row)


def statements_for(instruction: Instruction, registers: Registers) -> list[str]:
    name, said = instruction.opcode[0], ".".join(instruction.opcode[1:])
    for row in _ROWS.get(name, ()):
        if len(instruction.operands) == len(row.given.split()) and (match := row.pattern.fullmatch(said)):
            return row.emit(match, instruction, registers)
    if name not in _OTHERS:
        raise refuse(instruction)
    return _OTHERS[name](instruction, registers)


# Numbers of PTX as calls of the kit's functions: floating-point ones, comparisons, conversions and moves.

_PAIRS = {"f16x2": "f16", "bf16x2": "bf16"}
_OF_PAIRS = 32
_APPROXIMATE = frozenset({"rsqrt", "ex2", "lg2", "sin", "cos"})
_SINGLE = frozenset({*_APPROXIMATE, "rcp", "sqrt", "neg", "abs"})
_TYPES_OF_CVT = 3


def _floating(instruction: Instruction, registers: Registers) -> list[str]:
    name, kind = instruction.opcode[0], kind_of(instruction, "f32", "f64", "f16", "bf16", "f16x2", "bf16x2")
    if name not in FLOAT_OPERATIONS or (name in {"mad", "copysign"} and kind not in {"f32", "f64"}):
        raise refuse(instruction)
    said = modifiers(instruction, "rn", "rz", "rm", "rp", "ftz", "sat", "approx", "full", "NaN")
    target, *given = operands(instruction, 2 if name in _SINGLE else 4 if name in {"fma", "mad"} else 3)
    values = [registers.read(one, kind) for one in given]
    arguments = ", ".join([*values, *["0ull"] * (3 - len(values))])
    roundings = [ROUNDINGS[one] for one in said if one in ROUNDINGS]
    if (
        ("NaN" in said and name not in NUMBER_OF_NAN)
        or len(roundings) > 1
        or (name in _APPROXIMATE and "approx" not in said)
        or (said & {"approx", "full"} and roundings)
    ):
        raise refuse(instruction)
    operation = NUMBER_OF_NAN[name] if "NaN" in said else FLOAT_OPERATIONS[name]
    if kind in {"f32", "f64"}:
        if kind == "f64" and said & {"ftz", "sat", "approx", "full"}:
            raise refuse(instruction)
        flush = f"{truth('ftz' in said)}, " if kind == "f32" else ""
        function = f"{KIT}{'float' if kind == 'f32' else 'double'}_operation"
        value = f"{function}({operation}, {(roundings or [0])[0]}, {flush}{arguments})"
        if "sat" in said:
            value = f"{function}({SATURATED}, 0, {flush}{value}, 0ull, 0ull)"
        return [registers.write(target, kind, value)]
    if name not in {"add", "sub", "mul", "fma", "neg", "abs", "min", "max"} or said - {"rn", "NaN"}:
        raise refuse(instruction)
    pairs = _OF_PAIRS if kind in _PAIRS else 0
    bfloat = truth(_PAIRS.get(kind, kind) == "bf16")
    return [registers.write(target, kind, f"{KIT}half_operation({operation + pairs}, {bfloat}, {arguments})")]


def _move(instruction: Instruction, registers: Registers) -> list[str]:
    kind = kind_of(instruction)
    modifiers(instruction)
    target, given = operands(instruction, 2)
    parts = next((one.parts for one in (given, target) if isinstance(one, Vector)), ())
    each, special = WIDTHS[kind] // max(1, len(parts)), 0 if parts else registers.special_width(given)
    if isinstance(given, Vector) and each in {16, 32}:
        values = (f"({registers.read(one, f'b{each}')} << {each * at})" for at, one in enumerate(parts))
        return [registers.write(target, kind, " | ".join(values))]
    if isinstance(given, Vector) or (isinstance(given, Not) and not parts) or special not in {0, WIDTHS[kind]}:
        raise refuse(instruction)
    kept, value = registers.variable() if parts else "", registers.read(given, kind)
    if not parts:
        return [registers.write(target, kind, value)]
    if each not in {16, 32}:
        raise refuse(instruction)
    written = (registers.write(one, f"b{each}", f"{kept} >> {each * at}") for at, one in enumerate(parts))
    return [f"{kept} = {value};", *written]


def _convert(instruction: Instruction, registers: Registers) -> list[str]:
    if len(instruction.opcode) < _TYPES_OF_CVT:
        raise refuse(instruction)
    *said, to, source = instruction.opcode[1:]
    roundings = [one for one in said if one in ROUNDINGS]
    others = set(said) - set(roundings) - {"sat"}
    rounding = ROUNDINGS[roundings[0]] if roundings else 0
    if others or len(roundings) > 1:
        raise refuse(instruction)
    if to in _PAIRS and source == "f32" and roundings in (["rn"], ["rz"]) and "sat" not in said:
        target, high, low = operands(instruction, 3)
        upper, lower = (
            f"{KIT}convert({TYPES['f32']}, {TYPES[_PAIRS[to]]}, {rounding}, false, {registers.read(one, 'f32')})"
            for one in (high, low)
        )
        return [registers.write(target, to, f"{upper} << 16 | {lower}")]
    narrows = is_float(to) and (not is_float(source) or WIDTHS[to] < WIDTHS[source] or to == "tf32")
    floats_to_whole = is_float(source) and not is_float(to)
    known = to in TYPES and source in TYPES and source != "tf32" and (to == "tf32") == ("rna" in said)
    if not known or ((narrows or floats_to_whole) and not roundings):
        raise refuse(instruction)
    if (to in {"bf16", "tf32"} and source != "f32") or (source == "bf16" and to != "f32"):
        raise refuse(instruction)
    target, given = operands(instruction, 2)
    value = registers.read(given, source, wider=not is_float(source))
    code = f"{KIT}convert({TYPES[source]}, {TYPES[to]}, {rounding}, {truth('sat' in said)}, {value})"
    return [registers.write(target, to, code, wider=not is_float(to))]


_OTHERS: dict[str, Emit] = {
    **dict.fromkeys(FLOAT_OPERATIONS, _floating), "mov": _move, "cvt": _convert,
    **dict.fromkeys(("ld", "ldu"), _load), "st": _store, **dict.fromkeys(("atom", "red"), _atomic),
    "ldmatrix": _load_matrices, "mma": _multiply_matrices,
}  # fmt: skip
