"""What `tilelab run --json` prints, and what the screen is made of: how the program ended, what was found, what could not be built."""

from __future__ import annotations

import json
from typing import Literal

from pydantic import ConfigDict, Field

from grader.model.result import Finding, Model, Site
from grader.model.verdicts import Verdict

Ending = Literal["exit", "signal", "timeout", "refused", "garbled", "stopped", "not-built"]


class HostFinding(Model):
    """A mistake on the host's side, at one line of the user's."""

    kind: str  # "leak", "copy-size", …: docs/running-a-program.md lists them
    severity: Literal["error", "note"] = "error"
    label: str
    message: str
    advice: str = ""
    file: str | None = None
    line: int | None = None  # 1-based
    source: str | None = None  # that line's text
    other: Site | None = None  # a second line: where memory was allocated or freed
    count: int = 1


class ProgramFinding(Finding):
    """A finding of a kernel, as `tilelab check` has it, and the launch in which it was seen."""

    kernel: str = ""
    launch_file: str | None = None


class ProgramRefusal(Model):
    """Why the program, or one kernel that it launches, could not be built."""

    verdict: Verdict
    message: str
    kernel: str = ""
    file: str | None = None
    line: int | None = None
    launch_line: int | None = None


class ProgramReport(Model):
    model_config = ConfigDict(extra="forbid", frozen=True)

    ended: Ending
    status: int | None = None  # the program's own exit status
    message: str = ""  # how it ended, where that was not its own exit
    findings: tuple[ProgramFinding, ...] = ()
    host: tuple[HostFinding, ...] = ()
    refusals: tuple[ProgramRefusal, ...] = ()
    left_out: tuple[str, ...] = ()
    kernels: tuple[str, ...] = ()  # that were launched
    launches: int = 0
    output: str = ""  # with --json: what the program wrote to its standard output
    output_cut: bool = False
    seconds: dict[str, float] = Field(default_factory=dict)  # of building and running

    @property
    def is_clean(self) -> bool:
        severities = [one.severity for one in self.findings] + [one.severity for one in self.host]
        return self.ended == "exit" and "error" not in severities


def program_schema_text() -> str:
    """The text of docs/run.schema.json."""
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "urn:tilelab-run:1"}
    schema = ProgramReport.model_json_schema(by_alias=True)
    return json.dumps(head | schema | {"title": "tilelab run --json"}, indent=2, ensure_ascii=False) + "\n"
