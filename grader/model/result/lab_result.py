"""One lab of one submission: its cases, its findings, its points, and what else a report says of it."""

from __future__ import annotations

from typing import Literal

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from grader.model.lab_answers import LabAnswers
from grader.model.result.case_result import UNCOUNTED, Case
from grader.model.result.counted_tier import CountedTier
from grader.model.result.finding import Finding
from grader.model.result.kernel_outlook import GpuKernel, Outlook
from grader.model.result.plain_data import Model
from grader.model.result.step_page_link import StepPage
from grader.model.result.timing_result import Timing
from grader.model.standing import GradeChange, RegradeRequest, Standing
from grader.model.verdicts import TECHNIQUE_MISSED, Verdict, VerdictFacts


class Suspect(Model):
    """Where to look for the cause of a wrong result: one small change in these lines alone makes every public case pass."""

    lines: tuple[int, ...]  # 1-based
    before: str = ""  # the lines as they are, and with that change: for the instructor alone
    after: str = ""
    every: bool = False  # with that change every hidden case passes too: for the instructor alone
    public: bool = True  # found with public cases alone; what is not is for the instructor alone


class Build(Model):
    ok: bool
    compiler: str = ""
    log: str = ""  # the compiler's messages, with short paths
    seconds: float = 0.0


class LeaderboardName(Model):
    """What the student is called on the lab's leaderboard."""

    name: str  # empty: this student asked not to be on it
    chosen: bool = False  # by the student; else made for the student
    note: str = ""  # why the name that was asked for is not used
    source: str = ""  # digest of the file that was handed in


class LabResult(Model):
    title: str
    file: str  # the file that the lab asks for
    contract: Literal["kernel", "launcher", "program"] = "kernel"  # what of it is judged
    verdict: Verdict
    points: float
    max_points: float
    extra_credit: bool = False  # its points count for the total, but not for the maximum
    build: Build | None = None
    cases: tuple[Case, ...] = ()
    findings: tuple[Finding, ...] = ()  # of all cases and the build, deduplicated; errors first
    causes: tuple[Finding, ...] = ()  # what in the text may have made a public case fail: notes, the likeliest first
    suspects: tuple[Suspect, ...] = ()  # none: not looked for, or nothing found
    comment: str = ""  # what the instructor wrote to all who made this mistake
    performance: str = "not assessed"
    performance_points: float = 0  # included in `points`
    performance_max: float = 0  # included in `max_points`; 0: not assessed in this batch
    counted_tiers: tuple[CountedTier, ...] = ()  # by rising points; none: performance points did not come from counts
    timing: Timing | None = None  # none: nothing to report
    answers: LabAnswers | None = None  # to the lab's questions; none: it asks nothing, or nothing was handed in
    leaderboard: LeaderboardName | None = None  # none: the lab has no leaderboard, or the file was not handed in
    gpu_kernel: GpuKernel | None = None  # none: there is no nvcc, or compiling did not get so far
    outlook: Outlook | None = None  # none: the lab has no climb, or the kernel is not right yet
    # Files of their own, and no part of result.json.
    step_pages: SkipJsonSchema[tuple[StepPage, ...]] = Field(default=(), exclude=True)
    gpu_trouble: str = ""  # why a GPU could not be used, although there is one; for the instructor only
    standing: Standing | None = (
        None  # how `points` follow from what was judged; none: no policy of the course says anything of it
    )
    requests: tuple[RegradeRequest, ...] = ()  # what the student asked about this grade
    changes: tuple[GradeChange, ...] = ()  # of this grade, from batch to batch; the oldest first
    seconds: float = 0.0  # wall time to build and judge

    @property
    def ran(self) -> bool:
        """Whether any case was run. A program may be rejected for what its run shows."""
        return not self.verdict.facts.never_ran or any(case.passed or case.launches for case in self.cases)

    @property
    def missed_technique(self) -> Case | None:
        """Of a right result, the first case that fails: correctness cases decide the verdict, so it judges the technique."""
        missed = (one for one in self.cases if not one.passed and one.message != UNCOUNTED)
        return next(missed, None) if self.verdict is Verdict.PASS else None

    @property
    def look(self) -> VerdictFacts:
        """What pages and terminals call the result: the verdict, or that a right result misses the technique."""
        return TECHNIQUE_MISSED if self.missed_technique else self.verdict.facts

    @property
    def passed(self) -> bool:
        """Whether the result is right, by the technique that the lab asks for."""
        return self.look is Verdict.PASS.facts
