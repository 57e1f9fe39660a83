"""How small mistakes in a lab's model solution behave, so that a submission can be compared with them. Kept in OUT between batches.

A submission that behaves like a mutant fails the same cases in the same way with as many wrong elements. That is a hint for the
instructor and proves nothing. Which mutants are known depends on the time that batches had, so no cluster's key depends on them.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError

from grader.machine.atomic_file import write_atomically
from grader.model.result import Model
from grader.suspects.mutation import Mutant

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
    mutants: Sequence[Mutant]
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
        for number, behaviour in sorted(self.known.items()):
            if behaviour:
                found.setdefault(behaviour, []).append(number)
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
