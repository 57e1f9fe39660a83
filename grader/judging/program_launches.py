"""What a judged program did, as launches with findings: the conductor's records in judge.json, with the student's lines and names.

The record is our conductor's; words of kernels and of the program in it are untrusted. A mistake on the host's side is a finding like any
other: its label says what it is, and its kind which verdict it makes.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from grader.machine.toolset import Toolset
from grader.model.labs import Lab
from grader.model.outcomes.advice import advice_for
from grader.model.outcomes.located_findings import located
from grader.model.outcomes.outcome import JudgedCase
from grader.model.result import Finding, Launch
from grader.model.verdicts import Verdict, worst
from grader.programs.built_program import BuiltProgram
from grader.programs.host.host_places import Place, places_of
from grader.programs.host.launcher_main import launcher_buffers
from grader.programs.mistakes.call_sentences import ERROR_LABEL
from grader.programs.mistakes.run_record import RunRecord
from grader.programs.program_findings import RunFacts, host_findings, kernel_findings, reworded
from grader.programs.program_report import HostFinding, ProgramFinding

# The verdict that a mistake on the host's side makes. One that is only noted gives the kind of its card.
HOST_KINDS: Mapping[str, Verdict] = {
    "copy-size": Verdict.OUT_OF_BOUNDS,
    "copy-direction": Verdict.CRASH,
    "device-pointer-on-host": Verdict.CRASH,
    "host-pointer-on-device": Verdict.OUT_OF_BOUNDS,
    "use-after-free": Verdict.OUT_OF_BOUNDS,
    "double-free": Verdict.CRASH,
    "bad-free": Verdict.CRASH,
    "unasked-launch": Verdict.LAUNCH_ERROR,
    "unchecked-error": Verdict.LAUNCH_ERROR,
    "swapped-sizes": Verdict.LAUNCH_ERROR,
    "not-configured": Verdict.LAUNCH_ERROR,
    "input-modified": Verdict.INPUT_MODIFIED,
    "read-before-sync": Verdict.RACE,
    "write-before-sync": Verdict.RACE,
    "host-crash": Verdict.CRASH,
    "copy-race": Verdict.RACE,
    "launch-race": Verdict.RACE,
    "never-set": Verdict.UNINITIALIZED_READ,
    "short-copy": Verdict.UNINITIALIZED_READ,
    "lost-output": Verdict.RACE,
    "leak": Verdict.LAUNCH_ERROR,
    "no-launch": Verdict.LAUNCH_ERROR,
    "error": Verdict.LAUNCH_ERROR,
    "host-computed": Verdict.REJECTED,
    "host-reads": Verdict.REJECTED,
}
_NOTES = frozenset(
    {"leak", "never-set", "short-copy", "lost-output", "no-launch", "error"}
)  # they cost nothing by themselves
# The judge's words where the finding says more: see kit/program_judge/run_verdict.cpp.
_UNEXPLAINED = re.compile(r"a mistake of the host's code: [\w-]+|The program ended with status \d+\.")
_MOST_FINDINGS = 60  # of one launch


@dataclass(frozen=True)
class ProgramReader:
    """Reads the launches of one submission's judge.json."""

    lab: Lab
    built: BuiltProgram
    text: str  # the submission's
    places: Mapping[int, Place]

    @classmethod
    def over(
        cls, toolset: Toolset, lab: Lab, built: BuiltProgram, text: str, report: Sequence[dict[str, Any]]
    ) -> ProgramReader:
        """Looks up every address of the report at once. Raises ValueError or KeyError where it cannot be read."""
        records = [one for case in report for launch in case["launches"] if (one := record_of(launch)) is not None]
        addresses = {address for record in records for address in record.places()}
        program = built.host.program
        assert program is not None
        own = {lab.public.file}
        return cls(lab, built, text, places_of(built.toolchain, toolset.confinement, program, addresses, own))

    def launch(self, entry: dict[str, Any]) -> Launch:
        """One launch of judge.json: a whole run of the program."""
        record = record_of(entry)
        sources = {self.lab.public.file: self.text.split("\n")}
        launch = located(Launch.model_validate({key: one for key, one in entry.items() if key != "program"}), sources)
        if record is None:
            return launch
        findings = [*launch.findings, *self._findings(record, launch.verdict)][:_MOST_FINDINGS]
        if record.ended == "exit" and record.status and launch.verdict is Verdict.CRASH:
            findings = _with_the_error(findings)
        return _with_reason(launch.model_copy(update={"findings": tuple(findings)}))

    def facts(self, record: RunRecord) -> RunFacts:
        """A record of this submission's with the names of its lines, kernels and memory."""
        sources = {self.lab.public.file: self.text.split("\n")}
        return RunFacts(self._named(record), self.places, sources, self.built.names, self.built.host.unused)

    def _findings(self, record: RunRecord, verdict: Verdict) -> Iterator[Finding]:
        """An error that the program looked at is worth a note only where the launch failed: perhaps it failed for that. A call that
        writes to an input is a mistake only where the input was another afterwards, and abort() only where the judge says so.
        """
        facts = self.facts(record)
        host = host_findings(facts)
        allowed = {"input-modified"} if verdict is not Verdict.INPUT_MODIFIED else set()
        allowed |= {"host-crash"} if verdict is Verdict.PASS else set()
        host = tuple(one for one in host if one.kind not in allowed)
        yield from (_of_host(one) for one in host if one.kind not in _NOTES)
        yield from (as_finding(one) for one in kernel_findings(facts))
        yield from (
            _of_host(one) for one in host if one.kind in _NOTES and (one.kind != "error" or verdict is not Verdict.PASS)
        )

    def _named(self, record: RunRecord) -> RunRecord:
        """Operands under the names that the student's own function has for them."""
        public = self.lab.public
        own = launcher_buffers(self.text, public.launcher) if public.launcher else []
        operands = [one.name for one in record.allocations if one.kind == "operand"]
        names = dict(zip(operands, own, strict=True)) if len(own) == len(operands) else {}
        allocations = tuple(
            one.model_copy(update={"name": names.get(one.name, one.name)}) if one.kind == "operand" else one
            for one in record.allocations
        )
        return record.model_copy(update={"allocations": allocations})


