"""What a leaderboard keeps from batch to batch: names, and the places and speeds of earlier batches; and where it is kept.

A field that is not known stays as it is, so that a history written by a newer version loses nothing here.
"""

from __future__ import annotations

import hashlib
import json
import re
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from pydantic import Field

from grader.model.result import Ratio
from grader.plugins.leaderboard.pseudonyms import NameBook
from grader.roll.batch.output_folder import read_kept
from grader.roll.policy.grade_history import Kept
from grader.run.speed.speed_score import WIDEST
from grader.system.own_files import write_atomically

# Places by intervals. Pure.
#
# An entry's rank is 1 and the number of entries whose interval lies wholly above its own. So entries whose intervals overlap never
# push each other down, and a long chain of overlaps does not make the last as good as the first: a shared rank says "not shown to be
# slower than anybody in front of this place".
#
# An interval says how well one grading knows a speed. Another grading of the same file may differ by more than that, so no interval
# counts as narrower than gradings repeat.

# Ten gradings of one file differed by 0.3 to 0.5 % of its speed (tests/gpu). Speeds of two files that differ by less are not told apart.
REPEATS = 0.005


def ranks(speeds: Sequence[Ratio]) -> list[int]:
    """The rank of each, in their order."""
    counted = [counted_as(one) for one in speeds]
    return [1 + sum(other.low > one.high for other in counted) for one in counted]


def counted_as(speed: Ratio) -> Ratio:
    """A kernel that takes now more, now less time has a wide interval. That must not lift it into a shared place at the top: it counts
    as slow as it may be.
    """
    if (speed.high - speed.low) / 2 <= WIDEST * speed.middle:
        middle, least = speed.middle, REPEATS / 2 * speed.middle
        return Ratio(low=min(speed.low, middle - least), middle=middle, high=max(speed.high, middle + least))
    return Ratio(low=speed.low, middle=speed.low, high=speed.low)


MOST_BATCHES = 40  # of a lab


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


class History(NameBook):
    schema_: Literal["tilelab/leaderboard/v1"] = Field(default="tilelab/leaderboard/v1", alias="schema")
    batches: dict[str, tuple[KeptBatch, ...]] = Field(default_factory=dict)  # by lab, the oldest first

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


# The folder OUT/instructor/leaderboard: the secret key of made names, the history, and the names that the instructor refuses.
#
# What cannot be read is never overwritten: it is put aside under another name, and a notice says so.

_LARGEST = 64 << 20
_KEY = re.compile(r"[0-9a-f]{64}")


@dataclass
class LeaderboardFolder:
    path: Path
    notices: list[str] = field(default_factory=list)  # what was found damaged, for the instructor

    def key(self) -> bytes:
        """The key, made where there is none. Raises OSError."""
        path = self.path / "key"
        if path.exists():
            text = _text(path)
            if text is not None and _KEY.fullmatch(text.strip()):
                return bytes.fromhex(text.strip())
            new = "there is a new one now, and students who are new get names from it"
            self._put_aside(path, "the key of made names", new)
        key = secrets.token_bytes(32)
        write_atomically(path, key.hex() + "\n")
        path.chmod(0o600)
        return key

    def history(self) -> History:
        """An empty one where there is none, or where it cannot be read. Raises OSError."""
        path = self.path / "history.json"
        if path.exists():
            if (history := read_kept(path, History)) is not None:
                return history
            self._put_aside(
                path,
                "the leaderboard's history",
                "a new one begins, so nobody has improved since last time. It was damaged, or written by another version of Tilelab",
            )
        return History()

    def refused(self) -> list[str]:
        """A name on each line of refused.txt, which the instructor may write."""
        path = self.path / "refused.txt"
        return [line.strip() for line in (_text(path) or "").splitlines() if line.strip()]

    def _put_aside(self, path: Path, what: str, then: str) -> None:
        number = next(n for n in range(1, 10_000) if not (self.path / f"{path.name}.unread-{n}").exists())
        aside = path.replace(self.path / f"{path.name}.unread-{number}")
        self.notices.append(f"{path}: {what} cannot be read. It is kept as {aside.name}, and {then}")


def _text(path: Path) -> str | None:
    """None where it is not text, not a file, or far too large."""
    try:
        if not path.is_file() or path.stat().st_size > _LARGEST:
            return None
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None
