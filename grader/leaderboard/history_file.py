"""The folder OUT/instructor/leaderboard: the secret key of made names, the history, and the names that the instructor refuses.

What cannot be read is never overwritten: it is put aside under another name, and a notice says so.
"""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import ValidationError

from grader.leaderboard.history import History
from grader.machine.atomic_file import write_atomically

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
            self._put_aside(
                path, "the key of made names", "there is a new one now, and students who are new get names from it"
            )
        key = secrets.token_bytes(32)
        write_atomically(path, key.hex() + "\n")
        path.chmod(0o600)
        return key

    def history(self) -> History:
        """An empty one where there is none, or where it cannot be read. Raises OSError."""
        path = self.path / "history.json"
        if not path.exists():
            return History()
        try:
            text = _text(path)
            if text is not None:
                return History.model_validate_json(text)
        except (ValidationError, RecursionError):
            pass
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

    def history_text(self, history: History) -> str:
        return history.model_dump_json(by_alias=True, indent=1) + "\n"

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
