"""What every fuzzer consists of: it makes a case as files in a folder, and says whether what Tilelab does with them is right.

A case is made from a seed and its number alone, and checked from its files alone. So a kept folder is the whole finding: it can be
checked again, sent to somebody, or become a test. Nothing here knows what is fuzzed.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Protocol


class WrongError(Exception):
    """Tilelab did what it must never do. The text says what, in one sentence."""


class HangError(Exception):
    """A case took longer than its fuzzer allows."""


class Fuzzer(Protocol):
    @property
    def name(self) -> str:
        """One word, also for the command line."""

    @property
    def seconds(self) -> float:
        """No case takes longer, on a busy machine either."""

    def make(self, chance: random.Random, folder: Path) -> None:
        """Writes one case into the empty `folder`. All chance comes from `chance`."""

    def check(self, folder: Path) -> str:
        """Lets Tilelab work on the case. Returns in a word or two what became of it, for the tally.

        Raises WrongError where Tilelab did something wrong. Any other exception is a finding too: Tilelab failed.
        """


def chance_of(name: str, seed: int, number: int) -> random.Random:
    """The random numbers of one case. They do not depend on the cases before it."""
    return random.Random(f"{name}/{seed}/{number}")
