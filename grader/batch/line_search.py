"""After judging: looks for the line of each wrong result that nothing explains, and keeps what is found with the outcome.

Equal files are one search. The time is bounded by what judging took. What is not tried when it is over is left for the next grading,
which continues there; a grading that judges nothing tries nothing. No verdict and no point depends on it.
"""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from grader.batch.job_store import JobStore
from grader.model.errors import RemediableError
from grader.model.labs import Lab
from grader.model.outcome import LabOutcome

SHARE = 0.125  # of the time that judging took
LEAST_SECONDS = 3.0  # also where little was judged


class Search(Protocol):
    """Adds the lines to look at to an outcome whose cause is unknown. Scoring ignores them."""

    def lacks(self, lab: Lab, outcome: LabOutcome, /) -> bool: ...
    def add(self, lab: Lab, source: Path, outcome: LabOutcome, seconds: float, /) -> LabOutcome: ...


@dataclass(frozen=True)
class LineSearch:
    """`seconds`: how long a batch may search; None: as long as follows from what judging took."""

    search: Search
    seconds: float | None = None
    clock: Callable[[], float] = time.monotonic

    def run(
        self,
        files: Mapping[str, tuple[Lab, Path]],
        outcomes: dict[str, LabOutcome],
        store: JobStore,
        judging_seconds: float,
    ) -> tuple[str, ...]:
        """Replaces outcomes that lack a cause. `files`: the lab and source of each outcome, by key. `judging_seconds`: 0 where nothing
        was judged. Gives back what broke on our side, for the instructor: an outcome whose search broke stands as it is.
        """
        least = LEAST_SECONDS if judging_seconds else 0.0
        seconds = max(SHARE * judging_seconds, least) if self.seconds is None else self.seconds
        end = self.clock() + seconds
        lacking = [key for key, (lab, _) in files.items() if seconds and self.search.lacks(lab, outcomes[key])]
        faults = dict[str, None]()  # each once: what breaks at one file may break at all of them
        for at, key in enumerate(lacking):
            seconds = (end - self.clock()) / (len(lacking) - at)  # what one file leaves is for the others
            if seconds <= 0:
                break
            lab, source = files[key]
            try:
                outcomes[key] = self.search.add(lab, source, outcomes[key], seconds)
                store.keep(key, outcomes[key])
            except (OSError, RemediableError):  # the machine's state, of which judging itself says more
                continue
            except Exception:  # noqa: BLE001 -- whatever breaks on our side must not stop the batch
                faults[f"{lab.id}: the search for the line of a wrong result broke: {traceback.format_exc()}"] = None
        return tuple(faults)
