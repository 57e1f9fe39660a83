"""Reads GCC's dump of a function (-fdump-tree-gimple-lineno) and finds memory accesses that the instrumentation does not announce.

The thread sanitizer announces assignments, not calls. Nothing announces the memory that a call's result is returned into, or that an
argument by value is read from. The dump also shows attributes as the compiler understood them, whichever macro wrote them. It does
not show which memory an access uses; local variables are recognised by their names.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from grader.engines.clang_ir import Attributes, IrDump, IrFunction, bytes_of, leading_type, parts_of, read_dump
from grader.engines.entry_points import readable_name
from grader.engines.refusal import (
    Refusal,
    cpu_instruction,
    hiding_attribute,
    inline_assembly,
    needs_gpu,
    rejected,
    unreadable_dump,
)

_PLACE = re.compile(r"\[(?P<path>[^\[\]\n:]*):(?P<line>\d+):\d+(?: discrim \d+)?\] ")
_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*("?)')
CALL = re.compile(r"\s*(?:(?P<target>\S.*?) = )?(?P<callee>[A-Za-z_.~][^=]*?) \((?P<rest>.*)\);(?: \[[\w ]+\])*$")
NO_CALL = re.compile(r"(?:if|switch|goto|return|MEM|try|catch|finally|static|struct|union|typedef)\b")
_MEMORY = re.compile(r"\*|MEM\b|[^&].*->|__(?:real|imag)__ \*")
_ATTRIBUTES = re.compile(r"__attribute__\(\((?P<list>.*)\)\)$")
_HIDING = re.compile(
    r"\b(no_sanitize\w*|disable_sanitizer_instrumentation|optimize|target|target_clones|naked|simd"
    r"|no_instrument_function|no_profile_instrument_function)\b"
)
# A function's parameters, its body and a statement with its position: a dump without one is no dump as we know it.
_FUNCTION = re.compile(r"\)(?: const)?\n\{\n(?:.*\n)*?.*\[[^\[\]\n:]*:\d+:\d+(?: discrim \d+)?\] .*;\n")
_COPY_FIRST = "Copy the object into a local variable first, or pass a pointer."
_MACHINE_BUILTIN = re.compile(r"__builtin_(?:ia32_(?!pause\b)|aarch64_|neon_|sve_|arm_)\w+|svbool_t\b")


@dataclass(frozen=True)
class _Statement:
    text: str  # without positions and strings
    line: int  # in the submission; 0: in another file
    path: str  # "": the compiler made it


def scan_gimple(dump: str, file_name: str, trusted: Collection[str] = ()) -> Refusal | None:
    """The first reason not to trust the instrumentation, or None. `trusted`: folders of our headers, whose functions announce their
    accesses themselves.
    """
    if _FUNCTION.search(dump) is None:
        return unreadable_dump()
    hiding = ""  # an attribute of the present function that hides accesses
    for statement in statements_of(dump, file_name):
        if statement.text == "}":
            hiding = ""
        if (attributes := _ATTRIBUTES.match(statement.text)) and (found := _HIDING.search(attributes["list"])):
            hiding = found[1]
        if not statement.path or any(statement.path.startswith(f"{folder}/") for folder in trusted):
            continue
        if hiding:
            return hiding_attribute(statement.line, hiding)
        if refusal := _judge_call(statement):
            return refusal
    return None


def statements_of(dump: str, file_name: str) -> Iterator[_Statement]:
    for raw in dump.split("\n"):
        text = _STRING.sub(lambda found: '""' if found[1] else found[0], raw)
        places = list(_PLACE.finditer(text))
        ours = [int(place["line"]) for place in places if place["path"].rsplit("/", 1)[-1] == file_name]
        text = _PLACE.sub("", text).rstrip()
        if text:
            yield _Statement(text, ours[0] if ours else 0, places[0]["path"] if places else "")


def _judge_call(statement: _Statement) -> Refusal | None:
    if machine := _MACHINE_BUILTIN.search(statement.text):
        return cpu_instruction(statement.line, machine[0])
    call = CALL.match(statement.text)
    if call is None or NO_CALL.match(call["callee"]):
        return None
    if call["target"] and _MEMORY.match(call["target"]):
        advice = "Put the result into a local variable first, then assign that variable."
        return _unseen(statement.line, "writes the result of a function directly into memory", advice)
    if any(_MEMORY.match(argument) for argument in _arguments(call["rest"])):
        return _unseen(statement.line, "passes an object from memory through `...`", _COPY_FIRST)
    return None


def _arguments(rest: str) -> list[str]:
    """The arguments in the last pair of parentheses. Earlier pairs may belong to a lambda's name."""
    depth, last = 0, [""]
    for character in reversed(rest):
        depth += (character in ")]>") - (character in "([<")
        if depth < 0:
            break
        if character == "," and depth == 0:
            last.append("")
        else:
            last[-1] = character + last[-1]
    return [argument.strip() for argument in last]


def _unseen(line: int, what: str, advice: str) -> Refusal:
    return needs_gpu(line, f"This {what}, which the CPU executor cannot follow", advice)


