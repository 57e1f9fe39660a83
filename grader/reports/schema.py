"""The JSON Schema of `result.json`, published as docs/result.schema.json.

A test fails while the published file is out of date, and prints the command that makes it again.
"""

from __future__ import annotations

import json

from grader.model.result import SCHEMA, Result


def schema_text() -> str:
    """The text of the whole file."""
    schema = Result.model_json_schema(by_alias=True)
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": f"urn:{SCHEMA.replace('/', ':')}"}
    return json.dumps(head | schema | {"title": SCHEMA}, indent=2, ensure_ascii=False) + "\n"
