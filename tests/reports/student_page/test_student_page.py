"""A student's page is valid HTML, loads nothing from elsewhere, makes hostile text harmless, and shows no hidden shape."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html.parser import HTMLParser

import pytest

from grader.model.result import Launch, Result
from grader.model.verdicts import Verdict
from grader.pages.pages import class_page, student_page
from grader.run.scoring.redaction import for_student

Sample = tuple[Result, dict[str, str]]
Named = Callable[[str], Sample]
VOID = {"meta", "input", "br"}


class Page(HTMLParser):
    """Checks that tags balance, and collects tags, attributes and text of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.feed(page)
        self.close()
        assert self.open == [], "left open"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def test_every_sample_makes_a_page_whose_tags_balance(sample: Sample) -> None:
    result, sources = sample
    for instructor in (False, True):
        page = Page(student_page(result, sources=sources, instructor=instructor))
        assert len(page.tags) > 30


def test_a_file_that_is_missing_is_told_once_and_a_guess_where_it_is_is_told_too(sample_named: Named) -> None:
    result, _ = sample_named("missing-file")
    lab_id, lab = next((key, one) for key, one in result.labs.items() if one.verdict is Verdict.MISSING_FILE)
    said = f"{lab.file} was not handed in"

    def shown(message: str) -> str:
        finding = lab.findings[0].model_copy(update={"message": message})
        alone = {lab_id: lab.model_copy(update={"findings": (finding,)})}
        return student_page(result.model_copy(update={"labs": alone}), sources={})

    assert said not in shown(said)
    assert "Performance" not in shown(said)
    assert f"{said}: there is kernel.cu" in shown(f"{said}: there is kernel.cu")


def test_a_page_loads_nothing_from_anywhere(sample: Sample, every_result: list[Result]) -> None:
    result, sources = sample
    for html in (student_page(result, sources=sources, instructor=True), class_page(every_result, course="c")):
        page = Page(html)
        for tag, attributes in page.tags:
            assert tag not in {"img", "link", "iframe", "object", "embed", "base", "form", "video", "audio"}
            assert not {"src", "srcset", "xlink:href", "action", "style"} & attributes.keys()
            assert not any(name.startswith("on") for name in attributes)
            link = attributes.get("href")
            assert link is None or link.startswith(("#", "students/", "instructor/"))
        style = html[html.index("<style>") : html.index("</style>")]
        assert "@import" not in style
        assert set(re.findall(r"url\(([^)]*)\)", style)) <= {"#unwritten"}
        policy = next(each["content"] for _, each in page.tags if each.get("http-equiv") == "Content-Security-Policy")
        assert policy
        assert policy.startswith("default-src 'none'; style-src 'unsafe-inline'; script-src '")


def test_hostile_text_neither_adds_a_tag_nor_reaches_the_template_engine(sample_named: Named) -> None:
    result, sources = sample_named("hostile")
    html = student_page(result, sources=sources, instructor=True)
    assert [tag for tag, _ in Page(html).tags if tag in {"script", "img"}] == []
    assert "{{ 7*7 }}" in html  # shown, not evaluated
    assert "&lt;script&gt;" in html
    scripts = [
        given
        for tag, given in Page(class_page([result], course="<script>", notes=["<script>"])).tags
        if tag == "script"
    ]
    assert [dict(one).get("type") for one in scripts] == ["application/json", None]  # data, and our own


def test_controls_and_invisible_characters_are_shown_as_signs(sample_named: Named) -> None:
    result, sources = sample_named("hostile")
    for html in (student_page(result, sources=sources, instructor=True), class_page([result], course="c")):
        found = {character for character in html if ord(character) < 0x20 and character != "\n"}
        assert found == set()
        assert not re.search("[\x7f-\x9f\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]", html)
        assert "⟨U+202E⟩" in html
        html.encode()  # no lone surrogate


