"""Lists what is proved of a course, in the order in which it is reported. Runs nothing."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from pydantic import Field

from grader.cli.proofs import page_proofs
from grader.cli.proofs.page_proofs import disclosures
from grader.course import handouts, starters
from grader.course.handout_archive import Handout
from grader.course.leaks import Diagnostic
from grader.explain.small_edits import SmallEdit, mutants_of
from grader.model.described_problem import Strict
from grader.model.labs import Lab, LabError, read_table
from grader.model.result import LabResult
from grader.model.verdicts import Verdict
from grader.roll.batch.controls import demanded, unmet
from grader.run.described_cases import check_described
from grader.system.own_files import write_atomically

# A proof: a statement that has to be true of every course. It has a name, and steps that may run in parallel.
#
# A step tells what is wrong, by file and line. Nothing means that it holds. The caller decides on the order and the cores.

Step = Callable[[], Iterable[Diagnostic]]


@dataclass(frozen=True)
class Proof:
    name: str  # "rejects 01-add", as in `--proof`
    holds: str  # one line, printed when it holds
    steps: Sequence[Step]
    needs_kit: bool = False  # whether it builds and judges, for which set-up must have run


_HOLDS = {
    "starters": "starters are what model solutions give; write-ups, answers.md and seals are what each lab's questions give",
    "leaks": "no solution, hidden test, hidden shape, answer or seed in what students get",
    "written": "nothing that students get still has to be filled in",
    "listing": "the handout holds the kinds of file that handouts/listing.txt names",
    "links": "every link and figure in a handout leads to a file inside it",
    "figures": "each figure is what its script draws, and a write-up shows it",
    "numbers": "pages show what their commands print now",
    "points": "write-ups state the points that the grader gives",
}


def course_proofs(root: Path, labs: Sequence[Lab], made: Handout) -> list[Proof]:
    """Those that need no judge, of these labs of the course at `root`. `made`: the handout of these labs."""
    steps: dict[str, Sequence[Step]] = {
        "starters": [lambda: starters.outdated(root, handouts.other_labs(root, labs))],
        "leaks": [partial(handouts.leaking, root, labs, made)],
        "written": [partial(handouts.unfinished, root, labs, made)],
        "listing": [partial(handouts.unlisted, root, labs, made)],
        "links": [partial(dead_links, made)],
        "figures": [partial(page_proofs.outdated_figures, root)],
        "numbers": [partial(page_proofs.outdated, root, page) for page in pages(root, labs)],
        "points": [partial(page_proofs.wrong_points_of, root, lab) for lab in labs],
    }
    return [Proof(name, _HOLDS[name], each) for name, each in steps.items()]


def dead_links(made: Handout) -> Iterator[Diagnostic]:
    files = made.files

    def read(path: str) -> str | None:
        if path in files:
            return files[path].data.decode("utf-8", "replace")
        return "" if path == "." or any(name.startswith(f"{path}/") for name in files) else None

    for page in files:
        if page.endswith(".md"):
            yield from page_proofs.broken_links(page, read)


def pages(root: Path, labs: Sequence[Lab]) -> list[str]:
    """The pages that may show a command's output: the labs' and the course's own documents."""
    ours = [*root.glob("*.md"), *(root / "docs").glob("**/*.md")]
    for lab in labs:
        ours += [path for half in (lab.public_dir, lab.private_dir) if half for path in half.glob("*.md")]
    return sorted(path.relative_to(root).as_posix() for path in ours)


# Uses a handout as a student does: unpacks it into an empty folder and builds it. Every starter has to fail, and with the model
# solutions every lab has to pass.
#
# Compiler, libraries and Python are those of this clone, because set-up would fetch them again. A handout whose contents were proved
# before is not proved again.

_SECONDS = 3600  # long enough for a busy machine
_GENERATOR = re.compile(r"^(CMAKE_GENERATOR|CMAKE_MAKE_PROGRAM|CMAKE_CXX_COMPILER):\w+=(.+)$", re.MULTILINE)
_TEST = "from grader.cli.cli import app; app()"


