"""The JSON Schema of `result.json`, published as docs/result.schema.json.

`python -m grader.reports.schema > docs/result.schema.json` makes it anew; a test fails while it is stale.
"""

from __future__ import annotations

import json
import sys

from grader.result import SCHEMA, Result


def schema_text() -> str:
    """The whole file, ready to be written."""
    schema = Result.model_json_schema(by_alias=True)
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": f"urn:{SCHEMA.replace('/', ':')}"}
    return json.dumps(head | schema | {"title": SCHEMA}, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    sys.stdout.write(schema_text())