def test_endless_text_makes_no_endless_page(sample_named: Named) -> None:
    result, sources = sample_named("hostile")
    lab_id, lab = next(iter(result.labs.items()))
    case = lab.cases[0]
    launch = case.launches[0].model_copy(update={"printed": "spam\n" * 5000, "message": "m" * 10**6})
    case = case.model_copy(update={"launches": (launch,) * 500, "message": "c" * 10**6})
    finding = lab.findings[0].model_copy(update={"message": "f" * 10**6, "cases": ("n" * 10**4,) * 1000})
    lab = lab.model_copy(
        update={
            "cases": (case,),
            "findings": (finding,) * 1000,
            "build": lab.build and lab.build.model_copy(update={"log": ("l" * 10**4 + "\n") * 3000}),
        }
    )
    html = student_page(result.model_copy(update={"labs": {lab_id: lab}}), sources=sources, instructor=True)
    assert len(html) < 400_000
    assert "What the kernel printed" in html
    assert "and 4,960 more lines that are not shown" in html


def test_a_race_shows_both_lines_both_threads_the_shape_and_the_advice(sample_named: Named) -> None:
    result, sources = sample_named("race")
    html = student_page(result, sources=sources)
    assert '<div class="row second"><span class="number">17</span>' in html
    assert '<div class="row first"><span class="number">21</span>' in html
    assert "<mark>As[ty][k]</mark>" in html
    assert "thread (1,0,0) writes As[0][1]" in html
    assert "thread (0,1,0) reads As[0][1]" in html
    assert "M=32 N=32 K=64, grid (2,2,1), block (16,16,1)" in html
    assert "Who may still be reading the tile" in html


def two_races(sample_named: Named) -> tuple[Result, dict[str, str]]:
    """The sample's race, and the same of another array; the output is wrong in the same case."""
    result, sources = sample_named("race")
    lab = result.labs["02-tiled"]
    wrong = next(one.mismatch for one in _launches(sample_named("wrong-answer")[0]) if one.mismatch)
    first = next(one for one in lab.findings if one.kind is Verdict.RACE)
    cases = tuple(
        case.model_copy(update={"launches": tuple(one.model_copy(update={"mismatch": wrong}) for one in case.launches)})
        if case.name in first.cases
        else case
        for case in lab.cases
    )
    second = first.model_copy(update={"line": 22, "array": "Bs", "element": "Bs[0][1]"})
    changed = lab.model_copy(update={"findings": (first, second), "cases": cases})
    return result.model_copy(update={"labs": {"02-tiled": changed}}), sources


def _launches(result: Result) -> Iterator[Launch]:
    return (launch for lab in result.labs.values() for case in lab.cases for launch in case.launches)


def test_two_races_for_want_of_one_barrier_are_drawn_once_and_the_rest_is_what_follows(sample_named: Named) -> None:
    result, sources = two_races(sample_named)
    html = student_page(result, sources=sources)
    assert html.count("Likely cause:") == html.count('class="lanes"') == 1
    assert html.count('<article class="finding') == 2  # the second in a fold
    folded = html[html.index("From the same cause") : html.index("<summary>Cases</summary>")]
    assert folded.count('<article class="finding') == 1
    assert "Bs[0][1]" in folded
    assert "is wrong in 1 test, and may hold other values each time." in html
    assert "this may follow from what was found above" in html


def test_the_finding_comes_first_with_its_lines_and_says_what_happened(sample_named: Named) -> None:
    result, sources = sample_named("race")
    text = student_page(result, sources=sources).split('<section class="lab bad"', 1)[1]
    order = [
        "Data race</span>",
        "<mark>As[ty][k]</mark>",
        'class="lanes"',
        Verdict.RACE.facts.sentence,
        "Look at next",
        "<summary>Cases</summary>",
    ]
    assert sorted(order, key=text.index) == order


def test_a_case_is_one_line_and_what_a_finding_explains_is_folded(sample_named: Named) -> None:
    result, sources = sample_named("race")
    lab = result.labs["02-tiled"]
    cases = student_page(result, sources=sources).split('<ul class="cases">')[1]
    assert "<details open>" not in cases
    assert cases.count('class="line"') == len(lab.cases)
    alone = result.model_copy(update={"labs": {"02-tiled": lab.model_copy(update={"findings": ()})}})
    assert student_page(alone, sources=sources).count("<details open>") == 1  # the first of those that failed


