"""One lab on a terminal: everything a student needs, and nothing a submission can steer."""

from __future__ import annotations

import io
import re
from collections.abc import Callable

import pytest
from rich.console import Console

from grader.reports.terminal import render_lab
from grader.reports.verdict_table import LOOKS
from grader.result import Result, Verdict

Sample = tuple[Result, dict[str, str]]
Named = Callable[[str], Sample]


def printed(result: Result, lab_id: str, sources: dict[str, str], *, terminal: bool = False, width: int = 100) -> str:
    out = io.StringIO()
    console = Console(file=out, width=width, force_terminal=terminal, color_system="standard" if terminal else None)
    console.print(render_lab(lab_id, result.labs[lab_id], sources=sources))
    return out.getvalue()


def test_the_line_is_shown_with_a_caret_under_the_access(sample_named: Named) -> None:
    result, sources = sample_named("race")
    lines = printed(result, "02-tiled", sources).splitlines()
    at = next(n for n, line in enumerate(lines) if line.startswith("▸21 │"))
    start = lines[at].index("As[ty][k]")
    assert lines[at + 1].index("^^^^^^^^^ thread (0, 1, 0)") == start
    assert lines[at + 1].endswith("reads As[0][1]")


def test_verdict_shape_block_thread_and_next_step_are_on_the_screen(sample_named: Named) -> None:
    result, sources = sample_named("race")
    text = printed(result, "02-tiled", sources, width=200)
    for part in ("Data race", "2 of 12 points", "✓ multiplies one pair of tiles", "⇄ walks along K", "M=32 N=32 K=64"):
        assert part in text
    assert "thread (0, 1, 0) · block (0, 0, 0) · element As[0][1]" in text
    assert text.rstrip().endswith(
        "Look at next: Who may still be reading the tile when the loop comes round and fills it again?"
    )


def test_every_lab_of_every_sample_fits_a_narrow_window(sample: Sample) -> None:
    result, sources = sample
    for lab_id in result.labs:
        text = printed(result, lab_id, sources, width=60)
        assert max(len(line) for line in text.splitlines()) <= 60


def test_the_mistake_of_each_sample_fits_a_screen(sample_named: Named) -> None:
    for name, lab_id in (("race", "02-tiled"), ("out-of-bounds", "01-naive"), ("wrong-answer", "03-boundary")):
        result, sources = sample_named(name)
        assert len(printed(result, lab_id, sources).splitlines()) <= 50


def test_plain_where_it_is_no_terminal_and_coloured_where_it_is(sample_named: Named) -> None:
    result, sources = sample_named("race")
    assert "\x1b" not in printed(result, "02-tiled", sources)
    coloured = printed(result, "02-tiled", sources, terminal=True)
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == printed(result, "02-tiled", sources)


def test_a_submission_can_neither_style_nor_steer_the_terminal(sample_named: Named) -> None:
    result, sources = sample_named("hostile")
    lab_id, lab = next(iter(result.labs.items()))
    finding = lab.findings[0].model_copy(update={"message": "[bold red]loud[/] [link=file:///x]y[/link] :smile:"})
    result = result.model_copy(update={"labs": {lab_id: lab.model_copy(update={"findings": (finding,)})}})
    text = printed(result, lab_id, sources, width=400)
    assert "[bold red]loud[/] [link=file:///x]y[/link] :smile:" in text
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text)


@pytest.mark.parametrize("verdict", list(Verdict))
def test_every_verdict_can_be_printed(sample_named: Named, verdict: Verdict) -> None:
    result, sources = sample_named("race")
    lab = result.labs["02-tiled"].model_copy(update={"verdict": verdict, "findings": ()})
    text = printed(result.model_copy(update={"labs": {"02-tiled": lab}}), "02-tiled", sources)
    assert text.startswith(f"{LOOKS[verdict].glyph} {LOOKS[verdict].label}")
