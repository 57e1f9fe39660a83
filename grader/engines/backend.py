"""Which executors there are on this machine: what TILELAB_BACKEND asks for, the toolkit, the GPU. Opened once per command.

`cpu` uses nothing of NVIDIA's. `auto` uses whatever works. `cuda` demands a GPU that works. Where something does not work, the
reason is kept: `tilelab doctor` prints it, and so does the line that says why speed was not measured.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any, Literal

from grader.engines.cpu_toolchain import ask, is_clang, target_of
from grader.engines.gpu_toolchain import GpuTarget, GpuToolchain, NoToolchain, find_toolchain
from grader.model.errors import RemediableError
from grader.system.confined_run import run_confined
from grader.system.confinement import Confinement, Limits, gpu_devices
from grader.system.gpu_lock import AloneTurns, DeviceLoad

# Parts of the kit that are built when a command first needs them: a lab's tests, what times kernels, and the like.
#
# In a handout, set-up leaves them out, so that a student's first `make test` does not wait for what others need. kit.json says which
# these are; `build/parts/` has a file for each that is complete. Everywhere else set-up builds everything, and nothing happens here.

_ONE_AT_A_TIME = Lock()


class PartError(RemediableError):
    """A part of the kit is not there and could not be built."""


def kit_facts(root: Path) -> dict[str, Any]:
    """kit.json, with its paths below `root`: the folder may have been moved or copied since it was built. Raises OSError or ValueError."""
    text = (root / "build" / "kit.json").read_text(encoding="utf-8")
    notes = (root / "build" / name for name in (".at", ".root"))
    built = next((Path(one.read_text(encoding="utf-8").strip()) for one in notes if one.is_file()), root)
    if not (built.is_dir() and built.samefile(root)):
        before, after = (json.dumps(str(one), ensure_ascii=False)[:-1] for one in (built, root.absolute()))
        text = text.replace(f"{before}/", f"{after}/")
    kit: dict[str, Any] = json.loads(text)
    return kit


def left_out(root: Path) -> frozenset[str]:
    """The parts that set-up leaves out here. None where kit.json cannot be read: whoever opens the kit says what to do then."""
    try:
        return frozenset(kit_facts(root).get("on_demand", ()))
    except (OSError, ValueError, AttributeError, TypeError):
        return frozenset()


def provide_parts(root: Path, *targets: str) -> None:
    """Builds those that are still to be built, all at once; set-up says which, and shows what goes wrong. Raises PartError."""
    if not missing_parts(root, *targets):
        return
    with _ONE_AT_A_TIME:
        missing = missing_parts(root, *targets)  # another thread may have built them
        if not missing:
            return
        set_up = root / "kit" / "setup" / "setup.sh"
        try:
            # Bash, because an unpacked file may have lost the right to be run.
            command = ["/bin/bash", str(set_up.resolve(strict=True)), "part", *missing]
            done = subprocess.run(command, stdin=subprocess.DEVNULL, check=False)
        except OSError as error:
            raise PartError(f"{set_up} cannot be run ({error}): restore the kit's files") from error
    if done.returncode != 0:
        message = f"{' and '.join(missing)} could not be built; what is wrong stands above. Mend it, then run the same command again."
        raise PartError(message)


def part(root: Path, target: str, file: str) -> Path:
    """The path of a part, `file` below build/, which is built first where need be. Raises PartError."""
    provide_parts(root, target)
    path = root / "build" / file
    if not path.is_file():
        raise PartError(f"{path} is missing: run `make setup` to build it.")
    return path


def missing_parts(root: Path, *targets: str) -> list[str]:
    """Those that are still to be built, in the order in which they are asked for. None where every build has all parts."""
    wanted = [one for one in dict.fromkeys(targets) if not (root / "build" / "parts" / one).is_file()]
    known = left_out(root) if wanted else frozenset()
    return [one for one in wanted if one in known]


# The highest rates that a GPU can reach, computed from its own description. Pure.

# fp32 lanes of a multiprocessor by compute capability, from the "Arithmetic Instructions" table of NVIDIA's CUDA C++ Programming
# Guide. Each lane does one multiplication and one addition in a clock. A newer, unknown capability counts as the newest known.
_FP32_LANES = {75: 64, 80: 64, 86: 128, 87: 128, 89: 128, 90: 128, 100: 128, 103: 128, 120: 128, 121: 128}


@dataclass(frozen=True)
class Peak:
    """The highest rates of a device, per second."""

    flops: float  # fp32, on CUDA cores
    bytes: float  # of device memory


BackendChoice = Literal["cpu", "cuda", "auto"]
VARIABLE = "TILELAB_BACKEND"
OLDEST_CAPABILITY = 75
# The capability to compile for on a machine without a GPU: that of the device which `tilelab run` shows to a program. Toolkits know it
# since CUDA 11.8.
USUAL_CAPABILITY = 90
GPU_RUN_LIMITS = Limits(
    "gpu", cpu_seconds=600, wall_seconds=900, memory_bytes=16 << 30, processes=64, file_bytes=1 << 30, open_files=256
)
_PROBE_SECONDS = 60
# Each process with a context on a GPU takes some hundred megabytes of its memory, even while it only waits.
_CONTEXT_BYTES, _FEWEST_CONTEXTS, _MOST_CONTEXTS = 2 << 30, 2, 16
# A container's runtime or Windows may put the driver's library here and not tell the loader.
_DRIVER_FOLDERS = (Path("/usr/local/nvidia/lib64"), Path("/usr/lib/wsl/lib"))


@dataclass(frozen=True)
class Device:
    """One GPU as its driver describes it."""

    ordinal: int
    name: str
    capability: int  # 90 for 9.0
    multiprocessors: int
    memory_bytes: int
    l2_bytes: int
    driver: int  # the newest CUDA that it supports: 13000 for 13.0
    library: str = ""  # the path of libcuda; empty: unknown
    uuid: str = ""  # 32 hexadecimal digits, the same for every process of this machine
    clock_rate_khz: int = 0  # at most; 0, here and below: the driver does not say
    memory_clock_rate_khz: int = 0
    memory_bus_bits: int = 0

    @property
    def target(self) -> GpuTarget:
        return GpuTarget(self.capability, self.ordinal, self.library)

    @property
    def folders(self) -> list[Path]:
        """The driver's folders that a sandbox has to make readable."""
        return [Path(self.library).parent] if self.library else []

    @property
    def lock_name(self) -> str:
        return self.uuid or str(self.ordinal)

    @property
    def most_contexts(self) -> int:
        """How many processes may have a context on it at the same time. Only one of them is timed at a time."""
        return min(_MOST_CONTEXTS, max(_FEWEST_CONTEXTS, self.memory_bytes // _CONTEXT_BYTES))

    @property
    def peak(self) -> Peak | None:
        """None where the driver does not say the clocks of the device or of its memory."""
        if min(self.multiprocessors, self.clock_rate_khz, self.memory_clock_rate_khz, self.memory_bus_bits) <= 0:
            return None
        lanes = _FP32_LANES.get(self.capability, max(_FP32_LANES.values()))
        transfers = 2  # per clock: double data rate
        return Peak(
            flops=2.0 * lanes * self.multiprocessors * self.clock_rate_khz * 1e3,
            bytes=transfers * self.memory_clock_rate_khz * 1e3 * self.memory_bus_bits / 8,
        )

    def __str__(self) -> str:
        major, minor = divmod(self.capability, 10)
        return f"{self.name} (compute capability {major}.{minor}, driver for CUDA {self.driver // 1000}.{self.driver % 1000 // 10})"


@dataclass(frozen=True)
class GpuBackend:
    """`toolchain` and `device` are None where they are missing or do not work. Then `reasons` say why."""

    toolchain: GpuToolchain | None = None
    device: Device | None = None
    runner: Path | None = None
    reasons: tuple[str, ...] = ()  # the device's first, then the toolkit's
    sanitizer: Path | None = None  # compute-sanitizer, where the batch asked for it
    others: tuple[Device, ...] = ()  # further GPUs of the same kind, which get a part of the work
    load: DeviceLoad = field(default_factory=DeviceLoad, compare=False)
    # Held while a process has a context: while a submission's cases run, or while it is prepared to be timed.
    turns: threading.BoundedSemaphore = field(
        default_factory=lambda: threading.BoundedSemaphore(_FEWEST_CONTEXTS), compare=False
    )
    alone: AloneTurns = field(default_factory=AloneTurns, compare=False)

    @property
    def devices(self) -> tuple[Device, ...]:
        return (self.device, *self.others) if self.device else ()

    @contextmanager
    def borrowed_device(self) -> Iterator[Device | None]:
        """One of the devices, for one piece of work. None where there is no device."""
        if self.device is None:
            yield None
            return
        with self.load.least(range(len(self.devices))) as chosen:
            yield self.devices[chosen]

    @property
    def runs(self) -> bool:
        return self.toolchain is not None and self.device is not None

    @property
    def target(self) -> GpuTarget:
        return self.device.target if self.device else GpuTarget(USUAL_CAPABILITY)

    @property
    def speed_message(self) -> str:
        """One line for the end of a batch: what speed was measured on, or why it was not."""
        if self.runs:
            several = f", on {len(self.devices)} of them at once" if self.others else ""
            return f"speed was measured on {self.device}{several}"
        return f"speed was not measured: {self.reasons[0]}"  # the device's reason: without a GPU, a missing toolkit does not matter

    @property
    def description(self) -> str:
        """What the outcomes depend on: with another GPU or toolkit, everything is judged again."""
        watched = "; under compute-sanitizer" if self.sanitizer else ""
        return f"{self.toolchain.name if self.toolchain else 'no nvcc'}; {self.device or 'no GPU'}{watched}"


def backend_choice(environment: Mapping[str, str] | None = None) -> BackendChoice:
    """The value of TILELAB_BACKEND. Raises RemediableError where it is none of the three."""
    value = (os.environ if environment is None else environment).get(VARIABLE, "").strip() or "auto"
    match value:
        case "cpu" | "cuda" | "auto":
            return value
    raise RemediableError(f"{VARIABLE} is {value!r}, but it must be cpu, cuda or auto.")


def open_backend(asked: BackendChoice, root: Path, kit: dict[str, Any], confinement: Confinement) -> GpuBackend:
    """What works here; each part is tried. Raises RemediableError where a GPU was asked for and cannot be used."""
    if asked == "cpu":
        return GpuBackend(reasons=(f"{VARIABLE}=cpu",))
    runner = root / "build" / "bin" / "gpu-runner"
    devices, reasons = _devices(root, runner)
    device = devices[0] if devices else None
    includes = tuple(Path(path).resolve() for path in kit["includes"])
    toolchain: GpuToolchain | NoToolchain = find_toolchain(root, kit["compiler"], includes)
    target = device.target if device else GpuTarget(USUAL_CAPABILITY)
    if isinstance(toolchain, GpuToolchain):
        toolchain = _working_toolchain(toolchain, confinement, target, root / "build" / "prelude")
    if isinstance(toolchain, NoToolchain):
        reasons.append(toolchain.reason)
    elif device is not None and (trouble := _confined_trouble(runner, device, confinement)):
        reasons.append(trouble)
        device = None
    if asked == "cuda" and reasons:
        raise RemediableError(f"{VARIABLE}=cuda, but no GPU can be used here: {'; '.join(reasons)}.")
    return GpuBackend(
        toolchain if isinstance(toolchain, GpuToolchain) else None,
        device,
        runner,
        tuple(reasons),
        others=devices[1:] if device else (),
        turns=threading.BoundedSemaphore(sum(one.most_contexts for one in devices) if device else _FEWEST_CONTEXTS),
    )


def _devices(root: Path, runner: Path) -> tuple[tuple[Device, ...], list[str]]:
    """The first GPU and others of the same kind, or reasons. Without a device node, no process is started: that saves time."""
    if not gpu_devices():
        return (), ["there is no NVIDIA GPU, or its driver is not loaded (no /dev/nvidia*)"]
    try:
        provide_parts(root, "gpu-runner")
    except PartError as error:
        return (), [str(error)]
    library = next((str(one / "libcuda.so.1") for one in _DRIVER_FOLDERS if (one / "libcuda.so.1").exists()), "")
    troubles = []
    for path in dict.fromkeys(("", library)):
        found = _probe([str(runner), "--probe", *([path] if path else [])])
        if not found.get("devices"):
            troubles.append(str(found.get("trouble", "the driver shows no GPU")))
            continue
        where = str(found.get("library") or path)
        devices = [_described(i, one, found["driver"], where) for i, one in enumerate(found["devices"])]
        if devices[0].capability < OLDEST_CAPABILITY:
            return (), [f"{devices[0]} is too old: compute capability 7.5 or newer is needed"]
        return tuple(one for one in devices if str(one) == str(devices[0])), []
    return (), troubles[:1]


def _described(ordinal: int, properties: dict[str, Any], driver: int, library: str) -> Device:
    fields = {one.name for one in dataclasses.fields(Device)} & properties.keys()
    ours = {"ordinal": ordinal, "driver": driver, "library": library}
    return Device(**{key: properties[key] for key in fields} | ours)


def _probe(argv: list[str]) -> dict[str, Any]:
    try:
        answer = json.loads(subprocess.run(argv, capture_output=True, timeout=_PROBE_SECONDS, check=False).stdout)
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        return {"trouble": f"the kit's GPU runner does not work: {error}"}
    return answer if isinstance(answer, dict) else {}


def _working_toolchain(
    toolchain: GpuToolchain, confinement: Confinement, target: GpuTarget, cache: Path
) -> GpuToolchain | NoToolchain:
    """The toolchain with the first host compiler that nvcc works with. A reason is about the first one, the kit's own compiler."""
    from grader.engines.gpu_build import PROBE_KERNEL, trouble_compiling  # noqa: PLC0415 -- most machines have no nvcc

    def record(candidate: GpuToolchain) -> Path:
        facts = (candidate.compile("", "", target.capability), confinement.name, candidate.version, PROBE_KERNEL)
        return cache / f"nvcc-{hashlib.sha256(repr(facts).encode()).hexdigest()[:16]}"

    candidates = list(toolchain.with_host_compilers())
    # A success is recorded in a file, so that no later command has to try again.
    if known := next((one for one in candidates if record(one).exists()), None):
        return known
    troubles = []
    for candidate in candidates:
        trouble = trouble_compiling(candidate, confinement, target)
        if not trouble:
            cache.mkdir(parents=True, exist_ok=True)
            record(candidate).touch()
            return candidate
        troubles.append(trouble)
    return NoToolchain(f"{toolchain.nvcc} cannot compile a kernel here: {troubles[0]}")


def _confined_trouble(runner: Path, device: Device, confinement: Confinement) -> str:
    """Why a confined program cannot use the GPU that an unconfined one sees. Empty: it can."""
    argv, readable = [str(runner), "--try", *filter(None, [device.library])], [runner, *device.folders]
    finished = run_confined(confinement, argv, readable=readable, limits=GPU_RUN_LIMITS, cwd=Path("/"))
    try:
        found = json.loads(finished.stdout)
    except ValueError:
        found = {"trouble": finished.stderr.decode("utf-8", "replace").strip() or f"status {finished.returncode}"}
    return "" if found.get("usable") else f"the GPU cannot be used inside the sandbox: {found.get('trouble')}"


# Which host compiler builds submissions, GCC or Clang: the one that TILELAB_COMPILER names. Without that variable it is the
# compiler that built the kit, and where that is no longer installed, a Clang that is.

COMPILER_VARIABLE = "TILELAB_COMPILER"
OLDEST = {"GCC": 12, "Clang": 14}
TRIED = "GCC 12 to 16 and Clang 14 to 19"  # the versions that .ci/toolchains was run with
_NEWEST_CLANG = 22  # the newest version that is looked for by its numbered name


@dataclass(frozen=True)
class CompilerChoice:
    compiler: str
    version: str  # one line, as the compiler prints it
    why: str
    linker: str = ""  # the compiler that links instead: an older one than the kit's lacks functions that the kit needs

    def __str__(self) -> str:
        return f"{self.version} ({self.why})"


def choose_compiler(of_kit: str, environment: Mapping[str, str] = os.environ) -> CompilerChoice:
    """`of_kit`: the compiler that built the kit. Raises RemediableError where the compiler is missing or cannot be used."""
    asked = environment.get(COMPILER_VARIABLE, "").strip()
    found = shutil.which(asked or of_kit)
    why = f"{COMPILER_VARIABLE}={asked}" if asked else "what the kit was built with"
    numbered = [f"-{number}" for number in range(_NEWEST_CLANG, OLDEST["Clang"] - 1, -1)]
    any_clang = (shutil.which(f"clang++{number}") for number in ("", *numbered))
    if found is None and not asked and (found := next(filter(None, any_clang), None)):
        why = f"{of_kit} is not on this machine"
    if found is None:
        remedy = "install it, or leave the variable unset" if asked else "run `make setup`"
        message = f"{f'{COMPILER_VARIABLE}={asked}' if asked else of_kit}: there is no such program on this machine: {remedy}."
        raise RemediableError(message)
    version, number = _version(found)
    kind = "Clang" if is_clang(found) else "GCC"
    if number < OLDEST[kind]:
        message = f"{found} is {version}: submissions need GCC {OLDEST['GCC']} or Clang {OLDEST['Clang']}, or newer."
        raise RemediableError(message)
    if kind == "Clang" and target_of(found) != "x86_64":
        message = f"{found} compiles for {target_of(found)}, where submissions need GCC. Unset {COMPILER_VARIABLE} or set CXX."
        raise RemediableError(message)
    return CompilerChoice(found, version, why, _linker(of_kit, version))


def _linker(of_kit: str, version: str) -> str:
    """The kit's own compiler where it is there and is another one."""
    own = shutil.which(of_kit)
    try:
        return own if own and _version(own)[0] != version else ""
    except RemediableError:
        return ""


def _version(compiler: str) -> tuple[str, int]:
    """The first line that it prints, and the major version."""
    said, number = ask(compiler, "--version"), re.match(r"\d+", ask(compiler, "-dumpversion"))
    if not said:
        raise RemediableError(f"{compiler} does not say its version: is it a compiler?")
    return said.partition("\n")[0], int(number[0]) if number else 0
