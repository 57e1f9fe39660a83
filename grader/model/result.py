"""The one definition of `result.json`: what judging found and scoring awarded, as plain data. Scoring and every report are pure functions
of these models.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.json_schema import SkipJsonSchema

from grader.model.verdicts import TECHNIQUE_MISSED, Verdict, VerdictFacts

# Neither passed nor failed, neither earned nor lost: we failed, or a machine with a GPU still has to grade it.
UNDECIDED = frozenset({Verdict.INTERNAL_ERROR, Verdict.NEEDS_GPU})


class Model(BaseModel):
    """Immutable, and a field that is not listed is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


# What a student answered to a lab's questions, as a part of the result. It gives no points and changes no verdict.

# open: nothing is there; unclear: there is something, but no number; unchecked: nothing here knows the right one.
NumberState = Literal["open", "unclear", "wrong", "right", "unchecked"]


class NumberAnswer(Model):
    """A number that a question asks for."""

    label: str
    unit: str = ""
    given: str = ""  # untrusted, cut
    state: NumberState
    remark: str = ""  # for the student: what is wrong with the text, never the right number


class QuestionAnswer(Model):
    """One question, and what was found below it."""

    number: int  # from 1
    id: str
    question: str
    before: str = ""  # a prediction: the command that was to be run after it
    wants_words: bool = True
    text: str = ""  # untrusted, cut; for the instructor alone
    more: int = 0  # characters that were cut
    has_words: bool = False  # whether `text` holds an answer
    numbers: tuple[NumberAnswer, ...] = ()
    model: str = ""  # the course's own answer; for the instructor alone

    @property
    def answered(self) -> bool:
        """Whether all that the question asks for is there, right or not."""
        given = all(one.state not in {"open", "unclear"} for one in self.numbers)
        return given and (self.has_words or not self.wants_words)

    @property
    def begun(self) -> bool:
        return self.has_words or any(one.state != "open" for one in self.numbers)


class LabAnswers(Model):
    """A lab's questions, beside what one student wrote."""

    found: bool  # whether a file with answers was found
    file: str = ""  # where it was, in the upload
    trouble: str = ""  # why it could not be read
    notices: tuple[str, ...] = ()  # what was odd about it
    strays: str = ""  # text that belongs to no question: untrusted, cut; for the instructor alone
    listed: bool = False  # whether the course wants it to be said where nothing was found
    questions: tuple[QuestionAnswer, ...] = ()

    def for_student(self) -> LabAnswers:
        """What was found, and which numbers are right. Without what was written, and without the course's own answers."""
        hidden = {"text": "", "more": 0, "model": ""}
        return self.model_copy(
            update={"strays": "", "questions": tuple(one.model_copy(update=hidden) for one in self.questions)}
        )

    @property
    def begun(self) -> bool:
        """Whether it is more than the form as it was handed out, or something that cannot be read."""
        return bool(self.trouble or self.strays) or any(one.begun for one in self.questions)

    @property
    def answered(self) -> int:
        return sum(one.answered for one in self.questions)

    @property
    def numbers(self) -> tuple[NumberAnswer, ...]:
        return tuple(number for one in self.questions for number in one.numbers)

    @property
    def all_right(self) -> bool:
        """Whether no number is known to be wrong, and none is missing."""
        return all(one.state in {"right", "unchecked"} for one in self.numbers)

    @property
    def right(self) -> int:
        return sum(one.state == "right" for one in self.numbers)


class Place(Model):
    file: str | None = None  # the submission's own file name, never a path
    line: int | None = None  # 1-based
    source: str | None = None  # that line's text, taken from the submission itself


class Site(Place):
    """One access, barrier or statement in the submission."""

    columns: tuple[int, int] | None = None  # the part of the line that is meant: from 0, without its end
    function: str | None = None
    access: str | None = None  # "read", "write", "atomic", "barrier"; "skip" and "return" of a thread that misses a
    # barrier; "mask" and "shuffle" of a warp function whose result is undefined
    block: tuple[int, int, int] | None = None  # CUDA's (x, y, z)
    thread: tuple[int, int, int] | None = None


