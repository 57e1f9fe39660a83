"""A cluster in this process, and a course for it in which nothing is compiled. Its tasks judge when the queue is looked at.

What becomes of a task is the test's to say, by node and by what lies in its slice. Time passes only while the front command sleeps.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Mapping
from pathlib import Path

from fake_course import FILES, SEED, Course, FakeControls

from grader.model.labs import Lab, load_lab
from grader.model.outcome import LabOutcome
from grader.model.result import Environment
from grader.plugins.slurm.array_run import SlurmCluster
from grader.plugins.slurm.shared_folder import ArrayFolder, Bench, SharedFolder
from grader.plugins.slurm.slice_judging import SliceTask, judge_slice
from grader.plugins.slurm.slurm_commands import RefusedError, SlurmCommands, Submission, TaskId, TaskState, Waiting
from grader.roll.batch.class_batch import Batch, BatchReport, grade_submissions
from grader.roll.batch.judging_jobs import JudgingOptions, JudgingSetup
from grader.roll.batch.output_folder import OutputFolder
from grader.roll.batch.plugin import Export, registered

ENVIRONMENT = Environment(kit="0", compiler="g++ 12", sandbox="none", date="2026-01-01")


@dataclasses.dataclass
class Task:
    id: TaskId
    folder: ArrayFolder
    number: int
    excluded: tuple[str, ...]
    state: TaskState = dataclasses.field(default_factory=lambda: TaskState("PENDING", "", "Priority"))
    held: bool = False  # the test lets it go

    def texts(self) -> list[str]:
        order = self.folder.order()
        shared = SharedFolder(self.folder.path.parents[2])
        jobs = order.slices[self.number] if order.bench else ()
        return [shared.source(job.key).read_text(encoding="utf-8") for job in jobs]


Fate = Callable[[Task, str], str]  # the state that a task ends in on a node; "COMPLETED": it judges


@dataclasses.dataclass
class SimulatedSlurm(SlurmCommands):
    """`fate`: what happens to a task on a node. `largest`: an array with more tasks is refused."""

    course: Course
    fate: Fate = lambda _task, _node: "COMPLETED"
    nodes: tuple[str, ...] = ("node1", "node2")
    largest: int = 1000
    compilers: Mapping[str, str] = dataclasses.field(default_factory=dict)  # by node, where it is another one
    broken: frozenset[str] = frozenset()  # nodes whose controls fail
    tasks: dict[TaskId, Task] = dataclasses.field(default_factory=dict)
    submitted: list[Submission] = dataclasses.field(default_factory=list)
    cancelled: list[tuple[int, ...]] = dataclasses.field(default_factory=list)
    at_look: Callable[[], None] = lambda: None
    holds: bool = False  # tasks wait until they are released
    deaf: bool = False  # nothing is cancelled
    now: float = 0.0
    _numbers: itertools.count[int] = dataclasses.field(default_factory=lambda: itertools.count(100))

    def submit(self, what: Submission) -> int:
        if what.tasks > self.largest:
            message = "sbatch did not take it: Invalid job array specification"
            raise RefusedError(message)
        if not set(self.nodes) - {*what.excluded}:
            message = "sbatch did not take it: Requested node configuration is not available"
            raise RefusedError(message)
        number = next(self._numbers)
        self.submitted.append(what)
        for at in range(what.tasks):
            one = TaskId(number, at)
            self.tasks[one] = Task(one, ArrayFolder(what.script.parent), at, what.excluded, held=self.holds)
        return number

    def queue(self, name: str) -> Mapping[TaskId, TaskState]:
        self.at_look()
        for task in self.tasks.values():
            if task.state.waits and not task.held:
                self._run(task)
        assert all(one.name == name for one in self.submitted)
        return {one: task.state for one, task in self.tasks.items()}

    def why(self, task: TaskId) -> str:
        assert task in self.tasks
        return ""

    def cancel(self, name: str, *arrays: int) -> None:
        assert name
        if self.deaf:
            return
        self.cancelled.append(arrays)
        for task in self.tasks.values():
            if not task.state.ended and (not arrays or task.id.array in arrays):
                task.state = TaskState("CANCELLED")

    def _run(self, task: Task) -> None:
        free = [node for node in self.nodes if node not in task.excluded]
        node = free[task.id.number % len(free)]
        state = self.fate(task, node)
        if state == "COMPLETED":
            self.judge(task, node)
        task.state = TaskState(state, node)

    def judge(self, task: Task, node: str) -> None:
        """What a task on `node` does when nothing comes in its way."""
        compiler = self.compilers.get(node, "g++ 12")
        fingerprint = f"{self.course.fingerprint} {compiler}"
        environment = ENVIRONMENT.model_copy(update={"compiler": compiler})
        controls = FakeControls(fails=frozenset({1}) if node in self.broken else frozenset())
        setup = JudgingSetup(self.course.judge, environment, dict.fromkeys(FILES, fingerprint), SEED, controls=controls)
        order = task.folder.order()
        labs = {lab: load_lab(self.course.root, lab) for lab in order.labs}
        bench = Bench(fingerprints=dict.fromkeys(order.labs, fingerprint), environment=environment)
        mine = SliceTask(task.folder, task.number, order, node)
        answer = judge_slice(mine, labs, setup, bench, workers=2, allocation={})
        task.folder.write_answer(task.number, answer)

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def grade_there(slurm: SimulatedSlurm, *labs: str, slice_size: int = 2) -> BatchReport:
    """Grades the course's class on the simulated cluster."""
    course = slurm.course
    cluster = SlurmCluster(
        SharedFolder(course.out / "instructor"),
        JudgingOptions(),
        ("--partition=main",),
        ("judge",),
        course.root,
        dict.fromkeys(FILES, "the front's"),
        slice_size,
        slurm=slurm,
        waiting=Waiting(clock=lambda: slurm.now, sleep=slurm.sleep),
    )
    front = Environment(kit="0", compiler="the front's", sandbox="none", date="2026-02-02")
    setup = JudgingSetup(
        nobody_judges_here, front, dict.fromkeys(FILES, "the front's"), SEED, controls=FakeControls(), elsewhere=cluster
    )
    loaded = [load_lab(course.root, lab) for lab in labs or FILES]
    out = OutputFolder(course.out, course.source)
    return grade_submissions(Batch(course.source, out, loaded, setup, exports=registered(Export), workers=1))


def nobody_judges_here(_lab: Lab, _source: Path, _scratch: Path) -> LabOutcome:
    message = "a submission was judged on the front's machine"
    raise AssertionError(message)


def class_of(course: Course, number: int) -> None:
    """Students with a right file for each lab, no two files equal."""
    for one in range(number):
        course.hand_in(f"student{one:02}", a=f"good a {one}", b=f"good b {one}")


def pages(out: Path) -> dict[str, bytes]:
    """What students and gradebooks get, without the day."""
    return {
        path.relative_to(out).as_posix(): path.read_bytes().replace(b"2026-02-02", b"").replace(b"2026-01-01", b"")
        for path in sorted([*(out / "students").rglob("*.*"), out / "grades.csv"])
    }
