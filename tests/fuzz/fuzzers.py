"""Opens the fuzzers on this machine: which there are, and what each of them needs. A fuzzer that cannot work here says why."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from unittest import mock

from archive_fuzzer import ArchiveFuzzer
from configuration_fuzzer import ConfigurationFuzzer
from conversation_fuzzer import ConversationFuzzer
from download_fuzzer import DownloadFuzzer
from fuzzer import Fuzzer
from growth_fuzzer import GrowthFuzzer
from kernel_fuzzer import KernelFuzzer
from kernel_labs import kernel_labs
from native_fuzzing import MessageFuzzing, build
from reading_steps import CAPPED, STEPS

from grader.engines.backend import COMPILER_VARIABLE
from grader.engines.toolset import Toolset
from grader.model.course_root import load_labs
from grader.model.outcome import JudgedCase, LabOutcome
from grader.model.result import Build, Launch
from grader.model.verdicts import Verdict

_COMPILERS = {"GCC": "g++", "Clang": "clang++"}


class UnavailableError(Exception):
    """The fuzzer cannot work on this machine. The text says why."""


def archives(root: Path) -> Fuzzer:
    labs = tuple(load_labs(root, [])[:2])
    files = {lab.public.file: (lab.public_dir / lab.public.file).read_bytes() for lab in labs}
    return ArchiveFuzzer(labs, files)


def downloads(root: Path) -> Fuzzer:
    labs = load_labs(root, [])[:2]
    return DownloadFuzzer({lab.public.file: (lab.public_dir / lab.public.file).read_bytes() for lab in labs})


def configuration(root: Path) -> Fuzzer:
    return ConfigurationFuzzer(root, sample_outcome(root))


def conversation(root: Path) -> Fuzzer:
    lab = kernel_labs(root)[0]
    return ConversationFuzzer(root / "build" / "bin" / f"judge-{lab.id}", lab)


def kernels(root: Path) -> Fuzzer:
    if missing := [program for program in _COMPILERS.values() if shutil.which(program) is None]:
        message = f"kernels: {missing[0]} is not installed, and two compilers are compared"
        raise UnavailableError(message)
    toolsets = {}
    for name, program in _COMPILERS.items():
        with mock.patch.dict(os.environ, {COMPILER_VARIABLE: program}):
            toolsets[name] = Toolset.open(root, allow_no_sandbox=False, backend="auto" if name == "GCC" else "cpu")
    labs = {lab.id: lab for lab in kernel_labs(root)}
    return KernelFuzzer(toolsets, labs, {lab_id: kernel_texts(root, lab_id) for lab_id in labs})


def messages(root: Path) -> MessageFuzzing:
    """Raises UnavailableError also where Clang has no libFuzzer, or finds nothing in what has a mistake on purpose."""
    if shutil.which(_COMPILERS["Clang"]) is None:
        message = "messages: clang++ is not installed, and libFuzzer is part of it"
        raise UnavailableError(message)
    try:
        fuzzing = MessageFuzzing(build(root), Path(tempfile.mkdtemp(prefix="fuzz-messages-")))
    except subprocess.CalledProcessError as error:
        message = f"messages: clang++ cannot build {' '.join(error.cmd)}: {error.stdout[-1500:]}{error.stderr[-1500:]}"
        raise UnavailableError(message) from error
    if not fuzzing.finds_what_is_planted():
        shutil.rmtree(fuzzing.scratch, ignore_errors=True)
        message = "messages: the mistake that was planted was not found, so nothing would be"
        raise UnavailableError(message)
    return fuzzing


def kernel_texts(root: Path, lab_id: str) -> tuple[str, ...]:
    """Every kernel of the corpus for this lab: right ones, wrong ones and attacks."""
    folders = (
        f"solutions/{lab_id}",
        f"solutions/{lab_id}/rejects",
        f"tests/labs/accepted/{lab_id}",
        f"tests/exploits/kernels/{lab_id}",
    )
    paths = [path for folder in folders for path in sorted((root / folder).glob("*.cu"))]
    return tuple(path.read_text(encoding="utf-8", errors="replace") for path in paths)


def sample_outcome(root: Path) -> LabOutcome:
    """The judge's sample report, as if a student's file of the first lab had led to it."""
    sample = json.loads((root / "tests" / "kit" / "samples" / "judge.json").read_text(encoding="utf-8"))
    lab = load_labs(root, [])[0]
    entries = sample["cases"] * len(lab.cases)
    cases = tuple(_sample_case(spec.name, entry) for spec, entry in zip(lab.cases, entries, strict=False))
    return LabOutcome(lab.id, build=Build(ok=True), cases=cases)


def _sample_case(name: str, entry: Mapping[str, Any]) -> JudgedCase:
    launches = tuple(map(Launch.model_validate, entry["launches"]))
    return JudgedCase(name, entry["passed"], Verdict(entry["verdict"]), entry["message"], launches)


def growth(_: Path) -> Fuzzer:
    return GrowthFuzzer(STEPS, CAPPED)


FUZZERS: dict[str, Callable[[Path], Fuzzer | MessageFuzzing]] = {
    "archives": archives,
    "downloads": downloads,
    "configuration": configuration,
    "messages": messages,
    "conversation": conversation,
    "kernels": kernels,
    "growth": growth,
}
