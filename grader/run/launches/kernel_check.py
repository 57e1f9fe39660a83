"""`tilelab check`: one launch of any kernel under every detector of the CPU executor. Grades nothing.

The file is treated as hostile: compiler and runner are confined. The checker is a judge that knows no right answer; it limits and checks
what the runner reports.
"""

from __future__ import annotations

import json
import math
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import Field

from grader.engines.cpu_build import CpuBuild
from grader.engines.toolset import Toolset
from grader.model.outcome import located
from grader.model.result import Finding, Launch, Model
from grader.model.verdicts import Verdict
from grader.run.failure_causes import unset_locals
from grader.run.judge_call import JUDGE_SECONDS, read_report, run_reporter, runner_argv, write_runner
from grader.run.kernels.argument_text import ArgumentError, named_functions, parse_argument
from grader.run.kernels.index_extents import KernelIndices
from grader.run.kernels.kernel_arguments import (
    MAX_BUFFER_BYTES,
    match_arguments,
    proposal,
    proposed_elements,
    signature,
)
from grader.run.kernels.kernel_build import BuiltKernel, build_kernel
from grader.run.kernels.kernel_source import KernelSource
from grader.run.kernels.own_launches import (
    SECOND_AXIS,
    Extent3,
    OwnLaunch,
    constants_of,
    definitions_of,
    extent_text,
    own_launches,
)
from grader.run.kernels.parameter_types import Parameter, read_parameters
from grader.run.launches.trace_phases import Trace
from grader.run.programs.program_findings import reworded
from grader.source.lexer import closing_bracket, without_comments

_SPARE_STEPS, _STEPS_PER_THREAD, _STEPS_PER_ELEMENT = 20_000_000, 20_000, 1_000  # a generous number for each
_MOST_STEPS, _NO_LIMIT = 10**9, 10**13
_SECONDS = 5  # of processor time, for loops without steps
_RECORDED_EVENTS = 20_000_000
# Phrases of findings that fit labs only, and what they become here.
_PHRASES = {"the launch function asks": "the launch asks", "(shared_bytes)": "(--shared)"}


@dataclass(frozen=True)
class CheckRequest:
    """`file`: the path as the user wrote it, for messages."""

    file: str
    kernel: str
    grid: Extent3
    block: Extent3
    shared_bytes: int
    arguments: Sequence[str]  # as --arg takes them
    seed: int = 1
    definitions: Sequence[str] = ()  # macros
    is_proposed: bool = False  # whether the file's own launch may take the place of grid, block and arguments
    options: Sequence[str] = ()  # others that a proposed command line has to repeat
    early_return_is_error: bool = False
    allow_same_value_writes: bool = False
    event_budget: int = 0  # of steps; 0: as its threads and buffers let expect
    seconds: int = 0  # of processor time, and any number of steps in it; 0: not said
    cooperative: bool = False  # the blocks run together and may wait at the grid's barrier


# Of a request, in the format that kit/launch/launch_description.cpp reads.
_DESCRIBED = (
    "grid",
    "block",
    "shared_bytes",
    "cooperative",
    "seed",
    "early_return_is_error",
    "allow_same_value_writes",
)


class Checked(Launch):
    """The launch, with its counts under Nsight Compute's names."""

    metrics: dict[str, int] = Field(default_factory=dict)
    left_out: tuple[str, ...] = ()  # what was left out of the file: descriptions
    arguments: tuple[str, ...] = ()  # as --arg takes them
    own_line: int = 0  # of the file's own launch, where that was run
    trace: Trace | None = None  # of the block that was followed, where one was


