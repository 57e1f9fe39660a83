"""The published JSON Schema is that of the models, and the samples are valid by it."""

from __future__ import annotations

import json
from pathlib import Path

from grader.model.result import Result
from grader.pages.pages import schema_text
from grader.run.launches.kernel_check import check_schema_text
from grader.run.programs.program_findings import program_schema_text

ROOT = Path(__file__).parents[2]
REMEDY = "run .venv/bin/python docs/verdict_documents.py"


def test_the_published_schema_is_current() -> None:
    published = (ROOT / "docs" / "result.schema.json").read_text(encoding="utf-8")
    assert published == schema_text(), REMEDY


def test_the_published_schema_of_a_check_is_the_models() -> None:
    published = (ROOT / "docs" / "check.schema.json").read_text(encoding="utf-8")
    assert published == check_schema_text(), REMEDY


def test_the_published_schema_of_a_program_is_the_models() -> None:
    published = (ROOT / "docs" / "run.schema.json").read_text(encoding="utf-8")
    assert published == program_schema_text(), REMEDY


def test_a_sample_survives_a_round_trip(sample: tuple[Result, dict[str, str]]) -> None:
    result, _ = sample
    assert Result.model_validate_json(result.model_dump_json(by_alias=True)) == result


def test_the_schema_knows_every_field_of_a_result(sample: tuple[Result, dict[str, str]]) -> None:
    schema = json.loads(schema_text())
    written = json.loads(sample[0].model_dump_json(by_alias=True))
    assert written.keys() == schema["properties"].keys()
    for lab in written["labs"].values():
        assert lab.keys() == schema["$defs"]["LabResult"]["properties"].keys()