def test_points_stand_once_for_each_lab_and_once_for_all(sample_named: Named) -> None:
    result, sources = sample_named("race")
    name, lab = next(iter(result.labs.items()))
    lab = lab.model_copy(update={"points": 7.25})
    told = {"labs": {name: lab}, "total": 7.25}
    one = student_page(result.model_copy(update=told), sources=sources).split("<body>")[1]
    assert one.count("7.25") == 1
    two = result.model_copy(update=told | {"labs": {name: lab, "other": lab}, "total": 14.5})
    html = student_page(two, sources=sources).split("<body>")[1]
    assert (html.count("7.25"), html.count("14.5")) == (2, 1)


def test_labs_that_fail_come_first_and_those_without_a_file_are_a_line_each(sample_named: Named) -> None:
    (raced, sources), (passed, _), (missing, _) = map(sample_named, ("race", "pass", "missing-file"))
    right = next(one for one in passed.labs.values() if one.look is Verdict.PASS.facts)
    without = next(one for one in missing.labs.values() if one.verdict is Verdict.MISSING_FILE)
    labs = {"a": without.model_copy(update={"findings": ()}), "b": right, "c": raced.labs["02-tiled"]}
    html = student_page(raced.model_copy(update={"labs": labs}), sources=sources)
    assert re.findall(r'<section class="lab \w+" id="([\w-]+)"', html) == ["lab-3", "lab-2"]
    assert re.findall(r'href="(#[\w-]+)"', html) == ["#lab-2", "#lab-3", "#without"]
    assert "Not handed in: 1" in html


def test_how_it_was_graded_is_folded_at_the_end(sample_named: Named) -> None:
    result, sources = sample_named("race")
    html = student_page(result, sources=sources)
    assert html.index("<dt>Compiler</dt>") > html.index("How this was graded") > html.index("<summary>Cases</summary>")


def test_a_wrong_answer_shows_the_picture_and_the_first_wrong_elements(sample_named: Named) -> None:
    result, sources = sample_named("wrong-answer")
    page = Page(student_page(result, sources=sources))
    drawn = [attributes["class"] for tag, attributes in page.tags if tag == "rect" and attributes.get("x")]
    assert {"wrong", "unwritten"} <= set(drawn)
    assert "64" in page.text
    assert "12.5" in page.text
    assert "unset or NaN" in page.text


def test_a_page_for_students_shows_no_shape_of_a_case_that_withholds_it(sample_named: Named) -> None:
    result, sources = sample_named("race")
    lab = result.labs["02-tiled"]
    hidden = lab.cases[2].model_copy(
        update={"launches": (lab.cases[1].launches[0].model_copy(update={"shape": "M=96 N=160 K=224"}),)}
    )
    assert hidden.feedback == "verdict"
    lab = lab.model_copy(update={"cases": (*lab.cases[:2], hidden, *lab.cases[3:])})
    full = result.model_copy(update={"labs": {**result.labs, "02-tiled": lab}})
    for shown in (full, for_student(full)):
        assert "M=96" not in student_page(shown, sources=sources)
    assert "M=96 N=160 K=224" in student_page(full, sources=sources, instructor=True)


@pytest.mark.parametrize("verdict", list(Verdict))
def test_every_verdict_has_a_look_and_a_page(sample_named: Named, verdict: Verdict) -> None:
    result, sources = sample_named("race")
    lab = result.labs["02-tiled"]
    lab = lab.model_copy(
        update={"verdict": verdict, "findings": (), "cases": () if verdict.facts.never_ran else lab.cases}
    )
    html = student_page(result.model_copy(update={"labs": {"02-tiled": lab}}), sources=sources)
    assert f"{lab.look.glyph}</span>{lab.look.label}</span>" in html
    assert verdict.facts.sentence.split("'")[0] in html


