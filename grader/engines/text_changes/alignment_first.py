"""Puts `alignas(…)` before the other words of a declaration, where C++ wants it: nvcc also takes `__shared__ alignas(16) float tile[64];`.

Works on the preprocessed text, where CUDA's qualifiers are words of the host's compiler. Its length and its lines stay. Repetitions are
bounded: the text may be hostile.
"""

from __future__ import annotations

import re

_NESTED = r"\((?:[^()]|\([^()]*\))*\)"
_QUALIFIERS = rf"(?:(?:static|extern|const|volatile|thread_local|__attribute__ ?\({_NESTED}\))\s+){{0,4}}"
_LATE = re.compile(
    rf"(?<![\w:])(?P<before>{_QUALIFIERS}(?:thread_local|__attribute__ ?\(\(retain[^()]*(?:{_NESTED})?\)\))"
    rf"(?:\s+(?:static|extern|const|volatile)){{0,4}})(?P<gap>\s+)(?P<alignment>alignas\s*{_NESTED})"
)


def with_alignment_first(preprocessed: str) -> str:
    if "alignas" not in preprocessed:
        return preprocessed
    return _LATE.sub(r"\g<alignment>\g<gap>\g<before>", preprocessed)
