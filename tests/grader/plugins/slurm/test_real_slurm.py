"""A real slurmctld and two slurmd on this machine judge a class: also after `scancel`, after a node's death, and after the front command
was killed. Skipped with the reason where Slurm is not installed.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from fake_course import FILES, SEED, Course, small_course
from real_slurm import DoesNotStartError, RealSlurm, missing_programs, real_slurm, wait_for
from simulated_slurm import nobody_judges_here

from grader.model.labs import load_lab
from grader.model.result import Environment
from grader.model.verdicts import Verdict
from grader.plugins.slurm.array_run import SlurmCluster
from grader.plugins.slurm.slice_judging import ArrayOrder, Bench, gpu_is_shared
from grader.roll.batch.class_batch import Batch, BatchReport, grade_submissions
from grader.roll.batch.judging_jobs import JudgingSetup
from grader.roll.batch.output_folder import OutputFolder
from grader.roll.batch.plugin import Export, registered

ROOT = Path(__file__).resolve().parents[4]
TASK = Path(__file__).with_name("real_task.py")
LAB = "01-naive"

pytestmark = [
    pytest.mark.skipif(
        bool(missing_programs()),
        reason=f"no Slurm here: {', '.join(missing_programs())} missing; apt-get install slurmctld slurmd slurm-client munge",
    ),
    pytest.mark.in_turn(4),
]


@pytest.fixture(scope="module")
def slurm() -> Iterator[RealSlurm]:
    try:
        with real_slurm() as started:
            yield started
    except DoesNotStartError as error:
        pytest.skip(f"Slurm does not start here: {error}")


@pytest.fixture
def course(slurm: RealSlurm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Course:
    monkeypatch.setenv("SLURM_CONF", str(slurm.configuration))
    made = small_course(tmp_path)
    shutil.rmtree(made.source)
    for one in range(2):
        made.hand_in(f"student{one}", a=f"WAITS a {one}", b=f"RACE b {one}")
    return made


def cluster_of(course: Course) -> SlurmCluster:
    return SlurmCluster(
        course.out / "instructor" / "slurm",
        ArrayOrder(),
        (sys.executable, str(TASK), str(course.root)),
        course.root,
        dict.fromkeys(FILES, "the front's"),
        1,
        pause=0.3,
        grace=2.0,
    )


def grade(course: Course) -> BatchReport:
    cluster = cluster_of(course)
    front = Environment(kit="0", compiler="the front's", sandbox="none", date="2026-02-02")
    setup = JudgingSetup(nobody_judges_here, front, dict.fromkeys(FILES, "the front's"), SEED, elsewhere=cluster)
    loaded = [load_lab(course.root, lab) for lab in FILES]
    out = OutputFolder(course.out, course.source)
    return grade_submissions(Batch(course.source, out, loaded, setup, exports=registered(Export), workers=1))


def name_in(course: Course) -> str:
    return cluster_of(course).name


def go(course: Course) -> None:
    (course.root.parent / "go").touch()


def all_are_right(course: Course, report: BatchReport) -> bool:
    results = [course.result(f"student{one}") for one in range(2)]
    verdicts = [(one.labs["a"].verdict, one.labs["b"].verdict) for one in results]
    return report.faults == () and verdicts == [(Verdict.PASS, Verdict.RACE)] * 2


def while_graded(course: Course, meanwhile: Callable[[], None]) -> BatchReport:
    """What came of grading in another thread."""
    reports: list[BatchReport] = []
    thread = threading.Thread(
        target=lambda: reports.append(grade(course)), daemon=True
    )  # a failed test waits for nothing
    thread.start()
    meanwhile()
    go(course)
    thread.join(600)
    return reports[0]


def test_scancel_loses_nothing(slurm: RealSlurm, course: Course) -> None:
    def cancelled() -> None:
        wait_for(
            lambda: "RUNNING" in slurm.states(name_in(course)) and "PENDING" in slurm.states(name_in(course)),
            "tasks that run and wait",
        )
        slurm.ask("scancel", f"--name={name_in(course)}")
        wait_for(lambda: "CANCELLED" in slurm.states(name_in(course)), "cancelled tasks")

    assert all_are_right(course, while_graded(course, cancelled))


def test_a_front_command_that_is_killed_is_followed_by_one_that_takes_its_tasks_over(
    slurm: RealSlurm, course: Course
) -> None:
    front = multiprocessing.get_context("fork").Process(target=grade, args=(course,))
    front.start()
    wait_for(lambda: "RUNNING" in slurm.states(name_in(course)), "a task that runs")
    arrays = course.out / "instructor" / "slurm" / "arrays"
    wait_for(lambda: len([*arrays.iterdir()]) == 2, "an array beside the one that asked the node")
    wait_for(lambda: "RUNNING" in slurm.states(name_in(course)), "a task that runs")
    front.kill()
    front.join()
    before = {path.name for path in arrays.iterdir()}
    after: set[str] = set()

    def looked() -> None:
        wait_for(lambda: "RUNNING" in slurm.states(name_in(course)), "a task that still runs")
        after.update(path.name for path in arrays.iterdir())

    assert all_are_right(course, while_graded(course, looked))
    assert after == before  # nothing was submitted twice
    judged = (course.root.parent / "judged.txt").read_text().splitlines()
    assert len(judged) == 4


def _ends(log: Path) -> bool:
    return log.exists() and "SLURM_JOB_ID" in log.read_text()


def test_slurm_says_of_a_gpu_that_it_is_a_tasks_own(slurm: RealSlurm, tmp_path: Path) -> None:
    lab = load_lab(ROOT, "04-open")
    bench = Bench(fingerprints={}, environment=Environment(kit="0", compiler="", sandbox="", date="", backend="cuda"))
    for options, shared in ((["--gres=gpu:1"], False), ([], True)):
        log = tmp_path / f"{shared}.txt"
        slurm.ask("sbatch", "--wait", *options, f"--output={log}", "--wrap=env")
        wait_for(partial(_ends, log), "the task's output")
        allocation = dict(line.split("=", 1) for line in log.read_text().splitlines() if "=" in line)
        assert bool(gpu_is_shared([lab], bench, allocation)) is shared


def test_the_command_grades_real_kernels_on_a_real_cluster(slurm: RealSlurm, tmp_path: Path) -> None:
    file = load_lab(ROOT, LAB).public.file
    race = next((ROOT / "solutions" / LAB / "rejects").glob("*.cu"))
    for student, source in (("right", ROOT / "solutions" / LAB / file), ("wrong", race)):
        (tmp_path / "class" / student).mkdir(parents=True)
        shutil.copy(source, tmp_path / "class" / student / file)
    command = [str(ROOT / ".venv/bin/tilelab"), "grade", str(tmp_path / "class"), "--out", str(tmp_path / "out")]
    command += ["--lab", LAB, "--slurm", "--slurm-time", "10", "--search-seconds", "0"]
    environment = {**os.environ, "SLURM_CONF": str(slurm.configuration), "TILELAB_BACKEND": "cpu"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    verdicts = [
        json.loads((tmp_path / "out" / "students" / one / "result.json").read_text())["labs"][LAB]["verdict"]
        for one in ("right", "wrong")
    ]
    assert verdicts[0] == "pass"
    assert verdicts[1] != "pass"
    assert "2 labs judged" in done.stdout


def test_a_nodes_death_loses_nothing(slurm: RealSlurm, course: Course) -> None:
    """The last test: afterwards there is one node."""

    def dies() -> None:
        wait_for(lambda: "node2" in slurm.states(name_in(course)).get("RUNNING", []), "a task on node2")
        slurm.kill_node("node2")
        wait_for(lambda: "NODE_FAIL" in slurm.states(name_in(course)), "a task that its node has lost")

    assert all_are_right(course, while_graded(course, dies))