@dataclass(frozen=True)
class UnpackedHandout:
    """One handout of the course at `root`. It is unpacked in `scratch`. `proved` is a folder with a file for each proved handout."""

    root: Path
    labs: Sequence[Lab]
    made: Handout
    scratch: Path
    proved: Path
    workers: int

    def diagnostics(self) -> list[Diagnostic]:
        mark = self.proved / f"handout-{self._key()}"
        if mark.is_file():
            return []
        found = list(self._diagnostics())
        if not found:
            write_atomically(mark, f"{self.made.manifest}\n")
        return found

    def _diagnostics(self) -> Iterator[Diagnostic]:
        archive = self.scratch / "handout.tar.gz"
        archive.write_bytes(self.made.archive())
        empty = self.scratch / "a student's folder"
        empty.mkdir()
        subprocess.run(["tar", "-xzf", str(archive), "-C", str(empty)], check=True, capture_output=True)  # noqa: S607
        folder = empty / self.made.name
        if failure := self._built(folder):
            yield Diagnostic("build/handouts", None, f"the handout does not build in an empty folder:\n{failure}")
            return
        screens = {}
        for lab in self.labs:
            page = f"assignments/{lab.id}/{lab.public.file}"
            done = screens[lab.id] = self._tested(folder, lab)
            if done.returncode != 1 or not done.stdout.strip():
                what = f"`make test` on the starter ends with {done.returncode}, not 1"
                yield Diagnostic(page, None, f"{what}:\n{_last(done.stdout + done.stderr)}")
            if lab.private_dir is None:
                continue
            shutil.copyfile(lab.private_dir / lab.public.file, folder / page)
            done = screens[lab.id] = self._tested(folder, lab)
            if done.returncode != 0:
                what = "the model solution does not pass inside the handout"
                yield Diagnostic(page, None, f"{what}:\n{_last(done.stdout + done.stderr)}")
        yield from self._with_built_kit(folder, screens)

    def _with_built_kit(
        self, folder: Path, screens: Mapping[str, subprocess.CompletedProcess[str]]
    ) -> Iterator[Diagnostic]:
        """The kit that comes built says of each file what the kit says that was built from its sources."""
        for path, file in handouts.with_built_kit(self.root, self.made).files.items():
            if path not in self.made.files:
                (folder / path).parent.mkdir(exist_ok=True)
                (folder / path).write_bytes(file.data)
        done = subprocess.run(
            ["bash", "kit/setup/setup.sh", "kit"],  # noqa: S607
            cwd=folder, env={**os.environ, "PYTHON": sys.executable}, capture_output=True, text=True, errors="replace", check=False,
        )  # fmt: skip
        if done.returncode != 0 or not (folder / "build" / ".prebuilt").is_file():
            yield Diagnostic(
                "kit/setup/prebuilt.sh", None, f"the kit that comes built is not used:\n{_last(done.stderr)}"
            )
            return
        for lab in self.labs:
            before, now = screens[lab.id], self._tested(folder, lab)
            if now.returncode != before.returncode or _judged(now.stdout) != _judged(before.stdout):
                what = "the kit from its sources and the kit that comes built say different things"
                both = f"{what}:\n{_last(before.stdout)}\n  and\n{_last(now.stdout + now.stderr)}"
                yield Diagnostic(f"assignments/{lab.id}/{lab.public.file}", None, both)

    def _built(self, folder: Path) -> str | None:
        """Builds as set-up does. Returns the last lines of the output where that fails."""
        found = dict(_GENERATOR.findall((self.root / "build" / "CMakeCache.txt").read_text(encoding="utf-8")))
        cmake = (self.root / "build" / ".cmake").read_text(encoding="utf-8").strip()
        prefix = self.root / ".tilelab" / "prefix"
        configure = [cmake, "-S", ".", "-B", "build", "-G", found["CMAKE_GENERATOR"], "-DCMAKE_BUILD_TYPE=Release"]
        configure += [
            f"-D{name}={found[name]}" for name in ("CMAKE_MAKE_PROGRAM", "CMAKE_CXX_COMPILER") if name in found
        ]
        configure += [f"-DCMAKE_PREFIX_PATH={prefix / 'usr'}", "-DTILELAB_ON_DEMAND=OFF"]  # all of it has to build
        if prefix.is_dir():
            (folder / ".tilelab").mkdir()
            (folder / ".tilelab" / "prefix").symlink_to(prefix, target_is_directory=True)
        for command in (configure, [cmake, "--build", "build", "--parallel", str(self.workers)]):
            done = subprocess.run(
                command, cwd=folder, capture_output=True, text=True, errors="replace", check=False, timeout=_SECONDS
            )
            if done.returncode != 0:
                return _last(done.stdout + done.stderr)
        return None

    def _tested(self, folder: Path, lab: Lab) -> subprocess.CompletedProcess[str]:
        """Runs what `make test` runs in the lab's folder after set-up, with the handout's own grader."""
        return subprocess.run(
            [sys.executable, "-c", _TEST, "test", lab.id],
            cwd=folder / "assignments" / lab.id, env={**os.environ, "PYTHONPATH": str(folder)},
            capture_output=True, text=True, errors="replace", check=False, timeout=_SECONDS,
        )  # fmt: skip

    def _key(self) -> str:
        digest = hashlib.sha256(self.made.manifest.contents.encode())
        digest.update((self.root / "build" / "kit.json").read_bytes())
        for lab in self.labs:
            if lab.private_dir is not None:
                digest.update((lab.private_dir / lab.public.file).read_bytes())
        return digest.hexdigest()


