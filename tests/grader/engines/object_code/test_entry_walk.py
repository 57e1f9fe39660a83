"""The entries that are stepped over are those that nobody asks for: with them or without them, the same is read."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest

from grader.engines.objects import debug_info
from grader.engines.objects.debug_info import DebugInfo, read_debug_info
from grader.engines.objects.entry_walk import EntryWalk, UnreadableEntryError

SOURCE = """#include <tilelab/device.cuh>
LaunchConfig scale_launch(int n) { return {dim3(1), dim3(32)}; }
namespace mine { namespace deep { __device__ float twice(const volatile float* a) { return 2 * a[0]; } } }
template <typename T, int N> __device__ T tile(T a) { __shared__ T s[N][N + 1]; s[1][2] = a; return s[1][2]; }
struct Outer { struct Acc { float sum; __device__ float add(float a) { auto more = [&](float b) { return b + sum; }; return sum = more(a); } }; };
__device__ int counted;
extern __shared__ float pool[];
__global__ void scale(const float* in, float* out, int n) {
  __shared__ double cube[2][3][4];
  float local[8] = {};
  Outer::Acc acc{0};
  { int inner = 1; counted += inner; }
  cube[1][2][3] = 1; pool[0] = 1; local[n & 7] = 2;
  out[0] = mine::deep::twice(in) + tile<float, 16>(1) + tile<int, 8>(1) + acc.add(local[0]);
}
"""  # noqa: E501 -- one declaration a line


def _comparable(info: DebugInfo) -> dict[str, Any]:
    plain = {one.name: getattr(info, one.name) for one in dataclasses.fields(info) if one.name != "frames"}
    return {**plain, "frames": [(one.first, one.end, one.zones(), one.extents()) for one in info.frames]}


class _Unwilling:
    def __init__(self, _: object) -> None:
        raise UnreadableEntryError


def test_as_much_is_read_as_when_every_entry_is_read(
    build: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    built = build(SOURCE)
    assert built.verdict == "built", built.build.log
    quickly = read_debug_info(built.folder / "runner", "scale.cu")
    assert {one.name for one in quickly.functions} >= {"scale", "mine::deep::twice", "Outer::Acc::add"}
    monkeypatch.setattr(debug_info, "EntryWalk", _Unwilling)
    assert _comparable(quickly) == _comparable(read_debug_info(built.folder / "runner", "scale.cu"))


def test_what_ends_too_early_or_has_an_unknown_form_is_not_guessed(
    build: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    built = build(SOURCE)
    units: list[Any] = []

    class Kept(EntryWalk):
        def __init__(self, unit: Any) -> None:  # noqa: ANN401 -- pyelftools ships no types
            super().__init__(unit)
            units.append(unit)
            list(self.telling({1}))  # so that pyelftools has read what it needs while the file is open
            self.half = self._bytes[: len(self._bytes) // 2]

        def cut(self) -> None:
            self._bytes = self.half
            with pytest.raises(UnreadableEntryError):
                list(self.telling(()))
            raise UnreadableEntryError

        def adopt(self, die: Any) -> None:  # noqa: ANN401 -- the same
            super().adopt(die)
            self.cut()

    monkeypatch.setattr(debug_info, "EntryWalk", Kept)
    assert read_debug_info(built.folder / "runner", "scale.cu").functions
    assert units
