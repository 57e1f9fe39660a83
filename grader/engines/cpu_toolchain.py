"""The host compiler for the CPU executor, GCC or Clang: the commands that turn a text into a runner, and the prelude.

The flags of each are in `gcc_flags.py` and `clang_flags.py`.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from grader.engines import clang_flags, gcc_flags
from grader.model.errors import exclusively
from grader.system.confined_run import Finished, run_confined
from grader.system.confinement import Confinement, Limits, system_folders
from grader.system.own_files import write_atomically

# The headers that stand before every submission, and what a compiler made of them in advance, kept in a folder with their hashes.
#
# A damaged file is made anew: a compiler that reads one says that the submission is wrong.

# The commands that make a file at this place, of which each may leave others beside it.
Recipe = Callable[[Path], list[list[str]]]
# CUDA's device language, as nvcc has it in every file. LaunchConfig is not in it: a submission that does not include the kit's own
# header gets the compiler's error here as it would with nvcc.
_TEXT = "#include <cuda_on_cpu.hpp>\n"
_SUMS = "sha256"  # beside the files: a line for each, as sha256sum writes it
_SEEN, _BOOT, _COARSE_SECONDS = "seen", Path("/proc/sys/kernel/random/boot_id"), 2.0


def keep(folder: Path, headers: Mapping[str, str], made: Mapping[str, Recipe]) -> None:
    """Makes in `folder` what is missing or damaged: `headers` with their texts, and what is `made` of them. Each file appears as a whole or
    not at all, because other commands may read them at the same time; their hashes come last. Raises OSError, or
    subprocess.CalledProcessError where a command fails.
    """
    names = (*headers, *made)
    if _is_whole(folder, names):
        return
    folder.mkdir(parents=True, exist_ok=True)
    with exclusively(folder / ".lock"), tempfile.TemporaryDirectory(prefix=".making-", dir=folder) as unfinished:
        if _is_whole(folder, names):  # several commands may start at once
            return
        for name, text in headers.items():
            Path(unfinished, name).write_text(text, encoding="utf-8")
            Path(unfinished, name).replace(folder / name)
        for name, recipe in made.items():
            for command in recipe(Path(unfinished, name)):
                subprocess.run(command, check=True, capture_output=True)
        for name in made:
            Path(unfinished, name).replace(folder / name)
        Path(unfinished, _SUMS).write_text(_sums(folder, names), encoding="utf-8")
        Path(unfinished, _SUMS).replace(folder / _SUMS)


def _is_whole(folder: Path, names: Sequence[str]) -> bool:
    """The tens of megabytes are read once after a start of the machine, and again where their sizes or times say that they changed."""
    try:
        found = [(folder / name).stat() for name in names]
        stamps = [(one.st_dev, one.st_ino, one.st_size, one.st_mtime_ns, one.st_ctime_ns) for one in found]
        seen = f"{_BOOT.read_text(encoding='utf-8')}{stamps}\n"
        if (folder / _SEEN).is_file() and (folder / _SEEN).read_text(encoding="utf-8") == seen:
            return True
        if (folder / _SUMS).read_text(encoding="utf-8") != _sums(folder, names):
            return False
    except (OSError, ValueError):
        return False
    # Clocks of files are coarse: what was written just now might change once more at the same time.
    if max(one.st_ctime for one in found) < time.time() - _COARSE_SECONDS:
        with suppress(OSError):
            write_atomically(folder / _SEEN, seen)
    return True


def _sums(folder: Path, names: Iterable[str]) -> str:
    lines = []
    for path in (folder / name for name in names):
        with path.open("rb") as file:
            lines.append(f"{hashlib.file_digest(file, 'sha256').hexdigest()}  {path.name}\n")
    return "".join(lines)


# What of a compiler lies where a sandbox shows nothing by itself: under /opt, in a shared folder, behind a wrapper script.
#
# A sandbox shows the system's folders alone. A compiler elsewhere is asked where its parts are, and those are shown too, each folder
# as it is and none above it. Whether that was enough is for the controls to say, which compile with it.

_PROGRAMS = ("cc1plus", "collect2", "as", "ld", "ld.gold", "objcopy", "lto-wrapper")
_SEARCHED = re.compile(r"#include <\.\.\.> search starts here:\n(.*?)\nEnd of search list", re.DOTALL)
_DRIVER = re.compile(r"^(?:COLLECT_GCC=|InstalledDir: )(.+)$", re.MULTILINE)


@dataclass(frozen=True)
class CompilerHome:
    """Empty for a compiler of the system's."""

    places: tuple[Path, ...] = ()  # folders and files that a sandbox has to show
    libraries: tuple[Path, ...] = ()  # where its programs find their own libraries

    @property
    def before(self) -> list[str]:
        """What comes before a command in the sandbox, where the environment is a fixed one."""
        return ["env", f"LD_LIBRARY_PATH={':'.join(map(str, self.libraries))}"] if self.libraries else []

    @property
    def link_flags(self) -> tuple[str, ...]:
        """A runner finds none of this compiler's libraries when it runs."""
        return ("-static-libstdc++", "-static-libgcc") if self.places else ()

    def run(
        self, confinement: Confinement, argv: list[str], readable: Sequence[Path], folder: Path, limits: Limits
    ) -> Finished:
        """Runs a command of this compiler confined in the folder, where alone it may write."""
        argv, shown = [*self.before, *argv], [*readable, *self.places]
        return run_confined(confinement, argv, readable=shown, writable=[folder], limits=limits, cwd=folder)


