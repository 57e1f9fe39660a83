"""Finds arrays of variable length in a compiler's dump. A warning that counts as an error refuses them; a submission may switch a warning
off, but not what the compiler makes of the array. CUDA has no such arrays.
"""

from __future__ import annotations

import re

from grader.engines.refusal import Refusal
from grader.model.verdicts import Verdict

_GCC = re.compile(r"^ *(?:\[(?P<path>[^\[\]\n:]*):(?P<line>\d+):\d+[^\]]*\] )?.*= __builtin_alloca\w* \(", re.MULTILINE)
_CLANG = re.compile(r"^ .*call \S+ @llvm\.stacksave", re.MULTILINE)


def variable_array(dump: str, file_name: str) -> Refusal | None:
    """The first one, by its line where GCC's dump names it."""
    found = _GCC.search(dump) or _CLANG.search(dump)
    if found is None:
        return None
    named = found.groupdict()
    own = (named.get("path") or "").rsplit("/", 1)[-1] == file_name
    return Refusal(
        Verdict.COMPILE_ERROR,
        int(named["line"]) if own else 0,
        "A kernel has no arrays of variable length: CUDA does not know them.",
        "Give the array a length that is known when the file is compiled, as by a constant or a template parameter.",
    )
