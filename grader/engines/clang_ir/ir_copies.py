"""Makes copies of whole objects in Clang's dump check the alignment that they assume.

GCC checks both addresses when an object is copied, and Clang does not. So each copy becomes a call of the kit's own function
(`kit/simt/device_impl/memory_functions.cpp`), which checks both addresses and announces both accesses.
"""

from __future__ import annotations

import re

from grader.engines.clang_ir.ir_types import leading_type, parts_of
from grader.engines.device_functions import ALIGNED_COPY

_COPY = re.compile(
    r"call void @llvm\.mem(?:cpy|move)\.p0\w*\.p0\w*\.i64\((?P<arguments>.*)\)(?P<rest>(?:, ![a-z.]+ !\d+)*)$",
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
