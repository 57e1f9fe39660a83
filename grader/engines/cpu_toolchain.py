"""The host compiler as the CPU executor needs it: its flags, each for a reason, and the precompiled prelude."""

from __future__ import annotations

import functools
import hashlib
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

# Learnt by experiment; docs/how-the-cpu-executor-works.md says what goes wrong without each.
LANGUAGE = (
    "-std=c++20",
    "-fno-exceptions",
    "-fno-rtti",
    "-fno-threadsafe-statics",
    "-ftemplate-depth=256",
    "-fconstexpr-ops-limit=4000000",
    "-fsigned-char",  # a GPU's char has a sign; ARM's has none
    "-ffp-contract=off",  # no multiply-add is fused on one machine and not on another
)
INSTRUMENTATION = (
    "-O0",  # optimisation merges accesses: a[i] * a[i] would be one read
    "-g",
    "-fsanitize=thread,bounds,alignment",
    "-fsanitize=integer-divide-by-zero",  # of processors, some answer 0 without a signal
    "-fsanitize-coverage=trace-pc",  # for (;;); makes no memory access: the budget counts edges too
    "--param",
    "tsan-distinguish-volatile=1",
    "-fno-elide-constructors",  # else an aggregate that passes through a call is announced by nobody
    "-fno-extern-tls-init",  # else extern __shared__ calls an initialiser that does not exist
    "-ftrivial-auto-var-init=pattern",  # a forgotten `float acc;` is visibly wrong
    "-fno-omit-frame-pointer",
    "-fno-optimize-sibling-calls",
    "-fno-jump-tables",  # a jump through a register would look like a call through a pointer
    "-fstack-clash-protection",  # a large frame touches the guard page instead of stepping over it
    "-fno-stack-protector",
    "-fno-asynchronous-unwind-tables",
    "-ffunction-sections",  # what the kernel reaches is read off the sections' relocations
    "-fdata-sections",  # and which variables, so that host code's own are told from a kernel's
    "-fno-gnu-unique",
    "-fno-pic",
    "-fno-pie",
)
# What only one kind of processor knows.
MACHINE = {
    "x86_64": ("-fcf-protection=none",),
    "aarch64": (
        "-mbranch-protection=none",  # signed return addresses are no addresses
        "-mno-outline-atomics",  # atomics would be calls to functions that announce nothing
        "--param",
        "stack-clash-protection-guard-size=12",  # log2: by default GCC counts on 64 KiB of guard, and ours is a page
    ),
}
WARNINGS = (
    "-Wall",
    "-Wno-unknown-pragmas",
    "-Wno-sign-compare",
    "-Werror=vla",
    "-fdiagnostics-color=never",
    "-fmax-errors=20",
    "-ftabstop=1",
)


@dataclass(frozen=True)
class CpuToolchain:
    compiler: str
    includes: tuple[Path, ...]  # of device headers
    archives: tuple[Path, ...]  # what a runner links besides the submission
    prelude: Path  # force-included; precompiled beside it

    @property
    def flags(self) -> tuple[str, ...]:
        machine = MACHINE.get(target_of(self.compiler), ())
        return (*LANGUAGE, *INSTRUMENTATION, *machine, *WARNINGS, *(f"-I{path}" for path in self.includes))

    @property
    def objcopy(self) -> str:
        """The one for the compiler's target, which need not be this machine."""
        return _ask(self.compiler, "-print-prog-name=objcopy") or "objcopy"

    def preprocess(self, source: str, output: str) -> list[str]:
        """Expands macros; the prelude stays one precompiled line."""
        return [
            self.compiler,
            "-x",
            "c++",
            *self.flags,
            "-include",
            str(self.prelude),
            "-E",
            "-fpch-preprocess",
            source,
            "-o",
            output,
        ]

    def compile(self, preprocessed: str, output: str) -> list[str]:
        """Compiles exactly the text that was scanned; the assembly stays beside the object."""
        return [
            self.compiler,
            "-x",
            "c++-cpp-output",
            *self.flags,
            "-fpreprocessed",
            "-save-temps=obj",
            "-fdump-tree-gimple-lineno=submission.gimple",  # the compiler's reading of it: see gimple_scan
            "-c",
            preprocessed,
            "-o",
            output,
        ]

    def link(self, objects: list[str], roots: list[str], output: str) -> list[str]:
        """Static TLS offsets (2.6 times faster than dynamic ones) need a program at a fixed address."""
        keep = [f"-Wl,--undefined={root}" for root in roots]
        return [
            self.compiler, "-no-pie", *_linker(self.compiler), "-Wl,--gc-sections", "-Wl,-z,noexecstack", *keep, *objects,
            *map(str, self.archives), "-o", output,
        ]  # fmt: skip


@functools.cache
def _linker(compiler: str) -> tuple[str, ...]:
    """Gold, where the compiler finds it, links a runner in less than half of the usual linker's time."""
    return ("-fuse-ld=gold",) if shutil.which(_ask(compiler, "-print-prog-name=ld.gold")) else ()


def target_of(compiler: str) -> str:
    """The processor it compiles for: "x86_64", "aarch64"."""
    return _ask(compiler, "-dumpmachine").partition("-")[0]


@functools.cache
def _ask(compiler: str, question: str) -> str:
    return subprocess.run([compiler, question], check=False, capture_output=True, text=True).stdout.strip()


def prepare(compiler: str, includes: list[Path], archives: list[Path], cache: Path) -> CpuToolchain:
    """Makes the precompiled prelude where it is missing or older than what it was made from. Raises OSError or
    subprocess.CalledProcessError when the kit itself does not compile: ours to mend.
    """
    draft = CpuToolchain(compiler, tuple(includes), tuple(archives), cache / "prelude.hpp")
    key = hashlib.sha256(" ".join(draft.flags).encode())
    key.update(subprocess.run([compiler, "--version"], check=True, capture_output=True).stdout)
    for include in includes:
        for header in sorted(path for path in include.rglob("*") if path.is_file()):
            key.update(header.read_bytes())
    folder = cache / key.hexdigest()[:16]
    toolchain = CpuToolchain(compiler, tuple(includes), tuple(archives), folder / "prelude.hpp")
    if not (folder / "prelude.hpp.gch").is_file():
        folder.mkdir(parents=True, exist_ok=True)
        _precompile(toolchain)
    return toolchain


def _precompile(toolchain: CpuToolchain) -> None:
    """Both files appear whole or not at all, whoever else is at it: several commands may start at once."""
    folder, name = toolchain.prelude.parent, toolchain.prelude.name
    with tempfile.TemporaryDirectory(prefix=".making-", dir=folder) as unfinished:
        header, precompiled = Path(unfinished, name), Path(unfinished, f"{name}.gch")
        header.write_text("#include <tilelab/device.cuh>\n", encoding="utf-8")
        header.replace(toolchain.prelude)
        subprocess.run(
            [toolchain.compiler, "-x", "c++-header", *toolchain.flags, str(toolchain.prelude), "-o", str(precompiled)],
            check=True,
            capture_output=True,
        )
        precompiled.replace(folder / precompiled.name)
