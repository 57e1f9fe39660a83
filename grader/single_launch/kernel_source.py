"""A kernel of any file for `tilelab check`: the file with its own headers, without host code, and without what only host code needs. It is
then built like every submission, confined and checked.

The user is told what is left out: headers that do not exist here (<helper_cuda.h>), and declarations that do not compile without them.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from grader.engines.checks.entry_points import USE_FILE, EntrySignatures
from grader.engines.cpu.cpu_build import CpuBuild, build_for_cpu
from grader.intake.source_text import normalise
from grader.machine.toolset import Toolset
from grader.model.errors import RemediableError
from grader.model.verdicts import Verdict
from grader.single_launch.host_code import kernels_in, without_host_functions, without_lines

MAX_SOURCE_BYTES = 4 << 20
_MAX_HEADERS = 64
_MAX_ROUNDS = 24  # how often the build is tried, each time without what did not compile
_OWN_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"', re.MULTILINE)
_NAME = re.compile(r"[\w:]+(?:<[\w:<>,.*&\s+-]*>)?(?:\([\w:<>,*&\s]*\))?")
_REFUSALS = 3


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


@dataclass
class BuiltKernel:
    build: CpuBuild
    left_out: list[str] = field(default_factory=list)  # descriptions


def read_kernel_source(path: Path) -> KernelSource:
    """Reads the file and its headers. Raises CheckError, which names the file."""
    texts = {path.name: _read(path)}
    waiting = list(_own_includes(path, texts[path.name]))
    while waiting and len(texts) < _MAX_HEADERS:
        header = waiting.pop()
        if header.name not in texts:
            texts[header.name] = _read(header)
            waiting.extend(_own_includes(header, texts[header.name]))
    return KernelSource(path.name, texts)


def _own_includes(path: Path, text: str) -> Iterator[Path]:
    for name in _OWN_INCLUDE.findall(text):
        header = path.parent / name
        if header.is_file() and header.stat().st_size <= MAX_SOURCE_BYTES:
            yield header


def _read(path: Path) -> str:
    try:
        data = path.read_bytes() if path.is_file() and path.stat().st_size <= MAX_SOURCE_BYTES else None
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


def build_kernel(toolset: Toolset, source: KernelSource, kernel: str, folder: Path) -> BuiltKernel:
    """Builds in `folder`, which it empties before each try. Includes and declarations that fail are left out in the next try."""
    texts = {name: without_host_functions(text) for name, text in source.texts.items()}
    texts = {name: _with_flat_includes(text) for name, text in texts.items()}
    left_out: list[str] = []
    missed: CpuBuild | None = None  # the first build that needed CUDA which the executor lacks
    for _ in range(_MAX_ROUNDS):
        build = _try(toolset, texts, source.name, kernel, folder)
        if build.runner is not None:
            break
        changed = _without_failures(texts, source.name, base_name(kernel), build, left_out)
        if changed == texts:
            build = missed or build
            break
        texts = changed
        if missed is None and build.refusals[0].verdict is Verdict.NEEDS_GPU:
            missed = build
    return BuiltKernel(build, left_out)


def _try(toolset: Toolset, texts: dict[str, str], main: str, kernel: str, folder: Path) -> CpuBuild:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name, text in texts.items():
        if name != main:
            (folder / name).write_text(text, encoding="utf-8")
    copy = folder.parent / main
    copy.write_text(texts[main], encoding="utf-8")
    entries = EntrySignatures(kernel, by_name=True)
    return build_for_cpu(toolset.toolchain, toolset.confinement, copy, folder, entries)


def _with_flat_includes(text: str) -> str:
    """Changes includes of own headers: they lie beside the file, whatever folder they came from."""
    return _OWN_INCLUDE.sub(lambda match: match[0].replace(match[1], match[1].rsplit("/", 1)[-1]), text)


def _without_failures(
    texts: dict[str, str], main: str, kernel: str, build: CpuBuild, left_out: list[str]
) -> dict[str, str]:
    """The source without includes that do not exist, and without host declarations and other kernels that do not compile."""
    changed = dict(texts)
    errors = re.findall(r"^(?:\./)?([^:\n]+):(\d+):(?:\d+:)? (?:fatal )?error: (.*)$", build.log, re.MULTILINE)
    errors += [(main, str(one.line), "") for one in build.refusals if one.line > 0]
    for name, line, message in errors:
        if name not in changed:
            continue
        if header := re.match(r"'?(\S+?)(?:: No such file or directory|' file not found)", message):
            changed[name] = _without_line(changed[name], int(line))
            left_out.append(f"{name}:{line}: #include of {header[1]}, which was not found")
            continue
        shorter = without_lines(changed[name], [int(line)], but=kernel)
        if shorter != changed[name]:
            changed[name] = shorter
            left_out.append(f"{name}:{line}: a declaration that cannot be compiled")
    return changed


def _without_line(text: str, number: int) -> str:
    lines = text.split("\n")
    lines[number - 1] = ""
    return "\n".join(lines)


def why_not(source: KernelSource, kernel: str, built: BuiltKernel) -> str:
    """Why there is no runner: some lines of text."""
    log = built.build.log
    if error := re.search(rf"^{re.escape(USE_FILE)}:\d+:(?:\d+:)? error: (.*)$", log, re.MULTILINE):
        return f"{_about_name(kernel, error[1])} {_listed(source)}"
    if "<<<" in log or re.search(r"expected primary-expression before [\u2018']<[\u2019'] token", log):
        launch = re.search(
            rf"^(?:\./)?{re.escape(source.name)}:(\d+):.*error: expected primary-expression before", log, re.MULTILINE
        )
        if launch and "<<<" in source.texts[source.name].split("\n")[int(launch[1]) - 1]:
            return (
                f"{source.name}:{launch[1]}: needs-gpu: A kernel that launches another one (<<<…>>> in device code) cannot run on "
                "the CPU executor."
            )
    errors = [
        f"{f'{source.name}:{one.line}' if one.line > 0 else source.name}: {one.verdict.value}: {one.message} {one.advice}".strip()
        for one in built.build.refusals[:_REFUSALS]
    ]
    if not any(one.line > 0 for one in built.build.refusals):
        errors += re.findall(r"^[^\n]*error: [^\n]*$", log, re.MULTILINE)[:_REFUSALS]
    return "\n".join([*errors, *(f"left out: {one}" for one in built.left_out[:_MAX_HEADERS])])


def _about_name(kernel: str, error: str) -> str:
    if "unable to deduce" in error or "no matches converting" in error or "overloaded" in error:
        return (
            f"--kernel {kernel!r} is a template or has several versions. Name one instance, such as '{kernel}<float>', or its "
            f"parameters, such as '{kernel}(float*, int)'."
        )
    if "not declared" in error or "is not a member" in error:
        return (
            f"--kernel {kernel!r}: there is no kernel of this name. Name a kernel in a namespace with it: ns::{kernel}."
        )
    return f"--kernel {kernel!r}: the compiler says: {error}."


def _listed(source: KernelSource) -> str:
    return f"The kernels in {source.name} are: {', '.join(dict.fromkeys(source.kernels))}."
