"""A file with kernels for `tilelab check`, as its author has it: its text, its own headers, and which kernels they hold.

kernel_build.py leaves out what a kernel does not need, and builds it.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from grader.intake.source_text import normalise
from grader.kernel_files.host_code import kernels_in
from grader.kernel_files.project_headers import ProjectHeaders
from grader.model.errors import RemediableError

MAX_SOURCE_BYTES = 4 << 20
_MAX_HEADERS = 64
INCLUDE = re.compile(
    r'^[ \t]*#[ \t]*include[ \t]*(?:"[ \t]*(?P<quoted>[^"\n]+?)[ \t]*"|<[ \t]*(?P<angled>[^>\n]+?)[ \t]*>)',
    re.MULTILINE,
)
_NEARBY = ("", "include", "inc", "..", "../include", "../inc", "../common", "../utils")  # seen from the file's folder
_SYSTEM = Path("/usr/include")
_KIT = Path(__file__).resolve().parents[2] / "kit"
_OF_THE_KIT = (_KIT / "simt" / "device", _KIT / "include")  # a clone may hold the kit: its headers are no author's
_LIBRARIES = _KIT / "host_api" / "headers"
_NAME = re.compile(r"[\w:]+(?:<[\w:<>,.*&\s+-]*>)?(?:\([\w:<>,*&\s]*\))?")


class CheckError(RemediableError):
    """There is nothing to check. The text says why; `proposals` are command lines that may help."""

    def __init__(self, message: str, proposals: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.proposals = tuple(proposals)


@dataclass(frozen=True)
class KernelSource:
    """A file and its author's own headers, by name, unchanged."""

    name: str
    texts: dict[str, str]
    companions: dict[str, str] = field(
        default_factory=dict
    )  # sources beside own headers, with the headers' names: they may define more

    def with_companions(self) -> dict[str, str]:
        """The texts with these sources, included behind the file's last line."""
        includes = "".join(f'\n#include "{name}"' for name in self.companions)
        return {**self.texts, **self.companions, self.name: self.texts[self.name] + includes + "\n"}

    @property
    def kernels(self) -> list[str]:
        return [kernel for text in self.texts.values() for kernel in kernels_in(text)]


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


def with_flat_includes(text: str, own: Collection[str], main: str) -> str:
    """Changes includes of own headers: they lie beside the file, whatever folder they came from. A header of templates may include the
    file itself: what is in it is there already.
    """

    def flat(match: re.Match[str]) -> str:
        name = (match["quoted"] or match["angled"]).replace("\\", "/").rsplit("/", 1)[-1]
        if name == main:
            return ""
        return f'#include "{name}"' if name in own else match[0]

    return INCLUDE.sub(flat, text)


def _own_headers(path: Path, text: str, around: Sequence[Path], project: ProjectHeaders) -> Iterator[Path]:
    for match in INCLUDE.finditer(text):
        name = (match["quoted"] or match["angled"]).replace("\\", "/")
        if match["angled"] and ("." not in name or (_SYSTEM / name).exists()):
            continue
        beside = [path.parent / name] if match["quoted"] else []
        found = (one for one in [*beside, *(folder / name for folder in around)] if _is_text(one))
        header = next(found, None)
        if header is None and not any((folder / name).is_file() for folder in _OF_THE_KIT) and not _is_librarys(name):
            header = project.find(name)
        if header:
            yield header


def _is_librarys(name: str) -> bool:
    """Of a library that the kit has a part of."""
    return "/" in name and (_LIBRARIES / name).is_file()


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


def _read(path: Path) -> str:
    try:
        data = path.read_bytes() if _is_text(path) else None
    except OSError as error:
        message = f"{path} cannot be read: {error.strerror}"
        raise CheckError(message) from error
    if data is None:
        message = f"{path}: there is no such file, or it is not the source of a kernel. Name a .cu file."
        raise CheckError(message)
    return normalise(data)[0].decode("utf-8", "replace")


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
        message = (
            "\n  ".join(["which kernel? These lines propose a launch, or run the file's own:", *lines])
            if kernels
            else listed
        )
        raise CheckError(message, lines)
    if not _NAME.fullmatch(wanted):
        message = f"--kernel {wanted!r}: write a name such as scale, ns::scale or 'scale<float>'. {listed}"
        raise CheckError(message)
    name = re.split(r"[<(]", wanted, maxsplit=1)[0]
    known = [one for one in dict.fromkeys(source.kernels) if one == name or one.endswith(f"::{name}")]
    made_by_macro = any("##" in text for text in source.texts.values())
    if not known and not made_by_macro:
        message = f"there is no __global__ function {name!r}. {listed}"
        raise CheckError(message)
    if name in known or len(known) != 1:
        return wanted
    return known[0] + wanted[len(name) :]


def base_name(kernel: str) -> str:
    """The kernel's name without namespaces, template arguments and parameters."""
    return re.split(r"[<(]", kernel, maxsplit=1)[0].rsplit("::", 1)[-1]