def test_no_two_verdicts_share_a_glyph_or_a_label() -> None:
    assert len({verdict.facts.glyph for verdict in Verdict}) == len(Verdict)
    assert len({verdict.facts.label for verdict in Verdict}) == len(Verdict)


def test_a_missed_technique_is_told_though_the_verdict_is_pass(sample_named: Named) -> None:
    result, sources = sample_named("wrong-answer")
    html = student_page(result, sources=sources)
    assert "The result is right in every case, but the technique check fails: the kernel loads as much" in html
    assert "Not met" in html


def test_what_is_still_to_be_graded_makes_the_total_not_final(sample_named: Named) -> None:
    result, sources = sample_named("needs-gpu")
    assert "must still be graded on a GPU" in student_page(result, sources=sources)


def test_a_refused_upload_says_why_at_the_top(sample_named: Named) -> None:
    result, _ = sample_named("refused")
    html = student_page(result, sources={})
    assert "This upload was refused." in html
    assert "&#39;../../etc/cron.d/x&#39;" in html


def test_extra_credit_says_that_it_never_counts_against_anybody(sample_named: Named) -> None:
    result, sources = sample_named("wrong-answer")
    name, lab = next(iter(result.labs.items()))
    said = "extra credit: adds to your total, not to the maximum"
    plain = result.model_copy(update={"labs": {name: lab.model_copy(update={"extra_credit": False})}})
    assert said not in student_page(plain, sources=sources)
    bonus = result.model_copy(update={"labs": {name: lab.model_copy(update={"extra_credit": True})}})
    assert said in student_page(bonus, sources=sources)


def test_the_instructors_comment_stands_beside_the_verdict_and_adds_no_tag(sample_named: Named) -> None:
    result, sources = sample_named("race")
    lab_id = next(iter(result.labs))
    lab = result.labs[lab_id].model_copy(update={"comment": "Look at `As`.\n<b>Then</b> at line 3."})
    html = student_page(result.model_copy(update={"labs": {**result.labs, lab_id: lab}}), sources=sources)
    assert "From your instructor" in html
    assert "<p>Look at <code>As</code>.</p>" in html
    assert "&lt;b&gt;Then&lt;/b&gt; at line 3." in html
    assert "From your instructor" not in student_page(result, sources=sources)


def test_pages_say_which_attempt_counts_and_when_it_was_handed_in(sample_named: Named) -> None:
    result, sources = sample_named("pass")
    told = {"attempt": "2 of 3", "at": "2026-11-21T10:00:00+01:00"}
    later = result.model_copy(update={"submission": result.submission.model_copy(update=told)})
    page = " ".join(Page(student_page(later, sources=sources)).text)
    assert re.search(r"Attempt\s+2 of 3\s", page)
    assert re.search(r"Handed in\s+2026-11-21 10:00:00\+01:00\s", page)
    assert "attempt 2 of 3" in class_page([later], course="c")
    assert "attempt" not in class_page([result], course="c").split("<tbody", 1)[1].split("</tbody", 1)[0]


def test_of_a_lab_that_passes_the_passed_cases_are_folded_and_what_is_not_met_is_open(sample_named: Named) -> None:
    result, sources = sample_named("wrong-answer")
    html = student_page(result, sources=sources).split('id="lab-', 2)[2].split("</section>")[0]
    passed, missed = (html.index(f"<summary>{one}") for one in ("Passed cases", "Cases"))
    assert missed < html.index("Not met") < passed


def test_a_case_without_points_says_so(sample_named: Named) -> None:
    result, sources = sample_named("pass")
    lab = result.labs["01-naive"]
    first = lab.cases[0].model_copy(update={"points": 0, "max_points": 0})
    changed = lab.model_copy(update={"cases": (first, *lab.cases[1:])})
    page = student_page(result.model_copy(update={"labs": {"01-naive": changed}}), sources=sources)
    amounts = re.findall(r'<span class="amount">(.*?)</span>', page)
    assert (amounts[0], amounts[1]) == ("<small>no points</small>", "2<small> / 2</small>")
