"""Turns one source file into a cubin and a description for the GPU runner. nvcc runs confined, and its output is read as data.

As in `cpu_build.py`, nothing of the submission runs here, and a failure of the submission is an outcome and no exception.
"""

from __future__ import annotations

import json
import re
import struct
import tempfile
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from elftools.common.exceptions import ELFError

from grader.engines.build_steps import shortened, used_up
from grader.engines.cpu_toolchain import home_of
from grader.engines.entry_points import EntrySignatures, name_of
from grader.engines.gpu_toolchain import (
    PROGRAM_STANDARDS,
    GpuTarget,
    GpuToolchain,
    StrangeToolkit,
    device_preprocessing,
)
from grader.engines.objects.symbol_table import ElfFile
from grader.engines.occupancy import resident_threads
from grader.engines.refusal import Refusal, compile_errors_of
from grader.model.outcome import KernelResources
from grader.model.verdicts import Verdict
from grader.source.compiler_message import messages
from grader.source.student_code import StudentCode
from grader.system.confined_run import Finished
from grader.system.confinement import Confinement, Limits

# Generates the file that nvcc compiles: the submission, and after it our own kernels, which evaluate its launch function on the GPU
# and fill shared memory. Pure.
#
# No host code of a submission ever runs. Macros that it leaves defined are undefined before our first line.

ASK_LAUNCH, POISON_SHARED = "tilelab_ask_launch", "tilelab_poison_shared"
_WORD = re.compile(r"\b(?!__)[A-Za-z_]\w*")  # __global__ and the like are CUDA's own macros
_PARAMETERS = re.compile(r"\((.*)\)$")

_POISON = f"""extern "C" __global__ void {POISON_SHARED}(unsigned tilelab_words, unsigned tilelab_word) {{
  extern __shared__ volatile unsigned tilelab_shared[];
  for (unsigned tilelab_i = threadIdx.x; tilelab_i < tilelab_words; tilelab_i += blockDim.x) tilelab_shared[tilelab_i] = tilelab_word;
}}
"""
# Put before a submission that must print nothing. The headers that declare printf come first, so that none declares it again.
_SILENCE = """#include <cstdio>
template <class... Values>
__host__ __device__ inline int tilelab_print_nothing(const char*, Values...) { return 0; }
namespace std { using ::tilelab_print_nothing; }
#define printf tilelab_print_nothing
"""


def launch_tail(source_name: str, entries: EntrySignatures, *, silent: bool = False) -> str:
    """The text of that file. `source_name` is in the same folder. `silent`: the kernel prints nothing."""
    # A line that compiles only if the kernel has exactly these parameters. It also keeps a static kernel from being removed.
    cast = f"static_cast<void (*)({_parameters(entries.kernel)})>({name_of(entries.kernel)})"
    code = f"static_assert({cast} != nullptr);\n{_POISON}{_ask(entries.launch) if entries.launch is not None else ''}"
    macros = "".join(f"#undef {word}\n" for word in sorted(set(_WORD.findall(re.sub(r'"[^"]*"', "", code)))))
    return f'{_SILENCE if silent else ""}#include "{source_name}"\n{macros}{code}'


def _ask(launch: str) -> str:
    types = [one for one in _parameters(launch).split(", ") if one]
    declared = "".join(f", {kind} tilelab_{i}" for i, kind in enumerate(types))
    given = ", ".join(f"tilelab_{i}" for i in range(len(types)))
    fields = ("grid.x", "grid.y", "grid.z", "block.x", "block.y", "block.z", "shared_bytes")
    stores = "".join(f"  tilelab_answer[{i}] = tilelab_config.{field};\n" for i, field in enumerate(fields))
    return (
        f'extern "C" __global__ void {ASK_LAUNCH}(unsigned* tilelab_answer{declared}) {{\n'
        f"  const LaunchConfig tilelab_config = {name_of(launch)}({given});\n{stores}}}\n"
    )


def _parameters(signature: str) -> str:
    match = _PARAMETERS.search(signature)
    return match[1] if match else ""


# The corpus needs some seconds. A machine that is so loaded that they take `wall_seconds` is no fault of a submission.
NVCC_LIMITS = Limits(
    "build",
    cpu_seconds=40,  # of one process: behind `all_seconds`
    wall_seconds=180,
    memory_bytes=4 << 30,
    processes=64,
    file_bytes=128 << 20,
    open_files=256,
    all_seconds=30,
)
TAIL, CUBIN, IMAGE = "launch_tail.cu", "submission.cubin", "cubin.json"
MAX_CUBIN_BYTES = 64 << 20


