"""A file with kernels for `tilelab check`, or several that make a program, as their author has them: texts, own headers, and which kernels
they hold. They are read here, and nowhere else.

kernel_build.py leaves out what a kernel does not need, and builds it.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path, PurePosixPath

from grader.model.errors import RemediableError
from grader.run.kernels.host_code import Item, items_of, kernels_in
from grader.source.student_code import normalise

# Headers of the author's that lie elsewhere in the same Git clone: a build system would have named their folders.
#
# Nothing outside the clone is looked at, nor the kit, which a course's clone holds: its headers are no author's. Of several files with a
# header's name the nearest is taken, and none where two are equally near and differ.

_MOST_FOLDERS = 16  # from the file up to the clone
_MOST_FILES = 50_000  # of a clone that are looked at
_HEADERS = (".h", ".hh", ".hpp", ".hxx", ".cuh", ".inl", ".inc", ".cu", ".cpp")


@dataclass(frozen=True)
class ProjectHeaders:
    file: Path
    kit: Path | None = None

    def find(self, name: str) -> Path | None:
        """`name`: as the #include writes it."""
        parts = [one for one in PurePosixPath(name).parts if one not in {".", ".."}]
        if not parts or not name.endswith(_HEADERS):
            return None
        found = [one for one in self._files.get(parts[-1], ()) if list(one.parts[-len(parts) :]) == parts]
        nearest = min(map(self._distance, found), default=(0, 0))
        near = [one for one in found if self._distance(one) == nearest]
        same = len({one.read_bytes() for one in near}) == 1
        return near[0] if same else None

    def _distance(self, header: Path) -> tuple[int, int]:
        """Folders up from the file, and down to the header."""
        way = Path(os.path.relpath(header.parent, self.file.resolve().parent)).parts
        return way.count(".."), len(way) - way.count("..")

    @cached_property
    def _files(self) -> dict[str, list[Path]]:
        """By their names."""
        root = next((one for one in self.file.resolve().parents[:_MOST_FOLDERS] if (one / ".git").exists()), None)
        kit, seen = self.kit and self.kit.resolve(), 0
        found: dict[str, list[Path]] = {}
        for folder, inner, names in os.walk(root) if root else ():
            inner[:] = sorted(one for one in inner if not one.startswith(".") and Path(folder, one) != kit)
            seen += len(names)
            if root is None or seen > _MOST_FILES:
                break
            for path in (Path(folder, name) for name in sorted(names) if name.endswith(_HEADERS)):
                if path.is_file() and path.resolve().is_relative_to(root):
                    found.setdefault(path.name, []).append(path)
        return found


MAX_SOURCE_BYTES = 4 << 20
_MAX_HEADERS = 64
INCLUDE = re.compile(
    r'^[ \t]*#[ \t]*include[ \t]*(?:"[ \t]*(?P<quoted>[^"\n]+?)[ \t]*"|<[ \t]*(?P<angled>[^>\n]+?)[ \t]*>)',
    re.MULTILINE,
)
_NEARBY = ("", "include", "inc", "..", "../include", "../inc", "../common", "../utils")  # seen from the file's folder
_SYSTEM = Path("/usr/include")
_KIT = Path(__file__).resolve().parents[3] / "kit"
_OF_THE_KIT = (_KIT / "executor" / "device", _KIT / "include")  # a clone may hold the kit: its headers are no author's
_FORWARDED = _KIT / "host" / "headers" / "forwarded.txt"
_NAME = re.compile(r"[\w:]+(?:<[\w:<>,.*&\s+-]*>)?(?:\([\w:<>,*&\s]*\))?")


