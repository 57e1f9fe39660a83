"""The excerpt of a finding: the right lines, the right marks, and never another file's text."""

from __future__ import annotations

from grader.model.result import Finding, Site
from grader.model.verdicts import Verdict
from grader.pages.findings.finding_card import excerpt

SOURCE = "\n".join(f"line{n}[i] = 0;  // {n}" for n in range(1, 41))


def finding(line: int | None, *, other: int | None = None, **changes: object) -> Finding:
    site = Site(file="a.cu", line=other, access="write", block=(0, 0, 0), thread=(1, 0, 0)) if other else None
    values = {"kind": Verdict.RACE, "file": "a.cu", "line": line, "message": "m", "other": site, **changes}
    return Finding.model_validate(values)


def test_shows_the_line_with_what_surrounds_it() -> None:
    shown = excerpt(finding(10), {"a.cu": SOURCE})
    assert [row.number for row in shown] == [8, 9, 10, 11, 12]
    assert [row.role for row in shown] == ["", "", "first", "", ""]


def test_two_distant_lines_are_shown_with_a_gap_between() -> None:
    shown = excerpt(finding(30, other=5), {"a.cu": SOURCE})
    assert [row.number for row in shown if row.role] == [5, 30]
    assert [row.number for row in shown if row.after_gap] == [28]


def test_two_threads_on_one_line_get_a_note_each() -> None:
    both = finding(5, other=5, access="read", thread=(0, 0, 0), element="s[0]")
    shown = excerpt(both, {"a.cu": SOURCE})
    notes = [note.text for row in shown for note in row.notes]
    assert notes == ["thread (0,0,0) reads s[0]", "thread (1,0,0) of block (0,0,0) writes s[0]"]


def test_marks_the_subscripted_array_and_nothing_of_the_same_letters() -> None:
    shown = excerpt(finding(1, array="A"), {"a.cu": "BA[0] = A[r[0] * K + k] + A + A [1][2];"})
    assert [piece.text for piece in shown[0].pieces if piece.marked] == ["A[r[0] * K + k]", "A [1][2]"]
    assert shown[0].caret == "        ^^^^^^^^^^^^^^^       ^^^^^^^^"


def test_marks_the_code_without_its_comment_where_no_array_is_known() -> None:
    shown = excerpt(finding(1), {"a.cu": "  __syncthreads();  // wait"})
    assert [piece.text for piece in shown[0].pieces if piece.marked] == ["__syncthreads();"]


def test_a_file_that_was_not_handed_in_shows_nothing() -> None:
    assert excerpt(finding(1, file="/etc/passwd"), {"a.cu": SOURCE}) == ()
    assert excerpt(finding(1, file=None), {"a.cu": SOURCE}) == ()


def test_the_other_line_of_another_file_is_not_looked_up_in_this_one() -> None:
    elsewhere = finding(3).model_copy(update={"other": Site(file="b.cu", line=20)})
    shown = excerpt(elsewhere, {"a.cu": SOURCE})
    assert max(row.number for row in shown) == 5


def test_a_line_that_does_not_exist_shows_nothing() -> None:
    for line in (None, 0, -3, 41, 10**12):
        assert excerpt(finding(line), {"a.cu": SOURCE}) == ()
    assert excerpt(finding(40, other=10**9), {"a.cu": SOURCE}) != ()


def test_unbalanced_brackets_do_no_harm() -> None:
    shown = excerpt(finding(1, array="A"), {"a.cu": "A[[[[0 = A]] ]A[" + "[" * 5000})
    assert len(shown[0].caret) < 300


def test_threads_of_one_block_are_named_without_it() -> None:
    shown = excerpt(finding(5, other=5, access="read", thread=(0, 0, 0), block=(0, 0, 0)), {"a.cu": SOURCE})
    assert all("block" not in note.text for row in shown for note in row.notes)
