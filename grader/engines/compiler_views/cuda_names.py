"""Whether a submission uses a name of CUDA's that only one of two compilers' headers declare. Pure.

A file that both compile can then only have declared it itself, or asks by a template whether it is there: overload resolution finds
another function for nvcc than for the CPU executor. Names of other kinds are not looked at; students choose those themselves.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from grader.engines.checks.bare_code import CodeLine

_WORD = re.compile(r"[^\W\d][\w$]*")
# Reserved for compilers and their headers, or as CUDA names its own functions and types.
_OF_CUDA = re.compile(
    r"(?:__(?!builtin_|atomic_|sync_|is_|has_|cpp_|cplusplus)|cuda[A-Z]|cu[A-Z]|CU[a-z]|make_\w+\d|make_cuda|tex[123C]|surf[123C])\w*"
)
_KEYWORDS = """
    __alignof __alignof__ __asm __asm__ __attribute __attribute__ __auto_type __const __const__ __complex __complex__ __decltype
    __extension__ __func__ __imag__ __inline __inline__ __int128 __label__ __null __real__ __restrict __restrict__ __signed
    __signed__ __thread __typeof __typeof__ __volatile __volatile__
"""
_KEYWORD = frozenset(_KEYWORDS.split())
_IN_COMMENT = re.compile(r"\s*\*|.*(?://|/\*)")
_DECLARES = re.compile(r".*(?:\b(?:struct|class|enum|union|using|namespace|typedef)\b[^;{}]*|\}\s*)")
_CALLED = re.compile(r"\s*\(")


def one_sided_name(lines: Sequence[CodeLine], cpu: Iterable[str], gpu: Iterable[str]) -> tuple[int, str] | None:
    """The line of the first such name, and the name. `cpu`, `gpu`: texts of the headers that each compiler reads."""
    used: dict[str, int] = {}
    for line in lines:
        for word in _WORD.findall(line.bare):
            if _OF_CUDA.fullmatch(word) and word not in _KEYWORD:
                used.setdefault(word, line.number)
    if not used:
        return None
    searched = re.compile(rf"\b(?:{'|'.join(map(re.escape, used))})\b")
    by_cpu, by_nvcc = (dict(_occurrences(searched, texts)) for texts in (cpu, gpu))
    differ = [name for name in used if (name in by_cpu) != (name in by_nvcc)]
    declared = [name for name in differ if not name.startswith("__") or "yes" in (by_cpu | by_nvcc)[name]]
    return min(((used[name], name) for name in declared), default=None)


def _occurrences(searched: re.Pattern[str], texts: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Each name outside comments, with "yes" where it is declared somewhere."""
    found: dict[str, str] = {}
    for text in texts:
        for match in searched.finditer(text):
            if found.get(match[0]):
                continue
            before = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
            if not _IN_COMMENT.match(before):
                declares = _CALLED.match(text, match.end()) or _DECLARES.fullmatch(before)
                found[match[0]] = "yes" if declares else ""
    yield from found.items()
