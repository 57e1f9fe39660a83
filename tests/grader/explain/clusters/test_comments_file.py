"""comments.toml: an instructor writes in it, and nothing that was written is lost or changed."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from grader.explain.class_mistakes import CommentsError, CommentsFile
from grader.model.graded_class import LabMistakes, Mistake
from grader.model.verdicts import Verdict


def mistakes(*keys: str, title: str = "what it is") -> tuple[LabMistakes, ...]:
    made = tuple(Mistake(key, Verdict.RACE, title, "", ("ada",), "ada", 1, (), 1, hidden=False) for key in keys)
    return (LabMistakes("lab", len(keys), made),)


@pytest.fixture
def file(tmp_path: Path) -> CommentsFile:
    return CommentsFile(tmp_path / "instructor" / "comments.toml")


def test_a_file_that_is_not_there_says_nothing(file: CommentsFile) -> None:
    assert file.read() == {}


def test_new_mistakes_come_at_the_end_and_nothing_before_them_changes(file: CommentsFile) -> None:
    file.add(mistakes("lab/race"))
    written = file.path.read_text(encoding="utf-8").replace('text = ""', 'text = """\nTwo\nlines"""  # mine')
    file.path.write_text(written, encoding="utf-8")
    file.add(mistakes("lab/race", "lab/crash/12ab"))
    text = file.path.read_text(encoding="utf-8")
    assert text.startswith(written)
    assert file.read() == {"lab/race": "Two\nlines", "lab/crash/12ab": ""}
    file.add(mistakes("lab/crash/12ab"))
    assert file.path.read_text(encoding="utf-8") == text


def test_what_a_mistake_is_stands_there_to_its_last_word(file: CommentsFile) -> None:
    title = f"{'some words ' * 30}and the last"
    file.add(mistakes("lab/race", title=title))
    text = file.path.read_text(encoding="utf-8")
    assert title in text.replace("\n# ", " ")
    assert max(map(len, text.split("\n"))) < 120


@pytest.mark.parametrize(
    "title", ['"]]\n[[comment]]\nkey = 1', "\x00\x1b[31m", "\u2028\u202e", "\r# x", "ä" * 999, "\ud800"]
)
def test_no_text_of_a_submission_breaks_the_file(file: CommentsFile, title: str) -> None:
    file.add(mistakes("lab/race", title=title))
    assert tomllib.loads(file.path.read_text(encoding="utf-8"))["comment"] == [{"key": "lab/race", "text": ""}]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[comment]\n", "line 1"),
        ('[[comment]]\ntext = "a"\n', "comment.0.key"),
        ('[[comment]]\nkey = "a"\ntext = 7\n', "comment.0.text"),
        ('[[coment]]\nkey = "a"\n', "coment"),
        ('[[comment]]\nkey = "a"\ntext = "x"\n[[comment]]\nkey = "a"\ntext = "y"\n', "two comments have the key 'a'"),
    ],
)
def test_a_broken_file_is_refused_with_its_name_and_the_place_and_is_not_touched(
    file: CommentsFile, text: str, said: str
) -> None:
    file.path.parent.mkdir()
    file.path.write_text(text, encoding="utf-8")
    with pytest.raises(CommentsError, match=r"comments\.toml") as error:
        file.read()
    assert said in str(error.value)
    with pytest.raises(CommentsError):
        file.add(mistakes("lab/race"))
    assert file.path.read_text(encoding="utf-8") == text


def test_a_file_in_another_encoding_is_refused(file: CommentsFile) -> None:
    file.path.parent.mkdir()
    file.path.write_bytes('[[comment]]\nkey = "a"\ntext = "für"\n'.encode("latin-1"))
    with pytest.raises(CommentsError, match="UTF-8"):
        file.read()


def test_a_byte_order_mark_of_an_editor_does_no_harm(file: CommentsFile) -> None:
    file.path.parent.mkdir()
    file.path.write_bytes(b"\xef\xbb\xbf" + b'[[comment]]\nkey = "a"\ntext = "x"\n')
    assert file.read() == {"a": "x"}
