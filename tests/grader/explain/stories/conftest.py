"""Stories of real launches: one file, one shape, one block."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from grader.engines.toolset import Toolset
from grader.explain.mistake_stories import mistake_stories
from grader.explain.story import ToldStory
from grader.model.labs import load_lab
from grader.run.launches.lab_launch import Traced, TraceRequest, launch_builder
from grader.run.launches.trace_phases import Index3

ROOT = Path(__file__).resolve().parents[4]
Tell = Callable[..., tuple[Traced, dict[str, ToldStory]]]


@pytest.fixture(scope="package")
def tell(tmp_path_factory: pytest.TempPathFactory) -> Tell:
    """`tell("06-reduction", source, "40")`: the launch, and its stories by their kinds."""
    toolset = Toolset.open(ROOT, allow_no_sandbox=True)

    def told(
        lab_id: str, source: str, shape: str | None = None, block: Index3 = (0, 0, 0)
    ) -> tuple[Traced, dict[str, ToldStory]]:
        request = TraceRequest(shape, block=block)
        run = launch_builder(toolset, load_lab(ROOT, lab_id), tmp_path_factory.mktemp("told"))(source.encode())
        traced = run(request)
        return traced, {one.kind: one for one in mistake_stories(traced, source.split("\n"))}

    return told


def reject(lab_id: str, name: str) -> str:
    return (ROOT / "solutions" / lab_id / "rejects" / f"{name}.cu").read_text()