@dataclass(frozen=True)
class GpuBuild:
    """The result. Where there is neither `image` nor `refusals`, the fault is ours, and `log` says what happened."""

    image: Path | None = None
    refusals: tuple[Refusal, ...] = ()
    resources: KernelResources | None = None
    log: str = ""
    seconds: float = 0.0
    lambdas: bool = True  # whether the compiler took lambdas for the device
    starved: str = ""  # how little of its time nvcc could compute, where the time was over
    # What nvcc says of the host's part of the file, in place of a program or beside one that does not do it.
    sides: str = ""


def build_for_gpu(
    toolchain: GpuToolchain,
    confinement: Confinement,
    source: Path,
    folder: Path,
    entries: EntrySignatures,
    target: GpuTarget,
    *,
    silent: bool = False,
) -> GpuBuild:
    """Builds `source` in the empty folder `folder`. The cubin and its description stay there. `silent`: printf prints nothing."""
    began = time.monotonic()
    (folder / source.name).write_bytes(source.read_bytes())
    (folder / TAIL).write_text(launch_tail(source.name, entries, silent=silent), encoding="utf-8")
    for compiler in (one for one in (toolchain.plain, toolchain) if target.lambdas in {None, one.lambdas}):
        command = compiler.compile(TAIL, CUBIN, target.capability, target.max_registers)
        finished, output, log = _nvcc(compiler, confinement, folder, command)
        limit = used_up(finished, NVCC_LIMITS, output) if finished.returncode != 0 else ""
        if finished.returncode == 0 or limit or finished.timed_out:
            break
    seconds = time.monotonic() - began
    if limit:
        message = f"nvcc was stopped: it needed more than {limit} for {source.name}."
        return GpuBuild(refusals=(Refusal(Verdict.COMPILE_ERROR, 0, message),), log=log, seconds=seconds)
    if finished.timed_out:
        starved = f"nvcc did not end within {NVCC_LIMITS.wall_seconds:g} seconds, and computed in {finished.cpu_seconds:.0f} of them"
        return GpuBuild(log=log, seconds=seconds, starved=starved)
    sides = only_sides(output, (source.name, TAIL))
    if finished.returncode != 0:
        return GpuBuild(refusals=_refused(output, source, entries), log=log, seconds=seconds, sides=sides)
    image = {
        "driver": target.driver,
        "device": target.device,
        "cubin": CUBIN,
        "functions": _names(folder / CUBIN, "STT_FUNC"),
    }
    asks = ASK_LAUNCH if entries.launch else ""
    image |= {"kernel": entries.kernel, "ask_launch": asks, "poison_shared": POISON_SHARED}
    (folder / IMAGE).write_text(json.dumps(image), encoding="utf-8")
    # The kernel is the function whose mangled name contains the length of its name and its name.
    name, found = name_of(entries.kernel), kernel_resources(output)
    resources = next((one for key, one in found.items() if key == name or f"{len(name)}{name}" in key), None)
    return GpuBuild(
        folder / IMAGE, resources=resources, log=log, seconds=seconds, lambdas=compiler.lambdas, sides=sides
    )


PROBE_KERNEL = """#include <tilelab/device.cuh>
__host__ __device__ LaunchConfig probe_launch(int n) { return {dim3(1), dim3(32)}; }
__global__ void probe(float* out, int n) { out[threadIdx.x % n] = 1; }
"""


def trouble_compiling(toolchain: GpuToolchain, confinement: Confinement, target: GpuTarget) -> str:
    """Compiles a kernel as a submission's is compiled, and returns why that fails. Empty: it works."""
    entries = EntrySignatures("probe(float*, int)", "probe_launch(int)")
    with tempfile.TemporaryDirectory(prefix="tilelab-") as name:
        source, folder = Path(name) / "probe.cu", Path(name) / "work"
        source.write_text(PROBE_KERNEL, encoding="utf-8")
        folder.mkdir()
        built = build_for_gpu(toolchain, confinement, source, folder, entries, target)
    if built.image is None:
        return next((line for line in built.log.splitlines() if line.strip()), "it gives no reason")
    try:
        device_preprocessing(toolchain, target.capability, "", "")
    except StrangeToolkit as error:
        return str(error)  # what it reads cannot be held against the CPU executor
    return ""


