"""Scores an outcome and renders every page, screen and export of it, as a batch would. Raises whatever one of them raises."""

from __future__ import annotations

import json
import runpy
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from fuzzer import WrongError

from grader.model.labs import Lab
from grader.model.outcome import LabOutcome
from grader.model.result import LabResult
from grader.run.scoring.lab_score import score_lab

_render_everything: Callable[[str, LabResult, str], list[str]] = runpy.run_path(
    str(Path(__file__).resolve().parents[1] / "labs" / "every_page.py")
)["render_everything"]
_TURNING = frozenset({"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"})
_MOST_BYTES = 32 << 20  # of one page


def render_outcome(lab: Lab, outcome: LabOutcome, source: str) -> LabResult:
    """The result, whose pages were all made."""
    result = score_lab(lab, outcome)
    for text in _render_everything(lab.id, result, source):
        if len(text.encode()) > _MOST_BYTES:
            message = f"a page has {len(text.encode())} bytes"
            raise WrongError(message)
        if "<script>alert(" in text and "<!doctype html" in text[:200].lower():
            message = "a page holds a script of the submission's"
            raise WrongError(message)
    return result


def check_tame(result: LabResult) -> None:
    """What a runner said holds no character that moves a cursor or turns text around, except for what a kernel printed."""
    for text in _texts(json.loads(result.model_dump_json())):
        if any(map(_is_wild, text)):
            message = f"a result holds a control character: {text[:80]!r}"
            raise WrongError(message)


def _is_wild(one: str) -> bool:
    return (unicodedata.category(one) == "Cc" and one not in "\n\t") or unicodedata.bidirectional(one) in _TURNING


def _texts(tree: Any) -> Iterator[str]:  # noqa: ANN401 -- any JSON
    if isinstance(tree, str):
        yield tree
    for one in tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else ():
        yield from _texts(one)