def check_kernel(toolset: Toolset, source: KernelSource, request: CheckRequest, scratch: Path) -> Checked | BuiltKernel:
    """`scratch`: an empty folder. A BuiltKernel without a runner where there was no launch. Raises ArgumentError if one does not fit."""
    functions = list(dict.fromkeys(name for one in request.arguments for name in named_functions(parse_argument(one))))
    for name in functions:
        word = re.compile(rf"\b{re.escape(name.rpartition('::')[2])}\b")
        if not any(word.search(text) for text in source.texts.values()):
            remedy = "write the name of one of its __device__ functions"
            raise ArgumentError(f"--arg: {source.name} has no function {name!r}: {remedy}")
    work = scratch / "work"
    built = build_kernel(toolset, source, request.kernel, work, definitions=request.definitions, functions=functions)
    if built.build.runner is None or built.build.image is None:
        return built
    checked = check_built(toolset, built.build, request, scratch, source)
    sources = {name: text.split("\n") for name, text in source.texts.items()}
    limits = json.loads((scratch / "launch.json").read_text(encoding="utf-8"))
    phrases = _PHRASES | {
        "its limit of steps": f"its limit of {limits['event_budget']:,} steps (--seconds N lets it make more)",
        "its processor time": f"its {limits['clock_ms'] // 1000} seconds of processor time (--seconds N gives it more)",
    }
    found = (one.model_copy(update={"message": reworded(one.message, phrases)}) for one in checked.findings)
    findings, said = (*found, *unset_locals(toolset, scratch / source.name, work)), reworded(checked.message, phrases)
    update = {"left_out": tuple(built.left_out), "findings": findings, "message": said}
    return located(checked.model_copy(update=update), sources)


def trace_again(toolset: Toolset, scratch: Path, block: Extent3, *, is_endless: bool) -> Trace | None:
    """Once more with the steps of a block; None: there is none. `scratch`: check_kernel()'s. Without an end, it is cut."""
    description = scratch / "launch.json"
    plain = json.loads(description.read_text(encoding="utf-8"))
    if is_endless:
        plain["event_budget"] = min(plain["event_budget"], _RECORDED_EVENTS)
    description.write_text(json.dumps({**plain, "trace": block}), encoding="utf-8")
    return _run_checker(toolset, scratch).trace


def check_built(
    toolset: Toolset, build: CpuBuild, request: CheckRequest, scratch: Path, source: KernelSource | None = None
) -> Checked:
    """Launches what is in `scratch / "work"`. `source`: where launches of its own may be found, if the request has no arguments."""
    assert build.runner is not None
    assert build.image is not None
    image = json.loads(build.image.read_text(encoding="utf-8"))
    parameters = read_parameters(build.runner, image["kernel"])
    functions: dict[str, int] = image["passed"]
    own_line = 0
    proposal = proposed_launch(source or KernelSource("", {}), request.kernel, parameters)
    if request.is_proposed and not request.arguments and proposal.is_whole:
        grid, block, shared = proposal.grid, proposal.block, proposal.shared_bytes
        request = replace(request, grid=grid, block=block, shared_bytes=shared, arguments=proposal.arguments)
        own_line = proposal.line
    try:
        arguments = match_arguments(request.kernel, parameters, list(map(parse_argument, request.arguments)))
    except ArgumentError as error:
        raise ProposalError(str(error), request, parameters, proposal) from None
    described = {name: getattr(request, name) for name in _DESCRIBED}
    threads, elements = math.prod((*request.grid, *request.block)), sum(one.elements for one in arguments)
    steps = min(_SPARE_STEPS + threads * _STEPS_PER_THREAD + elements * _STEPS_PER_ELEMENT, _MOST_STEPS)
    described["event_budget"] = request.event_budget or (_NO_LIMIT if request.seconds else steps)
    described["clock_ms"] = (request.seconds or _SECONDS) * 1000
    described["arguments"] = [argument.described(functions) for argument in arguments]
    (scratch / "launch.json").write_text(json.dumps(described), encoding="utf-8")
    write_runner(runner_argv(toolset, build), scratch)
    return _run_checker(toolset, scratch).model_copy(
        update={"arguments": tuple(request.arguments), "own_line": own_line}
    )


class ProposalError(ArgumentError):
    """The arguments do not fit. The text ends with a command line that does."""

    def __init__(
        self, message: str, request: CheckRequest, parameters: Sequence[Parameter], proposal: ProposedLaunch
    ) -> None:
        self.kernel, self.proposal = request.kernel, proposal
        is_possible = not any(one.trouble for one in parameters)
        line = proposal.command([request.file, "--kernel", request.kernel, *request.options])
        self.proposals = (line,) if is_possible else ()
        from_file = f", as in line {proposal.line} of the file where its constants say it" if proposal.line else ""
        start = f" A command line to start from{from_file}:\n  {line}" if is_possible else ""
        super().__init__(f"{message}\nThe kernel is {signature(request.kernel, parameters)}.{start}")


