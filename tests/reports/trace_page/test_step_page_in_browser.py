"""The page that steps through a block, in a real browser: steps, keys, what is followed, the address, questions, and who can read it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from corpus_sample import sample
from step_stories import reaching_outside, standing_apart, tiled_story, two_blocks, two_orders, written

from grader.explain.story import Mark
from grader.pages.pages import trace_page

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.in_turn(4)

MOST_BYTES = 1_000_000
Opened = Callable[..., Any]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("small"), tiled_story())


@pytest.fixture(scope="module")
def several(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("several"), two_orders())


def _now(page: Page) -> str:
    return page.locator(".stage .now").first.inner_text()


def _count(page: Page) -> str:
    return page.locator("#count").inner_text()


def _cell(page: Page, array: int, row: int, column: int, width: int) -> str:
    """The text of an element: arrays stand in the order of the page."""
    return page.locator(f".array >> nth={array} >> [data-cell='{row * width + column}']").inner_text()


def test_it_steps_on_and_back_and_the_memory_goes_with_it(opened: Opened, small: Path) -> None:
    shown = opened(small)
    page = shown.page
    assert "step 1 of " in _count(page)
    assert _now(page) == "Warp 0 reads A[0][0] … A[3][3] (16 elements) in line 4."
    assert _cell(page, 0, 0, 1, 4) == ""
    page.click("#on")
    assert _now(page) == "Warp 0 writes As[0][0] … As[3][3] (16 elements) in line 4."
    assert _cell(page, 0, 0, 1, 4) == "7"
    assert page.locator("li.current").get_attribute("data-line") == "4"
    page.click("#back")
    assert _cell(page, 0, 0, 1, 4) == ""
    assert page.locator("#back").is_disabled()
    page.click("#last")
    assert _now(page).startswith("Warp 0 writes C[0][0]")
    assert (shown.errors, shown.requests) == ([], [])


def test_a_button_leads_to_what_goes_wrong_and_after_the_last_to_the_first(opened: Opened, tmp_path: Path) -> None:
    plain = tiled_story()
    marks = tuple(Mark(step, "Data race: m", "bad") for step in (3, 7))
    story = replace(plain, runs=(replace(plain.runs[0], marks=marks),))
    page = opened(written(tmp_path, story)).page
    assert page.locator("#mistake").inner_text() == "Go to the race"
    for step in ("4", "8", "4"):
        page.click("#mistake")
        assert _count(page).startswith(f"step {step} of")
    assert 'id="mistake"' not in trace_page(plain)


def test_the_memory_is_the_same_whichever_way_a_step_is_reached(opened: Opened, tmp_path: Path) -> None:
    page = opened(written(tmp_path, tiled_story(32, 64))).page
    shown = {}
    for way in ([700, 40], [40]):
        for step in way:
            page.evaluate(f"location.hash = '#step={step}'")
            page.wait_for_function(f"document.getElementById('slider').value === '{step - 1}'")
        shown[tuple(way)] = page.locator(".arrays").first.inner_text()
    assert shown[700, 40] == shown[40,]


def test_barriers_lines_and_accesses_of_an_element_are_gone_to(opened: Opened, small: Path) -> None:
    page = opened(small).page
    page.click("#barrier-on")
    assert _now(page).startswith("Barrier in line 6")
    page.click("[data-line='10'] button")
    assert "line 10" in _now(page)
    page.click("#first")
    page.fill("#element", "As[1][2]")
    page.press("#element", "Enter")
    steps = []
    for _ in range(4):
        page.click("#access-on")
        steps.append(_now(page))
    # Stored once, read by its row at k = 2, and stored again for the second pair of tiles.
    assert [text.split(" in ")[0].split(" As")[0] for text in steps[:3]] == [
        "Warp 0 writes",
        "Warp 0 reads",
        "Warp 0 writes",
    ]
    page.click("#access-back")
    assert _now(page) == steps[2]


def test_a_thread_is_followed_and_its_lane_told(opened: Opened, small: Path) -> None:
    page = opened(small).page
    page.click("[data-thread='6']")
    assert page.locator("#followed").input_value() == "2,1,0"
    assert "Thread (2,1,0), lane 6 of warp 0" in page.locator(".about").inner_text()
    page.click("summary:has-text('Each lane')")
    row = page.locator(".each tr.picked")
    assert row.inner_text().split() == ["6", "(2,1,0)", "A[1][2]", "20"]
    page.fill("#followed", "warp 0")
    page.press("#followed", "Enter")
    assert page.locator("button.warp").first.get_attribute("aria-pressed") == "true"


def test_an_address_leads_to_the_step_the_thread_and_the_element(opened: Opened, small: Path) -> None:
    page = opened(small, "#step=12&thread=3,1&element=Bs[2][1]").page
    assert _count(page).startswith("step 12 of")
    assert page.locator("#followed").input_value() == "3,1,0"
    assert page.locator("#element").input_value() == "Bs[2][1]"
    page.click("#on")
    assert page.evaluate("location.hash") == "#step=13&thread=3,1,0&element=Bs%5B2%5D%5B1%5D"


@pytest.mark.parametrize(
    "fragment", ["#step=99999999&thread=77,1&element=X[0]", "#step=x&warp=-3", "#element=As[9999]&thread=1e9"]
)
def test_an_address_that_means_nothing_opens_the_page_all_the_same(opened: Opened, small: Path, fragment: str) -> None:
    shown = opened(small, fragment)
    assert "of" in _count(shown.page)
    assert shown.errors == []


def test_everything_is_done_with_the_keyboard_alone(opened: Opened, small: Path) -> None:
    page = opened(small).page
    page.keyboard.press("ArrowRight")
    assert _count(page).startswith("step 2 ")
    page.keyboard.press("Shift+ArrowRight")
    assert _now(page).startswith("Barrier")
    page.keyboard.press("Shift+ArrowLeft")
    page.keyboard.press("End")
    assert page.locator("#on").is_disabled()
    page.keyboard.press("Home")
    # By Tab to the first line's button, and from there.
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.closest('[data-line=\"7\"]') !== null"):
            break
    page.keyboard.press("Enter")
    assert "line 7" in _now(page)
    page.focus(".array .scroll >> nth=0")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    assert page.locator("#element").input_value() == "As[1][0]"
    page.keyboard.press("Control+ArrowLeft")
    assert "writes As[0][0]" in _now(page)


def test_requests_are_drawn_under_the_line_with_their_sectors_and_banks(opened: Opened, small: Path) -> None:
    page = opened(small).page
    # Four rows of four floats, each in a sector of its own; together they would fit into two.
    caption = page.locator(".current .requests figcaption")
    assert (
        caption.inner_text()
        == "1 request of 16 lanes: 4 sectors of 32 bytes; 2 would be enough if the words were neighbours."
    )
    assert page.locator(".requests .sector").count() == 4
    page.click("#on")
    assert caption.inner_text() == "1 request of 16 lanes: 1 pass over the banks; the least that is possible."
    assert page.locator(".requests .bank.on").count() == 16


@pytest.mark.parametrize("width", [320, 1100])
def test_requests_are_drawn_with_letters_of_one_size_on_any_screen(opened: Opened, small: Path, width: int) -> None:
    page = opened(small, "#step=2", width=width).page
    svg = page.locator(".current .requests svg")
    shown, drawn = svg.evaluate("one => [one.clientWidth, one.viewBox.baseVal.width]")
    assert abs(shown - drawn) <= 1
    texts = page.locator(".requests svg text").evaluate_all("all => all.map((one) => one.getBoundingClientRect())")
    picture = svg.bounding_box()
    assert all(picture["x"] <= one["x"] and one["x"] + one["width"] <= picture["x"] + shown + 1 for one in texts)
    rows: dict[int, list[tuple[float, float]]] = {}
    for one in texts:
        rows.setdefault(round(one["y"]), []).append((one["x"], one["x"] + one["width"]))
    assert all(left[1] <= right[0] + 0.5 for row in rows.values() for left, right in pairwise(sorted(row)))
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_question_stops_the_way_and_its_answer_is_told(opened: Opened, several: Path) -> None:
    page = opened(several).page
    for _ in range(9):
        page.keyboard.press("ArrowRight")
    assert _count(page).startswith("step 5 ")
    page.click("button:has-text('nothing')")
    assert "No: 7. Thread (1,0) has stored it." in page.locator(".question").inner_text()
    page.click("button:has-text('Go on')")
    assert _count(page).startswith("step 6 ")
    assert page.locator(".question").is_hidden()


def test_questions_can_be_turned_off(opened: Opened, several: Path) -> None:
    page = opened(several).page
    page.uncheck("#questions")
    for _ in range(9):
        page.click("#on")
    assert _count(page).startswith("step 10 ")


def test_a_question_of_the_first_step_is_asked_at_once_and_the_answers_are_folded_away(
    opened: Opened, tmp_path: Path
) -> None:
    story = two_orders()
    first = replace(story.questions[0], step=0)
    page = opened(written(tmp_path, replace(story, questions=(first,)))).page
    assert first.text in page.locator(".question").inner_text()
    assert not page.locator("details.summary p").is_visible()
    assert page.locator(".remarks").first.evaluate("one => getComputedStyle(one).visibility") == "hidden"
    page.locator(".question .choices button").first.click()
    assert page.locator(".remarks").first.evaluate("one => getComputedStyle(one).visibility") == "visible"
    page.click("details.summary summary")
    assert page.locator("details.summary p").inner_text() == story.summary.replace("`", "")


def test_two_runs_stand_beside_each_other_each_with_its_own_memory(opened: Opened, several: Path) -> None:
    page = opened(several, "#step=4").page
    stages = page.locator(".stage")
    assert [one.split("\n")[0] for one in stages.all_inner_texts()] == ["As it ran", "The other order"]
    assert "Here they differ." in stages.nth(1).inner_text()
    assert page.locator(".stage >> nth=1 >> i.marked").count() == 2  # the thread and the element
    boxes = [stages.nth(at).bounding_box() for at in range(2)]
    assert boxes[0] is not None
    assert boxes[1] is not None
    assert boxes[1]["x"] > boxes[0]["x"] + 100


def test_threads_of_two_blocks_are_told_apart_and_each_can_be_followed_and_linked(
    opened: Opened, tmp_path: Path
) -> None:
    file = written(tmp_path, two_blocks())
    shown = opened(file, "#step=2")
    page = shown.page
    assert page.locator(".stage >> nth=0 >> button.warp").all_inner_texts() == [
        "warp 0 of block (0,0,0)",
        "warp 0 of block (1,0,0)",
    ]
    assert _now(page).startswith("Thread (2,1,0) of block (1,0,0) reads")
    assert (
        page.locator(".stage >> nth=1 >> .now >> nth=0")
        .inner_text()
        .startswith("Thread (2,1,0) of block (0,0,0) reads")
    )
    page.click(".stage >> nth=0 >> [data-thread='1030']")
    assert page.locator("#followed").input_value() == "(2,1,0) of block (1,0,0)"
    assert page.locator("[data-thread='1030'].picked").count() == 2
    assert page.locator("[data-thread='6'].picked").count() == 0
    again = opened(file, page.evaluate("location.hash"))
    assert again.page.locator("#followed").input_value() == "(2,1,0) of block (1,0,0)"
    again.page.fill("#followed", "2, 1")
    again.page.press("#followed", "Enter")
    assert again.page.locator("[data-thread='6'].picked").count() == 2
    assert shown.errors == again.errors == []


def test_the_part_of_each_matrix_that_a_followed_thread_uses_is_outlined(opened: Opened, small: Path) -> None:
    page = opened(small).page
    outlined = page.locator(".place .own rect")
    assert outlined.count() == 0
    page.click("[data-thread='6']")
    assert outlined.count() > 0
    labels = [one.get_attribute("aria-label") or "" for one in page.locator(".place svg").all()]
    of_c = [one for one in labels if one.startswith("C")]
    assert "Thread (2,1,0) uses 1 element of it: C[1][2]." in of_c[0]


def test_source_and_names_never_become_markup(opened: Opened, small: Path) -> None:
    page = opened(small).page
    assert page.locator("li.has", has_text="not markup").count() == 1
    assert page.locator("b", has_text="not markup").count() == 0


def test_an_access_outside_is_drawn_beside_the_array_that_it_missed(opened: Opened, tmp_path: Path) -> None:
    shown = opened(written(tmp_path, reaching_outside()))
    page = shown.page
    page.click("#last")
    assert _now(page) == "Thread (1,0,0) would go outside of the array, to D[-1] in line 10."
    assert page.locator("i.outside.beyond").count() == 1
    assert page.locator(".place rect.beyond").count() == 1
    assert (
        page.locator(".place svg[aria-label^='D,']").get_attribute("aria-label")
        == "D, 8 \u00d7 8. Not used between these barriers. Now: D[-1], outside of it."
    )
    page.fill("#element", "D[-1]")
    page.press("#element", "Enter")
    assert shown.errors == []


def test_who_waits_where_and_who_has_left_is_drawn_and_told(opened: Opened, tmp_path: Path) -> None:
    shown = opened(written(tmp_path, standing_apart()), "#step=6")
    page = shown.page
    assert _now(page) == (
        "Barrier in line 6: threads wait at 2 different places. CUDA guarantees nothing then, and a GPU may hang. "
        "Here all of them go on."
    )
    assert page.locator(".standing li").all_inner_texts() == [
        "12 threads wait in line 6: (0,1,0) to (3,3,0).",
        "1 thread waits in line 8: (0,0,0).",
        "2 threads have left the kernel at its end: (1,0,0) to (2,0,0).",
        "1 thread was stopped in line 6: (3,0,0).",
    ]
    counts = {name: page.locator(f".threads i.{name}").count() for name in ("waits", "elsewhere", "left", "stopped")}
    assert counts == {"waits": 13, "elsewhere": 1, "left": 2, "stopped": 1}
    assert page.locator(".state").inner_text() == "12 wait at 6, 2 left, 1 stopped at 6, 1 wait at 8"
    assert shown.violations() == []
    page.click("#on")
    assert page.locator(".threads i.waits").count() == 0
    assert page.locator(".threads i.left").count() == 2


def test_a_shuffle_is_drawn_with_the_lane_that_each_value_comes_from(opened: Opened, tmp_path: Path) -> None:
    shown = opened(written(tmp_path, standing_apart()), "#step=7")
    page = shown.page
    assert _now(page) == "Warp 0, lanes 4, 5, do a shuffle in line 10."
    assert page.locator(".requests line").count() == 2
    assert page.locator(".requests line.lost").count() == 1
    assert "What lane 5 gets is undefined" in page.locator(".requests figcaption").inner_text()
    page.click("summary:has-text('Each lane')")
    rows = [row.split("\t") for row in page.locator(".each tbody tr").all_inner_texts()]
    assert [row[2:] for row in rows] == [["from lane 5", "1.5"], ["from lane 6", "undefined"]]
    assert (shown.errors, shown.violations()) == ([], [])


def test_axe_finds_no_violation(opened: Opened, several: Path) -> None:
    shown = opened(several, "#step=4&thread=1,0&element=As[0][1]")
    shown.page.click("summary:has-text('Each lane')")
    shown.page.keyboard.press("ArrowRight")
    shown.page.keyboard.press("ArrowRight")  # the question is open
    others = ((1280, "light", "screen"), (320, "dark", "screen"), (1280, "dark", "screen"))
    assert shown.violations_in(((320, "light", "screen"), *sample(others, 2))) == []


def test_a_block_of_1024_threads_of_a_product_of_64_fits_and_is_drawn_at_once(opened: Opened, tmp_path: Path) -> None:
    file = written(tmp_path, tiled_story(32, 64))
    assert file.stat().st_size < MOST_BYTES
    shown = opened(file)
    assert shown.page.locator(".threads [data-thread]").count() == 1024
    assert shown.page.locator("#count").inner_text() == "step 1 of 4,388"
    assert (shown.errors, shown.requests) == ([], [])


def test_on_paper_a_grid_of_many_columns_has_small_letters_and_is_not_cut(opened: Opened, tmp_path: Path) -> None:
    shown = opened(written(tmp_path, tiled_story(4, 64)), width=720)
    grid = "parseFloat(getComputedStyle(document.querySelector('.array.global .cells')).fontSize)"
    on_screen = shown.page.evaluate(grid)
    shown.page.emulate_media(media="print")
    assert shown.page.evaluate("document.documentElement.scrollWidth") == 720
    assert shown.page.evaluate(grid) < on_screen
