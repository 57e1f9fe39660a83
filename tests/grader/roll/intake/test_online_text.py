"""What was typed into a platform's text field, and pages, receipts and names that are made to stop the class."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import UTC
from pathlib import Path

import pytest
from upload_files import NAIVE, TEXT, TILED, WANTED, put, take

from grader.model.written_names import is_variant, nearly
from grader.roll.intake.matching import MOST, LabFile, Match, match_files, online_text
from grader.roll.intake.upload import Contents, Stored
from grader.roll.platforms.course_systems import blackboard_download, canvas_download, prairielearn_files
from grader.roll.platforms.download_names import ClassFiles, Export, Recogniser, Top
from grader.roll.platforms.recognition import recognised

LONG = 1 << 17
AT = "attempt_2026-11-20-10-00-00"


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<p>&nbsp;#include &lt;x.h&gt;</p><p>int a;</p>", " #include <x.h>\nint a;"),
        ("<P CLASS='x>y'>a<BR/>b</P><div>c &amp;&amp; d</div>", "a\nb\nc && d"),
        ("<head><title>t</title></head><pre>a\n\n  b</pre><script>'<p>'</script><!-- <p>no</p> --><p>c</p>", "a\n\n  b\nc"),
        ("<p>if (a < b && c > d) k&lt;&lt;&lt;1, 2&gt;&gt;&gt;();</p>", "if (a < b && c > d) k<<<1, 2>>>();"),
        ("k<<<1, n>>>(x);\n", "k<<<1, n>>>(x);"),
        (f"<p>a<![foo[b&#{'9' * 5_000};</p>", "a<![foo[b\N{REPLACEMENT CHARACTER}"),
    ],
)  # fmt: skip
def test_the_text_of_a_page_is_what_was_typed(page: str, text: str) -> None:
    assert online_text(page) == text


@pytest.mark.parametrize("unit", ["<a ", "<!--", "<![foo[", '<a "', "&#", "<", "x", "<a b='", "<pre>", "--><!--"])
def test_no_page_is_read_again_and_again(unit: str) -> None:
    """A quadratic reader needs minutes for these."""
    assert len(online_text("<p><a" + unit * LONG)) <= MOST


def class_of(names: dict[str, Path | None]) -> ClassFiles:
    tops = {name: Top(name, Contents((Stored((), 1, at),))) for name, at in names.items()}
    return ClassFiles("download", tops, frozenset(WANTED), UTC)


@pytest.mark.parametrize(
    "line", ["Original filename:", "Original filename: \n", "Submission Field:\n", "Name:" + " " * 50, " (a", " " * 50]
)
def test_no_receipt_is_read_again_and_again(line: str, tmp_path: Path) -> None:
    receipt = put(tmp_path / "receipt.txt", b"Name:" + line.encode() * (LONG // len(line)))
    assert blackboard_download(class_of({f"Lab_eve_{AT}.txt": receipt})) is not None


def test_newlines_before_code_are_passed_over_once(tmp_path: Path) -> None:
    page = b"<pre>x" + b"\n" * LONG + b"x</pre>"
    put(tmp_path / "in" / "Eve_2_assignsubmission_onlinetext" / "onlinetext.html", page)
    put(tmp_path / "in" / "Ann_1_assignsubmission_file" / NAIVE)
    assert sorted(take(tmp_path / "in", tmp_path)["Ann-1"].sources) == [NAIVE]


@pytest.mark.parametrize(
    ("recogniser", "names"),
    [
        (canvas_download, ["ann_1_91_a\nb.cu", f"ben_2_92_{NAIVE}\n"]),
        (prairielearn_files, ["ann@x.edu_1_q_1_1_500_a\nb.cu", f"ben@x.edu_1_q_1_1_501_{NAIVE}\n"]),
        (prairielearn_files, ["ann@x.edu_1_q_500_a\nb.cu", f"ben@x.edu_2_q_501_{NAIVE}\n"]),
    ],
)
def test_a_newline_in_a_files_name_leaves_the_file_its_owner(recogniser: Recogniser, names: list[str]) -> None:
    export = recogniser(class_of(dict.fromkeys(names)))
    assert export is not None
    assert (len(export.uploads), export.strange) == (2, ())


def test_what_canvas_notices_can_be_written_whatever_the_name_is() -> None:
    broken = os.fsdecode(b"x\xff.cu")
    export = canvas_download(class_of({f"ann_1_91_{broken}": None, f"ann_1_92_{broken}": None}))
    assert export is not None
    assert [one.encode() for one in export.uploads[0].notices] == [
        "x\N{REPLACEMENT CHARACTER}.cu was handed in several times: the last one counts".encode()
    ]


def test_a_name_that_is_much_too_long_is_compared_with_nothing() -> None:
    assert nearly(NAIVE, ["_" * LONG + "x", f"{NAIVE}{'(1)' * LONG}"]) == []
    assert not is_variant(f"matmul_naive{'(1)' * LONG}.cu", NAIVE)


def test_an_upload_at_which_we_fail_is_refused_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(contents: Contents, target: Path, wanted: Sequence[LabFile]) -> Match:
        assert not any(file.path == (TILED,) for file in contents.files)
        return match_files(contents, target, wanted)

    monkeypatch.setattr("grader.roll.intake.intake.match_files", failing)
    put(tmp_path / "in" / "ann" / NAIVE)
    put(tmp_path / "in" / "eve" / TILED)
    students = take(tmp_path / "in", tmp_path)
    assert students["ann"].sources[NAIVE].read_bytes() == TEXT
    assert "Tilelab failed while it read this upload (AssertionError)" in (students["eve"].submission.refused or "")


def test_a_students_folder_in_which_a_platforms_reader_fails_is_a_students(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(files: ClassFiles) -> Export | None:
        assert files.label != "eve"
        return recognised(files)

    monkeypatch.setattr("grader.roll.intake.upload_search.recognised", failing)
    put(tmp_path / "in" / "ann" / NAIVE)
    put(tmp_path / "in" / "eve" / "src" / TILED)
    assert {name: sorted(one.sources) for name, one in take(tmp_path / "in", tmp_path).items()} == {
        "ann": [NAIVE], "eve": [TILED],
    }  # fmt: skip