class CheckError(RemediableError):
    """There is nothing to check. The text says why; `proposals` are command lines that may help."""

    def __init__(self, message: str, proposals: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.proposals = tuple(proposals)


_LITERAL = re.compile(
    r"""//[^\n]*|/\*.*?\*/|'(?:\\.|[^'\\\n])+'|"(?:\\.|[^"\\\n])*"(?P<next>(?=[A-Za-z_]))?""", re.DOTALL
)


def _with_space(match: re.Match[str]) -> str:
    return match[0] if match["next"] is None else f"{match[0]} "


@dataclass(frozen=True)
class KernelSource:
    """A file and its author's own headers, by name, unchanged."""

    name: str
    texts: dict[str, str]
    # Sources beside own headers, with the headers' names: they may define more.
    companions: dict[str, str] = field(default_factory=dict)

    def with_companions(self) -> dict[str, str]:
        """The texts with these sources, included behind the file's last line."""
        includes = "".join(f'\n#include "{name}"' for name in self.companions)
        return {**self.texts, **self.companions, self.name: self.texts[self.name] + includes + "\n"}

    def spaced(self) -> KernelSource:
        """As C++03 reads it, for a later compiler: with a space between a text in quotation marks and a name behind it."""
        texts = {name: _LITERAL.sub(_with_space, text) for name, text in self.texts.items()}
        return replace(
            self, texts=texts, companions={n: _LITERAL.sub(_with_space, t) for n, t in self.companions.items()}
        )

    @property
    def kernels(self) -> list[str]:
        return [kernel for text in self.texts.values() for kernel in kernels_in(text)]

    def items(self) -> Iterator[tuple[Item, str]]:
        """Those of all texts, each with its own."""
        return ((one, text[one.first : one.end]) for text in self.texts.values() for one in items_of(text))


def read_kernel_source(path: Path, folders: Sequence[Path] = ()) -> KernelSource:
    """Reads the file and its headers. They lie beside the file that includes them, in `folders`, in a folder near the file that projects
    often have, or elsewhere in the same clone. Raises CheckError, which names the file.
    """
    texts = {path.name: _read(path)}
    around = [*folders, *(path.parent / one for one in _NEARBY)]
    project = ProjectHeaders(path, _KIT)
    waiting = list(_own_headers(path, texts[path.name], around, project))
    companions: dict[str, str] = {}
    while waiting and len(texts) < _MAX_HEADERS:
        header = waiting.pop()
        if header.name not in texts:
            texts[header.name] = _read(header)
            waiting.extend(_own_headers(header, texts[header.name], around, project))
            companions |= {one.name: _read(one) for one in _companions(header, path)}
    return KernelSource(path.name, texts, {name: text for name, text in companions.items() if name not in texts})


def with_flat_includes(texts: Mapping[str, str], main: str) -> dict[str, str]:
    """They lie in one folder. A header of templates may include the main file itself: what is in it is there already."""

    def flat(match: re.Match[str]) -> str:
        name = (match["quoted"] or match["angled"]).replace("\\", "/").rsplit("/", 1)[-1]
        if name == main:
            return ""
        return f'#include "{name}"' if name in texts else match[0]

    return {name: INCLUDE.sub(flat, text) for name, text in texts.items()}


def _own_headers(path: Path, text: str, around: Sequence[Path], project: ProjectHeaders) -> Iterator[Path]:
    for match in INCLUDE.finditer(text):
        name = (match["quoted"] or match["angled"]).replace("\\", "/")
        if match["angled"] and ("." not in name or (_SYSTEM / name).exists()):
            continue
        beside = [path.parent / name] if match["quoted"] else []
        found = (one for one in [*beside, *(folder / name for folder in around)] if _is_text(one))
        header = next(found, None)
        if (
            header is None
            and not any((folder / name).is_file() for folder in _OF_THE_KIT)
            and not (
                "/" in name and name in forwarded_headers()  # of a library that the kit has a part of
            )
        ):
            header = project.find(name)
        if header:
            yield header


@cache
def forwarded_headers() -> Mapping[str, str]:
    """Names of headers of CUDA and its libraries, and the kit's header that has each one's part; empty: every host text has it."""
    found: dict[str, str] = {}
    header = ""
    for line in _FORWARDED.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        first, colon, rest = line.partition(": ")
        header = first.replace("-", "") if colon else header
        found |= dict.fromkeys((rest if colon else first).split(), header)
    return found


def _companions(header: Path, main: Path) -> Iterator[Path]:
    """The source with the header's name, beside it or in a folder of sources."""
    for folder in (header.parent, main.parent, header.parent / "../src"):
        for suffix in (".cu", ".cpp"):
            source = folder / f"{header.stem}{suffix}"
            if header.suffix not in {".cu", ".cpp"} and source.name != main.name and _is_text(source):
                yield source
                return


def _is_text(path: Path) -> bool:
    return path.is_file() and path.stat().st_size <= MAX_SOURCE_BYTES


def read_source(path: Path, most: int = MAX_SOURCE_BYTES) -> bytes:
    """Raises CheckError, which names the file."""
    try:
        data = path.read_bytes() if path.is_file() and path.stat().st_size <= most else None
    except OSError as error:
        raise CheckError(f"{path} cannot be read: {error.strerror}") from error
    if data is None:
        raise CheckError(f"{path}: there is no such file, or it is not the source of a kernel. Name a .cu file.")
    return normalise(data)[0]


def _read(path: Path) -> str:
    return read_source(path).decode("utf-8", "replace")


def named_kernel(source: KernelSource, wanted: str | None, file: str = "") -> str:
    """The kernel to check, with its namespaces: `wanted`, or the only kernel in the file. Raises CheckError, which lists the kernels."""
    own = kernels_in(source.texts[source.name])
    kernels = own or list(dict.fromkeys(source.kernels))
    listed = (
        f"The kernels in {source.name} are: {', '.join(kernels)}." if kernels else f"{source.name} holds no kernel."
    )
    if wanted is None:
        if len(kernels) == 1:
            return kernels[0]
        lines = [shlex.join(["tilelab", "check", file or source.name, "--kernel", one]) for one in kernels]
        asked = "which kernel? These lines propose a launch, or run the file's own:"
        raise CheckError("\n  ".join([asked, *lines]) if kernels else listed, lines)
    if not _NAME.fullmatch(wanted):
        raise CheckError(f"--kernel {wanted!r}: write a name such as scale, ns::scale or 'scale<float>'. {listed}")
    name = re.split(r"[<(]", wanted, maxsplit=1)[0]
    known = [one for one in dict.fromkeys(source.kernels) if one == name or one.endswith(f"::{name}")]
    made_by_macro = any("##" in text for text in source.texts.values())
    if not known and not made_by_macro:
        raise CheckError(f"there is no __global__ function {name!r}. {listed}")
    if name in known or len(known) != 1:
        return wanted
    return known[0] + wanted[len(name) :]


def base_name(kernel: str) -> str:
    """The kernel's name without namespaces, template arguments and parameters."""
    return re.split(r"[<(]", kernel, maxsplit=1)[0].rsplit("::", 1)[-1]


# The texts of a program: its file, other sources of it, and their author's own headers.


@dataclass(frozen=True)
class ProgramSource:
    """Several sources that are linked to one program, the one with the user's file name first."""

    units: tuple[KernelSource, ...]

    @property
    def main(self) -> KernelSource:
        return self.units[0]

    @property
    def texts(self) -> dict[str, str]:
        """Every text by the name of its file, unchanged, the program's own file first."""
        found = {name: text for unit in reversed(self.units) for name, text in unit.texts.items()}
        return {self.main.name: found[self.main.name], **found}

    def lines(self) -> dict[str, list[str]]:
        return {name: text.split("\n") for name, text in self.texts.items()}


def read_program(file: Path, others: Sequence[Path], folders: Sequence[Path]) -> ProgramSource:
    """`folders`: -I. Raises CheckError, which names the file."""
    units = [read_kernel_source(path, folders) for path in (file, *others)]
    names = [unit.name for unit in units]
    if len(set(names)) < len(names):
        raise CheckError("two sources of one program cannot have the same file name here")
    return ProgramSource(tuple(units))


def companions_of(source: ProgramSource) -> list[KernelSource]:
    """Sources beside own headers, which may define what the program lacks, each with the texts of the unit that names it."""
    known = {unit.name for unit in source.units} | set(source.texts)
    found: dict[str, KernelSource] = {}
    for unit in source.units:
        headers = {name: text for name, text in unit.texts.items() if name != unit.name}
        for name, text in unit.companions.items():
            if name not in known:
                found.setdefault(name, KernelSource(name, {name: text, **headers}))
    return list(found.values())


# Headers of libraries that do not compile for the executor, by the compiler's log: which #include of the author's own files brought each.
#
# Such a header is host code. nvcc compiles it with exceptions, which device code has not.

_FIRST = re.compile(r"In file included from (?:\./)?(?P<file>[^:\n]+):(?P<line>\d+)[:,]")
_NEXT = re.compile(r" +from (?:\./)?(?P<file>[^:\n]+):(?P<line>\d+)[:,]")  # GCC's
_ERROR = re.compile(r"(?P<file>[^:\s][^:\n]*):\d+:(?:\d+:)? (?:fatal )?error: ")


def failing_includes(log: str, own: Collection[str]) -> Iterator[tuple[str, int, str]]:
    """The own file and the line of each such #include, and the header with the error, which is none of `own`."""
    found = set[tuple[str, int]]()
    chain: list[
        tuple[str, int]
    ] = []  # what includes the file of an error, the nearest first; it holds until there is another one
    was_step = False
    for line in log.split("\n"):
        first, further = _FIRST.match(line), _NEXT.match(line)
        if first:  # GCC begins with the nearest file, and Clang says the same words of each, from the main file on
            chain = [(first["file"], int(first["line"])), *(chain if was_step else [])]
        elif further and was_step:
            chain.append((further["file"], int(further["line"])))
        elif error := _ERROR.match(line):
            file, place = error["file"].removeprefix("./"), next((one for one in chain if one[0] in own), None)
            if file not in own and place is not None and place not in found:
                found.add(place)
                yield (*place, file)
        was_step = bool(first or further)


# Headers that a file includes and that are not here: what of them a kernel may still need, and how a user is told.
#
# A library that only the host uses leaves nothing behind. A few give names to types that kernels use as well.

# What a header declares that kernels use. It takes the place of the #include, in the same line.
_STAND_INS = (
    (r"(opencv\d*|cv|highgui|imgproc|core)([./\\].*)?", "typedef unsigned char uchar;"),
    (r"(cublas|cusparse|cusolver|cudnn)\w*\.h", "#include <cuda_fp16.h>"),  # they include it
    (r"(windows|windef|winnt|stdafx|pch)\.h", "typedef unsigned char BYTE; typedef unsigned int DWORD; typedef unsigned int UINT;"),
)  # fmt: skip
# The names that a missing header is needed for, where an error names one of them.
_NEEDED_FOR = (
    (r"mma\.h", r"nvcuda|wmma"),
    (r"cuda/.*", r"cuda"),
    (r"cub/.*", r"cub"),
    (r"thrust/.*", r"thrust"),
    (r"cooperative_groups.*", r"cooperative_groups|cg"),
    (r"cuda_(fp8|fp6|fp4|bf16|pipeline|awbarrier)\w*\.h(pp)?", r"__nv_\w+|nv_bfloat16\w*|\w*bfloat16\w*|nvcuda|__pipeline_\w+"),
    (r"curand\w*\.h", r"curand\w*"),
    (r"cublas\w*\.h", r"cublas\w*"),
    (r"cutlass/.*|cute/.*", r"cutlass|cute"),
)  # fmt: skip


def stand_in(header: str) -> str:
    """What to write in place of the #include of a header that is not here; often nothing."""
    return next((text for pattern, text in _STAND_INS if re.fullmatch(pattern, header, re.IGNORECASE)), "")


def with_line(text: str, number: int, instead: str) -> str:
    lines = text.split("\n")
    lines[number - 1] = instead
    return "\n".join(lines)


def is_needed(header: str, errors: str) -> bool:
    """Whether the compiler's errors name something of this header."""
    names = next((names for pattern, names in _NEEDED_FOR if re.fullmatch(pattern, header)), None)
    return (
        names is not None and re.search(rf"[\u2018'](?:::)?(?:{names})(?:::[^\u2019']*)?[\u2019']", errors) is not None
    )