def record_of(launch: dict[str, Any]) -> RunRecord | None:
    """None where the program was not run. Raises ValueError."""
    given = launch.get("program")
    try:
        return None if given is None else RunRecord.model_validate(given)
    except ValidationError as error:
        message = f"the conductor's record cannot be read: {error}"
        raise ValueError(message) from error


def with_findings_of_the_host(case: JudgedCase) -> JudgedCase:
    """The case by what its launches show: a program with a mistake has failed, even where its result is right."""
    verdict = worst([case.verdict, *(one.verdict for one in case.launches)])
    failed = next((one for one in case.launches if one.verdict is not Verdict.PASS), None)
    if failed is None:
        return case
    reason = f"{failed.shape}, {failed.inputs}: {failed.message}"
    is_told = case.message and not _UNEXPLAINED.search(case.message) and not case.passed
    return JudgedCase(case.name, False, verdict, case.message if is_told else reason, case.launches, case.seen)


def _with_the_error(findings: list[Finding]) -> list[Finding]:
    """The program looked at an error and gave up. Where nothing else was found, that error is the mistake."""
    if any(one.severity == "error" for one in findings):
        return findings
    at = next((place for place, one in enumerate(findings) if one.label == ERROR_LABEL), None)
    return [one.model_copy(update={"severity": "error"}) if place == at else one for place, one in enumerate(findings)]


def _with_reason(launch: Launch) -> Launch:
    errors = [one for one in launch.findings if one.severity == "error"]
    verdict = worst([launch.verdict, *(one.kind for one in errors)])
    message = reworded(launch.message)
    if errors and (not message or _UNEXPLAINED.fullmatch(message)):
        message = errors[0].message
    return launch.model_copy(update={"verdict": verdict, "message": message})


def _of_host(found: HostFinding) -> Finding:
    kind = HOST_KINDS.get(found.kind, Verdict.LAUNCH_ERROR)
    is_error = found.severity == "error" and found.kind not in _NOTES and found.kind in HOST_KINDS
    return Finding(
        kind=kind,
        label=found.label,
        severity="error" if is_error else "note",
        message=found.message,
        advice=found.advice or None,
        file=found.file,
        line=found.line,
        source=found.source,
        other=found.other,
        count=found.count,
    )


def as_finding(found: ProgramFinding) -> Finding:
    """A kernel's, as any launch has it."""
    names: Collection[str] = Finding.model_fields.keys()
    plain = Finding(**{name: getattr(found, name) for name in names})
    return plain.model_copy(update={"advice": plain.advice or advice_for(plain)})
