"""How jobs are cut into slices, and what becomes of those that came back."""

from __future__ import annotations

from grader.plugins.slurm.array_run import MOST_TRIES, cut

LABS = {f"{ord(lab):063d}{one:x}": lab for one in range(10) for lab in "ab"}


def test_slices_are_of_one_lab_and_hold_every_job_once() -> None:
    slices = list(cut(LABS, {}, 4))
    assert sorted(key for one in slices for key in one.keys) == sorted(LABS)
    assert all({LABS[key] for key in one.keys} == {one.lab} for one in slices)
    assert sorted(len(one.keys) for one in slices) == [3, 3, 3, 3, 4, 4]
    assert list(cut({}, {}, 4)) == []


def test_what_came_back_goes_into_smaller_slices_and_at_last_alone() -> None:
    keys = [key for key in LABS if LABS[key] == "a"][:8]
    jobs = dict.fromkeys(keys, "a")
    assert [len(one.keys) for one in cut(jobs, dict.fromkeys(keys, 1), 32)] == [2, 2, 2, 2]
    assert [len(one.keys) for one in cut(jobs, dict.fromkeys(keys, MOST_TRIES - 1), 32)] == [1] * 8


def test_what_was_not_tried_stays_together() -> None:
    keys = [key for key in LABS if LABS[key] == "a"][:8]
    slices = list(cut(dict.fromkeys(keys, "a"), {keys[0]: 1}, 32))
    assert sorted(len(one.keys) for one in slices) == [1, 7]