def _nvcc(
    toolchain: GpuToolchain, confinement: Confinement, folder: Path, command: list[str]
) -> tuple[Finished, str, str]:
    """How it ended, what it said, and as much of that as is kept."""
    readable = [toolchain.root, *toolchain.includes]
    finished = home_of(toolchain.host_compiler).run(confinement, command, readable, folder, NVCC_LIMITS)
    output = finished.said.replace(f"{folder}/", "")
    return finished, output, shortened(output)


def _refused(output: str, file: Path, entries: EntrySignatures) -> tuple[Refusal, ...]:
    if large := needs_too_much_shared(output):
        text = "A block asks for more than 49152 bytes of static shared memory, which is the maximum."
        name = name_of(entries.kernel)
        the_kernel = re.compile(rf"_ZL?{len(name)}{name}(?!\d)")
        if any(one == name or the_kernel.match(one) for one in large):
            return (Refusal(Verdict.LAUNCH_ERROR, 0, text),)
        advice = "Remove the kernels that the lab does not ask for."
        return (Refusal(Verdict.COMPILE_ERROR, 0, f"In `{large[0]}`, which is not the lab's kernel: {text}", advice),)
    text = file.read_text(encoding="utf-8", errors="replace")
    return nvcc_refusals(output, file.name, TAIL, kernel=entries.kernel, launch=entries.launch, source=text)


def _names(cubin: Path, *kinds: str) -> list[str]:
    """The names of a cubin's functions or variables. Empty where the cubin cannot be read."""
    if cubin.is_symlink() or cubin.stat().st_size > MAX_CUBIN_BYTES:
        return []
    try:
        return [symbol.name for kind in kinds for symbol in ElfFile(cubin).of_kind(kind)]
    except (ELFError, struct.error, ValueError, IndexError):
        return []


# Compiles a file with host code into a program for a real GPU, with nvcc. nvcc runs confined, and nothing of the file runs here.
#
# As in `gpu_build.py`, a failure of the submission is an outcome and no exception. Whoever runs the program confines it.

PROGRAM, SOURCE = "native", "native_program.cu"
BESIDE = ("thread_names.cpp", "program_turns.cpp")  # in kit/gpu: compiled with the program


@dataclass(frozen=True)
class NativeBuild:
    """`trouble`: why there is no program, in one line."""

    program: Path | None = None
    log: str = ""
    trouble: str = ""


def build_native(
    toolchain: GpuToolchain,
    confinement: Confinement,
    texts: Mapping[str, str],
    folder: Path,
    target: GpuTarget,
    others: Sequence[str] = (),
    *,
    cubin: bool = False,
) -> NativeBuild:
    """`texts`: SOURCE, `others` and those BESIDE it, and what they include, by plain names. `folder`: an empty one, where the program comes
    to lie. `cubin`: in place of a program that of SOURCE's kernels and variables, which IMAGE describes.
    """
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    tries: list[NativeBuild] = []
    ways = [(toolchain.plain, PROGRAM_STANDARDS[0]), *((toolchain, standard) for standard in PROGRAM_STANDARDS)]
    for compiler, standard in ways:
        built = _built(compiler, confinement, folder, target, standard, None if cubin else others)
        if built.program is not None:
            if cubin:
                image = {
                    "cubin": CUBIN,
                    "functions": _names(built.program, "STT_FUNC", "STT_OBJECT"),
                    "kernel": "",
                    "ask_launch": "",
                }
                (folder / IMAGE).write_text(json.dumps(image), encoding="utf-8")
            return built
        tries.append(built)
        if not re.search(r"\berror\b", built.log):
            break
    return tries[min(1, len(tries) - 1)]  # that of nvcc's default standard


