"""Grades a whole class in the eight steps that ARCHITECTURE.md draws, each a function of what came before."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from grader.explain.suspect_search import FoundMutants
from grader.model.graded_class import NOTHING_KNOWN, GradedClass
from grader.model.labs import Lab
from grader.model.result import Environment, Result
from grader.roll.batch.class_insight import AskingLab, InsightSearch, asking_labs, with_answers
from grader.roll.batch.class_standing import (
    HistoryFolder,
    OtherAttempt,
    OtherOuts,
    Standings,
    before_deadlines,
    other_attempts,
    other_outs,
)
from grader.roll.batch.controls import same_endings
from grader.roll.batch.job_store import JobStore, grade_bases
from grader.roll.batch.judging_jobs import judge_class, plan_judging
from grader.roll.batch.judging_setup import JudgedClass, JudgingPlan, JudgingSetup, Progress
from grader.roll.batch.last_batch import LastBatch, LastBatchFile, Record
from grader.roll.batch.output_folder import OutputFolder, scratch_folder
from grader.roll.batch.plugin import Added, ClassAddition, Export, File, loaded, registered
from grader.roll.batch.publishing import ClassToWrite, publish
from grader.roll.intake.attempts import Intake
from grader.roll.intake.intake import Discovery, IntakeOptions, discover
from grader.roll.intake.matching import lab_file
from grader.roll.people.roster import Roster
from grader.roll.policy.class_policy import ClassPolicy, class_policy
from grader.roll.policy.course_file import CoursePolicy
from grader.run.lab_verdict import LabVerdict
from grader.run.scoring.lab_score import decide_class, score_class
from grader.run.scoring.redaction import RedactedClass, redacted


@dataclass(frozen=True)
class BatchReport:
    """What a batch did, for the terminal."""

    graded: GradedClass
    out: Path
    exports: tuple[Export, ...]
    environment: Environment
    judged: int
    reused: int
    ungraded: tuple[str, ...] = ()  # what could not be judged through a fault of ours, and is left blank
    pages: tuple[str, ...] = ()  # pages that could not be made; grades stand
    unwritten: tuple[str, ...] = ()  # files that OUT did not take
    stopped: str = ""  # why grading stopped: a control failed
    alarms: tuple[str, ...] = ()  # what may be this machine's doing, and nobody knows
    export_notices: tuple[str, ...] = ()  # what to know before an import
    added: tuple[tuple[str, Path], ...] = ()  # what plugins wrote, by their names

    @property
    def faults(self) -> tuple[str, ...]:
        """All that broke on our side."""
        return (*filter(None, [self.stopped]), *self.ungraded, *self.pages, *self.unwritten)


@dataclass(frozen=True)
class Batch:
    """What is graded, into what, and with what."""

    submissions: Path | Sequence[Path]
    out: OutputFolder
    labs: Sequence[Lab]
    setup: JudgingSetup
    progress: Progress = field(default_factory=Progress)
    exports: Sequence[Export] = ()
    assignment: str = ""  # what the platform calls it
    roster: Roster | None = None
    insight: InsightSearch | None = None  # none: nobody looks at the class as a whole
    policy: CoursePolicy | None = None
    now: datetime | None = None  # when deadlines are looked at; none: by this machine's clock
    intake: IntakeOptions | None = None
    workers: int | None = None  # none: one for each core


def grade_submissions(batch: Batch) -> BatchReport:
    """Raises RemediableError or MachineError before anything is written."""
    with scratch_folder() as scratch, batch.out.alone():
        taken = take_in(batch, scratch)
        planned = plan(taken)
        judged = judge(taken, planned)
        verdicts = decide_class(judged.found.students, batch.labs)
        results = score_class(judged.found.students, batch.labs, planned.setup.environment, verdicts)
        graded = grade(judged, verdicts, results)
        return write(graded, redacted(graded.whole))


@dataclass(frozen=True)
class Taken:
    """Who handed in what, and what counts of it."""

    batch: Batch
    scratch: Path
    discovery: Discovery
    policy: ClassPolicy
    elsewhere: OtherOuts
    students: Sequence[Intake]
    others: Sequence[OtherAttempt]
    notices: Sequence[str]  # whose earlier attempts are not looked at
    asking: Sequence[AskingLab]


def take_in(batch: Batch, scratch: Path) -> Taken:
    """From here on OUT is this class's: ids are kept before any page bears one."""
    asking = asking_labs(batch.labs)
    identities = batch.out.identities.read()
    discovery = discover(
        batch.submissions,
        scratch / "intake",
        [lab_file(lab) for lab in batch.labs],
        batch.roster,
        identities,
        batch.intake,
        told=partial(batch.progress.doing, "reading submissions"),
    )
    given = [student.submission for student in discovery.students]
    rostered = None if batch.roster is None else discovery.rostered
    policy = class_policy(batch.policy or CoursePolicy(), given, batch.labs, identities, rostered)
    elsewhere = other_outs(policy.course.also_in, batch.out.path, identities)
    students = before_deadlines(discovery.students, batch.labs, policy)
    others, notices = other_attempts(students, batch.labs, policy)
    batch.out.claim()
    batch.out.identities.write(identities)
    return Taken(batch, scratch, discovery, policy, elsewhere, students, others, notices, asking)


