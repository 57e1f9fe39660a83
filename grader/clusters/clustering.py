"""Puts the wrong submissions of a lab into at most twelve clusters: by verdict, then by cause, then by the shape of the line. Pure.

A cluster is taken apart where room is left, the largest parts first. What no part was made for stays together under the wider key.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from grader.clusters.mistake_cause import Step, WrongSubmission

MOST = 12
COVERED = 0.9  # of all wrong submissions, at least
_CAUSE, _SHAPE = 1, 2  # steps


@dataclass(frozen=True)
class Cluster:
    step: Step  # what all of them share
    depth: int  # 0: the verdict alone
    members: tuple[WrongSubmission, ...]
    rest: bool = False  # others of the same step have clusters of their own


def clusters_of(wrong: Sequence[WrongSubmission], most: int = MOST) -> tuple[Cluster, ...]:
    """The largest first. Every submission is in at most one of them; up to a tenth is in none, where that leaves room for causes."""
    verdicts = sorted(_groups([Cluster(Step("", ""), -1, tuple(wrong))], 0), key=_order)
    needed = next((n for n in range(len(verdicts)) if _covered(verdicts[:n]) >= COVERED * len(wrong)), len(verdicts))
    made, small = verdicts[: min(needed, most)], verdicts[min(needed, most) :]
    made = _refined(made, _CAUSE, 2, most)
    made += small[: most - len(made)]
    for depth, least in ((_CAUSE, 1), (_SHAPE, 2)):
        made = _refined(made, depth, least, most)
    return tuple(sorted(made, key=_order))


def _covered(clusters: Sequence[Cluster]) -> int:
    return sum(len(one.members) for one in clusters)


def _refined(clusters: Sequence[Cluster], depth: int, least: int, most: int) -> list[Cluster]:
    """Parts of at least `least` submissions at step `depth` become clusters of their own, as long as there is room."""
    made = list(clusters)
    parts = [
        part for part in _groups([one for one in made if one.depth == depth - 1], depth) if len(part.members) >= least
    ]
    for part in sorted(parts, key=_order):
        whole = next(one for one in made if one.depth == depth - 1 and set(part.members) <= set(one.members))
        others = tuple(one for one in whole.members if one not in set(part.members))
        if others and len(made) >= most:
            continue
        made.remove(whole)
        made.append(part)
        if others:
            made.append(Cluster(whole.step, whole.depth, others, rest=True))
    return made


def _groups(clusters: Sequence[Cluster], depth: int) -> list[Cluster]:
    found: Mapping[Step, list[WrongSubmission]] = defaultdict(list)
    titles: dict[str, Step] = {}
    for cluster in clusters:
        for one in cluster.members:
            if len(one.steps) > depth:
                step = titles.setdefault(one.steps[depth].key, one.steps[depth])
                found[step].append(one)
    return [Cluster(step, depth, tuple(members)) for step, members in found.items()]


def _order(cluster: Cluster) -> tuple[int, str]:
    return -len(cluster.members), cluster.step.key
