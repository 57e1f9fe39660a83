"""Counts what the kernels of the speed order ask of memory, on the CPU executor, and writes that down beside this file. With nvcc it also
writes down their registers. It times nothing: speed_order.py does.

    .venv/bin/python tests/benchmarks/order_counts.py
"""

# ruff: noqa: T201 - printing is what it is for

from __future__ import annotations

import hashlib
import json
import tempfile
from pathlib import Path
from typing import Any

from ladder_speeds import LADDER, ROOT
from order_kernels import order_kernels

from grader.engines.backend import backend_choice
from grader.engines.entry_points import EntrySignatures
from grader.engines.gpu_build import build_for_gpu
from grader.engines.gpu_toolchain import GpuTarget
from grader.engines.toolset import Toolset
from grader.model.labs import Lab, load_lab
from grader.model.result import Launch
from grader.run.launches.lab_launch import build_launch
from grader.system.own_files import write_atomically

COUNTED = Path(__file__).with_name("order_counts.json")
SHAPES = ("256x256x64", "256x256x128", "128x128x64", "32x32x512")
CAPABILITY = 90  # of the GPU that the kernels were timed on


def main() -> None:
    toolset = Toolset.open(ROOT, allow_no_sandbox=True, backend=backend_choice())
    lab = load_lab(toolset.root, "04-open")
    known = json.loads(COUNTED.read_text(encoding="utf-8")) if COUNTED.is_file() else {}
    found = {name: counted(toolset, lab, text, known.get(name, {})) for name, text in everybody(lab).items()}
    lines = (f"{json.dumps(name)}: {json.dumps(one)}" for name, one in found.items())
    write_atomically(COUNTED, "{\n" + ",\n".join(lines) + "\n}\n")
    print(f"written: {COUNTED.relative_to(ROOT)}")


def everybody(lab: Lab) -> dict[str, str]:
    """The texts of the model solution, the rungs and the kernels beside them, by name."""
    assert lab.private_dir is not None
    files = {"model": lab.private_dir / lab.public.file, **{rung.stem: rung for rung in sorted(LADDER.glob("*.cu"))}}
    return {**{name: path.read_text(encoding="utf-8") for name, path in files.items()}, **order_kernels()}


def counted(toolset: Toolset, lab: Lab, text: str, known: dict[str, Any]) -> dict[str, Any]:
    """The launch of each shape without its lines, and the kernel's registers and shared memory where nvcc is there. `known`: what was
    written down before, whose registers stay if the text is the same.
    """
    source = text.encode()
    digest = hashlib.sha256(source).hexdigest()[:16]
    with tempfile.TemporaryDirectory(prefix="tilelab-") as folder:
        built = build_launch(toolset, lab, source, Path(folder))
        launches = {shape: built.profile(shape).launch for shape in SHAPES}
    same = known.get("text") == digest and known.get("resources")
    return {
        "text": digest,
        "launches": {shape: _short(launch) for shape, launch in launches.items()},
        "resources": known["resources"] if same else _resources(toolset, lab, source),
    }


def _short(launch: Launch) -> dict[str, Any]:
    assert launch.traffic is not None
    assert launch.traffic.complete
    bare = launch.model_copy(update={"traffic": launch.traffic.model_copy(update={"lines": ()}), "findings": ()})
    return bare.model_dump(mode="json", exclude_defaults=True)


def _resources(toolset: Toolset, lab: Lab, source: bytes) -> dict[str, int] | None:
    if toolset.gpu.toolchain is None:
        return None
    with tempfile.TemporaryDirectory(prefix="tilelab-") as folder:
        file, work = Path(folder) / lab.public.file, Path(folder) / "work"
        file.write_bytes(source)
        work.mkdir()
        entries = EntrySignatures(lab.public.kernel, lab.public.launch)
        built = build_for_gpu(toolset.gpu.toolchain, toolset.confinement, file, work, entries, GpuTarget(CAPABILITY))
    if built.resources is None:
        return None
    return {"registers": built.resources.registers, "static_shared_bytes": built.resources.static_shared_bytes}


if __name__ == "__main__":
    main()
