"""Changes to Clang's dump of a file before it is compiled further, so that both compilers' programs do the same: a local
without a first value holds the bytes that GCC puts there, a table of constants that is read in another way than by its
subscripts is announced like other memory. `ir_wrappers.py`, `ir_copies.py` and `ir_blocks.py` make one more each.
Everything else is for `ir_scan.py` to refuse.
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
_DIRECT = re.compile(r'= getelementptr (?:inbounds )?(?P<what>.*? @("[^"]*"|[\w.$-]+), .*)$', re.MULTILINE)


def rewritten(dump: str) -> str:
    # An empty list of words to the linker would still make a section for them.
    text = dump.replace("\n!llvm.linker.options = !{}\n", "\n")
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
                rewritten_line = _FILL.sub(rf"\1 {_BYTE - 256}\2", _first_value(line))
        lines.append(rewritten_line)
    for pointer in sorted(fills):
        if f"declare void @llvm.memset.{pointer}.i64(" not in dump:
            kind = "ptr" if pointer == "p0" else "i8*"
            lines.append(f"declare void @llvm.memset.{pointer}.i64({kind} nocapture writeonly, i8, i64, i1 immarg)")
    return "\n".join(lines)


def _first_value(line: str) -> str:
    """A store of a scalar, with GCC's value in the place of Clang's; anything else as it is."""
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
    if kind in {"float", "double"}:  # a float, too, is written as the double it is
        (number,) = struct.unpack("<f" if kind == "float" else "<d", pattern)
        return f"0x{struct.unpack('<Q', struct.pack('<d', number))[0]:016X}"
    return ""


def _announced_constants(dump: str) -> str:
    """The sanitizer's pass leaves out what starts at a constant table's first byte. `table[i]` is checked against its
    length; any other way to move from there could lead anywhere, so the table becomes a variable for it.
    """
    types = {match[1]: leading_type(match["value"]) for match in _CONSTANT.finditer(dump)}
    loose = set[str]()
    for match in _DIRECT.finditer(dump):
        kind, base, *indices = parts_of(match["what"])
        name = base.rpartition("@")[2]
        subscript = kind == types.get(name) and kind.startswith("[") and re.fullmatch(r"i\d+ 0", indices[0])
        if name in types and not subscript:
            loose.add(name)
    return _CONSTANT.sub(
        lambda found: found[0].replace("constant ", "global ", 1) if found[1] in loose else found[0], dump
    )
