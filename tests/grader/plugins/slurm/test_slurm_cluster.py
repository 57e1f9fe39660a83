"""A class on a cluster where anything may end: each job is judged, or is our failure alone, and grades are those of one machine."""

from __future__ import annotations

from pathlib import Path

import pytest
from fake_course import Course, small_course
from simulated_slurm import SimulatedSlurm, Task, class_of, grade_there, pages

from grader.model.verdicts import Verdict
from grader.plugins.slurm.array_run import ENDED, MOST_TRIES, RefusedError


@pytest.fixture
def course(tmp_path: Path) -> Course:
    made = small_course(tmp_path)
    class_of(made, 6)
    return made


def verdicts(course: Course, student: str) -> set[Verdict]:
    return {lab.verdict for lab in course.result(student).labs.values()}


def test_a_cluster_gives_the_grades_of_one_machine(course: Course, tmp_path: Path) -> None:
    report = grade_there(SimulatedSlurm(course))
    assert (report.found.judged, report.found.reused, report.faults) == (15, 0, ())
    there = pages(course.out)
    course.out = tmp_path / "here"
    course.fingerprint += " g++ 12"
    course.grade()
    assert pages(course.out) == there


def test_an_out_may_have_any_name(tmp_path: Path) -> None:
    folder = tmp_path / 'it\'s 100 % "mine"'
    folder.mkdir()
    course = small_course(folder)
    class_of(course, 1)
    assert grade_there(SimulatedSlurm(course)).faults == ()


def test_an_unchanged_class_asks_nothing_of_the_cluster(course: Course) -> None:
    grade_there(SimulatedSlurm(course))
    again = SimulatedSlurm(course)
    report = grade_there(again)
    assert (report.found.judged, report.found.reused, again.submitted) == (0, 15, [])


def test_only_what_is_new_is_judged(course: Course) -> None:
    grade_there(SimulatedSlurm(course))
    course.hand_in("student00", a="good a, better")
    assert (grade_there(slurm := SimulatedSlurm(course)).found.judged, len(slurm.tasks)) == (1, 1)


def test_tasks_that_are_cancelled_are_submitted_again(course: Course) -> None:
    seen: list[Task] = []

    def first_ones_are_cancelled(task: Task, _node: str) -> str:
        seen.append(task)
        return "CANCELLED" if 2 <= len(seen) <= 6 else "COMPLETED"

    report = grade_there(SimulatedSlurm(course, first_ones_are_cancelled))
    assert (report.found.judged, report.faults) == (15, ())


def test_a_node_that_dies_is_left_and_nothing_is_lost(course: Course) -> None:
    def node2_dies(task: Task, node: str) -> str:
        return "NODE_FAIL" if node == "node2" and task.texts() else "COMPLETED"

    slurm = SimulatedSlurm(course, node2_dies)
    assert grade_there(slurm).faults == ()
    assert slurm.submitted[-1].excluded == ("node2",)


def test_a_node_that_dies_halfway_keeps_what_it_judged(course: Course) -> None:
    slurm = SimulatedSlurm(course)

    def dies_after_judging(task: Task, node: str) -> str:
        if node == "node2" and task.texts():
            slurm.judge(task, node)
            (task.folder.path / f"answer-{task.number}.json").unlink()
            return "NODE_FAIL"
        return "COMPLETED"

    slurm.fate = dies_after_judging
    assert grade_there(slurm).faults == ()
    assert len(course.judge.asked) == len({*course.judge.asked})  # nothing was judged twice


def test_one_file_that_ends_every_task_is_our_failure_alone(course: Course) -> None:
    course.hand_in("ben", a="KILLS its task")

    def killed(task: Task, _node: str) -> str:
        return "OUT_OF_MEMORY" if any("KILLS" in text for text in task.texts()) else "COMPLETED"

    slurm = SimulatedSlurm(course, killed)
    report = grade_there(slurm, slice_size=4)
    assert len(report.faults) == 1
    assert "ben" in report.faults[0]
    assert "OUT_OF_MEMORY" in report.faults[0]
    assert course.result("ben").labs["a"].verdict is Verdict.INTERNAL_ERROR
    assert all(verdicts(course, f"student{one:02}") == {Verdict.PASS} for one in range(6))
    deadly = [task for task in slurm.tasks if any("KILLS" in text for text in task.texts())]
    assert len(deadly) == MOST_TRIES


