"""The class page in a real browser, of 500 students and of a class of 100: filters, keys, the address, sizes of screens, and readers."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from corpus_sample import sample

from grader.explain.similar_files import SimilarFiles, SimilarPair
from grader.model.graded_class import ClassInsight, LabMistakes, Mistake, PlacedMistake, SolutionLine, SolutionMap
from grader.model.result import Result, Student
from grader.model.verdicts import Verdict
from grader.pages.pages import class_page, similar_page

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.in_turn(4)

SAMPLES = Path(__file__).resolve().parents[1] / "samples"
STUDENTS, FEWER, LABS = 500, 100, 11
MOST_BYTES = 1_200_000
KEY = "lab-03/race/1dd66ffe"
Opened = Callable[..., Any]


def class_of(students: int) -> list[Result]:
    """Every tenth handed in nothing; the first has little."""
    source = random.Random(5)
    samples = [Result.model_validate_json(path.read_text(encoding="utf-8")) for path in sorted(SAMPLES.glob("*.json"))]
    pool = [lab for one in samples for lab in one.labs.values() if lab.verdict.facts.tone in {"good", "bad"}]
    nothing = next(lab for one in samples for lab in one.labs.values() if lab.verdict is Verdict.MISSING_FILE)
    made = []
    for n in range(students):
        absent = n % 10 == 9
        labs = {f"lab-{k:02d}": nothing if absent else source.choice(pool) for k in range(LABS)}
        student = Student(section=f"Section {'ABC'[n % 3]}")
        submission = samples[0].submission.model_copy(
            update={
                "id": f"s{n:03d}",
                "name": f"Student {n:03d} <b>",
                "student": student,
                "handed_in": not absent,
                "refused": None,
            }
        )
        total = 1.0 if n == 0 else sum(lab.points for lab in labs.values())
        made.append(samples[0].model_copy(update={"submission": submission, "labs": labs, "total": total, "max": 99.0}))
    return made


def insight() -> ClassInsight:
    source = ("    for (int k = 0; k < tile; ++k)", "      sum += As[ty][k] * Bs[k][tx]; // " + "x" * 300)
    mistakes = tuple(
        Mistake(
            f"lab-{lab:02d}/race/1dd66ffe",
            Verdict.RACE,
            "a shared array: write and read further down, no barrier between",
            "the solution without `__syncthreads()` in line 40",
            tuple(f"s{n:03d}" for n in range(0, 40, 2)),
            "s002",
            19,
            source,
            18,
            hidden=False,
            comment="Who writes `As`?",
            before=25,
        )
        for lab in range(LABS)
    )
    return ClassInsight(
        tuple(LabMistakes(f"lab-{at:02d}", 22, (one,)) for at, one in enumerate(mistakes)),
        "out/instructor/comments.toml",
        (("lab-01", 3), ("lab-02", 0)),
        tuple(solution_map_of(f"lab-{at:02d}") for at in range(LABS)),
    )


def solution_map_of(lab_id: str) -> SolutionMap:
    raced = PlacedMistake(Verdict.RACE, "this barrier is missing", tuple(f"s{n:03d}" for n in range(0, 40, 2)))
    wrong = PlacedMistake(Verdict.WRONG_ANSWER, "behaves like `<=`", ("s001", "s003"))
    lines = [SolutionLine(n, f"  a[{n}] = b[{n}] + {'x' * n};") for n in range(1, 60)]
    lines[20] = SolutionLine(21, "  __syncthreads();", (raced, wrong))
    lines[30] = SolutionLine(31, "  sum += a;", (wrong,))
    return SolutionMap(lab_id, "lab.cu", 22, tuple(lines), (("it is not known which line is wrong", ("s005",)),))


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _written(tmp_path_factory, STUDENTS)


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """For what does not depend on the number of students: a browser opens it in a fraction of the time."""
    return _written(tmp_path_factory, FEWER)


def _written(folders: pytest.TempPathFactory, students: int) -> Path:
    path = folders.mktemp("class") / "index.html"
    path.write_text(class_page(class_of(students), course="GPU programming", insight=insight()), encoding="utf-8")
    return path


def rows(page: Any) -> int:  # noqa: ANN401 -- Playwright is not installed everywhere
    return int(page.locator(".students tbody tr:visible").count())


def told(page: Any, words: str) -> None:  # noqa: ANN401 -- as above
    """Waits until the page says so: it follows its address only after a click has returned."""
    page.wait_for_function("words => document.querySelector('[role=status]').textContent === words", arg=words)


def test_the_page_is_light_and_what_is_not_on_the_screen_is_not_laid_out(opened: Opened, large: Path) -> None:
    assert large.stat().st_size < MOST_BYTES
    page = opened(large).page
    laid_out = "document.querySelector('.students table').checkVisibility({contentVisibilityAuto: true})"
    assert page.evaluate(laid_out) is False
    page.locator("#students-heading").scroll_into_view_if_needed()
    page.wait_for_function(laid_out)


def test_students_are_filtered_and_the_number_is_said(opened: Opened, large: Path) -> None:
    shown = opened(large)
    page = shown.page
    status = page.get_by_role("status")
    assert status.text_content() == "500 students"
    page.get_by_label("Show", exact=True).select_option("nothing")
    assert (rows(page), status.text_content()) == (50, "50 of 500 students")
    page.get_by_label("Section", exact=True).select_option("Section A")
    assert rows(page) == sum(n % 10 == 9 and n % 3 == 0 for n in range(STUDENTS))
    page.get_by_role("button", name="Show all").click()
    page.get_by_label("Find a student").fill("student 04")
    assert rows(page) == 10
    page.get_by_label("Lab", exact=True).select_option("lab-05")
    page.get_by_label("Verdict", exact=True).select_option("Not handed in")
    assert rows(page) == 1
    assert (shown.errors, shown.requests) == ([], [])


def test_the_lines_of_the_solution_say_how_many_and_lead_to_who(opened: Opened, usual: Path) -> None:
    page = opened(usual).page
    heat = page.locator(".heat details").first
    rows = heat.locator("tbody tr")
    assert rows.nth(20).locator("th, td").all_text_contents() == ["21", "22", "  __syncthreads();"]
    assert (rows.nth(20).get_attribute("class"), rows.nth(30).get_attribute("class")) == ("h5", "h1")
    rows.nth(20).get_by_role("link").click()
    assert page.url.endswith("#solution-1-21")
    assert re.search(r"Data race: 20 students .+ · [^.:]+$", " ".join(heat.locator("dd").first.text_content().split()))
    assert "1 student: it is not known which line is wrong." in str(heat.text_content())
    heat.locator("dd a", has_text="a shared array").first.click()
    told(page, "20 of 100 students")


def test_a_link_of_a_mistake_shows_its_students_and_back_shows_all_again(opened: Opened, usual: Path) -> None:
    page = opened(usual).page
    page.get_by_role("link", name="20 students").first.click()
    told(page, "20 of 100 students")
    assert rows(page) == 20
    assert page.evaluate("document.activeElement.id") == "students-heading"
    page.go_back()
    told(page, "100 students")


def test_the_address_keeps_what_was_chosen(opened: Opened, usual: Path) -> None:
    first = opened(usual).page
    first.get_by_label("Section", exact=True).select_option("Section B")
    first.get_by_label("Show", exact=True).select_option("nothing")
    address = first.evaluate("location.hash")
    again = opened(usual, address).page
    assert rows(again) == rows(first) > 0
    assert again.get_by_label("Section", exact=True).input_value() == "Section B"
    assert rows(opened(usual, "#students?section=Nobody%27s&mistake=%22%3E").page) == FEWER


def test_columns_are_sorted_by_keyboard_and_say_how(opened: Opened, usual: Path) -> None:
    page = opened(usual).page
    button = page.get_by_role("button", name="Total")
    button.focus()
    page.keyboard.press("Enter")
    assert page.locator("th[aria-sort]").get_attribute("aria-sort") == "ascending"
    order = "[...document.querySelectorAll('.students tbody tr')].map((row) => row.facts.total)"
    ascending = page.evaluate(order)
    assert ascending == sorted(ascending)
    page.keyboard.press("Space")
    assert page.locator("th[aria-sort]").get_attribute("aria-sort") == "descending"
    assert page.evaluate(order) == ascending[::-1]
    page.get_by_role("button", name="Student").click()
    assert page.locator(".students tbody tr").first.locator("th").inner_text().startswith("Student 000")


def test_everything_is_reached_by_keyboard(opened: Opened, usual: Path) -> None:
    page = opened(usual).page
    seen = set()
    page.locator("#students-heading").focus()
    for _ in range(12):
        page.keyboard.press("Tab")
        seen.add(page.evaluate("document.activeElement.labels?.[0]?.textContent ?? document.activeElement.textContent"))
    assert {"Find a student", "Show", "Section", "Lab", "Verdict", "Mistake", "Show all", "Student"} <= seen


def test_axe_finds_nothing_and_no_screen_is_too_narrow(opened: Opened, usual: Path) -> None:
    shown = opened(usual)
    page = shown.page
    # The tables of all students and labs would take axe a minute: some of them are like the others.
    for like, kept in ((".students tbody tr", 12), (".heat details", 2)):
        page.evaluate(f"[...document.querySelectorAll('{like}')].slice({kept}).forEach((one) => one.remove())")
    page.evaluate(
        "document.querySelectorAll('main > section').forEach((one) => { one.style.contentVisibility = 'visible'; })"
    )
    page.evaluate(
        "document.querySelectorAll('.follow details, .mistakes details').forEach((one) => { one.open = true; })"
    )
    others = sample(((768, "dark", "screen"), (1440, "light", "screen")), 2)
    assert shown.violations_in(((320, "light", "screen"), *others)) == []


def test_without_scripts_the_tables_stand_as_they_are(chromium: Browser, large: Path) -> None:
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(large.as_uri())
    assert page.locator(".students tbody tr").count() == STUDENTS
    assert not page.locator(".tools").is_visible()
    assert page.get_by_text("Student 009 <b>").first.text_content() == "Student 009 <b>"
    context.close()


def test_the_pages_own_policy_lets_its_script_run_and_no_other(chromium: Browser, usual: Path) -> None:
    context = chromium.new_context()
    page = context.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.goto(usual.as_uri())
    assert page.get_by_role("status").text_content() == "100 students"
    assert said == []
    page.evaluate("document.body.append(Object.assign(document.createElement('script'), {text: 'document.title = 1'}))")
    assert page.title() != "1"
    context.close()


def test_on_paper_everything_is_there(opened: Opened, usual: Path) -> None:
    page = opened(usual).page
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.querySelector('.students')).contentVisibility") == "visible"
    assert not page.locator(".tools").is_visible()


@pytest.mark.parametrize(("width", "scheme"), [(320, "dark"), (1280, "light")])
def test_similar_files_are_read_side_by_side_by_everybody(
    opened: Opened, tmp_path: Path, width: int, scheme: str
) -> None:
    text = "\n".join(f"  float value_{n} = other_{n} * {n}.0f;  // {'long ' * n}" for n in range(30))
    found = SimilarFiles((SimilarPair("ada", "ben", 0.9, 41, ((2, 3), (4,)), renamed=True),), (("cyd", "dan"),))
    names = {one: one.title() for one in ("ada", "ben", "cyd", "dan")}
    path = tmp_path / "lab.html"
    path.write_text(
        similar_page("lab", "A lab", found, names=names, texts=dict.fromkeys(names, text)), encoding="utf-8"
    )
    shown = opened(path, width=width, scheme=scheme)
    left, right = (shown.page.locator(".text").nth(at).bounding_box() for at in (0, 1))
    assert (left["y"] == right["y"]) is (width > 1000)
    assert shown.page.evaluate("document.documentElement.scrollWidth") <= width
    assert shown.violations() == []
