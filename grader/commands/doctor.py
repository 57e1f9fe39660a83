"""`tilelab doctor`: says what grading would be done with on this machine, and what to do where something is missing."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.text import Text

from grader.machine.backend import VARIABLE, backend_choice, open_backend
from grader.machine.compiler_choice import choose_compiler
from grader.model.course_root import course_root, load_labs
from grader.model.errors import RemediableError
from grader.model.labs import lab_ids
from grader.sandbox import SandboxUnavailable, detect
from grader.sandbox.system_paths import gpu_devices

_SET_UP = "run `make setup`"


@dataclass(frozen=True)
class Check:
    """One thing looked at; `needed` ones keep grading from working when they are not `ok`."""

    what: str
    ok: bool
    found: str
    needed: bool = True


def examine(start: Path) -> int:
    """Prints every check; 0 when this machine can grade, 1 when it cannot."""
    console = Console(highlight=False)
    checks = list(check_all(course_root(start)))
    for check in checks:
        mark, style = ("ok", "green") if check.ok else ("--", "red" if check.needed else "dim")
        console.print(Text.assemble((f"{mark} ", style), f"{check.what:10} {check.found}"), soft_wrap=True)
    return 0 if all(check.ok or not check.needed for check in checks) else 1


def check_all(root: Path) -> Iterator[Check]:
    """Everything grading depends on, one after the other."""
    yield Check("course", ok=True, found=str(root))
    yield _tried("labs", lambda: ", ".join(lab.id for lab in load_labs(root, [])))
    yield _tried("compiler", lambda: _compiler(root))
    yield _judges(root)
    yield _tried("sandbox", lambda: detect(root / "build" / "bin" / "confine", _prefix(root), allow_none=False).name)
    yield from _gpu(root)


def _gpu(root: Path) -> Iterator[Check]:
    """What of NVIDIA's is here and works, each with its reason where it is not. None of it is needed."""
    try:
        asked = backend_choice()
        kit = json.loads((root / "build" / "kit.json").read_text(encoding="utf-8"))
        confinement = detect(root / "build" / "bin" / "confine", _prefix(root), allow_none=True)
        backend = open_backend("auto" if asked == "cuda" else asked, root, kit, confinement)
    except (OSError, ValueError, KeyError, RemediableError, SandboxUnavailable) as error:
        yield Check("GPU", ok=False, found=str(error), needed=False)
        return
    why = backend.reasons or ("",)
    toolchain = f"{backend.toolchain.name} in {backend.toolchain.root}" if backend.toolchain else why[-1]
    yield Check("nvcc", backend.toolchain is not None, toolchain, needed=asked == "cuda")
    device = f"{backend.device}, reached from within the sandbox" if backend.runs else str(backend.device or why[0])
    yield Check("GPU", backend.device is not None, device, needed=asked == "cuda")
    nodes = ", ".join(str(path) for path in gpu_devices()) or "none"
    yield Check("devices", nodes != "none", nodes, needed=False)
    does = "kernels run on the CPU executor and on the GPU" if backend.runs else "kernels run on the CPU executor alone"
    compiled = " and are compiled by nvcc too" if backend.toolchain and not backend.runs else ""
    yield Check("backend", ok=True, found=f"{VARIABLE}={asked}: {does}{compiled}")


def _tried(what: str, find: Callable[[], str]) -> Check:
    try:
        return Check(what, ok=True, found=find())
    except (RemediableError, SandboxUnavailable) as error:
        return Check(what, ok=False, found=str(error))


def _compiler(root: Path) -> str:
    """The compiler that builds submissions, in its own words, and why it is that one."""
    try:
        compiler = json.loads((root / "build" / "kit.json").read_text(encoding="utf-8"))["compiler"]
    except (OSError, ValueError, KeyError) as error:
        message = f"the kit is not built ({error}): {_SET_UP}"
        raise RemediableError(message) from error
    return str(choose_compiler(compiler))


def _judges(root: Path) -> Check:
    suffix = "" if (root / "solutions").is_dir() else "-public"  # a handout has the public half alone
    missing = [lab for lab in lab_ids(root) if not (root / "build" / "bin" / f"judge-{lab}{suffix}").is_file()]
    found = f"no judge for {', '.join(missing)}: {_SET_UP}" if missing else "a judge for every lab"
    return Check("kit", not missing, found)


def _prefix(root: Path) -> Path | None:
    prefix = root / ".tilelab" / "prefix"
    return prefix if prefix.is_dir() else None
