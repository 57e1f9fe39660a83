"""Grades a whole class: takes it in, judges what was not judged before, scores everything anew, writes the pages.

Nothing that one submission does, and no fault of ours with one of them, keeps the others from being graded. What was
judged is kept at once, so that an interrupted batch goes on where it stopped.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from grader.intake import Discovery, Intake, discover
from grader.jobs import JobStore, job_key, lab_fingerprint
from grader.labs import Lab
from grader.landing import check, claim
from grader.naming import clean
from grader.outcome import LabOutcome, unjudged
from grader.publishing import publish, record_faults
from grader.result import Environment, Result, Verdict
from grader.scoring import assessed, is_ours, score_lab, total
from grader.upload import stem_of

_TRIES = 2  # of a job that failed through us


class Judge(Protocol):
    """Builds `source` for `lab` and runs all its cases, in a scratch folder of its own."""

    def __call__(self, lab: Lab, source: Path, scratch: Path, /) -> LabOutcome: ...


class Sweep(Protocol):
    """Adds a size sweep to the outcome of judging, where it lacks one; scoring takes no notice of it."""

    def lacks(self, lab: Lab, outcome: LabOutcome, /) -> bool: ...
    def add(self, lab: Lab, source: Path, outcome: LabOutcome, scratch: Path, /) -> LabOutcome: ...


class Progress(Protocol):
    """Told how far judging has come."""

    def begin(self, jobs: int, reused: int) -> None: ...
    def step(self) -> None: ...
    def end(self) -> None: ...


@dataclass(frozen=True)
class Bench:
    """What judging is done with."""

    judge: Judge
    environment: Environment
    fingerprints: Mapping[str, str]  # by lab: of kit, judge, grader, toolchain, sandbox, limits and device
    seed: int
    sweep: Sweep | None = None  # none: nobody asked for it, or there is nothing to do it on


@dataclass(frozen=True)
class BatchReport:
    """What a batch did, for the terminal."""

    results: tuple[Result, ...]
    lab_ids: tuple[str, ...]
    out: Path
    environment: Environment
    judged: int
    reused: int
    notices: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()  # what broke on our side, for a person to look at


@dataclass(frozen=True)
class _Job:
    lab: Lab
    source: Path
    known: LabOutcome | None = None  # judged before: it lacks its sweep alone


@dataclass
class _Work:
    """The jobs of a batch: outcomes by key, and the key of every student's every lab that needs judging."""

    outcomes: dict[str, LabOutcome] = field(default_factory=dict)
    keys: dict[tuple[str, str], str] = field(default_factory=dict)
    to_judge: dict[str, _Job] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)


def grade(  # noqa: PLR0913 -- what comes in, what goes out, and what it is done with
    source: Path, out: Path, labs: Sequence[Lab], bench: Bench, *, workers: int | None = None, progress: Progress
) -> BatchReport:
    """Grades the submissions at `source` for `labs`. Raises IntakeError or OutError before anything is written."""
    check(out, source)
    with tempfile.TemporaryDirectory(prefix="tilelab-") as scratch:
        discovery = discover(source, Path(scratch) / "intake", [lab.public.file for lab in labs])
        claim(out, source)
        store = JobStore(out / "instructor" / "jobs")
        work = _plan(discovery, labs, bench, store)
        reused = len(work.outcomes)
        progress.begin(len(work.to_judge), reused)
        _judge_all(work, bench, store, Path(scratch), workers or os.cpu_count() or 1, progress)
        progress.end()
        counts = {
            lab.id: assessed(lab, [_outcome(student, lab, work) for student in discovery.students]) for lab in labs
        }
        results = [_result(student, labs, work, bench.environment, counts) for student in discovery.students]
        sources = {student.submission.id: _texts(student.sources) for student in discovery.students}
        lab_ids = tuple(lab.id for lab in labs)
        notices = (*discovery.notices, *_left_over(out, results))
        course = clean(stem_of(source.resolve().name))
        failures = work.failures + publish(
            out, results, sources, lab_ids=lab_ids, seed=bench.seed, course=course, notices=notices
        )
        record_faults(out, failures)
    return BatchReport(
        tuple(results), lab_ids, out, bench.environment, len(work.to_judge), reused, notices, tuple(failures)
    )


def _plan(discovery: Discovery, labs: Sequence[Lab], bench: Bench, store: JobStore) -> _Work:
    """Which jobs there are, and which of them were done before. Equal files make one job."""
    work = _Work()
    for lab in labs:
        asked = lab_fingerprint(lab)
        for student in discovery.students:
            path = student.sources.get(lab.public.file)
            if path is None:
                continue
            key = job_key(path.read_bytes(), asked, bench=bench.fingerprints[lab.id], seed=bench.seed)
            work.keys[student.submission.id, lab.id] = key
            if key in work.outcomes or key in work.to_judge:
                continue
            known = store.find(key)
            if known is None or is_ours(lab, known):
                work.to_judge[key] = _Job(lab, path)
            elif bench.sweep is not None and bench.sweep.lacks(lab, known):
                work.to_judge[key] = _Job(lab, path, known)
            else:
                work.outcomes[key] = known
    return work


