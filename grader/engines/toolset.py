"""The course's tools, opened once per command: the built kit, the compiler, the sandbox and the GPU."""

from __future__ import annotations

import hashlib
import re
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

from grader.engines import backend as kit_parts
from grader.engines.backend import BackendChoice, GpuBackend, choose_compiler, kit_facts, open_backend
from grader.engines.cpu_toolchain import CpuToolchain, prepare, programs_of
from grader.model.errors import RemediableError
from grader.model.labs import DESCRIBED_JUDGE, Lab
from grader.system.confined_run import detect
from grader.system.confinement import Confinement, SandboxUnavailable
from grader.system.worker_processes import WorkerProcesses

if TYPE_CHECKING:
    from grader.engines.cpu_build import CpuBuild
    from grader.engines.entry_points import EntrySignatures


class _Kit(BaseModel):
    """What CMake writes about the kit that it built."""

    model_config = ConfigDict(strict=True)
    compiler: str
    archives: list[str]
    includes: list[str]


@dataclass(frozen=True)
class Toolset:
    root: Path  # the course
    build: Path  # CMake's build folder
    toolchain: CpuToolchain
    compiler_version: str  # one line
    confinement: Confinement
    gpu: GpuBackend = field(default_factory=GpuBackend)
    workers: WorkerProcesses = field(default_factory=WorkerProcesses, compare=False)  # by itself none

    @classmethod
    def open(cls, root: Path, *, allow_no_sandbox: bool, backend: BackendChoice = "cpu") -> Toolset:
        """`backend`: which executors are used besides the CPU executor.

        Raises RemediableError where set-up has not run, or nothing can confine a submission.
        """
        build = root / "build"
        description = build / "kit.json"
        try:
            kit = kit_facts(root)
            _Kit.model_validate(kit)
            archives = [Path(path) for path in kit["archives"]]
            absent = [path for path in [*archives, build / "bin" / "confine"] if not path.exists()]
        except (OSError, ValueError) as error:
            raise RemediableError(f"{description} cannot be read ({error}): run `make setup` first.") from error
        if absent:
            raise RemediableError(f"{absent[0]} is missing: run `make setup` to build it.")
        includes = [*(Path(path) for path in kit["includes"]), root / "kit" / "executor" / "device"]
        unique = list(dict.fromkeys(path.resolve() for path in includes))
        prefix = root / ".tilelab" / "prefix"
        choice = choose_compiler(kit["compiler"])
        try:
            confinement = detect(
                build / "bin" / "confine", prefix if prefix.is_dir() else None, allow_none=allow_no_sandbox
            )
            gpu = open_backend(backend, root, kit, confinement)
            toolchain = prepare(choice.compiler, unique, archives, build / "prelude", 10 * gpu.target.capability)
            toolchain = replace(toolchain, linker=choice.linker)
        except SandboxUnavailable as error:
            raise RemediableError(str(error)) from error
        except (OSError, subprocess.CalledProcessError) as error:
            said: bytes = getattr(error, "stderr", None) or b""
            message = f"The compiler {choice.compiler} cannot build the kit's device headers: {error}\n{said.decode('utf-8', 'replace')}"
            raise RemediableError(message) from error
        return cls(root, build, toolchain, choice.version, confinement, gpu)

    def without_gpu(self) -> Toolset:
        """The same with the CPU executor alone, and no nvcc."""
        return replace(self, gpu=GpuBackend())

    def __reduce__(self) -> tuple[type[Toolset], tuple[object, ...]]:
        """Another process gets the CPU executor alone: the GPU's locks, and further processes, are this one's."""
        return Toolset, (self.root, self.build, self.toolchain, self.compiler_version, self.confinement)

    def for_lab(self, lab: Lab) -> Toolset:
        """The same, which refuses in a file what this lab does not allow."""
        return replace(self, toolchain=replace(self.toolchain, allows_cub="cub" in lab.public.libraries))

    def working_with(self, workers: WorkerProcesses) -> Toolset:
        return replace(self, workers=workers)

    def cpu_build(
        self,
        source: Path,
        folder: Path,
        entries: EntrySignatures,
        *,
        scanned: bool = True,
        definitions: Sequence[str] = (),
    ) -> CpuBuild:
        """As `build_for_cpu`, in another process where there are such."""
        from grader.engines.cpu_build import build_for_cpu  # noqa: PLC0415 -- most commands build nothing

        tools = (self.toolchain, self.confinement)
        return self.workers.run(
            build_for_cpu, *tools, source, folder, entries, scanned=scanned, definitions=tuple(definitions)
        )

    def judge_program(self, lab_id: str, *, public_only: bool) -> Path:
        """`lab_id`: `judge_name` of a lab. Raises RemediableError where its judge was not built, or a source was changed after that."""
        name = judge_called(lab_id, public_only=public_only)
        kit_parts.provide_parts(self.root, name)
        program = self.build / "bin" / name
        try:
            built = program.stat().st_mtime_ns
        except OSError as error:
            raise RemediableError(f"{program} is missing: run `make setup` to build it.") from error
        for source in self._judge_sources(lab_id, public_only=public_only):
            if source.stat().st_mtime_ns > built:
                message = f"{source} was changed after {program} was built: run `make setup` to build it again."
                raise RemediableError(message)
        return program

    def part(self, name: str) -> Path:
        """A program of the kit, which is built first where no command has needed it yet. Raises RemediableError."""
        return kit_parts.part(self.root, name, f"bin/{name}")

    def provide(self, labs: Sequence[Lab], *, public_only: bool) -> None:
        """Builds, all at once, what the judging of these labs needs and no command has needed yet. Raises RemediableError."""
        kit_parts.provide_parts(self.root, *_parts_for(labs, public_only=public_only))

    def has_parts_for(self, lab: Lab, *, public_only: bool) -> bool:
        """Whether `provide` would build nothing for this lab."""
        return not kit_parts.missing_parts(self.root, *_parts_for([lab], public_only=public_only))

    def _judge_sources(self, lab_id: str, *, public_only: bool) -> Iterator[Path]:
        """The sources that authors of labs change. Other changes of the kit are noticed when `make` builds it."""
        tests = [self.root / "assignments" / lab_id / "public_tests.cpp"]
        tests += [] if public_only else [self.root / "solutions" / lab_id / "hidden_tests.cpp"]
        for folder in ("judge", "problems"):
            tests += sorted((self.root / "kit" / folder).rglob("*.[ch]pp"))
        return (path for path in tests if path.is_file())

    def compiling_for(self, cuda_arch: int) -> Toolset:
        """The same with this value of __CUDA_ARCH__, whatever GPU the machine has. Its prelude is made where it is missing."""
        old = self.toolchain
        if old.cuda_arch == cuda_arch:
            return self
        made = prepare(old.compiler, list(old.includes), list(old.archives), self.build / "prelude", cuda_arch)
        return replace(self, toolchain=replace(made, linker=old.linker))

    @property
    def compiler_programs(self) -> list[Path]:
        """The files that compile, assemble and link: with another one of them, a runner may come out otherwise."""
        compilers = [one for one in (self.toolchain.compiler, self.toolchain.linker) if one]
        return list(dict.fromkeys(path for one in compilers for path in programs_of(one)))

    def fingerprint(self) -> str:
        """A digest that changes when the kit, the toolchain (its path and its programs) or the confinement changes."""
        digest = hashlib.sha256()
        runner = [self.gpu.runner] if self.gpu.runs and self.gpu.runner else []
        programs = self.compiler_programs
        for path in [*self.toolchain.archives, self.build / "bin" / "confine", *runner, *programs]:
            with path.open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
        compiler = (self.compiler_version, self.toolchain.compiler, *map(str, programs), *self.toolchain.flags)
        for text in (*compiler, self.confinement.name, self.toolchain.prelude.parent.name):
            digest.update(text.encode() + b"\0")
        return digest.hexdigest()


