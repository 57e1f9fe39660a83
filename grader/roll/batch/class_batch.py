"""Grades a whole class in four steps: takes the submissions in, judges what is new, scores everything, writes the results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from grader.explain.mutant_search import FoundMutants
from grader.model.labs import Lab
from grader.model.result import Environment, GradedClass
from grader.pages.exports.export import Export
from grader.roll.batch.class_standing import HistoryFolder, Standings, before_deadlines, other_attempts, other_outs
from grader.roll.batch.controls import same_endings
from grader.roll.batch.job_store import JobStore, grade_bases
from grader.roll.batch.judging_jobs import JudgedClass, judge_class
from grader.roll.batch.judging_setup import JudgingSetup, Progress
from grader.roll.batch.leaderboards import RankedClass, rank_class
from grader.roll.batch.output_folder import OutputFolder, scratch_folder
from grader.roll.batch.page_material import ClassMaterial, MaterialFolder
from grader.roll.batch.publishing import publish
from grader.roll.batch.week_insight import Week, WeekSearch, asking_labs, with_answers
from grader.roll.intake.attempts import Intake
from grader.roll.intake.intake import IntakeOptions, discover
from grader.roll.intake.matching import lab_file
from grader.roll.people.roster import Roster
from grader.roll.policy.class_policy import CoursePolicy, class_policy
from grader.run.lab_verdict import lab_verdict
from grader.run.scoring.lab_score import score_class


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
    leaderboard: Path | None = None  # none: no lab of this batch has one

    @property
    def faults(self) -> tuple[str, ...]:
        """All that broke on our side."""
        return (*filter(None, [self.stopped]), *self.ungraded, *self.pages, *self.unwritten)


def grade_submissions(  # noqa: PLR0913 -- what comes in, what goes out, and what it is done with
    submissions: Path | Sequence[Path],
    out: OutputFolder,
    labs: Sequence[Lab],
    setup: JudgingSetup,
    *,
    exports: Sequence[Export],
    assignment: str = "",
    roster: Roster | None = None,
    week: WeekSearch | None = None,
    policy: CoursePolicy | None = None,
    now: datetime | None = None,
    intake: IntakeOptions | None = None,
    workers: int | None = None,
    progress: Progress,
) -> BatchReport:
    """Grades `submissions` for `labs`. `now`: when deadlines are looked at; none: by this machine's clock. Raises LabError, IntakeError,
    PolicyError, IdentityError, OutError or MachineError before anything is written.
    """
    asking = asking_labs(labs)
    with scratch_folder() as scratch, out.alone():
        identities = out.identities.read()
        discovery = discover(
            submissions,
            scratch / "intake",
            [lab_file(lab) for lab in labs],
            roster,
            identities.book,
            intake,
            told=partial(progress.doing, "reading submissions"),
        )
        given = [student.submission for student in discovery.students]
        rostered = None if roster is None else discovery.rostered
        resolved = class_policy(policy or CoursePolicy(), given, labs, identities.book, rostered)
        elsewhere = other_outs(resolved.course.also_in, out.path, identities.book)
        students = before_deadlines(discovery.students, labs, resolved)
        others, untried = other_attempts(students, labs, resolved)
        out.claim()
        out.identities.write(identities)
        if setup.elsewhere is not None:
            setup = setup.elsewhere.bench(setup, labs, progress)
        mutants = FoundMutants()

        def explore(wrong: Sequence[Lab], judging_seconds: float) -> None:
            nonlocal mutants
            if week is not None:
                mutants = week.found_mutants(wrong, setup, scratch / "mutants", judging_seconds)

        judged = judge_class(
            [*students, *(one.intake for one in others)],
            labs,
            setup,
            JobStore(out.jobs),
            scratch / "jobs",
            workers=workers,
            progress=progress,
            explore=explore,
        )
        history = HistoryFolder(out.path / "instructor")
        standings = Standings(resolved, students, labs, history, now or datetime.now(UTC), elsewhere.grades)
        bases = grade_bases(labs, setup.fingerprints, setup.seed)
        applied = standings.applied(score_class(judged.students, labs, setup.environment), others)
        students = standings.students
        results = with_answers(applied.results, students, asking)
        ranked = RankedClass(tuple(results))
        if not judged.stopped:
            ranked = rank_class(results, students, labs, out)
        alarms = [*resolved.alarms, *_alarms(students, labs, judged, setup)]
        notices = (
            *([f"grading stopped: {judged.stopped}"] if judged.stopped else []),
            *alarms,
            *judged.notices,
            *discovery.notices,
            *resolved.notices,
            *elsewhere.notices,
            *untried,
            *applied.notices,
            *ranked.notices,
            *out.seed_notices(setup.seed),
            *out.open_notices(),
            *out.left_over([result.submission.id for result in results]),
        )
        sources = {student.submission.id: student.texts() for student in students}
        seen = Week(tuple(ranked.results))
        if week is not None and not judged.stopped:
            seen = week.week(seen.results, sources, labs, mutants)
        of_class = seen.results
        unkept: list[str] = []
        if not judged.stopped:  # else nobody knows what was found
            of_class, unkept = standings.keep(of_class, bases, setup.environment)
        of_policy = {*resolved.alarms, *resolved.notices, *elsewhere.notices, *applied.notices}
        material = ClassMaterial(
            now=standings.now.isoformat(),
            stopped=judged.stopped,
            comments=_named_comments(week, out),
            course=policy.named if policy is not None else "",
            rostered=None if rostered is None else tuple(sorted(rostered)),
            notices=tuple(one for one in notices if one not in of_policy),
            bases=bases,
            likenesses={lab: dict(found) for lab, found in mutants.likenesses().items()},
            insight=seen.insight,
        )
        kept = MaterialFolder(out.private).files(material, standings.material(of_class, sources))
        graded = GradedClass(discovery.title, tuple(lab.id for lab in labs), of_class, notices, seen.insight)
        published = publish(
            graded,
            out,
            sources,
            seed=setup.seed,
            exports=exports,
            assignment=assignment,
            more=(*ranked.files, *seen.files, *kept),
            told=partial(progress.doing, "writing pages"),
        )
        progress.end()
        unwritten = (*unkept, *published.unwritten)
        if not unwritten:
            out.remember_seed(setup.seed)
        out.record_faults(
            [
                *filter(None, [judged.stopped]),
                *judged.faults,
                *ranked.faults,
                *seen.faults,
                *published.faults,
                *unwritten,
            ]
        )
    return BatchReport(
        graded,
        out.path,
        published.exports,
        setup.environment,
        judged.judged,
        judged.reused,
        judged.faults,
        (*ranked.faults, *seen.faults, *published.faults),
        unwritten,
        judged.stopped,
        tuple(alarms),
        export_notices=published.notices,
        leaderboard=out.leaderboard if ranked.files else None,
    )


def _named_comments(week: WeekSearch | None, out: OutputFolder) -> str:
    """Empty: the file in OUT, which moves with it."""
    if week is None or week.comments.path.absolute() == out.comments.absolute():
        return ""
    return str(week.comments.path.absolute())


def _alarms(students: Sequence[Intake], labs: Sequence[Lab], judged: JudgedClass, setup: JudgingSetup) -> Iterator[str]:
    """Where most of a class ends the same way, and no control has shown that a right kernel passes here."""
    handed_in = [student for student in students if student.submission.handed_in]
    if handed_in and not any(student.sources or student.blocked for student in handed_in):
        yield f"none of the {len(handed_in)} submissions holds a file that a lab asks for: is this the right folder?"
    verdicts = {lab.id: [lab_verdict(lab, one.outcomes[lab.id]).verdict for one in judged.students] for lab in labs}
    for lab, verdict, count, total in same_endings(labs, verdicts):
        if setup.controls is None or not setup.controls.covers(lab):
            yield (
                f"{count} of {total} files for {lab.id} end as {verdict}, and no model solution of that lab shows whether a right "
                "kernel passes on this machine: look at some of them before you give grades back"
            )
