"""What a class's wrong submissions have in common, and the instructor's comments on each of them. Changes no grade. Pure."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from textwrap import wrap
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from grader.explain.clustering import Cluster, WrongSubmission, behaviour, clusters_of, went_wrong, wrong_submission
from grader.model import visible_text
from grader.model.errors import RemediableError
from grader.model.graded_class import LabMistakes, Mistake
from grader.model.result import Model, Result
from grader.model.several_files import parted, place_in
from grader.run.scoring.redaction import for_student
from grader.system.own_files import write_atomically

Sources = Mapping[str, Mapping[str, str]]  # by student, each file's text
Likenesses = Mapping[str, Mapping[str, str]]  # by lab and behaviour, which change of the solution behaves so
Comments = Mapping[str, str]  # texts by key
Places = Mapping[tuple[str, str], str]  # by student and lab
_AROUND = 2  # lines before and after the one that is shown
_AMONG = 3  # causes that a cluster of several is told by


def wrong_submissions(
    results: Sequence[Result], sources: Sources, likenesses: Likenesses
) -> dict[str, list[WrongSubmission]]:
    """By lab; a refused upload is no mistake in any."""
    found: dict[str, list[WrongSubmission]] = {}
    for result in results:
        student = result.submission.id
        for lab_id, lab in result.labs.items():
            if went_wrong(lab) and result.submission.refused is None:
                text = sources.get(student, {}).get(lab.file, "")
                seen = behaviour(lab.cases)
                like = likenesses.get(lab_id, {}).get(seen, "")
                one = wrong_submission(student, lab_id, lab, text, like=like, behaviour=seen)
                found.setdefault(lab_id, []).append(one)
    return found


def lab_mistakes(
    lab_id: str,
    wrong: Sequence[WrongSubmission],
    texts: Mapping[str, str],
    likenesses: Mapping[str, str],
    comments: Comments,
    before: Mapping[str, int] | None = None,
) -> LabMistakes:
    """`texts`: each student's file of this lab; `before`: how many made each mistake then, by key; None: the lab was not graded before."""
    made = (_mistake(one, texts, likenesses, comments) for one in clusters_of(wrong))
    if before is not None:  # those of a rest are not counted alone
        made = (one if one.rest else replace(one, before=before.get(one.key, 0)) for one in made)
    return LabMistakes(lab_id, len(wrong), tuple(made))


def commented(
    results: Sequence[Result], sources: Sources, likenesses: Likenesses, comments: Comments
) -> tuple[Result, ...]:
    """The results with the comment on each wrong lab."""
    return with_comments(results, comment_keys(results, sources, likenesses, comments), comments)


def comment_keys(
    results: Sequence[Result], sources: Sources, likenesses: Likenesses, comments: Comments
) -> dict[tuple[str, str], str]:
    """By student and lab, the closest key that has a text. Keys are those of what the student may see: which comment stands on a page must
    tell nothing of a case that withholds it.
    """
    if not any(comments.values()):
        return {}
    shown = [_shown(one) for one in results]
    return {
        (one.student, lab_id): key
        for lab_id, ones in wrong_submissions(shown, sources, likenesses).items()
        for one in ones
        if (key := next((key for key in one.keys if comments.get(key)), ""))
    }


def with_comments(results: Sequence[Result], keys: Places, comments: Comments) -> tuple[Result, ...]:
    found = []
    for result in results:
        labs = dict(result.labs)
        for lab_id, lab in result.labs.items():
            if text := comments.get(keys.get((result.submission.id, lab_id), "")):
                labs[lab_id] = lab.model_copy(update={"comment": text})
        found.append(result.model_copy(update={"labs": labs}))
    return tuple(found)


def _shown(result: Result) -> Result:
    """As the student sees it. What was found with public cases alone stays whole: a key of it tells no more than they do."""
    shown = for_student(result)
    labs = {
        lab_id: lab.model_copy(update={"suspects": tuple(one for one in result.labs[lab_id].suspects if one.public)})
        for lab_id, lab in shown.labs.items()
    }
    return shown.model_copy(update={"labs": labs})


def _mistake(cluster: Cluster, texts: Mapping[str, str], likenesses: Mapping[str, str], comments: Comments) -> Mistake:
    shown = _representative(cluster, texts)
    text = texts.get(shown.student, "")
    file, line = place_in(text, shown.line or 1)
    lines = parted(text, "")[file].split("\n")
    first = max(1, line - _AROUND)
    excerpt = lines[first - 1 : line + _AROUND] if shown.line else []
    return Mistake(
        key=cluster.step.key,
        verdict=shown.verdict,
        title=visible_text.line(_title(cluster, shown), 240),
        like=visible_text.line(_like(cluster, likenesses), 300),
        students=tuple(one.student for one in cluster.members),
        shown=shown.student,
        line=line if shown.line else None,
        file=file,
        source=tuple(visible_text.code(line, 140) for line in excerpt),
        first_line=first,
        hidden=all(one.hidden for one in cluster.members),
        comment=comments.get(cluster.step.key, ""),
        rest=cluster.rest,
    )


def _representative(cluster: Cluster, texts: Mapping[str, str]) -> WrongSubmission:
    """Of the most common shape; of those the shortest file, which is the easiest to read."""
    shapes = Counter(one.steps[-1].key for one in cluster.members)
    return min(
        cluster.members,
        key=lambda one: (-shapes[one.steps[-1].key], len(texts.get(one.student, "")), one.student),
    )


