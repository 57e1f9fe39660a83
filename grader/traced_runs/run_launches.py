"""Which launches a run of a student's host code made, which of them have findings, and which one a person means. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from grader.model.errors import RemediableError
from grader.model.result import Finding, Launch
from grader.model.verdicts import Verdict
from grader.programs.program_findings import RunFacts

Index3 = tuple[int, int, int]
_MOST_LISTED = 12


class NoSuchRunLaunchError(RemediableError):
    """The run made no such launch. The text says which there are."""


@dataclass(frozen=True)
class RunLaunch:
    """A launch as host code asked for it. Equal ones in a row of a loop are one, with the number of the first."""

    number: int  # counts the run's launches from 1
    kernel: str  # as the file names it
    grid: Index3
    block: Index3
    shared_bytes: int
    line: int | None  # of the call in host code
    count: int = 1
    status: str = "completed"
    has_finding: bool = False
    findings: tuple[str, ...] = ()  # what was found: "race in line 22"

    @property
    def began(self) -> bool:
        return self.status != "launch-error"


@dataclass(frozen=True)
class SurveyedRun:
    """A whole run, before one of its launches is traced."""

    launch: Launch  # as the report tells it: all findings, also those of host code
    launches: tuple[RunLaunch, ...]
    is_reversed: bool = False  # every launch ran its blocks and threads in reverse order: only then something is found
    total: int = 0  # launches

    def first_to_see(self) -> RunLaunch | None:
        """The first that has a finding; else the last that began where the result is wrong, and otherwise the first. None: none began."""
        began = [one for one in self.launches if one.began]
        found = next((one for one in began if one.has_finding), None)
        if found is not None or not began:
            return found
        return began[-1] if self.launch.verdict is Verdict.WRONG_ANSWER else began[0]

    def named(self, wanted: str) -> RunLaunch:
        """`wanted`: a number, or a kernel's name: then its first launch with a finding, else its first. Raises NoSuchRunLaunchError."""
        if wanted.isascii() and wanted.isdecimal():
            number = int(wanted) if len(wanted) < 10 else 0  # noqa: PLR2004 -- digits of a number of launches
            earlier = [one for one in self.launches if one.number <= number]
            if not earlier or number > self.total:
                raise NoSuchRunLaunchError(self._refusal(wanted))
            return next((one for one in earlier if one.number == number), _unlisted(number))
        of_kernel = [one for one in self.launches if wanted in {one.kernel, one.kernel.split("<")[0].split("::")[-1]}]
        if not of_kernel:
            raise NoSuchRunLaunchError(self._refusal(wanted))
        return next((one for one in of_kernel if one.has_finding), of_kernel[0])

    def _refusal(self, wanted: str) -> str:
        listed = ", ".join(f"{one.number} ({one.kernel})" for one in self.launches[:_MOST_LISTED])
        more = ", …" if len(self.launches) > _MOST_LISTED else ""
        return f"--launch {wanted}: this run makes {self.total} launches: {listed}{more}. Write a number or a kernel's name."


def _unlisted(number: int) -> RunLaunch:
    """One that is the same as an earlier one, or behind those that are kept."""
    return RunLaunch(number, "", (0, 0, 0), (0, 0, 0), 0, None)


def launches_of(facts: RunFacts) -> tuple[RunLaunch, ...]:
    """In the order in which they were made."""
    found: dict[int, list[str]] = {}
    for one in facts.record.findings:
        if one.severity == "error":
            try:
                line = one.finding().line
            except ValueError:
                continue
            found.setdefault(one.number, []).append(f"{one.kind} in line {line}" if line else one.kind)
    listed = []
    for launch in facts.record.launches:
        place = facts.places.get(launch.at)
        ended_badly = launch.status in {"timeout", "crash"}
        said = tuple(dict.fromkeys(found.get(launch.number, [])))
        listed.append(
            RunLaunch(
                launch.number,
                facts.kernels.get(launch.kernel, launch.kernel),
                launch.grid,
                launch.block,
                launch.shared,
                place.line if place else None,
                launch.count,
                launch.status,
                has_finding=bool(said) or ended_badly,
                findings=said or ((launch.status,) if ended_badly or launch.status == "launch-error" else ()),
            )
        )
    return tuple(sorted(listed, key=lambda one: one.number))


def errors_of(findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    return tuple(one for one in findings if one.severity == "error")