# Reads Clang's dump of a file and finds memory accesses that the instrumentation does not announce. For GCC: `dump_scan.py`.
#
# The thread sanitizer's pass announces loads and stores of 1, 2, 4, 8 and 16 bytes in functions that have its attribute. Copies become
# calls. So each function that a kernel reaches must have the usual attributes, and must not access memory in any other way. The dump
# is exactly what Clang compiles, so neither a macro nor a header can hide anything from this check. A dump in a form that is not known
# is our fault and not clean.

# Attributes that a function may have besides the usual ones: about inlining, and about what callers may assume.
_HARMLESS_WORDS = """
    alwaysinline inlinehint cold hot noreturn readnone readonly writeonly argmemonly memory norecurse nofree nosync willreturn
    mustprogress uwtable nounwind
"""
_HARMLESS = frozenset(_HARMLESS_WORDS.split())
_ONLY_WHERE_NOT_INLINED = frozenset({"noinline", "optnone"})  # a function that is always inlined has neither of them
_VARIES = "min-legal-vector-width"
# The compiler's own operations that access no memory, or become calls that announce their accesses.
_OPERATIONS = re.compile(
    r"llvm\.(dbg|lifetime|expect|assume|is\.constant|ubsantrap|trap|debugtrap|donothing|annotation|fabs|sqrt|fma|fmuladd|minnum|maxnum"
    r"|minimum|maximum|floor|ceil|trunc|rint|nearbyint|round|roundeven|copysign|canonicalize|is\.fpclass|ctpop|ctlz|cttz|bswap"
    r"|bitreverse|fsh[lr]|abs|[su](min|max)|[su](add|sub|mul)\.(with\.overflow|sat|fix)|fpto[su]i\.sat|sin|cos|exp|exp2|log"
    r"|log2|log10|pow|powi|ldexp|frexp|lrint|llrint|lround|llround|va_(start|end|copy)|objectsize|threadlocal\.address"
    r"|(launder|strip)\.invariant\.group|memcpy|memmove|memset|prefetch)\b(?!\.inline)"
)
_OPCODE = re.compile(r"(?:(?P<result>%\S+) = )?(?:(?:tail|musttail|notail) )?(?P<name>[a-z_]+)\b(?P<rest>.*)")
_CALLEE = re.compile(r'@("[^"]*"|[\w.$-]+)\(')
_ASSEMBLY = re.compile(r'\basm (?:sideeffect |alignstack |inteldialect |unwind )*"')
_ATOMIC = re.compile(r"atomicrmw|cmpxchg|fence")
_STRANGE = re.compile(r"indirectbr|callbr|invoke|resume|landingpad|cleanup\w+|catch\w+|va_arg")
# What else there is. It accesses no memory; an instruction that stands nowhere here is not let pass.
_PLAIN_OPCODES = """
    ret br switch unreachable fneg add fadd sub fsub mul fmul udiv sdiv fdiv urem srem frem shl lshr ashr and or xor
    extractelement insertelement shufflevector extractvalue insertvalue alloca trunc zext sext fptrunc fpext fptoui fptosi
    uitofp sitofp ptrtoint ptrtoaddr inttoptr bitcast addrspacecast icmp fcmp phi select freeze
"""
_PLAIN = frozenset(_PLAIN_OPCODES.split())
_NO_INSTRUCTION = re.compile(r"i\d+ -?\d+, label |\]|#dbg_\w+\(|;")  # the rest of a `switch`, notes about variables
_ADDRESS = re.compile(
    r" (?:(?:inbounds|nuw|nusw|inrange\([^)]*\)) )*(?:[%\[{<]|i\d|void \(|ptr|half|bfloat|float|double|fp128|x86_fp80)"
)
_COPY = re.compile(r"llvm\.mem(?:cpy|move)\b")
_OPERAND = re.compile(r'(%(?:"[^"]*"|[\w.$-]+))\s*$')
_BY_VALUE = re.compile(r"\b(byval|byref|inalloca|preallocated)\(")


def scan_ir(text: str, plain: str, file_name: str, trusted: Collection[str], roots: Collection[str]) -> Refusal | None:
    """The first reason not to trust the instrumentation, or None. `plain`: the dump of a function without attributes.
    `trusted`: folders of our headers. `roots`: symbols of the kernel and its launch function.
    """
    dump = read_dump(text)
    usual = next((one.attributes for one in read_dump(plain).functions.values()), Attributes())
    if dump.unread or not usual.names or not dump.functions.keys() >= set(roots):
        return unreadable_dump()
    if dump.file_level_assembly:
        return inline_assembly(0)
    reached = dump.reached(roots)
    for name in sorted(reached & dump.globals.keys()):
        # The pass takes such a variable for a profiler's counter, and announces no access to it.
        if name.startswith("__llvm"):
            return rejected(0, f"the name `{name[:60]}` is reserved for the compiler")
    for name, function in dump.functions.items():
        path = dump.path_of(function)
        if name not in reached or any(path.startswith(f"{folder}/") for folder in trusted):
            continue
        if refusal := _judge(dump, file_name, function, usual):
            return refusal
    return None


