"""Measures speed on this machine's GPU, and checks whether the machine is quiet enough."""

from __future__ import annotations

import re
import statistics
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from grader.engines.toolset import Toolset
from grader.model.labs import Lab, lab_ids, load_lab
from grader.model.outcome import JudgedCase, LabOutcome
from grader.model.result import LabResult
from grader.model.verdicts import Verdict
from grader.pages.speed.sweep_figure import tier_calibration_table
from grader.run.scoring.lab_score import score_lab, with_measured_speed
from grader.run.speed.contest import Contestant, build, run_contest
from grader.run.speed.speed_run import calibrate_tiers, kernels_of, problem_of, time_lab
from grader.run.speed.speed_score import ratio_interval

ROOT = Path(__file__).resolve().parents[2]
Measured = Callable[[str], None]
TIMED = [lab for lab in (load_lab(ROOT, one) for one in lab_ids(ROOT)) if lab.public.performance]
LAB = TIMED[1]  # the first lab where a kernel can be faster than naive
REPEATS = 10


def model(lab: Lab) -> Path:
    assert lab.private_dir is not None
    return lab.private_dir / lab.public.file


def timed(toolset: Toolset, lab: Lab, source: Path, scratch: Path) -> LabResult:
    """Times the source, and scores it as if every case had passed."""
    cases = lab.public.case + (lab.private.case if lab.private else ())
    passed = tuple(JudgedCase(case.name, True, Verdict.PASS) for case in cases)
    outcome = LabOutcome(lab.id, cases=passed)
    speed = time_lab(toolset, lab, source, outcome, scratch)
    return with_measured_speed(lab, score_lab(lab, LabOutcome(lab.id, cases=passed, speed=speed)))


def test_naive_against_itself_is_one(on_gpu: Toolset, tmp_path: Path, measured: Measured) -> None:
    base = TIMED[0]
    built = build(on_gpu, [Contestant(base, model(base), name) for name in ("baseline", "control")], tmp_path)
    assert base.public.performance is not None
    for shape in (base.public.performance.shape, "513x513x513", "2048x2048x2048"):
        said = run_contest(on_gpu, built, problem_of(base), shape, rounds=31, kept=0)
        assert said.status == "completed", said.detail
        assert not said.faults
        first, again = said.nanoseconds
        control = ratio_interval(first, again)
        measured(f"{said.shape}: {control}, SM clock {said.before.sm_mhz} to {said.after.sm_mhz} MHz")
        assert control.low <= 1.01
        assert control.high >= 0.99


@pytest.mark.parametrize("lab", TIMED, ids=lambda lab: lab.id)
def test_a_model_solution_earns_full_marks_for_speed(
    on_gpu: Toolset, lab: Lab, tmp_path: Path, measured: Measured
) -> None:
    result = timed(on_gpu, lab, model(lab), tmp_path)
    measured(result.performance)
    assert result.timing is not None
    assert result.timing.speedup is not None, result.performance
    assert result.performance_points == (lab.private.performance_points if lab.private and lab.private.tier else 0)


def test_ten_gradings_of_one_submission_agree(on_gpu: Toolset, tmp_path: Path, measured: Measured) -> None:
    results = [timed(on_gpu, LAB, model(LAB), tmp_path) for _ in range(REPEATS)]
    ratios = [one.timing.speedup for one in results if one.timing and one.timing.speedup]
    assert len(ratios) == REPEATS
    for one in ratios:
        measured(f"{one.middle:.4f} ({one.low:.4f} to {one.high:.4f})")
    spread = max(one.middle for one in ratios) / min(one.middle for one in ratios) - 1
    measured(f"largest over smallest: {100 * spread:.2f} %")
    assert len({one.performance_points for one in results}) == 1


def test_the_faster_kernels_beside_a_model_are_right_when_timed(
    on_gpu: Toolset, tmp_path: Path, measured: Measured
) -> None:
    for lab in TIMED:
        for name, source in kernels_of(lab)[1:]:
            result = timed(on_gpu, lab, source, tmp_path)
            measured(f"{lab.id} {name}: {result.performance}")
            assert result.verdict is Verdict.PASS, result.findings


def test_kernels_that_climb_reach_tiers_of_the_librarys_speed(on_gpu: Toolset, measured: Measured) -> None:
    climbing = [lab for lab in TIMED if lab.private and lab.private.stand_in]
    assert climbing
    for found in calibrate_tiers(on_gpu, climbing, lambda *_: None):
        measured(tier_calibration_table([found]))
        assert found.lab.private is not None
        points = [place.points for place in found.places if place.points is not None]
        assert len(points) == len(found.places)
        assert points[0] == found.lab.private.performance_points  # the model solution
        assert max(points) > points[0]


