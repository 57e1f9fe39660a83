"""The class page: every student, every lab, and what a person has to look at."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from grader.model.graded_class import ClassInsight, LabMistakes, Mistake
from grader.model.result import UNCOUNTED, LabResult, Override, Ratio, Result, Standing, Student, SweepPoint, Timing
from grader.model.verdicts import Verdict
from grader.model.visible_text import points
from grader.pages.class_page.class_sheet import by_section, measured_speed
from grader.pages.class_page.class_view import ClassView, decisions, follow_up, needs_help
from grader.pages.page_section import Shown
from grader.pages.pages import class_page, student_page
from grader.run.scoring.redaction import for_student

Sample = tuple[Result, dict[str, str]]
Named = Callable[[str], Sample]


def groups_of(section: Shown | None) -> list[Shown]:
    assert section is not None
    return list(section.groups)


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
    assert "mean <b>8.7</b> of 12" in html  # (12 + 12 + 2) / 3
    assert "median <b>12</b>" in html


def test_the_page_begins_with_who_needs_a_person_and_the_students_come_before_what_is_for_later(
    sample_named: Named,
) -> None:
    passed, raced = sample_named("pass")[0], sample_named("race")[0]
    one = passed.labs[next(iter(passed.labs))]
    decided = Standing(override=Override(points=3, author="x", reason="y"), judged_points=1)
    told = renamed(passed, "d", labs={next(iter(passed.labs)): one.model_copy(update={"standing": decided})})
    results = [*(renamed(passed, f"a{n}") for n in range(4)), renamed(raced, "c", total=0.0), told]
    html = class_page(results, course="c", notes=["a note"]).split("<body>")[1]
    order = [
        "mean of",
        "Whom to write to",
        "Deadlines and decisions",
        'class="panels"',
        "Notices",
        'id="students"',
        "sandbox:",
    ]
    assert sorted(order, key=html.index) == order
    (group,) = groups_of(decisions(results))
    assert not group.unfolded  # it needs nothing
    assert "<details open" not in html.split("Notices")[1].split("</details>")[0]


def test_a_class_with_extra_credit_alone_has_bars_and_no_maximum_of_nothing(sample_named: Named) -> None:
    passed = sample_named("pass")[0]
    lab_id, lab = next(iter(passed.labs.items()))
    labs = {lab_id: lab.model_copy(update={"extra_credit": True})}
    class_of = [renamed(passed, f"s{n}", labs=labs, max=0.0, total=float(n)) for n in range(8)]
    html = class_page(class_of, course="c")
    assert "mean, all extra credit" in html
    assert "mean of 0" not in html
    assert "Total<small> / 0" not in html
    assert html.count('class="count" x=') == 8
    assert needs_help(ClassView(class_of)) == {}


def test_where_more_are_meant_than_are_listed_their_number_is_told(sample_named: Named) -> None:
    passed = sample_named("pass")[0]
    away = renamed(passed, "x", total=0.0, labs=sample_named("missing-file")[0].labs)
    (group,) = groups_of(follow_up(ClassView([renamed(passed, "one"), *(renamed(away, f"s{n}") for n in range(75))])))
    assert (group.count, group.more) == (75, 15)
    html = class_page([renamed(away, f"s{n}") for n in range(75)], course="c")
    assert '<span class="count">75</span>' in html


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
    assert html.count("<td>\N{EN DASH}</td>") == 3


def test_a_total_that_may_change_is_flagged(sample_named: Named) -> None:
    result = sample_named("needs-gpu")[0]
    assert {lab.verdict for lab in result.labs.values()} >= {Verdict.NEEDS_GPU}
    assert 'title="a lab is still to be graded on a GPU">not final<' in class_page([result], course="c")


def test_the_page_allows_its_own_script_and_no_other(sample_named: Named) -> None:
    html = class_page([sample_named("pass")[0]], course="c")
    assert re.search(r"script-src &#39;sha256-[A-Za-z0-9+/]{43}=&#39;", html)
    assert html.count("<script") == 2  # the second is data, which no browser runs
    assert html.count('<script type="application/json"') == 1


def test_rejected_code_is_no_common_mistake(sample_named: Named) -> None:
    html = class_page([sample_named("rejected")[0]], course="c")
    assert "Rejected code" in html
    assert "`" not in html.split("Rejected code")[1].split("</details>")[0]
    assert "Most common findings" not in html


def test_whose_file_is_shown_is_said_only_where_several_made_the_mistake(sample_named: Named) -> None:
    result = sample_named("race")[0]
    (lab_id, *_), student = result.labs, result.submission.id
    for students, said in (((student,), 0), ((student, "b"), 1)):
        mistake = Mistake(
            f"{lab_id}/race/1", Verdict.RACE, "a race", "", students, student, 1, ("a = 1;",), 1, hidden=False
        )
        insight = ClassInsight((LabMistakes(lab_id, len(students), (mistake,)),))
        assert class_page([result], course="c", insight=insight).count("Lines of ") == said


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
    assert [(one.title, one.remedy[:20], [each.name for each in one.entries]) for one in speed.groups] == [
        ("Timed on A100", "", ["Ben"]),
        ("Timed on H200", "", ["Ada"]),
        ("Not timed", "not graded: the mach", ["Cyd", "Dan"]),
    ]
    first = next(iter(passed.labs))
    assert speed.labs[0] == f"{first}: only 2 of 4 correct kernels were timed, so speed changes no points."
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


def data_of(html: str) -> dict[str, Any]:
    """The block of data that the page's script sorts and filters by."""
    match = re.search(r'<script type="application/json" id="class-data">(.*?)</script>', html, re.DOTALL)
    assert match is not None
    data: dict[str, Any] = json.loads(match[1])
    return data


