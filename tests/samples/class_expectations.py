"""What grading the bundled class must find, from tests/labs/class_verdicts.toml."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

_FILE = Path(__file__).resolve().parents[1] / "labs" / "class_verdicts.toml"
_NOT_HANDED_IN = {"verdict": "missing-file"}


def class_expectations(lab_ids: list[str]) -> dict[str, dict[str, dict[str, Any]]]:
    """By upload, then by lab, for all of `lab_ids`. KeyError: the file names another lab."""
    expected = {}
    for upload, wanted in tomllib.loads(_FILE.read_text(encoding="utf-8")).items():
        others = wanted.pop("every", _NOT_HANDED_IN)
        rows = {lab_id: wanted.pop(lab_id, others) for lab_id in lab_ids}
        if wanted:
            raise KeyError(upload, *sorted(wanted))
        expected[upload] = rows
    return expected