class Finding(Site):
    """Something the build or an observer found, at one place."""

    kind: Verdict
    label: str | None = None  # what it is called, where that says more than the kind's own label: "Memory never freed"
    severity: Literal["error", "note"] = "error"
    message: str
    advice: str | None = None  # what to look at next, without the solution
    array: str | None = None
    element: str | None = None
    other: Site | None = None  # a race's second access, a divergence's other barrier
    launch_line: int | None = None  # where the student's own host code launched the kernel
    count: int = 1  # occurrences folded into this one
    cases: tuple[str, ...] = ()  # the cases in which it was seen
    confirmed_by: tuple[str, ...] = ()  # compute-sanitizer's tools that report the same, if they were used

    @property
    def called(self) -> str:
        """What people call it."""
        return self.label or self.kind.facts.label


class WrongElement(Model):
    row: int
    column: int
    expected: float | None  # None: Inf or NaN, because the inputs of this element hold one
    got: float | None  # None: never written, or not a finite number


class Mismatch(Model):
    """Where an output differs from the oracle."""

    output: str  # the kernel's argument: "C"
    rows: int
    columns: int
    wrong: int
    unwritten: int
    first: tuple[WrongElement, ...]  # at most eight, in row-major order
    tile_rows: int  # the launch's block.y and block.x: the grid of the picture
    tile_columns: int
    # A coarse picture of the output: '.' right, '#' wrong, 'o' unwritten. Each character covers cell_rows x cell_columns
    # elements.
    picture: tuple[str, ...] = ()
    cell_rows: int = 1
    cell_columns: int = 1
    summary: str  # in words: "wrong in the last 3 columns, past the last full 16-wide tile"


class LineTraffic(Place):
    """What one line of the submission asked of memory."""

    metrics: dict[str, int]  # by Nsight Compute's names


class Traffic(Model):
    """What a launch asked of memory, counted at source level, beside what no kernel can do without."""

    metrics: dict[str, int]
    lines: tuple[LineTraffic, ...] = ()
    complete: bool  # false: the launch did more than was counted
    work_unit: str = ""  # "multiply-add": the name of one unit of the problem's work
    work: int = Field(default=0, ge=0)
    compulsory_bytes: int = Field(default=0, ge=0)  # each input read once, each output written once


class Explanation(Model):
    """The one known mistake that reproduces the whole output, and every launch of the case that came out right."""

    mistake: str  # its name: "a-transposed"
    sentence: str  # what the kernel does
    advice: str  # what to look at next, without the solution


class Launch(Model):
    """One shape that was run."""

    shape: str  # "M=33 N=17 K=65"
    inputs: str  # "small integers", "signed random"
    verdict: Verdict
    grid: tuple[int, int, int] | None = None
    block: tuple[int, int, int] | None = None
    shared_bytes: int = 0
    message: str = ""
    findings: tuple[Finding, ...] = ()
    mismatch: Mismatch | None = None
    explanation: Explanation | None = None  # none: no known mistake explains it, or several do
    counters: dict[str, int] = Field(default_factory=dict)
    traffic: Traffic | None = None  # only for cases that count it
    printed: str = ""  # untrusted, at most 16 KiB


# Of a technique case that nobody could check. It tells nothing of the case.
UNCOUNTED = (
    "only the CPU executor counts what a kernel loads, and it cannot run this kernel: your instructor will decide"
)


class OnGpu(Model):
    """What a GPU made of one case that the CPU executor ran as well."""

    verdict: Verdict
    passed: bool
    message: str = ""


class Case(Model):
    name: str
    visibility: Literal["public", "hidden"]
    # What a student may see. full: everything. verdict: verdict, findings and lines, but no shapes and values. none: only whether
    # it passed.
    feedback: Literal["full", "verdict", "none"] = "full"
    role: Literal["correctness", "technique"] = "correctness"
    verdict: Verdict
    passed: bool
    points: float
    max_points: float
    message: str = ""  # one line: why it did not pass, or "4 shapes"
    advice: str = ""  # for a case that failed: what to look at, from the lab's files
    launches: tuple[Launch, ...] = ()  # shapes up to the first that failed
    on_gpu: OnGpu | None = None  # none: it did not run there, or only there
    difference: str = ""  # how the executors disagree, if a person must look; for the instructor only


