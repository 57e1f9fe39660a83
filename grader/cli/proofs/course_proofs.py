"""Lists what is proved of a course, in the order in which it is reported. Runs nothing."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from grader.cli.proofs import page_proofs
from grader.cli.proofs.proving import Proof, Step
from grader.course import handouts, starters
from grader.course.handouts import Handout
from grader.course.leaks import Diagnostic
from grader.model.labs import Lab
from grader.system.own_files import write_atomically


def course_proofs(root: Path, labs: Sequence[Lab], made: Handout) -> list[Proof]:
    """Those that need no judge, of these labs of the course at `root`. `made`: the handout of these labs."""

    def of_these(check: Callable[[Path], list[Diagnostic]]) -> Step:
        return lambda: handouts.without_other_labs(labs, root, check(root))

    return [
        Proof("starters", "each starter is what its model solution gives", [of_these(starters.outdated)]),
        Proof(
            "questions",
            "write-ups and answers.md hold each lab's questions, with seals of the right numbers",
            [of_these(starters.outdated_questions)],
        ),
        Proof(
            "leaks",
            "no solution, hidden test, hidden shape, answer or seed in what students get",
            [partial(handouts.leaking, root, labs, made)],
        ),
        Proof(
            "written",
            "nothing that students get still has to be filled in",
            [partial(handouts.unfinished, root, labs, made)],
        ),
        Proof(
            "listing",
            "the handout holds the kinds of file that handouts/listing.txt names",
            [partial(handouts.unlisted, root, labs, made)],
        ),
        Proof("links", "every link and figure in a handout leads to a file inside it", [partial(dead_links, made)]),
        Proof(
            "figures",
            "each figure is what its script draws, and a write-up shows it",
            [partial(page_proofs.outdated_figures, root)],
        ),
        Proof(
            "numbers",
            "pages show what their commands print now",
            [partial(page_proofs.outdated, root, page) for page in pages(root, labs)],
        ),
        Proof(
            "points",
            "write-ups state the points that the grader gives",
            [partial(page_proofs.wrong_points_of, root, lab) for lab in labs],
        ),
    ]


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
        for lab in self.labs:
            page = f"assignments/{lab.id}/{lab.public.file}"
            done = self._tested(folder, lab)
            if done.returncode != 1 or not done.stdout.strip():
                output = _last(done.stdout + done.stderr)
                yield Diagnostic(
                    page, None, f"`make test` on the starter ends with {done.returncode}, not 1:\n{output}"
                )
            if lab.private_dir is None:
                continue
            shutil.copyfile(lab.private_dir / lab.public.file, folder / page)
            done = self._tested(folder, lab)
            if done.returncode != 0:
                output = _last(done.stdout + done.stderr)
                yield Diagnostic(page, None, f"the model solution does not pass inside the handout:\n{output}")

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


def _last(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.rstrip().splitlines()[-30:])
