"""The name that was probably meant, CUDA's before those of the C library, and none where nothing is near."""

from __future__ import annotations

import pytest

from grader.source.student_code import StudentCode, distance, nearest_name

CODE = StudentCode(
    "#define TILE_WIDTH 16\nvoid f(const float* A, int width) {\n  float sum = 0, total;\n  int col, row;\n"
)


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("blockidx", "blockIdx"), ("BlockDim", "blockDim"), ("thread_idx", "threadIdx"), ("__synchtreads", "__syncthreads"),
        ("syncthreads", "__syncthreads"), ("atomicadd", "atomicAdd"), ("sun", "sum"), ("Width", "width"), ("TILE", "TILE_WIDTH"),
        ("retrun", "return"), ("x", ""), ("clock", ""), ("matrix", ""), ("rwo", "row"),
    ],
)  # fmt: skip
def test_the_nearest_name_is_proposed(word: str, meant: str) -> None:
    assert nearest_name(word, CODE, 9) == meant


@pytest.mark.parametrize("word", ["SIDE", "BLOCK"])
def test_a_name_is_known_by_its_first_or_last_word(word: str) -> None:
    assert nearest_name(word, StudentCode("#define BLOCK_SIDE 16\n"), 9) == "BLOCK_SIDE"


def test_letters_that_changed_places_are_one_mistake() -> None:
    assert distance("flaot", "float") == 1
    assert distance("", "abc") == 3


def test_a_name_that_is_much_longer_than_another_is_never_compared_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[int] = []

    def counted(one: str, other: str) -> int:
        compared.append(len(one) * len(other))
        return distance(one, other)

    monkeypatch.setattr("grader.source.student_code.distance", counted)
    names = " ".join(f"float {'y' * length};" for length in range(1, 200))
    assert nearest_name("x" * 200_000, StudentCode(names), 9) == ""
    assert nearest_name("x" * 60, StudentCode(names), 9) == ""
    assert sum(compared) < 500_000
