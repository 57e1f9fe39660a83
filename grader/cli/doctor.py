"""`tilelab doctor`: says what this machine would grade with, and what to do if something is missing. `tilelab canaries`: shows what the
compiler does with the kit's canaries.
"""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from grader.cli.classes.grade_command import TerminalProgress
from grader.cli.error_exit import say_next
from grader.engines.backend import (
    COMPILER_VARIABLE,
    VARIABLE,
    backend_choice,
    choose_compiler,
    kit_facts,
    left_out,
    open_backend,
)
from grader.engines.toolset import Toolset, judge_called
from grader.model.course_root import course_root, load_labs, seed_if_made
from grader.model.errors import MachineError, RemediableError
from grader.pages.pages import calibration_page, sweep_drawing
from grader.pages.speed.sweep_figure import calibration_table, conditions, row, sweep_figure, tier_calibration_table
from grader.roll.batch.controls import Controls, controls_of
from grader.roll.batch.opened_tools import lab_judge, open_toolset
from grader.run.compiler_trial import compiler_trouble, try_compiler
from grader.run.speed.contest import ContestError
from grader.run.speed.speed_run import Measurement, calibrate, calibrate_tiers, swept_labs
from grader.system.confined_run import detect
from grader.system.confinement import SandboxUnavailable, gpu_devices
from grader.system.own_files import write_atomically

_SET_UP = "run `make setup`"
_GO_ON = "`make grade`; in a handout, `make test`"


@dataclass(frozen=True)
class Check:
    """One thing that was examined. If `needed` and not `ok`, grading cannot work."""

    what: str
    ok: bool
    found: str
    needed: bool = True


def examine() -> int:
    """Say what was found on this machine: compiler, sandbox, kit, GPU."""
    console = Console(highlight=False)
    checks = list(check_all(course_root(Path.cwd())))
    for check in checks:
        mark, style = ("ok", "green") if check.ok else ("--", "red" if check.needed else "dim")
        console.print(Text.assemble((f"{mark} ", style), f"{check.what:10} {check.found}"), soft_wrap=True)
    lacking = [check.what for check in checks if check.needed and not check.ok]
    say_next(f"correct {', '.join(lacking)}" if lacking else _GO_ON)
    return 1 if lacking else 0


def check_all(root: Path) -> Iterator[Check]:
    """Checks everything that grading depends on, one after another."""
    yield Check("course", ok=True, found=str(root))
    yield _tried("labs", lambda: ", ".join(lab.id for lab in load_labs(root, [])))
    yield _tried("compiler", lambda: _compiler(root))
    yield _judges(root)
    yield _tried("sandbox", lambda: detect(root / "build" / "bin" / "confine", _prefix(root), allow_none=False).name)
    yield from _gpu(root)
    yield _tried("canaries", lambda: _canaries(root))
    yield _tried("controls", lambda: _controls(root))


def show_canaries(
    if_new: Annotated[
        bool, typer.Option("--if-new", help="only if this compiler was not tried before, and say only what is wrong")
    ] = False,
) -> int:
    """Try the compiler with the kit's canaries: kernels that show whether the detectors can rely on it."""
    toolset = open_toolset(course_root(Path.cwd()), allow_no_sandbox=True)
    if if_new:
        _require_reliable(toolset)
        return 0
    console = Console(highlight=False)
    console.print(toolset.compiler_version, markup=False, soft_wrap=True)
    tried = try_compiler(toolset)
    for canary, what in tried:
        mark, style = ("--", "red") if what else ("ok", "green")
        console.print(Text.assemble((f"{mark} ", style), f"{canary.source.stem:24} {what}"), soft_wrap=True)
    fails = any(what for _, what in tried)
    say_next(f"choose another compiler with {COMPILER_VARIABLE}" if fails else _GO_ON)
    return 3 if fails else 0


def _canaries(root: Path) -> str:
    """Tries what a batch tries where it meets a compiler for the first time."""
    _require_reliable(open_toolset(root, allow_no_sandbox=False))
    return "the compiler does what the detectors rely on"


def _require_reliable(toolset: Toolset) -> None:
    if trouble := compiler_trouble(toolset):
        raise MachineError(trouble)


def _controls(root: Path) -> str:
    """Judges what a batch judges before its submissions."""
    labs = [lab for lab in load_labs(root, []) if controls_of(lab)]
    if not labs:
        return "there are no model solutions here to hold this machine against"
    toolset = open_toolset(root, allow_no_sandbox=False)
    judge = lab_judge(toolset, seed_if_made(root) or 0, public_only=False)
    if trouble := Controls(replace(judge, explained=False), workers=os.cpu_count()).trouble(labs):
        raise MachineError(trouble)
    return f"{', '.join(lab.id for lab in labs)}: the model solution passes, and a wrong kernel gets its verdict"


