"""The compiler for host code: the commands that turn a program's own text into a program, and the prelude. Device code is compiled by
`engines/cpu`. The compiler is the kit's own, because it links the kit's library.
"""

from __future__ import annotations

import hashlib
import re
import subprocess
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from grader.engines import backend, cpu_toolchain
from grader.engines.cpu_toolchain import CompilerHome, home_of
from grader.engines.toolset import Toolset
from grader.model.errors import RemediableError
from grader.run.kernels.kernel_source import forwarded_headers
from grader.system.confined_run import run_confined
from grader.system.confinement import Confinement, Limits
from grader.system.own_files import write_atomically

PRELUDE = "host_prelude.hpp"
# CUDA's runtime API, as nvcc has it in every file. Its three words stay in the preprocessed text, for host_text.py.
_PRELUDE_TEXT = "#include <cuda_on_host.hpp>\n" + "".join(
    f"#undef __{word}__\n#define __{word}__ __tilelab_{word}__\n" for word in ("global", "device", "host")
)
# The first that takes a program is its own. nvcc's default comes first: C++20 refuses a few programs that C++17 takes.
STANDARDS = ("gnu++17", "gnu++20")
# As nvcc's -std takes them. The kit's headers need C++17, which takes nearly all that older standards take.
NAMED_STANDARDS = {
    "": STANDARDS,
    **dict.fromkeys(("c++03", "c++11", "c++14", "c++17"), STANDARDS[:1]),
    "c++20": STANDARDS[1:],
}
_LANGUAGE = (
    "-fconcepts",  # the kit's device headers use them
    "-Wno-register",
    "-fpermissive",
    "-Wno-narrowing",
    "-Wunused-result",  # whose error value nobody looks at: the API is [[nodiscard]]
    "-DTILELAB_HOST_API=1",
    "-fsigned-char",
    "-ffp-contract=off",
    "-fdiagnostics-color=never",
    "-fmax-errors=20",
    "-ftabstop=1",
)
_CODE = (
    "-O1",
    "-g",
    "-fsanitize=bounds",  # told by kit/host/library/fault_watch.cpp
    "-fno-pic",
    "-fno-pie",
    "-fno-ipa-icf",  # two kernels' stubs are the same code, and still two kernels
    "-fno-optimize-sibling-calls",  # a call's return address says which line made it
    "-fno-gnu-unique",
    "-ffunction-sections",  # what only kernels call goes at link
    "-fdata-sections",
)


@dataclass(frozen=True)
class HostToolchain:
    compiler: str
    includes: tuple[Path, ...]
    archive: Path
    prelude: Path
    standard: str = STANDARDS[0]

    @property
    def home(self) -> CompilerHome:
        return home_of(self.compiler)

    @cached_property
    def version(self) -> str:
        """`g++ 12.2.0`."""
        said = subprocess.run([self.compiler, "-dumpfullversion"], check=False, capture_output=True, text=True)
        return f"{Path(self.compiler).name} {said.stdout.strip()}".strip()

    @property
    def readable(self) -> list[Path]:
        return [*self.includes, self.archive, self.prelude.parent, *self.home.places]

    def has(self, header: str) -> bool:
        """Whether the kit has a header of this name."""
        return any((folder / header).is_file() for folder in self.includes)

    def preprocess(
        self, source: str, output: str, options: list[str], before: str = "", *, plain: bool = False
    ) -> list[str]:
        """`options`: -D and the like. `before`: a file that is included before the source. `plain`: C++ that knows nothing of CUDA."""
        included = [*([] if plain else ["-include", str(self.prelude)]), *(["-include", before] if before else [])]
        flags = [*self._flags(options), *included]
        return [self.compiler, "-x", "c++", *flags, "-E", "-fpch-preprocess", source, "-o", output]

    def precompile(self, output: Path) -> list[str]:
        return [self.compiler, "-x", "c++-header", *self._flags([]), str(self.prelude), "-o", str(output)]

    def compile(self, text: str, output: str, options: list[str]) -> list[str]:
        flags = [*self._flags(options), "-fpreprocessed"]
        return [self.compiler, "-x", "c++-cpp-output", *flags, "-c", text, "-o", output]

    def link(self, objects: list[str], output: str, options: list[str]) -> list[str]:
        """What is not defined anywhere is a warning of the linker's: `host_build.py` makes a sentence of it."""
        return [
            self.compiler, "-no-pie", *self.home.link_flags, "-Wl,--gc-sections", "-Wl,--warn-unresolved-symbols",
            "-Wl,-z,noexecstack", *objects, str(self.archive), *options, "-lpthread", "-lm", "-o", output,
        ]  # fmt: skip

    def _flags(self, options: list[str]) -> list[str]:
        return [f"-std={self.standard}", *_LANGUAGE, *_CODE, *(f"-I{path}" for path in self.includes), *options]