def refusals_of(source: KernelSource, build: CpuBuild) -> tuple[Finding, ...]:
    lines = source.texts[source.name].split("\n")
    return tuple(one.finding(source.name, lines) for one in build.refusals)


def _run_checker(toolset: Toolset, scratch: Path) -> Checked:
    described = ["--launch", str(scratch / "launch.json"), "--runner", str(scratch / "runner.json")]
    command = [str(toolset.part("launch")), "check", *described]
    return read_report(run_reporter("the checker", command, scratch / "checked.json", JUDGE_SECONDS * 3), Checked)


# What `tilelab check --json` prints, the same for every end: a launch, a file that cannot be built, an argument that does not fit.
#
# docs/verdict_documents.py makes docs/check.schema.json from it.


class CheckReport(Model):
    verdict: Verdict | None  # null: nothing was built or launched, and `message` says why
    message: str = ""  # how the launch ended, or why there was none
    kernel: str = ""  # the kernel that was checked, with its template arguments; empty: none was found
    metrics: dict[str, int] = Field(default_factory=dict)  # by Nsight Compute's names
    findings: tuple[Finding, ...] = ()
    left_out: tuple[str, ...] = ()  # what was left out of the file before it was built
    proposals: tuple[str, ...] = ()  # command lines that run


# A launch for a kernel whose arguments the user has not named: the file's own launch, as far as its constants say it, and usual sizes for
# the rest. It is run only if the file says all of it; otherwise it is proposed as a command line that runs when it is pasted.

_ELEMENTS = 4096  # of a proposed buffer: the square of a proposed number, in one dimension and in two
_FLAT_NUMBER, _WIDEST = 64, 64
_DYNAMIC_BYTES = 32 << 10  # of shared memory where nobody knows how much; the rest of 48 KiB is for static arrays
_LAYERS = 4  # of a proposed layered texture
_INSIDE = re.compile(r"((?:(\w+)=)?)(texture|surface) float\[64\]\[64\]=(?:random|0)")  # of an object or a table
_MOST_THREADS = 1 << 16  # of the file's own launch, in all
_LARGEST_BLOCK = 1024  # CUDA's limit
_WIDE: tuple[Extent3, Extent3] = ((2, 2, 1), (16, 16, 1))  # grid and block
_FLAT: tuple[Extent3, Extent3] = ((4, 1, 1), (256, 1, 1))
# The sizes that are tried, the first first; of these, a loop takes fewer.
_WIDE_SIDES, _FLAT_SIDES, _LOOP_SIDES = (64, 32, 16, 8), (1024, 256, 64, 16), (256, 64, 16, 8)
_LONGEST_FITTED = 1 << 16  # elements


@dataclass(frozen=True)
class ProposedLaunch:
    grid: Extent3
    block: Extent3
    shared_bytes: int
    arguments: tuple[str, ...]  # as --arg takes them
    line: int = 0  # of the file's own launch; 0: there is none
    is_whole: bool = False  # whether the file's own launch says all of it, and it is small enough

    def command(self, options: Sequence[str]) -> str:
        """`options`: the file, the kernel, and what else was given."""
        parts = ["tilelab", "check", *options, "--grid", extent_text(self.grid), "--block", extent_text(self.block)]
        if self.shared_bytes:
            parts += ["--shared", str(self.shared_bytes)]
        for argument in self.arguments:
            parts += ["--arg", argument]
        return shlex.join(parts)


