"""Builds the kernels of a contest: a folder with everything that the runner reads when it times them.

The course's own kernels take part in every grading. Their cubins are cached in the build folder, by a hash of everything that they are
made from. A submission's kernel is compiled each time.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from grader.engines.checks.entry_points import EntrySignatures
from grader.engines.gpu.gpu_build import CUBIN, IMAGE, build_for_gpu
from grader.machine.toolset import Toolset
from grader.model.labs import Lab

STAGE = "stage.cubin"


class ContestError(Exception):
    """Timing failed, and the fault is ours."""


@dataclass(frozen=True)
class Contestant:
    """A kernel that takes part: its source, its names there, and the most registers that it may be compiled with."""

    name: str
    source: Path
    entries: EntrySignatures
    max_registers: int | None = None
    trusted: bool = False  # the course's own kernel
    silent: bool = False  # printf prints nothing: to copy its output from the device takes longer than any product


@dataclass(frozen=True)
class LibraryContestant:
    """A routine of a vendor's library that takes part beside the kernels."""

    name: str
    library: Path
    routine: str  # as in contest.json: "cublasSgemm", or "cublasSgemm with TF32"


@dataclass(frozen=True)
class Built:
    """A folder with the cubin of each contestant and the kit's own cubin. `contestants` is their description in contest.json."""

    folder: Path
    contestants: tuple[dict[str, Any], ...]
    folders: tuple[Path, ...] = ()  # other folders that the runner reads: a library's
    silent: tuple[str, ...] = ()  # the names of those that were built silent


def contestant_of(  # noqa: PLR0913 -- the fields of a Contestant
    lab: Lab,
    source: Path,
    name: str,
    max_registers: int | None = None,
    *,
    trusted: bool = False,
    silent: bool = False,
) -> Contestant:
    return Contestant(
        name, source, EntrySignatures(lab.public.kernel, lab.public.launch), max_registers, trusted, silent
    )


def build(toolset: Toolset, contestants: Sequence[Contestant | LibraryContestant], folder: Path) -> Built:
    """Compiles the contestants into the empty `folder`. Raises ContestError where nvcc does not compile one."""
    descriptions: list[dict[str, Any]] = []
    folders, silent = [], []
    for number, contestant in enumerate(contestants):
        if isinstance(contestant, LibraryContestant):
            descriptions.append({"library": str(contestant.library), "routine": contestant.routine})
            folders.append(contestant.library.parent)
            continue
        work = folder / str(number)
        if contestant.trusted:
            shutil.copytree(_kept(toolset, contestant), work)
        else:
            work.mkdir()
            if _compile(toolset, contestant, work):
                silent.append(contestant.name)
        image = json.loads((work / IMAGE).read_text(encoding="utf-8"))
        descriptions.append({
            "cubin": f"{number}/{image['cubin']}", "functions": image["functions"], "kernel": image["kernel"],
            "ask_launch": image["ask_launch"], "alone": not contestant.trusted,
        })  # fmt: skip
    shutil.copyfile(stage(toolset), folder / STAGE)
    return Built(folder, tuple(descriptions), tuple(dict.fromkeys(folders)), tuple(silent))


def _compile(toolset: Toolset, contestant: Contestant, folder: Path) -> bool:
    """Returns whether it is silent. A kernel that compiles only with its printf is timed with it."""
    assert toolset.gpu.toolchain is not None
    built = build_for_gpu(
        toolset.gpu.toolchain,
        toolset.confinement,
        contestant.source,
        folder,
        contestant.entries,
        toolset.gpu.target,
        max_registers=contestant.max_registers,
        silent=contestant.silent,
    )
    if built.image is None and contestant.silent:
        return _compile(toolset, replace(contestant, silent=False), folder)
    if built.image is None:
        message = f"{contestant.name} cannot be compiled to be timed: {built.log[:500]}"
        raise ContestError(message)
    return contestant.silent


def _kept(toolset: Toolset, contestant: Contestant) -> Path:
    """The cached folder with the cubin of one of the course's kernels and its description. Made where it does not exist yet."""
    folder = toolset.build / "contestants" / _key(toolset, contestant)
    if (folder / IMAGE).is_file():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as name:
        _compile(toolset, contestant, Path(name))
        finished = Path(name) / "finished"
        finished.mkdir()
        for file in (CUBIN, IMAGE):
            shutil.copyfile(Path(name) / file, finished / file)
        try:
            finished.rename(folder)
        except OSError:
            if not (folder / IMAGE).is_file():  # otherwise another grading was faster
                raise
    return folder


def _key(toolset: Toolset, contestant: Contestant) -> str:
    toolchain, target = toolset.gpu.toolchain, toolset.gpu.target
    assert toolchain is not None
    digest = hashlib.sha256(contestant.source.read_bytes())
    facts = (
        contestant.source.name,
        contestant.entries,
        contestant.max_registers,
        target,
        toolchain.root,
        toolchain.version,
    )
    digest.update(repr(facts).encode())
    for include in toolchain.includes:
        for header in sorted(path for path in include.rglob("*") if path.is_file()):
            digest.update(header.read_bytes())
    return digest.hexdigest()[:32]


def stage(toolset: Toolset) -> Path:
    """The cubin of the kit's own kernels, compiled once for each kind of GPU. It is our own code, so nvcc is not confined."""
    toolchain, kit = toolset.gpu.toolchain, toolset.root / "kit"
    assert toolchain is not None
    source = kit / "cuda" / "stage" / "stage_kernels.cu"
    made = (
        toolset.build
        / "stage"
        / f"sm_{toolset.gpu.target.capability}-{toolchain.version[0]}.{toolchain.version[1]}.cubin"
    )
    newest = max(source.stat().st_mtime_ns, (kit / "protocol" / "timed_input.hpp").stat().st_mtime_ns)
    if made.is_file() and made.stat().st_mtime_ns > newest:
        return made
    made.parent.mkdir(parents=True, exist_ok=True)
    ours = replace(toolchain, includes=(*toolchain.includes, kit))
    with tempfile.TemporaryDirectory(dir=made.parent) as name:
        draft = Path(name) / made.name
        command = ours.compile(str(source), str(draft), toolset.gpu.target.capability)
        finished = subprocess.run(command, cwd=name, capture_output=True, text=True, check=False)
        if finished.returncode != 0:
            message = f"nvcc does not compile {source}: {finished.stderr[:1000]}"
            raise ContestError(message)
        draft.replace(made)
    return made
