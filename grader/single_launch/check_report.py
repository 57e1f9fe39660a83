"""What `tilelab check --json` prints, the same for every end: a launch, a file that cannot be built, an argument that does not fit.

docs/check.schema.json is made from it.
"""

from __future__ import annotations

import json

from pydantic import ConfigDict, Field

from grader.model.result import Finding, Model
from grader.model.verdicts import Verdict


class CheckReport(Model):
    model_config = ConfigDict(extra="forbid", frozen=True)

    verdict: Verdict | None  # null: nothing was built or launched, and `message` says why
    message: str = ""  # how the launch ended, or why there was none
    kernel: str = ""  # the kernel that was checked, with its template arguments; empty: none was found
    metrics: dict[str, int] = Field(default_factory=dict)  # by Nsight Compute's names
    findings: tuple[Finding, ...] = ()
    left_out: tuple[str, ...] = ()  # what was left out of the file before it was built
    proposals: tuple[str, ...] = ()  # command lines that run


def check_schema_text() -> str:
    """The text of docs/check.schema.json."""
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "urn:tilelab-check:1"}
    schema = CheckReport.model_json_schema(by_alias=True)
    return json.dumps(head | schema | {"title": "tilelab check --json"}, indent=2, ensure_ascii=False) + "\n"
