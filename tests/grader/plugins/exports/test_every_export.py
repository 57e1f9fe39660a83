"""What is true of every export: it tells no secret of a hidden case, and nothing that a student writes breaks it."""

from __future__ import annotations

import re
import unicodedata

import pytest
from export_class import ALAN, HIDDEN_SHAPE, export, make_result, small_class, unpacked
from pydantic import BaseModel

from grader.model.result import Build
from grader.roll.batch.plugin import Export, registered

_CHOICES = {"public", "hidden", "full", "verdict", "none", "correctness", "technique"}  # of what no student chooses


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


_HOSTILE = "a\x1b[2Jb\u202egpj.cu\u2066\x9b\u200b"


@pytest.mark.parametrize("name", [one.name for one in registered(Export)])
def test_no_sign_that_nobody_sees_reaches_it(name: str) -> None:
    ada, alan = small_class()[:2]

    def hostile(value: object) -> object:
        if isinstance(value, BaseModel):
            pairs = ((field, getattr(value, field)) for field in type(value).model_fields)
            return value.model_copy(update={field: hostile(one) for field, one in pairs})
        if isinstance(value, tuple):
            return tuple(map(hostile, value))
        return _HOSTILE if type(value) is str and value not in _CHOICES else value

    built = Build(ok=False, log=_HOSTILE, seconds=0)
    labs = [hostile(one.labs["01-a"].model_copy(update={"build": built, "comment": "x"})) for one in (ada, alan)]
    made = export(
        name, [one.model_copy(update={"labs": {"01-a": lab}}) for one, lab in zip((ada, alan), labs, strict=True)]
    )
    for path, data in unpacked(made).items():
        if path.endswith(".zip"):  # its files follow
            continue
        text = data.decode("utf-16" if path.endswith(".xls") else "utf-8")
        found = {one for one in text if unicodedata.category(one) in {"Cc", "Cf"} and one not in "\r\n\t\ufeff"}
        assert found == set(), path
        assert not re.search(r"\\u(001b|202e|2066|009b|200b)", text), path  # as JSON may write them


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
