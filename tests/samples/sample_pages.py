"""One of each page that Tilelab writes, with every section and figure in it, made from the samples and from invented numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from step_stories import reaching_outside, tiled_story, two_orders

from grader.explain.similar_files import SimilarFiles, SimilarPair
from grader.model.graded_class import ClassInsight, LabMistakes, Mistake, PlacedMistake, SolutionLine, SolutionMap
from grader.model.result import (
    ContestantTimes,
    CostLine,
    CountedBound,
    CountedTier,
    GpuKernel,
    GradeChange,
    LabAnswers,
    LabResult,
    LeaderboardName,
    LineTraffic,
    NextStep,
    NumberAnswer,
    Outlook,
    OutlookTerm,
    Override,
    QuestionAnswer,
    Ratio,
    RegradeRequest,
    Result,
    Rung,
    Standing,
    Student,
    Submission,
    SweepPoint,
    SweepTime,
    Timing,
    Traffic,
)
from grader.model.verdicts import Verdict
from grader.pages import pages
from grader.pages.class_page.class_view import ClassView
from grader.plugins.autograders.platform_list import Graded, output_fragment
from grader.plugins.leaderboard import leaderboard_sheet
from grader.plugins.leaderboard.board import Apart, Board, Change, Entry, NameRow, Ranked

SAMPLES = Path(__file__).resolve().parents[1] / "reports" / "samples"
WORKED_EXAMPLE = Path(__file__).resolve().parents[2] / "assignments" / "02-tiled" / "worked-example.html"
RATIO = Ratio(low=1.9, middle=2.0, high=2.1)
LOADS = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"
SECTORS = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"


def every_page() -> Mapping[str, str]:
    """Each page by the name of its function, with a word after a colon where there are several."""
    everything, sources = result_with_everything()
    student: Callable[..., str] = pages.student_page
    view, boards = class_with_everything(), [_board()]
    return {
        "student_page: handed back": student(everything, sources=sources),
        "student_page: the instructor's": student(everything, sources=sources, instructor=True),
        "student_page: of public tests": student(everything, sources=sources, preview=True),
        "class_page": pages.class_page(view.results, course="GPU", notes=("A note.",), insight=view.insight),
        "similar_page": pages.similar_page(
            "02-tiled", "Tiles", _similar(), names={}, texts=dict.fromkeys("abcd", "x\n" * 9)
        ),
        "leaderboard_page": leaderboard_sheet.leaderboard_page(boards),
        "leaderboard_names_page": leaderboard_sheet.leaderboard_names_page(boards),
        "calibration_page": pages.calibration_page(
            {"02-tiled": _sweep()}, {"02-tiled": "Tiles"}, "GPU", "2026-01-01, GPU, nvcc"
        ),
        "trace_page": pages.trace_page(tiled_story()),
        "trace_page: two orders": pages.trace_page(two_orders()),
        "trace_page: outside": pages.trace_page(reaching_outside()),
        "trace_page: the worked example": WORKED_EXAMPLE.read_text(encoding="utf-8"),
        "output_fragment": _framed(output_fragment(Graded(everything, "<p>page</p>"))),
    }


def result_with_everything() -> tuple[Result, dict[str, str]]:
    """One student with a lab of each kind."""
    labs: dict[str, LabResult] = {}
    sources: dict[str, str] = {}
    for name in ("race", "wrong-answer", "compile-error"):
        result, texts = _sample(name)
        wrong = {f"{name} {at}": lab for at, lab in enumerate(result.labs.values()) if lab.verdict is not Verdict.PASS}
        labs |= wrong
        sources |= texts
    passed, texts = _sample("pass")
    labs["04-open"] = _timed(next(iter(passed.labs.values())))
    standing = Standing(judged_points=5, due="2026-01-01T00:00:00Z", late="2 hours", lost=1, override=_override())
    labs["late"] = labs["04-open"].model_copy(
        update={
            "timing": None,
            "performance_max": 3.0,
            "counted_tiers": (_tier(),),
            "standing": standing,
            "comment": "See `As`.",
            "answers": _answers(),
            "requests": (RegradeRequest(request="Why?", answer="So.", author="TA", date="2026-01-01"),),
            "changes": (
                GradeChange(date="2026-01-02T00:00:00Z", before=3, after=4, causes=("you handed in a new file",)),
            ),
        }
    )
    student = Student(section="A")
    submission = passed.submission.model_copy(update={"student": student, "notices": ("A notice.",)})
    return passed.model_copy(update={"labs": labs, "submission": submission}), {**texts, **sources}


def _sample(name: str) -> tuple[Result, dict[str, str]]:
    result = Result.model_validate_json((SAMPLES / f"{name}.json").read_text(encoding="utf-8"))
    return result, {path.name: path.read_text(encoding="utf-8") for path in (SAMPLES / name).glob("*.cu")}


def _answers() -> LabAnswers:
    numbers = (
        NumberAnswer(label="sectors", unit="bytes", given="32", state="right"),
        NumberAnswer(label="passes", given="7", state="wrong", remark="count again"),
    )
    questions = (
        QuestionAnswer(
            number=1, id="a", question="How many `sectors`?", numbers=numbers, text="32", has_words=True, model="32"
        ),
        QuestionAnswer(number=2, id="b", question="Why?"),
    )
    return LabAnswers(
        found=True, file="answers.md", notices=("A notice.",), strays="more", listed=True, questions=questions
    )


def _override() -> Override:
    return Override(points=4, reason="a reason", author="TA")


def _timed(lab: LabResult) -> LabResult:
    case = lab.cases[0]
    counted = case.launches[0].model_copy(update={"traffic": _traffic(), "printed": "hello\n"})
    outlook = Outlook(
        shape="64x64x64", counted="M=8 N=8 K=8", gpu="H200", gflops=12_340, passes=80, registers=40, compiled=False,
        terms=(OutlookTerm(name="shared memory", milliseconds=0.5),),
        steps=(NextStep(shape="64x64x64", title="wider", section="Wider", gain=2.0),),
        rungs=tuple(Rung(title="a", passes=passes, gflops=speed) for passes, speed in ((30, 9e3), (290, 37e3))),
    )  # fmt: skip
    kernel = GpuKernel(
        compiler="nvcc 13.0", architecture="sm_90", registers=40, static_shared_bytes=2048, stack_bytes=8, spill_store_bytes=4,
        spill_load_bytes=4, block_threads=256, warps=48, max_warps=64, limited_by=("registers",),
    )  # fmt: skip
    return lab.model_copy(
        update={
            "cases": (
                case.model_copy(update={"launches": (counted,), "difference": "the GPU disagrees"}),
                *lab.cases[1:],
            ),
            "outlook": outlook,
            "gpu_kernel": kernel,
            "timing": _timing(),
            "leaderboard": LeaderboardName(name="Quick Fox", chosen=True),
            "build": lab.build and lab.build.model_copy(update={"log": "f.cu:1:1: warning: unused"}),
        }
    )


def _traffic() -> Traffic:
    line = LineTraffic(file="matmul_tiled.cu", line=3, source="sum += A[k];", metrics={LOADS: 1000, SECTORS: 9000})
    return Traffic(
        metrics={LOADS: 1000, SECTORS: 9000}, lines=(line,), complete=True, work_unit="multiply-add", work=40_000,
        compulsory_bytes=4096,
    )  # fmt: skip


def _tier() -> CountedTier:
    bound = CountedBound(
        metric=SECTORS, words="sectors loaded for each multiply-add", at_most=0.03, found=0.2, missed=True,
        lines=(CostLine(line=3, share=0.9),),
    )  # fmt: skip
    return CountedTier(points=3, reached=False, bounds=(bound,))


def _timing() -> Timing:
    times = tuple(
        ContestantTimes(name=name, milliseconds=each, gflops=5e3 / each, gbytes=30, samples=(1e6, 1.1e6, 1.2e6))
        for name, each in (("baseline", 2.0), ("student", 1.0), ("model", 0.9), ("library", 0.2))
    )
    return Timing(
        words="2.0 times as fast as naive", shape="M=1024", device="NVIDIA H200", rounds=3, contestants=times, speedup=RATIO,
        model_speedup=RATIO, share=RATIO, library_share=RATIO, control=Ratio(low=0.99, middle=1, high=1.01), floor_ms=0.1,
        sweep=_sweep(),
    )  # fmt: skip


def _sweep() -> tuple[SweepPoint, ...]:
    def timed(name: str, size: int, scale: float) -> SweepTime:
        each = scale * size**3 * 1e-9
        speedup = None if name == "baseline" else RATIO
        return SweepTime(
            name=name, milliseconds=each, low_ms=0.97 * each, high_ms=1.03 * each, gflops=2e3 / scale, gbytes=9, speedup=speedup
        )  # fmt: skip

    contestants = {"baseline": 4.0, "student": 2.0, "model": 1.0}
    return tuple(
        SweepPoint(
            shape=f"M={size} N={size} K={size}",
            sizes=(size,) * 3,
            kernels=tuple(timed(name, size, scale) for name, scale in contestants.items()),
            floor_ms=1e-10 * size**3,
        )
        for size in (255, 256, 1024, 2048)
    )


def class_with_everything() -> ClassView:
    """Four students of two sections, one of whom handed in nothing, and one about whom the executors disagree."""
    result, _ = result_with_everything()
    return ClassView(_class(result), _insight())


def _class(result: Result) -> list[Result]:
    def other(name: str, *, handed_in: bool = True, total: float = 1.0) -> Result:
        submission = result.submission.model_copy(
            update={"id": name, "name": name.title(), "handed_in": handed_in, "student": Student(section="B")}
        )
        labs = result.labs if handed_in else _sample("missing-file")[0].labs
        return result.model_copy(update={"submission": submission, "labs": labs, "total": total})

    return [result, other("ada"), other("ben", total=9), other("cyd", handed_in=False, total=0)]


def _insight() -> ClassInsight:
    mistake = Mistake(
        "race 1/race/1dd66ffe", Verdict.RACE, "a shared array: write and read further down", "the solution without `x`",
        ("ada", "ben"), "ada", 2, ("  a = b;", "  c = a;"), 1, hidden=True, comment="Who writes `As`?", before=1,
    )  # fmt: skip
    lines = tuple(
        SolutionLine(
            n, f"  a[{n}] = b[{n}];", (PlacedMistake(Verdict.RACE, "this barrier is missing", ("ada", "ben")[: n % 3]),)
        )
        if n % 3
        else SolutionLine(n, "")
        for n in range(1, 12)
    )
    unplaced = (("it is not known which line is wrong", ("cyd",)),)
    return ClassInsight(
        (LabMistakes("race 1", 3, (mistake,)),),
        "out/instructor/comments.toml",
        (("race 1", 3),),
        (SolutionMap("race 1", "lab.cu", 3, lines, unplaced),),
        again="make pages OUT=out",
    )


def _similar() -> SimilarFiles:
    return SimilarFiles((SimilarPair("a", "b", 0.9, 41, ((2, 3), (4,)), renamed=True),), (("c", "d"),), 2)


def _board() -> Board:
    def place(number: int, speed: float) -> Ranked:
        entry = Entry(
            student=f"s{number}", speed=Ratio(low=speed * 0.99, middle=speed, high=speed * 1.01), milliseconds=0.4 / speed,
            gflops=5000 * speed, gbytes=30, device="NVIDIA H200", shape="M=8 N=8 K=8", of_library=RATIO, traffic=_traffic(),
        )  # fmt: skip
        return Ranked(number, shared=False, entry=entry, name=f"Quick Fox {number}", change=Change("new"))

    places = (place(1, 2.0), place(2, 1.5), place(3, 0.9))
    apart = (Apart("s9", "to-be-looked-at", "a reason", "Slow Hare"),)
    rows = tuple(
        NameRow(LeaderboardName(name=one.name), Submission(id=one.entry.student, name="Ada"), one.rank, "")
        for one in places
    )
    return Board("04-open", "Open", "2026-01-01", real_names=False, places=places, apart=apart, rows=rows)


def _framed(fragment: str) -> str:
    """As a platform's page frames it."""
    head = '<!doctype html><html lang="en"><title>Result</title><style>body { overflow-wrap: anywhere }</style>'
    return f"{head}<main><h1>Result</h1>{fragment}</main></html>"
