"""Builds snippets as the grader builds submissions, and compiles them directly to see what a compiler does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from grader.engines.cpu_build import CpuBuild, build_for_cpu
from grader.engines.entry_points import EntrySignatures
from grader.engines.toolset import Toolset

ROOT = Path(__file__).resolve().parents[3]
FILE = "scale.cu"
ENTRIES = EntrySignatures("scale(float const*, float*, int)", "scale_launch(int)")


@dataclass(frozen=True)
class Built:
    build: CpuBuild
    folder: Path

    @property
    def verdict(self) -> str:
        """`built` where there is a runner, else the first refusal's verdict."""
        return self.build.refusals[0].verdict.value if self.build.refusals else "built"

    @property
    def line(self) -> int:
        return self.build.refusals[0].line

    @property
    def said(self) -> str:
        return " ".join(f"{one.message} {one.advice}" for one in self.build.refusals)


BuildSource = Callable[[str | bytes], Built]


@pytest.fixture(scope="session")
def toolset() -> Toolset:
    return Toolset.open(ROOT, allow_no_sandbox=True)


@pytest.fixture
def build(toolset: Toolset, tmp_path: Path) -> BuildSource:
    """Builds the text of a `scale.cu` completely, confined like a submission."""

    def build_source(text: str | bytes) -> Built:
        folder = tmp_path / "work"
        folder.mkdir()
        source = tmp_path / FILE
        source.write_bytes(text.encode() if isinstance(text, str) else text)
        return Built(build_for_cpu(toolset.toolchain, toolset.confinement, source, folder, ENTRIES), folder)

    return build_source
