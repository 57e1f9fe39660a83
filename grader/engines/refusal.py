"""A reason why a submission is not run, as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from grader.model.outcome import quoted
from grader.model.result import Finding
from grader.model.verdicts import Verdict
from grader.source.compiler_message import Said


@dataclass(frozen=True)
class Refusal:
    """One reason, at one line of the submission (0: no particular line)."""

    verdict: Verdict
    line: int
    message: str
    advice: str = ""
    columns: tuple[int, int] | None = None  # the part of the line, from 0, without its end; None: all of it
    file: str = ""  # another file of the submission's author; empty: its main file

    def told(self, file: str) -> str:
        """`file:3: compile-error: what and what to do`."""
        where = f"{self.file or file}:{self.line}" if self.line > 0 else file
        return f"{where}: {self.verdict.value}: {self.message} {self.advice}".strip()

    def finding(self, file: str, lines: Sequence[str], severity: Literal["error", "note"] = "error") -> Finding:
        """`lines`: those of the file."""
        elsewhere = self.file not in {"", file}
        known = elsewhere or 0 < self.line <= len(lines)
        return Finding(
            kind=self.verdict,
            severity=severity,
            message=self.message,
            advice=self.advice or None,
            file=self.file or file,
            line=self.line if known else None,
            source=None if elsewhere else quoted(lines, self.line),
            columns=self.columns if known else None,
        )


def rejected(line: int, what: str, advice: str = "Remove it; nothing in this lab needs it.") -> Refusal:
    return Refusal(Verdict.REJECTED, line, f"{what[0].upper()}{what[1:]}.", advice)


def hiding_attribute(line: int, name: str) -> Refusal:
    return rejected(line, f"the attribute `{name}` is not allowed: it could hide from the grader what the kernel does")


def cpu_instruction(line: int, name: str) -> Refusal:
    what = f"`{name}` is an instruction of the CPU, not of a GPU: a kernel cannot use it"
    return rejected(line, what, "Use CUDA's own functions.")


def needs_gpu(line: int, what: str, advice: str = "Everything the lab asks for can be written in CUDA C++.") -> Refusal:
    """`what` the CPU executor cannot do."""
    return Refusal(Verdict.NEEDS_GPU, line, f"{what}: this file has to be graded on a GPU.", advice)


def inline_assembly(line: int) -> Refusal:
    return needs_gpu(line, "Inline assembly cannot run on the CPU executor")


def compile_errors_of(mistakes: Sequence[Said]) -> tuple[Refusal, ...]:
    return tuple(
        Refusal(Verdict.COMPILE_ERROR, one.place.line, one.message, one.advice, one.place.columns) for one in mistakes
    )


def unreadable_dump(line: int = 0) -> Refusal:
    """What the compiler says of a file is not in the form that we know: nobody can say that nothing is hidden there."""
    what = "The grader cannot read what this machine's compiler says of the file, so the file was not judged."
    return Refusal(Verdict.INTERNAL_ERROR, line, what)


class BuildFaultError(Exception):
    """A build failed, and nothing shows that the submission did it: ours to mend, and to be tried again."""
