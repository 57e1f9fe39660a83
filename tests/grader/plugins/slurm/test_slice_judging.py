"""A task on its node: it judges what the array was made for, with what it was made for, or says why it does not."""

from __future__ import annotations

from pathlib import Path

import pytest
from fake_course import FILES, SEED, Course, FakeControls, small_course
from simulated_slurm import ENVIRONMENT

from grader.model.labs import Lab, load_lab
from grader.plugins.slurm.shared_folder import ArrayFolder, ArrayOrder, Bench, SharedFolder, SliceJob, TaskAnswer
from grader.plugins.slurm.slice_judging import SliceTask, gpu_is_shared, judge_slice, processors
from grader.roll.batch.job_store import JobStore, job_key, lab_fingerprint
from grader.roll.batch.judging_jobs import JudgingSetup


class Node:
    """A node that sees an OUT with one array of one slice."""

    def __init__(self, folder: Path, **texts: str) -> None:
        self.course: Course = small_course(folder)
        self.labs: dict[str, Lab] = {lab: load_lab(self.course.root, lab) for lab in FILES}
        self.shared = SharedFolder(folder / "OUT" / "instructor")
        (self.shared.private / "jobs").mkdir(parents=True)
        self.bench = Bench(fingerprints=dict.fromkeys(FILES, "f"), environment=ENVIRONMENT)
        self.keys = {}
        for lab, text in texts.items():
            key = job_key(text.encode(), lab_fingerprint(self.labs[lab]), setup="f", seed=SEED)
            path = folder / f"{lab}.text"
            path.write_text(text)
            self.shared.add_sources({key: path})
            self.keys[lab] = key
        self.array: ArrayFolder = self.shared.add_array(self.order(), ["judge it"])

    def order(self) -> ArrayOrder:
        jobs = tuple(SliceJob(key=key, lab=lab) for lab, key in self.keys.items())
        return ArrayOrder(labs=tuple(FILES), slices=(jobs,), bench=self.bench)

    def judge(self, *, seed: int = SEED, fingerprint: str = "f", controls: FakeControls | None = None) -> TaskAnswer:
        setup = JudgingSetup(self.course.judge, ENVIRONMENT, dict.fromkeys(FILES, fingerprint), seed, controls=controls)
        bench = self.bench.model_copy(update={"fingerprints": dict.fromkeys(FILES, fingerprint)})
        order = self.array.order()
        return judge_slice(SliceTask(self.array, 0, order, "n1"), self.labs, setup, bench, workers=1, allocation={})

    def kept(self) -> frozenset[str]:
        return JobStore(self.shared.private / "jobs").keys()


def test_outcomes_go_into_the_job_store_and_not_into_the_answer(tmp_path: Path) -> None:
    node = Node(tmp_path, a="good", b="RACE")
    assert node.judge().outcomes == {}
    assert node.kept() == {*node.keys.values()}


def test_what_broke_is_in_the_answer_alone(tmp_path: Path) -> None:
    node = Node(tmp_path, a="BREAKS", b="good")
    answer = node.judge()
    assert {*answer.outcomes} == {*answer.faults} == {node.keys["a"]}
    assert node.kept() == {node.keys["b"]}


def test_an_answer_survives_its_file(tmp_path: Path) -> None:
    node = Node(tmp_path, a="BREAKS")
    answer = node.judge()
    node.array.write_answer(0, answer)
    assert node.array.answer(0) == answer
    assert node.array.answered() == {0}


def test_a_node_whose_controls_fail_keeps_nothing(tmp_path: Path) -> None:
    node = Node(tmp_path, a="good", b="RACE")
    answer = node.judge(controls=FakeControls(fails=frozenset({1})))
    assert "this machine is broken" in answer.refused
    assert (answer.outcomes, node.kept()) == ({}, frozenset())


def test_a_node_with_other_tools_judges_nothing(tmp_path: Path) -> None:
    node = Node(tmp_path, a="good")
    assert "other tools" in node.judge(fingerprint="g").refused
    assert node.course.judge.asked == []


def test_a_node_with_another_seed_judges_nothing(tmp_path: Path) -> None:
    node = Node(tmp_path, a="good")
    assert "another seed" in node.judge(seed=5).refused
    assert node.course.judge.asked == []


def test_a_source_that_was_changed_on_its_way_is_not_judged(tmp_path: Path) -> None:
    node = Node(tmp_path, a="good")
    node.shared.source(node.keys["a"]).write_text("something else")
    assert "other files" in node.judge().refused


def test_a_node_that_does_not_see_out_says_so(tmp_path: Path) -> None:
    node = Node(tmp_path, a="good")
    node.shared.source(node.keys["a"]).unlink()
    assert "file system that every node shares" in node.judge().refused


def test_a_script_runs_the_command_with_names_as_they_are(tmp_path: Path) -> None:
    folder = tmp_path / 'it\'s 100 % "mine"'
    folder.mkdir()
    node = Node(folder, a="good")
    words = node.array.script.read_text()
    assert words.startswith("#!/bin/sh\nexec 'judge it' ")
    assert "'\"'\"'" in words


TIMED = """title = "t"
summary = "s"
problem = "matmul"
file = "t.cu"
kernel = "k()"
launch = "l()"
shapes = "any"
[performance]
shape = "64x64x64"
baseline = "t"
[[case]]
name = "square"
points = 1
"""


@pytest.mark.parametrize(
    ("allocation", "alone"),
    [
        ({"SLURM_JOB_GPUS": "0"}, True),
        ({"SLURM_STEP_GPUS": "1"}, True),
        ({}, False),
        ({"CUDA_VISIBLE_DEVICES": "0"}, False),
        ({"SLURM_JOB_GPUS": "0", "SLURM_SHARDS_ON_NODE": "2"}, False),
        ({"SLURM_JOB_GPUS": "0", "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE": "50"}, False),
    ],
)
def test_a_timed_lab_is_judged_only_where_slurm_gave_a_whole_gpu(
    tmp_path: Path, allocation: dict[str, str], alone: bool
) -> None:
    course = small_course(tmp_path)
    (course.root / "assignments" / "a" / "lab.toml").write_text(TIMED)
    timed, untimed = load_lab(course.root, "a"), load_lab(course.root, "b")
    on_gpu = Bench(fingerprints={}, environment=ENVIRONMENT.model_copy(update={"backend": "cuda"}))
    assert bool(gpu_is_shared([untimed, timed], on_gpu, allocation)) is not alone
    assert not gpu_is_shared([untimed], on_gpu, allocation)
    assert not gpu_is_shared([timed], Bench(fingerprints={}, environment=ENVIRONMENT), allocation)


def test_a_task_uses_as_many_processors_as_slurm_gave_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {*range(8)})
    assert processors({}) == 8
    assert processors({"SLURM_CPUS_ON_NODE": "4"}) == 4
    assert processors({"SLURM_CPUS_PER_TASK": "2", "SLURM_CPUS_ON_NODE": "4"}) == 2
    assert processors({"SLURM_CPUS_PER_TASK": "64"}) == 8
    assert processors({"SLURM_CPUS_PER_TASK": "many"}) == 8
