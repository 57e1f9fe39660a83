"""Makes the handout: one archive of a course's public half, which needs nothing else, and is reproducible but for the kit that comes built.

It holds the files that git tracks, with their contents in the working tree. It is refused if it holds anything private, a stale
starter, or a kind of file that `handouts/listing.txt` does not name. It has the same folders as the course, so that kit, build
files and grader are exactly the course's own files.
"""

from __future__ import annotations

import datetime as dt
import os
import re
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from grader import __version__
from grader.course.handout_archive import MANIFEST, Handout, Manifest, PackedFile, digest, whole
from grader.course.leaks import Diagnostic, HiddenCases, copied_answers, disclosed_seed, disclosed_shapes, withheld
from grader.course.question_file import ANSWERS
from grader.course.starters import course_secrets, leaked_solutions, outdated
from grader.model.course_root import seed_if_made
from grader.model.errors import RemediableError
from grader.model.labs import Lab, lab_ids

LISTING = "handouts/listing.txt"
_TOP_FOLDER = "handouts/student/"  # the files in here go to the top of a handout
_AROUND_LABS = ("assignments/compile_flags.txt", "assignments/.clangd", "assignments/Makefile")
_VERBATIM = ("kit/", "grader/", "CMakeLists.txt", "pyproject.toml", "LICENSE", *_AROUND_LABS)
_NOT_HANDED_OUT = "grader/course/skeleton/"  # templates of new labs: those are added to the course's own repository
_UNFINISHED = "FILL IN"  # stands where a new lab's author still has to write something
_MOVED = {  # to the places where tools look for these files in a student's folder
    "docker/student/Dockerfile": ".devcontainer/Dockerfile",
    "handouts/ci/student-github.yml": ".github/workflows/test.yml",
    "handouts/ci/student-gitlab.yml": ".gitlab-ci.yml",
}
_LAB_LINK = re.compile(r"\[(?P<words>[^\]]*)\]\(\.\./(?P<lab>[\w-]+)/README\.md[^()\s]*\)")
_LAB_TABLE_MARK = "<!-- labs -->"  # in the students' README; the table of labs replaces it
_LISTED_BY_KIND = ("kit", "grader")  # these are handed out whole and often get new files, so kinds of file are listed
_FIGURES = "assignments/figures/"
_PICTURES = (".svg", ".png")


def handout(root: Path, labs: Sequence[Lab]) -> Handout:
    """The handout of these labs of the course at `root`. Raises RemediableError where git cannot say which files it tracks."""
    files = {}
    for path, mode in tracked_files(root):
        if path.startswith(_TOP_FOLDER):
            files[path.removeprefix(_TOP_FOLDER)] = read_tracked(root / path, mode)
        elif path in _MOVED:
            files[_MOVED[path]] = read_tracked(root / path, mode)
        elif path.startswith(_NOT_HANDED_OUT):
            continue
        elif path.startswith((*_VERBATIM, *(f"assignments/{lab.id}/" for lab in labs))) or _is_figure(path):
            files[path] = read_tracked(root / path, mode)
    # Figures of later labs are not handed out yet: those that a write-up in the handout shows are.
    pages = b"\n".join(file.data for path, file in files.items() if path.endswith(".md"))
    for path in [one for one in files if _is_figure(one) and PurePosixPath(one).name.encode() not in pages]:
        del files[path]
    if "README.md" in files:
        text = files["README.md"].data.decode().replace(_LAB_TABLE_MARK, _lab_table(labs))
        files["README.md"] = PackedFile(text.encode())
    given = {lab.id for lab in labs}  # of links to other labs the words stay
    for path in [one for one in files if one.startswith("assignments/") and one.endswith(".md")]:
        text = files[path].data.decode("utf-8", "replace")
        linked = _LAB_LINK.sub(lambda found: found[0] if found["lab"] in given else found["words"], text)
        if linked != text:
            files[path] = replace(files[path], data=linked.encode())
    time = course_time(root)
    date = dt.datetime.fromtimestamp(time, tz=dt.UTC).date().isoformat()
    edited = {f"assignments/{lab.id}/{name}" for lab in labs for name in (lab.public.file, ANSWERS)}
    starters = frozenset(path for path in files if path in edited or _is_beside(path, labs))
    manifest = Manifest(__version__, date, {path: digest(file.data) for path, file in files.items()}, starters)
    return whole(manifest, files, time)


