"""A command that is interrupted or killed, and a queue that does not answer: the next command goes on, and nothing is lost."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from fake_course import Course, small_course
from simulated_slurm import SimulatedSlurm, Task, class_of, grade_there

from grader.model.errors import MachineError
from grader.model.verdicts import Verdict
from grader.plugins.slurm.array_run import SilentError


@pytest.fixture
def course(tmp_path: Path) -> Course:
    made = small_course(tmp_path)
    class_of(made, 6)
    return made


def grade_until_killed(slurm: SimulatedSlurm) -> None:
    """A command that is killed while its tasks wait: it cancels nothing."""

    def killed() -> None:
        if any(task.held for task in slurm.tasks):
            raise SystemExit

    slurm.holds, slurm.at_look, slurm.deaf = True, killed, True
    with pytest.raises(SystemExit):
        grade_there(slurm)


def test_ctrl_c_cancels_the_tasks_and_the_next_command_goes_on(course: Course) -> None:
    slurm = SimulatedSlurm(course)
    looks = 0

    def interrupted() -> None:
        nonlocal looks
        looks += 1
        if looks == 5:  # the bench, adoption, and three looks
            raise KeyboardInterrupt

    slurm.at_look = interrupted
    slurm.fate = lambda task, _: "COMPLETED" if not task.texts() or task.number < 3 else "RUNNING"
    with pytest.raises(KeyboardInterrupt):
        grade_there(slurm)
    assert {task.state.state for task in slurm.tasks} <= {"COMPLETED", "CANCELLED"}
    report = grade_there(SimulatedSlurm(course))
    assert (report.faults, report.found.reused) == ((), 6)


def test_tasks_of_a_command_that_was_killed_are_taken_over(course: Course) -> None:
    slurm = SimulatedSlurm(course)
    grade_there(slurm)
    course.hand_in("zoe", a="good a of zoe")
    grade_until_killed(slurm)
    waiting = [task for task in slurm.tasks if task.held]
    slurm.at_look = lambda: None
    before = len(slurm.submitted)
    looks = 0

    def released() -> None:
        nonlocal looks
        looks += 1
        if looks > 1:
            waiting[0].held = False

    slurm.at_look = released
    report = grade_there(slurm)
    assert (len(waiting), len(slurm.submitted), report.found.judged, report.faults) == (1, before, 1, ())
    assert course.result("zoe").labs["a"].verdict is Verdict.PASS


def test_tasks_for_files_that_changed_meanwhile_are_cancelled(course: Course) -> None:
    slurm = SimulatedSlurm(course)
    grade_there(slurm)
    course.hand_in("zoe", a="good a of zoe")
    grade_until_killed(slurm)
    slurm.at_look, slurm.deaf, slurm.holds = (lambda: None), False, False
    course.hand_in("zoe", a="another file of zoe")
    old = [task for task in slurm.tasks if task.held]
    assert grade_there(slurm).faults == ()
    assert old[0].state.state == "CANCELLED"


def test_a_queue_that_does_not_answer_for_a_while_costs_nothing(course: Course) -> None:
    slurm = SimulatedSlurm(course)
    looks = 0

    def silent() -> None:
        nonlocal looks
        looks += 1
        if 3 < looks < 20:
            message = "squeue does not answer: Unable to contact slurm controller"
            raise SilentError(message)

    slurm.at_look = silent
    assert grade_there(slurm).faults == ()


def test_a_queue_that_never_answers_again_ends_the_command_and_keeps_what_was_judged(course: Course) -> None:
    slurm = SimulatedSlurm(course)
    looks = 0

    def silent() -> None:
        nonlocal looks
        looks += 1
        if looks > 4:
            message = "squeue does not answer: Unable to contact slurm controller"
            raise SilentError(message)

    slurm.at_look = silent
    slurm.fate = lambda task, _: "COMPLETED" if not task.texts() or task.number < 2 else "RUNNING"
    with pytest.raises(MachineError, match=r"30 minutes.*run the same command again"):
        grade_there(slurm)
    assert grade_there(SimulatedSlurm(course)).found.reused == 4


def test_slurm_that_is_restarted_while_tasks_are_submitted_again_is_waited_for(
    course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    slurm = SimulatedSlurm(course)
    submit, calls = slurm.submit, 0

    def sometimes(command: str, log: Path, tasks: int, name: str, options: Sequence[str]) -> None:
        nonlocal calls
        calls += 1
        if 2 < calls < 6:
            message = "sbatch failed: Unable to contact slurm controller"
            raise SilentError(message)
        submit(command, log, tasks, name, options)

    monkeypatch.setattr(slurm, "submit", sometimes)
    seen: list[Task] = []

    def two_are_cancelled(task: Task, _node: str) -> str:
        seen.append(task)
        return "CANCELLED" if len(seen) in {2, 3} else "COMPLETED"

    slurm.fate = two_are_cancelled
    assert grade_there(slurm).faults == ()
    assert calls > 5