def host_toolchain(toolset: Toolset, standard: str = STANDARDS[0]) -> HostToolchain:
    """Makes the prelude where it is missing. Raises RemediableError where the kit's library was not built."""
    kit = toolset.root / "kit"
    includes = (kit / "host", kit / "host" / "headers", kit / "executor" / "device", kit / "include")
    archive = backend.part(toolset.root, "tilelab_host", "lib/libtilelab_host.a")
    compiler = toolset.toolchain.linker or toolset.toolchain.compiler
    key = hashlib.sha256(" ".join([compiler, standard, *STANDARDS, *_LANGUAGE, *_CODE, _PRELUDE_TEXT]).encode())
    key.update(subprocess.run([compiler, "--version"], check=True, capture_output=True).stdout)
    for header in sorted(path for include in includes for path in include.rglob("*") if path.is_file()):
        key.update(header.read_bytes())
    prelude = toolset.build / "prelude" / f"host-{key.hexdigest()[:16]}" / PRELUDE
    forwarded = write_forwarded_headers(prelude.parent / "headers")
    places = (*(path for path in includes if path.is_dir()), forwarded)
    draft = HostToolchain(compiler, places, archive, prelude, standard)
    recipes = {f"{PRELUDE}.gch": lambda result: [draft.precompile(result)]}
    try:
        cpu_toolchain.keep(prelude.parent, {PRELUDE: _PRELUDE_TEXT}, recipes)
    except subprocess.CalledProcessError as error:
        output = error.stderr.decode("utf-8", "replace") if error.stderr else ""
        message = f"The compiler {compiler} cannot build the kit's host headers: {error}\n{output}"
        raise RemediableError(message) from error
    return draft


def write_forwarded_headers(folder: Path) -> Path:
    """Makes those that are missing or damaged."""
    for name, header in forwarded_headers().items():
        path, text = folder / name, f'#include "{header}"\n' if header else ""
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            write_atomically(path, text)
    return folder


# Which line of the user's own files made a call: from return addresses and the program's debug information. binutils read the program,
# confined, because a program may be hostile to whoever reads it.

_LIMITS = Limits(
    "build", cpu_seconds=30, wall_seconds=60, memory_bytes=2 << 30, processes=16, file_bytes=64 << 20, open_files=64
)
_MOST = 4096  # addresses
_ADDRESS = re.compile(r"0x[0-9a-f]+")
_LINE = re.compile(r"(?P<file>.+?):(?P<line>\d+)(?: \(discriminator \d+\))?")


@dataclass(frozen=True)
class SourceLine:
    file: str
    line: int


def places_of(
    toolchain: HostToolchain, confinement: Confinement, program: Path, addresses: Collection[int], own: Collection[str]
) -> dict[int, SourceLine]:
    """`own`: names of the user's files; a call from a header of the kit counts for the line that it was inlined into."""
    asked = sorted(addresses)[:_MOST]
    if not asked:
        return {}
    command = ["addr2line", "-a", "-i", "-e", str(program)]
    said = _asked(toolchain, confinement, command, program.parent, (f"{address - 1:#x}" for address in asked))
    found: dict[int, SourceLine] = {}
    at = 0
    for line in said:  # an address, and then the lines of its inlined calls, the innermost first
        match = _LINE.fullmatch(line)
        if _ADDRESS.fullmatch(line):
            at = int(line, 16) + 1
        elif at and match and int(match["line"]) and (file := match["file"].rpartition("/")[2]) in own:
            found.setdefault(at, SourceLine(file, int(match["line"])))
    return found


def demangled(toolchain: HostToolchain, confinement: Confinement, symbols: Sequence[str], folder: Path) -> list[str]:
    """What c++filt makes of each; the symbols themselves where it fails."""
    names = _asked(toolchain, confinement, ["c++filt"], folder, symbols)
    return names if len(names) == len(symbols) else list(symbols)


def _asked(
    toolchain: HostToolchain, confinement: Confinement, command: list[str], folder: Path, words: Iterable[str]
) -> list[str]:
    """The lines with which a program of binutils answers these words."""
    argv, said = [*toolchain.home.before, *command], "".join(f"{one}\n" for one in words).encode()
    finished = run_confined(confinement, argv, readable=[folder], limits=_LIMITS, cwd=folder, stdin=said)
    return finished.stdout.decode("utf-8", "replace").splitlines()
