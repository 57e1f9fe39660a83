"""NVIDIA's compiler for the GPU executor: where it is, and its flags with reasons."""

from __future__ import annotations

import functools
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from grader.model.outcome import Sanitized, Tool
from grader.model.verdicts import Verdict

FLAGS = (
    "-cubin",  # device code only: no host code of a submission is ever linked or run
    "-lineinfo",  # profilers can then name lines
    "--expt-relaxed-constexpr",  # std::min and the like in device code; the CPU executor allows them too
    "-Xptxas=-v",  # registers, shared memory and spills, for the report
)
# Of a whole program: the first that takes it, as in host_toolchain.py. C++17 is nvcc's default.
PROGRAM_STANDARDS = ("c++17", "c++20")
_PROGRAM_FLAGS = ("-lineinfo", "--expt-relaxed-constexpr", "-cudart=static")
# Lambdas for the device. For them CUDA's headers include <functional>, which takes nvcc as long as all the rest of a lab's file: a file is
# first compiled without, and again with them where it does not compile.
_LAMBDAS = "--expt-extended-lambda"
OLDEST = (12, 0)
# Tried where the kit's own compiler is too new for the toolkit, as GCC 14 is for CUDA 12.4. Debian 13 has both.
OLDER_COMPILERS = ("g++-14", "g++-13", "g++-12", "g++-11")


@dataclass(frozen=True)
class GpuTarget:
    """What the cubin is compiled for, and which device runs it."""

    capability: int  # 90 for 9.0
    device: int = 0  # the driver's number
    driver: str = ""  # the path of libcuda; empty: the usual name
    max_registers: int | None = None  # of a thread, so that the kernel can be launched with its block
    # Whether nvcc takes lambdas for the device; None: where the file does not compile without. With others than those for which the file
    # was compared with the CPU executor's program, it may be another program.
    lambdas: bool | None = None


@dataclass(frozen=True)
class GpuToolchain:
    """`root` holds bin/nvcc and all programs that it starts."""

    root: Path
    version: tuple[int, int]
    host_compiler: str
    includes: tuple[Path, ...]  # the folders of the kit's public headers
    lambdas: bool = True  # for the device

    @property
    def plain(self) -> GpuToolchain:
        return replace(self, lambdas=False)

    @property
    def _lambdas(self) -> list[str]:
        return [_LAMBDAS] if self.lambdas else []

    @property
    def nvcc(self) -> Path:
        return self.root / "bin" / "nvcc"

    @property
    def name(self) -> str:
        return f"nvcc {self.version[0]}.{self.version[1]}"

    def compile(
        self, source: str, output: str, capability: int, max_registers: int | None = None, standard: str = "c++20"
    ) -> list[str]:
        """Compiles a file in the working directory for one compute capability: 90 for 9.0."""
        bound = [] if max_registers is None else [f"-maxrregcount={max_registers}"]
        return [
            str(self.nvcc), f"-std={standard}", *FLAGS, *self._lambdas, f"-arch=sm_{capability}", *bound, f"-ccbin={self.host_compiler}",
            "-allow-unsupported-compiler",  # the host compiler only preprocesses, so a newer GCC than nvcc knows works too
            *(f"-I{path}" for path in self.includes), source, "-o", output,
        ]  # fmt: skip

    def link(self, sources: Sequence[str], program: str, capability: int, standard: str) -> list[str]:
        """Compiles files with host code in the working directory to a whole program, which finds CUDA's runtime in itself. Libraries that
        it loads find its functions before those of other libraries. It begins in __wrap_main, which one of the files has.
        """
        return [
            str(self.nvcc), f"-std={standard}", *_PROGRAM_FLAGS, *self._lambdas, f"-arch=sm_{capability}", f"-ccbin={self.host_compiler}",
            "-allow-unsupported-compiler", "-I.", *sources, "-Xlinker", "--export-dynamic,--wrap=main", "-o", program,
        ]  # fmt: skip

    def with_host_compilers(self) -> Iterator[GpuToolchain]:
        """The toolchain itself, then the same with each older host compiler that is installed."""
        yield self
        own = Path(shutil.which(self.host_compiler) or self.host_compiler).resolve()
        for name in OLDER_COMPILERS:
            if (found := shutil.which(name)) and Path(found).resolve() != own:
                yield replace(self, host_compiler=found)