def _judged(screen: str) -> str:
    """Without the line that names the next lab, which depends on the other files."""
    return "\n".join(line for line in screen.splitlines() if not line.startswith("Next:"))


def _last(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.rstrip().splitlines()[-30:])


# Runs a lab's own kernels against its tests: the starter has to fail and say why, the model solution has to get full marks, and every
# reject has to get the verdict on its first line. What a student would see of each must not show anything hidden.

# Its tests also run on mutants of the model solution. Each mutant has to fail a test, or be listed as one that computes the same:
# `solutions/<lab>/survivors.toml` lists the survivors, each with the reason why no test can tell it from the solution. The proof also
# fails for an entry that a test does catch, and for an entry that no mutant matches any more.

SURVIVORS = "survivors.toml"


class Survivor(Strict):
    before: str
    after: str
    reason: str = Field(min_length=20)


class _SurvivorList(Strict):
    survivor: tuple[Survivor, ...] = ()


@dataclass(frozen=True)
class LabProofs:
    """Those that need a judge. `grade`: as a batch does. `verdict_of` a text: that of the first case that fails, or `pass`."""

    root: Path
    lab: Lab
    seed: int
    grade: Callable[[Lab, Path], LabResult]
    verdict_of: Callable[[Lab, str], Verdict]

    def of_kernels(self) -> Iterator[Proof]:
        if self.lab.public.described:
            yield self._proof("cases", "data sets fit lab.toml and agree with its formulas", [self.cases])
        yield self._proof("starter", "compiles without a warning, earns nothing and says why", [self.starter])
        if self.lab.private is not None:
            most = f"{self.lab.max_points:g}"
            yield self._proof("solution", f"gets {most} of {most} points", [self.solution])
            rejects = sorted(self._private("rejects").glob("*.cu"))
            steps: list[Step] = [self.enough_rejects, *(partial(self.reject, source) for source in rejects)]
            yield self._proof("rejects", f"{len(rejects)} wrong kernels get the verdict on their first line", steps)

    def of_mutants(self) -> Iterator[Proof]:
        if self.lab.private is None:
            return
        path = self._private(self.lab.public.file)
        mutants = mutants_of(path.read_text(encoding="utf-8")) if path.is_file() else []
        steps: list[Step] = [partial(self.stale, mutants), *(partial(self.check_mutant, mutant) for mutant in mutants)]
        holds = f"{len(mutants)} small mistakes in the solution are caught, or they change nothing"
        yield self._proof("mutants", holds, steps)

    def _proof(self, name: str, holds: str, steps: Sequence[Step]) -> Proof:
        return Proof(f"{name} {self.lab.id}", holds, steps, needs_kit=True)

    def cases(self) -> list[Diagnostic]:
        return [self._diagnostic(self.lab.public_dir / "lab.toml", what) for what in check_described(self.lab)]

    def starter(self) -> list[Diagnostic]:
        source = self.lab.public_dir / self.lab.public.file
        if not source.is_file():
            return [self._diagnostic(source, "is missing; run `tilelab starters`")]
        result = self.grade(self.lab, source)
        wrong = [*wrong_with_starter(result), *disclosures(result, self.seed)]
        return [self._diagnostic(source, what) for what in wrong]

    def solution(self) -> list[Diagnostic]:
        source = self._private(self.lab.public.file)
        if not source.is_file():
            return [self._diagnostic(source, "is missing: a lab has a model solution")]
        return [self._diagnostic(source, what) for what in wrong_with_solution(self.grade(self.lab, source))]

    def enough_rejects(self) -> list[Diagnostic]:
        assert self.lab.private is not None
        folder, least = self._private("rejects"), self.lab.private.rejects_at_least
        if (found := len(list(folder.glob("*.cu")))) >= least:
            return []
        remedy = "add wrong kernels, or lower `rejects_at_least` in grading.toml"
        return [self._diagnostic(folder, f"there are {found} rejects, but there must be {least}: {remedy}")]

    def reject(self, source: Path) -> list[Diagnostic]:
        try:
            demand = demanded(source)
        except LabError as error:
            return [self._diagnostic(source, str(error), line=1)]
        result = self.grade(self.lab, source)
        wrong = unmet(demand, result)
        found = [] if wrong is None else [self._diagnostic(source, wrong, line=1)]
        return found + [self._diagnostic(source, what) for what in disclosures(result, self.seed)]

    def stale(self, mutants: Sequence[SmallEdit]) -> list[Diagnostic]:
        """Listed survivors that no mutant matches."""
        made = {(mutant.before, mutant.after) for mutant in mutants}
        gone = [one for one in self._survivors() if (one.before, one.after) not in made]
        said = [f"no mutant changes `{one.before}` to `{one.after}` now: remove this survivor" for one in gone]
        return [self._diagnostic(self._private(SURVIVORS), what) for what in said]

    def check_mutant(self, mutant: SmallEdit) -> list[Diagnostic]:
        listed = any((one.before, one.after) == (mutant.before, mutant.after) for one in self._survivors())
        verdict = self.verdict_of(self.lab, mutant.text)
        changed = f"{mutant.operator} (`{mutant.before}` to `{mutant.after}`)"
        if verdict is Verdict.PASS and not listed:
            remedy = f"list it in {SURVIVORS} with the reason why it computes the same"
            said = f"every test passes after {changed}: add a case that fails with it, or {remedy}"
            return [self._diagnostic(self._private(self.lab.public.file), said, line=mutant.line)]
        if verdict is not Verdict.PASS and listed:
            got = "does not compile" if verdict.facts.never_ran else f"is caught as {verdict}"
            return [self._diagnostic(self._private(SURVIVORS), f"{changed} {got}: remove this survivor")]
        return []

    def _survivors(self) -> tuple[Survivor, ...]:
        path = self._private(SURVIVORS)
        return read_table(path, _SurvivorList).survivor if path.is_file() else ()

    def _private(self, name: str) -> Path:
        assert self.lab.private_dir is not None
        return self.lab.private_dir / name

    def _diagnostic(self, path: Path, what: str, *, line: int | None = None) -> Diagnostic:
        return Diagnostic(path.relative_to(self.root).as_posix(), line, what)


