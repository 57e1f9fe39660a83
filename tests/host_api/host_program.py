"""Builds a host text as `tilelab run` does, but for its text changes: kernels are written as stubs and launches as calls by hand."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from grader.run.programs.host_toolchain import write_forwarded_headers

ROOT = Path(__file__).resolve().parents[2]
KERNEL = "{ static char tilelab_kernel_mark; ::tilelab_host::launch_kernel(&tilelab_kernel_mark%s); }"
FLAGS = (
    *("-x", "c++", "-std=c++20", "-O1", "-g", "-no-pie", "-fpermissive", "-ffunction-sections", "-Wunused-result"),
    *("-fno-optimize-sibling-calls", "-DTILELAB_HOST_API=1", "-D__tilelab_device__=", "-D__tilelab_host__="),
    "-D__tilelab_global__=__attribute__((noinline,noclone))",
)


def build(text: str, folder: Path) -> tuple[Path, str]:
    """The program, and what the compiler and the linker said."""
    kit = json.loads((ROOT / "build" / "kit.json").read_text(encoding="utf-8"))
    source, built, program = folder / "program.cpp", folder / "program.o", folder / "program"
    source.write_text(text, encoding="utf-8")
    prelude = ("-include", str(ROOT / "kit" / "host" / "cuda_on_host.hpp"))
    forwarded = write_forwarded_headers(folder / "headers")
    includes = [f"-I{path}" for path in (*kit["host_includes"], ROOT / "kit" / "executor" / "device", forwarded)]
    said = _run([kit["compiler"], *FLAGS, *prelude, *includes, "-c", str(source), "-o", str(built)])
    link = ("-no-pie", "-Wl,--gc-sections", "-Wl,--warn-unresolved-symbols")
    said += _run([kit["compiler"], str(built), *link, *kit["host_archives"], "-o", str(program)])
    return program, said


def _run(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stderr
