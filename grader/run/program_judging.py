"""Judges a submission whose host code is the student's own: a launcher, or a whole program. It is built as `tilelab run` builds a program
and run by the lab's judge, under the broker. What a kernel's lab has besides (timing, causes, suspects) there is not.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from grader.engines.build_steps import without_cub
from grader.engines.cpu_build import CpuBuild
from grader.engines.entry_points import name_of
from grader.engines.refusal import Refusal
from grader.engines.token_scan import Token, Tokens, code_tokens
from grader.engines.toolset import Toolset
from grader.model.formula import CPP_NAME, as_cpp
from grader.model.labs import GIVEN_LAUNCH, Lab, PublicSpec
from grader.model.outcome import JudgedCase, located
from grader.model.result import Finding, Launch
from grader.model.several_files import BUILD_FILES, SOURCES, BuildWords, build_words
from grader.model.verdicts import Verdict, worst
from grader.run.judge_call import JudgeCall, clock_factor, judge_report, judged_cases, program_file, with_local_arrays
from grader.run.kernels.kernel_source import INCLUDE, KernelSource, ProgramSource
from grader.run.programs.host_build import NO_FRAME, OLDER, HostRefusal, TextFrame, library_of_header
from grader.run.programs.host_sentences import ERROR_LABEL, SENTENCES
from grader.run.programs.host_text import closing, parts_of, stub_parameters
from grader.run.programs.host_toolchain import STANDARDS, SourceLine, places_of
from grader.run.programs.program_findings import HostFinding, host_findings, kernel_findings, reworded
from grader.run.programs.program_kernels import BuiltProgram, ProgramRecipe, build_program
from grader.run.programs.program_run import ProgramRequest, program_description
from grader.run.programs.run_record import ProgramFinding, RunFacts, RunRecord
from grader.source.student_code import StudentCode, difference, function_called, in_c, nearest

# What a judged program did, as launches with findings: the broker's records in judge.json, with the student's lines and names.
#
# The record is our broker's; words of kernels and of the program in it are untrusted. A mistake on the host's side is a finding like any
# other: its label says what it is, and its kind which verdict it makes.

# The judge's words where the finding says more: see kit/judge/programs/program_judge.cpp.
_UNEXPLAINED = re.compile(
    r"a mistake of the host's code: [\w-]+|The program (?:ended with status \d+|broke its connection to the grader)\."
)
_MOST_FINDINGS = 60  # of one launch
_LOST = 125  # the exit status of kit/host/library/host_session.cpp, which says no goodbye then
_CLOSED = (
    "The program ended with status 125. Its CUDA functions end it so where it has closed or replaced a file descriptor that it did not "
    "open: their connection to the grader."
)
_OVERWRITTEN = (
    "The program broke its connection to the grader: it wrote to a file descriptor that it did not open, or over memory of its CUDA "
    "functions."
)
_OWN_FILES = "Let the program write and close only files that it has opened itself."


@dataclass(frozen=True)
class ProgramReader:
    """Reads the launches of one submission's judge.json."""

    lab: Lab
    built: BuiltProgram
    text: str  # the submission's
    places: Mapping[int, SourceLine]

    def launch(self, entry: dict[str, Any]) -> Launch:
        """One launch of judge.json: a whole run of the program."""
        record, launch = record_of(entry), launch_of_program(entry, self.lab, self.text)
        if record is None:
            return launch
        findings = [*launch.findings, *self._findings(record, launch.verdict)][:_MOST_FINDINGS]
        if record.ended == "exit" and record.status and launch.verdict is Verdict.CRASH:
            findings = _with_the_error(findings)
        return _with_reason(launch.model_copy(update={"findings": tuple(findings)}))

    def facts(self, record: RunRecord) -> RunFacts:
        """A record of this submission's with the names of its lines, kernels and memory."""
        sources = {name: text.split("\n") for name, text in self.lab.files_of(self.text).items()}
        return RunFacts(self._named(record), self.places, sources, self.built.names, self.built.host.unused)

    def _findings(self, record: RunRecord, verdict: Verdict) -> Iterator[Finding]:
        """An error that the program looked at is worth a note only where the launch failed: perhaps it failed for that. A call that
        writes to an input is a mistake only where the input was another afterwards, and abort() only where the judge says so.
        """
        facts = self.facts(record)
        if record.ended == "garbled":
            yield Finding(kind=Verdict.REJECTED, message=_OVERWRITTEN, advice=_OWN_FILES)
        elif record.ended == "exit" and record.status == _LOST and not record.said_bye:
            yield Finding(kind=Verdict.CRASH, message=_CLOSED, advice=_OWN_FILES)
        host = host_findings(facts)
        allowed = {"input-modified"} if verdict is not Verdict.INPUT_MODIFIED else set()
        allowed |= {"host-crash"} if verdict is Verdict.PASS else set()
        host = tuple(one for one in host if one.kind not in allowed)
        notes = {kind for kind, row in SENTENCES.items() if row.note}  # they cost nothing by themselves
        yield from (_of_host(one) for one in host if one.kind not in notes)
        yield from (as_finding(one) for one in kernel_findings(facts))
        yield from (
            _of_host(one) for one in host if one.kind in notes and (one.kind != "error" or verdict is not Verdict.PASS)
        )

    def _named(self, record: RunRecord) -> RunRecord:
        """Operands under the names that the student's own function has for them."""
        launcher = self.lab.public.launcher or self.lab.public.kernel
        own = launcher_buffers(self.text, launcher) if launcher else []
        operands = [one.name for one in record.allocations if one.kind == "operand"]
        names = dict(zip(operands, own, strict=True)) if len(own) == len(operands) else {}
        allocations = tuple(
            one.model_copy(update={"name": names.get(one.name, one.name)}) if one.kind == "operand" else one
            for one in record.allocations
        )
        return record.model_copy(update={"allocations": allocations})