def _with_body(lab: Lab, change: str, folder: Path) -> Path:
    """The model solution with `change` at the start of its kernel, which only a GPU compiles."""
    text = model(lab).read_text(encoding="utf-8")
    name = lab.public.kernel.partition("(")[0]
    at = text.index("{", text.index(f" {name}("))
    made = folder / lab.public.file
    made.write_text(text[: at + 1] + f"\n{change}\n" + text[at + 1 :], encoding="utf-8")
    return made


def test_a_kernel_that_skips_work_after_some_launches_is_refused(
    on_gpu: Toolset, tmp_path: Path, measured: Measured
) -> None:
    for skipped in SKIPPING:
        result = timed(on_gpu, LAB, _with_body(LAB, skipped, tmp_path), tmp_path)
        measured(f"{result.verdict.value}: {result.findings[0].message if result.findings else result.performance}")
        assert result.verdict is Verdict.WRONG_ANSWER
        assert result.performance_points == 0


# A counter in the kernel's own memory; one block that does nothing; a kernel that works only if the inputs are no whole numbers.
SKIPPING = (
    (
        "__device__ static unsigned tilelab_blocks; if (threadIdx.x + threadIdx.y == 0) atomicAdd(&tilelab_blocks, 1u);"
        " if (*(volatile unsigned*)&tilelab_blocks > 40000u) return;"
    ),
    "if (blockIdx.x == 3 && blockIdx.y == 5) return;",
    "if (A[0] == floorf(A[0]) && blockIdx.x + blockIdx.y == 0) return;",
    "if (A[0] != floorf(A[0]) && blockIdx.x + blockIdx.y == 0) return;",
)


def longer(lab: Lab, folder: Path) -> Path:
    """The model solution on a grid with a tenth more blocks, which repeat the work of other blocks and write the same numbers."""
    text = model(lab).read_text(encoding="utf-8")
    grid = re.search(r"dim3\(([^()]*(?:\([^()]*\)[^()]*)*), ([^()]*(?:\([^()]*\)[^()]*)*)\), dim3\(tile, tile\)", text)
    assert grid is not None
    text = text.replace(grid[0], f"dim3({grid[1]}, ({grid[2]}) * 11 / 10), dim3(tile, tile)")
    made = folder / lab.public.file
    made.write_text(text.replace("blockIdx.y", "(blockIdx.y % (M / tile))"), encoding="utf-8")
    return made


def test_a_tenth_more_work_is_found_as_such(on_gpu: Toolset, tmp_path: Path, measured: Measured) -> None:
    result = timed(on_gpu, LAB, longer(LAB, tmp_path), tmp_path)
    assert result.timing is not None
    assert result.timing.share is not None, result.performance
    share = result.timing.share
    blocks = 1024 // 16
    more = (blocks * 11 // 10) / blocks
    measured(
        f"{more:.4f} times the blocks: {1 / share.middle:.4f} ({1 / share.high:.4f} to {1 / share.low:.4f}) times the time"
    )
    assert 1.02 < 1 / share.middle < 1.25


def test_seconds_that_a_submission_holds_the_gpu(on_gpu: Toolset, tmp_path: Path, measured: Measured) -> None:
    held = list(_held(on_gpu, tmp_path))
    for name, wall, warm, rounds in held:
        measured(
            f"{name}: {wall:.2f} s held; {warm:.2f} s warm-up, {rounds:.2f} s rounds, the rest loading, memory, inputs"
        )
    measured(f"three labs timed: {sum(one[1] for one in held[:3]):.2f} s")


def _held(toolset: Toolset, folder: Path) -> Iterator[tuple[str, float, float, float]]:
    for lab in TIMED:
        work = folder / lab.id
        work.mkdir()
        base = TIMED[0]
        contestants = [
            Contestant(base, model(base), "baseline"), Contestant(lab, model(lab), "student"),
            Contestant(lab, model(lab), "model"), Contestant(base, model(base), "control"),
        ]  # fmt: skip
        built = build(toolset, contestants, work)
        assert lab.public.performance is not None
        walls = []
        for _ in range(3):
            said = run_contest(toolset, built, problem_of(lab), lab.public.performance.shape, rounds=31, kept=1)
            walls.append(said.device_seconds)
        yield lab.id, statistics.median(walls), said.warm_up_ms / 1e3, said.timed_ms / 1e3
