"""Whether a submission uses a name of CUDA's that only one of two compilers' headers declare. Pure.

A file that both compile can then only have declared it itself, or asks by a template whether it is there: overload resolution finds
another function for nvcc than for the CPU executor. Names of other kinds are not looked at; students choose those themselves.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from grader.engines.checks.bare_code import CodeLine

_WORD = re.compile(r"[^\W\d][\w$]*")
# Reserved for compilers and their headers, or as CUDA names its own functions and types.
_LIKE_CUDA = (
    r"(?:__(?!builtin_|atomic_|sync_|is_|has_|cpp_|cplusplus)"
    r"|cuda[A-Z]|cu[A-Z]|CU[a-z]|make_\w+\d|make_cuda|tex[123C]|surf[123C])\w*"
)
_OF_CUDA = re.compile(_LIKE_CUDA)
_ANYWHERE = re.compile(rf"\b{_LIKE_CUDA}")
_KEYWORDS = """
    __alignof __alignof__ __asm __asm__ __attribute __attribute__ __auto_type __const __const__ __complex __complex__ __decltype
    __extension__ __func__ __imag__ __inline __inline__ __int128 __label__ __null __real__ __restrict __restrict__ __signed
    __signed__ __thread __typeof __typeof__ __volatile __volatile__
"""
_KEYWORD = frozenset(_KEYWORDS.split())
_IN_COMMENT = re.compile(r"\s*\*|.*(?://|/\*)")
_DECLARES = re.compile(r".*(?:\b(?:struct|class|enum|union|using|namespace|typedef)\b[^;{}]*|\}\s*)")
_CALLED = re.compile(r"\s*\(")


def one_sided_name(
    lines: Sequence[CodeLine], cpu: Sequence[Mapping[str, bool]], gpu: Sequence[Mapping[str, bool]]
) -> tuple[int, str] | None:
    """The line of the first such name, and the name. `cpu`, `gpu`: what `named_in` found in the headers that each compiler reads."""
    used: dict[str, int] = {}
    for line in lines:
        for word in _WORD.findall(line.bare):
            if _OF_CUDA.fullmatch(word) and word not in _KEYWORD:
                used.setdefault(word, line.number)
    by_cpu, by_nvcc = (_declared(used, said) for said in (cpu, gpu))
    differ = by_cpu.keys() ^ by_nvcc.keys()
    declared = [name for name in differ if not name.startswith("__") or (by_cpu | by_nvcc)[name]]
    return min(((used[name], name) for name in declared), default=None)


def _declared(used: Mapping[str, int], headers: Sequence[Mapping[str, bool]]) -> dict[str, bool]:
    """Those of `used` that stand in headers, and whether one of them declares them."""
    found: dict[str, bool] = {}
    for names in headers:
        for name in used.keys() & names.keys():
            found[name] = found.get(name, False) or names[name]
    return found


def named_in(text: str, start: int, end: int) -> Iterator[tuple[str, bool]]:
    """Names of CUDA's outside comments, between two beginnings of lines; whether each is declared there. A name may come several times."""
    declared: set[str] = set()
    for match in _ANYWHERE.finditer(text, start, end):
        name = match[0]
        if name in declared:
            continue
        before = text[text.rfind("\n", start, match.start()) + 1 or start : match.start()]
        if not _IN_COMMENT.match(before):
            if declares := bool(_CALLED.match(text, match.end(), end) or _DECLARES.fullmatch(before)):
                declared.add(name)
            yield name, declares