def cublas_of(toolchain: GpuToolchain | None) -> Path | None:
    """The path of NVIDIA's matrix library: in the toolkit, or beside it as in PyPI's wheels. None where there is none."""
    if toolchain is None:
        return None
    name = f"libcublas.so.{toolchain.version[0]}"
    folders = [toolchain.root / part for part in ("lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib")]
    return next(((one / name).resolve() for one in folders if (one / name).is_file()), None)


@dataclass(frozen=True)
class NoToolchain:
    reason: str


def find_toolchain(
    root: Path, host_compiler: str, includes: tuple[Path, ...], environment: Mapping[str, str] | None = None
) -> GpuToolchain | NoToolchain:
    """The first toolkit that works: that of CUDA_HOME, the one on the path, the system's, or the one that set-up fetched for this clone."""
    reasons = []
    for candidate in _candidates(root, os.environ if environment is None else environment):
        version = _version(candidate / "bin" / "nvcc")
        if version is None:
            reasons.append(f"{candidate}/bin/nvcc does not run")
        elif version < OLDEST:
            reasons.append(f"{candidate} is CUDA {version[0]}.{version[1]}, and 12.0 or newer is needed")
        else:
            return GpuToolchain(candidate.resolve(), version, host_compiler, includes)
    none = "there is no nvcc: install NVIDIA's CUDA toolkit, or name one with CUDA_HOME"
    return NoToolchain("; ".join(reasons) or none)


def _candidates(root: Path, environment: Mapping[str, str]) -> Iterator[Path]:
    homes = [Path(environment[name]) for name in ("CUDA_HOME", "CUDA_PATH") if environment.get(name)]
    if on_path := shutil.which("nvcc", path=environment.get("PATH")):
        homes.append(Path(on_path).resolve().parent.parent)
    systems = sorted(Path("/usr/local").glob("cuda-*"), reverse=True)
    homes += [Path("/usr/local/cuda"), *systems, root / ".tilelab" / "cuda"]
    # Debian's package: its nvcc on the path is a script, and a sandbox should not show all of /usr.
    homes = [Path("/usr/lib/nvidia-cuda-toolkit") if home == Path("/usr") else home for home in homes]
    for home in dict.fromkeys(homes):
        if (home / "bin" / "nvcc").is_file():
            yield home


def _version(nvcc: Path) -> tuple[int, int] | None:
    try:
        output = subprocess.run([nvcc, "--version"], capture_output=True, text=True, check=True, timeout=60).stdout
    except (OSError, subprocess.SubprocessError):
        return None
    match = re.search(r"release (\d+)\.(\d+)", output)
    return (int(match[1]), int(match[2])) if match else None


# How nvcc preprocesses a file for the device: the host compiler's command line, taken from what `nvcc --dryrun` says it would run.
#
# That is a tool's text. Where it holds no such command, nothing is taken to be one.

_SOURCE, _SECONDS = "submission.cu", 60


class StrangeToolkit(Exception):  # noqa: N818 -- a finding, not an error
    """nvcc does not say how it preprocesses."""


def device_preprocessing(
    toolchain: GpuToolchain, capability: int, source: str, output: str, options: tuple[str, ...] = ()
) -> list[str]:
    """The command with `options` more, for a file in the working directory. Raises StrangeToolkit."""
    command = list(_command(toolchain, capability))
    at = command.index(_SOURCE)
    return [*command[:at], *options, source, "-o", output]


@functools.cache
def _command(toolchain: GpuToolchain, capability: int) -> tuple[str, ...]:
    """Up to the name of the source."""
    asked = [*toolchain.compile(_SOURCE, "submission.cubin", capability), "--dryrun"]
    try:
        said = subprocess.run(asked, capture_output=True, text=True, check=True, timeout=_SECONDS).stderr
        commands = [shlex.split(line.removeprefix("#$ ")) for line in said.splitlines() if " -E " in line]
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        raise StrangeToolkit(f"{toolchain.nvcc} --dryrun does not work: {error}") from error
    wanted = f"-D__CUDA_ARCH__={10 * capability}"
    for command in commands:
        if wanted in command and command.count(_SOURCE) == 1 and command[-3:-1] == [_SOURCE, "-o"]:
            return tuple(command[:-2])
    raise StrangeToolkit(f"{toolchain.nvcc} --dryrun names no command that preprocesses for sm_{capability}")