def absent(result: Result, student_id: str, section: str = "") -> Result:
    """A student of whom only the roster knows."""
    labs = {
        lab_id: lab.model_copy(update={"verdict": Verdict.MISSING_FILE, "points": 0.0, "cases": (), "findings": ()})
        for lab_id, lab in result.labs.items()
    }
    one = in_section(renamed(result, student_id, labs=labs, total=0.0), section)
    return one.model_copy(update={"submission": one.submission.model_copy(update={"handed_in": False})})


def in_section(result: Result, section: str) -> Result:
    submission = result.submission.model_copy(update={"student": Student(section=section)})
    return result.model_copy(update={"submission": submission})


def test_whom_only_the_roster_knows_did_not_hand_in_and_lowers_no_mean(sample_named: Named) -> None:
    passed = sample_named("pass")[0]
    html = class_page([renamed(passed, "ada"), absent(passed, "ben"), absent(passed, "cyd")], course="c")
    assert "<b>1</b>of 3 handed in" in html
    assert f"<b>{points(passed.total)}</b>mean of" in html
    assert "<b>3</b>handed in" in class_page([renamed(passed, name) for name in "abc"], course="c")


def test_who_handed_in_nothing_is_named(sample_named: Named) -> None:
    passed = sample_named("pass")[0]
    html = class_page([renamed(passed, "ada"), absent(passed, "ben")], course="c")
    group = html[html.index("Handed in nothing") : html.index("show them in the table")]
    assert "Ben" in group
    assert "Ada" not in group
    assert "Handed in nothing" not in class_page([renamed(passed, "ada")], course="c")


def test_an_upload_without_a_file_of_a_lab_counts_as_nothing(sample_named: Named) -> None:
    empty = absent(sample_named("pass")[0], "ben")
    uploaded = empty.model_copy(update={"submission": empty.submission.model_copy(update={"handed_in": True})})
    assert [one.detail for one in groups_of(follow_up(ClassView([uploaded])))[0].entries] == [
        "an upload without a lab's file"
    ]


def test_who_is_far_behind_the_class_needs_help_and_the_reason_is_told(sample_named: Named) -> None:
    passed, raced = sample_named("pass")[0], sample_named("race")[0]
    classmates = [renamed(passed, f"s{n}") for n in range(9)]
    behind = renamed(raced, "eve", total=passed.total / 4)
    (group,) = groups_of(follow_up(ClassView([*classmates, behind])))
    assert (group.title, [one.name for one in group.entries]) == ("Need help", ["Eve"])
    assert f"and the median is {points(passed.total)}" in group.entries[0].detail
    assert "data race, and 90 % pass" in group.entries[0].detail


def missing_technique(result: Result) -> Result:
    """The first lab's last case judges a technique, and fails."""
    lab_id, lab = next(iter(result.labs.items()))
    missed = lab.cases[-1].model_copy(update={"role": "technique", "passed": False, "verdict": Verdict.PASS})
    return result.model_copy(
        update={"labs": {**result.labs, lab_id: lab.model_copy(update={"cases": (*lab.cases[:-1], missed)})}}
    )


