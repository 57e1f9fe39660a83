"""`result.json` has one definition, grader/model/result/. Other files that know its fields agree with it."""

from __future__ import annotations

from pathlib import Path

from grader.model.outcome import JudgedCase
from grader.model.result import SCHEMA, Launch
from grader.model.verdicts import Verdict

ROOT = Path(__file__).resolve().parents[2]


def python_sources() -> dict[str, str]:
    paths = sorted((ROOT / "grader").rglob("*.py"))
    return {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in paths}


def test_the_schema_is_named_in_one_place() -> None:
    assert [name for name, text in python_sources().items() if SCHEMA in text] == ["grader/model/result.py"]


def test_the_verdicts_are_listed_in_one_place() -> None:
    rare = [verdict.value for verdict in Verdict if "-" in verdict.value]
    listing = [
        name for name, text in python_sources().items() if sum(f'"{one}"' in text for one in rare) > len(rare) / 2
    ]
    assert listing == ["grader/model/verdicts.py"]


def test_a_judged_case_has_the_fields_of_a_launch_ready_for_the_result() -> None:
    assert JudgedCase.__dataclass_fields__["launches"].type == "tuple[Launch, ...]"
    assert {"verdict", "findings", "mismatch"} <= set(Launch.model_fields)