def home_of(compiler: str) -> CompilerHome:
    """Asks once in a process. Raises nothing: a compiler that does not answer has no home."""
    return _home(compiler, os.environ.get("LD_LIBRARY_PATH", ""))


@cache
def _home(compiler: str, library_path: str) -> CompilerHome:
    driver = shutil.which(compiler)
    if driver is None:
        return CompilerHome()
    part = Path(ask(driver, "-print-prog-name=cc1plus"))
    if not any(map(_is_hidden, (*_chain(Path(driver)), part if part.is_absolute() else Path(driver)))):
        return CompilerHome()
    places = [
        one for one in dict.fromkeys(_parts(driver)) if one.exists() and _is_hidden(one) and not _holds_too_much(one)
    ]
    libraries = [Path(one) for one in library_path.split(":") if one and _is_hidden(Path(one)) and Path(one).is_dir()]
    return CompilerHome(tuple(dict.fromkeys([*places, *libraries])), tuple(libraries))


def programs_of(compiler: str) -> list[Path]:
    """The files that compile, assemble and link: with another one of them, a file may come out otherwise."""
    driver = shutil.which(compiler)
    if driver is None:
        return []
    asked = [shutil.which(ask(driver, f"-print-prog-name={program}")) for program in _PROGRAMS]
    return list(dict.fromkeys(Path(one).resolve() for one in (driver, *asked) if one))


def _parts(driver: str) -> Iterator[Path]:
    yield from _chain(Path(driver))
    _, spoken = _said(driver, "-v", "-E", "-x", "c++", "/dev/null")
    for named in _DRIVER.findall(spoken):
        yield from _chain(Path(shutil.which(named) or named))
    for program in _PROGRAMS:
        found = Path(ask(driver, f"-print-prog-name={program}"))
        if found.is_absolute():
            yield from (found.parent, *_chain(found))
    for listed in _SEARCHED.findall(spoken):
        yield from map(Path, listed.split())
    for word in ask(driver, "-print-search-dirs").splitlines():
        if word.startswith("libraries: ="):
            yield from (Path(os.path.normpath(one)) for one in word.removeprefix("libraries: =").split(":"))
    yield Path(ask(driver, "-print-file-name=include"))


def _chain(path: Path) -> Iterable[Path]:
    """The path and, where it is a link, every place it leads to."""
    while path.is_symlink():
        yield path
        path = Path(os.path.normpath(path.parent / path.readlink()))
    yield path


def _is_hidden(path: Path) -> bool:
    """Whether a sandbox shows nothing of it by itself; it does show what set-up unpacked for this clone."""
    if ".tilelab/prefix/" in f"{path}/":
        return False
    shown = [folder.resolve() for folder in system_folders()]
    return not any(path.resolve().is_relative_to(folder) for folder in shown)


def _holds_too_much(folder: Path) -> bool:
    """The root, somebody's home, or what holds the current folder: solutions and the seed may lie there."""
    kept = (Path("/"), Path.home(), Path.cwd())
    return folder.is_dir() and any(one.resolve().is_relative_to(folder.resolve()) for one in kept)


@cache
def ask(compiler: str, question: str) -> str:
    """Empty where it does not answer."""
    return _said(compiler, question)[0]


