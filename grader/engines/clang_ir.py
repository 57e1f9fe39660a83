"""Clang's dump of a file (LLVM's intermediate language as text, before any pass): parsed, and changed before it is compiled further.

What is parsed: functions with their instructions, the symbols that each symbol uses, and the file and line of an instruction. It is
changed so that both compilers' programs do the same. `dump_scan.py` refuses whatever else would differ.
"""

from __future__ import annotations

import re
import struct
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

from grader.engines.device_functions import ALIGNED_COPY
from grader.engines.objects.assembly import BLOCK_BEGINS
from grader.engines.objects.symbol_table import reachable

SYMBOL = re.compile(r'@("[^"]*"|[\w.$-]+)')
_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_DEFINE = re.compile(r'^define\b[^@]*@("[^"]*"|[\w.$-]+)\(')
_GLOBAL = re.compile(r'^@("[^"]*"|[\w.$-]+) = ')
_GROUP = re.compile(r"^attributes #(\d+) = \{(.*)\}")
_NODE = re.compile(r"^!(\d+) = (?:distinct )?!(\w+)?[({](.*)[)}]$")
_PLACED = re.compile(r"!dbg !(\d+)")
_ATTRIBUTE = re.compile(r'"((?:[^"\\]|\\.)*)"(?:="((?:[^"\\]|\\.)*)")?|(\w+(?:\([^)]*\))?)')


@dataclass(frozen=True)
class Attributes:
    names: frozenset[str] = frozenset()  # noinline, sanitize_thread, …; without their parentheses
    values: dict[str, str] = field(default_factory=dict)  # "target-features": "+sse2"


@dataclass(frozen=True)
class IrFunction:
    symbol: str
    head: str  # its first line
    attributes: Attributes
    instructions: list[str]
    subprogram: str  # the metadata node with its file and line; "": none


@dataclass(frozen=True)
class IrDump:
    functions: dict[str, IrFunction]
    globals: dict[str, str]  # variables and aliases, with the text after their `=`
    file_level_assembly: bool
    nodes: dict[str, tuple[str, str]]  # metadata: its kind, and the text in its parentheses
    unread: tuple[str, ...] = ()  # lines that begin like a function or a variable and go on in a way that is not known

    def reached(self, roots: Iterable[str]) -> set[str]:
        """These symbols, all symbols that their code or initial values name, and so on."""
        return reachable(roots, lambda symbol: self._names.get(symbol, ()))

    @cached_property
    def _names(self) -> dict[str, set[str]]:
        found = {name: _symbols_in([text]) for name, text in self.globals.items()}
        return found | {name: _symbols_in(one.instructions) for name, one in self.functions.items()}

    def path_of(self, function: IrFunction) -> str:
        """The file that defines the function, or "" where the dump does not say."""
        return self._path(function.subprogram)

    def line_of(self, function: IrFunction) -> int:
        return _number(self.nodes.get(function.subprogram, ("", ""))[1], "line")

    def place_of(self, instruction: str) -> tuple[str, int]:
        """File and line of the statement that the instruction belongs to."""
        placed = _PLACED.search(instruction)
        kind, fields = self.nodes.get(placed[1], ("", "")) if placed else ("", "")
        if kind != "DILocation":
            return "", 0
        scope = re.search(r"scope: !(\d+)", fields)
        return self._path(scope[1]) if scope else "", _number(fields, "line")

    def _path(self, scope: str) -> str:
        _, fields = self.nodes.get(scope, ("", ""))
        file = re.search(r"\bfile: !(\d+)", fields)
        _, named = self.nodes.get(file[1], ("", "")) if file else ("", "")
        name = re.search(r'filename: "((?:[^"\\]|\\.)*)"', named)
        folder = re.search(r'directory: "((?:[^"\\]|\\.)*)"', named)
        if name is None:
            return ""
        return name[1] if name[1].startswith("/") or folder is None else f"{folder[1]}/{name[1]}"


def read_dump(text: str) -> IrDump:
    functions: dict[str, IrFunction] = {}
    variables: dict[str, str] = {}
    nodes: dict[str, tuple[str, str]] = {}
    lines = text.split("\n")
    unread: list[str] = []
    groups = {match[1]: _attributes(match[2]) for line in lines if (match := _GROUP.match(line))}
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if match := _DEFINE.match(line):
            first = at
            while at < len(lines) and lines[at] != "}":
                at += 1
            name = match[1].strip('"')
            functions[name] = _function(name, line, lines[first:at], groups)
        elif match := _GLOBAL.match(line):
            variables[match[1].strip('"')] = line[match.end() :]
        elif match := _NODE.match(line):
            nodes[match[1]] = match[2] or "", match[3]
        elif line.startswith(("define", "@")):
            unread.append(line)
    assembly = any(line.startswith("module asm") for line in lines)
    return IrDump(functions, variables, assembly, nodes, tuple(unread))


