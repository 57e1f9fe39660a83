"""Corrects build/kit.json after the folder around it was moved or copied: `moved_kit.py OLD_ROOT NEW_ROOT build/kit.json`. Paths outside of
the folder stay as they are. It uses only the standard library.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

Json = str | int | float | bool | list["Json"] | dict[str, "Json"] | None


def moved(value: Json, old: str, new: str) -> Json:
    """With each path below `old` below `new`."""
    if isinstance(value, str):
        return new + value.removeprefix(old) if value == old or value.startswith(f"{old}/") else value
    if isinstance(value, list):
        return [moved(one, old, new) for one in value]
    if isinstance(value, dict):
        return {name: moved(one, old, new) for name, one in value.items()}
    return value


def main(old: str, new: str, kit: Path) -> None:
    half = kit.with_name(f"{kit.name}.new")
    half.write_text(
        json.dumps(moved(json.loads(kit.read_text(encoding="utf-8")), old, new), indent=2) + "\n", encoding="utf-8"
    )
    half.replace(kit)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3]))
