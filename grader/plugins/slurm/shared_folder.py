"""The folder in OUT that the front command and the tasks share: instructor/slurm/.

Each array has a folder of its own with its order, its script, the answers and logs of its tasks, and, once Slurm has taken it, its number.
Sources of jobs lie beside the arrays, each under its job's key. Files are written whole or not at all.
"""

from __future__ import annotations

import itertools
import math
import secrets
import shlex
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import Field

from grader.model.outcome import LabOutcome
from grader.model.result import Environment, Model
from grader.roll.batch.judging_jobs import JudgingOptions
from grader.roll.batch.output_folder import read_kept
from grader.system.own_files import remove_folder, write_atomically

# What a task of an array leaves behind: on which node it ran and with what, and what is not in the job store. Plain data.


class Bench(Model):
    """What a node judges with. Outcomes of two nodes are of one class only where this is the same."""

    fingerprints: dict[str, str]  # by lab, as job keys have them
    environment: Environment
    speed_message: str = ""

    def differences(self, other: Bench) -> str:
        """In words, what is known of them; empty: nothing differs in the labs that `other` tells of."""
        if all(self.fingerprints.get(lab) == one for lab, one in other.fingerprints.items()):
            return ""
        mine, its = self.environment, other.environment
        pairs = [
            (word, getattr(mine, word), getattr(its, word)) for word in ("kit", "compiler", "backend", "gpu", "sandbox")
        ]
        told = [f"{word} {b or 'none'!r} instead of {a or 'none'!r}" for word, a, b in pairs if a != b]
        return ", ".join(told) or "its files of the course, the compiler or the grader are other ones"


class TaskAnswer(Model):
    """`refused`: why this node judged nothing, its controls among the reasons. Then nothing that it says of a submission counts."""

    schema_: Literal["tilelab/task-answer/v1"] = Field(default="tilelab/task-answer/v1", alias="schema")
    node: str
    bench: Bench | None = None
    refused: str = ""
    # What was not kept: failures of ours, and times that are to be measured again.
    outcomes: dict[str, LabOutcome] = Field(default_factory=dict)
    faults: dict[str, str] = Field(default_factory=dict)  # by key, what broke on our side
    other_faults: tuple[str, ...] = ()


# What the tasks of one array are told: a file beside their slices. Plain data.
#
# No seed is in it: a task reads the course's own, and the key of each job shows whether both mean the same.


class SliceJob(Model):
    """One file to judge: `key` names its outcome in the job store, and its copy among the sources."""

    key: str = Field(pattern=r"^[0-9a-f]{64}$")
    lab: str


class ArrayOrder(Model):
    schema_: Literal["tilelab/array-order/v1"] = Field(default="tilelab/array-order/v1", alias="schema")
    labs: tuple[str, ...]  # that a task opens; slices are about some of them
    options: JudgingOptions = JudgingOptions()
    bench: Bench | None = None  # with which a node has to judge; none: it is asked
    slices: tuple[tuple[SliceJob, ...], ...]  # by the task's number; an empty one asks only what a node judges with


_LOG_BYTES = 4000  # of a log's end that are looked at


class Submitted(Model):
    """That Slurm has taken an array."""

    array: int
    slurm_options: tuple[str, ...]


class KnownBench(Model):
    """What nodes judged with when they were asked last. `front` says for which front command that was."""

    front: str
    bench: Bench


class _Name(Model):
    name: str = Field(pattern=r"^tilelab-[0-9a-f]{12}$")


@dataclass(frozen=True)
class ArrayFolder:
    path: Path

    @property
    def script(self) -> Path:
        return self.path / "task.sh"

    @property
    def log(self) -> Path:
        """As sbatch has it: %A and %a are the numbers of array and task."""
        return self.path / "log-%a.txt"

    def order(self) -> ArrayOrder:
        """Raises OSError or ValidationError."""
        return ArrayOrder.model_validate_json((self.path / "order.json").read_bytes())

    def submitted(self) -> Submitted | None:
        return read_kept(self.path / "submitted.json", Submitted)

    def mark_submitted(self, submitted: Submitted) -> None:
        write_atomically(self.path / "submitted.json", submitted.model_dump_json() + "\n")

    def answer(self, number: int) -> TaskAnswer | None:
        """None: there is none, or it is damaged, which is the same."""
        return read_kept(self.path / f"answer-{number}.json", TaskAnswer)

    def write_answer(self, number: int, answer: TaskAnswer) -> None:
        write_atomically(self.path / f"answer-{number}.json", answer.model_dump_json(by_alias=True) + "\n")

    def answered(self) -> frozenset[int]:
        """Numbers of tasks that have left an answer."""
        names = [path.stem.removeprefix("answer-") for path in self.path.glob("answer-*.json")]
        return frozenset(int(name) for name in names if name.isdecimal())

    def last_words(self, number: int) -> str:
        """The end of a task's log, on one line."""
        try:
            with (self.path / f"log-{number}.txt").open("rb") as file:
                file.seek(0, 2)
                file.seek(max(0, file.tell() - _LOG_BYTES))
                text = file.read().decode("utf-8", "replace")
        except OSError:
            return ""
        return " / ".join(line.strip() for line in text.splitlines()[-3:] if line.strip())[:400]


