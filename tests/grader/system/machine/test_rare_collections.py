"""Cycles are looked for seldom, and still looked for."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from grader.system.worker_processes import collect_rarely


@pytest.fixture
def usual() -> Iterator[None]:
    before = gc.get_threshold()
    gc.set_threshold(700, 10, 10)  # Python's own: a command that ran in this process may have changed it
    yield
    gc.set_threshold(*before)


@pytest.mark.usefixtures("usual")
def test_cycles_are_looked_for_seldom_but_not_never() -> None:
    before = gc.get_threshold()
    collect_rarely()
    assert gc.isenabled()
    assert all(now > then for now, then in zip(gc.get_threshold(), before, strict=True))