def _parts_for(labs: Sequence[Lab], *, public_only: bool) -> list[str]:
    """What a handout may have left out and the judging of these labs needs."""
    host = ("broker", "tilelab_host") if any(lab.public.starts_itself for lab in labs) else ()
    return list(dict.fromkeys([*(judge_called(lab.judge_name, public_only=public_only) for lab in labs), *host]))


def judge_called(lab_id: str, *, public_only: bool) -> str:
    return f"judge-{lab_id}{'-public' if public_only and lab_id != DESCRIBED_JUDGE else ''}"


# What to do about a machine that cannot grade, told by what failed. Pure: a table of what programs say when something is amiss.

_MEMORY = (
    "Most often that is memory that ran out: give this machine more, end what else runs on it, or grade fewer at once with "
    "`--jobs 1`; then grade again."
)
_BUILD_ANEW = "A file of the kit is damaged or missing: run `make clean` and `make setup`, then grade again."
_TABLE = (
    (
        r"No space left on device|Disk quota exceeded|Errno 28",
        "A disk is full: make room where temporary files go (TMPDIR names another folder for them) and where OUT lies; then grade again.",
    ),
    (
        r"Read-only file system|No usable temporary directory|Errno 30|Permission denied: '.*/(?:tilelab|control)-",
        "Temporary files cannot be written: name a folder for them with TMPDIR; then grade again.",
    ),
    (r"Killed|ended from outside|signal 9|status 137|too busy", _MEMORY),
    (r"Cannot allocate memory|memory exhausted|out of memory|bad_alloc|Resource temporarily unavailable", _MEMORY),
    (
        r"bwrap: |confine: cannot|status 125",
        "The sandbox does not start any more: `.venv/bin/tilelab doctor` says what works here.",
    ),
    (
        r"there is no program|may not be executed|cannot execute|status 12[67]|error while loading shared libraries",
        "A program that grading needs cannot be started in the sandbox: TILELAB_COMPILER chooses another compiler.",
    ),
    (r"precompiled header|prelude", "The kit's precompiled header is damaged: grade again, and it is made anew."),
    (r"libtilelab|archive|the linker|the judge of|image|runner ", _BUILD_ANEW),
    (
        r"the compiler",
        "The compiler does not work: try it on a file of your own, or choose another one with TILELAB_COMPILER; then grade again.",
    ),
)
_ELSE = "Look at `.venv/bin/tilelab doctor`; `make clean` and `make setup` build the kit anew."


def remedy_for(said: str) -> str:
    """One sentence, for whatever the words in `said` give away of the cause."""
    return known_remedy_for(said) or _ELSE


def known_remedy_for(said: str) -> str:
    """Empty where they give nothing away."""
    return next((remedy for pattern, remedy in _TABLE if re.search(pattern, said)), "")