# NVIDIA's compute-sanitizer: where it is, how it is started, and what its reports say. Reports are not trusted: they contain names
# that come from a submission.

TOOLS: tuple[Tool, ...] = ("memcheck", "racecheck", "initcheck", "synccheck")
LOG = "sanitizer-%p.log"  # %p: the process id
_USUAL = (
    "--report-api-errors=no",  # the runner finds out how many parameters a kernel has by asking until the driver returns an error
    "--print-limit=200",  # a race is reported once for each pair of lines, a wrong read once for each thread
)
# Otherwise the next buffer follows directly, and an overrun would hit it.
_OPTIONS: dict[Tool, tuple[str, ...]] = {"memcheck": ("--padding=4096",)}
# First lines of a report, each with the verdict for this mistake. A line that matches none does not begin a report.
_KINDS: tuple[tuple[re.Pattern[str], Verdict], ...] = (
    (re.compile(r"Invalid __(?:global|shared|local)__ (?:read|write|atomic)"), Verdict.OUT_OF_BOUNDS),
    (re.compile(r"(?:Error|Warning|Info): Race reported between"), Verdict.RACE),
    (re.compile(r"(?:Error|Warning): (?:Potential )?(?:RAW|WAR|WAW) hazard"), Verdict.RACE),
    (re.compile(r"Uninitialized __(?:global|shared|local)__ (?:memory )?read"), Verdict.UNINITIALIZED_READ),
    (re.compile(r"Barrier error detected"), Verdict.BARRIER_DIVERGENCE),
)
_PLACE = re.compile(r" in (?:[^\s:]*/)?([^\s:/]+):(\d+)")
_PREFIX = "========="
_LONGEST = 200  # characters of a report's first line that are kept


def find_sanitizer(toolchain: GpuToolchain | None) -> Path | None:
    """The toolkit's compute-sanitizer, else the one on the path. None where there is none."""
    if toolchain is None:
        return None
    own = [toolchain.root / "bin" / "compute-sanitizer", toolchain.root / "compute-sanitizer" / "compute-sanitizer"]
    on_path = shutil.which("compute-sanitizer")
    return next((one for one in [*own, *([Path(on_path)] if on_path else [])] if one.is_file()), None)


def sanitizer_command(program: Path, tool: Tool, folder: Path, argv: list[str]) -> list[str]:
    """The command that runs `argv` under the tool. Each process writes its report into `folder`."""
    return [str(program), f"--tool={tool}", *_USUAL, *_OPTIONS.get(tool, ()), f"--log-file={folder / LOG}", *argv]


def reports(text: str, tool: Tool, file: str, source: Sequence[str]) -> Iterator[Sanitized]:
    """What a log reports about the file `file`, whose lines are `source`. Line numbers past its end are ignored."""
    for block in _blocks(text):
        kind = next((verdict for pattern, verdict in _KINDS if pattern.search(block[0])), None)
        if kind is None:
            continue
        if kind is Verdict.OUT_OF_BOUNDS and any("is misaligned" in line for line in block):
            kind = Verdict.MISALIGNED
        named = [int(found[2]) for line in block for found in _PLACE.finditer(line) if found[1] == file]
        lines = tuple(dict.fromkeys(one for one in named if 0 < one <= len(source)))
        first = lines[0] if lines else None
        yield Sanitized(tool, kind, first, block[0][:_LONGEST], lines, source[first - 1] if first else "")


def _blocks(text: str) -> Iterator[list[str]]:
    """The reports, as paragraphs of lines that the tool itself wrote. A report begins after an empty line, or with a known first line."""
    block: list[str] = []
    for line in text.splitlines():
        if not line.startswith(_PREFIX):
            continue
        text = line.removeprefix(_PREFIX)
        begins = any(pattern.search(text) for pattern, _ in _KINDS)
        if block and (begins or not text.strip()):
            yield block
            block = []
        if text.strip():
            block.append(text.strip())
    if block:
        yield block
