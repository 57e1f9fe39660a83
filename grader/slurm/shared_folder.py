"""The folder in OUT that the front command and the tasks share: instructor/slurm/.

Each array has a folder of its own with its order, its script, the answers and logs of its tasks, and, once Slurm has taken it, its number.
Sources of jobs lie beside the arrays, each under its job's key. Files are written whole or not at all.
"""

from __future__ import annotations

import secrets
import shlex
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pydantic import Field, ValidationError

from grader.machine.atomic_file import write_atomically
from grader.machine.folder_removal import remove_folder
from grader.model.result import Model
from grader.slurm.array_order import ArrayOrder
from grader.slurm.task_answer import Bench, TaskAnswer

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
        try:
            return Submitted.model_validate_json((self.path / "submitted.json").read_bytes())
        except (OSError, ValidationError):
            return None

    def mark_submitted(self, submitted: Submitted) -> None:
        write_atomically(self.path / "submitted.json", submitted.model_dump_json() + "\n")

    def answer(self, number: int) -> TaskAnswer | None:
        """None: there is none, or it is damaged, which is the same."""
        try:
            return TaskAnswer.model_validate_json((self.path / f"answer-{number}.json").read_bytes())
        except (OSError, ValidationError):
            return None

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
        try:
            return _Name.model_validate_json(path.read_bytes()).name
        except (OSError, ValidationError):
            made = _Name(name=f"tilelab-{secrets.token_hex(6)}")
            write_atomically(path, made.model_dump_json() + "\n")
            return made.name

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
        try:
            known = KnownBench.model_validate_json((self.path / "bench.json").read_bytes())
        except (OSError, ValidationError):
            return None
        return known.bench if known.front == front and known.bench.fingerprints.keys() >= {*labs} else None

    def remember_bench(self, front: str, bench: Bench) -> None:
        write_atomically(self.path / "bench.json", KnownBench(front=front, bench=bench).model_dump_json() + "\n")

    def forget_bench(self) -> None:
        (self.path / "bench.json").unlink(missing_ok=True)

    def tidy(self) -> None:
        """Removes arrays and sources, when no task needs them any longer."""
        for name in ("arrays", "sources"):
            with suppress(OSError):
                remove_folder(self.path / name)