def test_a_job_that_was_given_up_is_tried_again_by_the_next_command(course: Course) -> None:
    course.hand_in("ben", a="KILLS its task")
    grade_there(
        SimulatedSlurm(course, lambda task, _: "FAILED" if any("KILLS" in one for one in task.texts()) else "COMPLETED")
    )
    report = grade_there(SimulatedSlurm(course))
    assert (report.found.judged, report.faults) == (1, ())


def test_what_breaks_on_one_node_is_tried_on_another(course: Course) -> None:
    course.hand_in("ben", a="STUMBLES")
    assert grade_there(SimulatedSlurm(course)).faults == ()


def test_a_fault_of_ours_on_every_node_is_told_with_its_node(course: Course) -> None:
    course.hand_in("ben", a="BREAKS")
    report = grade_there(SimulatedSlurm(course))
    assert len(report.faults) == 1
    assert report.faults[0].startswith("ben: on node")
    assert course.result("ben").labs["a"].verdict is Verdict.INTERNAL_ERROR


def test_a_node_whose_controls_fail_contributes_nothing_and_is_named(course: Course) -> None:
    slurm = SimulatedSlurm(course, broken=frozenset({"node2"}))
    report = grade_there(slurm)
    assert report.faults == ()
    assert any("node2" in one and "this machine is broken" in one for one in report.graded.notices)
    assert slurm.submitted[-1].excluded == ("node2",)
    assert verdicts(course, "student00") == {Verdict.PASS}


def test_a_node_with_another_compiler_contributes_nothing_and_is_named(course: Course) -> None:
    report = grade_there(SimulatedSlurm(course, compilers={"node2": "g++ 99"}))
    assert report.faults == ()
    assert any("node2" in one and "'g++ 99' instead of 'g++ 12'" in one for one in report.graded.notices)


def test_grading_stops_where_the_controls_of_every_node_fail(course: Course) -> None:
    slurm = SimulatedSlurm(course, nodes=tuple("abcde"), broken=frozenset("abcde"))
    report = grade_there(slurm)
    assert "no node of the cluster can judge" in report.found.stopped
    assert "this machine is broken" in report.found.stopped
    assert verdicts(course, "student00") == {Verdict.INTERNAL_ERROR}
    assert not any((course.out / "instructor" / "jobs").iterdir())


def test_grading_stops_where_the_only_node_refuses(course: Course) -> None:
    report = grade_there(SimulatedSlurm(course, nodes=("node1",), broken=frozenset({"node1"})))
    assert "node1: this machine is broken" in report.found.stopped


def test_a_cluster_that_takes_small_arrays_alone_gets_small_ones(course: Course) -> None:
    slurm = SimulatedSlurm(course, largest=2)
    assert grade_there(slurm).faults == ()
    assert max(one.tasks for one in slurm.submitted) == 2


def test_a_cluster_that_takes_nothing_is_told_in_its_own_words(course: Course) -> None:
    slurm = SimulatedSlurm(course, largest=0)
    with pytest.raises(RefusedError, match="Invalid job array specification"):
        grade_there(slurm)


def test_a_damaged_answer_is_none(course: Course) -> None:
    slurm = SimulatedSlurm(course)
    spoilt: list[Task] = []

    def spoils(task: Task, node: str) -> str:
        if task.texts() and not spoilt:
            spoilt.append(task)
            (task.folder.path / f"answer-{task.number}.json").write_text('{"node": ')
            return "FAILED"
        return "COMPLETED" if node else ""

    slurm.fate = spoils
    assert grade_there(slurm).faults == ()


def test_a_state_that_nobody_knows_is_that_of_a_task_that_runs() -> None:
    assert "HIBERNATING" not in ENDED
    assert "NODE_FAIL" in ENDED


def test_files_for_tasks_are_gone_when_all_is_judged(course: Course) -> None:
    grade_there(SimulatedSlurm(course))
    left = [path.name for path in (course.out / "instructor" / "slurm").iterdir()]
    assert len(left) == 1
    assert left[0].startswith("bench-")


def test_no_seed_is_in_what_tasks_are_told(course: Course) -> None:
    course.hand_in("ben", a="BREAKS")  # then the files stay
    grade_there(SimulatedSlurm(course))
    orders = [*(course.out / "instructor" / "slurm").rglob("order.json")]
    assert orders
    for path in orders:
        assert "918273645" not in path.read_text(encoding="utf-8")
