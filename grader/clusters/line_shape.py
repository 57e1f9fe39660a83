"""The shape of a line of CUDA: its tokens, with a role in place of each name that the author chose. Pure.

`part[j][i] = in[y * n + s + i];` and `piece[v][u] = data[r * width + from + u];` have one shape. Roles follow from the words of the
file alone, so they may be wrong: they compare mistakes and prove nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from grader.similarity.file_tokens import file_tokens

# Words that mean the same in every file. Names that the author chose become roles.
_KEPT_WORDS = """
if else for while do return break continue switch case default goto const static extern sizeof true false nullptr new
delete int unsigned signed long short char float double bool void size_t auto struct template typename dim3 float2
float4 int2 int4 threadIdx blockIdx blockDim gridDim warpSize x y z min max fminf fmaxf expf sqrtf printf assert
LaunchConfig __global__ __device__ __host__ __shared__ __restrict__ __constant__ constexpr
"""
_KEPT = frozenset(re.findall(r"\w+", _KEPT_WORDS))
_DECLARES = frozenset({"int", "float", "double", "unsigned", "auto", "long", "size_t", "bool", "char"})
_NUMBERS = frozenset({"0", "1", "2"})  # others are sizes of the author's choice


_NEAR = 40  # tokens; what belongs to a declaration or to the head of a loop is not farther away


class LineShapes:
    """Of one source file."""

    def __init__(self, source: str) -> None:
        self._tokens = [one for one in file_tokens(source) if one.kind not in {"comment", "include"}]

    def shape(self, line: str) -> str:
        """The tokens with one space between them; empty for a line without any."""
        tokens = [one for one in file_tokens(line) if one.kind not in {"comment", "include"}]
        return " ".join(self._shown(one.kind, one.text) for one in tokens)

    def role(self, name: str) -> str:
        """What `name` is in this file: tile, input, output, size, index, step, sum, side, local or name."""
        return self._roles.get(name, "name")

    def _shown(self, kind: str, text: str) -> str:
        if kind == "word":
            is_cuda = text.startswith(("__", "cuda", "atomic"))
            return text if text in _KEPT or is_cuda else self.role(text)
        if kind == "number":
            value = re.sub(r"(\.0*)?[fFuUlL]*$", "", text)
            return value if value in _NUMBERS else "n"
        return "text" if kind == "text" else text

    @cached_property
    def _roles(self) -> dict[str, str]:
        """The later of two roles of a name counts."""
        roles: dict[str, str] = {}
        for find in (self._locals, self._sides, self._steps, self._indices, self._sums, self._parameters, self._tiles):
            roles |= dict(find())
        return roles

    def _text(self, at: int) -> str:
        return self._tokens[at].text if 0 <= at < len(self._tokens) else ""

    def _near(self, at: int, *ends: str) -> range:
        """From the token after `at` up to one of `ends`."""
        last = min(at + 1 + _NEAR, len(self._tokens))
        return range(at + 1, next((one for one in range(at + 1, last) if self._text(one) in ends), last))

    def _places(self, *texts: str) -> Iterator[int]:
        return (at for at, token in enumerate(self._tokens) if token.text in texts)

    def _locals(self) -> Iterator[tuple[str, str]]:
        for at in self._places(*_DECLARES):
            yield self._text(at + 1), "local"

    def _sides(self) -> Iterator[tuple[str, str]]:
        for at in self._places("__shared__"):
            yield from ((self._text(one + 1), "side") for one in self._near(at, ";") if self._text(one) == "[")

    def _steps(self) -> Iterator[tuple[str, str]]:
        for at in self._places("for", "while"):
            assigned = next((one for one in self._near(at, ";", ")") if self._text(one) == "="), None)
            if assigned is not None:
                yield self._text(assigned - 1), "step"

    def _indices(self) -> Iterator[tuple[str, str]]:
        for at in self._places("="):
            if any(self._text(one) in {"threadIdx", "blockIdx"} for one in self._near(at, ";", ",", "{")):
                yield self._text(at - 1), "index"

    def _sums(self) -> Iterator[tuple[str, str]]:
        """What something is added to, and is no array."""
        for at in self._places("+="):
            if self._text(at - 1) != "]":
                yield self._text(at - 1), "sum"

    def _parameters(self) -> Iterator[tuple[str, str]]:
        """Of kernels: numbers are sizes, arrays that are const are inputs, and the others are outputs."""
        for start in self._places("__global__"):
            begin = next((one for one in self._near(start, ";", "{") if self._text(one) == "("), None)
            is_const = is_pointer = False
            for at in self._near(begin, "{", ";") if begin is not None else ():
                text = self._text(at)
                is_const, is_pointer = is_const or text == "const", is_pointer or text in {"*", "["}
                if self._text(at + 1) in {",", ")", "["} and self._tokens[at].kind == "word":
                    is_pointer = is_pointer or self._text(at + 1) == "["
                    yield text, ("input" if is_const else "output") if is_pointer else "size"
                if text == ",":
                    is_const = is_pointer = False

    def _tiles(self) -> Iterator[tuple[str, str]]:
        """The arrays that are __shared__."""
        for at in self._places("__shared__"):
            yield self._text(self._near(at, "[", ";", "=").stop - 1), "tile"
