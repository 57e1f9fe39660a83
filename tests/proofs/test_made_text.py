"""Passages that a command makes are found, run without a shell, compared and written."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.cli.proofs.page_proofs import MadeTextError, outdated, passages, remake

PAGE = """\
Before.

<!-- made by: printf 'one\\ntwo\\n' -->
one
two
<!-- made: end -->

```
<!-- made by: an example in a fence -->
```
<!-- made by: echo $HOME; echo -->
```
old
```
<!-- made: end -->
After.
"""


@pytest.fixture
def course(tmp_path: Path) -> Path:
    (tmp_path / "page.md").write_text(PAGE, encoding="utf-8")
    return tmp_path


def test_a_passage_knows_its_line_command_and_text() -> None:
    first, second = passages(PAGE)
    assert (first.line, first.command, first.text) == (3, "printf 'one\\ntwo\\n'", "one\ntwo")
    assert (second.line, second.text) == (11, "```\nold\n```")


def test_what_is_not_what_the_command_prints_is_named(course: Path) -> None:
    assert [(one.path, one.line) for one in outdated(course, "page.md")] == [("page.md", 11)]


def test_no_shell_reads_a_command(course: Path) -> None:
    assert remake(course, "page.md")
    assert "-->\n$HOME; echo\n<!--" in (course / "page.md").read_text(encoding="utf-8")


def test_remaking_leaves_the_rest_alone_and_changes_nothing_the_second_time(course: Path) -> None:
    assert remake(course, "page.md")
    assert (course / "page.md").read_text(encoding="utf-8") == PAGE.replace("```\nold\n```", "$HOME; echo")
    assert not remake(course, "page.md")
    assert list(outdated(course, "page.md")) == []


@pytest.mark.parametrize(
    ("page", "complaint"),
    [
        ("a\n<!-- made by: echo -->\n", "2: this passage has no"),
        ("<!-- made: end -->\n", "1: a passage ends here, but none began"),
        ("<!-- made by: a -->\n<!-- made by: b -->\n", "1: this passage has no"),
        (
            "<!-- made by: a -->\n<!-- made by: b -->\n<!-- made: end -->\n",
            "2: a passage begins inside the passage that began in line 1",
        ),
        ("<!-- made by: false -->\n<!-- made: end -->\n", "1: `false` fails"),
        ("<!-- made by: no-such-program -->\n<!-- made: end -->\n", "1: `no-such-program` fails"),
        ("<!-- made by: echo 'open -->\n<!-- made: end -->\n", "1: `echo 'open` fails"),
    ],
)
def test_a_broken_passage_is_told_with_its_line_and_writes_nothing(course: Path, page: str, complaint: str) -> None:
    (course / "page.md").write_text(page, encoding="utf-8")
    assert str(next(outdated(course, "page.md"))).startswith(f"page.md:{complaint}")
    with pytest.raises(MadeTextError):
        remake(course, "page.md")
    assert (course / "page.md").read_text(encoding="utf-8") == page
