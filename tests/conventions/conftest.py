"""A copy of a part of this tree to which a test adds what CONTRIBUTING says, and the files that it names for that."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def named_files(addition: str) -> list[str]:
    """The paths of this tree in CONTRIBUTING's row for `addition`."""
    rows = re.findall(r"^\| ([^|]+) \| (.+) \|$", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), re.MULTILINE)
    return [path for path in re.findall(r"`([^`]+)`", dict(rows)[addition]) if (ROOT / path).exists()]


@dataclass(frozen=True)
class CopiedTree:
    """The copy, and what was copied."""

    root: Path
    copied: tuple[str, ...]

    def create(self, path: str, text: str) -> None:
        assert not (self.root / path).exists(), f"{path} is there already"
        (self.root / path).write_text(text, encoding="utf-8")

    def replace(self, path: str, old: str, new: str) -> None:
        text = (self.root / path).read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{old!r} in {path}"
        (self.root / path).write_text(text.replace(old, new), encoding="utf-8")

    def touched(self) -> set[str]:
        """Files that the copy has and this tree has not, or has otherwise."""
        paths = (path for name in self.copied for path in ((self.root / name), *(self.root / name).rglob("*")))
        files = (path for path in paths if path.is_file() and path.parent.name != "__pycache__")
        names = (path.relative_to(self.root).as_posix() for path in files)
        return {
            name
            for name in names
            if not (ROOT / name).is_file() or (ROOT / name).read_bytes() != (self.root / name).read_bytes()
        }
