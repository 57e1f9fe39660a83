"""The class page: every student, every lab, and what a person has to look at."""

from __future__ import annotations

import re
from collections.abc import Callable

from grader.model.result import LabResult, Ratio, Result, SweepPoint, Timing
from grader.model.verdicts import Verdict
from grader.reports.class_page.measured_speed import measured_speed
from grader.reports.pages import class_page

Sample = tuple[Result, dict[str, str]]
Named = Callable[[str], Sample]


def renamed(result: Result, student_id: str, **changes: object) -> Result:
    submission = result.submission.model_copy(update={"id": student_id, "name": student_id.title()})
    return result.model_copy(update={"submission": submission, **changes})


def test_three_hundred_students_get_a_row_each(every_result: list[Result]) -> None:
    results = [renamed(every_result[n % len(every_result)], f"student-{n}") for n in range(300)]
    html = class_page(results, course="GPU Programming")
    assert len(re.findall(r'<th scope="row"', html)) == 300
    assert len(html) < 700_000


def test_a_class_of_nobody_makes_a_page() -> None:
    assert "0 students" in class_page([], course="")


def test_rows_come_by_name_whatever_the_case(sample_named: Named) -> None:
    result, _ = sample_named("pass")
    html = class_page([renamed(result, "zoe"), renamed(result, "Ben"), renamed(result, "ada")], course="c")
    assert html.index(">Ada<") < html.index(">Ben<") < html.index(">Zoe<")


def test_a_link_cannot_leave_the_folder_of_students(sample_named: Named) -> None:
    result, _ = sample_named("pass")
    html = class_page([renamed(result, "../../x?y#z w")], course="c")
    assert 'href="students/..%2F..%2Fx%3Fy%23z%20w/report.html"' in html
    assert 'href="instructor/..%2F..%2Fx%3Fy%23z%20w.html"' in html


def test_mean_and_median_and_the_distribution_of_a_lab_are_told(sample_named: Named) -> None:
    passed, raced = sample_named("pass")[0], sample_named("race")[0]
    html = class_page([renamed(passed, "a"), renamed(passed, "b"), renamed(raced, "c")], course="c")
    assert 'aria-label="Passed: 2 students; Data race: 1 student"' in html
    assert "<dd>8.7<small> / 12</small></dd>" in html  # (12 + 12 + 2) / 3
    assert "<dt>median</dt><dd>12</dd>" in html


def test_the_most_common_finding_comes_first_and_counts_students(sample_named: Named) -> None:
    raced = sample_named("race")[0]
    html = class_page([renamed(raced, name) for name in "abc"], course="c")
    common = html[html.index("Most common findings") :]
    assert common.index("sum += As[ty][k] * Bs[k][tx];") < common.index("3 students")


def test_a_line_repeated_by_one_student_counts_once(sample_named: Named) -> None:
    raced = sample_named("race")[0]  # two findings in one line, about As and about Bs
    assert "<b>1 student</b>" in class_page([raced], course="c")


def test_what_needs_a_person_is_listed(every_result: list[Result]) -> None:
    html = class_page(every_result, course="c")
    for title in ("The grader failed", "Still to be graded on a GPU", "Refused uploads", "Rejected code"):
        assert title in html
    assert "04-open: tensor-core intrinsics need a GPU" in html


def test_a_class_that_needs_nobody_has_no_such_section(sample_named: Named) -> None:
    assert "Needs you" not in class_page([sample_named("pass")[0]], course="c")


def test_a_student_without_a_lab_of_the_batch_gets_an_empty_cell(sample_named: Named) -> None:
    result, _ = sample_named("pass")
    labs: dict[str, LabResult] = dict(list(result.labs.items())[:1])
    html = class_page([result, renamed(result, "late", labs=labs)], course="c")
    assert html.count('data-order="-1"') == 3


def test_a_total_that_may_change_is_flagged(sample_named: Named) -> None:
    result = sample_named("needs-gpu")[0]
    assert {lab.verdict for lab in result.labs.values()} >= {Verdict.NEEDS_GPU}
    assert 'title="a lab is still to be graded on a GPU">not final<' in class_page([result], course="c")


def test_the_page_allows_its_own_script_and_no_other(sample_named: Named) -> None:
    html = class_page([sample_named("pass")[0]], course="c")
    assert re.search(r"script-src &#39;sha256-[A-Za-z0-9+/]{43}=&#39;", html)
    assert html.count("<script") == 1


def test_rejected_code_is_no_common_mistake(sample_named: Named) -> None:
    html = class_page([sample_named("rejected")[0]], course="c")
    assert "Rejected code" in html
    assert "Most common findings" not in html


