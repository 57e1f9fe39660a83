"""Lists the functions of CUDA's runtime that `tilelab run` offers to host code, read off the headers of kit/host.

`.venv/bin/python docs/runtime_call_table.py` prints the table. With `--write` it writes the section between the two markers of
running-a-program.md, and a test fails where that is not current. Reads declarations word by word: no C++ parser.
"""

# ruff: noqa: INP001 -- a script, in no package
from __future__ import annotations

import re
from pathlib import Path

from marked_section import MarkedSection

ROOT = Path(__file__).resolve().parent.parent
HEADERS = ROOT / "kit" / "host"
SECTION = MarkedSection(
    ROOT / "docs" / "running-a-program.md",
    "<!-- runtime functions: begin (docs/runtime_call_table.py --write) -->",
    "<!-- runtime functions: end -->",
)
_PARTS = (
    ("Memory, copies and fills", "runtime_memory.hpp"),
    ("Arrays, textures and surfaces", "runtime_textures.hpp"),
    ("Graphs, capture of streams", "runtime_graphs.hpp"),
    ("Streams, events, launches by function, occupancy", "runtime_kernels.hpp"),
    ("Device, errors, limits", "runtime_device.hpp"),
    ("CUB, with `<cub/cub.cuh>`", "device_wide.hpp"),
    ("cuRAND, with `<curand.h>`", "random_calls.hpp"),
    ("Thrust: algorithms", "thrust.hpp"),
    ("cuBLAS, with `<cublas_v2.h>`", "blas_calls.hpp"),
)
_CALL = re.compile(
    r'^(?:TILELAB_CUDA_\w+|extern "C" const char\*|__attribute__\(\(always_inline\)\) inline \w+) (cuda\w+)\('
    r"|^TILELAB_CUDA_CALLS\((cuda\w+),",
    re.MULTILINE,
)


_BLAS = re.compile(
    r"^ *(?:cublasStatus_t|curandStatus_t|const char\*) ((?:cublas|curand)\w+)\(|^  CALL\(S, (\w+),", re.MULTILINE
)
_DEVICE_WIDE = re.compile(r"^struct (Device\w+) \{|^  static cudaError_t (\w+)\(", re.MULTILINE)
_THRUST = re.compile(r"^TILELAB_THRUST\((\w+), |^Out (copy)\(In first", re.MULTILINE)


def calls_of(header: str) -> list[str]:
    """The names that a header, or several, declare, in their order."""
    text = "".join(one.read_text(encoding="utf-8") for one in sorted(HEADERS.glob(header)))
    blas = [
        one
        for name, row in _BLAS.findall(text)
        for one in ([name] if name else [f"cublas{kind}{row}" for kind in "SD"])
    ]
    calls = [one for name, both in _CALL.findall(text) for one in ([name] if name else [both, f"{both}Async"])]
    thrust = [f"thrust::{''.join(names)}" for names in _THRUST.findall(text)]
    return list(dict.fromkeys([*_device_wide(text), *calls, *blas, *thrust]))


def _device_wide(text: str) -> list[str]:
    names, group = [], ""
    for opened, name in _DEVICE_WIDE.findall(text):
        group = opened or group
        names += [f"cub::{group}::{name}"] if name else []
    return names


def call_table() -> str:
    rows = [f"| {title} | {', '.join(f'`{name}`' for name in calls_of(header))} |" for title, header in _PARTS]
    return "\n".join(["| | functions |", "|---|---|", *rows])


if __name__ == "__main__":
    SECTION.main(call_table)
