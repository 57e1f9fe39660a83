"""A task on its node: it judges what the array was made for, with what it was made for, or says why it does not."""

from __future__ import annotations

from pathlib import Path

import pytest
from fake_course import FILES, SEED, Course, FakeControls, small_course
from simulated_slurm import ENVIRONMENT, allocation

from grader.model.errors import RemediableError
from grader.model.labs import Lab, load_lab
from grader.plugins.slurm.slice_judging import (
    ArrayFolder,
    ArrayOrder,
    Bench,
    Slice,
    TaskAnswer,
    gpu_is_shared,
    judge_slice,
    processors,
    task_of,
)
from grader.roll.batch.job_store import JobStore, job_key, lab_fingerprint
from grader.roll.batch.judging_jobs import JudgingSetup
from grader.system.own_files import write_atomically


class Node:
    """A node that sees an OUT with one array of one slice."""

    def __init__(self, folder: Path, **texts: str) -> None:
        self.course: Course = small_course(folder)
        self.labs: dict[str, Lab] = {lab: load_lab(self.course.root, lab) for lab in FILES}
        self.array = ArrayFolder(folder / "OUT" / "instructor" / "slurm" / "arrays" / "1")
        (self.array.private / "jobs").mkdir(parents=True)
        self.keys = [
            job_key(text.encode(), lab_fingerprint(self.labs["a"]), setup="f", seed=SEED) for text in texts.values()
        ]
        for key, text in zip(self.keys, texts.values(), strict=True):
            write_atomically(self.array.source(key), text)
        bench = Bench(fingerprints=dict.fromkeys(FILES, "f"), environment=ENVIRONMENT)
        order = ArrayOrder(labs=tuple(FILES), slices=(Slice(lab="a", keys=tuple(self.keys)),), bench=bench)
        write_atomically(self.array.path / "order.json", order.model_dump_json(by_alias=True))

    def judge(self, *, seed: int = SEED, fingerprint: str = "f", controls: FakeControls | None = None) -> TaskAnswer:
        setup = JudgingSetup(self.course.judge, ENVIRONMENT, dict.fromkeys(FILES, fingerprint), seed, controls=controls)
        return judge_slice(self.array, self.labs, setup, allocation(0, "n1"), workers=1)

    def kept(self) -> frozenset[str]:
        return JobStore(self.array.private / "jobs").keys()


def test_outcomes_go_into_the_job_store_and_not_into_the_answer(tmp_path: Path) -> None:
    node = Node(tmp_path, one="good", other="RACE")
    assert node.judge().outcomes == {}
    assert node.kept() == {*node.keys}


def test_what_broke_is_in_the_answer_alone(tmp_path: Path) -> None:
    node = Node(tmp_path, one="BREAKS", other="good")
    answer = node.judge()
    assert {*answer.outcomes} == {node.keys[0]}
    assert [fault.partition(": ")[0] for fault in answer.faults] == [node.keys[0]]
    assert node.kept() == {node.keys[1]}


def test_an_answer_survives_its_file(tmp_path: Path) -> None:
    node = Node(tmp_path, one="BREAKS")
    answer = node.judge()
    node.array.write_answer(0, answer)
    assert node.array.answer(0) == answer
    assert node.array.answered() == 1


def test_a_node_whose_controls_fail_keeps_nothing(tmp_path: Path) -> None:
    node = Node(tmp_path, one="good", other="RACE")
    answer = node.judge(controls=FakeControls(fails=frozenset({1})))
    assert "this machine is broken" in answer.refused
    assert (answer.outcomes, node.kept()) == ({}, frozenset())


def test_a_node_with_other_tools_judges_nothing(tmp_path: Path) -> None:
    node = Node(tmp_path, one="good")
    assert "other tools" in node.judge(fingerprint="g").refused
    assert node.course.judge.asked == []


def test_a_node_with_another_seed_judges_nothing(tmp_path: Path) -> None:
    node = Node(tmp_path, one="good")
    assert "another seed" in node.judge(seed=5).refused
    assert node.course.judge.asked == []


def test_a_source_that_was_changed_on_its_way_is_not_judged(tmp_path: Path) -> None:
    node = Node(tmp_path, one="good", other="RACE")
    node.array.source(node.keys[0]).write_text("something else")
    assert "other files" in node.judge().refused
    assert node.course.judge.asked == []


def test_a_node_that_does_not_see_out_says_so(tmp_path: Path) -> None:
    node = Node(tmp_path, one="good")
    node.array.source(node.keys[0]).unlink()
    assert "file system that every node shares" in node.judge().refused


def test_a_command_outside_an_array_is_told_so() -> None:
    with pytest.raises(RemediableError, match="SLURM_ARRAY_TASK_ID is ''"):
        task_of({})


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
    ("given", "alone"),
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
    tmp_path: Path, given: dict[str, str], alone: bool
) -> None:
    course = small_course(tmp_path)
    (course.root / "assignments" / "a" / "lab.toml").write_text(TIMED)
    timed, untimed = load_lab(course.root, "a"), load_lab(course.root, "b")
    on_gpu = Bench(fingerprints={}, environment=ENVIRONMENT.model_copy(update={"backend": "cuda"}))
    assert bool(gpu_is_shared([untimed, timed], on_gpu, given)) is not alone
    assert not gpu_is_shared([untimed], on_gpu, given)
    assert not gpu_is_shared([timed], Bench(fingerprints={}, environment=ENVIRONMENT), given)


def test_a_task_uses_as_many_processors_as_slurm_gave_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {*range(8)})
    assert processors({}) == 8
    assert processors({"SLURM_CPUS_ON_NODE": "4"}) == 4
    assert processors({"SLURM_CPUS_PER_TASK": "2", "SLURM_CPUS_ON_NODE": "4"}) == 2
    assert processors({"SLURM_CPUS_PER_TASK": "64"}) == 8
    assert processors({"SLURM_CPUS_PER_TASK": "many"}) == 8