def plan(taken: Taken) -> JudgingPlan:
    """With the setup as the machines that judge have it."""
    batch, setup = taken.batch, taken.batch.setup
    if setup.elsewhere is not None:
        setup = setup.elsewhere.bench(setup, batch.labs, batch.progress)
    everybody = [*taken.students, *(one.intake for one in taken.others)]
    return plan_judging(everybody, batch.labs, setup, JobStore(batch.out.jobs))


@dataclass(frozen=True)
class Judged:
    taken: Taken
    setup: JudgingSetup
    found: JudgedClass
    mutants: FoundMutants  # how mistakes in the solutions behave


def judge(taken: Taken, planned: JudgingPlan) -> Judged:
    batch, mutants = taken.batch, FoundMutants()

    def explore(wrong: Sequence[Lab], judging_seconds: float) -> None:
        nonlocal mutants
        if batch.insight is not None:
            mutants = batch.insight.found_mutants(wrong, planned.setup, taken.scratch / "mutants", judging_seconds)

    found = judge_class(planned, taken.scratch / "jobs", batch.progress, workers=batch.workers, explore=explore)
    return Judged(taken, planned.setup, found, mutants)


@dataclass(frozen=True)
class Graded:
    """The class as the instructor sees it."""

    judged: Judged
    whole: GradedClass
    kept: LastBatch
    records: Mapping[str, Record]  # by student
    files: Sequence[File]  # besides a class's own
    alarms: Sequence[str]  # what may be this machine's doing, and nobody knows
    faults: Sequence[str]  # what broke on our side after judging
    unkept: Sequence[str]  # what OUT does not take


