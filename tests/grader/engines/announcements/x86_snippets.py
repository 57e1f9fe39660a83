"""Functions of a few instructions, assembled for x86-64 as a compiler's output would be."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

BEGIN = "pushq %rbp\nmovq %rsp, %rbp\nsubq $64, %rsp\n"
END = "call __sanitizer_cov_trace_pc\nleave\nret\n"


def assembly(body: str, *, framed: bool = True, behind: str = "") -> str:
    """Of the function `kernel`; instructions are separated by semicolons or lines."""
    text = f"{BEGIN}{body}\n{END}" if framed else body
    lines = "".join(_line(one) for one in text.replace(";", "\n").split("\n") if one.strip())
    return f"\t.text\n\t.globl kernel\n\t.type kernel, @function\nkernel:\n{lines}\t.size kernel, .-kernel\n{behind}"


def _line(text: str) -> str:
    return f"{text.strip()}\n" if text.strip().endswith(":") else f"\t{text.strip()}\n"


def assembled(text: str, folder: Path) -> Path:
    if shutil.which("g++") is None or "x86_64" not in _target():
        pytest.skip("no assembler for x86-64")
    source, made = folder / "snippet.s", folder / "snippet.o"
    source.write_text(text, encoding="utf-8")
    subprocess.run(["g++", "-x", "assembler", "-c", source, "-o", made], check=True)
    return made


def _target() -> str:
    return subprocess.run(["g++", "-dumpmachine"], check=True, capture_output=True, text=True).stdout