def _judge_all(  # noqa: PLR0913, PLR0917 -- the batch's own state, passed on
    work: _Work, bench: Bench, store: JobStore, scratch: Path, workers: int, progress: Progress
) -> None:
    stop = threading.Event()
    with _pool(workers, stop) as submit:
        futures = {
            submit(_do_job, bench, job, scratch / "jobs" / key[:16], stop): key for key, job in work.to_judge.items()
        }
        for future in as_completed(futures):
            key = futures[future]
            outcome, trouble = future.result()
            work.outcomes[key] = outcome
            if trouble:
                concerned = ", ".join(student for (student, _), one in work.keys.items() if one == key)
                work.failures.append(f"{concerned}: {trouble}")
            noisy = outcome.speed is not None and outcome.speed.trouble  # such times are taken anew
            if not noisy and not is_ours(work.to_judge[key].lab, outcome):
                store.keep(key, outcome)
            progress.step()


@contextmanager
def _pool(workers: int, stop: threading.Event) -> Iterator[Callable[..., Future[tuple[LabOutcome, str]]]]:
    """A thread pool that, when left by an exception or Ctrl-C, starts nothing more."""
    pool = ThreadPoolExecutor(max_workers=workers)
    try:
        yield pool.submit
    except BaseException:
        stop.set()
        pool.shutdown(wait=True, cancel_futures=True)
        raise
    pool.shutdown()


def _do_job(bench: Bench, job: _Job, scratch: Path, stop: threading.Event) -> tuple[LabOutcome, str]:
    """Judges what was not judged before, and sweeps it where that is asked for. What breaks in a sweep costs the sweep alone."""
    outcome, trouble = (job.known, "") if job.known else _judge_job(bench.judge, job.lab, job.source, scratch, stop)
    if bench.sweep is None or trouble or stop.is_set() or not bench.sweep.lacks(job.lab, outcome):
        return outcome, trouble
    try:
        scratch.mkdir(parents=True, exist_ok=True)
        return bench.sweep.add(job.lab, job.source, outcome, scratch), ""
    except Exception:  # noqa: BLE001 -- as in _judge_once
        return outcome, f"{job.lab.id}: the size sweep broke: {traceback.format_exc()}"
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _judge_job(judge: Judge, lab: Lab, source: Path, scratch: Path, stop: threading.Event) -> tuple[LabOutcome, str]:
    """The outcome, tried again when we failed; and what broke, for the instructor."""
    for number in range(_TRIES):
        outcome, trouble = _judge_once(judge, lab, source, scratch / str(number))
        shutil.rmtree(scratch, ignore_errors=True)
        ours = is_ours(lab, outcome)
        if not ours or stop.is_set():
            break
    if ours and not trouble:
        scored = score_lab(lab, outcome)
        said = [finding.message for finding in scored.findings]
        said += [f"{case.name}: {case.message}" for case in scored.cases if case.verdict is Verdict.INTERNAL_ERROR]
        trouble = f"{lab.id}: internal-error: " + "; ".join(said)
    return outcome, trouble


def _judge_once(judge: Judge, lab: Lab, source: Path, scratch: Path) -> tuple[LabOutcome, str]:
    try:
        scratch.mkdir(parents=True)
        return judge(lab, source, scratch), ""
    except Exception as error:  # noqa: BLE001 -- whatever breaks on our side must not stop the batch
        message = f"the grader broke: {type(error).__name__}: {error}"
        return unjudged(lab.id, Verdict.INTERNAL_ERROR, message), f"{lab.id}: {traceback.format_exc()}"


def _result(
    student: Intake, labs: Sequence[Lab], work: _Work, environment: Environment, speed_counts: Mapping[str, bool]
) -> Result:
    outcomes = {lab: _outcome(student, lab, work) for lab in labs}
    scored = {lab.id: score_lab(lab, outcome, speed_counts=speed_counts[lab.id]) for lab, outcome in outcomes.items()}
    points, maximum = total(scored)
    return Result(submission=student.submission, environment=environment, labs=scored, total=points, max=maximum)


def _outcome(student: Intake, lab: Lab, work: _Work) -> LabOutcome:
    file = lab.public.file
    if student.submission.refused is not None:
        return unjudged(lab.id, Verdict.REJECTED, f"the submission was refused: {student.submission.refused}")
    if file in student.blocked:
        return unjudged(lab.id, Verdict.REJECTED, student.blocked[file], file=file)
    if file in student.sources:
        return work.outcomes[work.keys[student.submission.id, lab.id]]
    hint = student.hints.get(file)
    return unjudged(lab.id, Verdict.MISSING_FILE, f"{file} was not handed in" + (f": {hint}" if hint else ""))


def _texts(sources: Mapping[str, Path]) -> dict[str, str]:
    return {name: path.read_bytes().decode("utf-8", "replace") for name, path in sources.items()}


def _left_over(out: Path, results: Sequence[Result]) -> list[str]:
    """A notice about pages of an earlier batch whose students are not in this one."""
    current = {result.submission.id for result in results}
    old = sorted(path.name for path in (out / "students").iterdir() if path.name not in current)
    if not old:
        return []
    return [f"{out / 'students'} still holds pages of {len(old)} not in this batch, as they were: {', '.join(old[:5])}"]
