"""What is timed beside a submission so that tiers can be shares of its speed, and what happens where that cannot be timed."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path

import pytest

from grader.engines.backend import Device, GpuBackend
from grader.engines.toolset import Toolset
from grader.model.labs import Lab, lab_ids, load_lab
from grader.model.outcome import Contest, LabOutcome, SpeedOutcome
from grader.pages.speed.sweep_figure import tier_calibration_table
from grader.run.speed import contest, speed_run
from grader.run.speed.contest import Built, Contestant, ContestError, LibraryContestant, references
from grader.run.speed.speed_run import calibrate_tiers, climbing_kernels, time_lab

ROOT = Path(__file__).resolve().parents[4]
LABS = [load_lab(ROOT, one) for one in lab_ids(ROOT)]
CLIMBING = next(lab for lab in LABS if lab.private and lab.private.stand_in)
PLAIN = next(lab for lab in LABS if lab.private and lab.private.tier and not lab.private.stand_in)
NAIVE_NS = {"baseline": 1.0, "control": 1.0, "student": 0.25, "model": 0.5, "library": 0.1, "stand-in": 0.125}


@dataclasses.dataclass
class Machine:
    """A pretended GPU. `broken`: what cannot be built; `crashes`: whose launch ends a contest."""

    toolset: Toolset
    broken: str = ""
    crashes: str = ""


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Machine:
    device = Device(0, "Pretended", 90, 132, 1 << 37, 50 << 20, 13000)
    backend = GpuBackend(device=device, runner=tmp_path)
    made = Machine(dataclasses.replace(Toolset.open(ROOT, allow_no_sandbox=True), gpu=backend))

    def build(_toolset: Toolset, contestants: Sequence[Contestant | LibraryContestant], folder: Path) -> Built:
        if made.broken in {one.name for one in contestants}:
            message = f"{made.broken} is broken"
            raise ContestError(message)
        names = tuple(one.name for one in contestants)
        return Built(folder, tuple({"name": name} for name in names), names)

    def run_contest(_toolset: Toolset, built: Built, _problem: str, shape: str, *, rounds: int, **_: object) -> Contest:
        names = [one["name"] for one in built.contestants]
        crash = names.index(made.crashes) if made.crashes in names else None
        times = tuple((4e5 * NAIVE_NS[name],) * rounds for name in names)
        return Contest(
            status="completed" if crash is None else "crash", contestant=crash or 0, nanoseconds=times, shape=shape,
            flops=1, bytes=1, device="Pretended",
        )  # fmt: skip

    monkeypatch.setattr(GpuBackend, "runs", True)
    monkeypatch.setattr(speed_run, "build", build)
    monkeypatch.setattr(speed_run, "run_contest", run_contest)
    monkeypatch.setattr(contest, "cublas_of", lambda _: tmp_path / "libcublas.so")
    return made


def timed(machine: Machine, lab: Lab, scratch: Path) -> SpeedOutcome:
    assert lab.private_dir is not None
    found = time_lab(machine.toolset, lab, lab.private_dir / lab.public.file, LabOutcome(lab.id), scratch)
    assert found is not None
    return found


def test_the_library_is_timed_in_the_same_rounds_where_tiers_are_shares_of_it(machine: Machine, tmp_path: Path) -> None:
    assert timed(machine, CLIMBING, tmp_path).names == ("baseline", "student", "model", "library", "control")
    assert timed(machine, PLAIN, tmp_path).names == ("baseline", "student", "model", "control")


@pytest.mark.parametrize("how", ["broken", "crashes"])
def test_a_kernel_stands_in_for_a_library_that_cannot_be_used(machine: Machine, tmp_path: Path, how: str) -> None:
    setattr(machine, how, "library")
    assert timed(machine, CLIMBING, tmp_path).names == ("baseline", "student", "model", "stand-in", "control")


def test_without_library_and_stand_in_the_kernel_is_timed_all_the_same(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(contest, "cublas_of", lambda _: None)
    machine.broken = "stand-in"
    found = timed(machine, CLIMBING, tmp_path)
    assert (found.names, found.trouble) == (("baseline", "student", "model", "control"), "")


def test_a_submission_that_fails_is_not_tried_with_something_else(machine: Machine, tmp_path: Path) -> None:
    machine.crashes = "student"
    found = timed(machine, CLIMBING, tmp_path)
    assert (found.names[found.contests[0].contestant], "library" in found.names) == ("student", True)


def test_in_a_handout_a_student_sees_the_share_of_the_library_too(machine: Machine) -> None:
    handed_out = dataclasses.replace(PLAIN, private=None, private_dir=None)
    assert [[one.name for one in each] for each in references(machine.toolset, handed_out)] == [["library"], []]


def test_calibrating_says_which_tiers_the_courses_kernels_reach_here(machine: Machine) -> None:
    told: list[int] = []
    found = calibrate_tiers(machine.toolset, [CLIMBING], lambda _, done, total: told.append(total - done))
    assert told == list(range(len(climbing_kernels(CLIMBING)), 0, -1))
    assert len(told) == len(found[0].places)
    page = tier_calibration_table(found)
    assert "share of cuBLAS's speed | points |" in page
    assert "2.000 (2.000 to 2.000) | 0.400 (0.400 to 0.400) | 12 |" in page
    assert "A grading on this machine times cuBLAS in the same rounds. Without cuBLAS it would time ladder/" in page
    assert "write `share = 0.400` there" in page
    machine.broken = "library"
    assert "install libcublas" in tier_calibration_table(calibrate_tiers(machine.toolset, [CLIMBING], lambda *_: None))
