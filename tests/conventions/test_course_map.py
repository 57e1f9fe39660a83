"""The course's map shows the labs that there are, and what comes before each: it is drawn from their files."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest

from grader.model.labs import lab_ids, load_lab

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "figures"))
    return runpy.run_path(str(ROOT / "docs" / "figures" / "course_map.py"))


def test_the_map_is_what_its_script_draws(script: dict[str, Any]) -> None:
    assert script["MAP"].read_text(encoding="utf-8") == script["current"](), "run docs/figures/course_map.py"


def test_the_readme_shows_the_map_and_names_every_lab() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "](docs/img/course-map.svg)" in text
    assert [lab for lab in lab_ids(ROOT) if f"[`{lab}`](assignments/{lab}/README.md)" not in text] == []


def test_every_lab_that_is_needed_is_there_and_stands_further_left(script: dict[str, Any]) -> None:
    labs = {lab: load_lab(ROOT, lab) for lab in lab_ids(ROOT)}
    places = script["places_of"](labs)
    assert len(set(places.values())) == len(labs)
    for name, lab in labs.items():
        assert [one for one in lab.public.needs if places[one][0] >= places[name][0]] == []


def test_labs_that_need_each_other_are_an_error(script: dict[str, Any]) -> None:
    first = load_lab(ROOT, "02-tiled")
    public = first.public.model_copy(update={"needs": ("02-tiled",)})
    with pytest.raises(ValueError, match="in a circle: 02-tiled"):
        script["columns_of"]({"02-tiled": type(first)("02-tiled", public, None, first.public_dir, None)})
