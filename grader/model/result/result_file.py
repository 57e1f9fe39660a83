"""result.json as a whole: one submission, where it was judged, and its labs."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, Field

from grader.model.result.lab_result import LabResult
from grader.model.result.plain_data import Model
from grader.model.result.submission import Submission

SCHEMA = "tilelab/result/v1"


class Environment(Model):
    kit: str  # version
    compiler: str
    backend: Literal["cpu", "cuda"] = "cpu"  # cuda: also on a GPU
    gpu: str = ""  # its name; empty: none
    sandbox: str  # the sandbox used: "bubblewrap", "Landlock and seccomp", "none"
    date: str  # ISO 8601, day only


class Result(Model):
    schema_: str = Field(default=SCHEMA, alias="schema")
    submission: Submission
    environment: Environment
    labs: dict[str, LabResult]
    total: float
    max: float

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)
