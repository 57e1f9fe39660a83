"""Headers of the author's that lie elsewhere in the same Git clone: a build system would have named their folders.

Nothing outside the clone is looked at, nor the kit, which a course's clone holds: its headers are no author's. Of several files with a
header's name the nearest is taken, and none where two are equally near and differ.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

_MOST_FOLDERS = 16  # from the file up to the clone
_MOST_FILES = 50_000  # of a clone that are looked at
_HEADERS = (".h", ".hh", ".hpp", ".hxx", ".cuh", ".inl", ".inc", ".cu", ".cpp")


class ProjectHeaders:
    def __init__(self, file: Path, kit: Path | None = None) -> None:
        self._folder = file.resolve().parent
        self._kit = kit and kit.resolve()
        self._files: dict[str, list[Path]] | None = None  # by their names

    def find(self, name: str) -> Path | None:
        """`name`: as the #include writes it."""
        parts = [one for one in PurePosixPath(name).parts if one not in {".", ".."}]
        if not parts or not name.endswith(_HEADERS):
            return None
        if self._files is None:
            self._files = self._listed()
        found = [one for one in self._files.get(parts[-1], ()) if list(one.parts[-len(parts) :]) == parts]
        nearest = min(map(self._distance, found), default=(0, 0))
        near = [one for one in found if self._distance(one) == nearest]
        same = len({one.read_bytes() for one in near}) == 1
        return near[0] if same else None

    def _distance(self, header: Path) -> tuple[int, int]:
        """Folders up from the file, and down to the header."""
        common = Path(os.path.commonpath([self._folder, header.parent]))
        return len(self._folder.parts) - len(common.parts), len(header.parent.parts) - len(common.parts)

    def _listed(self) -> dict[str, list[Path]]:
        root = next(
            (one for one in [self._folder, *self._folder.parents][:_MOST_FOLDERS] if (one / ".git").exists()), None
        )
        found: dict[str, list[Path]] = {}
        for header in self._headers(root) if root else ():
            found.setdefault(header.name, []).append(header)
        return found

    def _headers(self, root: Path) -> Iterator[Path]:
        seen = 0
        for folder, folders, files in os.walk(root):
            inner = (one for one in folders if not one.startswith(".") and Path(folder, one) != self._kit)
            folders[:] = sorted(inner)
            for name in sorted(files):
                seen += 1
                if seen > _MOST_FILES:
                    return
                path = Path(folder) / name
                if name.endswith(_HEADERS) and path.is_file() and path.resolve().is_relative_to(root):
                    yield path
