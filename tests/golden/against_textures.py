"""Runs the kernels of `textures/` on a GPU and on the CPU executor, and prints how far their results are apart.

    .venv/bin/python tests/golden/against_textures.py prepare build/textures   # here: programs (needs nvcc), our results
    bash build/textures/run.sh                                                 # where there is a GPU; build/textures may be copied there
    .venv/bin/python tests/golden/against_textures.py table build/textures     # prints a Markdown table, and what differs most

The first line of each file says which textures and surfaces its kernel gets; `memory` is a texture of linear memory, and the others are
arrays. Each kernel prints its results line by line: a name, a number, the bits of a float. This is no test: it needs a GPU. Its output is
put into docs/cuda-on-the-cpu.md by hand, with the date and the device.
"""

# ruff: noqa: T201 -- it prints
from __future__ import annotations

import random
import re
import struct
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from grader.engines.toolset import Toolset
from grader.model.verdicts import Verdict
from grader.run.kernels.argument_text import TextureOptions, WantedArgument, parse_argument, texel_type
from grader.run.kernels.kernel_source import read_kernel_source
from grader.run.kernels.parameter_types import ValueType
from grader.run.launches.kernel_check import Checked, CheckRequest, check_kernel

ROOT = Path(__file__).resolve().parents[2]
KERNELS = Path(__file__).resolve().parent / "textures"
HOST = KERNELS / "host_objects.cuh"
LINE = re.compile(r"^ *(\w+ \d+) ([0-9a-f]{8}) \S+ *$", re.MULTILINE)
FORMATS = {"floating": ("e", "f"), "signed": ("b", "h", "i"), "unsigned": ("B", "H", "I")}
KINDS = {"floating": "Float", "signed": "Signed", "unsigned": "Unsigned"}
NEAR = 1e-5  # of the largest result: a filter's sum is rounded in another way


@dataclass(frozen=True)
class Object:
    """One texture or surface that a kernel gets."""

    word: str  # "texture", "surface" or "memory"
    wanted: WantedArgument
    numbers: tuple[float, ...]

    @property
    def options(self) -> TextureOptions:
        assert self.wanted.texture is not None
        return self.wanted.texture

    @property
    def element(self) -> ValueType:
        found = texel_type(self.wanted.type)
        assert found is not None
        return found

    @property
    def bytes(self) -> bytes:
        leaf = self.element.leaves[0]
        code = FORMATS[leaf.kind][leaf.bytes.bit_length() - 1 - (leaf.kind == "floating")]
        return struct.pack(f"<{len(self.numbers)}{code}", *self.numbers)


def objects_of(source: Path) -> list[Object]:
    first = source.read_text(encoding="utf-8").partition("\n")[0].removeprefix("// textures: ")
    found = []
    for at, text in enumerate(first.split(";")):
        word = text.split("(")[0].split()[0]
        wanted = parse_argument(text.strip().replace("memory", "texture", 1))
        element = texel_type(wanted.type)
        assert element is not None
        count = len(element.leaves)
        for extent in wanted.extents:
            count *= extent
        found.append(Object(word, wanted, tuple(drawn(random.Random(f"{source.stem} {at}"), element, count))))
    return found


def drawn(numbers: random.Random, element: ValueType, count: int) -> list[float]:
    """All of them are exact in the element's type."""
    leaf = element.leaves[0]
    if leaf.kind == "floating":
        return [numbers.randint(-1000, 1000) / 64 for _ in range(count)]
    low = -(1 << (8 * leaf.bytes - 1)) if leaf.kind == "signed" else 0
    return [numbers.randint(low, low + (1 << (8 * leaf.bytes)) - 1) for _ in range(count)]


