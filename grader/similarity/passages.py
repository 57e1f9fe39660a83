"""A file's passages: every run of a few tokens as a number, with its first line. Pure.

There are two views. In the plain one every name and number counts, and the words of comments; it finds copies. In the other one all
names are alike and comments are left out; it finds copies with other names. Layout plays no part in either.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from grader.similarity.file_tokens import file_tokens

_WORD = re.compile(r"\w+")
# Of the language and of CUDA: the same in everybody's file.
_LANGUAGE = frozenset(
    re.findall(
        r"\w+",
        """if else for while do return break continue switch case const constexpr static extern int unsigned float double bool void
        size_t auto struct template dim3 __global__ __device__ __host__ __shared__ __restrict__ threadIdx blockIdx blockDim gridDim
        __syncthreads true false""",
    )
)
_AXES = frozenset({"x", "y", "z"})  # of threadIdx and the like; elsewhere they are names
PLAIN, NAMELESS = 10, 18  # tokens of a passage


@dataclass(frozen=True)
class Passages:
    """Of one text."""

    text: str

    @cached_property
    def plain(self) -> Mapping[int, int]:
        """Each passage, and the line on which it begins."""
        return _runs(self._tokens[0], PLAIN)

    @cached_property
    def nameless(self) -> Mapping[int, int]:
        return _runs(self._tokens[1], NAMELESS)

    @cached_property
    def _tokens(self) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        """Of both views: a number for each token, and its line."""
        plain: list[tuple[int, int]] = []
        nameless: list[tuple[int, int]] = []
        before = ""
        for kind, text, line in file_tokens(self.text):
            if kind == "comment":
                plain += [(_number(word.casefold()), line + lines) for word, lines in _words(text)]
            elif kind != "include":
                plain.append((_number(text), line))
                kept = text in _LANGUAGE or (text in _AXES and before == ".")
                alike = {"word": "name", "number": "0", "text": "text"}.get(kind, text)
                nameless.append((_number(text if kept else alike), line))
                before = text
        return plain, nameless


def _words(comment: str) -> Iterator[tuple[str, int]]:
    """The words, each with its line from the comment's first line on."""
    for at, text in enumerate(comment.split("\n")):
        for word in _WORD.findall(text):
            yield word, at


@lru_cache(maxsize=1 << 14)
def _number(token: str) -> int:
    """The same in every run of the program, unlike hash()."""
    return zlib.crc32(token.encode("utf-8", "surrogatepass")) + 1


def _runs(tokens: Sequence[tuple[int, int]], length: int) -> dict[int, int]:
    """A number for each run of `length` tokens, and the first line that it begins on. Hashes of integers are the same in every run."""
    numbers = [number for number, _ in tokens]
    hashes = list(map(hash, zip(*(numbers[at:] for at in range(length)), strict=False)))
    lines = [line for _, line in tokens[: len(hashes)]]
    return dict(zip(reversed(hashes), reversed(lines), strict=True))
