"""The host compiler as the CPU executor needs it: the commands that turn a text into a runner, and the prelude.

GCC or Clang; what each is told is in `gcc_flags.py` and `clang_flags.py`.
"""

from __future__ import annotations

import functools
import hashlib
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from grader.engines.cpu import clang_flags, gcc_flags

PLAIN = "plain.ll"  # beside Clang's prelude: its dump of a function that has no attributes
DUMP = {"gcc": "submission.gimple", "clang": "submission.ll"}  # the compiler's own reading of the text


@dataclass(frozen=True)
class CpuToolchain:
    compiler: str
    includes: tuple[Path, ...]  # of device headers
    archives: tuple[Path, ...]  # what a runner links besides the submission
    prelude: Path  # force-included; for GCC precompiled beside it

    @property
    def is_clang(self) -> bool:
        return is_clang(self.compiler)

    @property
    def flags(self) -> tuple[str, ...]:
        told = clang_flags if self.is_clang else gcc_flags
        machine = told.MACHINE.get(target_of(self.compiler), ())
        includes = (f"-I{path}" for path in self.includes)
        return (*told.LANGUAGE, *told.INSTRUMENTATION, *machine, *told.WARNINGS, *includes)

    @property
    def dump(self) -> str:
        """The file that holds the compiler's own reading of what it compiled."""
        return DUMP["clang" if self.is_clang else "gcc"]

    @property
    def objcopy(self) -> str:
        """The one for the compiler's target, which need not be this machine."""
        return _ask(self.compiler, "-print-prog-name=objcopy") or "objcopy"

    def preprocess(self, source: str, output: str) -> list[str]:
        """Expands macros. For GCC the prelude stays one precompiled line; Clang has it before the submission as text,
        as it would expand macros of a precompiled one a second time.
        """
        whole = [] if self.is_clang else ["-fpch-preprocess"]
        return [
            self.compiler, "-x", "c++", *self.flags, "-include", str(self.prelude), "-E", *whole, source, "-o", output,
        ]  # fmt: skip

    def behind_prelude(self, preprocessed: str, source: str) -> str:
        """What the submission adds to the prelude: from the marker on with which the compiler comes back from it."""
        marker = f'\n# 1 "{source}" 2\n'
        at = preprocessed.find(marker) if self.is_clang else -1
        return preprocessed if at < 0 else preprocessed[at + 1 :]

    def compile(self, preprocessed: str, output: str) -> list[list[str]]:
        """Compiles exactly the text that was scanned; the assembly and the compiler's dump stay beside the object.
        The dump is complete after the first command; where there are more, they compile the dump.
        """
        if not self.is_clang:
            return [
                [
                    self.compiler, "-x", "c++-cpp-output", *self.flags, "-fpreprocessed", "-save-temps=obj",
                    f"-fdump-tree-gimple-lineno={self.dump}", "-c", preprocessed, "-o", output,
                ]
            ]  # fmt: skip
        assembly = f"{output.removesuffix('.o')}.s"
        return [
            self._parse(preprocessed, self.dump),
            [self.compiler, "-x", "ir", *self.flags, "-w", "-S", self.dump, "-o", assembly],
            [self.compiler, "-x", "assembler", "-c", assembly, "-o", output],
        ]

    def _parse(self, source: str, output: str) -> list[str]:
        """Clang's dump, without what its passes add: the sanitizer's calls come in the next step."""
        return [
            self.compiler, "-x", "c++-cpp-output", *self.flags, "-S", "-emit-llvm", "-Xclang", "-disable-llvm-passes",
            source, "-o", output,
        ]  # fmt: skip

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


def is_clang(compiler: str) -> bool:
    return "clang" in _ask(compiler, "--version").partition("\n")[0].lower()


@functools.cache
def _ask(compiler: str, question: str) -> str:
    return subprocess.run([compiler, question], check=False, capture_output=True, text=True).stdout.strip()


def prepare(compiler: str, includes: list[Path], archives: list[Path], cache: Path) -> CpuToolchain:
    """Makes the prelude where it is missing or older than what it was made from. Raises OSError or
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
    made = PLAIN if toolchain.is_clang else "prelude.hpp.gch"
    if not (folder / made).is_file():
        folder.mkdir(parents=True, exist_ok=True)
        _make(toolchain, made)
    return toolchain


def _make(toolchain: CpuToolchain, made: str) -> None:
    """The header, and for GCC that header precompiled, for Clang its dump of a function that has no attributes.
    Both files appear whole or not at all, whoever else is at it: several commands may start at once.
    """
    folder, name = toolchain.prelude.parent, toolchain.prelude.name
    with tempfile.TemporaryDirectory(prefix=".making-", dir=folder) as unfinished:
        header, result = Path(unfinished, name), Path(unfinished, made)
        header.write_text("#include <tilelab/device.cuh>\n", encoding="utf-8")
        header.replace(toolchain.prelude)
        if toolchain.is_clang:
            plain, text = Path(unfinished, "plain.cpp"), Path(unfinished, "plain.ii")
            plain.write_text("void plain() {}\n", encoding="utf-8")
            commands = [toolchain.preprocess(str(plain), str(text)), toolchain._parse(str(text), str(result))]  # noqa: SLF001 - its own file
        else:
            commands = [
                [toolchain.compiler, "-x", "c++-header", *toolchain.flags, str(toolchain.prelude), "-o", str(result)]
            ]
        for command in commands:
            subprocess.run(command, check=True, capture_output=True)
        result.replace(folder / result.name)
