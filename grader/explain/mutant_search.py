"""After judging, beside the search for lines: finds out how small mistakes in the model solutions behave, so that wrong submissions can be
compared with them.

The time is bounded by what judging took, and what is found is kept: later batches continue where it ended. A batch that judges
nothing tries nothing. No verdict and no point depends on it.
"""

from __future__ import annotations

import itertools
import re
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

from pydantic import Field, ValidationError

from grader.explain.clustering import behaviour
from grader.explain.small_edits import SmallEdit, mutants_of
from grader.model.errors import RemediableError
from grader.model.labs import Lab
from grader.model.outcome import LabOutcome
from grader.model.result import Model
from grader.run.lab_verdict import broke
from grader.system.own_files import remove_folder, write_atomically

# How small mistakes in a lab's model solution behave, so that a submission can be compared with them. Kept in OUT between batches.
#
# A submission that behaves like a mutant fails the same cases in the same way with as many wrong elements. That is a hint for the
# instructor and proves nothing. Which mutants are known depends on the time that batches had, so no cluster's key depends on them.

_LINE = re.compile(r" in line (\d+)(?= or the solution |$)")
_ALIKE = 3  # if more mutants behave the same, the behaviour says little


class _Known(Model):
    schema_: Literal["tilelab/mutants/v1"] = Field(default="tilelab/mutants/v1", alias="schema")
    of: str  # a hash of the solution, the tests and what they are judged with
    behaviours: dict[int, str] = Field(default_factory=dict)  # of mutants by their number; empty: none, or it passes


@dataclass
class SolutionMutants:
    """Those of one lab. `of`: a hash of all that their behaviour depends on."""

    path: Path
    of: str
    mutants: Sequence[SmallEdit]
    known: dict[int, str] = field(default_factory=dict)

    def read(self) -> None:
        """What earlier batches found out. A file that is missing, damaged or of another solution counts as none."""
        try:
            kept = _Known.model_validate_json(self.path.read_bytes())
        except (OSError, ValidationError):
            return
        if kept.of == self.of:
            self.known = {number: one for number, one in kept.behaviours.items() if number < len(self.mutants)}

    def keep(self) -> None:
        """Raises OSError."""
        self.path.parent.mkdir(exist_ok=True)
        write_atomically(self.path, _Known(of=self.of, behaviours=self.known).model_dump_json(by_alias=True) + "\n")

    def unknown(self) -> list[int]:
        """The numbers of those that nobody has judged: the first of each operator, then the second of each, and so on."""
        places: dict[str, list[int]] = {}
        for number, mutant in enumerate(self.mutants):
            places.setdefault(mutant.operator, []).append(number)
        turns = itertools.chain.from_iterable(itertools.zip_longest(*places.values()))
        return [number for number in turns if number is not None and number not in self.known]

    def likenesses(self) -> Mapping[str, str]:
        """By behaviour, which small change of the solution behaves so: "`<=` for `<` in line 12"."""
        found: dict[str, list[int]] = {}
        for number, shown in sorted(self.known.items()):
            if shown:
                found.setdefault(shown, []).append(number)
        return {one: " or ".join(self._words(numbers)) for one, numbers in found.items() if len(numbers) <= _ALIKE}

    def _words(self, numbers: Sequence[int]) -> Iterator[str]:
        for number in numbers:
            mutant = self.mutants[number]
            before, after = _difference(mutant.before, mutant.after)
            change = f"without `{before.rstrip(';')}`" if after in {"", ";"} else f"with `{after}` for `{before}`"
            yield f"the solution {change} in line {mutant.line}"


def lines_of(likeness: str) -> frozenset[int]:
    """The solution's lines that one of `likenesses()` names."""
    return frozenset(int(one) for one in _LINE.findall(likeness))


def _difference(before: str, after: str) -> tuple[str, str]:
    """The words that differ, without those that begin and end both."""
    one, other = before.split(), after.split()
    while one and other and one[0] == other[0]:
        one, other = one[1:], other[1:]
    while one and other and one[-1] == other[-1]:
        one, other = one[:-1], other[:-1]
    return " ".join(one), " ".join(other)


