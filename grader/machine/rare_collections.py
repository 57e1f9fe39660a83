"""Python looks for unused cycles of objects seldom. By itself it does so after each 700 new objects, among all that there are, and a
twentieth of a batch's processor time went there.

A command ends soon, and what it makes is small beside a machine's memory. What is in no cycle goes at once, as always.
"""

from __future__ import annotations

import gc

_YOUNG = 50_000  # new objects before the youngest are looked at
_MIDDLE, _OLD = 20, 50  # so many looks at one generation before the next one is looked at as well


def collect_rarely() -> None:
    """For this process, from now on."""
    gc.set_threshold(_YOUNG, _MIDDLE, _OLD)