@dataclass(frozen=True)
class SharedFolder:
    """`private`: the instructor's folder in OUT."""

    private: Path

    @property
    def path(self) -> Path:
        return self.private / "slurm"

    def name(self) -> str:
        """What all arrays of this OUT are called, for good: so a later command finds those of one that was killed."""
        path = self.path / "name.json"
        if (known := read_kept(path, _Name)) is None:
            known = _Name(name=f"tilelab-{secrets.token_hex(6)}")
            write_atomically(path, known.model_dump_json() + "\n")
        return known.name

    def source(self, key: str) -> Path:
        return self.path / "sources" / key

    def add_sources(self, sources: Mapping[str, Path]) -> None:
        """Copies of what is to be judged, for nodes that do not see this machine's temporary files."""
        for key, path in sources.items():
            if not self.source(key).is_file():
                write_atomically(self.source(key), path.read_bytes())

    def add_array(self, order: ArrayOrder, command: Sequence[str]) -> ArrayFolder:
        """A new folder for an array. `command`: judges the slice of the array whose folder is its last argument."""
        folder = ArrayFolder(self.path / "arrays" / secrets.token_hex(6))
        write_atomically(folder.path / "order.json", order.model_dump_json(by_alias=True) + "\n")
        task = shlex.join([*command, str(folder.path.absolute())])
        write_atomically(folder.script, f"#!/bin/sh\nexec {task}\n")
        folder.script.chmod(0o755)
        return folder

    def arrays(self) -> Iterator[ArrayFolder]:
        with suppress(OSError):
            yield from map(ArrayFolder, sorted((self.path / "arrays").iterdir()))

    def known_bench(self, front: str, labs: Collection[str]) -> Bench | None:
        known = read_kept(self.path / "bench.json", KnownBench)
        fits = known is not None and known.front == front and known.bench.fingerprints.keys() >= {*labs}
        return known.bench if known is not None and fits else None

    def remember_bench(self, front: str, bench: Bench) -> None:
        write_atomically(self.path / "bench.json", KnownBench(front=front, bench=bench).model_dump_json() + "\n")

    def forget_bench(self) -> None:
        (self.path / "bench.json").unlink(missing_ok=True)

    def tidy(self) -> None:
        """Removes arrays and sources, when no task needs them any longer."""
        for name in ("arrays", "sources"):
            with suppress(OSError):
                remove_folder(self.path / name)


# How jobs are cut into slices, one for each task. Pure.
#
# A slice is of one lab where it can be, because each task judges the controls of its labs first. What came back unjudged goes into
# smaller slices, and at last alone: so one file that ends its task takes no other with it.

MOST_TRIES = 3  # submissions of one job that end without an answer
_SHRINK = 4


@dataclass(frozen=True)
class Slice:
    keys: tuple[str, ...]
    tries: int = 0  # that ended without an answer before


def cut(labs: Mapping[str, str], size: int, tries: int = 0) -> Iterator[Slice]:
    """`labs`: the lab of each key. Slices of at most `size` keys, as equal as they can be."""
    by_lab = sorted(labs, key=lambda key: labs[key])  # stable: in the class's order within a lab
    for _, group in itertools.groupby(by_lab, key=lambda key: labs[key]):
        keys = list(group)
        count = math.ceil(len(keys) / size)
        for number in range(count):
            yield Slice(tuple(keys[number * len(keys) // count : (number + 1) * len(keys) // count]), tries)


def again(
    whole: Slice, left: Iterable[str], labs: Mapping[str, str], *, counts: bool, smaller: bool = True
) -> list[Slice]:
    """Slices for the keys that are `left` of `whole`. `counts`: the try is held against them, because nothing was judged in it.
    `smaller`: one of them may have ended the task.
    """
    tries, size = whole.tries + counts, max(1, len(whole.keys))
    if counts and smaller:
        size = 1 if tries >= MOST_TRIES - 1 else math.ceil(size / _SHRINK)
    return list(cut({key: labs[key] for key in left}, size, tries))
