"""A lab is a pair of folders with the same few files. Its starter is generated, current, and contains no solution."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.course.starters import stale
from grader.model.labs import lab_ids, load_lab

ROOT = Path(__file__).resolve().parents[2]
LABS = lab_ids(ROOT)


def test_every_starter_is_current_and_no_solution_shows() -> None:
    assert [str(problem) for problem in stale(ROOT)] == []


def test_both_halves_hold_the_same_labs() -> None:
    assert LABS
    assert sorted(path.name for path in (ROOT / "solutions").iterdir() if path.is_dir()) == LABS


@pytest.mark.parametrize("lab_id", LABS)
def test_a_lab_has_its_files_and_no_others(lab_id: str) -> None:
    spec = load_lab(ROOT, lab_id).public
    file, headers = spec.file, {name.split("/")[0] for name in spec.headers}
    public = {path.name for path in (ROOT / "assignments" / lab_id).iterdir()}
    if "](worked-example.html)" in (ROOT / "assignments" / lab_id / "README.md").read_text(encoding="utf-8"):
        public.remove("worked-example.html")  # a page that steps through the write-up's example
    private = {path.name for path in (ROOT / "solutions" / lab_id).iterdir()}
    public.discard("worked-example.html")  # a page that a write-up links, where it has one
    numbers = "numbers.toml" in private  # what is right, where questions ask for numbers; students get its seals
    questions = {"questions.toml", "answers.md", *(["seals.toml"] if numbers else [])}
    assert public == {"lab.toml", "README.md", "Makefile", "public_tests.cpp", file, *questions, *headers}
    private.discard("numbers.toml")
    private.discard("survivors.toml")  # mutants that compute the same, where there are any
    private.discard("ladder")  # kernels that climb from the model to the best, one step each, where it has them
    private.discard("faster")  # kernels beside the model that move no tier, where it has some
    assert private == {"grading.toml", "hidden_tests.cpp", "rejects", "answers.md", file}


@pytest.mark.parametrize("lab_id", LABS)
def test_a_lab_says_its_names_in_its_starter(lab_id: str) -> None:
    lab = load_lab(ROOT, lab_id)
    text = (lab.public_dir / lab.public.file).read_text(encoding="utf-8")
    for signature in lab.public.entries:
        assert f" {signature.split('(')[0]}(" in text
    assert lab.private is not None
    assert lab.public.case
    assert lab.private.case


@pytest.mark.parametrize("lab_id", LABS)
def test_a_case_has_the_title_of_a_test(lab_id: str) -> None:
    lab = load_lab(ROOT, lab_id)
    assert lab.private is not None
    halves = [(lab.public_dir / "public_tests.cpp", lab.public.case)]
    halves.append((ROOT / "solutions" / lab_id / "hidden_tests.cpp", lab.private.case))
    for path, cases in halves:
        text = path.read_text(encoding="utf-8")
        assert [case.name for case in cases if f'"{case.name}"' not in text] == []
        assert text.count("TEST_CASE(") == len(cases)
