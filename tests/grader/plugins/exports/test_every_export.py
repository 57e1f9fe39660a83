"""What is true of every export: it tells no secret of a hidden case, and nothing that a student writes breaks it."""

from __future__ import annotations

import pytest
from export_class import ALAN, HIDDEN_SHAPE, export, make_result, small_class, unpacked

from grader.roll.batch.plugin import Export, registered


def test_the_class_of_these_tests_holds_a_secret() -> None:
    assert HIDDEN_SHAPE in small_class()[1].model_dump_json()


@pytest.mark.parametrize("name", [one.name for one in registered(Export)])
def test_no_secret_of_a_hidden_case_is_in_it(name: str) -> None:
    made = export(name, small_class())
    assert made.files
    for data in unpacked(made).values():
        for word in (HIDDEN_SHAPE, "As[97]", '"startLine": 33', "k.cu:33"):
            assert word.encode() not in data
            assert word.encode("utf-16-le") not in data
    assert HIDDEN_SHAPE not in "".join(made.notices)


@pytest.mark.parametrize("name", [one.name for one in registered(Export)])
def test_an_empty_class_is_exported_too(name: str) -> None:
    made = export(name, [])
    assert {one.path.split("/")[0] for one in made.files} <= {"exports", "grades.csv"}
    assert "student" not in "".join(made.notices)


@pytest.mark.parametrize("one", registered(Export), ids=[one.name for one in registered(Export)])
def test_every_file_lies_where_its_format_says(one: Export) -> None:
    for file in export(one.name, small_class()).files:
        assert file.path.startswith(one.file.rstrip("*"))
        assert ".." not in file.path.split("/")


@pytest.mark.parametrize("name", [one.name for one in registered(Export)])
def test_text_that_is_no_unicode_breaks_no_export(name: str) -> None:
    alan = small_class()[1]
    lab = alan.labs["01-a"]
    finding = lab.findings[0].model_copy(update={"message": "a\ud800\0\x1b", "file": "k\udcff.cu", "line": 0})
    case = lab.cases[0].model_copy(update={"message": "a\ud800\0\x1b", "launches": ()})
    broken = lab.model_copy(update={"cases": (case, lab.cases[1]), "findings": (finding,)})
    student = ALAN.model_copy(update={"name": "A\ud800lan\0", "section": "\udcff"})
    made = export(name, [make_result("alan", student, broken, downloaded=("a_1_2_\udcff",))])
    assert all(b"\xed\xa0\x80" not in data for data in unpacked(made).values())
