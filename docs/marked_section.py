"""The section of a page that a script writes: what stands between the page's two markers.

A script names its page and its markers, and calls `main` with what makes the section: it prints it, or with `--write` puts it in place.
"""

# ruff: noqa: INP001 -- a module of scripts, in no package
from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class MarkedSection:
    document: Path
    begin: str
    end: str

    def replaced(self, made: str, text: str) -> str:
        """`text` with `made` between the markers. Raises ValueError without exactly one pair of markers."""
        if text.count(self.begin) != 1 or text.count(self.end) != 1:
            message = f"{self.document.name} lacks `{self.begin}` or `{self.end}`, or has several"
            raise ValueError(message)
        before, rest = text.split(self.begin)
        return f"{before}{self.begin}\n{made}\n{self.end}{rest.split(self.end)[1]}"

    def write(self, made: str) -> None:
        self.document.write_text(self.replaced(made, self.document.read_text(encoding="utf-8")), encoding="utf-8")

    def main(self, make: Callable[[], str], shown: Callable[[], str] | None = None) -> None:
        """The script's work. `shown`: what it prints, where that is not the section itself."""
        if sys.argv[1:] == ["--write"]:
            self.write(make())
        else:
            sys.stdout.write(f"{(shown or make)()}\n")
