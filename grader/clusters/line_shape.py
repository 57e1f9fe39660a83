"""The shape of a line of CUDA: its tokens, with a role in place of each name that the author chose. Pure.

`As[ty][tx] = A[row * K + t + tx];` and `tileA[j][i] = a[r * width + s + i];` have one shape. Roles follow from the words of the
file alone, so they may be wrong: they compare mistakes and prove nothing.
"""

from __future__ import annotations

import re
from functools import cached_property

from grader.suspects.kernel_names import KernelNames

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


class LineShapes:
    """Of one source file."""

    def __init__(self, source: str) -> None:
        self._names = KernelNames(source)

    def shape(self, line: str) -> str:
        """The tokens with one space between them; empty for a line without any."""
        tokens = KernelNames(line).tokens
        shown = [self._token(token.kind, token.text) for token in tokens]
        return " ".join(shown)

    def role(self, name: str) -> str:
        """What `name` is in this file: tile, input, output, size, index, step, sum, side or name."""
        return self._roles.get(name, "name")

    def _token(self, kind: str, text: str) -> str:
        if kind == "word":
            is_cuda = text.startswith(("__", "cuda", "atomic"))
            return text if text in _KEPT or is_cuda else self.role(text)
        if kind == "number":
            value = re.sub(r"(\.0*)?[fFuUlL]*$", "", text)
            return value if value in _NUMBERS else "n"
        return {"string": '""', "character": "''"}.get(kind, text)

    @cached_property
    def _roles(self) -> dict[str, str]:
        names = self._names
        roles = dict.fromkeys(self._declared(), "local")
        roles |= dict.fromkeys(names.tile_sides, "side")
        roles |= dict.fromkeys((name for name, _, _ in names.loops if name), "step")
        roles |= dict.fromkeys(names.thread_indices, "index")
        roles |= dict.fromkeys(self._sums(), "sum")
        roles |= dict.fromkeys(names.sizes, "size")
        roles |= self._pointers()
        roles |= dict.fromkeys(self._tiles(), "tile")
        return roles

    def _declared(self) -> list[str]:
        names = self._names
        return [names.text(at + 1) for at, token in enumerate(names.tokens) if token.text in _DECLARES]

    def _sums(self) -> list[str]:
        """What something is added to, and is no array."""
        return [self._names.text(at - 1) for at in self._names.places("+", "=") if self._names.text(at - 1) != "]"]

    def _tiles(self) -> list[str]:
        """The arrays that are __shared__."""
        names, found = self._names, []
        for at, token in enumerate(names.tokens):
            if token.text == "__shared__":
                end = next((one for one in range(at, len(names.tokens)) if names.text(one) in {"[", ";", "="}), at)
                found.append(names.text(end - 1))
        return found

    def _pointers(self) -> dict[str, str]:
        """The kernels' arrays: those that are const are inputs, and the others are outputs."""
        names, found = self._names, {}
        for at, token in enumerate(names.tokens):
            if token.text != "*" or names.text(at + 1) == "*":
                continue
            name = at + 2 if names.text(at + 1) in {"__restrict__", "const"} else at + 1
            if names.text(name + 1) in {",", ")"} and names.tokens[name].kind == "word":
                is_const = "const" in {names.text(at - 2), names.text(at - 1)}
                found[names.text(name)] = "input" if is_const else "output"
        return found
