"""A cluster in this process, and a course for it in which nothing is compiled. Its tasks judge when the queue is looked at.

What becomes of a task is the test's to say, by node and by what lies in its slice. Time passes only while the front command sleeps.
"""

from __future__ import annotations

import dataclasses
import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from fake_course import FILES, SEED, Course, FakeControls

from grader.model.labs import Lab, load_lab
from grader.model.outcome import LabOutcome
from grader.model.result import Environment
from grader.plugins.slurm.array_run import ENDED, QueuedTask, RefusedError, SlurmCluster, SlurmCommands
from grader.plugins.slurm.slice_judging import ArrayFolder, ArrayOrder, judge_slice
from grader.roll.batch.class_batch import Batch, BatchReport, grade_submissions
from grader.roll.batch.judging_jobs import JudgingSetup
from grader.roll.batch.output_folder import OutputFolder
from grader.roll.batch.plugin import Export, registered

ENVIRONMENT = Environment(kit="0", compiler="g++ 12", sandbox="none", date="2026-01-01")


@dataclasses.dataclass
class Task:
    array: int
    number: int
    folder: ArrayFolder
    excluded: tuple[str, ...]
    state: QueuedTask = dataclasses.field(default_factory=lambda: QueuedTask("PENDING", "", "Priority"))
    held: bool = False  # the test lets it go

    def texts(self) -> list[str]:
        order = self.folder.order()
        keys = order.slices[self.number].keys
        return [self.folder.source(key).read_text(encoding="utf-8") for key in keys]


@dataclasses.dataclass(frozen=True)
class Submission:
    tasks: int
    name: str
    excluded: tuple[str, ...]


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
    tasks: list[Task] = dataclasses.field(default_factory=list)
    submitted: list[Submission] = dataclasses.field(default_factory=list)
    cancelled: int = 0
    at_look: Callable[[], None] = lambda: None
    holds: bool = False  # tasks wait until they are released
    deaf: bool = False  # nothing is cancelled
    now: float = 0.0

    def submit(self, command: str, log: Path, tasks: int, name: str, options: Sequence[str]) -> None:
        folder = ArrayFolder(Path(shlex.split(command)[-1]))
        assert log.parent == folder.path
        excluded = next((tuple(one[10:].split(",")) for one in options if one.startswith("--exclude=")), ())
        if tasks > self.largest:
            message = "sbatch failed: Invalid job array specification"
            raise RefusedError(message)
        if not set(self.nodes) - {*excluded}:
            message = "sbatch failed: Requested node configuration is not available"
            raise RefusedError(message)
        self.submitted.append(Submission(tasks, name, excluded))
        array = 100 + len(self.submitted)
        self.tasks += [Task(array, number, folder, excluded, held=self.holds) for number in range(tasks)]

    def queue(self, name: str) -> list[QueuedTask]:
        self.at_look()
        for task in self.tasks:
            if task.state.state == "PENDING" and not task.held:
                self._run(task)
        assert all(one.name == name for one in self.submitted)
        return [task.state for task in self.tasks]

    def cancel(self, name: str) -> None:
        assert name
        if self.deaf:
            return
        self.cancelled += 1
        for task in self.tasks:
            if task.state.state not in ENDED:
                task.state = QueuedTask("CANCELLED")

    def _run(self, task: Task) -> None:
        free = [node for node in self.nodes if node not in task.excluded]
        node = free[task.number % len(free)]
        (task.folder.path / f"{task.array}_{task.number}-{node}.log").touch()
        state = self.fate(task, node)
        if state == "COMPLETED":
            self.judge(task, node)
        else:
            (task.folder.path / f"{task.array}_{task.number}-{node}.log").write_text(f"slurmstepd: {state}\n")
        task.state = QueuedTask(state, node)

    def judge(self, task: Task, node: str) -> None:
        """What a task on `node` does when nothing comes in its way."""
        compiler = self.compilers.get(node, "g++ 12")
        fingerprint = f"{self.course.fingerprint} {compiler}"
        environment = ENVIRONMENT.model_copy(update={"compiler": compiler})
        controls = FakeControls(fails=frozenset({1}) if node in self.broken else frozenset())
        order = task.folder.order()
        labs = {lab: load_lab(self.course.root, lab) for lab in order.labs}
        prints = dict.fromkeys(order.labs, fingerprint)
        setup = JudgingSetup(self.course.judge, environment, prints, SEED, controls=controls)
        answer = judge_slice(task.folder, labs, setup, allocation(task.number, node), workers=2)
        task.folder.write_answer(task.number, answer)

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def allocation(number: int, node: str) -> dict[str, str]:
    return {"SLURM_ARRAY_TASK_ID": str(number), "SLURMD_NODENAME": node}


def grade_there(slurm: SimulatedSlurm, *labs: str, slice_size: int = 2) -> BatchReport:
    """Grades the course's class on the simulated cluster."""
    course = slurm.course
    cluster = SlurmCluster(
        course.out / "instructor" / "slurm",
        ArrayOrder(slurm_options=("--partition=main",)),
        ("judge",),
        course.root,
        dict.fromkeys(FILES, "the front's"),
        slice_size,
        slurm,
        clock=lambda: slurm.now,
        sleep=slurm.sleep,
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