def _built(
    toolchain: GpuToolchain,
    confinement: Confinement,
    folder: Path,
    target: GpuTarget,
    standard: str,
    others: Sequence[str] | None,
) -> NativeBuild:
    if others is None:
        command = [*toolchain.compile(SOURCE, CUBIN, target.capability, target.max_registers, standard), "-I."]
    else:
        command = toolchain.link([SOURCE, *others, *BESIDE], PROGRAM, target.capability, standard)
    finished, output, log = _nvcc(toolchain, confinement, folder, command)
    program = folder / (CUBIN if others is None else PROGRAM)
    if finished.returncode == 0 and program.is_file() and not program.is_symlink():
        return NativeBuild(program, log)
    if limit := used_up(finished, NVCC_LIMITS, output):
        return NativeBuild(log=log, trouble=f"nvcc needed more than {limit}")
    said = telling_line(output).strip()[:300] or "it gives no reason"
    return NativeBuild(log=log, trouble=f"nvcc does not compile the file: {said}")


# How much of a GPU's memory a program takes whatever it computes: its variables, and the local memory of all threads that the GPU
# runs at once, which the driver sets aside for a kernel's first launch.
#
# One submission that takes most of it would leave none for what runs beside it.

_SHARE = 0.5  # of a GPU's memory that one submission may take in this way


def variable_bytes(cubin: Path) -> int:
    """Of all `__device__` variables in the cubin. 0 where it cannot be read."""
    try:
        return sum(one.size for one in ElfFile(cubin).sections if one.name.startswith(".nv.global"))
    except (ELFError, struct.error, ValueError, IndexError, OSError):
        return 0


def too_much_memory(
    variables: int, resources: KernelResources | None, capability: int, multiprocessors: int, memory_bytes: int
) -> str:
    """Why a GPU does not run the program; empty: it does. `capability`: 90 for 9.0."""
    stack = resources.stack_bytes if resources else 0
    local = stack * resident_threads(capability) * multiprocessors
    if local + variables <= _SHARE * memory_bytes:
        return ""
    share = f"{(local + variables) / (1 << 30):.1f} GiB, more than half of the GPU's memory"
    if local > variables:
        return f"a thread has {stack:,} bytes of local memory; for all threads that the GPU runs at once, these are {share}"
    return f"the file's __device__ variables take {share}"


# Reads nvcc's output: errors in the submission become refusals, and ptxas describes each kernel. Pure.
#
# A submission can make the compiler print any text. So the numbers are only shown to people, and decide nothing.

MAX_ERRORS = 3
# A line that tells why there is no cubin, where no error names a place: "nvcc error : 'ptxas' died due to signal 11".
_TELLING = re.compile(
    r"^(?!\s|Remark|.*\bwarning\b).*(?:\b(?:error|fatal)\b|died due to|Killed|not found).*$", re.MULTILINE
)
_HOST_FUNCTION = re.compile(
    r'calling a (?:constexpr )?__host__ function\("([^"]+)"\) from a __(?:global|device)__ function'
)
# On which side, the host's or the device's, a function or a variable is: of the code that follows such a call, nvcc makes nothing.
_SIDES = re.compile(r" is undefined in device code$|^calling a (?:constexpr )?__host__ function\b.* is not allowed")
_PTXAS = re.compile(r"^ptxas (?:error|fatal) *: *(.*)$", re.MULTILINE)
# What ptxas says of the machine, and not of the code that it was given.
_OF_THE_MACHINE = re.compile(
    r"(?i)memory allocation failure|out of memory|no space left|(?:could not|cannot|unable to) (?:open|create|write|close)|internal error"
)
_ENTRY = re.compile(r"^ptxas info *: Compiling entry function '(\w+)' for 'sm_\w+'$", re.MULTILINE)
_STACK = re.compile(r"^ +(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads$", re.MULTILINE)
_USED = re.compile(r"^ptxas info *: Used (\d+) registers(.*)$", re.MULTILINE)
_SHARED = re.compile(r"(\d+) bytes smem")
_SCRATCH = re.compile(r" ?(?<!\S)\S*/tmpxft_\S*(?: line \d+;)?")
_TOO_MUCH_SHARED = re.compile(r"Entry function '(\w+)' uses too much shared data")


def telling_line(log: str) -> str:
    """The line that says why nvcc failed; else the first that is no warning; empty where there is none. No file of nvcc's own is named."""
    if match := _TELLING.search(log):
        return _SCRATCH.sub("", match[0])
    lines = (line for line in log.splitlines() if line.strip() and not re.search(r"\bwarning\b|^\s|^Remark", line))
    return _SCRATCH.sub("", next(lines, ""))


