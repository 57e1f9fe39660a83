"""Judges one kernel of a lab as the batch does, with hidden cases and a fixed seed. And builds it once where a file judges it often."""

from __future__ import annotations

import runpy
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from grader.engines.cpu_build import CpuBuild
from grader.engines.entry_points import EntrySignatures
from grader.engines.toolset import Toolset
from grader.model.labs import load_lab
from grader.model.result import LabResult
from grader.run.lab_judging import LabJudge
from grader.run.scoring.lab_score import score_lab
from grader.source.student_code import normalise

ROOT = Path(__file__).resolve().parents[2]
SEED = 20_240_917  # an arbitrary number: no verdict may depend on it

# Of every kernel that is graded here, each page is made too: none may be lost.
render_everything: Callable[[str, LabResult, str], list[str]] = runpy.run_path(
    str(Path(__file__).with_name("every_page.py"))
)["render_everything"]

Grade = Callable[[str, Path], LabResult]


@pytest.fixture(scope="session")
def toolset() -> Toolset:
    return Toolset.open(ROOT, allow_no_sandbox=True)


@pytest.fixture
def grade(toolset: Toolset, tmp_path: Path) -> Grade:
    """Grades a file like a submission to a lab, and shows it on every page: `grade("01-naive", path)`."""

    def judge(lab_id: str, source: Path) -> LabResult:
        lab = load_lab(ROOT, lab_id)
        handed_in = tmp_path / lab.public.file
        handed_in.write_bytes(normalise(source.read_bytes())[0])
        scratch = tmp_path / "judging"
        scratch.mkdir()
        result = score_lab(lab, LabJudge(toolset, SEED, public_only=False)(lab, handed_in, scratch))
        assert all(render_everything(lab_id, result, handed_in.read_text(encoding="utf-8")))
        return result

    return judge


@pytest.fixture(scope="module")
def built_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The tests of a file build each kernel once and copy what came of it: for files that ask how a kernel runs, not how it is built."""
    build = Toolset.cpu_build
    kept: dict[object, tuple[CpuBuild, Path]] = {}

    def once(toolset: Toolset, source: Path, folder: Path, entries: EntrySignatures, **how: Any) -> CpuBuild:  # noqa: ANN401
        if any(folder.iterdir()):  # headers of the submission
            return build(toolset, source, folder, entries, **how)
        key = (toolset.compiler_version, source.name, source.read_bytes(), entries, repr(how))
        if key not in kept:
            made = build(toolset, source, folder, entries, **how)
            kept[key] = made, tmp_path_factory.mktemp("built") / "work"
            shutil.copytree(folder, kept[key][1])
            return made
        made, work = kept[key]
        shutil.copytree(work, folder, dirs_exist_ok=True)
        return replace(
            made,
            runner=made.runner and folder / made.runner.name,
            image=made.image and folder / made.image.name,
            images_beside=tuple(folder / one.name for one in made.images_beside),
        )

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Toolset, "cpu_build", once)
        yield
