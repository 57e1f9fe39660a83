"""Grades a whole class in the eight steps that ARCHITECTURE.md draws, each a function of what came before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from grader.explain.class_mistakes import CommentsFile, comment_keys, with_comments
from grader.explain.suspect_search import FoundMutants
from grader.model.errors import RemediableError
from grader.model.graded_class import NOTHING_KNOWN, GradedClass
from grader.model.labs import Lab
from grader.model.result import Environment, LabResult, Result
from grader.model.written_names import some
from grader.roll.batch.class_insight import AskingLab, InsightSearch, asking_labs, pages_command, with_answers
from grader.roll.batch.class_standing import (
    HistoryFolder,
    OtherAttempt,
    OtherOuts,
    Standings,
    before_deadlines,
    candidate,
    earlier_labs,
    other_attempts,
    other_outs,
)
from grader.roll.batch.controls import same_endings
from grader.roll.batch.job_store import JobStore, grade_bases
from grader.roll.batch.judging_jobs import JudgedClass, JudgingPlan, JudgingSetup, Progress, judge_class, plan_judging
from grader.roll.batch.output_folder import (
    GRADE_AGAIN,
    LastBatch,
    LastBatchFile,
    OutputFolder,
    Record,
    scratch_folder,
    with_step_pages,
)
from grader.roll.batch.plugin import Added, ClassAddition, Export, File, loaded, registered
from grader.roll.batch.publishing import ClassToWrite, Published, publish
from grader.roll.intake.intake import Discovery, Intake, IntakeOptions, discover
from grader.roll.intake.matching import lab_file
from grader.roll.people.roster import Roster
from grader.roll.policy.class_policy import Applied, ClassPolicy, apply_policy, class_policy
from grader.roll.policy.course_file import CoursePolicy
from grader.roll.policy.grade_history import KeptBatch, KeptGrade, last_grades
from grader.run.lab_verdict import LabVerdict
from grader.run.scoring.lab_score import decide_class, score_class
from grader.run.scoring.redaction import RedactedClass, redacted


@dataclass(frozen=True)
class BatchReport:
    """What a batch did, for the terminal."""

    graded: GradedClass
    out: Path
    environment: Environment
    found: JudgedClass
    published: Published
    alarms: tuple[str, ...] = ()  # what may be this machine's doing, and nobody knows
    added: tuple[tuple[str, Path], ...] = ()  # what plugins wrote, by their names

    @property
    def faults(self) -> tuple[str, ...]:
        """All that broke on our side."""
        judging = (*filter(None, [self.found.stopped]), *self.found.faults)
        return (*judging, *self.published.faults, *self.published.unwritten)


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
        roster=LastBatchFile(batch.out.private).later_roster() if batch.roster is None else "",
        notices=tuple(one for one in notices if one not in of_policy),
        bases=bases,
        likenesses={lab: dict(found) for lab, found in judged.mutants.likenesses().items()},
        insight=insight,
    )
    records = standings.records(of_class, sources, kept.seed)
    return Graded(judged, whole, kept, records, ranked.files, alarms, ranked.faults, unkept)


def write(graded: Graded, given_back: RedactedClass) -> BatchReport:
    """`given_back`: what students get, and what platforms get of them, is made of this alone."""
    judged, batch = graded.judged, graded.judged.taken.batch
    out = batch.out
    whole = ClassToWrite(graded.whole, given_back, graded.kept, graded.records, graded.files)
    published = publish(whole, out, batch.exports, told=partial(batch.progress.doing, "writing pages"))
    batch.progress.end()
    faults, unwritten = (*graded.faults, *published.faults), (*graded.unkept, *published.unwritten)
    additions = [(one.name, out.path / one.file) for one in registered(ClassAddition)]
    written = {file.path for file in graded.files}
    report = BatchReport(
        graded.whole,
        out.path,
        judged.setup.environment,
        judged.found,
        replace(published, faults=faults, unwritten=unwritten),
        tuple(graded.alarms),
        tuple((name, path) for name, path in additions if path in written),
    )
    out.record_faults(report.faults)
    return report


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


# Writes a graded class's pages and exports again, with the instructor's comments and decisions as they are now.
#
# Results stay as they were judged. What changes a grade gets its line in the history, as in a batch.

# A graded class as its last batch left it in OUT: results, students' texts, and what else its pages are made from.
#
# It is whole or it is refused: a class page or an export that lacks a student could be taken for the grades of all.


@dataclass(frozen=True)
class KeptClass:
    batch: LastBatch
    records: Mapping[str, Record]  # by student, with the comments and decisions of the last batch
    history: tuple[KeptBatch, ...]  # the oldest first
    notices: tuple[str, ...]  # what was found damaged, and costs nobody a page


def kept_class(out: OutputFolder) -> KeptClass:
    """Raises RemediableError."""
    file = LastBatchFile(out.private)
    batch = file.read()
    found, lost = file.records(batch)
    if batch.stopped:
        raise RemediableError(f"{out.path}: the last batch here stopped ({batch.stopped}) Grade again first.")
    history = HistoryFolder(out.private)
    batches = tuple(history.read())
    last = last_grades(batches)
    records: dict[str, Record] = {}
    notices, other = [*history.notices], []
    for record in found:
        student = record.result.submission.id
        grades = [last[student, lab] for lab in batch.labs if (student, lab) in last]
        if any(record.digests.get(one.lab, "") != one.source for one in grades):
            other.append(student)
            continue
        whole, gone = with_step_pages(record.result, record.step_pages, out.students / student)
        records[student] = record.model_copy(update={"result": whole})
        notices += [f"{out.students / student / name} is gone or was changed, so no page leads to it" for name in gone]
    if lost or other:
        first = lost[0] if lost else f"what the pages of {some(other)} were made from is missing or of another batch"
        raise RemediableError(f"{out.path}: {first}. {GRADE_AGAIN} Nothing was changed.")
    return KeptClass(batch, records, batches, tuple(notices))


# Applies a course's policy to a class that was graded before: overrides and answered regrade requests above all. Writes nothing.
#
# Which of a student's attempts counts was decided by the batch, and so was what "now" is for deadlines: whoever handed in since then is not
# known here.


def policy_again(
    kept: KeptClass, policy: ClassPolicy, elsewhere: Mapping[tuple[str, str], KeptGrade], labs: Sequence[str]
) -> Applied:
    """The results without their old comments and decisions, by the `policy` of today. `elsewhere`: by student and lab, of other OUTs."""
    judged, candidates = [], {}
    for student, one in kept.records.items():
        labs_of = {lab_id: _as_judged(lab) for lab_id, lab in one.result.labs.items()}
        judged.append(one.result.model_copy(update={"labs": labs_of}))
        for lab_id in labs_of.keys() & one.said.keys():
            candidates[student, lab_id] = [candidate(policy, student, labs_of[lab_id], lab_id, one.said[lab_id])]
    known = {**elsewhere, **last_grades(kept.history)}
    now = datetime.fromisoformat(kept.batch.now)
    return apply_policy(judged, policy, candidates, now, earlier_labs(known, labs))


def _as_judged(lab: LabResult) -> LabResult:
    points = lab.points if lab.standing is None else lab.standing.judged_points
    return lab.model_copy(update={"points": points, "standing": None, "requests": (), "comment": "", "changes": ()})


@dataclass(frozen=True)
class WrittenAgain:
    """What was done, for the terminal."""

    students: int
    commented: Mapping[str, int]  # by key of a comment with a text: on how many pages it stands
    regraded: int  # grades that are others now
    alarms: tuple[str, ...]  # rows of a table that do nothing
    published: Published


@dataclass(frozen=True)
class Decided:
    """What a person decided since the class was graded."""

    comments: CommentsFile
    written: Mapping[str, str]  # what it holds
    policy: CoursePolicy
    named: str = ""  # the file of comments, where it is not the one in OUT


def write_again(
    out: OutputFolder,
    labs: Sequence[Lab],
    decided: Decided,
    exports: Sequence[Export],
    assignment: str = "",
    now: datetime | None = None,
) -> WrittenAgain:
    """`labs`: those of the last batch; `now`: of a change in the history. The caller holds OUT's lock. Raises RemediableError
    before anything is written.
    """
    kept = kept_class(out)
    batch, book = kept.batch, out.identities.read()
    given = [one.result.submission for one in kept.records.values()]
    policy = class_policy(decided.policy, given, labs, book, batch.rostered)
    elsewhere = other_outs(policy.course.also_in, out.path, book)
    applied = policy_again(kept, policy, elsewhere.grades, batch.labs)
    sources = {student: one.texts for student, one in kept.records.items()}
    keys = comment_keys(applied.results, sources, batch.likenesses, decided.written)
    results = with_comments(applied.results, keys, decided.written)
    digests = {(student, lab): found for student, one in kept.records.items() for lab, found in one.digests.items()}
    history, moment = HistoryFolder(out.private), now or datetime.now(UTC)
    results, regraded, unkept = history.with_new(results, kept.history, digests, batch.bases, moment)
    of_policy = (*policy.notices, *elsewhere.notices)
    course = decided.policy.course
    stays = f"{course.name}: which attempt counts stays as the last batch chose it; `make grade` chooses anew"
    attempts = () if course.attempts == "latest" else (stays,)
    notices = (*policy.alarms, *batch.notices, *kept.notices, *of_policy, *applied.notices, *attempts)
    mistakes = tuple(
        replace(lab, mistakes=tuple(replace(one, comment=decided.written.get(one.key, "")) for one in lab.mistakes))
        for lab in batch.insight.mistakes
    )
    again = pages_command(out.path)
    insight = replace(batch.insight, mistakes=mistakes, comments=str(decided.comments.path), again=again)
    named = {"comments": decided.named, "course": decided.policy.named, "assignment": assignment or batch.assignment}
    batch = batch.model_copy(update={"insight": insight, **named})
    records = {
        student: kept.records[student].model_copy(update={"result": one})
        for student, one in zip(kept.records, results, strict=True)
    }
    graded = GradedClass(batch.title, batch.labs, results, notices, insight)
    published = publish(ClassToWrite(graded, redacted(graded), batch, records), out, exports)
    on_pages = Counter(keys.values())
    return WrittenAgain(
        len(results),
        {key: on_pages[key] for key, text in decided.written.items() if text},
        regraded,
        policy.alarms,
        replace(
            published,
            notices=(*kept.notices, *of_policy, *attempts, *published.notices),
            faults=(*unkept, *published.faults, *published.unwritten),
        ),
    )
