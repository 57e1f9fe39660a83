"""Makes mutants of kernels, token by token: what a student may mistype, and what a hostile one may try. Pure; all chance is given.

`grader/explain/small_edits.py` makes the mistakes that courses know, one at a time. Here tokens are also exchanged, dropped and put in
without knowing what they mean, and statements of other kernels come in. Many mutants do not compile: then two compilers have to agree
that they do not.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from pathlib import Path

from grader.engines.token_scan import Token, tokens_of
from grader.explain.small_edits import mutants_of

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_WORD = re.compile(r"[A-Za-z_]\w*")
_GRANTED = frozenset({"sum", "A", "C"})
_DECLARES = re.compile(
    r"\s*(?:const |static |volatile |__shared__ |extern )*(?:int|unsigned|float\d?|double|auto|dim3|bool|using|typedef)\b"
)
_STATEMENT = re.compile(r"^[ \t]+[^\n{}]*;[ \t]*$", re.MULTILINE)
# Tokens of one sort: each stands where another may.
_LIKE = tuple(
    tuple(sort.split())
    for sort in (
        "threadIdx blockIdx blockDim gridDim",
        "x y z",
        "M N K",
        "A B C",
        "int unsigned long short char size_t bool",
        "float double int float4 float2",
        "+ - * / % & | ^",
        "< > =",
        "&& | &",
        "0 1 2 15 16 17 31 32 33 1024 -1 0u",
        "__syncthreads __syncwarp __threadfence __threadfence_block",
        "__shared__ __constant__ static volatile const register",
        "if while",
        "break continue return",
        "fminf fmaxf fmaf",
        "atomicAdd atomicExch atomicMax",
    )
)
# One in a line: what a student or an attacker may write anywhere in a kernel.
_STATEMENTS = tuple((Path(__file__).parent / "samples" / "statements.txt").read_text(encoding="utf-8").splitlines())


def mutant_of(source: str, others: Sequence[str], chance: random.Random) -> str:
    """`source` with one to four edits. `others`: kernels whose statements may come in."""
    for _ in range(chance.choice((1, 1, 1, 2, 2, 4))):
        source = chance.choice(_EDITS)(source, others, chance)
    return source


def _known(source: str, _others: Sequence[str], chance: random.Random) -> str:
    """A mistake of those that courses know."""
    mutants = mutants_of(source)
    return chance.choice(mutants).text if mutants else source


def _alike(source: str, _others: Sequence[str], chance: random.Random) -> str:
    """Another token of the same sort."""
    tokens = _tokens(source)
    found = [(token, sort) for token in tokens for sort in _LIKE if token.text in sort]
    if not found:
        return source
    token, sort = chance.choice(found)
    return _put(source, token.start, len(token.text), chance.choice([one for one in sort if one != token.text]))


def _token(source: str, _others: Sequence[str], chance: random.Random) -> str:
    """A token dropped, repeated, exchanged with another, or replaced by any other of this kernel."""
    tokens = _tokens(source)
    if not tokens:
        return source
    one, other = chance.choice(tokens), chance.choice(tokens)
    text = chance.choice(
        ("", f"{one.text} {one.text}", other.text, other.text, f"({one.text})", f"-{one.text}", f"({one.text} + 1)")
    )
    return _put(source, one.start, len(one.text), text)


def _statement(source: str, _others: Sequence[str], chance: random.Random) -> str:
    """A statement put in, dropped, repeated, or moved to the place of another."""
    places = list(_STATEMENT.finditer(source))
    if not places:
        return source
    place = chance.choice(places)
    kind = chance.randrange(3) if _DECLARES.match(place[0]) else chance.randrange(6)
    if kind < 3:
        fitting = [one for one in _STATEMENTS if _fits(one, source)]
        return _put(source, place.end(), 0, "\n" + chance.choice(fitting))
    if kind == 3:
        return _put(source, place.start(), len(place[0]), ";")
    if kind == 4:
        return _put(source, place.end(), 0, "\n" + place[0])
    return _put(source, chance.choice(places).end(), 0, "\n" + place[0])


def _splice(source: str, others: Sequence[str], chance: random.Random) -> str:
    """A statement of another kernel whose names this one has too."""
    lines = [match[0] for match in _STATEMENT.finditer(chance.choice(others))] if others else []
    names = set(_WORD.findall(source))
    fitting = [line for line in lines if not _DECLARES.match(line) and set(_WORD.findall(line)) <= names]
    places = list(_STATEMENT.finditer(source))
    return _put(source, chance.choice(places).end(), 0, "\n" + chance.choice(fitting)) if fitting and places else source


def _fits(statement: str, source: str) -> bool:
    """Whether the kernel has the names that the statement takes for granted."""
    return all(name in source for name in _WORD.findall(statement) if name in _GRANTED)


def _tokens(source: str) -> list[Token]:
    """The tokens without comments and directives."""
    bare = _COMMENT.sub(lambda comment: re.sub(r"[^\n]", " ", comment[0]), source)
    return [token for token in tokens_of(bare, "") if token.kind in {"word", "number", "sign"}]


def _put(source: str, start: int, length: int, text: str) -> str:
    return source[:start] + text + source[start + length :]


_EDITS = (*[_known] * 5, *[_statement] * 4, *[_alike] * 2, _token, _splice)