def _is_beside(path: str, labs: Sequence[Lab]) -> bool:
    """Whether it is one of several files of a lab that students write."""
    folder, _, name = path.rpartition("/")
    return any(folder == f"assignments/{lab.id}" and lab.public.asks_beside(name) for lab in labs)


def with_built_kit(root: Path, made: Handout) -> Handout:
    """The handout with the kit that was built in the course at `root`, for machines like this one: a student's first test then compiles
    nothing of it. Raises RemediableError where it cannot be packed.
    """
    if untracked := _git(root, "ls-files", "--others", "--exclude-standard", "--", "kit", "CMakeLists.txt").split("\n")[
        0
    ]:
        what = f"{untracked} is built in, and git does not track it, so it is no file of a handout"
        raise RemediableError(f"the built kit cannot be packed: {what}. `--no-built` hands out the sources alone")
    with TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for path, file in made.files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(file.data)
        command = ["bash", "kit/setup/setup.sh", "prebuilt", str(root / "build")]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", check=False)
        if done.returncode != 0:
            why = done.stderr.strip().removeprefix("tilelab: ")
            raise RemediableError(f"the built kit cannot be packed: {why}. `--no-built` hands out its sources alone")
        packed = {
            path.relative_to(folder).as_posix(): PackedFile(path.read_bytes())
            for path in sorted((folder / "kit/prebuilt").iterdir())
        }
    digests = {path: digest(file.data) for path, file in packed.items()}
    return whole(replace(made.manifest, files={**made.manifest.files, **digests}), {**made.files, **packed}, made.time)


def diagnostics(root: Path, labs: Sequence[Lab], made: Handout) -> list[Diagnostic]:
    """Why this handout must not be given out. Empty: it may."""
    found = [*outdated(root, other_labs(root, labs)), *leaking(root, labs, made), *unlisted(root, labs, made)]
    return list(dict.fromkeys([*found, *unfinished(root, labs, made)]))


def leaking(root: Path, labs: Sequence[Lab], made: Handout) -> list[Diagnostic]:
    """Secrets that this handout would give to students: code, tests, shapes, answers, the seed."""
    found = leaked_solutions(root, other_labs(root, labs))
    texts = {path: file.data.decode("utf-8", "replace") for path, file in made.files.items() if path != MANIFEST}
    hidden = [_hidden_cases(lab) for lab in labs if lab.private is not None]
    found += withheld(texts, course_secrets(root), hidden)
    for one in hidden:
        found += disclosed_shapes(texts, one.text, one.lab_id)
    answers = {path.relative_to(root).as_posix(): path for path in sorted((root / "solutions").glob("*/*.md"))}
    found += copied_answers(texts, {name: path.read_text(encoding="utf-8") for name, path in answers.items()})
    seed = seed_if_made(root)
    found += disclosed_seed(texts, seed) if seed is not None else ()
    if _git(root, "ls-files", "--", ".tilelab/seed"):
        what = "git tracks the secret seed: remove it with `git rm --cached`, and make a new one"
        found.append(Diagnostic(".tilelab/seed", None, what))
    return list(dict.fromkeys(found))


def other_labs(root: Path, labs: Sequence[Lab]) -> set[str]:
    """Labs that are not handed out yet."""
    return set(lab_ids(root)) - {lab.id for lab in labs}


def unlisted(root: Path, labs: Sequence[Lab], made: Handout) -> list[Diagnostic]:
    """Kinds of file in a handout that `handouts/listing.txt` does not name, and kinds that it names and the handout lacks."""
    path = root / LISTING
    accepted = set(path.read_text(encoding="utf-8").splitlines()) if path.is_file() else set()
    found = set(listing(made).splitlines())
    remedy = "if you want that, run `.venv/bin/tilelab handouts --accept`"
    told = [f"{kind} is new in the handout" for kind in sorted(found - accepted)]
    if len(labs) == len(lab_ids(root)):  # else a listed kind may belong to one of the other labs
        told += [f"{kind} is no longer in the handout" for kind in sorted(accepted - found)]
    return [Diagnostic(LISTING, None, f"{what}; {remedy}") for what in told]


