"""How jobs are cut into slices, and what becomes of those that came back."""

from __future__ import annotations

from grader.plugins.slurm.shared_folder import MOST_TRIES, Slice, again, cut

LABS = {f"{lab}{one}": lab for one in range(10) for lab in "ab"}


def test_slices_are_of_one_lab_and_hold_every_job_once() -> None:
    slices = list(cut(LABS, 4))
    assert sorted(key for one in slices for key in one.keys) == sorted(LABS)
    assert all(len({LABS[key] for key in one.keys}) == 1 for one in slices)
    assert sorted(len(one.keys) for one in slices) == [3, 3, 3, 3, 4, 4]
    assert list(cut({}, 4)) == []


def test_what_came_back_goes_into_smaller_slices_and_at_last_alone() -> None:
    whole = Slice(tuple(f"a{one}" for one in range(8)))
    second = again(whole, whole.keys, LABS, counts=True)
    assert [len(one.keys) for one in second] == [2, 2, 2, 2]
    third = again(second[0], second[0].keys, LABS, counts=True)
    assert [(len(one.keys), one.tries) for one in third] == [(1, MOST_TRIES - 1)] * 2


def test_a_try_that_is_nobodys_fault_counts_for_nobody() -> None:
    whole = Slice(("a1", "a2", "a3"), 1)
    assert again(whole, ["a1", "a3"], LABS, counts=False) == [Slice(("a1", "a3"), 1)]
    assert again(whole, [], LABS, counts=True) == []


def test_what_somebody_cancelled_stays_together() -> None:
    whole = Slice(tuple(f"a{one}" for one in range(8)))
    assert again(whole, whole.keys, LABS, counts=True, smaller=False) == [Slice(whole.keys, 1)]
