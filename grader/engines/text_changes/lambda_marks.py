"""Takes the marks of `__device__` and `__host__` from lambdas: Clang does not parse attributes there, and a lambda is on both sides."""

from __future__ import annotations

import re

_MARK = r"__attribute__\(\((?:retain|aligned\(64\))\)\)"  # as in kit/simt/device/qualifiers.hpp
_MARKED = re.compile(rf"(\]\s*)((?:{_MARK}\s*)+)(?=\()")


def unmarked_lambdas(preprocessed: str) -> str:
    """The same text with the same lines."""
    return _MARKED.sub(lambda found: found[1] + "\n" * found[2].count("\n"), preprocessed)
