"""The host compiler for the CPU executor, GCC or Clang: the commands that turn a text into a runner, and the prelude.

The flags of each are in `gcc_flags.py` and `clang_flags.py`.
"""

from __future__ import annotations

import functools
import hashlib
import shutil
import subprocess
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from grader.engines.cpu import clang_flags, gcc_flags, prelude_files
from grader.engines.cpu.compiler_home import CompilerHome, home_of

PLAIN = "plain.ll"  # beside Clang's prelude: the dump of a function without attributes
PRELUDE = "prelude.hpp"
TELLING_PRELUDE = (
    "telling_prelude.hpp"  # the same text; GCC reads a precompiled one only with the flags that it was made with
)
USUAL_ARCH = 900
DECIDED = ("-fdirectives-only", "-dI")  # for compiler_view.py
DUMP = {"gcc": "submission.gimple", "clang": "submission.ll"}  # the compiler's dump of the text


@dataclass(frozen=True)
class CpuToolchain:
    compiler: str
    includes: tuple[Path, ...]  # of device headers
    archives: tuple[Path, ...]  # linked into a runner besides the submission
    prelude: Path  # the header that is force-included; for GCC, it is also precompiled beside this file
    cuda_arch: int = USUAL_ARCH  # the value of __CUDA_ARCH__: the one nvcc has where the submission is graded
    linker: str = ""  # the compiler that links: the kit's, where it is another one; "": the same

    @property
    def is_clang(self) -> bool:
        return is_clang(self.compiler)

    @property
    def home(self) -> CompilerHome:
        """What of its compilers lies where a sandbox shows nothing by itself."""
        homes = [home_of(one) for one in (self.compiler, self.linker) if one]
        places = dict.fromkeys(place for home in homes for place in home.places)
        return CompilerHome(tuple(places), tuple(dict.fromkeys(one for home in homes for one in home.libraries)))

    @property
    def flags(self) -> tuple[str, ...]:
        told = clang_flags if self.is_clang else gcc_flags
        machine = told.MACHINE.get(target_of(self.compiler), ())
        includes = (*self._arch, *(f"-I{path}" for path in self.includes))
        return (*told.LANGUAGE, *told.INSTRUMENTATION, *machine, *told.WARNINGS, *includes)

    @property
    def _arch(self) -> tuple[str, str]:
        return f"-D__CUDA_ARCH__={self.cuda_arch}", f"-D__CUDA_ARCH_LIST__={self.cuda_arch}"

    @property
    def telling_flags(self) -> tuple[str, ...]:
        """With these the compiler warns most, and its code is not run."""
        told = clang_flags if self.is_clang else gcc_flags
        includes = (*self._arch, *(f"-I{path}" for path in self.includes))
        return (*told.LANGUAGE, *told.WARNINGS, *told.TELLING, *includes, "-O1")

    @property
    def dump(self) -> str:
        """The name of the file with the compiler's dump."""
        return DUMP["clang" if self.is_clang else "gcc"]

    @property
    def objcopy(self) -> str:
        """The objcopy for the compiler's target, which may be another machine."""
        return _ask(self.compiler, "-print-prog-name=objcopy") or "objcopy"

    def preprocess(self, source: str, output: str) -> list[str]:
        """Expands macros. For GCC, the prelude stays one line, which includes it precompiled. For Clang, it is text before the submission,
        because Clang would expand macros of a precompiled prelude a second time.
        """
        whole = [] if self.is_clang else ["-fpch-preprocess"]
        return [
            self.compiler, "-x", "c++", *self.flags, "-include", str(self.prelude), "-E", *whole, source, "-o", output,
        ]  # fmt: skip

    def decide(self, source: str, output: str, gcc: str) -> list[str]:
        """Decides conditions, as `preprocess` does, and leaves macros as they are written. Clang cannot: then `gcc` does it."""
        told = replace(self, compiler=gcc) if self.is_clang else self
        return [
            told.compiler, "-x", "c++", *told.flags, "-include", str(self.prelude), "-E", *DECIDED, source, "-o", output,
        ]  # fmt: skip

    def after_prelude(self, preprocessed: str, source: str) -> str:
        """The preprocessed text after the prelude. It begins at the line marker with which the compiler returns from the prelude."""
        marker = f'\n# 1 "{source}" 2\n'
        at = preprocessed.find(marker) if self.is_clang else -1
        return preprocessed if at < 0 else preprocessed[at + 1 :]

    def has_prelude(self, preprocessed: str) -> bool:
        """Whether the compiler took the prelude as it should: GCC precompiled, so that nothing of it is read as the submission's."""
        words = f'"{self.prelude}"' if self.is_clang else f'#pragma GCC pch_preprocess "{self.prelude}.gch"'
        return words in preprocessed

    def compile(self, preprocessed: str, output: str) -> list[list[str]]:
        """Compiles exactly the text that was scanned. The assembly and the compiler's dump stay beside the object.
        The dump is complete after the first command. Where there are more commands, they compile the dump.
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
            self.assemble(assembly, output),
        ]

    def warn(self, source: str, output: str) -> list[str]:
        """Compiles the source as it is, for its warnings alone: a value that is used unset shows only where the code is optimised."""
        prelude = str(self.prelude.with_name(TELLING_PRELUDE))
        return [self.compiler, "-x", "c++", *self.telling_flags, "-include", prelude, "-c", source, "-o", output]

    def assemble(self, assembly: str, output: str) -> list[str]:
        return [self.compiler, "-x", "assembler", "-c", assembly, "-o", output]

    def precompiled(self, header: str, flags: tuple[str, ...], result: Path) -> list[list[str]]:
        """What makes GCC's precompiled form of a header beside the prelude."""
        return [[self.compiler, "-x", "c++-header", *flags, str(self.prelude.with_name(header)), "-o", str(result)]]

    def plain_dump(self, result: Path) -> list[list[str]]:
        """What makes Clang's dump of a function without attributes."""
        source, text = result.with_name("plain.cpp"), result.with_name("plain.ii")
        source.write_text("void plain() {}\n", encoding="utf-8")
        return [self.preprocess(str(source), str(text)), self._parse(str(text), str(result))]

    def _parse(self, source: str, output: str) -> list[str]:
        """Makes Clang's dump before its passes run. The next step adds the sanitizer's calls."""
        return [
            self.compiler, "-x", "c++-cpp-output", *self.flags, "-S", "-emit-llvm", "-Xclang", "-disable-llvm-passes",
            source, "-o", output,
        ]  # fmt: skip

    def link(self, objects: list[str], roots: list[str], output: str) -> list[str]:
        """Links at a fixed address. Static TLS offsets need that, and are 2.6 times faster than dynamic ones."""
        keep = [f"-Wl,--undefined={root}" for root in roots]
        linker = self.linker or self.compiler
        return [
            linker, "-no-pie", *_linker(linker), *home_of(linker).link_flags, "-Wl,--gc-sections", "-Wl,-z,noexecstack",
            "-Wl,-z,relro,-z,now",  # what the loader has filled in cannot be written any more
            "-Wl,--build-id=none",  # nobody asks for it, and it is a hash of the whole runner
            *keep, *objects, *map(str, self.archives), "-o", output,
        ]  # fmt: skip