def launch_of_program(entry: dict[str, Any], lab: Lab, text: str) -> Launch:
    """Without what was recorded. `text`: the submission's."""
    plain = {key: one for key, one in entry.items() if key != "program"}
    return located(Launch.model_validate(plain), {name: one.split("\n") for name, one in lab.files_of(text).items()})


def record_of(launch: dict[str, Any]) -> RunRecord | None:
    """None where the program was not run. Raises ValueError."""
    given = launch.get("program")
    try:
        return None if given is None else RunRecord.model_validate(given)
    except ValidationError as error:
        raise ValueError(f"the broker's record cannot be read: {error}") from error


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
    row = SENTENCES.get(found.kind)
    kind, severity = (row.verdict, "note" if row.note else "error") if row else (Verdict.LAUNCH_ERROR, "note")
    same = found.model_dump(exclude={"kind", "severity", "advice"})
    return Finding(kind=kind, severity=severity, advice=found.advice or None, **same)


def as_finding(found: ProgramFinding) -> Finding:
    """A kernel's, as any launch has it."""
    return Finding(**found.model_dump(include=set(Finding.model_fields)))


_RUN_SECONDS = 90  # on the wall, for one run of the program: a machine that is busy is no mistake of its author
_HOST_SECONDS = 20  # of processor time, for its host code
_IDLE_SECONDS = 20  # in which no thread of it wants a processor or a disk, and nothing is asked of the device
_MOST_KERNELS = 32
_WITH = ": name the source that defines it with --with"
_LAUNCH_SECONDS = 10  # of processor time, for one launch
# A file with such a kernel is refused before anything runs: no compiler takes it, or it hides something.
_REFUSES_THE_FILE = (Verdict.INTERNAL_ERROR, Verdict.REJECTED, Verdict.COMPILE_ERROR)


@dataclass(frozen=True)
class StartedProgram:
    """A submission that was built, and can be run. `file`: what the judge reads; the folder beside it is the runs' own."""

    toolset: Toolset
    lab: Lab
    text: str  # the submission's
    built: BuiltProgram
    file: Path

    def reader(self, report: Sequence[dict[str, Any]]) -> ProgramReader:
        """Looks up every address of the report at once. Raises RuntimeError where it cannot be read."""
        try:
            records = [one for case in report for launch in case["launches"] if (one := record_of(launch)) is not None]
        except (ValueError, KeyError, TypeError) as error:
            raise RuntimeError(f"the judge of {self.lab.id} wrote a report that cannot be read: {error}") from error
        addresses = {address for record in records for address in record.places()}
        program, own = self.built.host.program, set(self.lab.files_of(self.text))
        assert program is not None
        places = places_of(self.built.toolchain, self.toolset.confinement, program, addresses, own)
        return ProgramReader(self.lab, self.built, self.text, places)

    def judge(self, call: JudgeCall) -> tuple[JudgedCase, ...]:
        """Runs the lab's cases. Raises RuntimeError, which is ours to investigate."""
        report = judge_report(call, self.lab, ["--program", str(self.file)], self.file.parent)
        cases = judged_cases(report, self.lab, self.reader(report).launch)
        cases = with_local_arrays(cases, (kernel.image for kernel in self.built.kernels))
        return tuple(map(with_findings_of_the_host, cases))


