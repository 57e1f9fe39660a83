"""The published JSON Schema is that of the models, and the samples are valid by it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from verdict_documents import SCHEMAS, schema_text

from grader.model.result import Result

ROOT = Path(__file__).parents[2]
REMEDY = "run .venv/bin/python docs/verdict_documents.py"


@pytest.mark.parametrize("name", SCHEMAS)
def test_the_published_schema_is_that_of_the_model(name: str) -> None:
    assert (ROOT / "docs" / name).read_text(encoding="utf-8") == schema_text(name), REMEDY


def test_a_sample_survives_a_round_trip(sample: tuple[Result, dict[str, str]]) -> None:
    result, _ = sample
    assert Result.model_validate_json(result.model_dump_json(by_alias=True)) == result


def test_the_schema_knows_every_field_of_a_result(sample: tuple[Result, dict[str, str]]) -> None:
    schema = json.loads(schema_text("result.schema.json"))
    written = json.loads(sample[0].model_dump_json(by_alias=True))
    assert written.keys() == schema["properties"].keys()
    for lab in written["labs"].values():
        assert lab.keys() == schema["$defs"]["LabResult"]["properties"].keys()