class CostLine(Model):
    """A line of the submission, and its part of a counted number."""

    line: int
    share: float | None = None  # none: the number is a ratio, and this line's own is too high


class CountedBound(Model):
    """A counted number beside the most that a tier allows."""

    metric: str  # Nsight Compute's name
    words: str  # "sectors loaded for each multiply-add"
    at_most: float
    found: float | None  # None: not told, because the case shows no numbers
    missed: bool
    lines: tuple[CostLine, ...] = ()  # of a number that is too high: where most of it comes from


class CountedTier(Model):
    """Points for counted traffic that stays within every bound."""

    points: float
    reached: bool
    bounds: tuple[CountedBound, ...]


class GpuKernel(Model):
    """The kernel as nvcc compiled it, and how much of a multiprocessor it uses."""

    compiler: str  # "nvcc 13.0"
    architecture: str  # "sm_90"
    registers: int  # of a thread
    static_shared_bytes: int  # of a block
    stack_bytes: int  # of a thread
    spill_store_bytes: int
    spill_load_bytes: int
    block_threads: int = 0  # the largest block it was launched with; 0: never launched
    dynamic_shared_bytes: int = 0
    warps: int = 0  # how many run at once on a multiprocessor
    max_warps: int = 0  # 0: unknown for this architecture
    limited_by: tuple[str, ...] = ()  # "warps", "blocks", "registers", "shared memory"
    note: str = ""  # says that it was compiled again to fit its block


class OutlookTerm(Model):
    """How long one part of the GPU is busy, or how long it waits."""

    name: str
    milliseconds: float


class NextStep(Model):
    """A step of the lab's climb that the kernel does not have."""

    shape: str  # at this size
    title: str
    section: str  # the heading in the lab's write-up
    gain: float  # predicted: so many times as fast; at most 1: not predicted


class Rung(Model):
    """A kernel of the course after one step: where it lies on a roofline, and how fast it was."""

    title: str
    passes: float  # FLOP for each pass of the load/store units
    gflops: float


class Outlook(Model):
    """Where a right kernel stands on its lab's climb. Predicted from counts, not measured."""

    shape: str  # "2048x2048x2048": the size that it is predicted for
    counted: str  # the launch that was counted
    gpu: str  # a key of grader/run/scoring/gpus.toml
    gflops: float
    passes: float  # FLOP for each pass of the load/store units
    terms: tuple[OutlookTerm, ...]  # the longest first: it binds
    registers: int
    compiled: bool  # the registers are nvcc's; otherwise they are estimated
    steps: tuple[NextStep, ...] = ()  # none: nothing more can be said
    rungs: tuple[Rung, ...] = ()


# Pages that step through a block: files of their own beside a report, and no part of result.json.

StepView = Literal["block", "orders", "story"]  # the block as it ran, both orders of a race, or a mistake's own story


class StepLink(Model):
    """Where a page that steps through a block shows a finding, or the block of a wrong element."""

    kind: Verdict
    line: int | None = None
    fragment: str  # "#step=12&thread=3,0"
    shows: StepView = "block"


class StepPage(Model):
    """A page that steps through a block of a public case whose feedback is full. It stands beside the report."""

    name: str  # of its file
    packed: str  # the page, compressed, in base64
    links: tuple[StepLink, ...]
    shape: str = ""  # "M=32 N=32 K=32"


class SampledElement(Model):
    """An element of a timed output, beside what it has to be in fp64."""

    row: int
    column: int
    expected: float
    actual: float | None  # None: not a number
    relative_error: float | None


class Ratio(Model):
    """A median of paired ratios with its 95 % interval."""

    low: float
    middle: float
    high: float

    def __str__(self) -> str:
        return f"{self.middle:.3f} ({self.low:.3f} to {self.high:.3f})"


