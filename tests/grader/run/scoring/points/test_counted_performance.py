"""Performance points without a GPU: tiers over counted traffic. They are deterministic, and only for kernels that pass everything."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from grader.model.labs import CaseSpec, CounterSpec, CounterTier, Lab, LabError, PrivateSpec, PublicSpec, load_lab
from grader.model.outcome import JudgedCase, LabOutcome, unjudged
from grader.model.result import Environment, LabResult, Launch, LineTraffic, Result, Submission, Traffic
from grader.model.verdicts import Verdict
from grader.run.scoring.lab_score import score_lab
from grader.run.scoring.metrics import LOAD, reaches
from grader.run.scoring.redaction import for_student

LOADS = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
REQUESTS = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"
RATIO = "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio"
TIERS = (
    CounterTier(part=0.5, at_most={LOADS: 0.0625}),
    CounterTier(part=1.0, at_most={LOADS: 0.015625, RATIO: 4}),
)


def make_lab(*, counted: bool = True) -> Lab:
    public = PublicSpec(
        title="Tiled", summary="", problem="matmul.hpp", file="tiled.cu", kernel="k()", launch="l()", shapes="any",
        case=(CaseSpec(name="large", points=1), CaseSpec(name="small", points=1)),
    )  # fmt: skip
    spec = CounterSpec(case="large", versus="Naive loads 0.125.", advice="Share elements.", tier=TIERS)
    private = PrivateSpec(performance_points=3, counters=spec if counted else None)
    return Lab("lab", public, private, Path("public"), Path("private"))


def scored(
    sectors: int,
    requests: int = 256,
    *,
    complete: bool = True,
    small: Verdict = Verdict.PASS,
    lab: Lab | None = None,
) -> LabResult:
    parts = {9: 5, 12: 20, 11: 7}  # of 32
    lines = tuple(
        LineTraffic(file="tiled.cu", line=line, metrics={LOADS: sectors * part // 32, REQUESTS: requests // 3})
        for line, part in parts.items()
    )
    traffic = Traffic(
        metrics={LOADS: sectors, REQUESTS: requests},
        lines=lines,
        complete=complete,
        work_unit="multiply-add",
        work=65536,
    )
    launch = Launch(shape="M=N=K", inputs="", verdict=Verdict.PASS, traffic=traffic)
    cases = (
        JudgedCase("large", passed=True, verdict=Verdict.PASS, launches=(launch,)),
        JudgedCase("small", passed=small is Verdict.PASS, verdict=small),
    )
    return score_lab(lab or make_lab(), LabOutcome("lab", cases=cases))


@pytest.mark.parametrize(
    ("sectors", "points"),
    [(1024, 3), (1025, 1.5), (4096, 1.5), (4097, 0)],
)
def test_a_tier_is_reached_at_its_bound_and_not_one_sector_beyond(sectors: int, points: float) -> None:
    result = scored(sectors)
    assert (result.performance_points, result.performance_max, result.max_points) == (points, 3, 5)
    assert result.points == 2 + points


def test_every_bound_of_a_tier_has_to_hold() -> None:
    assert scored(1024, requests=255).performance_points == 1.5  # a little more than 4 sectors per request


def test_the_words_say_what_was_counted_and_against_what() -> None:
    words = scored(4096, requests=1024).performance
    assert words == (
        "counted memory traffic, not a measured time: 1.5 of 3 points, lines 11 and 12 cost the rest. 3 points ask for at most 0.01562 "
        "sectors loaded for each multiply-add, and this kernel has 0.0625 (line 12: 62 % of them; line 11: 22 % of them). "
        "Naive loads 0.125. Share elements."
    )
    far = scored(5000, requests=1250).performance
    assert "0 of 3 points, lines 11 and 12 cost the next 1.5. 1.5 points ask for at most 0.0625 sectors" in far
    both = scored(4096, requests=1).performance
    assert "(line 12: 62 % of them; line 11: 22 % of them) and at most 4 sectors per load request, and this" in both
    assert scored(1024).performance == (
        "counted memory traffic, not a measured time: 3 of 3 points. No more are given for counted traffic. Naive loads 0.125."
    )


def test_each_tier_is_told_with_its_bounds_and_the_lines_behind_a_number_that_is_too_high() -> None:
    half, full = scored(4096, requests=600).counted_tiers
    assert (half.points, half.reached, full.points, full.reached) == (1.5, True, 3, False)
    assert [(one.at_most, one.found, one.missed, one.lines) for one in half.bounds] == [(0.0625, 0.0625, False, ())]
    sectors, ratio = full.bounds
    assert [(one.line, round(one.share or 0, 3)) for one in sectors.lines] == [(12, 0.625), (11, 0.219)]
    assert (ratio.words, ratio.missed) == ("sectors per load request", True)
    assert [(one.line, one.share) for one in ratio.lines] == [(12, None), (11, None)]  # line 9 is below 4 itself
    assert scored(1024, small=Verdict.WRONG_ANSWER).counted_tiers == ()


@pytest.mark.parametrize("feedback", ["verdict", "none"])
def test_of_a_launch_that_is_not_told_no_number_and_no_line_gets_into_a_result(feedback: str) -> None:
    lab = make_lab()
    hidden, small = lab.public.case[0].model_copy(update={"feedback": feedback}), lab.public.case[1]
    lab = replace(lab, public=lab.public.model_copy(update={"case": (hidden, small)}))
    shown = scored(4096, lab=lab)
    assert "has" not in shown.performance
    assert "line" not in shown.performance
    assert {(one.found, one.lines) for tier in shown.counted_tiers for one in tier.bounds} == {(None, ())}


def test_points_beyond_full_marks_are_given_and_are_in_no_maximum() -> None:
    lab = make_lab()
    assert lab.private is not None
    assert lab.private.counters is not None
    beyond = (*TIERS, CounterTier(part=1.5, at_most={LOADS: 0.004}))
    spec = lab.private.counters.model_copy(update={"tier": beyond})
    lab = replace(lab, private=lab.private.model_copy(update={"counters": spec}))
    best, full = scored(262, lab=lab), scored(1024, lab=lab)
    assert (best.performance_points, best.performance_max, best.points, best.max_points) == (4.5, 3, 6.5, 5)
    assert full.performance_points == full.performance_max == 3
    assert "3 of 3 points, lines 11 and 12 cost the next 1.5. 4.5 points ask for at most 0.004" in full.performance


def test_a_kernel_with_a_wrong_case_gets_none_of_them() -> None:
    result = scored(1024, small=Verdict.WRONG_ANSWER)
    assert (result.performance_points, result.performance_max) == (0, 3)
    assert result.performance == "memory traffic is counted as soon as every case passes"


def test_counts_that_are_not_complete_earn_nothing() -> None:
    result = scored(1024, complete=False)
    assert result.performance_points == 0
    assert "not counted" in result.performance


def launched(sectors: int, **counters: int) -> Launch:
    metrics = {LOADS: sectors, REQUESTS: sectors}
    traffic = Traffic(
        metrics=metrics, complete=True, work_unit="multiply-add", work=65536, compulsory_bytes=counters.pop("least", 0)
    )
    return Launch(shape="M=N=K", inputs="", verdict=Verdict.PASS, traffic=traffic, counters=counters)


def whole(lab: LabResult) -> Result:
    environment = Environment(kit="1", compiler="g++", sandbox="none", date="2026-01-01")
    submission = Submission(id="a", name="a")
    return Result(
        submission=submission, environment=environment, labs={"lab": lab}, total=lab.points, max=lab.max_points
    )


def on_other_sizes(*launches: Launch, known: Launch | None = None) -> LabResult:
    """The known size, in the highest tier if nothing else is said, and these launches of the hidden case that is counted as well."""
    lab = make_lab()
    technique, small = lab.public.case[0].model_copy(update={"role": "technique"}), lab.public.case[1]
    lab = replace(lab, public=lab.public.model_copy(update={"case": (technique, small)}))
    assert lab.private is not None
    assert lab.private.counters is not None
    hidden = CaseSpec(name="elsewhere", points=0, feedback="verdict", advice="Count there too.")
    spec = lab.private.counters.model_copy(update={"also": "elsewhere"})
    lab = replace(lab, private=lab.private.model_copy(update={"counters": spec, "case": (hidden,)}))
    cases = (
        JudgedCase("large", passed=True, verdict=Verdict.PASS, launches=(known or launched(1024),)),
        JudgedCase("small", passed=True, verdict=Verdict.PASS),
        JudgedCase("elsewhere", passed=True, verdict=Verdict.PASS, launches=launches),
    )
    return score_lab(lab, LabOutcome("lab", cases=cases))


def test_hidden_sizes_have_to_keep_to_the_tier_and_may_pass_its_bounds_a_little() -> None:
    assert on_other_sizes(launched(1024), launched(1280)).performance_points == 3
    assert on_other_sizes(launched(1024), launched(1281)).performance_points == 0
    assert on_other_sizes(launched(1024), launched(9000)).performance_points == 0
    assert on_other_sizes().performance_points == 0


def test_a_student_learns_no_more_of_hidden_sizes_than_that_their_case_failed() -> None:
    uncounted = launched(1024)
    assert uncounted.traffic is not None
    uncounted = uncounted.model_copy(update={"traffic": uncounted.traffic.model_copy(update={"complete": False})})
    behind = [(launched(1281),), (launched(9000),), (launched(1024, least=1),), (uncounted,)]
    shown = [for_student(whole(on_other_sizes(*launches))).model_dump_json() for launches in behind]
    assert shown == shown[:1] * len(behind)
    failed = on_other_sizes(launched(1281)).cases[-1]
    assert (failed.passed, failed.role, failed.advice) == (False, "technique", "Count there too.")
    assert failed.message == (
        "correct, but it asks more of memory than on the size that students know: 0.01955 sectors loaded for each multiply-add; "
        "1 sectors per load request (M=N=K)"
    )


def test_hidden_sizes_do_not_matter_where_the_known_one_reaches_no_tier() -> None:
    result = on_other_sizes(launched(9000), known=launched(4097))
    assert (result.performance_points, result.cases[-1].passed) == (0, True)


def test_technique_points_need_the_tier_on_hidden_sizes_too() -> None:
    earned = [case.points for case in on_other_sizes(launched(1280)).cases]
    assert earned == [1, 1, 0]
    assert [case.points for case in on_other_sizes(launched(1281)).cases] == [0, 1, 0]


def test_local_memory_counts_as_sectors_of_global_memory() -> None:
    assert on_other_sizes(launched(1024, local_load_bytes=256 * 32)).performance_points == 3
    assert on_other_sizes(launched(1024, local_load_bytes=257 * 32)).performance_points == 0


def test_an_atomic_function_in_shared_memory_is_a_load_that_conflicts() -> None:
    conflicts = LOAD.conflicts
    traffic = Traffic(metrics={conflicts: 10}, complete=True, work_unit="multiply-add", work=100)
    launch = Launch(shape="M=N=K", inputs="", verdict=Verdict.PASS, traffic=traffic)
    for atomic, reached in ((40, True), (41, False)):
        one = launch.model_copy(update={"counters": {"shared_atomic_conflicts": atomic}})
        assert reaches(CounterTier(part=1.0, at_most={conflicts: 0.5}), one) is reached


def test_a_launch_that_moves_less_than_it_must_or_leaves_the_work_to_one_thread_earns_nothing() -> None:
    enough = {"global_load_bytes": 300, "global_store_bytes": 100, "least": 400}
    assert on_other_sizes(launched(1024, **enough)).performance_points == 3
    busy = {"most_words_of_a_thread": 9600, "words_of_all_threads": 10_000, "output_elements": 100}
    assert on_other_sizes(launched(1024, **busy)).performance_points == 3
    too_little, too_much = enough | {"global_load_bytes": 299}, busy | {"most_words_of_a_thread": 9601}
    for unlike in (too_little, too_much, {"most_elements_of_a_thread": 65}):
        assert on_other_sizes(launched(1024, **unlike)).performance_points == 0
        known = on_other_sizes(launched(1024), known=launched(1024, **unlike))
        assert known.performance_points == 0
        assert "more than 64 elements" in known.performance


def test_the_maximum_is_the_same_for_whoever_handed_nothing_in() -> None:
    assert score_lab(make_lab(), unjudged("lab", Verdict.MISSING_FILE, "")).max_points == 5


def handed_out() -> Lab:
    """As a student has it: thresholds, but no hidden half."""
    lab = make_lab()
    assert lab.private is not None
    told = {"counters": lab.private.counters, "speed_points": 3.0}
    return replace(lab, public=lab.public.model_copy(update=told), private=None, private_dir=None)


def test_a_students_own_test_tells_the_tier_of_the_known_size_and_gives_no_points() -> None:
    result = scored(4096, requests=1024, lab=handed_out())
    assert (result.performance_points, result.performance_max, result.points, result.max_points) == (0, 0, 2, 2)
    assert "1.5 of 3 points, lines 11 and 12 cost the rest." in result.performance
    assert result.performance.endswith("its time counts instead.")
    assert [tier.reached for tier in result.counted_tiers] == [True, False]


def test_one_test_alone_says_nothing_of_counts_that_it_did_not_make() -> None:
    lab = handed_out()
    lab = replace(lab, public=lab.public.model_copy(update={"case": lab.public.case[1:]}))
    case = JudgedCase("small", passed=True, verdict=Verdict.PASS)
    assert score_lab(lab, LabOutcome("lab", cases=(case,))).performance == "not assessed"


def test_a_lab_with_tiers_is_still_a_key() -> None:
    assert {make_lab(): 1}[make_lab()] == 1


def test_a_lab_without_tiers_assesses_nothing() -> None:
    result = score_lab(make_lab(counted=False), unjudged("lab", Verdict.MISSING_FILE, ""))
    assert (result.performance, result.max_points) == ("not assessed", 2)


def test_tiers_on_a_case_that_is_not_listed_are_refused(tmp_path: Path) -> None:
    public, private = tmp_path / "assignments" / "lab", tmp_path / "solutions" / "lab"
    public.mkdir(parents=True)
    private.mkdir(parents=True)
    (public / "lab.toml").write_text(
        'title="t"\nsummary=""\nproblem="p.hpp"\nfile="f.cu"\nkernel="k()"\nlaunch="l()"\nshapes=""\n', encoding="utf-8"
    )
    (private / "grading.toml").write_text(
        f'[counters]\ncase = "none"\nversus = ""\nadvice = ""\n[[counters.tier]]\npart = 1.0\nat_most = {{ "{LOADS}" = 1 }}\n',
        encoding="utf-8",
    )
    with pytest.raises(LabError, match="names a case that is not listed: 'none'"):
        load_lab(tmp_path, "lab")
