"""What a student sees on a terminal: one screen has everything that is needed, and a submission cannot control the terminal."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Sequence

import pytest
from rich.console import Console, Group

from grader.model.result import Case, LabResult, Launch, Result
from grader.model.verdicts import TECHNIQUE_MISSED, Verdict
from grader.pages.screens.first_mistake import Detail, Tried, mismatch_view
from grader.pages.screens.lab_screen import Screen

Sample = tuple[Result, dict[str, str]]
Named = Callable[[str], Sample]
MISTAKES = (("race", "02-tiled"), ("out-of-bounds", "01-naive"), ("wrong-answer", "03-boundary"))


def tried(sample: Sample, lab_id: str, *, untouched: bool = False) -> Tried:
    result, sources = sample
    lab = result.labs[lab_id]
    return Tried(lab_id, lab, sources.get(lab.file, ""), f"assignments/{lab_id}/{lab.file}", untouched=untouched)


def printed(screen: Screen, *, terminal: bool = False, width: int = 100) -> str:
    out = io.StringIO()
    console = Console(file=out, width=width, force_terminal=terminal, color_system="standard" if terminal else None)
    console.print(screen)
    return out.getvalue()


def alone(one: Tried, *, lines: int | None = None, width: int = 100, terminal: bool = False) -> str:
    return printed(Screen([one], one, lines=lines), width=width, terminal=terminal)


def with_lab(sample: Sample, lab_id: str, **changes: object) -> Sample:
    result, sources = sample
    lab = result.labs[lab_id].model_copy(update=changes)
    return result.model_copy(update={"labs": {**result.labs, lab_id: lab}}), sources


def test_the_line_is_shown_with_a_caret_under_the_access(sample_named: Named) -> None:
    lines = alone(tried(sample_named("race"), "02-tiled")).splitlines()
    at = next(n for n, line in enumerate(lines) if line.startswith("▸21 │"))
    start = lines[at].index("As[ty][k]")
    assert lines[at + 1].index("^^^^^^^^^ thread (0,1,0)") == start
    assert lines[at + 1].endswith("reads As[0][1]")


def test_verdict_shape_block_thread_and_next_step_are_on_the_screen(sample_named: Named) -> None:
    text = alone(tried(sample_named("race"), "02-tiled"), width=200)
    for part in ("Data race", "tests pass", "✓ multiplies one pair of tiles", "▸ ⇄ walks along K", "M=32 N=32 K=64"):
        assert part in text
    assert re.search(r"block \(0,0,0\) · thread \(0,1,0\) · [\d,]+ times in all\n", text)
    assert "Look at next: Who may still be reading the tile when the loop comes round and fills it again?" in text


@pytest.mark.parametrize(("width", "lines"), [(80, 21), (100, 27)])
def test_every_lab_of_every_sample_fits_the_window(sample: Sample, width: int, lines: int) -> None:
    for lab_id in sample[0].labs:
        rows = alone(tried(sample, lab_id), lines=lines, width=width).splitlines()
        assert len(rows) <= lines
        assert max(len(row) for row in rows) <= width


@pytest.mark.parametrize("width", [30, 60])
def test_nothing_runs_past_a_narrow_window(sample: Sample, width: int) -> None:
    for lab_id in sample[0].labs:
        assert max(len(row) for row in alone(tried(sample, lab_id), width=width).splitlines()) <= width


def test_the_first_mistake_stays_whole_where_the_window_is_small(sample_named: Named) -> None:
    for name, lab_id in MISTAKES:
        small = alone(tried(sample_named(name), lab_id), lines=1, width=80)
        large = alone(tried(sample_named(name), lab_id), lines=100, width=80)
        assert len(small.splitlines()) < len(large.splitlines())
        assert "Look at next: " in small
        if name != "wrong-answer":
            assert "^" in small


def test_a_case_that_failed_is_a_line_and_its_finding_is_shown_once(sample_named: Named) -> None:
    sample = sample_named("race")
    finding = sample[0].labs["02-tiled"].findings[0]
    text = alone(tried(sample, "02-tiled"), width=400)
    assert text.count(finding.message) == 1


def test_further_findings_are_counted_and_the_page_is_named(sample_named: Named) -> None:
    sample = sample_named("race")
    first = sample[0].labs["02-tiled"].findings[0]
    many = tuple(first.model_copy(update={"line": line}) for line in range(10, 30))
    text = alone(tried(with_lab(sample, "02-tiled", findings=many), "02-tiled"), lines=27)
    assert re.search(r"1\d (more|other) findings", text)
    assert "make report LAB=02-tiled" in text


def test_what_has_the_same_cause_is_told_before_what_has_another(sample_named: Named) -> None:
    sample = sample_named("race")
    first = sample[0].labs["02-tiled"].findings[0]
    same = first.model_copy(update={"line": 22, "array": "Bs", "element": "Bs[0][1]"})
    other = first.model_copy(update={"kind": Verdict.OUT_OF_BOUNDS, "line": 40, "array": "C", "element": "C[9]"})
    text = " ".join(alone(tried(with_lab(sample, "02-tiled", findings=(first, other, same)), "02-tiled")).split())
    assert "Same cause: data race in line 22, Bs[0][1]. Also: out of bounds in line 40, C[9]. To see everything" in text


def test_the_same_cause_does_not_repeat_the_line_that_is_shown(sample_named: Named) -> None:
    sample = sample_named("race")
    first = sample[0].labs["02-tiled"].findings[0]
    again = first.model_copy(update={"thread": (5, 5, 0)})
    text = alone(tried(with_lab(sample, "02-tiled", findings=(first, again)), "02-tiled"))
    assert "data race in line" not in text


def test_the_map_of_wrong_elements_has_at_most_twelve_rows(sample_named: Named) -> None:
    sample = sample_named("wrong-answer")
    lab = sample[0].labs["03-boundary"]
    mismatch = next(one.mismatch for case in lab.cases for one in case.launches if one.mismatch)
    drawn = ("." * 32, *["." * 31 + "#"] * 30, "o" * 32)
    assert mismatch is not None
    larger = mismatch.model_copy(
        update={"picture": drawn, "cell_rows": 2, "cell_columns": 1, "rows": 64, "columns": 32}
    )
    launch = Launch(shape="s", inputs="i", verdict=Verdict.WRONG_ANSWER, mismatch=larger)
    out = io.StringIO()
    Console(file=out, width=80, color_system=None).print(Group(*mismatch_view(launch, Detail(1, 0, 12), 80)))
    rows = [line.strip() for line in out.getvalue().splitlines() if set(line.strip()) <= set(".#o") and line.strip()]
    assert (rows[0], rows[1], rows[-1], len(rows)) == ("..........#", "..........#", "oooooooooo#", 11)
    assert "one sign for 6 by 3 elements" in out.getvalue()


def test_a_long_line_is_cut_so_that_the_caret_is_seen(sample_named: Named) -> None:
    sample = sample_named("race")
    result, sources = sample
    lines = next(iter(sources.values())).split("\n")
    name = result.labs["02-tiled"].file
    for pad in (30, 60, 150):
        padded = [f"{'x' * pad} {line}" if n in {17, 20} else line for n, line in enumerate(lines)]
        rows = alone(tried((result, {name: "\n".join(padded)}), "02-tiled"), width=80).splitlines()
        at = next(n for n, row in enumerate(rows) if row.startswith("▸21 │"))
        assert rows[at].index("As[ty][k]") == rows[at + 1].index("^^^^^^^^^")
        assert any("thread (0,1,0) reads As[0][1]" in row for row in rows[at + 1 : at + 3])


def test_a_course_is_a_bar_a_line_for_each_lab_and_the_first_mistake(sample_named: Named) -> None:
    sample = sample_named("race")
    all_labs: Sequence[Tried] = [tried(sample, lab_id) for lab_id in sample[0].labs]
    focus = next(one for one in all_labs if one.lab_id == "02-tiled")
    text = printed(Screen(all_labs, focus, lines=21), width=80)
    rows = text.splitlines()
    assert len(rows) <= 21
    assert "█" in rows[0]
    assert "░" in rows[0]
    assert rows[1].startswith("  ✓ 01-naive")
    assert rows[2].startswith("▸ ⇄ 02-tiled")
    assert "Data race: " in text


def test_a_course_that_passes_says_so(sample_named: Named) -> None:
    sample = sample_named("pass")
    text = printed(Screen([tried(sample, lab_id) for lab_id in sample[0].labs], None))
    assert text.rstrip().endswith("Every test passes.")


def test_a_lab_that_passes_names_the_next(sample_named: Named) -> None:
    one = tried(sample_named("pass"), "01-naive")
    assert "make test LAB=02-tiled" in printed(Screen([one], one, next_lab="02-tiled"))


def test_a_starter_as_it_was_handed_out_says_where_to_begin(sample_named: Named) -> None:
    sample = sample_named("wrong-answer")
    result, _ = sample
    name = result.labs["03-boundary"].file
    text = alone(tried((result, {name: "// a\n// TODO: sum the row\n"}), "03-boundary", untouched=True))
    assert "Not started" in text
    assert "2 │ // TODO: sum the row" in text
    assert "assignments/03-boundary/README.md" in text
    assert "Wrong answer" not in text


def test_a_technique_that_is_missed_is_no_pass(sample_named: Named) -> None:
    sample = sample_named("pass")
    lab: LabResult = sample[0].labs["02-tiled"]
    missed: Case = lab.cases[-1].model_copy(
        update={"role": "technique", "passed": False, "verdict": Verdict.PASS, "message": "loads 3,000 times"}
    )
    one = tried(with_lab(sample, "02-tiled", cases=(*lab.cases[:-1], missed)), "02-tiled")
    assert not one.passed
    text = alone(one, width=200)
    assert text.startswith("≈ Passed, technique missed  02-tiled")
    assert "loads 3,000 times" in text


def test_plain_where_it_is_no_terminal_and_coloured_where_it_is(sample_named: Named) -> None:
    one = tried(sample_named("race"), "02-tiled")
    assert "\x1b" not in alone(one)
    assert re.sub(r"\x1b\[[0-9;]*m", "", alone(one, terminal=True)) == alone(one)


def test_a_submission_can_neither_style_nor_steer_the_terminal(sample_named: Named) -> None:
    result, sources = sample_named("hostile")
    lab_id, lab = next(iter(result.labs.items()))
    finding = lab.findings[0].model_copy(update={"message": "[bold red]loud[/] [link=file:///x]y[/link] :smile:"})
    one = tried(with_lab((result, sources), lab_id, findings=(finding,)), lab_id)
    text = alone(one, width=400)
    assert "[bold red]loud[/] [link=file:///x]y[/link] :smile:" in text
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text)


@pytest.mark.parametrize("verdict", list(Verdict))
def test_every_verdict_can_be_printed(sample_named: Named, verdict: Verdict) -> None:
    one = tried(with_lab(sample_named("race"), "02-tiled", verdict=verdict, findings=()), "02-tiled")
    look = TECHNIQUE_MISSED if verdict is Verdict.PASS else verdict.facts
    assert alone(one).startswith(f"{look.glyph} {look.label}")
