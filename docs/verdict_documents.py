"""Writes what documents say of the verdicts: the rows in results.md, and the schemas of `result.json`, of
`tilelab check --json` and of `tilelab run --json`. Tests keep them current.

Usage, once set-up has run: .venv/bin/python docs/verdict_documents.py
"""

# ruff: noqa: INP001 -- a script, in no package
from __future__ import annotations

import json
import re
from pathlib import Path

from pydantic import BaseModel

from grader.model.result import SCHEMA, Result
from grader.model.verdicts import Verdict
from grader.run.launches.kernel_check import CheckReport
from grader.run.programs.program_findings import ProgramReport

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "results.md"
# By a file in docs/: the model, its URN and its title.
SCHEMAS: dict[str, tuple[type[BaseModel], str, str]] = {
    "result.schema.json": (Result, f"urn:{SCHEMA.replace('/', ':')}", SCHEMA),
    "check.schema.json": (CheckReport, "urn:tilelab-check:1", "tilelab check --json"),
    "run.schema.json": (ProgramReport, "urn:tilelab-run:1", "tilelab run --json"),
}
_PLACE = re.compile(
    r"(<!-- made by docs/verdict_documents\.py -->\n\| verdict \| what happened \|\n\|---\|---\|\n)(?:\|.*\n)*"
)


def with_rows(page: str) -> str:
    """`page` with a row for each verdict; the page has exactly one place for them."""
    rows = "".join(f"| `{verdict.value}` | {verdict.facts.happened} |\n" for verdict in Verdict)
    made, places = _PLACE.subn(lambda found: f"{found[1]}{rows}", page)
    assert places == 1, "the page has no place for the verdicts, or several"
    return made


def schema_text(name: str) -> str:
    """The text of a file of `SCHEMAS`."""
    model, urn, title = SCHEMAS[name]
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": urn}
    return (
        json.dumps(head | model.model_json_schema(by_alias=True) | {"title": title}, indent=2, ensure_ascii=False)
        + "\n"
    )


if __name__ == "__main__":
    PAGE.write_text(with_rows(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    for file in SCHEMAS:
        (ROOT / "docs" / file).write_text(schema_text(file), encoding="utf-8")