def prepare(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    run = ["#!/usr/bin/env bash", "# Runs every program beside this file.", "set -uo pipefail", 'cd "$(dirname "$0")"']
    for source in sorted(KERNELS.glob("*.cu")):
        objects = objects_of(source)
        program = folder / f"{source.stem}.cu"
        program.write_text(program_of(source, objects), encoding="utf-8")
        command = ["nvcc", "-O3", "-std=c++17", "-arch=sm_90", "-cudart=static", f"-I{KERNELS}", str(program)]
        subprocess.run([*command, "-o", str(folder / source.stem)], check=True)
        (folder / f"{source.stem}.here").write_text(printed_here(source, objects), encoding="utf-8")
        run.append(f"./{source.stem} > {source.stem}.there")
    (folder / "run.sh").write_text("\n".join(run) + "\n", encoding="utf-8")


def program_of(source: Path, objects: list[Object]) -> str:
    """The kernel, with a main() that makes its textures."""
    made, names = [], []
    for at, one in enumerate(objects):
        leaf, options = one.element.leaves[0], one.options
        extents = [*one.wanted.extents[::-1], 0, 0][:3]
        if options.is_layered and len(one.wanted.extents) == 2:
            extents = [extents[0], 0, extents[1]]
        # A GPU applies the mode of a dimension that a texture does not have: with `border`, it halves what a filter finds in a line.
        used = sum(extent > 0 for extent in extents) - options.is_layered
        modes = ", ".join(
            f"cudaAddressMode{mode.capitalize()}" for mode in (*options.address[:used], *["clamp"] * (3 - used))
        )
        made.append(
            f"  static const unsigned char bytes{at}[] = {{{', '.join(map(str, one.bytes))}}};\n"
            f"  const Wanted wanted{at}{{Kind::{one.word}, {{{', '.join(map(str, extents))}}}, {str(options.is_layered).lower()}, "
            f"{leaf.bytes}, {len(one.element.leaves)}, cudaChannelFormatKind{KINDS[leaf.kind]}, {{{modes}}}, "
            f"{str(options.is_linear).lower()}, {str(options.is_normalized).lower()}, {str(options.as_float).lower()}}};\n"
        )
        names.append(f"object_of(wanted{at}, bytes{at}, sizeof bytes{at})")
    return (
        f'#include "{source}"\n#include "{HOST}"\nint main() {{\n{"".join(made)}  cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 8 << 20);\n'
        f"  shows<<<1, 32>>>({', '.join(names)});\n  return ends();\n}}\n"
    )


def printed_here(source: Path, objects: list[Object]) -> str:
    """All that the kernel prints on the CPU executor; `tilelab check` shows only its beginning."""
    arguments = [f"{one.wanted.text}={{{','.join(map(str, one.numbers))}}}" for one in objects]
    request = CheckRequest(str(source), "shows", (1, 1, 1), (32, 1, 1), shared_bytes=0, arguments=arguments)
    with tempfile.TemporaryDirectory(prefix="tilelab-") as scratch:
        toolset = Toolset.open(ROOT, allow_no_sandbox=True)
        checked = check_kernel(toolset, read_kernel_source(source), request, Path(scratch))
    if not isinstance(checked, Checked) or checked.verdict is not Verdict.PASS:
        sys.exit(f"{source.name} is not clean here: {checked}")
    return checked.printed


def results(printed: Path) -> dict[str, float]:
    text = printed.read_text(encoding="utf-8") if printed.is_file() else ""
    return {name: struct.unpack("<f", int(bits, 16).to_bytes(4, "little"))[0] for name, bits in LINE.findall(text)}


def table(folder: Path) -> None:
    print("| kernel | results | equal to the last bit | nearly equal | others | largest difference | largest result |")
    print("|---|---|---|---|---|---|---|")
    differing = []
    for source in sorted(KERNELS.glob("*.cu")):
        here, there = (results(folder / f"{source.stem}.{place}") for place in ("here", "there"))
        both = {name: (here[name], there[name]) for name in here if name in there}
        largest = max((abs(other) for _, other in both.values()), default=0.0)
        equal = sum(one == other for one, other in both.values())
        others = {name: pair for name, pair in both.items() if not abs(pair[0] - pair[1]) <= NEAR * largest}
        worst = max((abs(one - other) for one, other in both.values()), default=0.0)
        near = len(both) - equal - len(others)
        print(
            f"| `{source.stem}` | {len(both)} of {len(here)} | {equal} | {near} | {len(others)} | {worst:.3g} | {largest:.6g} |"
        )
        differing += [(source.stem, name, *pair) for name, pair in others.items()]
    for stem, name, one, other in differing[:60]:
        print(f"{stem}: {name} is {one:.9g} here and {other:.9g} there")


if __name__ == "__main__":
    action, place = sys.argv[1], Path(sys.argv[2]).resolve()
    doing: dict[str, Callable[[Path], None]] = {"prepare": prepare, "table": table}
    doing[action](place)
