"""Prints the packages that pyproject.toml names, one a line: `requirements.py pyproject.toml EXTRA`, with "" for no extra.

It uses only the standard library. Set-up installs them without the project itself, which is used where it lies.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

_OWN_EXTRA = re.compile(r"(?P<project>[\w-]+)\[(?P<extra>[\w-]+)\]")


def requirements(pyproject: str, extra: str) -> list[str]:
    """Raises KeyError where there is no such extra."""
    project = tomllib.loads(pyproject)["project"]
    wanted: list[str] = list(project["dependencies"])
    waiting: list[str] = list(project["optional-dependencies"][extra]) if extra else []
    while waiting:
        one = waiting.pop(0)
        own = _OWN_EXTRA.fullmatch(one)
        if own and own["project"] == project["name"]:
            waiting += project["optional-dependencies"][own["extra"]]
        else:
            wanted.append(one)
    return wanted


if __name__ == "__main__":
    sys.stdout.writelines(
        f"{one}\n" for one in requirements(Path(sys.argv[1]).read_text(encoding="utf-8"), sys.argv[2])
    )
