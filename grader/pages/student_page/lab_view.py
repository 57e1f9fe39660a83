"""What every section about a lab is made from: the lab's result, the submission's files, and who the reader is. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from grader.model.result import LabResult, Launch, StepView
from grader.model.verdicts import Verdict
from grader.pages.findings.finding_card import shown_launches


@dataclass(frozen=True)
class LabView:
    lab: LabResult
    sources: Mapping[str, str] = field(default_factory=dict)  # name to text
    instructor: bool = False  # whether to show what hidden cases withhold
    # The folder of pages that step through a block, as a link begins; None: there are none beside this page.
    steps: str | None = None

    def step_link(self, kind: Verdict, line: int | None, shows: StepView = "block") -> str:
        """Where a page shows this finding step by step; empty: nowhere."""
        if self.steps is None:
            return ""
        found = (
            f"{self.steps}{page.name}{link.fragment}"
            for page in self.lab.step_pages
            for link in page.links
            if link.kind is kind and link.line == line and link.shows == shows
        )
        return next(found, "")

    def launches(self) -> Iterator[Launch]:
        return shown_launches(self.lab, instructor=self.instructor)
