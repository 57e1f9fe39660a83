"""Judging on a cluster, for a batch: what nodes judge with, and the outcomes of jobs that tasks have judged.

Nothing of a submission runs on this machine, and no control: every task judges the controls of its labs on its own node.
"""

from __future__ import annotations

import dataclasses
import hashlib
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.model.errors import MachineError
from grader.model.labs import Lab
from grader.model.outcome import LabOutcome
from grader.plugins.slurm import SlurmOptions
from grader.plugins.slurm.array_run import ArrayRun, Cluster
from grader.plugins.slurm.shared_folder import Bench, SharedFolder, Slice, cut
from grader.roll.batch.job_store import JobStore
from grader.roll.batch.judging_setup import JudgingOptions, JudgingPlan, JudgingSetup, Progress
from grader.run.speed.speed_run import lacks_sweep

_NO_JOB = "0" * 64  # the key of a job that only asks a node what it judges with
SLICE = 32  # jobs of a task: its controls cost about as much as two of them


@dataclass(frozen=True)
class SweepThere:
    """Says which outcomes lack a sweep. Tasks add them."""

    on_gpu: bool

    def lacks(self, lab: Lab, outcome: LabOutcome) -> bool:
        return self.on_gpu and lacks_sweep(lab, outcome)

    def add(self, lab: Lab, source: Path, outcome: LabOutcome, scratch: Path) -> LabOutcome:  # noqa: ARG002 -- as Sweep has it
        return outcome


@dataclass
class SlurmCluster(Cluster):
    """Implements the batch's Elsewhere. `front`: what this machine would judge with; other nodes are asked again when it changes."""

    front: Mapping[str, str]
    slice_size: int = SLICE
    speed_message: str = ""  # of the nodes, when they are known

    def bench(self, setup: JudgingSetup, labs: Sequence[Lab], progress: Progress) -> JudgingSetup:
        """`setup` as nodes have it. Where they were not asked yet, one of them is. Raises SlurmError or MachineError."""
        ids = [lab.id for lab in labs]
        known = self.folder.known_bench(self._front_digest(ids), ids)
        if known is None:
            progress.note("asking a node of the cluster what it judges with")
            known = self._ask(setup, ids, progress)
            self.folder.remember_bench(self._front_digest(ids), known)
        self.speed_message = known.speed_message
        environment = known.environment.model_copy(update={"date": setup.environment.date})
        sweep = SweepThere(environment.backend == "cuda") if self.options.sweep else None
        return dataclasses.replace(setup, environment=environment, fingerprints=known.fingerprints, sweep=sweep)

    def judge(self, plan: JudgingPlan, progress: Progress) -> tuple[str, Sequence[str], Sequence[str]]:
        """Unless it stopped, every job has an outcome, which `plan` was told with what broke on our side."""
        jobs = {key: plan.files[key] for key in plan.jobs}
        if not jobs:
            return "", (), ()
        labs = {key: lab.id for key, (lab, _) in jobs.items()}
        fingerprints = {lab: plan.setup.fingerprints[lab] for lab in sorted({*labs.values()})}
        bench = Bench(fingerprints=fingerprints, environment=plan.setup.environment)
        run = ArrayRun(self, plan, tuple(fingerprints), progress, bench)
        self.folder.add_sources({key: path for key, (_, path) in jobs.items()})
        try:
            adopted = run.adopt()
            left = {key: lab for key, lab in labs.items() if key not in adopted}
            stopped = run.run(list(cut(left, self.slice_size)))
        finally:
            run.cancel()  # what they have judged is kept
        if stopped:
            self.folder.forget_bench()
        elif not run.failed and not run.refusals:
            self.folder.tidy()
        notices = [f"{node} of the cluster judged nothing: {why}" for node, why in sorted(run.refusals.items())]
        return stopped, [*run.faults], notices

    def _ask(self, setup: JudgingSetup, labs: Sequence[str], progress: Progress) -> Bench:
        nothing = JudgingPlan((), (), setup, JobStore(self.folder.private / "jobs"))
        run = ArrayRun(self, nothing, tuple(labs), progress)
        try:
            stopped = run.run([Slice((_NO_JOB,))])
        except BaseException:
            run.cancel()
            raise
        if run.asked is None:
            raise MachineError(stopped)
        return run.asked

    def _front_digest(self, labs: Sequence[str]) -> str:
        parts = [*self.slurm_options, self.options.model_dump_json(), *(f"{lab} {self.front[lab]}" for lab in labs)]
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def slurm_cluster(
    options: SlurmOptions, judging: JudgingOptions, setup: JudgingSetup, out: Path, root: Path
) -> SlurmCluster:
    """`setup`: as this machine would judge."""
    program = Path(sys.executable).with_name("tilelab")
    return SlurmCluster(
        SharedFolder(out / "instructor"),
        judging,
        options.of_sbatch(judging.workers),
        (sys.executable, str(program), "judge-slice"),
        root.resolve(),
        setup.fingerprints,
        options.slurm_slice or SLICE,
    )