def _said(compiler: str, *words: str) -> tuple[str, str]:
    """On its standard output and on its standard error."""
    try:
        done = subprocess.run([compiler, *words], check=False, capture_output=True, text=True, timeout=20)
    except (OSError, subprocess.SubprocessError):
        return "", ""
    return done.stdout.strip(), done.stderr.strip()


PLAIN = "plain.ll"  # beside Clang's prelude: the dump of a function without attributes
PRELUDE = "prelude.hpp"
# The same text: GCC reads a precompiled one only with the flags that it was made with.
TELLING_PRELUDE = "telling_prelude.hpp"
EXPANDED = "expanded.ii"  # the prelude with its macros expanded, for compiler_view.py: rows of functions are macros
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
    allows_cub: bool = True  # false where a lab forbids them

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
        return (*told.LANGUAGE, *told.INSTRUMENTATION, *machine, *told.WARNINGS, *self._reading)

    @property
    def telling_flags(self) -> tuple[str, ...]:
        """With these the compiler warns most, and its code is not run."""
        told = clang_flags if self.is_clang else gcc_flags
        return (*told.LANGUAGE, *told.WARNINGS, *told.TELLING, *self._reading, "-O1")

    @property
    def _reading(self) -> tuple[str, ...]:
        arch = (f"-D__CUDA_ARCH__={self.cuda_arch}", f"-D__CUDA_ARCH_LIST__={self.cuda_arch}")
        return (*arch, *(f"-I{path}" for path in self.includes))

    @property
    def dump(self) -> str:
        return DUMP["clang" if self.is_clang else "gcc"]

    @property
    def objcopy(self) -> str:
        """The objcopy for the compiler's target, which may be another machine."""
        return ask(self.compiler, "-print-prog-name=objcopy") or "objcopy"

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
            dumps = ["-fpreprocessed", "-save-temps=obj", f"-fdump-tree-gimple-lineno={self.dump}"]
            return [[self.compiler, "-x", "c++-cpp-output", *self.flags, *dumps, "-c", preprocessed, "-o", output]]
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

    def recipes(self) -> dict[str, Recipe]:
        """The prelude expanded; for GCC, both headers precompiled; for Clang, the dump of a function without attributes. A message that
        lists functions of the kit's names their rows, and not the macros that the rows are made with.
        """

        def made(kind: str, *words: str) -> Recipe:
            return lambda result: [[self.compiler, "-x", kind, *words, "-o", str(result)]]

        found = {EXPANDED: made("c++", *self.flags, "-E", str(self.prelude))}
        if self.is_clang:
            return {**found, PLAIN: self._plain_dump}
        for header, flags in ((PRELUDE, self.flags), (TELLING_PRELUDE, self.telling_flags)):
            told = (*flags, "-ftrack-macro-expansion=0", str(self.prelude.with_name(header)))
            found[f"{header}.gch"] = made("c++-header", *told)
        return found

    def _plain_dump(self, result: Path) -> list[list[str]]:
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


@cache
def _linker(compiler: str) -> tuple[str, ...]:
    """Chooses gold where the compiler finds it. Gold links a runner in less than half of the usual linker's time."""
    return ("-fuse-ld=gold",) if shutil.which(ask(compiler, "-print-prog-name=ld.gold")) else ()


def target_of(compiler: str) -> str:
    """The processor that the compiler compiles for: "x86_64", "aarch64"."""
    return ask(compiler, "-dumpmachine").partition("-")[0]


def is_clang(compiler: str) -> bool:
    return "clang" in ask(compiler, "--version").partition("\n")[0].lower()


def prepare(
    compiler: str, includes: list[Path], archives: list[Path], cache: Path, cuda_arch: int = USUAL_ARCH
) -> CpuToolchain:
    """Makes the prelude where it is missing or damaged, or was made from other headers or by another compiler. Raises OSError or
    subprocess.CalledProcessError where the kit itself does not compile, which is a fault of ours.
    """
    draft = CpuToolchain(compiler, tuple(includes), tuple(archives), cache / PRELUDE, cuda_arch)
    key = hashlib.sha256(" ".join([*draft.flags, *draft.telling_flags]).encode())
    key.update(ask(compiler, "--version").encode())
    for include in includes:
        for header in sorted(path for path in include.rglob("*") if path.is_file()):
            key.update(header.read_bytes())
    toolchain = replace(draft, prelude=cache / key.hexdigest()[:16] / PRELUDE)
    keep(toolchain.prelude.parent, dict.fromkeys((PRELUDE, TELLING_PRELUDE), _TEXT), toolchain.recipes())
    return toolchain
