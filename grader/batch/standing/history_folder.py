"""The folder OUT/instructor/history: a file for each batch that found something new, numbered, and never written again.

A file is there as a whole or not at all, also after a crash or a loss of power. One that cannot be read stays as it is, and a notice
says so.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import ValidationError

from grader.machine.atomic_file import write_durably
from grader.policy.grade_history import KeptBatch

_NAME = re.compile(r"(\d{5,})\.json")
_LARGEST = 256 << 20


@dataclass
class HistoryFolder:
    """`private`: the instructor's folder in OUT; it need not exist."""

    private: Path
    notices: list[str] = field(default_factory=list)  # what was found damaged

    @property
    def path(self) -> Path:
        return self.private / "history"

    def read(self) -> list[KeptBatch]:
        """The oldest first."""
        batches = []
        for path in self._files().values():
            try:
                if path.stat().st_size > _LARGEST:
                    raise OSError  # noqa: TRY301 -- one sentence for all that cannot be read
                batches.append(KeptBatch.model_validate_json(path.read_bytes()))
            except (OSError, ValidationError, RecursionError):
                self.notices.append(
                    f"{path}: this part of the grades' history cannot be read, so it is not known what changed then. It stays as it is; "
                    "no grade of a lab in this batch follows from it"
                )
        return batches

    def append(self, batch: KeptBatch) -> Path:
        """Raises OSError; then the history is as it was."""
        number = max(self._files(), default=0) + 1
        path = self.path / f"{number:05}.json"
        write_durably(path, batch.model_dump_json(by_alias=True) + "\n")
        return path

    def _files(self) -> dict[int, Path]:
        """By their numbers."""
        try:
            found = {int(match[1]): one for one in self.path.iterdir() if (match := _NAME.fullmatch(one.name))}
        except FileNotFoundError:
            return {}
        return dict(sorted(found.items()))
