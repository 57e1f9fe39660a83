"""What a leaderboard keeps from batch to batch: names, and the places and speeds of earlier batches. Pure; history_file.py writes it.

A field that is not known stays as it is, so that a history written by a newer version loses nothing here.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from grader.leaderboard.pseudonyms import NameBook
from grader.leaderboard.ranks import counted_as
from grader.model.result import Ratio

MOST_BATCHES = 40  # of a lab


class Kept(BaseModel):
    model_config = ConfigDict(frozen=True, extra="allow", allow_inf_nan=False)


class KeptEntry(Kept):
    student: str
    source: str = ""  # digest of the file
    speed: Ratio  # over the baseline
    rank: int = 0  # 0: not ranked


class KeptBatch(Kept):
    handed_in: str  # digest of who handed in what
    date: str = ""
    device: str
    shape: str
    entries: tuple[KeptEntry, ...] = ()


class History(Kept):
    schema_: Literal["tilelab/leaderboard/v1"] = Field(default="tilelab/leaderboard/v1", alias="schema")
    students: tuple[str, ...] = ()  # of the last batch
    made: dict[str, str] = Field(default_factory=dict)
    owned: dict[str, str] = Field(default_factory=dict)
    batches: dict[str, tuple[KeptBatch, ...]] = Field(default_factory=dict)  # by lab, the oldest first

    model_config = ConfigDict(frozen=True, extra="allow", allow_inf_nan=False, populate_by_name=True)

    @property
    def names(self) -> NameBook:
        return NameBook(self.made, self.owned)

    def with_names(self, names: NameBook, students: Sequence[str]) -> History:
        return self.model_copy(
            update={"made": dict(names.made), "owned": dict(names.owned), "students": tuple(students)}
        )

    def before(self, lab_id: str, handed_in: str) -> tuple[KeptBatch, ...]:
        """The batches before this one. The same batch, graded again, is not before itself."""
        kept = self.batches.get(lab_id, ())
        return kept[:-1] if kept and kept[-1].handed_in == handed_in else kept

    def with_batch(self, lab_id: str, batch: KeptBatch) -> History:
        """A batch in which nothing was measured adds nothing. The same batch again takes the place of the last."""
        if not batch.entries:
            return self
        batches = (*self.before(lab_id, batch.handed_in), batch)[-MOST_BATCHES:]
        return self.model_copy(update={"batches": {**self.batches, lab_id: batches}})


@dataclass(frozen=True)
class Change:
    """How an entry compares with the same student's last one."""

    kind: Literal["new", "faster", "slower", "same", "unchanged"]  # unchanged: the same file
    factor: float = 1.0
    rank_before: int = 0  # 0: none


def change_since(before: Sequence[KeptBatch], now: KeptEntry, *, device: str, shape: str) -> Change:
    """`before`: earlier batches, the oldest first. Only speeds of the same GPU and shape are compared."""
    comparable = [batch for batch in before if (batch.device, batch.shape) == (device, shape)]
    last = next((one for batch in reversed(comparable) for one in batch.entries if one.student == now.student), None)
    if last is None:
        return Change("new")
    factor = now.speed.middle / last.speed.middle if last.speed.middle > 0 else 1.0
    if now.source and now.source == last.source:
        return Change("unchanged", 1.0, last.rank)
    speed, earlier = counted_as(now.speed), counted_as(last.speed)
    if speed.low > earlier.high:
        return Change("faster", factor, last.rank)
    if speed.high < earlier.low:
        return Change("slower", factor, last.rank)
    return Change("same", factor, last.rank)


def digest_of(facts: Iterable[tuple[str, ...]]) -> str:
    """Tells batches apart by who handed in what, in any order."""
    return hashlib.sha256(json.dumps(sorted(facts)).encode()).hexdigest()[:32]
