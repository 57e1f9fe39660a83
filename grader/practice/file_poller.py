"""Waits for files to be saved: a poll loop that reads their contents again and again.

Some file systems deliver no file events (WSL's drives and network folders), so it polls. It knows nothing of labs and runs
nothing. A save counts only after the file has stopped changing: an editor may write in pieces or replace the file, and
meanwhile there is half a file or none.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

POLL_SECONDS = 0.4
_GONE_POLLS = 8  # after that many polls without the file, it was removed and not saved

Contents = str | None  # a digest; None if there is no readable file


def read_contents(path: Path) -> Contents:
    """The file's contents; None if it is missing, is no regular file, or cannot be read at the moment."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return None


class FilePoller:
    """`paths`: a name for each file. Tests pass their own `sleep` and `read`."""

    def __init__(
        self,
        paths: Mapping[str, Path],
        *,
        sleep: Callable[[float], None],
        read: Callable[[Path], Contents] = read_contents,
    ) -> None:
        self._paths, self._sleep, self._read = paths, sleep, read
        self._known = self._look()

    def saves(self) -> Iterator[list[str]]:
        """Yields the names of the files that were saved, each time some were. It never ends by itself.

        Files that are saved while the caller works are reported next.
        """
        while True:
            if changed := self.poll():
                yield changed

    def poll(self) -> list[str]:
        """Sleeps once, and gives the names of the files that were saved since the last time: mostly none."""
        self._sleep(POLL_SECONDS)
        now = self._look()
        if now == self._known:
            return []
        now = self._at_rest(now)
        changed = [name for name in self._paths if now[name] != self._known[name]]
        self._known = now
        return changed  # none if an edit has been undone since

    def _at_rest(self, seen: dict[str, Contents]) -> dict[str, Contents]:
        """The contents after nothing changes any more. A file may be missing for a moment; if it stays missing, it counts as
        removed.
        """
        away = 0
        while True:
            self._sleep(POLL_SECONDS)
            now = self._look()
            vanished = any(now[name] is None and self._known[name] is not None for name in now)
            away = away + 1 if vanished else 0
            if now == seen and (not vanished or away >= _GONE_POLLS):
                return now
            seen = now

    def _look(self) -> dict[str, Contents]:
        return {name: self._read(path) for name, path in self._paths.items()}