def build_submission(toolset: Toolset, lab: Lab, text: str, folder: Path) -> tuple[CpuBuild, StartedProgram | None]:
    """The build says why there is no program. `text`: the submission's. `folder`: one of the caller's; runs happen in it."""
    began, public, work = time.monotonic(), lab.public, folder / "program"
    work.mkdir()
    if lacking := public.lacking(lab.files_of(text)):
        said = f"{lacking} was not handed in; the lab asks for it beside {public.file}."
        return CpuBuild(refusals=(Refusal(Verdict.MISSING_FILE, 0, said),)), None
    source, words = program_source(lab, text)
    frame = operands_frame(public) if public.has_operands else NO_FRAME
    standards = sorted(
        STANDARDS, key=lambda one: one != f"gnu++{words.standard}"
    )  # what a build file names comes first
    recipe = ProgramRecipe(source, words.definitions, frame, most_kernels=_MOST_KERNELS, standards=standards)
    built = build_program(toolset, recipe, work, lambda _: None)
    refusals, seconds = _refusals(lab, text, built), time.monotonic() - began
    if refusals:
        return CpuBuild(refusals=refusals, log=built.host.log, seconds=seconds), None
    file = folder / "judged.json"
    file.write_text(json.dumps(_program_file(toolset, lab, built, folder)), encoding="utf-8")
    return CpuBuild(seconds=seconds), StartedProgram(toolset, lab, text, built, file)


def program_source(lab: Lab, text: str) -> tuple[ProgramSource, BuildWords]:
    """What is compiled of the submission's files, each with what it includes; the lab's own headers come first. And what a build file says,
    of the submission or else of the lab.
    """
    public, files = lab.public, lab.files_of(text)
    asked = [one for one in BUILD_FILES if one in public.files]
    given = [*public.headers, *(one for one in asked if not files.keys() & set(BUILD_FILES))]
    paths = [path for name in given if (path := lab.public_dir / name).is_file()]
    files |= {path.name: path.read_text(encoding="utf-8", errors="replace") for path in paths}
    words = build_words(files)
    included = {_base(match) for one in files.values() for match in INCLUDE.finditer(one)}
    named = words.sources or files
    others = [name for name in named if Path(name).suffix in SOURCES and name not in {public.file, *included}]
    units = [KernelSource(name, _with_included(name, files)) for name in (public.file, *others)]
    return ProgramSource(tuple(units)), words


def _base(include: re.Match[str]) -> str:
    return (include["quoted"] or include["angled"]).replace("\\", "/").rpartition("/")[2]


def _with_included(name: str, files: Mapping[str, str]) -> dict[str, str]:
    """The file, and what it includes at any depth."""
    found, waiting = {name: files[name]}, [name]
    while waiting:
        for one in map(_base, INCLUDE.finditer(files[waiting.pop()])):
            if one in files and one not in found:
                found[one] = files[one]
                waiting.append(one)
    return found


def _program_file(toolset: Toolset, lab: Lab, built: BuiltProgram, folder: Path) -> dict[str, Any]:
    """What the judge has to know."""
    public, factor, program = lab.public, clock_factor(), built.host.program
    assert program is not None
    file = program_file(toolset, lab, folder)
    request = ProgramRequest(
        (),
        Path(file["folder"]),
        _RUN_SECONDS * factor,
        program,
        launch_seconds=_LAUNCH_SECONDS * factor,
        device_bytes=1 << 30,
        host_bytes=4 << 30,
        file_bytes=64 << 20,
        printed_bytes=1 << 20,
        processes=64,
        host_seconds=_HOST_SECONDS * factor,
        idle_seconds=_IDLE_SECONDS * factor,
        silent=True,
    )
    file["description"] = program_description(toolset, request, built.kernels)
    file["description"]["options"] = {
        "allow_same_value_writes": public.races.same_value_writes == "allowed",
        "early_return_is_error": public.barriers.early_return == "error",
    }
    return file