class ContestantTimes(Model):
    """A kernel as it was timed."""

    name: Literal["baseline", "student", "model", "library", "stand-in", "control"]
    milliseconds: float  # median
    gflops: float  # of the problem's arithmetic; 0: the problem has none
    gbytes: float  # of the bytes that the problem must move, in a second
    samples: tuple[float, ...]  # nanoseconds for each round


class SweepTime(Model):
    """A kernel at one size of a sweep: the median of its times, with its 95 % interval."""

    name: str  # "baseline", "student", "model", "cublas"; in sweeps of a course's own kernels, also a faster one's
    milliseconds: float
    low_ms: float
    high_ms: float
    gflops: float  # of the problem's arithmetic; 0: the problem has none
    gbytes: float  # of the bytes that the problem must move, in a second
    speedup: Ratio | None = None  # baseline / this; none: it is the baseline


class SweepPoint(Model):
    """One size of a size sweep. Without `kernels` it was not measured, and `trouble` says why; with them, why not to trust it."""

    shape: str  # "M=1024 N=1024 K=1024"
    sizes: tuple[int, ...]  # the same, as numbers
    kernels: tuple[SweepTime, ...] = ()
    floor_ms: float = 0  # the roofline: no kernel can be faster; 0: unknown
    trouble: str = ""
    wrong: bool = False  # the student's kernel failed here, though it passes every case
    ours: bool = False  # the failure is ours; only the instructor is told the reason


class TimedTier(Model):
    """Points for a share of another kernel's speed in the same rounds, or for a time."""

    of: Literal["model", "library", "time"]
    share: float  # of a time: launches in a millisecond
    gpu: str = ""  # of a time: the only one that it is for
    points: float
    reached: bool


class Timing(Model):
    """How fast the kernel is. Without `speedup` it was not measured, and `words` say why."""

    words: str  # one sentence
    shape: str = ""
    device: str = ""
    rounds: int = 0
    contestants: tuple[ContestantTimes, ...] = ()
    speedup: Ratio | None = None  # baseline / student
    model_speedup: Ratio | None = None  # baseline / model
    share: Ratio | None = None  # model / student
    # library / student; where a kernel stands in for the library, computed from its time.
    library_share: Ratio | None = None
    rate: Ratio | None = None  # launches in a millisecond
    control: Ratio | None = None  # baseline / baseline; if it is not near 1.00, the machine is too noisy
    tiers: tuple[TimedTier, ...] = ()  # by rising points
    too_slow: bool = False  # not measured, because it would take too long: no tier
    sm_mhz: tuple[int, int] = (0, 0)  # before and after; 0: unknown
    throttle_reasons: int = 0  # NVML's bit mask, before and after combined
    temperature_c: int = 0
    outputs_checked: int = 0
    elements: tuple[SampledElement, ...] = ()
    relative_error: float | None = None  # of timed outputs, as a root mean square; None: not known
    device_seconds: float = 0  # how long nobody else used the device
    floor_ms: float = 0  # the roofline: no kernel can be faster; 0: unknown
    review: str = ""  # why a person has to look; for the instructor only
    sweep: tuple[SweepPoint, ...] = ()  # over sizes, if requested; it gives no points


# What a course's policy, and what people decided, made of a lab's points: as plain data beside a lab's result.
#
# Judging and scoring know nothing of it. grader/roll/policy/ fills it in.


class Override(Model):
    """Points that a person decided. They stand whatever a grading finds."""

    points: float
    reason: str
    author: str
    date: str = ""  # as the person wrote it


