"""The programs that test labs, of which a handout builds each when it is first needed. A lab that nobody has begun needs none.

It decides nothing about files: `Practice` knows which labs are begun.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grader.machine.toolset import Toolset
from grader.model.labs import Lab


@dataclass(frozen=True)
class LabTests:
    toolset: Toolset
    also_unbegun: bool  # the student named the labs, and so wants their tests

    def can_wait(self, lab: Lab) -> bool:
        """Whether the tests of this lab, if nobody has begun it, are still to be built and need not be now."""
        return not self.also_unbegun and not self.toolset.has_parts_for(lab, public_only=True)

    def build(self, labs: Sequence[Lab]) -> None:
        """All at once, with a line that says so. Does nothing where they are there. Raises RemediableError."""
        self.toolset.provide(labs, public_only=True)
