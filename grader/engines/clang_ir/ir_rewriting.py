"""Changes Clang's dump of a file before it is compiled further, so that both compilers' programs do the same.

Here, a local variable without an initial value gets the bytes that GCC puts there, reads of a constant table are announced where they
do not use a subscript, and nothing jumps behind the end of a function that lacks its `return`. `ir_wrappers.py`, `ir_copies.py` and
`ir_blocks.py` make one more change each. `ir_scan.py` refuses whatever else would differ.
"""

from __future__ import annotations

import re
import struct

from grader.engines.clang_ir.ir_blocks import announce_blocks
from grader.engines.clang_ir.ir_copies import with_aligned_copies
from grader.engines.clang_ir.ir_types import bytes_of, leading_type, parts_of
from grader.engines.clang_ir.ir_wrappers import without_wrappers

_BYTE = 0xFE  # GCC's -ftrivial-auto-var-init=pattern
_MARK = re.compile(r'^!(\d+) = !\{!"auto-init"\}', re.MULTILINE)
_COPY = re.compile(r"call void @llvm\.memcpy\.(?P<to>p0\w*)\.p0\w*\.i64\((?P<arguments>.*)\)(?P<rest>, !dbg .*)")
_FILL = re.compile(r"(call void @llvm\.memset\.\S+\(.*, i8) -(?:86|1)(, i64 .*)")
_CONSTANT = re.compile(r'^@("[^"]*"|[\w.$-]+) = (?P<how>[\w ()]*?\b)constant (?P<value>.*)$', re.MULTILINE)
_NO_RETURN = re.compile(
    r"br i1 false, label %[\w.]+, label %(?P<name>[\w.]+)(?P<at>, !dbg !\d+)[^\n]*"
    r"(?P<block>\n+(?P=name):[^\n]*\n\s+call void @__ubsan_handle_missing_return\()"
)
GEP_FLAGS = r"(?:(?:inbounds|nuw|nusw|inrange\([^)]*\)) )*"  # of getelementptr
_DIRECT = re.compile(rf'= getelementptr {GEP_FLAGS}(?P<what>.*? @("[^"]*"|[\w.$-]+), .*)$', re.MULTILINE)


def rewritten(dump: str) -> str:
    # An empty list of linker options would still make a section.
    text = _NO_RETURN.sub(r"br label %\g<name>\g<at>\g<block>", dump.replace("\n!llvm.linker.options = !{}\n", "\n"))
    filled = with_aligned_copies(_as_gcc_fills(without_wrappers(text)))
    return announce_blocks(_announced_constants(filled))


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


def _announced_constants(dump: str) -> str:
    """The sanitizer's pass does not announce accesses whose address starts from a constant table. For `table[i]`, i is checked against
    the table's length. Any other computation could lead anywhere, so such a table becomes a variable, whose accesses are announced.
    """
    types = {match[1]: leading_type(match["value"]) for match in _CONSTANT.finditer(dump)}
    moved_from = set[str]()
    for match in _DIRECT.finditer(dump):
        kind, base, *indices = parts_of(match["what"])
        name = base.rpartition("@")[2]
        subscript = kind == types.get(name) and kind.startswith("[") and re.fullmatch(r"i\d+ 0", indices[0])
        if name in types and not subscript:
            moved_from.add(name)
    return _CONSTANT.sub(
        lambda found: found[0].replace("constant ", "global ", 1) if found[1] in moved_from else found[0], dump
    )