class Standing(Model):
    """How a lab's points came about, from what was judged to what counts."""

    judged_points: float  # what the cases and the speed earned
    at: str = ""  # when the file that counts was handed in: ISO 8601 with the offset from UTC; empty: not known
    due: str = ""  # the deadline that holds for this student, extension included; empty: there is none
    extended_from: str = ""  # the deadline without the extension; empty: there is no extension
    extension: str = ""  # its reason; for the instructor only
    late_seconds: int = 0  # after the deadline, where that is more than the minutes of grace
    late: str = ""  # the same in words: "1 day 2 hours"
    late_days: int = 0  # begun days after the deadline
    days_spent: int = 0  # late days that this lab took
    days_left: int | None = None  # of the term's, after this lab; none: the course has no late days
    lost: float = 0.0  # points that being late cost
    closed: bool = False  # it came after the last moment, so it earns nothing
    open: bool = False  # nothing was handed in, and the deadline is still to come: not 0 yet
    time_unknown: bool = False  # there is a deadline and a file, and nothing says when it was handed in: never late
    said_late: bool = False  # the platform marked it as late, and does not say how late
    override: Override | None = None


class RegradeRequest(Model):
    """What a student asked about a grade, and what was answered."""

    request: str
    answer: str = ""  # empty: not answered yet
    author: str = ""  # of the answer
    date: str = ""  # of the request, as the form wrote it


class GradeChange(Model):
    """One change of a lab's grade between two batches."""

    date: str  # of the batch that found it: ISO 8601 in UTC
    before: float | None  # None: there was no grade
    after: float | None  # None: there is none any more
    causes: tuple[str, ...]  # sentences' parts: "you handed in a new file"
    details: tuple[str, ...] = ()  # the same with digests and numbers; for the instructor only


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
    # How `points` follow from what was judged; none: no policy of the course says anything of it.
    standing: Standing | None = None
    requests: tuple[RegradeRequest, ...] = ()  # what the student asked about this grade
    changes: tuple[GradeChange, ...] = ()  # of this grade, from batch to batch; the oldest first
    seconds: float = 0.0  # wall time to build and judge

    @property
    def ran(self) -> bool:
        """Whether any case was run. A program may be rejected for what its run shows."""
        return not self.verdict.facts.never_ran or any(case.passed or case.launches for case in self.cases)

    @property
    def is_open(self) -> bool:
        """Whether nothing was handed in and the deadline is still to come: then there is nothing to grade yet."""
        return self.standing is not None and self.standing.open

    @property
    def first_error(self) -> Finding | None:
        return next((one for one in self.findings if one.severity == "error"), None)

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


class Student(Model):
    """Who a student is, as the course's platform and its roster say. What nobody said is empty; nothing here is checked or made safe."""

    name: str = ""  # as the platform spells it
    login: str = ""
    number: str = ""  # the university's
    email: str = ""
    section: str = ""
    team: str = ""  # those of one team share what they hand in
    # "Canvas" → its id of this student, which stays for good.
    platform_ids: dict[str, str] = Field(default_factory=dict)


class Submission(Model):
    id: str  # safe as a folder name, unique in the batch; the same student has the same one in every batch
    name: str  # as in the upload
    student: Student = Student()
    handed_in: bool = True  # false: on the roster, and there is no upload
    at: str = ""  # when it was handed in: ISO 8601 with the offset from UTC; empty: the platform does not say
    attempt: str = ""  # which of several it is: "3 of 3"
    files: tuple[str, ...] = ()
    # The names that the platform gave its files in a download, from which it knows whose they are.
    downloaded: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()  # what intake changed: "took the one nested folder", "removed a byte-order mark"
    refused: str | None = None  # why the whole upload was refused; then every lab is `rejected`

    @property
    def called(self) -> str:
        """What people call the student: as the roster or the platform does, else as the upload is called."""
        return self.student.name or self.name


SCHEMA = "tilelab/result/v1"


class Environment(Model):
    kit: str  # version
    compiler: str
    backend: Literal["cpu", "cuda"] = "cpu"  # cuda: also on a GPU
    gpu: str = ""  # its name; empty: none
    sandbox: str  # the sandbox used: "bubblewrap", "Landlock and seccomp", "none"
    date: str  # ISO 8601, day only


class Result(Model):
    schema_: str = Field(default=SCHEMA, alias="schema")
    submission: Submission
    environment: Environment
    labs: dict[str, LabResult]
    total: float
    max: float

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    @property
    def most(self) -> float:
        """The maximum; where every lab is extra credit, what they give together."""
        return self.max or sum(lab.max_points for lab in self.labs.values())
