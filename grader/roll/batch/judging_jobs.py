"""The jobs of a batch: which files must be judged, which were judged before, and the judging itself on several cores.

One file of one lab is one job, no matter how many students handed it in. Outcomes are stored while the batch runs, so an interrupted
batch continues where it stopped. Nothing that happens in one job, including a failure of ours, stops the others. A control that fails
stops all of them, because no outcome can be believed then.
"""

from __future__ import annotations

import os
import threading
import time
import traceback
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from grader.model.labs import Lab
from grader.model.outcome import LabOutcome, unjudged
from grader.model.verdicts import Verdict
from grader.roll.batch.job_store import HeldOutcomes, JobStore, job_key, lab_fingerprint
from grader.roll.batch.judging_setup import Explore, Judge, JudgedClass, JudgingPlan, JudgingSetup, Progress
from grader.roll.intake.attempts import Intake
from grader.run.lab_verdict import broke, fault_messages
from grader.system.own_files import remove_folder

_TRIES = 2  # of a job that failed because of us


def plan_judging(students: Sequence[Intake], labs: Sequence[Lab], setup: JudgingSetup, store: JobStore) -> JudgingPlan:
    """What `store` does not hold yet is to be judged."""
    plan = JudgingPlan(students, labs, setup, store)
    for lab in labs:
        asked = lab_fingerprint(lab)
        for student in students:
            path = student.sources.get(lab.public.file)
            if path is None:
                continue
            key = job_key(path.read_bytes(), asked, setup=setup.fingerprints[lab.id], seed=setup.seed)
            plan.keys[student.submission.id, lab.id] = key
            plan.files[key] = lab, path
            if key in plan.outcomes or key in plan.jobs:
                continue
            known = store.find(key)
            if known is None or broke(lab, known):
                plan.jobs[key] = None
            elif setup.sweep is not None and setup.sweep.lacks(lab, known):
                plan.jobs[key] = known
            else:
                plan.outcomes[key] = known
    plan.reused = len(plan.outcomes)
    return plan


def judge_class(
    plan: JudgingPlan, scratch: Path, progress: Progress, *, workers: int | None = None, explore: Explore | None = None
) -> JudgedClass:
    """`workers` None: one for each core. `explore`: what else is to be found out of this class."""
    progress.begin(len(plan.jobs), plan.reused)
    if plan.setup.elsewhere is not None:
        stopped, faults, notices = plan.setup.elsewhere.judge(plan, progress)
        progress.end()
        plan.discard(plan.jobs.keys() - plan.outcomes.keys())
        if explore is not None and not stopped:
            explore(plan.wrong(), 0.0)
        return plan.judged(faults, stopped, notices)
    began = time.monotonic()
    with HeldOutcomes(plan.store, plan.setup.controls) as held:
        stopped = _judge_all(plan, held, scratch, workers, progress)
        if not stopped:
            taken = time.monotonic() - began if plan.jobs else 0.0
            answer = held.last_look()
            with ThreadPoolExecutor(1) as beside:
                explored = beside.submit(explore, plan.wrong(), taken) if explore is not None else None
                if plan.setup.lines is not None:
                    plan.faults.extend(plan.setup.lines.run(plan.files, plan.outcomes, held.keep, taken))
            if explored is not None:
                explored.result()
            stopped = held.settled(answer.result())
    progress.end()
    if stopped and not held.passed:
        plan.faults.clear()  # what broke on such a machine says nothing
        plan.discard(plan.jobs.keys())
    elif stopped:
        plan.discard({*held.unsettled, *plan.jobs.keys() - plan.outcomes.keys()})
    return plan.judged(held.faults, stopped)