def _gpu(root: Path) -> Iterator[Check]:
    """Which parts of NVIDIA's software are here and work, each with a reason if it does not. None of them is needed."""
    try:
        asked = backend_choice()
        kit = kit_facts(root)
        confinement = detect(root / "build" / "bin" / "confine", _prefix(root), allow_none=True)
        backend = open_backend("auto" if asked == "cuda" else asked, root, kit, confinement)
    except (OSError, ValueError, KeyError, RemediableError, SandboxUnavailable) as error:
        yield Check("GPU", ok=False, found=str(error), needed=False)
        return
    why = backend.reasons or ("",)
    toolchain = f"{backend.toolchain.name} in {backend.toolchain.root}" if backend.toolchain else why[-1]
    yield Check("nvcc", backend.toolchain is not None, toolchain, needed=asked == "cuda")
    device = f"{backend.device}, usable inside the sandbox" if backend.runs else str(backend.device or why[0])
    yield Check("GPU", backend.device is not None, device, needed=asked == "cuda")
    nodes = ", ".join(str(path) for path in gpu_devices()) or "none"
    yield Check("devices", nodes != "none", nodes, needed=False)
    does = "kernels run on the CPU executor and on the GPU" if backend.runs else "kernels run on the CPU executor only"
    compiled = " and are compiled by nvcc too" if backend.toolchain and not backend.runs else ""
    yield Check("backend", ok=True, found=f"{VARIABLE}={asked}: {does}{compiled}")


def _tried(what: str, find: Callable[[], str]) -> Check:
    try:
        return Check(what, ok=True, found=find())
    except (RemediableError, SandboxUnavailable) as error:
        return Check(what, ok=False, found=str(error))


def _compiler(root: Path) -> str:
    """The compiler that builds submissions, in its own words, and why this one was chosen."""
    try:
        compiler = kit_facts(root)["compiler"]
    except (OSError, ValueError, KeyError) as error:
        raise RemediableError(f"the kit is not built ({error}): {_SET_UP}") from error
    return str(choose_compiler(compiler))


def _judges(root: Path) -> Check:
    public_only = not (root / "solutions").is_dir()  # as in a handout
    later = left_out(root)
    judges = {lab.id: judge_called(lab.judge_name, public_only=public_only) for lab in load_labs(root, [])}
    built = {judge for judge in judges.values() if judge in later or (root / "build" / "bin" / judge).is_file()}
    missing = [lab for lab, judge in judges.items() if judge not in built]
    found = "a judge for every lab, built when it is first needed" if later else "a judge for every lab"
    if missing:
        found = f"no judge for {', '.join(missing)}: {_SET_UP}"
    return Check("kit", not missing, found)


def _prefix(root: Path) -> Path | None:
    prefix = root / ".tilelab" / "prefix"
    return prefix if prefix.is_dir() else None


# `tilelab calibrate`: opens the toolset, measures, prints and writes the table.


def calibrate_labs(
    lab: Annotated[
        list[str] | None, typer.Argument(help="a lab, or part of its name; default: all labs that are timed")
    ] = None,
    sweep: Annotated[
        bool, typer.Option("--sweep", help="measure all sizes of each lab's sweep, not only its one shape")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(help="also write it to this file: a page with pictures if its name ends in .html, else Markdown"),
    ] = None,
) -> int:
    """Measure the naive kernel, the model solutions and faster kernels on this machine's GPU, and say which tiers they reach."""
    console = Console(highlight=False)
    root = course_root(Path.cwd())
    labs = load_labs(root, lab or [])
    toolset = Toolset.open(root, allow_no_sandbox=True, backend=backend_choice())
    if not toolset.gpu.runs:
        raise RemediableError(f"nothing can be measured on this machine: {'; '.join(toolset.gpu.reasons)}.")
    found, progress = [], TerminalProgress(console)
    try:
        for one in calibrate(toolset, labs, sweep=sweep, tell=progress.doing):
            console.print(row(one), markup=False, soft_wrap=True)
            found.append(one)
        assert toolset.gpu.toolchain is not None
        device, today = str(toolset.gpu.device), dt.datetime.now(tz=dt.UTC).date().isoformat()
        measured = conditions(device=device, toolkit=toolset.gpu.toolchain.name, date=today)
        console.print(f"\n{calibration_table(found, measured)}", markup=False, soft_wrap=True)
        tiers = tier_calibration_table(calibrate_tiers(toolset, labs, progress.doing))
    except ContestError as error:
        raise RemediableError(str(error)) from error
    finally:
        progress.end()
    console.print(f"\n{tiers}", markup=False, soft_wrap=True)
    if out is not None:
        write(out, found, {one.id: one.public.title for one in labs}, (device, measured), tiers=tiers)
        console.print(f"report: {out}", markup=False, soft_wrap=True)
    say_next("compare these tiers with those in each lab's lab.toml: docs/lab-files.md")
    return 0


def write(
    out: Path, found: Sequence[Measurement], titles: Mapping[str, str], where: tuple[str, str], *, tiers: str = ""
) -> None:
    """A page with pictures if `out` ends in .html, else Markdown with `tiers` at its end. `where`: the device, and the conditions."""
    swept = swept_labs(found)
    if out.suffix.lower() in {".html", ".htm"}:
        write_atomically(out, calibration_page(swept, titles, *where))
        return
    pictures = {}
    for lab_id, points in swept.items():
        figure = sweep_figure(points) if len(points) > 1 else None
        if figure is not None:
            pictures[lab_id] = f"{out.stem}-{lab_id}.svg"
            write_atomically(out.parent / pictures[lab_id], sweep_drawing(figure))
    table = calibration_table(found, where[1], pictures)
    write_atomically(out, f"{table}\n{tiers}\n" if tiers else table)
