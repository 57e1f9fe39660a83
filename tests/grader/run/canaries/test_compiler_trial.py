"""The compilers of this machine pass, and where one thing that the detectors rely on is taken away, a canary notices it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from corpus_sample import sample

from grader.engines import clang_flags, clang_ir, cpu_build, dump_scan, gcc_flags, runner_image
from grader.engines.backend import COMPILER_VARIABLE
from grader.engines.cpu_toolchain import prepare
from grader.engines.proof import object_proof
from grader.engines.proof.object_proof import Checked
from grader.engines.toolset import Toolset
from grader.run import compiler_trial
from grader.run.compiler_trial import Canary, compiler_trouble, read_canaries, run_canary, try_compiler
from grader.run.launches import kernel_check

pytestmark = pytest.mark.in_turn(4)

ROOT = Path(__file__).resolve().parents[4]
CANARIES = {canary.source.stem: canary for canary in read_canaries(ROOT / "kit" / "canaries")}
COMPILERS = ("g++", "clang++")
Break = Callable[[pytest.MonkeyPatch], None]


def opened(compiler: str) -> Toolset:
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(COMPILER_VARIABLE, compiler)
        return Toolset.open(ROOT, allow_no_sandbox=True)


@pytest.mark.parametrize("compiler", COMPILERS)
def test_every_canary_comes_to_what_it_must(compiler: str) -> None:
    assert [(one.source.stem, what) for one, what in try_compiler(opened(compiler)) if what] == []


def without(*flags: str) -> Break:
    """The compiler no longer does what the flags asked for."""

    def take_away(patch: pytest.MonkeyPatch) -> None:
        for told in (gcc_flags, clang_flags):
            kept = tuple(flag for flag in told.INSTRUMENTATION if flag not in flags)
            patch.setattr(told, "INSTRUMENTATION", kept)

    return take_away


def without_sanitizer(name: str) -> Break:
    def take_away(patch: pytest.MonkeyPatch) -> None:
        for told in (gcc_flags, clang_flags):
            kept = tuple(flag.replace(f",{name}", "") for flag in told.INSTRUMENTATION)
            assert kept != told.INSTRUMENTATION
            patch.setattr(told, "INSTRUMENTATION", kept)

    return take_away


def put(module: object, name: str, value: object) -> Break:
    return lambda patch: patch.setattr(module, name, value)


def same(text: str) -> str:
    return text


def nothing(*_: object) -> None:
    return None


# What is taken away, from which compiler, and the canary that has to notice.
MOVED: dict[str, tuple[str, Break, str]] = {
    "GCC fills no locals": ("g++", without("-ftrivial-auto-var-init=pattern"), "unset_locals"),
    "GCC counts no blocks": ("g++", without("-fsanitize-coverage=trace-pc"), "endless_loop"),
    "GCC checks no alignment": ("g++", without_sanitizer("alignment"), "misaligned_objects"),
    "GCC checks no subscripts": ("g++", without_sanitizer("bounds"), "local_arrays"),
    "GCC's dump is not read": ("g++", put(dump_scan, "scan_gimple", nothing), "hidden_function"),
    "GCC's object is not checked": ("g++", put(cpu_build, "check_object", nothing), "early_code"),
    "GCC's assembly is not looked at": ("g++", put(cpu_build, "check_object", nothing), "inline_assembly"),
    "no call is put before a copy": (
        "g++",
        put(object_proof, "check_announcements", lambda *_: Checked()),
        "inline_copies",
    ),
    "no call is put before a read": (
        "g++",
        put(object_proof, "check_announcements", lambda *_: Checked()),
        "constant_reads",
    ),
    "memcpy is nobody's": ("g++", put(runner_image, "REDIRECTIONS", {}), "inline_copies"),
    "Clang fills no locals": ("clang++", without("-ftrivial-auto-var-init=pattern"), "unset_locals"),
    "Clang's own pattern stays": ("clang++", put(clang_ir, "_as_gcc_fills", same), "unset_locals"),
    "Clang's copies stay as they are": (
        "clang++",
        put(clang_ir, "with_aligned_copies", same),
        "misaligned_objects",
    ),
    "Clang's wrappers stay": ("clang++", put(clang_ir, "without_wrappers", same), "shared_races"),
    "Clang's blocks are silent": ("clang++", put(clang_ir, "announce_blocks", same), "endless_loop"),
    "Clang's dump is not read": ("clang++", put(dump_scan, "scan_ir", nothing), "hidden_function"),
}


@pytest.fixture(scope="module")
def preludes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where each compiler's prelude is made once for each set of flags."""
    return tmp_path_factory.mktemp("preludes")


