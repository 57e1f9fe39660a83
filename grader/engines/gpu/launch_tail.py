"""Generates the file that nvcc compiles: the submission, and after it our own kernels, which evaluate its launch function on the GPU
and fill shared memory. Pure.

No host code of a submission ever runs. Macros that it leaves defined are undefined before our first line.
"""

from __future__ import annotations

import re

from grader.engines.checks.entry_points import EntrySignatures, name_of

ASK_LAUNCH, POISON_SHARED = "tilelab_ask_launch", "tilelab_poison_shared"
_WORD = re.compile(r"\b(?!__)[A-Za-z_]\w*")  # __global__ and the like are CUDA's own macros
_PARAMETERS = re.compile(r"\((.*)\)$")

_POISON = f"""extern "C" __global__ void {POISON_SHARED}(unsigned tilelab_words, unsigned tilelab_word) {{
  extern __shared__ volatile unsigned tilelab_shared[];
  for (unsigned tilelab_i = threadIdx.x; tilelab_i < tilelab_words; tilelab_i += blockDim.x) tilelab_shared[tilelab_i] = tilelab_word;
}}
"""
# Put before a submission that must print nothing. The headers that declare printf come first, so that none declares it again.
_SILENCE = """#include <cstdio>
template <class... Values>
__host__ __device__ inline int tilelab_print_nothing(const char*, Values...) { return 0; }
namespace std { using ::tilelab_print_nothing; }
#define printf tilelab_print_nothing
"""


def launch_tail(source_name: str, entries: EntrySignatures, *, silent: bool = False) -> str:
    """The text of that file. `source_name` is in the same folder. `silent`: the kernel prints nothing."""
    parts = [_signature_check(entries.kernel), _POISON]
    if entries.launch is not None:
        parts.append(_ask(entries.launch))
    code = "".join(parts)
    macros = "".join(f"#undef {word}\n" for word in sorted(set(_WORD.findall(_without_strings(code)))))
    return f'{_SILENCE if silent else ""}#include "{source_name}"\n{macros}{code}'


def _signature_check(kernel: str) -> str:
    """A line that compiles only if the kernel has exactly these parameters. It also keeps a static kernel from being removed."""
    parameters = _parameters(kernel)
    return f"static_assert(static_cast<void (*)({parameters})>({name_of(kernel)}) != nullptr);\n"


def _ask(launch: str) -> str:
    types = [one for one in _parameters(launch).split(", ") if one]
    declared = "".join(f", {kind} tilelab_{i}" for i, kind in enumerate(types))
    given = ", ".join(f"tilelab_{i}" for i in range(len(types)))
    fields = ("grid.x", "grid.y", "grid.z", "block.x", "block.y", "block.z", "shared_bytes")
    stores = "".join(f"  tilelab_answer[{i}] = tilelab_config.{field};\n" for i, field in enumerate(fields))
    return (
        f'extern "C" __global__ void {ASK_LAUNCH}(unsigned* tilelab_answer{declared}) {{\n'
        f"  const LaunchConfig tilelab_config = {name_of(launch)}({given});\n{stores}}}\n"
    )


def _parameters(signature: str) -> str:
    match = _PARAMETERS.search(signature)
    return match[1] if match else ""


def _without_strings(code: str) -> str:
    return re.sub(r'"[^"]*"', "", code)
