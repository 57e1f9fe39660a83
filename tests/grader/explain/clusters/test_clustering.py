"""Clusters: few, stable, and as specific as their number allows."""

from __future__ import annotations

import random

from grader.explain.clustering import COVERED, MOST, Step, WrongSubmission, clusters_of
from grader.model.verdicts import Verdict


def wrong(student: str, *path: str) -> WrongSubmission:
    """`path`: verdict, cause, shape."""
    keys = ["/".join(path[: n + 1]) for n in range(len(path))]
    return WrongSubmission(student, Verdict.RACE, tuple(Step(key, f"title of {key}") for key in keys), 1, hidden=False)


def many(number: int, *path: str) -> list[WrongSubmission]:
    return [wrong(f"{'/'.join(path)} {n}", *path) for n in range(number)]


def test_nobody_who_is_wrong_makes_no_cluster() -> None:
    assert clusters_of([]) == ()


def test_causes_come_apart_as_long_as_there_is_room() -> None:
    found = clusters_of([*many(5, "race", "a"), *many(3, "race", "b"), *many(2, "crash", "c")])
    assert [(one.step.key, len(one.members)) for one in found] == [("race/a", 5), ("race/b", 3), ("crash/c", 2)]


def test_what_finds_no_room_stays_together_under_the_wider_key() -> None:
    singles = [one for n in range(40) for one in many(1, "race", f"c{n:02d}")]
    found = clusters_of([*many(9, "race", "often"), *singles])
    assert len(found) == MOST
    rest = [one for one in found if one.rest]
    assert [(one.step.key, len(one.members)) for one in rest] == [("race", 49 - 9 - 10)]
    assert any(one.step.key == "race/often" for one in found)


def test_shapes_of_a_line_are_told_apart_last() -> None:
    found = clusters_of([*many(4, "race", "a", "x"), *many(3, "race", "a", "y"), *many(1, "race", "a", "z")])
    assert [(one.step.key, len(one.members)) for one in found] == [("race/a/x", 4), ("race/a/y", 3), ("race/a", 1)]


def test_every_submission_is_in_one_cluster_and_nine_in_ten_are_in_some() -> None:
    source = random.Random(7)
    for _ in range(200):
        given = [
            wrong(str(n), f"v{source.randrange(16)}", f"c{source.randrange(9)}", f"s{source.randrange(4)}")
            for n in range(source.randrange(1, 120))
        ]
        found = clusters_of(given)
        members = [one.student for cluster in found for one in cluster.members]
        assert len(found) <= MOST
        assert len(members) == len(set(members))
        if len({one.steps[0].key for one in given}) <= MOST:
            assert len(members) >= COVERED * len(given)
        for cluster in found:
            assert all(one.steps[cluster.depth].key == cluster.step.key for one in cluster.members)


def test_the_order_of_the_class_changes_no_cluster() -> None:
    given = [*many(5, "race", "a", "x"), *many(3, "race", "b"), *many(4, "crash", "c", "y"), *many(1, "timeout")]
    keys = [(one.step.key, len(one.members)) for one in clusters_of(given)]
    source = random.Random(11)
    for _ in range(20):
        source.shuffle(given)
        assert [(one.step.key, len(one.members)) for one in clusters_of(given)] == keys