SHARE = 0.05  # of the time that judging took


# What the behaviour of a text of the lab's file depends on, as a hash: tests, compiler, seed and so on.
Key = Callable[[bytes, Lab], str]


class Judge(Protocol):
    """Builds `source` for `lab` and runs all its cases, in a scratch folder of its own."""

    def __call__(self, lab: Lab, source: Path, scratch: Path, /) -> LabOutcome: ...


@dataclass(frozen=True)
class FoundMutants:
    """What is known of each lab's mutants. Nothing of it is kept yet: it was found before the last look at controls."""

    of: Mapping[str, SolutionMutants] = field(default_factory=dict)
    searched: bool = False  # else nothing is new
    faults: tuple[str, ...] = ()  # what broke on our side

    def keep(self) -> None:
        """Raises OSError."""
        for one in self.of.values() if self.searched else ():
            one.keep()

    def likenesses(self) -> Mapping[str, Mapping[str, str]]:
        """By lab and behaviour, which change of the solution behaves so."""
        return {lab_id: one.likenesses() for lab_id, one in self.of.items()}


@dataclass(frozen=True)
class MutantSearch:
    """`judge`: as for a submission; `seconds`: how long a batch may take for it; None: as long as follows from what judging took."""

    judge: Judge
    seconds: float | None = None
    workers: int = 1
    clock: Callable[[], float] = time.monotonic

    def run(self, labs: Sequence[Lab], key: Key, folder: Path, scratch: Path, judging_seconds: float) -> FoundMutants:
        """`labs`: those with wrong submissions, the most important first. `folder`: where it is kept. `judging_seconds`: 0 where nothing
        was judged: then nothing is tried, unless `seconds` asks for it.
        """
        found = {lab.id: mutants for lab in labs if (mutants := _mutants(lab, key, folder)) is not None}
        end = self.clock() + (SHARE * judging_seconds if self.seconds is None else self.seconds)
        turns = itertools.zip_longest(
            *([(lab, one) for one in found[lab.id].unknown()] for lab in labs if lab.id in found)
        )
        todo = [one for turn in turns for one in turn if one is not None]
        faults: dict[str, None] = {}

        def attempt(job: tuple[Lab, int]) -> None:
            lab, number = job
            if self.clock() >= end:
                return
            try:
                seen = self._behaviour(lab, found[lab.id].mutants[number].text, scratch / f"{lab.id}-{number}")
            except (OSError, RemediableError):  # the machine's state, of which judging itself says more
                return
            except Exception:  # noqa: BLE001 -- whatever breaks on our side must not stop the batch
                faults[f"{lab.id}: comparing with the model solution broke: {traceback.format_exc()}"] = None
                return
            if seen is not None:
                found[lab.id].known[number] = seen

        searched = bool(judging_seconds) or self.seconds is not None
        if searched:
            with ThreadPoolExecutor(max(self.workers, 1)) as pool:
                list(pool.map(attempt, todo))
        return FoundMutants(found, searched, tuple(faults))

    def _behaviour(self, lab: Lab, text: str, scratch: Path) -> str | None:
        """None where we failed, so that it is tried again."""
        scratch.mkdir(parents=True)
        try:
            source = scratch / lab.public.file
            source.write_text(text, encoding="utf-8")
            outcome = self.judge(lab, source, scratch)
        finally:
            remove_folder(scratch)
        return None if broke(lab, outcome) else behaviour(outcome.cases)


def _mutants(lab: Lab, key: Key, folder: Path) -> SolutionMutants | None:
    """None without a model solution."""
    solution = lab.private_dir / lab.public.file if lab.private_dir is not None else None
    if solution is None or not solution.is_file():
        return None
    text = solution.read_bytes()
    mutants = SolutionMutants(folder / f"{lab.id}.json", key(text, lab), mutants_of(text.decode("utf-8", "replace")))
    mutants.read()
    return mutants
