"""The section of docs/evidence.md on predicted and measured order is that of the recorded counts and times."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def test_the_predicted_order_in_the_benchmarks_is_current(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    page = importlib.import_module("speed_order_table")
    written = page.SECTION.document.read_text(encoding="utf-8")
    assert page.SECTION.replaced(page.section(), written) == written, "run docs/speed_order_table.py --write"