def wrong_with_starter(result: LabResult) -> Iterator[str]:
    """The starter has to compile without warnings and earn nothing, and each of its failed tests has to give advice."""
    if result.build is None or not result.build.ok:
        yield f"does not compile: {result.verdict}"
        return
    if result.build.log:
        yield f"compiles with warnings: {result.build.log.strip()}"
    if result.verdict in {Verdict.PASS, Verdict.INTERNAL_ERROR}:
        yield f"gets {result.verdict}, but an untouched starter must fail its tests"
    if result.points:
        yield f"earns {result.points:g} points before a student has written a line"
    for case in result.cases:
        if case.role == "correctness" and case.visibility == "public" and not (case.message and case.advice):
            yield f"the test {case.name!r} gives no advice when it fails; write its `advice` in lab.toml"


def wrong_with_solution(result: LabResult) -> Iterator[str]:
    if result.verdict is not Verdict.PASS or result.points != result.max_points or result.max_points == 0:
        yield f"gets {result.verdict} and {result.points:g} of {result.max_points:g} points"
    for case in result.cases:
        if not case.passed:
            yield f"fails {case.name!r}: {case.message}"
    for finding in result.findings:
        yield f"line {finding.line}: {finding.kind} ({finding.severity}): {finding.message}"
    if result.build is not None and result.build.log:
        yield f"compiles with warnings: {result.build.log.strip()}"
