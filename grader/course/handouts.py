"""Makes what students are given: one reproducible archive of a course's public half, complete on its own.

Takes what git tracks, as it lies in the working tree. Refuses while anything private is in it, while a starter is
stale, and while it holds a kind of file that `handouts/listing.txt` does not name. Unpacked, it has the same folders as
the course, so that kit, build files and grader are the very same files.
"""

from __future__ import annotations

import datetime as dt
import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from grader import __version__
from grader.course.diagnostic import Diagnostic
from grader.course.hidden_facts import copied_answers, told_seed, told_shapes
from grader.course.leaks import secrets_of
from grader.course.manifest import MANIFEST, Manifest, digest
from grader.course.markers import MarkerError, cut
from grader.course.starters import given_away, outdated
from grader.course.tarball import PackedFile, pack
from grader.course.withheld import HiddenCases, withheld
from grader.model.errors import RemediableError
from grader.model.labs import Lab, lab_ids
from grader.model.seed import seed_if_made

LISTING = "handouts/listing.txt"
_SURROUNDINGS = "handouts/student/"  # what lies in here lies at the top of a handout
_EDITORS = ("assignments/compile_flags.txt", "assignments/.clangd")
_VERBATIM = ("kit/", "grader/", "CMakeLists.txt", "pyproject.toml", "LICENSE", *_EDITORS)
_AT_HOME = "grader/course/skeleton/"  # of a new lab, which only the course's own repository can take
_UNFINISHED = "FILL IN"  # what a new lab's author has still to write
_ELSEWHERE = {  # where tools look for it in a student's folder
    "docker/student/Dockerfile": ".devcontainer/Dockerfile",
    "handouts/ci/student-github.yml": ".github/workflows/test.yml",
    "handouts/ci/student-gitlab.yml": ".gitlab-ci.yml",
}
_LABS_GO_HERE = "<!-- labs -->"  # in the students' README
_LISTED_BY_KIND = ("kit", "grader")  # these ship whole and grow from week to week: kinds are listed, not files
_FIGURES = "assignments/figures/"
_PICTURES = (".svg", ".png")


@dataclass(frozen=True)
class Handout:
    """A handout's files as students will see them, and the time they all carry."""

    manifest: Manifest
    files: Mapping[str, PackedFile]
    time: int  # seconds since 1970

    @property
    def name(self) -> str:
        return f"tilelab-{self.manifest.version}"

    def archive(self) -> bytes:
        return pack(self.name, self.files, self.time)


def handout(root: Path, labs: Sequence[Lab]) -> Handout:
    """The handout of these labs of the course at `root`. Raises RemediableError where git cannot tell what is tracked."""
    files = {}
    for path, mode in _tracked(root):
        if path.startswith(_SURROUNDINGS):
            files[path.removeprefix(_SURROUNDINGS)] = _read(root / path, mode)
        elif path in _ELSEWHERE:
            files[_ELSEWHERE[path]] = _read(root / path, mode)
        elif path.startswith(_AT_HOME):
            continue
        elif path.startswith((*_VERBATIM, *(f"assignments/{lab.id}/" for lab in labs))) or _is_figure(path):
            files[path] = _read(root / path, mode)
    files = {path: file for path, file in files.items() if not _is_figure(path) or _is_shown(path, files)}
    if "README.md" in files:
        text = files["README.md"].data.decode().replace(_LABS_GO_HERE, _lab_table(labs))
        files["README.md"] = PackedFile(text.encode())
    time = _time(root)
    date = dt.datetime.fromtimestamp(time, tz=dt.UTC).date().isoformat()
    starters = frozenset(f"assignments/{lab.id}/{lab.public.file}" for lab in labs)
    manifest = Manifest(__version__, date, {path: digest(file.data) for path, file in files.items()}, starters)
    files["VERSION"] = PackedFile(f"{manifest}\n".encode())
    files[MANIFEST] = PackedFile(manifest.to_json())
    return Handout(manifest, files, time)


def diagnostics(root: Path, labs: Sequence[Lab], made: Handout) -> list[Diagnostic]:
    """What keeps this handout from being given out; empty: nothing."""
    found = [*_of_these(labs, root, outdated(root)), *leaking(root, labs, made), *unlisted(root, labs, made)]
    return list(dict.fromkeys([*found, *unfinished(labs, made)]))


def leaking(root: Path, labs: Sequence[Lab], made: Handout) -> list[Diagnostic]:
    """What students would get that they may not see: code, tests, shapes, answers, the seed."""
    found = _of_these(labs, root, given_away(root))
    sources = {path.name: path.read_text(encoding="utf-8") for path in sorted((root / "solutions").glob("*/*.cu"))}
    try:
        secrets = secrets_of([cut(text, name) for name, text in sources.items()])
    except MarkerError:
        return found  # `outdated` names it; without markers nobody can tell what is secret
    texts = {path: file.data.decode("utf-8", "replace") for path, file in made.files.items() if path != MANIFEST}
    hidden = [_hidden_cases(lab) for lab in labs if lab.private is not None]
    found += withheld(texts, secrets, hidden)
    for one in hidden:
        found += told_shapes(texts, one.text, one.lab_id)
    answers = {path.relative_to(root).as_posix(): path for path in sorted((root / "solutions").glob("*/*.md"))}
    found += copied_answers(texts, {name: path.read_text(encoding="utf-8") for name, path in answers.items()})
    seed = seed_if_made(root)
    found += told_seed(texts, seed) if seed is not None else ()
    if _git(root, "ls-files", "--", ".tilelab/seed"):
        found.append(
            Diagnostic(".tilelab/seed", None, "git tracks the secret seed: `git rm --cached` it, and make another")
        )
    return list(dict.fromkeys(found))