def _judge(dump: IrDump, file_name: str, function: IrFunction, usual: Attributes) -> Refusal | None:
    path = dump.path_of(function)
    if not path:  # the machine's own headers define these for its instructions
        what = f"`{readable_name(function.symbol)}` is a function of the CPU or its compiler, not of a GPU"
        return rejected(0, what, "Use CUDA's own functions.")
    if what := _hiding_attribute(function.attributes, usual):
        return hiding_attribute(dump.line_of(function) if path.rsplit("/", 1)[-1] == file_name else 0, what)
    return next(_objections(dump, file_name, function), None)


def _hiding_attribute(has: Attributes, usual: Attributes) -> str:
    optional = _ONLY_WHERE_NOT_INLINED if "alwaysinline" in has.names else frozenset()
    extra = sorted(has.names - usual.names - _HARMLESS)
    lost = sorted(usual.names - has.names - _HARMLESS - optional)
    keys = (has.values.keys() | usual.values.keys()) - {_VARIES}
    changed = sorted(key for key in keys if has.values.get(key) != usual.values.get(key))
    named = {"sanitize_thread": "no_sanitize"}
    return next((named.get(word, word) for word in [*extra, *lost, *changed]), "")


def _objections(dump: IrDump, file_name: str, function: IrFunction) -> Iterator[Refusal]:
    own = _locals_of(function)
    for instruction in function.instructions:
        path, line = dump.place_of(instruction)
        line = line if path.rsplit("/", 1)[-1] == file_name else 0
        match = _OPCODE.match(instruction)
        if match is None:
            if not _NO_INSTRUCTION.match(instruction):
                yield unreadable_dump(line)
        elif match["name"] == "call":
            yield from _judge_ir_call(match["rest"], line, own)
        else:
            yield from _judge_instruction(match["name"], match["rest"], line, own)


def _judge_instruction(name: str, rest: str, line: int, own: set[str]) -> Iterator[Refusal]:
    if _ATOMIC.fullmatch(name) or (name in {"load", "store"} and re.match(r" (volatile )?atomic ", rest)):
        advice = "Use atomicAdd() and CUDA's other atomic functions."
        yield rejected(line, "this is an atomic access for the host", advice)
    elif _STRANGE.fullmatch(name):
        yield _unseen(line, f"needs `{name}`", "Write it in another way.")
    elif name in {"load", "store"}:
        yield from _judge_access(name, rest, line, own)
    elif name == "getelementptr" and _ADDRESS.match(rest):
        return
    elif name not in _PLAIN:
        yield unreadable_dump(line)


def _judge_access(name: str, rest: str, line: int, own: set[str]) -> Iterator[Refusal]:
    parts = parts_of(rest.strip().removeprefix("volatile "))
    kind = leading_type(parts[0])
    operand = _OPERAND.search(parts[1]) if len(parts) > 1 else None
    if "addrspace(" in rest:
        yield rejected(line, "this uses an address space of the CPU")
    elif bytes_of(kind) not in {1, 2, 4, 8, 16} and not (operand and operand[1] in own):
        verb = "reads" if name == "load" else "writes"
        yield _unseen(line, f"{verb} a `{kind[:40]}` at once", "Use types that a GPU has, and no bit-fields in memory.")


def _judge_ir_call(rest: str, line: int, own: set[str]) -> Iterator[Refusal]:
    if _ASSEMBLY.search(rest):
        yield inline_assembly(line)
        return
    callee = _CALLEE.search(rest)
    if callee is None:
        return  # a call through a pointer: the proof has its target checked
    name = callee[1].strip('"')
    if name.startswith("llvm.") and not _OPERATIONS.match(name):
        yield cpu_instruction(line, name[:60])
    arguments = parts_of(rest[callee.end() :])
    if _COPY.match(name) and arguments[-1] != "i1 true":
        yield unreadable_dump(line)  # `clang_ir.py` should have made it a call of ours
    for argument in arguments:
        operand = _OPERAND.search(argument)
        if _BY_VALUE.search(argument) and not (operand and operand[1] in own):
            yield _unseen(line, "passes an object from memory", _COPY_FIRST)


def _locals_of(function: IrFunction) -> set[str]:
    """Registers that hold the address of a local variable, or of a constant part of one."""
    found: set[str] = set()
    for instruction in function.instructions:
        match = _OPCODE.match(instruction)
        if match is None or match["result"] is None:
            continue
        moved = match["name"] in {"bitcast", "getelementptr"} and _stays_within(match["rest"], found)
        if match["name"] == "alloca" or moved:
            found.add(match["result"])
    return found


def _stays_within(rest: str, found: set[str]) -> bool:
    """Whether the address belongs to a known local variable, plus a constant offset that stays inside its first element."""
    parts = [part for part in parts_of(rest) if not part.startswith("!")]
    if " to " in parts[0]:
        operand = _OPERAND.search(parts[0].partition(" to ")[0])
        return operand is not None and operand[1] in found
    base = _OPERAND.search(parts[1]) if len(parts) > 1 else None
    indices = [part.split()[-1] for part in parts[2:]]
    return base is not None and base[1] in found and indices[:1] == ["0"] and all(one.isdigit() for one in indices)
