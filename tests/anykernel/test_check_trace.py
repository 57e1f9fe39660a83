"""`tilelab check --trace`: pages that step through the block of the first finding, and what they leave alone."""

from __future__ import annotations

from pathlib import Path

from checked_file import check

FILE = Path(__file__).parent / "found" / "barrier_in_the_if_of_a_reduction.cu"
LAUNCH = (str(FILE), "--kernel", "total", "--block", "64", "--arg", "float[64]=iota", "--arg", "float[1]")


def test_the_block_of_the_first_finding_is_stepped_through_and_files_of_others_stay(tmp_path: Path) -> None:
    page, story, notes = (tmp_path / name for name in ("p.html", "p-barrier.html", "p-race.html"))
    notes.write_text("my notes", encoding="utf-8")
    done = check(*LAUNCH, "--trace", "--page", str(page), "--no-show")
    assert done.status == 1, done.err
    assert sorted(one.name for one in tmp_path.iterdir()) == [story.name, notes.name, page.name]
    assert notes.read_text(encoding="utf-8") == "my notes"
    assert "total: block (0,0,0)" in page.read_text(encoding="utf-8")
    text = story.read_text(encoding="utf-8")
    assert "who waits where at line 10" in text
    assert "Which threads never reach line 10" in text
    assert f"step through it: {page}" in done.err
    assert done.out.splitlines()[-1] == "next: correct the first finding, and check the file again"