def _of_these(labs: Sequence[Lab], root: Path, found: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Without what is wrong with labs that are not handed out yet."""
    others = set(lab_ids(root)) - {lab.id for lab in labs}
    return [one for one in found if not others & set(PurePosixPath(one.path).parts[1:2])]


def unlisted(root: Path, labs: Sequence[Lab], made: Handout) -> list[Diagnostic]:
    """Kinds of file in a handout that `handouts/listing.txt` does not name, and the reverse."""
    path = root / LISTING
    accepted = set(path.read_text(encoding="utf-8").splitlines()) if path.is_file() else set()
    found = set(listing(made).splitlines())
    remedy = "if that is meant, run `.venv/bin/tilelab handouts --accept`"
    new = [Diagnostic(LISTING, None, f"{kind} is new in the handout; {remedy}") for kind in sorted(found - accepted)]
    if len(labs) != len(lab_ids(root)):
        return new  # a kind that only another lab has
    gone = [
        Diagnostic(LISTING, None, f"{kind} is no longer in the handout; {remedy}") for kind in sorted(accepted - found)
    ]
    return new + gone


def unfinished(labs: Sequence[Lab], made: Handout) -> list[Diagnostic]:
    """The first place in each file of these labs and their problems that says what its author has still to write."""
    own = [f"assignments/{lab.id}/" for lab in labs]
    own += [f"kit/problems/{lab.public.problem.removesuffix('.hpp')}." for lab in labs]
    remedy = "write it, or hand out the other labs with --lab"
    found = []
    for path, file in made.files.items():
        lines = file.data.decode("utf-8", "replace").splitlines() if path.startswith(tuple(own)) else []
        if first := next((number for number, line in enumerate(lines, start=1) if _UNFINISHED in line), None):
            found.append(Diagnostic(path, first, f"still says {_UNFINISHED}: {remedy}"))
    return found


def listing(made: Handout) -> str:
    """The kinds of file in a handout, one a line: the same for every number of labs, but not with a new kind.
    Write-ups' pictures are left out.
    """
    paths = [path for path in made.files if not (path.startswith("assignments/") and path.endswith(_PICTURES))]
    return "".join(f"{kind}\n" for kind in sorted({_kind(path, made.manifest.starters) for path in paths}))


def write(made: Handout, folder: Path) -> Path:
    """Writes the archive into `folder`; its place at once, or not at all."""
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"{made.name}.tar.gz"
    unfinished = target.with_suffix(".new")
    unfinished.write_bytes(made.archive())
    unfinished.replace(target)
    return target


def _tracked(root: Path) -> list[tuple[str, str]]:
    """Path and git's mode of every tracked file that is there: a file system may not know which ones can be run."""
    listed = [line.partition("\t") for line in _git(root, "ls-files", "-z", "--stage").split("\0") if line]
    return [(path, said.split()[0]) for said, _, path in listed if (root / path).is_file()]


def _git(root: Path, *arguments: str) -> str:
    try:
        done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=True)  # noqa: S607
    except FileNotFoundError as error:
        message = "handouts hold what git tracks, and there is no git here: install it"
        raise RemediableError(message) from error
    except subprocess.CalledProcessError as error:
        message = f"{root}: handouts hold what git tracks, and git says: {error.stderr.strip()}"
        raise RemediableError(message) from error
    return done.stdout


def _time(root: Path) -> int:
    """When the course last changed: SOURCE_DATE_EPOCH where it is set, else the last commit's time."""
    said = os.environ.get("SOURCE_DATE_EPOCH") or _git(root, "log", "-1", "--format=%ct").strip()
    if not said.isdigit():
        message = f"SOURCE_DATE_EPOCH is {said!r}; it holds seconds since 1970"
        raise RemediableError(message)
    return int(said)


def _read(path: Path, mode: str) -> PackedFile:
    if path.is_symlink():
        message = f"{path} is a link; a handout holds files only"
        raise RemediableError(message)
    return PackedFile(path.read_bytes(), executable=mode == "100755")


def _is_figure(path: str) -> bool:
    """Of a write-up; the scripts that draw figures stay at home."""
    return path.startswith(_FIGURES) and path.endswith(_PICTURES)


def _is_shown(figure: str, files: Mapping[str, PackedFile]) -> bool:
    """Whether a write-up that goes out shows it: those of labs to come stay at home."""
    name = PurePosixPath(figure).name.encode()
    return any(name in file.data for path, file in files.items() if path.endswith(".md"))


def _lab_table(labs: Sequence[Lab]) -> str:
    rows = ["| lab | you write | what it is about |", "|---|---|---|"]
    for lab in labs:
        link = f"[{lab.id}](assignments/{lab.id}/README.md)"
        rows.append(f"| {link} | `{lab.public.file}` | {lab.public.title}. {lab.public.summary} |")
    return "\n".join(rows)


def _hidden_cases(lab: Lab) -> HiddenCases:
    assert lab.private is not None
    assert lab.private_dir is not None
    public = {case.name for case in lab.public.case}
    text = (lab.private_dir / "hidden_tests.cpp").read_text(encoding="utf-8")
    return HiddenCases(lab.id, [case.name for case in lab.private.case if case.name not in public], text)


def _kind(path: str, starters: frozenset[str]) -> str:
    pure = PurePosixPath(path)
    parts = list(pure.parts)
    if parts[0] in _LISTED_BY_KIND and pure.suffix:
        return f"{pure.parent}/*{pure.suffix}"
    if parts[0] == "assignments" and len(parts) > 2:  # noqa: PLR2004  assignments/<lab>/...
        parts[1] = "<lab>"
        if path in starters:
            parts[-1] = "<starter>"
    return "/".join(parts)
