"""A course of one lab on a machine that a test may damage: its own build folder, compiler, disk and class. What it must come to is known
from the same class on the same machine before the damage.
"""

from __future__ import annotations

import contextlib
import csv
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from unittest import mock
from zlib import crc32

import pytest
from corpus_sample import WHOLE, sample
from kernel_labs import kernel_lab_ids
from pydantic import TypeAdapter
from typer.testing import CliRunner

from grader.cli.cli import app
from grader.engines import cpu_toolchain
from grader.engines import cpu_toolchain as compiler_home
from grader.model.errors import exclusively
from grader.model.labs import Lab, load_lab
from grader.model.verdicts import Verdict
from grader.roll.batch.controls import Controls, demanded

ROOT = Path(__file__).resolve().parents[2]
LAB = kernel_lab_ids(ROOT)[0]
KIT = ROOT / "build" / "kit.json"
_TRIES = 5  # of a fault that may come too late
_SEED = "20240917\n"
# No point depends on the search for the lines of wrong results, and it takes as long as it may.
NO_SEARCH = ("--search-seconds", "0")


@dataclass(frozen=True)
class Batch:
    status: int
    said: str
    cells: dict[str, str]  # points by student, as in grades.csv; empty: no such file


@dataclass
class Course:
    """The paths of one course, and how to break what lies there."""

    folder: Path
    environment: dict[str, str] = field(default_factory=lambda: {"TILELAB_BACKEND": "cpu"})
    midway: Callable[[], None] | None = None  # done once the first controls have passed

    def __post_init__(self) -> None:
        self.root, self.out = self.folder / "course", self.folder / "results" / "out"
        self.submissions, self.temporary = self.folder / "handed in", self.folder / "temporary"
        self.build, self.tools = self.root / "build", self.folder / "opt" / "tools"
        self.seed = self.root / ".tilelab" / "seed"

    @property
    def judge(self) -> Path:
        return self.build / "bin" / f"judge-{LAB}"

    @property
    def library(self) -> Path:
        return self.build / "lib" / "libtilelab_runner.a"

    def lay_out(self) -> None:
        for half in ("assignments", "solutions"):
            _link(ROOT / half / LAB, self.root / half / LAB)
        self._link_kit()
        (ROOT / "build" / "prelude").mkdir(exist_ok=True)
        for built in (
            "bin/confine",
            "bin/launch",
            self.judge.relative_to(self.build),
            self.library.relative_to(self.build),
            "prelude",
        ):
            _link(ROOT / "build" / built, self.build / built)
        kit = json.loads(KIT.read_text(encoding="utf-8"))
        kit["archives"] = [str(self.library), *kit["archives"][1:]]
        (self.build / "kit.json").write_text(json.dumps(kit), encoding="utf-8")
        self.seed.parent.mkdir()
        self.seed.write_text(_SEED, encoding="utf-8")
        for folder in (self.temporary, self.out.parent, self.tools):
            folder.mkdir(parents=True)
        lab = load_lab(ROOT, LAB)
        assert lab.private_dir is not None
        for student, source in {"right": lab.private_dir / lab.public.file, "wrong": _wrong_kernel(lab)}.items():
            (self.submissions / student).mkdir(parents=True)
            shutil.copy(source, self.submissions / student / lab.public.file)

    def _link_kit(self) -> None:
        """Of the canaries, which every compiler that a test makes has to pass, a few will do."""
        for part in (ROOT / "kit").iterdir():
            if part.name != "canaries":
                _link(part, self.root / "kit" / part.name)
        for canary in sample(sorted((ROOT / "kit" / "canaries").glob("*.cu")), 16):
            _link(canary, self.root / "kit" / "canaries" / canary.name)

    def grade(self, *options: str) -> Batch:
        """As `tilelab grade` does, in this process; what that remembers of a compiler is forgotten first."""
        compiler_home._home.cache_clear()
        cpu_toolchain.ask.cache_clear()
        cpu_toolchain._linker.cache_clear()
        look, left = Controls.trouble, [self.midway] if self.midway else []

        def looked(controls: Controls, labs: Sequence[Lab]) -> str:
            trouble = look(controls, labs)
            if left:
                left.pop()()
            return trouble

        with (
            contextlib.chdir(self.root),
            mock.patch.dict(os.environ, self.environment),
            mock.patch.object(tempfile, "tempdir", str(self.temporary)),
            mock.patch.object(Controls, "trouble", looked),
        ):
            words = ["grade", str(self.submissions), "--out", str(self.out), "--jobs", "2", *options]
            done = CliRunner().invoke(app, words)
        assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
        return Batch(done.exit_code, done.output, self._cells())

    def grade_without_search(self) -> Batch:
        return self.grade(*NO_SEARCH)

    def _cells(self) -> dict[str, str]:
        try:
            with (self.out / "grades.csv").open(encoding="utf-8", newline="") as file:
                return {row["student"]: row[LAB] for row in csv.DictReader(file)}
        except FileNotFoundError:
            return {}

    def tool(self, name: str, script: str) -> Path:
        """A program of this machine, written anew."""
        path = self.tools / name
        draft = path.with_name(f".{path.name}")
        draft.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        draft.chmod(0o755)
        draft.replace(path)
        return path

    def compile_with(self, script: str) -> None:
        """A compiler that says who it is, and does `script` when it is to compile."""
        answers = f'case "$1" in -dump*|-print*|--version|-v) exec {compiler()} "$@";; esac'
        self.environment["TILELAB_COMPILER"] = str(self.tool("g++", f"{answers}\n{script}"))

    def compile_with_part(self, name: str, script: str) -> None:
        """The machine's compiler, of which one program is another one."""
        self.tool(name, script)
        self.environment["TILELAB_COMPILER"] = str(self.tool("g++", f'exec {compiler()} -B{self.tools}/ "$@"'))

    def compile_as_before(self) -> None:
        for path in self.tools.iterdir():
            path.unlink()
        self.environment["TILELAB_COMPILER"] = str(self.tool("g++", f'exec {compiler()} "$@"'))

    def damage(self, path: Path, content: bytes | str, *, mode: int = 0o755) -> None:
        """Puts a file of the test's own in the place of what is linked there."""
        path.unlink()
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        path.chmod(mode)

    def mend(self, path: Path) -> None:
        path.unlink(missing_ok=True)
        _link(ROOT / path.relative_to(self.root), path)


