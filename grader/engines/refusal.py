"""A reason why a submission is not run, as plain data."""

from __future__ import annotations

from dataclasses import dataclass

from grader.model.verdicts import Verdict


@dataclass(frozen=True)
class Refusal:
    """One reason, at one line of the submission (0: no particular line)."""

    verdict: Verdict
    line: int
    message: str
    advice: str = ""
    columns: tuple[int, int] | None = (
        None  # the part of the line that is meant, from 0, without its end; None: all of it
    )


def unreadable_dump(line: int = 0) -> Refusal:
    """What the compiler says of a file is not in the form that we know: nobody can say that nothing is hidden there."""
    what = "The grader cannot read what this machine's compiler says of the file, so the file was not judged."
    return Refusal(Verdict.INTERNAL_ERROR, line, what)


class BuildFaultError(Exception):
    """A build failed, and nothing shows that the submission did it: ours to mend, and to be tried again."""
