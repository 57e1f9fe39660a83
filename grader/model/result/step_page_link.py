"""Pages that step through a block: files of their own beside a report, and no part of result.json."""

from __future__ import annotations

from typing import Literal

from grader.model.result.plain_data import Model
from grader.model.verdicts import Verdict

StepView = Literal["block", "orders", "story"]  # the block as it ran, both orders of a race, or a mistake's own story


class StepLink(Model):
    """Where a page that steps through a block shows a finding, or the block of a wrong element."""

    kind: Verdict
    line: int | None = None
    fragment: str  # "#step=12&thread=3,0"
    shows: StepView = "block"


class StepPage(Model):
    """A page that steps through a block of a public case whose feedback is full. It stands beside the report."""

    name: str  # of its file
    packed: str  # the page, compressed, in base64
    links: tuple[StepLink, ...]