def compiler() -> str:
    """What the kit was built with."""
    return str(json.loads(KIT.read_text(encoding="utf-8"))["compiler"])


@pytest.fixture
def course(tmp_path: Path) -> Course:
    laid_out = Course(tmp_path)
    laid_out.lay_out()
    return laid_out


@pytest.fixture(scope="session")
def healthy(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What everybody gets on a machine that works. Of several workers, the first finds it out."""
    own = tmp_path_factory.getbasetemp()
    shared = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
    kept = shared / "healthy.json"
    with exclusively(shared / "healthy.lock"):
        if kept.exists():
            return TypeAdapter(dict[str, str]).validate_json(kept.read_bytes())
        course = Course(tmp_path_factory.mktemp("healthy"))
        course.lay_out()
        batch = course.grade_without_search()
        assert batch.status == 0, batch.said
        assert float(batch.cells["right"]) > float(batch.cells["wrong"])
        kept.write_text(json.dumps(batch.cells), encoding="utf-8")
        return batch.cells


Fault = Callable[[Course], "contextlib.AbstractContextManager[Callable[[], bool] | None]"]


@pytest.fixture
def prove(course: Course, healthy: dict[str, str], request: pytest.FixtureRequest) -> Callable[[Fault, str], None]:
    """No student loses a point to the fault, the machine is blamed in `words`, and after the repair grades are as ever. The last is
    looked at for one fault in three, and for all with TILELAB_WHOLE_CORPUS=1.
    """
    mends = WHOLE or crc32(request.node.name.encode()) % 3 == 0

    def prove_it(fault: Fault, words: str) -> None:
        with fault(course) as has_struck:
            broken = course.grade()
            for _ in range(_TRIES):
                if has_struck is None or (has_struck() and words in " ".join(broken.said.split())):
                    break  # else it came too late for the controls
                shutil.rmtree(course.out)  # what was judged would not be judged again
                broken = course.grade()
            assert broken.status in {2, 3}, broken.said
            assert "Traceback" not in broken.said
            assert words in " ".join(broken.said.split()), broken.said
            assert all(cell in {"", healthy[student]} for student, cell in broken.cells.items()), broken.cells
        if not mends:
            return
        course.midway = None
        mended = course.grade_without_search()
        assert (mended.status, mended.cells) == (0, healthy), mended.said

    return prove_it


def _wrong_kernel(lab: Lab) -> Path:
    """Another reject than the one that is the control."""
    assert lab.private_dir is not None
    rejects = sorted((lab.private_dir / "rejects").glob("*.cu"), reverse=True)
    return next(one for one in rejects if demanded(one).verdict is Verdict.WRONG_ANSWER)


def _link(target: Path, place: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(target)


def pytest_make_parametrize_id(val: object) -> str | None:
    """A fault's function by its name, in words."""
    name = getattr(val, "__name__", "")
    return name.replace("_", " ") if name else None


@pytest.fixture
def small_disk() -> Iterator[Callable[[Path, str], None]]:
    """Makes a folder a disk of its own: `small_disk(folder, "size=1m")`. Root alone can; the folder's content is hidden."""
    mounted: list[Path] = []

    def mount(place: Path, options: str) -> None:
        command = ["mount", "-t", "tmpfs", "-o", options, "none", str(place)]
        if os.geteuid() != 0 or subprocess.run(command, capture_output=True, check=False).returncode != 0:
            pytest.skip("only root, outside of most containers, can mount a small disk")
        mounted.append(place)

    yield mount
    for place in mounted:
        subprocess.run(["umount", str(place)], check=False)
