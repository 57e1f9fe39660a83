"""`tilelab check` on a file, as a command line of a test: how it ended, and what it wrote."""

from __future__ import annotations

from dataclasses import dataclass

from typer.testing import CliRunner

from grader.cli.cli import app
from grader.run.launches.kernel_check import CheckReport


@dataclass(frozen=True)
class Done:
    status: int
    out: str
    err: str

    @property
    def report(self) -> CheckReport:
        return CheckReport.model_validate_json(self.out)


def check(*options: str) -> Done:
    done = CliRunner().invoke(app, ["check", *options])
    return Done(done.exit_code, done.stdout, done.stderr)