def _refusals(lab: Lab, text: str, built: BuiltProgram) -> tuple[Refusal, ...]:
    host, files, launcher = built.host, lab.files_of(text), lab.public.launcher or lab.public.kernel
    if host.program is None:
        entry = refusal_of_launcher(host.log, files, launcher) if launcher else None
        of_host = tuple(
            # `--with` is what `tilelab run` has, and a hand-in has not.
            Refusal(
                one.verdict,
                one.line if one.file in {"", *files} else 0,
                one.message.replace(_WITH, "").removesuffix(OLDER),
                file=one.file,
            )
            for one in ((entry,) if entry else host.refusals)
        )
        return of_host if "cub" in lab.public.libraries else tuple(map(without_cub, of_host))
    absent = [one for one in host.missing if not library_of_header(one.header)]
    if absent:  # no compiler takes the file then, needed or not
        may = (
            "the lab's files and headers"
            if lab.public.files
            else "what the lab hands out, for a submission is one file"
        )
        said = f"{absent[0].header} was not found: a submission may include {may}."
        return (Refusal(Verdict.COMPILE_ERROR, absent[0].line, said, file=absent[0].file),)
    name = name_of(lab.public.launcher)
    if name and any(one.name.signature in {name, launcher} for one in built.kernels):
        said = f"`{name}` is a kernel, and the lab asks for a host function that launches kernels: remove __global__ from it."
        return (Refusal(Verdict.MISSING_ENTRY_POINT, 0, said),)
    refused = [
        (one.refusal, one.unit) for one in built.kernels if one.refusal and one.refusal.verdict in _REFUSES_THE_FILE
    ]
    refused.sort(key=lambda one: _REFUSES_THE_FILE.index(one[0].verdict))
    return tuple(Refusal(one.verdict, one.line, one.advice or one.message, file=unit) for one, unit in refused[:1])


# The main() of a launcher: C++ of ours behind the student's text, and what it means for a student where that does not compile. Pure.
#
# The logic of main() is in kit/host/launcher_call.hpp. The student's own main(), if there is one, gets another name.

_OURS = "<launcher>"  # the file name that the compiler gives to our own lines
_OWN_MAIN = "tilelab_own_main"
_IN_OURS = re.compile(rf"^(?:In file included from )?{_OURS}:\d+", re.MULTILINE)
_LOCATED_ERROR = re.compile(r"^(?:\./)?([^:\n]+):(\d+):(?:\d+:)? (?:fatal )?error: ", re.MULTILINE)
_OF_THE_CALL = re.compile(
    rf"^{_OURS}:\d+:(?:\d+:)? error: [^\n]*"
    r"(?:no matching function|too (?:few|many) arguments|cannot convert|invalid conversion|not (?:been )?declared|"
    r"is not a member|does not name a type)"
    r"|static assertion failed|required from here",
    re.MULTILINE,
)
_FUNCTION = re.compile(r"^[^\S\n]*(?:[A-Za-z_][\w:<>*&\s\"]*\s[*&]*)([A-Za-z_]\w*)\s*\(", re.MULTILINE)
_FLOAT = re.compile(r"-?\d+\.\d*(?:e-?\d+)?f?")
_KEEP = "Use this name and these parameters, in this order."


def operands_frame(public: PublicSpec, *, on_gpu: bool = False) -> TextFrame:
    """For a lab whose host function, or whose launch of a kernel, gets the problem's operands. `on_gpu`: for nvcc."""
    return launcher_frame(public.host_entry, _given_launch(public, on_gpu))


def launcher_frame(signature: str, beside: str = "") -> TextFrame:
    """`signature`: "solve(float const*, int)", as lab.toml has it. `beside`: the function, where it is ours."""
    name, _, parameters = signature.partition("(")
    by_name = f"[](auto... values) {{ ::{name}(values...); }}"
    call = f"::tilelab_host::Launcher<void({parameters}>::run(::{name}, {by_name})"
    return TextFrame(
        before=f"#define main {_OWN_MAIN}\n",
        behind=f'#undef main\n# 1 "{_OURS}"\n{beside}int main() {{ return {call}; }}\n',
    )