def test_where_cpu_and_gpu_disagree_a_person_is_asked(sample_named: Named) -> None:
    result, _ = sample_named("pass")
    lab_id, lab = next(iter(result.labs.items()))
    differing = (
        lab.cases[0].model_copy(update={"difference": "the CPU says pass, the GPU <b>crash</b>"}),
        *lab.cases[1:],
    )
    changed = result.model_copy(update={"labs": {**result.labs, lab_id: lab.model_copy(update={"cases": differing})}})
    html = class_page([changed], course="c")
    assert "CPU executor and GPU disagree" in html
    assert "the GPU &lt;b&gt;crash&lt;/b&gt;" in html
    assert "disagree" not in class_page([result], course="c")


def test_a_pass_that_the_gpu_could_not_be_asked_about_is_listed(sample_named: Named) -> None:
    result, _ = sample_named("pass")
    lab_id, lab = next(iter(result.labs.items()))
    unasked = lab.model_copy(update={"gpu_trouble": "nvcc failed"})
    html = class_page([result.model_copy(update={"labs": {**result.labs, lab_id: unasked}})], course="c")
    assert "judged by the CPU executor alone: nvcc failed" in html


def timed(result: Result, device: str, words: str = "1.5 times as fast as naive") -> Result:
    """The result with every lab timed on `device`. With an empty `device`, no lab is timed, and `words` say why."""
    ratio = Ratio(low=1.4, middle=1.5, high=1.6) if device else None
    timing = Timing(words=words, device=device, speedup=ratio)
    labs = {lab_id: lab.model_copy(update={"timing": timing}) for lab_id, lab in result.labs.items()}
    return result.model_copy(update={"labs": labs})


def test_whose_speed_was_measured_on_which_gpu_is_told_and_why_others_was_not(sample_named: Named) -> None:
    passed, raced = sample_named("pass")[0], sample_named("race")[0]
    only_raced = {lab_id: lab for lab_id, lab in raced.labs.items() if lab.verdict is Verdict.RACE}
    results = [
        timed(renamed(passed, "ada"), "H200"),
        timed(renamed(passed, "ben"), "A100"),
        timed(renamed(passed, "cyd"), "", "not graded: the machine is too noisy: it came out as 1.04"),
        timed(renamed(passed, "dan"), "", "not graded: the machine is too noisy: it came out as 1.07"),
        timed(renamed(raced, "eve", labs=only_raced), "", "a kernel is timed only when every correctness case passes"),
    ]
    speed = measured_speed(results)
    assert speed is not None
    assert [(one.measured, one.label[:20], [each.name for each in one.entries]) for one in speed.groups] == [
        (True, "A100", ["Ben"]),
        (True, "H200", ["Ada"]),
        (False, "not graded: the mach", ["Cyd", "Dan"]),
    ]
    first = next(iter(passed.labs))
    assert speed.labs[0] == f"{first}: only 2 of 4 correct kernels were timed, so speed changes nobody's points."
    html = class_page(results, course="c")
    assert "Timed on H200" in html
    assert "the machine is too noisy" in html


def test_a_batch_without_a_gpu_says_so_in_a_sentence(sample_named: Named) -> None:
    result, _ = sample_named("pass")
    html = class_page([timed(result, "", "there was no GPU to measure it on")], course="c")
    assert "Speed was not measured: there was no GPU to measure it on." in html
    assert "Timed on" not in html
    assert "<h2>Speed</h2>" not in class_page([result], course="c")


def test_where_all_were_timed_the_page_says_so(sample_named: Named) -> None:
    result, _ = sample_named("pass")
    speed = measured_speed([timed(renamed(result, name), "H200") for name in "ab"])
    assert speed is not None
    assert all(line.endswith("all correct kernels were timed, 2 of 2.") for line in speed.labs)


def test_a_kernel_that_is_wrong_at_a_size_of_the_sweep_is_for_a_person_to_look_at(sample_named: Named) -> None:
    result = timed(sample_named("pass")[0], "H200")
    point = SweepPoint(shape="M=513", sizes=(513,), trouble="your kernel: C[512][0] is wrong", wrong=True)
    labs = {
        lab_id: lab.model_copy(
            update={"timing": lab.timing.model_copy(update={"sweep": (point,)}) if lab.timing else None}
        )
        for lab_id, lab in result.labs.items()
    }
    html = class_page([result.model_copy(update={"labs": labs})], course="c")
    assert "Wrong at a size of the sweep" in html
    assert "M=513: your kernel: C[512][0] is wrong" in html
    assert "of the sweep" not in class_page([result], course="c")
