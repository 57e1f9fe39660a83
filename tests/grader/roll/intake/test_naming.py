"""Names from uploads: similar names that are noticed, and text that is safe to print."""

from __future__ import annotations

import pytest

from grader.model.written_names import clean, is_junk, is_prefixed, is_variant, nearly

ASKED = "matmul_naive.cu"


@pytest.mark.parametrize(
    "name",
    [
        "Matmul_Naive.cu", "matmul_naive.CU", "matmul_naive(2).cu", "matmul_naive (1).cu", "matmul_naive - Copy.cu",
        "matmul_naive_final.cu", "matmul_naive.cu.txt", "matmul_naive.cpp", "matmul-naive.cu", "matmulnaive.cu",
        "matmul_navie.cu", "matmul_naiv.cu", "matmul_naives.cu", "matmul_naive_v2.cu", "matmul_naive",
    ],
)  # fmt: skip
def test_sees_what_was_meant(name: str) -> None:
    assert nearly(ASKED, [name]) == [name]


@pytest.mark.parametrize(
    "name", [ASKED, "matmul_tiled.cu", "matmul.cu", "naive.cu", "notes.txt", "matmul_boundary.cu", "", ".cu"]
)
def test_sees_nothing_in_other_names(name: str) -> None:
    assert nearly(ASKED, [name]) == []


def test_short_names_are_not_taken_for_each_other() -> None:
    assert nearly("a.cu", ["b.cu"]) == []


def test_what_is_shown_holds_no_control_characters() -> None:
    assert clean("a\x1b[31mb\u202ec\udc80\n") == "a\ufffd[31mb\ufffdc\ufffd\ufffd"
    assert len(clean("x" * 1_000)) == 121


def test_knows_what_systems_leave_behind() -> None:
    assert is_junk(("__MACOSX", "a.cu"))
    assert is_junk(("hw", "._a.cu"))
    assert not is_junk(("hw", "a.cu"))


def test_knows_what_systems_make_of_a_name() -> None:
    for name in ("matmul_naive%20(1).cu", "matmul_naive+%281%29.cu", "MATMUL_NAIVE.CU", "matmul_naive-2.cu.txt"):
        assert is_variant(name, ASKED)
    for name in ("Late Submission - matmul_naive.cu", "Verspaetete Abgabe - matmul_naive (2).cu"):
        assert is_prefixed(name, ASKED)
    for name in ("my_matmul_naive.cu", "- matmul_naive.cu", f"{'x' * 50} - matmul_naive.cu", "a - b.cu", ASKED):
        assert not is_prefixed(name, ASKED)
        assert not is_variant(name, ASKED)