def proposed_launch(source: KernelSource, kernel: str, parameters: Sequence[Parameter]) -> ProposedLaunch:
    """`kernel`: its name with namespaces, and with template arguments."""
    name = re.split(r"[<(]", kernel, maxsplit=1)[0]
    definitions, unknown = definitions_of(source, name), (None,) * len(parameters)
    wide = any(map(SECOND_AXIS.search, definitions))
    launches = (one for one in own_launches(source, name) if len(one.values) == len(parameters))
    own = next(launches, OwnLaunch(0, None, None, None, unknown, unknown))
    grid, block = _WIDE if wide else _FLAT
    if definitions and not any("blockIdx" in text for text in definitions):
        grid = (1, 1, 1)  # its author thinks of one block
    dynamic = any(re.search(r"\bextern\s+__shared__", text) for text in definitions)
    usual_shared = _DYNAMIC_BYTES if dynamic else 0
    widest = _WIDEST if _whole_numbers(parameters) <= 2 else _WIDEST // 2  # noqa: PLR2004 -- two sides, and no third number
    indices = KernelIndices(definitions[0] if definitions else "", constants_of("\n".join(source.texts.values())))
    told = [_filled(_told(own, at, parameter) or "", parameter, indices) for at, parameter in enumerate(parameters)]
    threads = math.prod(own.block or (1,))
    fits = threads <= _LARGEST_BLOCK and math.prod(own.grid or (1,)) * threads <= _MOST_THREADS
    if own.grid and own.block and own.shared_bytes is not None and fits:
        arguments = tuple(one for one in told if one)
        if len(arguments) == len(told):
            return ProposedLaunch(own.grid, own.block, own.shared_bytes, arguments, own.line, is_whole=True)
    block = own.block if own.block and threads <= _LARGEST_BLOCK else indices.block(block)
    if (
        definitions
        and not own.grid
        and not any(one.is_pointer and text for text, one in zip(told, parameters, strict=True))
    ):
        sides = _WIDE_SIDES if wide else _LOOP_SIDES if re.search(r"\b(?:for|while)\b", definitions[0]) else _FLAT_SIDES
        for side in sides[wide and _whole_numbers(parameters) > 2 :]:  # noqa: PLR2004 -- two sides, and no third number
            grid = indices.grid(side, block)
            if arguments := _fitted(parameters, indices, side, grid, block):
                return ProposedLaunch(grid, block, own.shared_bytes or usual_shared, arguments, own.line)
        grid = (_WIDE if wide else _FLAT)[0] if "blockIdx" in indices.text else (1, 1, 1)
    sizes = [own.bytes[at] for at, one in enumerate(parameters) if one.is_pointer]
    all_buffers = all(text for text, one in zip(told, parameters, strict=True) if one.is_pointer) and bool(sizes)
    extents = [int(size[1]) for size in (re.search(r"\[(\d+)\]", text) for text in told if text) if size]
    largest = min(_ELEMENTS, max(extents, default=_ELEMENTS))
    grid = _smaller_grid(own.grid or grid, block, largest if all_buffers and not own.grid else _ELEMENTS)
    if wide and not all_buffers:
        x, y, _ = grid
        grid = (min(x, max(1, widest // block[0])), min(y, max(1, widest // block[1])), 1)
    # A buffer that is larger than usual does no harm. A number does, where the buffers do not follow from it: in two dimensions, it is
    # as many as there are threads in a row or a column of the grid.
    number = min(widest, max(grid[0] * block[0], grid[1] * block[1])) if wide else _FLAT_NUMBER
    whole = _whole_numbers(parameters)
    size = number if whole <= 3 else 8 if whole <= 5 else 4  # noqa: PLR2004 -- so that products of them stay below _ELEMENTS
    size = min([size, *(elements for one in parameters if (elements := proposed_elements(one)))])
    length, counts = _ELEMENTS, [one.name for one in parameters if _whole_numbers([one])]
    is_flat = definitions and not wide and not any(map(proposed_elements, parameters)) and len(counts) == 1
    if is_flat and not re.search(r"\*\s*{0}\b|\b{0}\s*\*".format(*counts), indices.text):
        length = size = _FLAT_SIDES[0]  # nothing makes a longer buffer of it
    usual = [
        _seen_inside(source, one, number) or _filled(proposal(one, length, size), one, indices) for one in parameters
    ]
    of_each = (one.element.bytes if one.is_pointer and one.element else math.inf for one in parameters)
    larger = [(size or 0) >= _ELEMENTS * one for size, one in zip(own.bytes, of_each, strict=True)]
    chosen = zip(told, larger, usual, strict=True)
    arguments = tuple(text if text and (all_buffers or is_larger) else other for text, is_larger, other in chosen)
    return ProposedLaunch(grid, block, own.shared_bytes or usual_shared, arguments, own.line)


def _fitted(
    parameters: Sequence[Parameter], indices: KernelIndices, side: int, grid: Extent3, block: Extent3
) -> tuple[str, ...]:
    """With this number for each size, and buffers as long as the kernel's indices reach then. Empty: they do not say it, or too long."""
    if any(one.texture or one.layout or one.trouble or one.is_function for one in parameters):
        return ()
    numbers = {one.name: side for one in parameters if _whole_numbers([one])}
    reached = indices.extents([one.name for one in parameters if one.is_pointer], numbers, grid, block)
    found = []
    for one in parameters:
        elements = reached.get(one.name) if one.is_pointer else 1
        # What the border leaves out is there all the same.
        elements = next((all_ for all_ in (side, side**2) if 3 * all_ < 4 * (elements or 0) < 4 * all_), elements)
        if not elements or elements > _LONGEST_FITTED:
            return ()
        found.append(_filled(proposal(one, elements, side), one, indices))
    return tuple(found)


def _filled(text: str, parameter: Parameter, indices: KernelIndices) -> str:
    """Random numbers where the kernel reads a buffer that it also writes; zeros say little."""
    is_plain = parameter.is_pointer and parameter.layout is None and text.endswith("]=0")
    return f"{text[:-1]}random" if is_plain and indices.is_read(parameter.name) else text


def _whole_numbers(parameters: Sequence[Parameter]) -> int:
    """How many parameters may be sizes."""
    values = (one.element for one in parameters if not (one.is_pointer or one.texture))
    plain = (one.number for one in values if one is not None)
    return sum(one is not None and one.kind != "floating" and not one.is_bool and one.bytes > 1 for one in plain)


def _smaller_grid(grid: Extent3, block: Extent3, most: int) -> Extent3:
    """Half as many blocks along the longest side, until there are few enough threads."""
    x, y, z = grid
    while x * y * z > 1 and x * y * z * math.prod(block) > most:
        longest = max(x, y, z)
        x, y, z = (x // 2, y, z) if x == longest else (x, y // 2, z) if y == longest else (x, y, z // 2)
    return x, y, z


def _told(own: OwnLaunch, at: int, parameter: Parameter) -> str | None:
    """What the file's constants say of one argument."""
    element = parameter.element
    is_plain = not (parameter.trouble or parameter.layout or parameter.is_function or parameter.texture)
    if element is None or not is_plain:
        return None
    if parameter.is_pointer:
        size = own.bytes[at]
        if size is None or element.bytes == 0 or size < element.bytes or size > MAX_BUFFER_BYTES:
            return None
        return proposal(parameter, size // element.bytes)
    value, number = own.values[at], element.number
    if value is None or number is None:
        return None
    return f"{element.name}={value if number.kind == 'floating' else int(value)}"


def _seen_inside(source: KernelSource, parameter: Parameter, side: int) -> str:
    """Of a texture, a surface, an object or a table; empty: it is none of these. As wide as all threads, whatever the numbers are."""
    if parameter.texture:
        return texture_argument(source, parameter.texture, parameter.name, side)
    if parameter.layout is None:
        return ""
    return _INSIDE.sub(lambda one: one[1] + texture_argument(source, one[3], one[2] or "", side), proposal(parameter))


# How a file uses a texture or a surface that a kernel gets: the type of its texels, its dimensions, and what the host's code says of
# filter and address modes. Reads words, and runs nothing: a proposal is made of it, not a verdict.

_TEXTURE_CALL = re.compile(
    r"\btex(?P<of>[123])D(?P<fetch>fetch)?(?P<layered>Layered)?(?:Lod|Grad|gather)?\s*(?:<\s*(?P<type>[\w ]+?)\s*>)?\s*\("
)
_SURFACE_CALL = re.compile(
    r"\bsurf(?P<of>[123])D(?P<layered>Layered)?(?P<verb>read|write)\s*(?:<\s*(?P<type>[\w ]+?)\s*>)?\s*\("
)
_CHANNEL = re.compile(r"\bcudaCreateChannelDesc\s*<\s*([\w ]+?)\s*>")
_ADDRESS = re.compile(r"\baddressMode\s*\[\s*[012]\s*\]\s*=\s*cudaAddressMode(\w+)\s*;")
_SMALL = re.compile(r"(?:unsigned |signed )?u?(?:char|short)[124]?")
_SETTING = r"\b{name}\s*=\s*(\w+)\s*;"
# make_float4(…), (float)x, float(x)
_MADE = re.compile(r"\bmake_(\w+)\s*\(|\(\s*(\w+)\s*\)|static_cast\s*<\s*(\w+)\s*>|(\w+)\s*\(")
_TYPES = frozenset(
    f"{number}{count}"
    for number in ("char", "uchar", "short", "ushort", "int", "uint", "float")
    for count in ("", "1", "2", "4")
) | {"unsigned", "unsigned char", "unsigned short", "unsigned int", "signed char"}


def texture_argument(source: KernelSource, kind: str, name: str, side: int) -> str:
    """As the file uses `name`, `side` texels wide. A helper may use it under another name: then any use in the file counts."""
    text = "\n".join(without_comments(one) for one in source.texts.values())
    calls = list((_TEXTURE_CALL if kind == "texture" else _SURFACE_CALL).finditer(text))
    own = [
        one
        for one in calls
        if name and re.search(rf"\b{re.escape(name)}\b", text[one.end() : closing_bracket(text, one.end() - 1)])
    ]
    chosen = next(iter(own or calls), None)
    layered, dimensions = (bool(chosen["layered"]), int(chosen["of"])) if chosen else (False, 2)
    element = next((found for one in own or calls if (found := _type_of(text, one))), "float")
    options = ["layered"] if layered else []
    if kind == "texture" and chosen:
        made = _CHANNEL.search(text)
        settings = _host_options(text)
        if "asfloat" in settings and not (made and _SMALL.fullmatch(made[1])):
            settings.remove("asfloat")
        elif "asfloat" in settings and made:
            element = made[1]
        if "linear" in settings and "float" not in element and "asfloat" not in settings:
            settings.remove("linear")
        options += settings
    said = f"({','.join(options)})" if options else ""
    extents = [*([_LAYERS] if layered else []), *([_ELEMENTS] if dimensions == 1 else [side] * dimensions)]
    shape = "".join(f"[{extent}]" for extent in extents)
    return f"{kind}{said} {element}{shape}={'random' if kind == 'texture' else '0'}"


def _type_of(text: str, call: re.Match[str]) -> str:
    """The type in angle brackets, or of the variable that is filled or stored. Empty: unknown."""
    if call["type"]:
        return call["type"] if call["type"] in _TYPES else ""
    first = text[call.end() : closing_bracket(text, call.end() - 1)].split(",", maxsplit=1)[0].strip()
    if made := _MADE.match(first):
        return next((name for name in made.groups() if name in _TYPES), "")
    variable = re.fullmatch(r"&?\s*(\w+)", first)
    declared = variable and re.search(
        rf"\b((?:unsigned |signed )?\w+)\s+{variable[1]}\b\s*[=;,)({{]", text[: call.start()]
    )
    return declared[1] if declared and declared[1] in _TYPES else ""


def _host_options(text: str) -> list[str]:
    """What each text descriptor says that is written with constants, where all say the same."""
    modes = {one.lower() for one in _ADDRESS.findall(text)}
    said = sorted(modes) if len(modes) == 1 and modes != {"clamp"} else []
    if _only(text, "filterMode") == "cudaFilterModeLinear":
        said.append("linear")
    if _only(text, "normalizedCoords") in {"1", "true"}:
        said.append("normalized")
    elif said[:1] in (["wrap"], ["mirror"]):
        said.pop(0)
    if _only(text, "readMode") == "cudaReadModeNormalizedFloat":
        said.append("asfloat")
    return said


def _only(text: str, name: str) -> str:
    """The one value that is ever given to a member of this name. Empty: none, or several."""
    values = set(re.findall(_SETTING.format(name=name), text))
    return values.pop() if len(values) == 1 else ""
