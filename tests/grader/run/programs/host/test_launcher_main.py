"""The main() of a launcher: where it stands, and what a student is told where it cannot call the launcher."""

from __future__ import annotations

import pytest

from grader.model.verdicts import Verdict
from grader.run.program_judging import launcher_buffers, launcher_frame, refusal_of_launcher

SIGNATURE = "solve(float const*, float*, int)"
OURS = '<launcher>:1:70: error: no matching function for call to "run"\n'


def test_it_stands_behind_the_students_text_whose_lines_keep_their_numbers() -> None:
    frame = launcher_frame(SIGNATURE)
    lines = frame.followed("int main() { return 1; } \\").split("\n")
    assert frame.before == "#define main tilelab_own_main\n"
    assert lines[:4] == ["int main() { return 1; } \\", "", "#undef main", '# 1 "<launcher>"']
    assert lines[4] == (
        "int main() { return ::tilelab_host::Launcher<void(float const*, float*, int)>::run(::solve, "
        "[](auto... values) { ::solve(values...); }); }"
    )


def test_a_launcher_in_a_namespace_is_called_by_its_whole_name() -> None:
    assert (
        "run(::one::two::solve, [](auto... values) { ::one::two::solve(values...); })"
        in launcher_frame("one::two::solve(int)").behind
    )


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ('extern "C" void solve(const float* A, float* B, int N) {}', ["A", "B"]),
        ("void solve(const float in[], float* __restrict__ out, int n)\n{\n}", ["in", "out"]),
        ("void solve(const float* a, float* b, int n);\n// solve(x, y, z) {\nint solve(const float *x, float *y, int n) {}", ["x", "y"]),
        ("void solve(const float* a) {}", []),
        ("void solve(const float*& a, float* const& b, const int& n, int threads = 256) {}", ["a", "b"]),
        ("template <typename T> void other(T t) {}", []),
        ("void solve(", []),
        ("/* void solve(const float* a, float* b, int n) {", []),
    ],
)  # fmt: skip
def test_the_students_own_names_of_its_buffers_are_read(text: str, names: list[str]) -> None:
    assert launcher_buffers(text, SIGNATURE) == names


def test_another_name_is_said_with_its_line() -> None:
    text = "#include <cstdio>\nvoid solved(const float* a, float* b, int n) {}\n"
    refusal = refusal_of_launcher(OURS, {"mine.cu": text}, SIGNATURE)
    assert refusal is not None
    assert refusal.verdict is Verdict.MISSING_ENTRY_POINT
    assert refusal.line == 2
    assert "The file has `solved` (line 2): the lab asks for the name `solve`." in refusal.message


def test_a_file_that_ends_too_early_is_no_missing_launcher() -> None:
    log = "<launcher>:1:1: error: a function-definition is not allowed here before '{' token\n<launcher>:1: error: expected '}'\n"
    refusal = refusal_of_launcher(log, {"mine.cu": "void solve(float* a, int n) {\n  a[0] = n;\n\n"}, SIGNATURE)
    assert refusal is not None
    assert (refusal.verdict, refusal.line) == (Verdict.COMPILE_ERROR, 2)
    assert "The file ends in the middle of something" in refusal.message


def test_other_parameters_are_said() -> None:
    refusal = refusal_of_launcher(OURS, {"mine.cu": "void solve(const double* a, float* b, int n) {}"}, SIGNATURE)
    assert refusal is not None
    assert "Parameter 1 is `const double*`, and the lab asks for `const float*`." in refusal.message


@pytest.mark.parametrize("log", ["mine.cu:3:4: error: expected ';'\n" + OURS, "cc1plus: fatal error: no space\n", ""])
def test_what_is_wrong_in_the_students_own_lines_or_nowhere_says_nothing_of_the_launcher(log: str) -> None:
    assert refusal_of_launcher(log, {"mine.cu": "void solve() {}"}, SIGNATURE) is None