def _judge_all(plan: JudgingPlan, held: HeldOutcomes, scratch: Path, workers: int | None, progress: Progress) -> str:
    """Every job, and the first look at controls beside them, until a control fails: then the answer is why, and what is not judged yet
    is left.
    """
    stop = threading.Event()
    labs = {plan.files[key][0].id: plan.files[key][0] for key in plan.jobs} if plan.setup.looks_first else {}
    first = held.begin(list(labs.values()))
    with _pool(workers or os.cpu_count() or 1, stop) as pool:
        keys: dict[Future[Any], str] = {
            pool.submit(_do_job, plan, key, scratch / key[:16], stop): key for key in _longest_first(plan)
        }
        for future in as_completed([first, *keys]):
            if future is first:
                stopped = held.begun(first.result())
            else:
                outcome, fault = future.result()
                lab = plan.files[keys[future]][0]
                plan.take(keys[future], outcome, fault)
                if broke(lab, outcome):
                    stopped = held.broke(lab)
                elif outcome.speed is not None and outcome.speed.trouble:
                    stopped = ""  # such times are measured again
                else:
                    stopped = held.take(keys[future], lab, outcome)
            if stopped:
                stop.set()
                pool.shutdown(wait=True, cancel_futures=True)
                return stopped
            if future is not first:
                progress.step()
    return ""


def _longest_first(plan: JudgingPlan) -> list[str]:
    """The keys. What takes long at the end would keep one core busy while the others wait: host code is built in several programs, and
    right kernels that are timed wait for each other.
    """
    specs = {key: plan.files[key][0].public for key in plan.jobs}
    return sorted(specs, key=lambda key: (not specs[key].starts_itself, specs[key].performance is None))


@contextmanager
def _pool(workers: int, stop: threading.Event) -> Iterator[ThreadPoolExecutor]:
    """A thread pool that, when left by an exception or Ctrl-C, starts nothing more."""
    pool = ThreadPoolExecutor(max_workers=workers)
    try:
        yield pool
    except BaseException:
        stop.set()
        pool.shutdown(wait=True, cancel_futures=True)
        raise
    pool.shutdown()


def _do_job(plan: JudgingPlan, key: str, scratch: Path, stop: threading.Event) -> tuple[LabOutcome, str]:
    """The outcome, and what failed on our side. A sweep that fails affects only the sweep."""
    (lab, source), known, sweep = plan.files[key], plan.jobs[key], plan.setup.sweep
    outcome, fault = (known, "") if known else _judge_job(plan.setup.judge, lab, source, scratch, stop)
    if sweep is None or fault or stop.is_set() or not sweep.lacks(lab, outcome):
        return outcome, fault
    try:
        scratch.mkdir(parents=True, exist_ok=True)
        return sweep.add(lab, source, outcome, scratch), ""
    except Exception:  # noqa: BLE001 -- as in _judge_once
        return outcome, f"{lab.id}: the size sweep broke: {traceback.format_exc()}"
    finally:
        remove_folder(scratch)


def _judge_job(judge: Judge, lab: Lab, source: Path, scratch: Path, stop: threading.Event) -> tuple[LabOutcome, str]:
    """The outcome, tried again if we failed; and what failed, for the instructor."""
    for number in range(_TRIES):
        outcome, fault = _judge_once(judge, lab, source, scratch / str(number))
        remove_folder(scratch)
        ours = broke(lab, outcome)
        if not ours or stop.is_set():
            break
    if ours and not fault:
        fault = f"{lab.id}: internal-error: {'; '.join(fault_messages(lab, outcome))}"
    return outcome, fault


def _judge_once(judge: Judge, lab: Lab, source: Path, scratch: Path) -> tuple[LabOutcome, str]:
    try:
        scratch.mkdir(parents=True)
        return judge(lab, source, scratch), ""
    except Exception as error:  # noqa: BLE001 -- whatever breaks on our side must not stop the batch
        message = f"the grader broke: {type(error).__name__}: {error}"
        return unjudged(lab.id, Verdict.INTERNAL_ERROR, message), f"{lab.id}: {traceback.format_exc()}"