def test_who_misses_a_technique_has_not_just_passed_and_needs_help(sample_named: Named) -> None:
    passed = sample_named("pass")[0]
    lab_id = next(iter(passed.labs))
    eve = renamed(missing_technique(passed), "eve")
    results = [*(renamed(passed, f"s{n}") for n in range(3)), eve]
    (group,) = groups_of(follow_up(ClassView(results)))
    assert [(one.name, one.detail) for one in group.entries] == [("Eve", f"{lab_id}: passed, technique missed")]
    html = class_page(results, course="c")
    row = html[html.index('<th scope="row"><a href="students/eve') :].split("</tr>")[0]
    assert re.search(r'<td class="partial" data-sign="≈">[\d.]+ <small>technique missed</small>', row)
    assert "Passed: 3 students; Passed, technique missed: 1 student" in html
    assert "<b>75 %</b> passed" in html
    assert "Passed, technique missed" in data_of(html)["verdicts"]
    assert '<span class="badge partial">' in student_page(eve, sources={}, instructor=False)
    assert "Passed, technique missed" in student_page(for_student(eve), sources={}, instructor=False)


def test_a_technique_that_nobody_could_check_is_not_missed(sample_named: Named) -> None:
    result = missing_technique(sample_named("pass")[0])
    lab_id, lab = next(iter(result.labs.items()))
    case = lab.cases[-1].model_copy(update={"message": UNCOUNTED, "feedback": "none"})
    whole = result.model_copy(update={"labs": {lab_id: lab.model_copy(update={"cases": (*lab.cases[:-1], case)})}})
    for one in (whole, for_student(whole)):
        assert one.labs[lab_id].missed_technique is None


def test_everybody_is_called_as_the_roster_says_on_every_part_of_the_page(sample_named: Named) -> None:
    """The upload's name is nowhere: only the id, beside the name."""
    passed = sample_named("pass")[0]
    student = Student(name="Lovelace, Ada", login="ada")
    for name in ("race", "rejected", "needs-gpu", "internal-error", "missing-file", "pass"):
        result = sample_named(name)[0]
        submission = result.submission.model_copy(update={"id": "ada", "name": "upload 17", "student": student})
        ada = result.model_copy(update={"submission": submission})
        html = class_page([*(renamed(passed, f"s{n}") for n in range(9)), ada], course="c")
        assert "<bdi>Lovelace, Ada</bdi></a> <small><bdi>ada</bdi></small>" in html
        assert "upload 17" not in html
        page = student_page(for_student(ada), sources={}, instructor=False)
        assert "<h1><bdi>Lovelace, Ada</bdi></h1>" in page
        assert "upload 17" not in page


def test_where_nobody_passes_a_lab_nobody_needs_help_for_it(sample_named: Named) -> None:
    raced = sample_named("race")[0]
    assert follow_up(ClassView([renamed(raced, f"s{n}") for n in range(10)])) is None


def test_whose_total_is_open_is_not_behind(sample_named: Named) -> None:
    passed, waiting = sample_named("pass")[0], sample_named("needs-gpu")[0]
    assert (
        needs_help(ClassView([*(renamed(passed, f"s{n}") for n in range(9)), renamed(waiting, "eve", total=0.0)])) == {}
    )


def test_sections_stand_side_by_side_and_one_section_is_the_class_itself(sample_named: Named) -> None:
    passed = sample_named("pass")[0]
    results = [
        in_section(renamed(passed, "ada"), "A&B"),
        in_section(renamed(passed, "ben"), "C"),
        absent(passed, "cyd", "C"),
        renamed(passed, "dan"),
    ]
    table = by_section(ClassView(results))
    assert table is not None
    assert [(row.name, row.students, row.handed_in) for row in table.rows] == [
        ("A&B", 1, 1),
        ("C", 2, 1),
        ("no section", 1, 1),
    ]
    assert 'href="#students?section=A%26B"' in class_page(results, course="c")
    assert by_section(ClassView([in_section(passed, "A")])) is None


def test_the_data_of_the_rows_are_in_the_order_of_the_rows(sample_named: Named) -> None:
    passed, raced = sample_named("pass")[0], sample_named("race")[0]
    html = class_page([renamed(raced, "zoe", total=1.0), absent(passed, "Ben"), renamed(passed, "ada")], course="c")
    rows = data_of(html)["rows"]
    assert [row["name"] for row in rows] == ["ada", "ben", "zoe"]
    assert [row["flags"] for row in rows] == [[], ["nothing"], ["help"]]
    assert [row["total"] for row in rows] == [passed.total, 0.0, 1.0]


def test_no_text_of_a_submission_ends_the_block_of_data(sample_named: Named) -> None:
    passed = sample_named("pass")[0]
    name = "</script><script>alert(1)</script><!--"
    hostile = passed.model_copy(
        update={"submission": passed.submission.model_copy(update={"name": name, "student": Student(section=name)})}
    )
    html = class_page([hostile], course="c")
    assert html.count("</script>") == 2
    assert "<!--" not in html
    assert data_of(html)["sections"] == [name]