def _function(name: str, head: str, body: list[str], groups: dict[str, Attributes]) -> IrFunction:
    bare = _STRING.sub('""', head)
    group = re.search(r" #(\d+)", bare)
    placed = _PLACED.search(bare)
    attributes = groups.get(group[1], Attributes()) if group else Attributes()
    instructions = [line.strip() for line in body if line.startswith(" ")]
    return IrFunction(name, head, attributes, instructions, placed[1] if placed else "")


def _attributes(text: str) -> Attributes:
    names, values = set(), {}
    for match in _ATTRIBUTE.finditer(text):
        if match[3]:
            names.add(match[3].partition("(")[0])
        else:
            values[match[1]] = match[2] or ""
    return Attributes(frozenset(names), values)


def _symbols_in(lines: Iterable[str]) -> set[str]:
    return {name.strip('"') for line in lines for name in SYMBOL.findall(line)}


def _number(fields: str, name: str) -> int:
    found = re.search(rf"\b{name}: (\d+)", fields)
    return int(found[1]) if found else 0


# Types in LLVM's intermediate language, as text: where a type ends, and its size. Pointers may have a type or not.

_OPENING, _CLOSING = "([{<", ")]}>"
_WORD = re.compile(r'%"[^"]*"|[%\w.$-]+')
_SCALARS = {"half": 2, "bfloat": 2, "float": 4, "double": 8, "ptr": 8}
_VECTOR = re.compile(r"<(\d+) x (.*)>")
_SUFFIX = re.compile(r"\s*\*+")


def parts_of(text: str) -> list[str]:
    """Splits at commas outside brackets. Ends at a closing bracket that was not opened in `text`."""
    ends = [-1]
    for at, depth in _depths(text):
        if depth < 0:
            text = text[:at]
            break
        if text[at] == "," and depth == 0:
            ends.append(at)
    return [text[one + 1 : other].strip() for one, other in pairwise([*ends, len(text)])]


def _depths(text: str, first: int = 0) -> Iterator[tuple[int, int]]:
    """Of each character outside quotes, how many brackets are open behind it."""
    depth, quoted = 0, False
    for at in range(first, len(text)):
        quoted ^= text[at] == '"'
        if not quoted:
            depth += (text[at] in _OPENING) - (text[at] in _CLOSING)
            yield at, depth


def leading_type(text: str) -> str:
    """The type that `text` begins with: `{ i64, i64 }` of `{ i64, i64 } %5`, `void (float*)*` of `void (float*)* @f`."""
    word = _WORD.match(text)
    end = word.end() if word else _after_bracket(text, 0)
    while True:
        if stars := _SUFFIX.match(text, end):
            end = stars.end()
        elif text.startswith(" (", end) and _SUFFIX.match(text, _after_bracket(text, end + 1)):
            end = _after_bracket(text, end + 1)
        else:
            return text[:end]


def _after_bracket(text: str, opening: int) -> int:
    """The position after the bracket that closes the one at `opening`."""
    return next((at + 1 for at, depth in _depths(text, opening) if depth == 0), len(text))


def bytes_of(kind: str) -> int:
    """The size of a value in memory. 0 for structures and arrays, and for types without a whole number of bytes."""
    if kind.endswith("*"):
        return 8
    if kind == "i1":
        return 1
    if kind in _SCALARS:
        return _SCALARS[kind]
    if integer := re.fullmatch(r"i(\d+)", kind):
        return int(integer[1]) // 8 if int(integer[1]) % 8 == 0 else 0
    vector = _VECTOR.fullmatch(kind)
    return int(vector[1]) * bytes_of(vector[2]) if vector and vector[2] != "i1" else 0


# Adds a call to each basic block in Clang's dump, with which the block announces itself. GCC's `-fsanitize-coverage=trace-pc` does this.
#
# Clang's own option also announces the blocks around each check of the sanitizer, which makes four times as many steps as there are
# for the statements. Here such a block belongs to the block before it. So does a block that has one predecessor without a choice.

_LABEL = re.compile(r'^("[^"]*"|[\w.$-]+):')
_TARGET = re.compile(r'label %("[^"]*"|[\w.$-]+)')
_PLACE = re.compile(r", !dbg !\d+")
# The kit's own functions that announce nothing have no such attribute.
_INSTRUMENTED = re.compile(r"^attributes #(\d+) = \{.*\bsanitize_thread\b", re.MULTILINE)
_DECLARATION = re.compile(rf"^declare .*@{BLOCK_BEGINS}\(", re.MULTILINE)


