"""A file with kernels for `tilelab check`, as its author has it: its text, its own headers, and which kernels they hold.

kernel_build.py leaves out what a kernel does not need, and builds it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.intake.source_text import normalise
from grader.model.errors import RemediableError
from grader.single_launch.host_code import kernels_in

MAX_SOURCE_BYTES = 4 << 20
_MAX_HEADERS = 64
INCLUDE = re.compile(
    r'^[ \t]*#[ \t]*include[ \t]*(?:"[ \t]*(?P<quoted>[^"\n]+?)[ \t]*"|<[ \t]*(?P<angled>[^>\n]+?)[ \t]*>)',
    re.MULTILINE,
)
_NEARBY = ("", "include", "inc", "..", "../include", "../inc", "../common", "../utils")  # seen from the file's folder
_SYSTEM = Path("/usr/include")
_NAME = re.compile(r"[\w:]+(?:<[\w:<>,.*&\s+-]*>)?(?:\([\w:<>,*&\s]*\))?")


class CheckError(RemediableError):
    """There is nothing to check. The text says why."""


@dataclass(frozen=True)
class KernelSource:
    """A file and its author's own headers, by name, unchanged."""

    name: str
    texts: dict[str, str]

    @property
    def kernels(self) -> list[str]:
        return [kernel for text in self.texts.values() for kernel in kernels_in(text)]


def read_kernel_source(path: Path, folders: Sequence[Path] = ()) -> KernelSource:
    """Reads the file and its headers. They lie beside the file that includes them, in `folders`, or in a folder near the file that
    projects often have. Raises CheckError, which names the file.
    """
    texts = {path.name: _read(path)}
    around = [*folders, *(path.parent / one for one in _NEARBY)]
    waiting = list(_own_headers(path, texts[path.name], around))
    while waiting and len(texts) < _MAX_HEADERS:
        header = waiting.pop()
        if header.name not in texts:
            texts[header.name] = _read(header)
            waiting.extend(_own_headers(header, texts[header.name], around))
    return KernelSource(path.name, texts)


def _own_headers(path: Path, text: str, around: Sequence[Path]) -> Iterator[Path]:
    for match in INCLUDE.finditer(text):
        name = (match["quoted"] or match["angled"]).replace("\\", "/")
        if match["angled"] and ("." not in name or (_SYSTEM / name).exists()):
            continue
        beside = [path.parent / name] if match["quoted"] else []
        found = (one for one in [*beside, *(folder / name for folder in around)] if _is_text(one))
        if header := next(found, None):
            yield header


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


def named_kernel(source: KernelSource, wanted: str | None) -> str:
    """The kernel to check: `wanted`, or the only kernel in the file. Raises CheckError, which lists the kernels."""
    kernels = list(dict.fromkeys(source.kernels))
    listed = (
        f"The kernels in {source.name} are: {', '.join(kernels)}." if kernels else f"{source.name} holds no kernel."
    )
    if wanted is None:
        if len(kernels) == 1:
            return kernels[0]
        message = f"which kernel? Name one with --kernel. {listed}"
        raise CheckError(message)
    if not _NAME.fullmatch(wanted):
        message = f"--kernel {wanted!r}: write a name such as scale, ns::scale or 'scale<float>'. {listed}"
        raise CheckError(message)
    base = base_name(wanted)
    made_by_macro = any("##" in text for text in source.texts.values())
    if base not in kernels and not made_by_macro:
        message = f"there is no __global__ function {base!r}. {listed}"
        raise CheckError(message)
    return wanted


def base_name(kernel: str) -> str:
    """The kernel's name without namespaces, template arguments and parameters."""
    return re.split(r"[<(]", kernel, maxsplit=1)[0].rsplit("::", 1)[-1]