def _title(cluster: Cluster, shown: WrongSubmission) -> str:
    """In words. A cluster of several causes is told by the most common of them."""
    if cluster.depth > 0:
        return shown.steps[min(cluster.depth, len(shown.steps) - 1)].title
    causes = Counter(one.steps[1].title for one in cluster.members if len(one.steps) > 1)
    told = "; ".join(title for title, _ in causes.most_common(_AMONG))
    what = f"{'other ' if cluster.rest else ''}{cluster.step.title.lower()}"
    return f"{what}: {told}" if told else what


def _like(cluster: Cluster, likenesses: Mapping[str, str]) -> str:
    """Where at least half of them behave like one mutant."""
    seen = Counter(one.behaviour for one in cluster.members if one.behaviour in likenesses)
    best = seen.most_common(1)
    return likenesses[best[0][0]] if best and 2 * best[0][1] >= len(cluster.members) else ""


# comments.toml: what the instructor writes once to all students who made the same mistake. Tilelab adds entries and changes none.
#
# An entry is `[[comment]]` with a cluster's `key` and the `text`. An empty text says nothing to anybody. A file that cannot be read
# stops a batch before it begins: a comment that somebody wrote must not vanish from pages without a word.

_HEAD = """\
# One comment for all who made the same mistake: write it into `text`, and run `make pages` with the OUT of this class.
# Then it stands on the page of each of them. A grading puts it there as well.
# A text may have several lines, between \"\"\" and \"\"\", and `code` between backticks. An empty text says nothing.
# Tilelab adds new mistakes at the end and changes no line. Keys stay the same from week to week.
"""


_HIDDEN = "shown by hidden cases alone: students see no comment on what such a case withholds"


class CommentsError(RemediableError):
    """The file cannot be used. The text says where, and what to do."""


class _Comment(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    key: str = Field(min_length=1, max_length=200)
    text: str = Field(default="", max_length=8000)


class _Comments(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    comment: tuple[_Comment, ...] = Field(default=(), strict=False)


@dataclass(frozen=True)
class CommentsFile:
    path: Path

    def read(self) -> Mapping[str, str]:
        """Each text by its key, also the empty ones. Raises CommentsError."""
        return self._read()[1]

    def _read(self) -> tuple[str, Mapping[str, str]]:
        """The whole file as well."""
        try:
            text = self.path.read_text(encoding="utf-8-sig")
            comments = _Comments.model_validate(tomllib.loads(text)).comment
        except FileNotFoundError:
            return "", {}
        except (OSError, ValueError) as error:  # no UTF-8, no TOML, or no comments
            raise self._unusable(_said(error)) from error
        found: dict[str, str] = {}
        for one in comments:
            if one.text.strip() and found.get(one.key, "").strip():
                raise self._unusable(f"two comments have the key {one.key!r}")
            found[one.key] = found.get(one.key, "").strip() or one.text.strip()
        return text, found

    def add(self, labs: Sequence[LabMistakes]) -> None:
        """An empty entry for each mistake that has none yet, after all that is there. Raises OSError or CommentsError."""
        text, known = self._read()  # anew: somebody may have written into it while the batch ran
        new = [one for lab in labs for one in lab.mistakes if one.key not in known]
        if new:
            write_atomically(self.path, (text.rstrip("\n") + "\n" if text else _HEAD) + "".join(_entries(new)))

    def _unusable(self, what: str) -> CommentsError:
        return CommentsError(
            f"{self.path}: {what}. Correct it, or move the file away: then the comments in it are not on any page."
        )


def _said(error: Exception) -> str:
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False, include_input=False)[0]
        return f"{'.'.join(str(one) for one in first['loc'])}: {first['msg']}"
    if isinstance(error, UnicodeDecodeError):
        return "it is no UTF-8 text"
    return getattr(error, "strerror", None) or str(error)


def _entries(mistakes: Iterable[Mistake]) -> Iterable[str]:
    for one in mistakes:
        what = f"{one.verdict.facts.label}: {one.title}" if one.title != one.verdict.facts.label else one.title
        lines = [what] + ([f"behaves like {one.like}"] if one.like else [])
        lines += [_HIDDEN] if one.hidden else []
        # Without what TOML forbids in a comment.
        plain = (part for line in lines for part in wrap(visible_text.line(line, 600), 116))
        told = "".join(f"# {part}\n" for part in plain)
        yield f'\n{told}[[comment]]\nkey = "{one.key}"\ntext = ""\n'


# How many students made each mistake in the batch before, kept in OUT: instructor/clusters/mistakes.json.
#
# A batch that finds the same as the one before it changes nothing, so grading twice does not hide what changed.


class _Counts(Model):
    schema_: Literal["tilelab/mistakes/v1"] = Field(default="tilelab/mistakes/v1", alias="schema")
    # By lab, the students by key; and in the batch before, where a lab that is not there was not graded.
    now: dict[str, dict[str, int]] = Field(default_factory=dict)
    before: dict[str, dict[str, int]] = Field(default_factory=dict)


def counts_before(
    path: Path, wrong: Mapping[str, Sequence[WrongSubmission]], labs: Iterable[str]
) -> Mapping[str, Mapping[str, int]]:
    """By lab, the counts of the batch before that found something else; those of this batch are kept. `labs`: all that were graded. Raises
    OSError.
    """
    try:
        kept = _Counts.model_validate_json(path.read_bytes())
    except (OSError, ValidationError):  # one that is missing or damaged counts as none
        kept = _Counts()
    now, before = dict(kept.now), dict(kept.before)
    for lab_id in labs:
        counts = dict(Counter(step.key for one in wrong.get(lab_id, ()) for step in one.steps))
        if lab_id in now and now[lab_id] != counts:
            before[lab_id] = now[lab_id]
        now[lab_id] = counts
    if (now, before) != (kept.now, kept.before):
        write_atomically(path, _Counts(now=now, before=before).model_dump_json(by_alias=True) + "\n")
    return before