def grade(judged: Judged, verdicts: Mapping[str, Sequence[LabVerdict]], results: Sequence[Result]) -> Graded:
    """By the course's policy, and as a class: late work, overrides and history; answers, ranks and common mistakes. `verdicts`: by lab, and
    like `results` of the students and then of other attempts.
    """
    taken, batch, stopped = judged.taken, judged.taken.batch, judged.found.stopped
    history = HistoryFolder(batch.out.private)
    now = batch.now or datetime.now(UTC)
    standings = Standings(taken.policy, list(taken.students), batch.labs, history, now, taken.elsewhere.grades)
    applied = standings.applied(results, taken.others)
    students = standings.students
    ranked = Added(tuple(with_answers(applied.results, students, taken.asking)))
    sources = {student.submission.id: student.texts() for student in students}
    for one in () if stopped else registered(ClassAddition):
        ranked = ranked.with_more(loaded(one.adds)(ranked.results, sources, batch.labs, batch.out.path))
    alarms = [*taken.policy.alarms, *_alarms(judged, students, verdicts)]
    notices = (
        *([f"grading stopped: {stopped}"] if stopped else []),
        *alarms,
        *judged.found.notices,
        *taken.discovery.notices,
        *taken.policy.notices,
        *taken.elsewhere.notices,
        *taken.notices,
        *applied.notices,
        *ranked.notices,
        *LastBatchFile(batch.out.private).seed_notices(judged.setup.seed),
        *batch.out.open_notices(),
        *batch.out.left_over([result.submission.id for result in applied.results]),
    )
    if batch.insight is not None and not stopped:
        ranked = ranked.with_more(batch.insight.look(ranked.results, sources, batch.labs, judged.mutants))
    insight = ranked.insight or NOTHING_KNOWN
    of_policy = {*taken.policy.alarms, *taken.policy.notices, *taken.elsewhere.notices, *applied.notices}
    bases = grade_bases(batch.labs, judged.setup.fingerprints, judged.setup.seed)
    of_class, unkept = ranked.results, list[str]()
    if not stopped:  # else nobody knows what was found
        of_class, unkept = standings.keep(of_class, bases)
    whole = GradedClass(taken.discovery.title, tuple(lab.id for lab in batch.labs), of_class, notices, insight)
    kept = LastBatch(
        title=whole.title,
        assignment=batch.assignment,
        labs=whole.lab_ids,
        students=tuple(result.submission.id for result in of_class),
        seed=judged.setup.seed,
        now=now.isoformat(),
        stopped=stopped,
        comments=_named_comments(batch),
        course=batch.policy.named if batch.policy is not None else "",
        rostered=None if batch.roster is None else tuple(sorted(taken.discovery.rostered)),
        notices=tuple(one for one in notices if one not in of_policy),
        bases=bases,
        likenesses={lab: dict(found) for lab, found in judged.mutants.likenesses().items()},
        insight=insight,
    )
    records = standings.records(of_class, sources, kept.seed)
    return Graded(judged, whole, kept, records, ranked.files, alarms, ranked.faults, unkept)


def write(graded: Graded, given_back: RedactedClass) -> BatchReport:
    """`given_back`: what students get, and what platforms get of them, is made of this alone."""
    judged = graded.judged
    batch, found = judged.taken.batch, judged.found
    out = batch.out
    whole = ClassToWrite(graded.whole, given_back, graded.kept, graded.records, graded.files)
    published = publish(whole, out, batch.exports, told=partial(batch.progress.doing, "writing pages"))
    batch.progress.end()
    unwritten = (*graded.unkept, *published.unwritten)
    pages = (*graded.faults, *published.faults)
    out.record_faults([*filter(None, [found.stopped]), *found.faults, *pages, *unwritten])
    return BatchReport(
        graded.whole,
        out.path,
        published.exports,
        judged.setup.environment,
        found.judged,
        found.reused,
        found.faults,
        pages,
        unwritten,
        found.stopped,
        tuple(graded.alarms),
        export_notices=published.notices,
        added=tuple(
            (one.name, out.path / one.file)
            for one in registered(ClassAddition)
            if any(file.path == out.path / one.file for file in graded.files)
        ),
    )


def _named_comments(batch: Batch) -> str:
    """Empty: the file in OUT, which moves with it."""
    if batch.insight is None or batch.insight.comments.path.absolute() == batch.out.comments.absolute():
        return ""
    return str(batch.insight.comments.path.absolute())


def _alarms(judged: Judged, students: Sequence[Intake], verdicts: Mapping[str, Sequence[LabVerdict]]) -> Iterator[str]:
    """Where most of a class ends the same way, and no control has shown that a right kernel passes here."""
    handed_in = [student for student in students if student.submission.handed_in]
    if handed_in and not any(student.sources or student.blocked for student in handed_in):
        yield f"none of the {len(handed_in)} submissions holds a file that a lab asks for: is this the right folder?"
    ends = {lab: [one.verdict for one in found] for lab, found in verdicts.items()}
    controls = judged.setup.controls
    for lab, verdict, count, total in same_endings(judged.taken.batch.labs, ends):
        if controls is None or not controls.covers(lab):
            yield (
                f"{count} of {total} files for {lab.id} end as {verdict}, and no model solution of that lab shows whether a right "
                "kernel passes on this machine: look at some of them before you give grades back"
            )