def unfinished(root: Path, labs: Sequence[Lab], made: Handout) -> list[Diagnostic]:
    """The first unfinished place in each file of these labs and their problems, whether git tracks it already or not."""
    own = [f"assignments/{lab.id}/" for lab in labs]
    own += [f"kit/problems/{lab.public.problem_name}." for lab in labs if lab.public.problem_name]
    remedy = "write it, or hand out the other labs with --lab"
    untracked = _git(root, "ls-files", "-z", "--others", "--exclude-standard", "--", "assignments", "kit/problems")
    data = {path: file.data for path, file in made.files.items()}
    data |= {path: (root / path).read_bytes() for path in untracked.split("\0") if (root / path).is_file()}
    found = []
    for path in data:
        lines = data[path].decode("utf-8", "replace").splitlines() if path.startswith(tuple(own)) else []
        if first := next((number for number, line in enumerate(lines, start=1) if _UNFINISHED in line), None):
            found.append(Diagnostic(path, first, f"still says {_UNFINISHED}: {remedy}"))
    return found


def listing(made: Handout) -> str:
    """The kinds of file in a handout, one a line. Another lab does not change this text; a new kind of file does.
    Pictures in write-ups are left out.
    """
    paths = [path for path in made.files if not (path.startswith("assignments/") and path.endswith(_PICTURES))]
    return "".join(f"{kind}\n" for kind in sorted({_kind(path, made.manifest.starters) for path in paths}))


def write(made: Handout, folder: Path) -> Path:
    """Writes the archive into `folder`, as a whole or not at all."""
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"{made.name}.tar.gz"
    unfinished = target.with_suffix(".new")
    unfinished.write_bytes(made.archive())
    unfinished.replace(target)
    return target


def tracked_files(root: Path) -> list[tuple[str, str]]:
    """Path and git's mode of every tracked file that exists: some file systems do not know which files are executable."""
    listed = [line.partition("\t") for line in _git(root, "ls-files", "-z", "--stage").split("\0") if line]
    return [(path, entry.split()[0]) for entry, _, path in listed if (root / path).is_file()]


def _git(root: Path, *arguments: str) -> str:
    tracked = "handouts hold the files that git tracks, but"
    try:
        done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=True)  # noqa: S607
    except FileNotFoundError as error:
        raise RemediableError(f"{tracked} there is no git on this machine: install it") from error
    except subprocess.CalledProcessError as error:
        raise RemediableError(f"{root}: {tracked} git says: {error.stderr.strip()}") from error
    return done.stdout


def course_time(root: Path) -> int:
    """The time of the course's last change: SOURCE_DATE_EPOCH where it is set, else the time of the last commit."""
    seconds = os.environ.get("SOURCE_DATE_EPOCH") or _git(root, "log", "-1", "--format=%ct").strip()
    if not seconds.isdigit():
        raise RemediableError(f"SOURCE_DATE_EPOCH is {seconds!r}. It has to be a number of seconds since 1970.")
    return int(seconds)


def read_tracked(path: Path, mode: str) -> PackedFile:
    if path.is_symlink():
        raise RemediableError(f"{path} is a link. A handout can hold files only.")
    return PackedFile(path.read_bytes(), executable=mode == "100755")


def _is_figure(path: str) -> bool:
    """Whether it is a write-up's figure. The scripts that draw figures are not handed out."""
    return path.startswith(_FIGURES) and path.endswith(_PICTURES)


def _lab_table(labs: Sequence[Lab]) -> str:
    rows = ["| lab | you write | what it is about | after |", "|---|---|---|---|"]
    given = {lab.id for lab in labs}
    for lab in labs:
        link = f"[{lab.id}](assignments/{lab.id}/README.md)"
        credit = " Extra credit." if lab.public.extra_credit else ""
        before = ", ".join(one for one in lab.public.needs if one in given)
        rows.append(f"| {link} | `{lab.public.file}` | {lab.public.title}. {lab.public.summary}{credit} | {before} |")
    return "\n".join(rows)


def _hidden_cases(lab: Lab) -> HiddenCases:
    assert lab.private is not None
    assert lab.private_dir is not None
    public = {case.name for case in lab.public.case}
    text = (lab.private_dir / ("grading.toml" if lab.public.described else "hidden_tests.cpp")).read_text(
        encoding="utf-8"
    )
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
