"""What a class's wrong submissions have in common, and the instructor's comments on each of them. Changes no grade. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from grader.clusters.behaviour import behaviour
from grader.clusters.clustering import Cluster, clusters_of
from grader.clusters.mistake_cause import WrongSubmission, went_wrong, wrong_submission
from grader.model.class_insight import LabMistakes, Mistake
from grader.model.result import Result
from grader.reports.text import visible
from grader.scoring.redaction import for_student

Sources = Mapping[str, Mapping[str, str]]  # by student, each file's text
_AROUND = 2  # lines before and after the one that is shown
_AMONG = 3  # causes that a cluster of several is told by


def wrong_submissions(
    results: Sequence[Result], sources: Sources, likenesses: Mapping[str, Mapping[str, str]]
) -> dict[str, list[WrongSubmission]]:
    """By lab; a refused upload is no mistake in any. `likenesses`: by lab and behaviour, which change of the solution behaves so."""
    found: dict[str, list[WrongSubmission]] = {}
    for result in results:
        student = result.submission.id
        for lab_id, lab in result.labs.items():
            if went_wrong(lab) and result.submission.refused is None:
                text = sources.get(student, {}).get(lab.file, "")
                seen = behaviour(lab.cases)
                like = likenesses.get(lab_id, {}).get(seen, "")
                found.setdefault(lab_id, []).append(
                    wrong_submission(student, lab_id, lab, text, like=like, behaviour=seen)
                )
    return found


def lab_mistakes(
    lab_id: str,
    wrong: Sequence[WrongSubmission],
    texts: Mapping[str, str],
    likenesses: Mapping[str, str],
    comments: Mapping[str, str],
) -> LabMistakes:
    """`texts`: each student's file of this lab."""
    clusters = clusters_of(wrong)
    return LabMistakes(lab_id, len(wrong), tuple(_mistake(one, texts, likenesses, comments) for one in clusters))


def commented(
    results: Sequence[Result],
    sources: Sources,
    likenesses: Mapping[str, Mapping[str, str]],
    comments: Mapping[str, str],
) -> tuple[Result, ...]:
    """The results with the comment on each wrong lab."""
    return with_comments(results, comment_keys(results, sources, likenesses, comments), comments)


def comment_keys(
    results: Sequence[Result],
    sources: Sources,
    likenesses: Mapping[str, Mapping[str, str]],
    comments: Mapping[str, str],
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


def with_comments(
    results: Sequence[Result], keys: Mapping[tuple[str, str], str], comments: Mapping[str, str]
) -> tuple[Result, ...]:
    """`keys`: by student and lab."""
    texts = {place: comments[key] for place, key in keys.items()}
    return tuple(_with_comments(result, texts) for result in results)


def _shown(result: Result) -> Result:
    """As the student sees it. What was found with public cases alone stays whole: a key of it tells no more than they do."""
    shown = for_student(result)
    labs = {
        lab_id: lab.model_copy(update={"suspects": tuple(one for one in result.labs[lab_id].suspects if one.public)})
        for lab_id, lab in shown.labs.items()
    }
    return shown.model_copy(update={"labs": labs})


def _with_comments(result: Result, texts: Mapping[tuple[str, str], str]) -> Result:
    changed = {
        lab_id: lab.model_copy(update={"comment": text})
        for lab_id, lab in result.labs.items()
        if (text := texts.get((result.submission.id, lab_id)))
    }
    return result.model_copy(update={"labs": {**result.labs, **changed}}) if changed else result


def _mistake(
    cluster: Cluster, texts: Mapping[str, str], likenesses: Mapping[str, str], comments: Mapping[str, str]
) -> Mistake:
    shown = _representative(cluster, texts)
    lines = texts.get(shown.student, "").split("\n")
    first = max(1, (shown.line or 1) - _AROUND)
    excerpt = lines[first - 1 : shown.line + _AROUND] if shown.line else []
    return Mistake(
        key=cluster.step.key,
        verdict=shown.verdict,
        title=visible.line(_title(cluster, shown), 240),
        like=visible.line(_like(cluster, likenesses), 300),
        students=tuple(one.student for one in cluster.members),
        shown=shown.student,
        line=shown.line,
        source=tuple(visible.code(line, 140) for line in excerpt),
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
