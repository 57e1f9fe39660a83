"""Prints a platform's results.json in one line, and fails if it is not what the trial expects: some or zero points, or an open grade."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any


def points_of(data: dict[str, Any]) -> float | None:
    """None: the grade is open."""
    if data.get("gradable") is False or not ({"score", "tests"} & data.keys()):
        return None
    return float(data["score"])


def main(path: str, wanted: str, secret: str) -> int:
    text = Path(path).read_text(encoding="utf-8")
    data = json.loads(text)
    points = points_of(data)
    said = data.get("output") or data.get("format_errors") or ""
    sys.stdout.write(f"points {points}: {str(said).split('base64,', 1)[0][:300]!r}\n")
    seen = "open" if points is None else "zero" if points == 0 else "some"
    if seen != wanted:
        sys.stdout.write(f"  expected {wanted}, got {seen}\n")
    told = secret in text or "CATCH_" in text or "TEST_CASE" in text
    if told:
        sys.stdout.write("  a secret is in it\n")
    return int(seen != wanted or told)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