def _given_launch(public: PublicSpec, on_gpu: bool) -> str:
    """The function that launches a kernel as lab.toml says; empty: the student's launches."""
    if not public.grid:
        return ""
    parameters = public.host_parameters
    kernel, _, types = public.kernel.rstrip(")").partition("(")
    passed = ", ".join(
        f"{CPP_NAME}{text}"
        if parameters.get(text, "long long") != "long long"
        else f"({kind.strip()})({_plain_number(text)})"
        for kind, text in zip(types.split(","), public.arguments, strict=True)
    )
    grid, block = (
        f"dim3({', '.join(f'(unsigned)({as_cpp(one)})' for one in sides)})" for sides in (public.grid, public.block)
    )
    config = f"{grid}, {block}, (size_t)({as_cpp(public.shared)})"
    launch = (
        f"::{kernel}<<<{config}>>>({passed})"
        if on_gpu
        else f"::tilelab_host::configure({config}), ::{kernel}({passed})"
    )
    declared = ", ".join(f"{kind} {CPP_NAME}{name}" for name, kind in parameters.items())
    return f"static void {GIVEN_LAUNCH}({declared}) {{ {launch}; }}\n"


def _plain_number(text: str) -> str:
    return text if _FLOAT.fullmatch(text) else as_cpp(text)


def launcher_buffers(text: str, signature: str) -> list[str]:
    """What the student calls the launcher's pointers, in their order; empty where the text does not tell."""
    head = _head(_tokens(text), name_of(signature).rpartition("::")[2])
    names = [one.expression for one in stub_parameters(head)] if head else []
    asked = signature.partition("(")[2].split(",")  # those behind them have default arguments
    return [name for name, kind in zip(names, asked, strict=False) if "*" in kind] if len(names) >= len(asked) else []


def refusal_of_launcher(log: str, files: Mapping[str, str], signature: str) -> HostRefusal | None:
    """What is wrong with the launcher, where the compiler complains of our call and not of the student's own lines."""
    if any(match[1] in files for match in _LOCATED_ERROR.finditer(log)) or not _IN_OURS.search(log):
        return None
    name = name_of(signature).rpartition("::")[2]
    file, text = next((one for one in files.items() if function_called(one[1], name)), next(iter(files.items())))
    if not _OF_THE_CALL.search(log):
        last = len(text.rstrip().split("\n"))
        said = "The file ends in the middle of something: is there a `}`, a `)` or a `;` missing?"
        return HostRefusal(file, last, said)
    wanted = f"`{in_c(signature)}`"
    place = function_called(text, name)
    if place is None:
        near = nearest(name, _FUNCTION.findall(text))
        other = function_called(text, near) if near else None
        but = f" The file has `{near}` (line {other.line}): the lab asks for the name `{name}`." if other else ""
        said = f"There is no function {wanted}.{but}"
        return HostRefusal(file, other.line if other else 0, f"{said} {_KEEP}", Verdict.MISSING_ENTRY_POINT)
    found = signature_in(text, name)
    differs = f" {difference(signature, found)}" if found and found != signature.rpartition("::")[2] else ""
    said = f"`{name}` does not have the parameters that the lab asks for: expected {wanted}.{differs}".rstrip()
    return HostRefusal(file, place.line, f"{said} {_KEEP}", Verdict.MISSING_ENTRY_POINT)


def _tokens(text: str) -> Tokens:
    bare = "\n".join(StudentCode(text).bare)  # without comments
    return code_tokens(bare)


def _head(tokens: Tokens, name: str) -> Sequence[Token]:
    """The parameters of the function's definition."""
    for at, token in enumerate(tokens[:-1]):
        if token.text == name and tokens[at + 1].text == "(":
            end = closing(tokens, at + 1)
            if end + 1 < len(tokens) and tokens[end + 1].text in {"{", "noexcept"}:
                return tokens[at + 2 : end]
    return []


def signature_in(text: str, name: str) -> str:
    """With the parameters' types as the compiler writes them, as far as words alone tell."""
    head = _head(_tokens(text), name)
    if not head:
        return ""
    return f"{name}({', '.join(_type([token.text for token in part]) for part in parts_of(head))})"


def _type(words: Sequence[str]) -> str:
    """`const float * a` as "float const*"."""
    kept = [one for one in words if one not in {"__restrict__", "__restrict", "restrict"}]
    stars = kept.count("*")
    before = kept[: kept.index("*")] if stars else kept[:-1] or kept
    plain = " ".join(one for one in before if one != "const")
    return plain + (" const" if "const" in before and stars else "") + "*" * stars
