"""Starters: what is removed, what is refused, and what counts as a leaked solution."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.course.leaks import MarkerError, Region, cut, leaks, secrets_of, unmarked
from grader.course.starters import stale, starter_of, write

SOLUTION = """\
// One thread adds one element.
#include <tilelab/device.cuh>

__global__ void add(const float* x, float* y, int n) {
  // BEGIN PROMPT
  // TODO: which element?
  //> y[0] = 0.0f;
  // END PROMPT
  // BEGIN SOLUTION
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i * 2] += x[n - i];  // backwards
  }
  // END SOLUTION
}
"""
STARTER = """\
// One thread adds one element.
#include <tilelab/device.cuh>

__global__ void add(const float* x, float* y, int n) {
  // TODO: which element?
  y[0] = 0.0f;
}
"""


@pytest.fixture
def course(tmp_path: Path) -> Path:
    solution = tmp_path / "solutions" / "05-add" / "add.cu"
    solution.parent.mkdir(parents=True)
    solution.write_text(SOLUTION, encoding="utf-8")
    write(tmp_path)
    return tmp_path


def starter_in(course: Path) -> Path:
    return course / "assignments" / "05-add" / "add.cu"


def leaked(text: str, *solutions: str) -> list[int]:
    return [
        leak.line
        for leak in leaks(
            text,
            secrets_of({"05-add": [cut(one, "solution.cu") for one in solutions or (SOLUTION,)]}).for_lab("05-add"),
        )
    ]


def test_a_starter_keeps_what_is_outside_and_the_prompt_with_its_code() -> None:
    assert starter_of(SOLUTION, "add.cu") == STARTER


def test_a_region_that_goes_leaves_no_second_blank_line() -> None:
    assert starter_of("a\n\n// BEGIN SOLUTION\nb\n// END SOLUTION\n\nc\n", "add.cu") == "a\n\nc\n"


def test_lines_know_their_number_and_region() -> None:
    regions = {line.number: line.region for line in cut(SOLUTION, "add.cu")}
    assert (regions[1], regions[7], regions[10]) == (Region.OUTSIDE, Region.PROMPT, Region.SOLUTION)


def test_code_that_is_given_stands_in_the_starter_and_is_not_reported(course: Path) -> None:
    given = "// BEGIN GIVEN\nint main() {\n  start();\n// END GIVEN\n"
    text = f"{given}// BEGIN SOLUTION\nint answer;\n// END SOLUTION\n// BEGIN GIVEN\n}}\n// END GIVEN\n"
    assert starter_of(text, "add.cu") == "int main() {\n  start();\n}\n"
    source = course / "solutions" / "05-add" / "add.cu"
    source.write_text(text, encoding="utf-8")
    write(course)
    assert stale(course) == []
    source.write_text(text.replace("// BEGIN GIVEN\n", "").replace("// END GIVEN\n", ""), encoding="utf-8")
    assert any("mark it as GIVEN" in str(one) for one in stale(course))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("// BEGIN SOLUTION\n// BEGIN PROMPT\n", "add.cu:2: BEGIN PROMPT inside the SOLUTION that began in line 1"),
        ("// BEGIN SOLUTION\n// BEGIN SOLUTION\n", "add.cu:2: BEGIN SOLUTION inside the SOLUTION"),
        ("x\n// END SOLUTION\n", "add.cu:2: END SOLUTION without a BEGIN"),
        ("// BEGIN PROMPT\n// END SOLUTION\n", "add.cu:2: END SOLUTION inside the PROMPT of line 1"),
        ("x\n\n// BEGIN SOLUTION\ny\n", "add.cu:3: BEGIN SOLUTION without an END"),
        ("// BEGIN SOLUTOIN\n", "add.cu:1: this looks like a marker, but it is not one"),
        ("### BEGIN SOLUTION\n", "add.cu:1: this looks like a marker, but it is not one"),
        ("// begin solution\n", "add.cu:1: this looks like a marker, but it is not one"),
        ("int x; // BEGIN SOLUTION\n", "add.cu:1: this looks like a marker, but it is not one"),
    ],
)
def test_a_wrong_marker_is_an_error_that_names_file_and_line(text: str, complaint: str) -> None:
    with pytest.raises(MarkerError, match="^" + complaint):
        cut(text, "add.cu")


def test_writing_twice_changes_nothing_the_second_time(course: Path) -> None:
    assert write(course) == []
    assert stale(course) == []


def test_a_starter_that_was_edited_is_stale(course: Path) -> None:
    starter_in(course).write_text(STARTER + "\n// edited\n", encoding="utf-8")
    assert [one.path for one in stale(course)] == ["assignments/05-add/add.cu"]
    write(course)
    assert stale(course) == []


def test_a_missing_starter_is_reported(course: Path) -> None:
    starter_in(course).unlink()
    assert [str(one) for one in stale(course)] == ["assignments/05-add/add.cu: missing; run `tilelab starters`"]


def test_a_starter_without_a_solution_is_reported(course: Path) -> None:
    (course / "assignments" / "05-add" / "old.cu").write_text("int x;\n", encoding="utf-8")
    assert "old.cu" in str(stale(course)[0])


def test_a_solution_without_regions_is_reported(course: Path) -> None:
    bare = course / "solutions" / "05-add" / "bare.cu"
    bare.write_text("int x;\n", encoding="utf-8")
    write(course)
    assert [one.path for one in stale(course)] == ["solutions/05-add/bare.cu"]


def test_a_broken_marker_is_reported_with_its_line_and_writes_nothing(course: Path) -> None:
    before = starter_in(course).read_text(encoding="utf-8")
    (course / "solutions" / "05-add" / "add.cu").write_text("a\n// END PROMPT\n", encoding="utf-8")
    assert [(one.path, one.line) for one in stale(course)] == [("solutions/05-add/add.cu", 2)]
    with pytest.raises(MarkerError):
        write(course)
    assert starter_in(course).read_text(encoding="utf-8") == before


def test_two_lines_of_a_solution_in_a_row_are_a_leak_whatever_their_layout() -> None:
    copied = "x;\n  const int i=blockIdx.x*blockDim.x+threadIdx.x; // mine\n\n  /* if */ if(i<n)\n  {\n"
    assert leaked(copied.replace(")\n  {", ") {")) == [2]


def test_one_line_of_a_solution_alone_is_no_leak() -> None:
    assert leaked("  if (i < n) {\n") == []


def test_an_indexing_expression_is_a_leak_in_code_comments_and_prose() -> None:
    assert leaked("Write\n`x[n-i]` here.\n") == [2]
    assert leaked("// other[ n - i ]\n") == [1]


def test_a_longer_name_that_ends_alike_is_no_leak() -> None:
    assert leaked("max[n - i2]\n") == []


def test_an_index_inside_a_longer_one_is_no_leak() -> None:
    assert leaked("x[2 * n - i]\n") == []
    assert leaked("x[n - i * 2]\n") == []
    assert leaked("the distance n-i is small\n") == []


def test_a_short_index_of_one_lab_is_no_leak_in_the_write_up_of_another() -> None:
    secrets = secrets_of({"05-add": [cut(SOLUTION, "add.cu")], "06-more": []})
    page = "Write `sum[n - i]` here.\n"
    assert [leak.text for leak in leaks(page, secrets.for_file("assignments/05-add/README.md"))] == ["[n-i]"]
    assert leaks(page, secrets.for_file("assignments/06-more/README.md")) == []
    assert [leak.text for leak in leaks(page, secrets.for_file("README.md"))] == ["[n-i]"]


def test_what_is_no_coincidence_is_a_leak_in_the_write_up_of_another_lab_too() -> None:
    secrets = secrets_of({"05-add": [cut(SOLUTION, "add.cu")], "06-more": []})
    shown = leaks("Write `x[n - i]` here.\n", secrets.for_file("assignments/06-more/README.md"))
    assert [leak.text for leak in shown] == ["x[n-i]"]


def test_the_place_of_an_element_in_a_row_or_a_matrix_is_no_leak_in_an_oracle() -> None:
    solution = "// BEGIN SOLUTION\nout[row * N + column] = in[i] + in[n - i];\n// END SOLUTION\n"
    secrets = secrets_of({"05-add": [cut(solution, "add.cu")]})
    oracle = "out[row * N + column] = in[i];\nat = row * N + column;\nin[n - i];\n"
    assert [leak.text for leak in leaks(oracle, secrets.for_file("kit/problems/add.cpp"))] == ["in[n-i]"]
    write_up = leaks(oracle, secrets.for_file("assignments/05-add/README.md"))
    assert [leak.line for leak in write_up] == [1, 1, 2, 3]


def test_what_stands_outside_the_regions_of_any_lab_is_public() -> None:
    other = "y[i * 2]\n// BEGIN SOLUTION\nz\n// END SOLUTION\n"
    assert leaked("y[i * 2]\n", SOLUTION) == [1]
    assert leaked("y[i * 2]\n", SOLUTION, other) == []


def test_another_labs_answer_in_a_starter_is_reported(course: Path) -> None:
    later = course / "solutions" / "06-more" / "more.cu"
    later.parent.mkdir()
    given = "// BEGIN PROMPT\n//> y[0] = x[n - i];\n// END PROMPT\n"
    later.write_text(f"{given}// BEGIN SOLUTION\nint a;\n// END SOLUTION\n", encoding="utf-8")
    write(course)
    assert stale(course) == []  # no secret any more, because another lab hands it out
    later.write_text("// BEGIN SOLUTION\nint a;\n// END SOLUTION\n", encoding="utf-8")
    (course / "assignments" / "06-more" / "more.cu").write_text("y[0] = x[n - i];\n", encoding="utf-8")
    assert any("gives a solution away: x[n-i]" in str(one) for one in stale(course))


def test_a_write_up_that_shows_an_answer_is_reported(course: Path) -> None:
    readme = course / "assignments" / "05-add" / "README.md"
    readme.write_text("Hint: `y[i*2] += x[n-i];`\n", encoding="utf-8")
    assert {(one.path, one.line) for one in stale(course)} == {("assignments/05-add/README.md", 1)}


def without_markers(*texts: str) -> str:
    """SOLUTION, with these lines of the answer moved before the marker."""
    lines = [line for line in SOLUTION.splitlines() if line.strip() not in texts]
    begin = lines.index("  // BEGIN SOLUTION")
    return "\n".join([*lines[:begin], *(f"  {text}" for text in texts), *lines[begin:]]) + "\n"


@pytest.mark.parametrize(
    "text", ["const int i = blockIdx.x * blockDim.x + threadIdx.x;", "y[i * 2] += x[n - i];  // backwards"]
)
def test_a_line_of_the_solution_left_unmarked_is_reported_by_name(course: Path, text: str) -> None:
    (course / "solutions" / "05-add" / "add.cu").write_text(without_markers(text), encoding="utf-8")
    write(course)
    assert [(one.path, one.line) for one in stale(course)] == [("solutions/05-add/add.cu", 9)]
    assert text in str(stale(course)[0])


@pytest.mark.parametrize(
    "text", ["constexpr int tile = 16;", "__device__ int half(int n) { return n / 2; }", "int table[2] = {1,"]
)
def test_code_outside_functions_and_markers_is_reported(text: str) -> None:
    assert [line.number for line in unmarked(cut(f"// one\n\n{text}\n", "add.cu"))] == [3]


@pytest.mark.parametrize(
    "text",
    ["#include <cstdio>", "__global__ void add(const float* x,", "          float* y, int n) {", "}", "// x[i];"],
)
def test_comments_includes_and_headers_of_functions_need_no_marker(text: str) -> None:
    assert unmarked(cut(f"{text}\n", "add.cu")) == []
