"""The write-ups are correct: figures and the worked trace are current, points match the grading files, questions have answers."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

from grader.cli.proofs import page_proofs
from grader.cli.proofs.page_proofs import wrong_points
from grader.course.answer_check import check_answers
from grader.course.question_file import load_questions
from grader.model.labs import lab_ids, load_lab

ROOT = Path(__file__).resolve().parents[2]
FIGURES = ROOT / "assignments" / "figures"
WRITE_UPS = {lab_id: ROOT / "assignments" / lab_id / "README.md" for lab_id in lab_ids(ROOT)}
WITH_FIGURES = [
    "00-first-program",
    "01-naive",
    "02-tiled",
    "03-boundary",
    "04-open",
    "05-transpose",
    "06-reduction",
    "07-histogram",
    "08-scan",
    "09-convolution",
    "10-softmax",
]


def text_of(lab_id: str) -> str:
    return WRITE_UPS[lab_id].read_text(encoding="utf-8")


def section(lab_id: str, title: str) -> str:
    return text_of(lab_id).split(f"\n## {title}\n", 1)[1].split("\n## ", 1)[0]


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(Path(name).stem, ROOT / "docs" / name)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_figure_is_what_its_script_draws_and_none_is_drawn_by_hand() -> None:
    assert [str(problem) for problem in page_proofs.outdated_figures(ROOT)] == []
    assert sorted(page_proofs.drawn(ROOT)) == sorted(path.name for path in FIGURES.iterdir())


def test_every_figure_is_shown_and_described() -> None:
    shown: dict[str, str] = {}
    for lab_id in WRITE_UPS:
        shown |= {name: words for words, name in re.findall(r"!\[([^\]]*)\]\(\.\./figures/([^)]+)\)", text_of(lab_id))}
    assert sorted(shown) == sorted(path.name for path in FIGURES.iterdir())
    assert [name for name, words in shown.items() if len(words) < 20] == []


@pytest.mark.parametrize("lab_id", WITH_FIGURES)
def test_a_write_up_has_its_pictures(lab_id: str) -> None:
    assert text_of(lab_id).count("](../figures/") >= 2


@pytest.mark.parametrize("lab_id", WRITE_UPS)
def test_what_a_command_printed_is_what_it_prints_now(lab_id: str) -> None:
    page = WRITE_UPS[lab_id].relative_to(ROOT).as_posix()
    assert [str(problem) for problem in page_proofs.outdated(ROOT, page)] == []


def test_the_worked_trace_is_made_by_a_command() -> None:
    commands = [one.command for one in page_proofs.passages(text_of("02-tiled"))]
    assert commands[0] == ".venv/bin/python docs/trace_example.py"


@pytest.mark.parametrize("lab_id", [lab_id for lab_id in WRITE_UPS if load_lab(ROOT, lab_id).public.speed_points])
def test_what_gives_points_for_speed_is_told_before_from_the_labs_files(lab_id: str) -> None:
    commands = [one.command for one in page_proofs.passages(text_of(lab_id))]
    assert f".venv/bin/python docs/speed_points.py {lab_id}" in commands


@pytest.fixture(scope="module")
def trace() -> ModuleType:
    return script("trace_example.py")


def test_the_worked_trace_is_the_product() -> None:
    a = [[4 * i + j % 4 + 1 + 16 * (j // 4) for j in range(8)] for i in range(8)]
    product = [[sum(a[i][k] * a[j][k] for k in range(8)) for j in range(4)] for i in range(4)]
    assert product[:2] == [[1404, 1740, 2076, 2412], [1740, 2204, 2668, 3132]]
    shown = section("02-tiled", "An example by hand")
    assert "\n".join(" ".join(map(str, row)) for row in product) in shown
    for row in ("| 30 | 30 |", "| 70 | 70 |", "| 1374 | 1404 |", "| 1670 | 1740 |"):
        assert row in shown


def test_the_worked_page_is_what_a_run_gives_and_shows_nothing_of_the_solution(
    trace: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    worked = script("worked_page.py")
    html = worked.PAGE.read_text(encoding="utf-8")
    remedy = "run .venv/bin/python docs/worked_page.py"
    assert html == worked.page(trace.traced()), remedy
    assert len(html) < 1_000_000
    assert "](worked-example.html)" in section("02-tiled", "An example by hand")
    solution = (ROOT / "solutions" / "02-tiled" / "matmul_tiled.cu").read_text(encoding="utf-8")
    names = {"matmul_tiled", "__syncthreads", "blockIdx", "threadIdx"}
    lines = {line.strip() for line in solution.splitlines() if len(line.strip()) > 12}
    shown = html.split("<script")[0] + _data(html)
    assert [one for one in names | lines if one in shown] == []


def _data(page: str) -> str:
    """What a page shows of its block."""
    return page.split('<script type="application/json"')[1].split("</script>", maxsplit=1)[0]


# A change of the kernel, and the text that only one of the two tables then contains: four phases; a second barrier at the end of
# the first phase; for thread (1,0) the sum of (k + 1)(4k + 2), k < 4.
CHANGES = {
    "another tile": (b"constexpr int tile = 4;", b"constexpr int tile = 2;", "Phase 3, computing"),
    "no second barrier": (
        b"    __syncthreads();  // everybody is done",
        b"    // everybody is done",
        "Phase 1, computing",
    ),
    "a swapped index": (b"As[ty][k] * Bs[k][tx]", b"As[ty][k] * Bs[tx][k]", "| 100 | 100 |"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_the_worked_trace_changes_with_its_kernel(change: str, trace: ModuleType) -> None:
    original, (old, new, said) = trace.worked_source(), CHANGES[change]
    assert original.count(old) == 1
    before, after = (trace.tables(trace.traced(source)) for source in (original, original.replace(old, new)))
    assert (said in before) == (change == "no second barrier")
    assert (said in after) != (said in before)


@pytest.mark.parametrize("lab_id", WRITE_UPS)
def test_the_points_are_those_that_are_given(lab_id: str) -> None:
    found = wrong_points(load_lab(ROOT, lab_id), text_of(lab_id), f"assignments/{lab_id}/README.md")
    assert [str(problem) for problem in found] == []


@pytest.mark.parametrize("lab_id", WRITE_UPS)
def test_every_question_has_an_answer_that_students_do_not_get(lab_id: str) -> None:
    answers = (ROOT / "solutions" / lab_id / "answers.md").read_text(encoding="utf-8")
    questions = load_questions(load_lab(ROOT, lab_id))
    assert questions is not None
    asked = re.findall(r"^(\d)\. ", section(lab_id, "Questions"), re.MULTILINE)
    assert asked == [str(number) for number in range(1, len(questions.questions) + 1)]
    assert re.findall(r"^(\d)\. ", answers, re.MULTILINE) == asked


@pytest.mark.parametrize("lab_id", WITH_FIGURES)
def test_a_lab_asks_first_what_will_be_seen_and_has_numbers_that_check_themselves(lab_id: str) -> None:
    questions = load_questions(load_lab(ROOT, lab_id))
    assert questions is not None
    before = [bool(one.before) for one in questions.questions]
    assert before[0]
    assert sorted(before, reverse=True) == before
    assert sum(len(one.number) for one in questions.questions) >= 2
    assert questions.seals.keys() == questions.numbers.keys()


@pytest.mark.parametrize("lab_id", WRITE_UPS)
def test_no_right_number_stands_in_what_a_form_holds(lab_id: str) -> None:
    questions = load_questions(load_lab(ROOT, lab_id))
    assert questions is not None
    form = check_answers((WRITE_UPS[lab_id].parent / "answers.md").read_text(encoding="utf-8"), questions)
    assert [one.label for one in form.numbers if one.state != "open"] == []
    assert not any(one.has_words for one in form.questions)
    assert (form.strays, form.notices) == ("", ())


@pytest.mark.parametrize("lab_id", WRITE_UPS)
def test_a_write_up_says_what_every_write_up_says(lab_id: str) -> None:
    lab, text = load_lab(ROOT, lab_id), text_of(lab_id)
    headings = re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert headings[0] == "What you will learn"
    assert headings[-3:] == ["What to do", "How it is graded", "Questions"]
    for name in (lab.public.file, *(signature.split("(")[0] for signature in lab.public.entries)):
        assert f"`{name}`" in text


def test_the_barrier_is_misspelt_only_where_a_write_up_warns_of_it() -> None:
    wrong = {
        lab_id: re.findall(r"^.*__[sS]ync_?[tT]hreads\b(?<!__syncthreads).*$", text_of(lab_id), re.MULTILINE)
        for lab_id in WRITE_UPS
    }
    assert {lab_id: len(lines) for lab_id, lines in wrong.items() if lines} == {"02-tiled": 1}
    assert wrong["02-tiled"][0].startswith("> ")


def test_the_measured_speeds_in_figures_and_tables_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "figures"))
    speeds = script("figures/speed_figures.py")
    tables = {
        lab_id: re.findall(r"^\| (1024|4096) \| ([^|]+) \| ([^|]+) \| ([^|]+) \|", text_of(lab_id), re.MULTILINE)
        for lab_id in WRITE_UPS
    }
    drawn = {"1024": [one[2] for one in speeds.AT_1024], "4096": [one[1] for one in speeds.AT_4096[:3]]}
    assert {lab_id for lab_id, rows in tables.items() if rows} == {"04-open"}  # one table has them
    assert {size: [float(cell.split()[0]) for cell in cells] for size, *cells in tables["04-open"]} == drawn
