"""The first lines of a program of this folder: how it is run, and what it prints or what has to be found in it. Runs nothing."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
_FIRST = re.compile(r"// (?:run|(?P<kind>[\w-]+) in line (?P<line>\d+)):(?: (?P<arguments>.*))?")
_SECOND = re.compile(r"// (?:prints: (?P<prints>.*)|says: (?P<says>.*))")


@dataclass(frozen=True)
class ProgramHeader:
    """`prints`: the whole standard output of a right program. `says`: what the sentence about a mistake has to hold."""

    file: Path
    arguments: tuple[str, ...]
    kind: str
    line: int
    prints: str
    says: tuple[str, ...]


def read(file: Path) -> ProgramHeader:
    one, other = file.read_text(encoding="utf-8").split("\n")[:2]
    first, second = _FIRST.fullmatch(one), _SECOND.fullmatch(other)
    assert first, f"{file}: its first line does not say how it is run"
    assert second, f"{file}: its second line does not say what it prints or what is said of it"
    return ProgramHeader(
        file,
        tuple(shlex.split(first["arguments"] or "")),
        first["kind"] or "",
        int(first["line"] or 0),
        (second["prints"] or "").replace("\\n", "\n"),
        tuple(second["says"].split(",")) if second["says"] else (),
    )


def programs(folder: str) -> list[Path]:
    found = sorted((HERE / folder).glob("*.cu"))
    assert found
    return found
