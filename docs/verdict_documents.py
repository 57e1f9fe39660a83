"""Writes what documents say of the verdicts: the rows in running-a-course.md, and the schemas of `result.json`, of
`tilelab check --json` and of `tilelab run --json`. Tests keep them current.

Usage, once set-up has run: .venv/bin/python docs/verdict_documents.py
"""

# ruff: noqa: INP001 -- a script, in no package
from __future__ import annotations

import re
from pathlib import Path

from grader.model.verdicts import Verdict
from grader.pages.pages import schema_text
from grader.run.launches.kernel_check import check_schema_text
from grader.run.programs.program_findings import program_schema_text

ROOT = Path(__file__).resolve().parents[1]
PAGE, SCHEMA = ROOT / "docs" / "running-a-course.md", ROOT / "docs" / "result.schema.json"
CHECK_SCHEMA = ROOT / "docs" / "check.schema.json"
RUN_SCHEMA = ROOT / "docs" / "run.schema.json"
_PLACE = re.compile(
    r"(<!-- made by docs/verdict_documents\.py -->\n\| verdict \| what happened \|\n\|---\|---\|\n)(?:\|.*\n)*"
)


def with_rows(page: str) -> str:
    """`page` with a row for each verdict; the page has exactly one place for them."""
    rows = "".join(f"| `{verdict.value}` | {verdict.facts.happened} |\n" for verdict in Verdict)
    made, places = _PLACE.subn(lambda found: f"{found[1]}{rows}", page)
    assert places == 1, "the page has no place for the verdicts, or several"
    return made


if __name__ == "__main__":
    PAGE.write_text(with_rows(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    SCHEMA.write_text(schema_text(), encoding="utf-8")
    CHECK_SCHEMA.write_text(check_schema_text(), encoding="utf-8")
    RUN_SCHEMA.write_text(program_schema_text(), encoding="utf-8")