@pytest.mark.parametrize("what", sample([*MOVED], 4))
def test_what_was_taken_away_is_noticed(
    what: str, tmp_path: Path, preludes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiler, take_away, canary = MOVED[what]
    toolset = opened(compiler)
    take_away(monkeypatch)
    monkeypatch.setattr(kernel_check, "_SECONDS", 1)
    known = toolset.toolchain
    changed = prepare(known.compiler, list(known.includes), list(known.archives), preludes)
    assert run_canary(replace(toolset, toolchain=replace(changed, linker=known.linker)), CANARIES[canary], tmp_path)


def wrapped(folder: Path, script: str) -> Toolset:
    """With a compiler that does `script` when GCC is done."""
    toolset = opened("g++")
    program = folder / "g++"
    program.write_text(f'#!/bin/sh\n{toolset.toolchain.compiler} "$@" || exit\n{script}\n', encoding="utf-8")
    program.chmod(0o755)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(COMPILER_VARIABLE, str(program))
        return Toolset.open(ROOT, allow_no_sandbox=True)


def test_a_dump_in_another_form_is_noticed(tmp_path: Path) -> None:
    toolset = wrapped(tmp_path, r"[ ! -f submission.gimple ] || sed -i 's/\[\([^]]*\)\] /<\1> /g' submission.gimple")
    assert "cannot read what this machine's compiler says" in run_canary(toolset, CANARIES["plain_accesses"], tmp_path)


def test_a_sanitizer_with_other_names_is_noticed(tmp_path: Path) -> None:
    script = "[ ! -f submission.o ] || objcopy --redefine-sym __tsan_write4=__tsan_write_v4 submission.o"
    assert "must be out-of-bounds and is" in run_canary(wrapped(tmp_path, script), CANARIES["plain_accesses"], tmp_path)


@pytest.fixture
def remembered(tmp_path: Path) -> Toolset:
    """A toolset whose compiler has not been tried."""
    toolset = opened("g++")
    prelude = tmp_path / "prelude.hpp"
    return replace(toolset, toolchain=replace(toolset.toolchain, prelude=prelude))


def test_a_compiler_that_passed_is_not_tried_again(remembered: Toolset, monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[str] = []

    def run(_: Toolset, canary: Canary) -> str:
        tried.append(canary.source.stem)
        return ""

    monkeypatch.setattr(compiler_trial, "run_canary", run)
    assert compiler_trouble(remembered) == ""
    assert sorted(tried) == sorted(CANARIES)
    assert compiler_trouble(remembered) == ""
    assert len(tried) == len(CANARIES)
    assert compiler_trouble(replace(remembered, compiler_version="g++ 99.1")) == ""
    assert len(tried) == 2 * len(CANARIES)


def test_what_was_tried_while_an_image_was_built_counts_in_it(
    remembered: Toolset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The layers of an image keep a file's time in whole seconds."""
    archive = tmp_path / "libkit.a"
    archive.touch()
    toolset = replace(remembered, toolchain=replace(remembered.toolchain, archives=(archive,)))
    tried: list[str] = []

    def run(_: Toolset, canary: Canary) -> str:
        tried.append(canary.source.stem)
        return ""

    monkeypatch.setattr(compiler_trial, "run_canary", run)
    os.utime(archive, ns=(5_000_000_777, 5_000_000_777))
    assert compiler_trouble(toolset) == ""
    os.utime(archive, ns=(5_000_000_000, 5_000_000_000))
    assert compiler_trouble(toolset) == ""
    assert len(tried) == len(CANARIES)
    os.utime(archive, ns=(6_000_000_000, 6_000_000_000))
    assert compiler_trouble(toolset) == ""
    assert len(tried) == 2 * len(CANARIES)


def test_a_folder_that_takes_no_record_is_not_the_compilers_fault(
    remembered: Toolset, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuses(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(compiler_trial, "run_canary", lambda *_: "")
    monkeypatch.setattr(compiler_trial, "write_atomically", refuses)
    assert compiler_trouble(remembered) == ""


def test_a_compiler_that_did_not_pass_is_named_and_tried_again(
    remembered: Toolset, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(_: Toolset, canary: Canary) -> str:
        return "must be race and is pass" if canary.source.stem == "shared_races" else ""

    monkeypatch.setattr(compiler_trial, "run_canary", run)
    for _ in range(2):
        said = compiler_trouble(replace(remembered, compiler_version="g++ 99.1"))
        assert said.startswith(
            "the detectors cannot rely on g++ 99.1: the kit's canary shared_races must be race and is"
        )
        assert COMPILER_VARIABLE in said


def test_a_full_disk_is_not_the_compilers_fault(remembered: Toolset, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler_trial, "run_canary", lambda *_: "could not be built: No space left on device")
    assert "A disk is full" in compiler_trouble(remembered)


def test_a_kit_without_canaries_is_told(remembered: Toolset, tmp_path: Path) -> None:
    assert "holds no canary" in compiler_trouble(replace(remembered, root=tmp_path))