def kernel_resources(log: str) -> dict[str, KernelResources]:
    """The resources of each kernel, by its mangled name."""
    found = {}
    for match in _ENTRY.finditer(log):
        after = log[match.end() :]
        end = _ENTRY.search(after)
        part = after[: end.start()] if end else after
        stack, used = _STACK.search(part), _USED.search(part)
        if stack is None or used is None:
            continue
        shared = _SHARED.search(used[2])
        spills = (int(stack[1]), int(stack[2]), int(stack[3]))
        found[match[1]] = KernelResources(int(used[1]), int(shared[1]) if shared else 0, *spills)
    return found


def needs_too_much_shared(log: str) -> tuple[str, ...]:
    """The kernels that ptxas refuses for it, by their mangled names; none if it complains of anything else. The CPU executor refuses
    their launches as well, with a better message.
    """
    said = [_TOO_MUCH_SHARED.search(one) for one in _PTXAS.findall(log)]
    if not all(said) or any(one.severity == "error" for one in messages(log)):
        return ()
    return tuple(one[1] for one in said if one)


def only_sides(log: str, names: Collection[str]) -> str:
    """What nvcc says of the side on which something in these files is, where it refuses nothing else: an error or a warning. Or empty."""
    said = [one for one in messages(log) if one.severity in {"error", "warning"}]
    if _PTXAS.search(log) or any(one.severity == "error" and not _SIDES.search(one.text) for one in said):
        return ""
    return next((one.text for one in said if one.file in names and _SIDES.search(one.text)), "")


def nvcc_refusals(
    log: str, file_name: str, tail_name: str, *, kernel: str, launch: str | None, source: str = ""
) -> tuple[Refusal, ...]:
    """Why there is no cubin. Empty where the log does not mention the submission: then the fault is ours. `source`: the submission's text.

    `tail_name`: the generated file that includes the submission. Errors in it are about the two entry points.
    """
    from grader.source.error_report import COMPILER_SAYS, mistakes  # noqa: PLC0415 -- most files compile

    code = StudentCode(source)
    errors = [one for one in messages(log, code.lines) if one.severity == "error"]
    if own := [one for one in errors if one.file == file_name]:
        plain = [_refusal(one.line, one.text) for one in own]
        told = mistakes(own, code, MAX_ERRORS) if source and not any(one.advice for one in plain) else []
        if told and not told[0].message.startswith(COMPILER_SAYS):
            errors_told = compile_errors_of(told)
            return tuple(replace(one, message=one.message.replace(COMPILER_SAYS, "nvcc says")) for one in errors_told)
        return tuple(dict.fromkeys(plain))[:MAX_ERRORS]
    if in_tail := [one.text for one in errors if one.file == tail_name]:
        return _of_entry_points(in_tail, kernel, launch)
    own_words = [message for message in _PTXAS.findall(log) if not _OF_THE_MACHINE.search(message)]
    unresolved = [f"The GPU's assembler says: {message}" for message in own_words]
    return tuple(Refusal(Verdict.COMPILE_ERROR, 0, message) for message in dict.fromkeys(unresolved))[:MAX_ERRORS]


def _refusal(line: int, message: str) -> Refusal:
    advice = ""
    if match := _HOST_FUNCTION.search(message):
        advice = f"`{match[1]}` runs on the CPU only. A kernel can call functions that are `__device__` or in CUDA's headers."
    return Refusal(Verdict.COMPILE_ERROR, line, f"nvcc says: {message}", advice)


def _of_entry_points(messages: list[str], kernel: str, launch: str | None) -> tuple[Refusal, ...]:
    launch_name = (launch or "").partition("(")[0]
    if launch_name and any(_HOST_FUNCTION.search(one) and launch_name in one for one in messages):
        text = f"`{launch_name}` runs on the CPU only: nvcc does not let the GPU call it."
        advice = f"Declare it `__host__ __device__ LaunchConfig {launch}`."
        return (Refusal(Verdict.COMPILE_ERROR, 0, text, advice),)
    missing = launch_name if launch_name and launch_name in messages[0] else kernel.partition("(")[0]
    wanted = launch if missing == launch_name else kernel
    text = f"There is no `{missing}` with the parameters that the lab asks for: expected `{wanted}`. nvcc says: {messages[0]}"
    return (Refusal(Verdict.MISSING_ENTRY_POINT, 0, text, "Use this name and these parameters, in this order."),)