def announce_blocks(dump: str) -> str:
    lines = dump.split("\n")
    instrumented = set(_INSTRUMENTED.findall(dump))
    announced: dict[int, str] = {}
    for at, line in enumerate(lines):
        if line.startswith("define ") and instrumented & set(re.findall(r" #(\d+)", line)):
            announced.update(_calls(lines, at + 1, lines.index("}", at)))
    rewritten = [announced.get(number, "") + line for number, line in enumerate(lines)]
    if announced and not _DECLARATION.search(dump):
        rewritten.append(f"declare void @{BLOCK_BEGINS}()\n")
    return "\n".join(rewritten)


def _calls(lines: list[str], first: int, end: int) -> dict[int, str]:
    """The calls to insert, each with its line's end, by the number of the line that each comes before."""
    labels = ((number, _LABEL.match(lines[number])) for number in range(first, end))
    begins = [("", first), *((label[1], number + 1) for number, label in labels if label)]
    ends = [*(begin - 1 for _, begin in begins[1:]), end]
    blocks = [(label, range(begin, behind)) for (label, begin), behind in zip(begins, ends, strict=True)]
    # Of each branch to a label, whether it belongs to a sanitizer's check, and whether it is unconditional.
    branches: defaultdict[str, list[tuple[bool, bool]]] = defaultdict(list)
    for _, numbers in blocks:
        text = _last_instruction([lines[n] for n in numbers if lines[n].strip()])
        for target in _TARGET.findall(text):
            branches[target].append(("!nosanitize" in text, text.lstrip().startswith("br label ")))
    found = {}
    for label, numbers in blocks:
        own = [unconditional for check, unconditional in branches[label] if not check]
        if not label or (own and not (len(branches[label]) == 1 and own[0])):
            at = next((n for n in numbers if not re.search(r"= (phi|alloca) ", lines[n])), numbers.stop)
            places = (_PLACE.search(lines[n]) for n in range(at, numbers.stop))
            found[at] = f"  call void @{BLOCK_BEGINS}(){next((one[0] for one in places if one), '')}\n"
    return found


def _last_instruction(block: list[str]) -> str:
    """A `switch` has several lines."""
    last = len(block) - 1
    while last > 0 and block[last].startswith(("  ]", "    ")):
        last -= 1
    return " ".join(block[last:])


# Makes copies of whole objects in Clang's dump check the alignment that they assume.
#
# GCC checks both addresses when an object is copied, and Clang does not. So each copy becomes a call of the kit's own function
# (`kit/executor/device_impl/memory_functions.cpp`), which checks both addresses and announces both accesses.

_COPY = re.compile(
    r"call void @llvm\.mem(?:cpy|move)\.(?P<to>p0\w*)\.p0\w*\.i64\((?P<arguments>.*)\)(?P<rest>(?:, ![a-z.]+ !\d+)*)$",
    re.MULTILINE,
)
# The initial contents of a local array, which are not the kernel's memory; C++ cannot write such a name.
_FIRST_VALUE = re.compile(r'@"?__const\.')
_PROMISE = re.compile(r" (?:noundef|nonnull|dereferenceable\(\d+\)|align \d+)(?= )")


def with_aligned_copies(dump: str) -> str:
    rewritten = _COPY.sub(_call, dump)
    if rewritten == dump:
        return dump
    pointer = "ptr" if f"@{ALIGNED_COPY}(ptr " in rewritten else "i8*"
    return f"{rewritten}\ndeclare void @{ALIGNED_COPY}({pointer}, {pointer}, i64, i64, i64)\n"


def _call(match: re.Match[str]) -> str:
    to, source, size, volatile = parts_of(match["arguments"])
    if volatile != "i1 false":
        return match[0]
    read = 0 if _FIRST_VALUE.search(source) else _alignment(source)
    alignments = f"i64 {_alignment(to)}, i64 {read}"
    return f"call void @{ALIGNED_COPY}({_bare(to)}, {_bare(source)}, {size}, {alignments}){match['rest']}"


def _bare(argument: str) -> str:
    kind = leading_type(argument)
    return kind + _PROMISE.sub("", argument[len(kind) :])


def _alignment(argument: str) -> int:
    found = re.match(r"(?: \w+(?:\(\d+\))?)*? align (\d+) ", argument[len(leading_type(argument)) :])
    return int(found[1]) if found else 1


# Removes the wrapper functions of `extern __shared__` arrays from Clang's dump of a file.
#
# Clang accesses a thread-local variable of another file through a wrapper function, which would run the variable's initialiser first.
# Shared memory has no initialiser. So each call of a wrapper becomes the variable's address, and the wrappers are removed. GCC has a
# flag for this.