@functools.cache
def _linker(compiler: str) -> tuple[str, ...]:
    """Chooses gold where the compiler finds it. Gold links a runner in less than half of the usual linker's time."""
    return ("-fuse-ld=gold",) if shutil.which(_ask(compiler, "-print-prog-name=ld.gold")) else ()


def target_of(compiler: str) -> str:
    """The processor that the compiler compiles for: "x86_64", "aarch64"."""
    return _ask(compiler, "-dumpmachine").partition("-")[0]


def is_clang(compiler: str) -> bool:
    return "clang" in _ask(compiler, "--version").partition("\n")[0].lower()


@functools.cache
def _ask(compiler: str, question: str) -> str:
    return subprocess.run([compiler, question], check=False, capture_output=True, text=True).stdout.strip()


def prepare(
    compiler: str, includes: list[Path], archives: list[Path], cache: Path, cuda_arch: int = USUAL_ARCH
) -> CpuToolchain:
    """Makes the prelude where it is missing or damaged, or was made from other headers or by another compiler. Raises OSError or
    subprocess.CalledProcessError where the kit itself does not compile, which is a fault of ours.
    """
    draft = CpuToolchain(compiler, tuple(includes), tuple(archives), cache / PRELUDE, cuda_arch)
    key = hashlib.sha256(" ".join([*draft.flags, *draft.telling_flags]).encode())
    key.update(subprocess.run([compiler, "--version"], check=True, capture_output=True).stdout)
    for include in includes:
        for header in sorted(path for path in include.rglob("*") if path.is_file()):
            key.update(header.read_bytes())
    toolchain = replace(draft, prelude=cache / key.hexdigest()[:16] / PRELUDE)
    prelude_files.keep(toolchain.prelude.parent, (PRELUDE, TELLING_PRELUDE), _recipes(toolchain))
    return toolchain


def _recipes(toolchain: CpuToolchain) -> dict[str, prelude_files.Recipe]:
    """For GCC, both headers precompiled; for Clang, the dump of a function without attributes."""
    if toolchain.is_clang:
        return {PLAIN: toolchain.plain_dump}
    flags = {PRELUDE: toolchain.flags, TELLING_PRELUDE: toolchain.telling_flags}
    return {f"{header}.gch": partial(toolchain.precompiled, header, flags[header]) for header in flags}