_WRAPPER = re.compile(
    r"^define linkonce_odr hidden [^@\n]*@(_ZTW\w+)\(\)[^\n]*\{\n(.*?)^\}\n", re.MULTILINE | re.DOTALL
)
_WEAK = re.compile(r"^declare extern_weak void @_ZTH(\w+)\(\)", re.MULTILINE)
_CALL = re.compile(r"= (?:tail )?call (?P<type>[^@\n]*) @(?P<name>_ZTW\w+)\(\)(?: #\d+)?")
_IR_WRAPPERS_PROMISE = re.compile(r"(?:noundef|nonnull|align \d+|dereferenceable\(\d+\)) ")


def without_wrappers(dump: str) -> str:
    weak = {f"_ZTW{name}" for name in _WEAK.findall(dump)}
    variables = {}
    for match in _WRAPPER.finditer(dump):
        named = {name for name in SYMBOL.findall(match[2]) if not name.startswith(("_ZTH", "llvm."))}
        if match[1] in weak and len(named) == 1:
            variables[match[1]] = named.pop()

    def address(call: re.Match[str]) -> str:
        if call["name"] not in variables:
            return call[0]
        kind = leading_type(_IR_WRAPPERS_PROMISE.sub("", call["type"]))
        return f"= bitcast {kind} @{variables[call['name']]} to {kind}"

    without = _WRAPPER.sub(lambda match: "" if match[1] in variables else match[0], dump)
    return _CALL.sub(address, without)


# A local variable without an initial value gets the bytes that GCC puts there, and nothing jumps behind the end of a function that lacks
# its `return`.

_BYTE = 0xFE  # GCC's -ftrivial-auto-var-init=pattern
_MARK = re.compile(r'^!(\d+) = !\{!"auto-init"\}', re.MULTILINE)
_FILL = re.compile(r"(call void @llvm\.memset\.\S+\(.*, i8) -(?:86|1)(, i64 .*)")
_NO_RETURN = re.compile(
    r"br i1 false, label %[\w.]+, label %(?P<name>[\w.]+)(?P<at>, !dbg !\d+)[^\n]*"
    r"(?P<block>\n+(?P=name):[^\n]*\n\s+call void @__ubsan_handle_missing_return\()"
)


def rewritten(dump: str) -> str:
    # An empty list of linker options would still make a section.
    text = _NO_RETURN.sub(r"br label %\g<name>\g<at>\g<block>", dump.replace("\n!llvm.linker.options = !{}\n", "\n"))
    return announce_blocks(with_aligned_copies(_as_gcc_fills(without_wrappers(text))))


def _as_gcc_fills(dump: str) -> str:
    marks = _MARK.findall(dump)
    if not marks:
        return dump
    is_marked = re.compile(rf"!annotation !(?:{'|'.join(marks)})$")
    lines, fills = [], set[str]()
    for line in dump.split("\n"):
        rewritten_line = line
        if is_marked.search(line):
            if copy := _COPY.search(line):
                to, _, size, *_ = parts_of(copy["arguments"])
                fills.add(copy["to"])
                call = f"call void @llvm.memset.{copy['to']}.i64({to}, i8 {_BYTE - 256}, {size}, i1 false)"
                rewritten_line = f"{line[: copy.start()]}{call}{copy['rest']}"
            else:
                rewritten_line = _FILL.sub(rf"\1 {_BYTE - 256}\2", _initial_value(line))
        lines.append(rewritten_line)
    for pointer in sorted(fills):
        if f"declare void @llvm.memset.{pointer}.i64(" not in dump:
            kind = "ptr" if pointer == "p0" else "i8*"
            lines.append(f"declare void @llvm.memset.{pointer}.i64({kind} nocapture writeonly, i8, i64, i1 immarg)")
    return "\n".join(lines)


def _initial_value(line: str) -> str:
    """Puts GCC's value into a store of a scalar. Other lines stay."""
    before, store, rest = line.partition("store ")
    kind, parts = leading_type(rest), parts_of(rest)
    value = _value(kind)
    return f"{before}store {kind} {value}, {', '.join(parts[1:])}" if store and value else line


def _value(kind: str) -> str:
    size = bytes_of(kind)
    pattern = bytes([_BYTE]) * size
    if re.fullmatch(r"i(8|16|32|64|128)", kind):
        return str(int.from_bytes(pattern, "little", signed=True))
    if kind == "ptr" or kind.endswith("*"):
        return f"inttoptr (i64 {int.from_bytes(pattern, 'little', signed=True)} to {kind})"
    if kind in {"float", "double"}:  # a float is written as a double too
        (number,) = struct.unpack("<f" if kind == "float" else "<d", pattern)
        return f"0x{struct.unpack('<Q', struct.pack('<d', number))[0]:016X}"
    return ""
