"""What every pack consists of: what it is made from, the files that come of it, and what the instructor does with them. Plain data."""

from __future__ import annotations

import io
import json
import stat
import tarfile
import time as clock
import uuid
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from grader.course.handout_archive import PackedFile
from grader.course.handouts import diagnostics, handout, read_tracked, tracked_files
from grader.course.question_file import ANSWERS, QUESTIONS
from grader.model.course_root import course_seed, load_labs
from grader.model.errors import RemediableError
from grader.model.labs import Lab, LabError, lab_ids, load_lab
from grader.model.several_files import BUILD_FILES

Files = Mapping[str, PackedFile]  # by path, with "/" between its parts


@dataclass(frozen=True)
class PackRequest:
    root: Path  # of the course
    labs: Sequence[Lab]
    bundle: Path | None = None  # an archive of `make bundle`; none: the platform has a network
    image: str = ""  # what the platform calls an image that the instructor has built
    time: int = 0  # of every file, in seconds since 1970


@dataclass(frozen=True)
class PackMade:
    files: Files  # in a folder of the platform's name
    steps: tuple[str, ...]  # what comes next, one line each
    is_secret: bool = True  # holds hidden tests, solutions or the seed


@dataclass(frozen=True)
class AutograderPack:
    name: str  # as in `make autograder PLATFORM=NAME`
    help: str  # one line
    make: Callable[[PackRequest], PackMade]


# Archives of a pack's files as bytes: a zip, or a tar without compression. The same files give the same bytes.

_FIRST = 315_619_200  # a zip knows no time before 1980


def zipped(files: Files, time: int) -> PackedFile:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            info = zipfile.ZipInfo(name, clock.gmtime(max(time, _FIRST))[:6])
            info.external_attr = (stat.S_IFREG | _mode(files[name])) << 16
            info.create_system = 3  # Unix: unzip then keeps modes
            archive.writestr(info, files[name].data, zipfile.ZIP_DEFLATED)
    return PackedFile(data.getvalue())


def tarred(files: Files, time: int) -> PackedFile:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name in sorted(files):
            member = tarfile.TarInfo(name)
            member.size, member.mode, member.mtime = len(files[name].data), _mode(files[name]), time
            tar.addfile(member, io.BytesIO(files[name].data))
    return PackedFile(data.getvalue())


def _mode(file: PackedFile) -> int:
    return 0o755 if file.executable else 0o644


# The parts of a course that grading needs, as files for a pack: those of some labs, with solutions and hidden tests; the seed; a bundle.
#
# What git tracks is packed, with its contents in the working tree: nothing that lies beside it by chance.

COURSE = "tilelab"  # the folder of the course in a pack
_WHOLE = ("kit/", "grader/", "CMakeLists.txt", "pyproject.toml", "LICENSE", "Makefile")
_BUNDLE = ".tilelab/bundle/"


def private_course(request: PackRequest) -> dict[str, PackedFile]:
    """The course of the request's labs in the folder `tilelab`, without the seed. With the bundle, if there is one."""
    for lab in request.labs:
        if lab.private is None:
            raise LabError(
                f"{lab.id}: solutions/{lab.id} is missing: an autograder is packed in the instructor's own clone"
            )
    folders = [f"{half}/{lab.id}/" for half in ("assignments", "solutions") for lab in request.labs]
    files = {
        f"{COURSE}/{path}": read_tracked(request.root / path, mode)
        for path, mode in tracked_files(request.root)
        if path.startswith((*_WHOLE, *folders))
    }
    if request.bundle is not None:
        files |= {f"{COURSE}/{path}": file for path, file in _bundle(request.bundle).items()}
    return files


def platform_files(root: Path, platform: str, names: Sequence[str]) -> dict[str, PackedFile]:
    """Files of `docker/autograders/<platform>/` by their names there."""
    folder = root / "docker" / "autograders" / platform
    try:
        return {
            name: PackedFile((folder / name).read_bytes(), name.endswith(".sh") or name == "run_autograder")
            for name in names
        }
    except OSError as error:
        raise RemediableError(
            f"{error.filename}: {error.strerror}. An autograder is packed in a clone of the course, not in a handout."
        ) from error


def seed_file(root: Path) -> PackedFile:
    """The course's seed, as the grader reads it."""
    return PackedFile(f"{course_seed(root)}\n".encode())


def lab_list(labs: Sequence[Lab]) -> PackedFile:
    return PackedFile("".join(f"{lab.id}\n" for lab in labs).encode())


def _whole(request: PackRequest, ours: dict[str, PackedFile]) -> Files:
    """The course with its seed and labs, and a platform's own files."""
    seed = {f"{COURSE}/.tilelab/seed": seed_file(request.root), "labs.txt": lab_list(request.labs)}
    return private_course(request) | ours | seed


def _bundle(archive: Path) -> Files:
    """The files of an archive that `make bundle` made."""
    try:
        with tarfile.open(archive) as tar:
            members = [one for one in tar.getmembers() if one.isfile()]
            names = [PurePosixPath(one.name).as_posix() for one in members]
            foreign = [name for name in names if not name.startswith(_BUNDLE) or ".." in PurePosixPath(name).parts]
            if foreign or f"{_BUNDLE}bundle.txt" not in names:
                raise RemediableError(f"{archive}: this is no bundle. `make bundle` makes one.")
            read = {name: tar.extractfile(one) for name, one in zip(names, members, strict=True)}
            return {name: PackedFile(stream.read()) for name, stream in read.items() if stream is not None}
    except (OSError, tarfile.TarError) as error:
        raise RemediableError(f"{archive}: this bundle cannot be read: {error}") from error


# The packs of platforms that run an image or an archive of the instructor's: Gradescope, PrairieLearn, Autolab.

_MOST_SECONDS = 600  # of a job of PrairieLearn


def gradescope_pack(request: PackRequest) -> PackMade:
    ours = platform_files(request.root, "gradescope", ["gradescope_setup.sh", "run_autograder", "Dockerfile"])
    ours["setup.sh"] = ours.pop("gradescope_setup.sh")
    made = zipped(_whole(request, ours), request.time)
    # Extra credit comes on top of the others, where there are others.
    counted = [lab for lab in request.labs if not lab.public.extra_credit] or request.labs
    points = sum(lab.max_points for lab in counted)
    steps = (
        "Gradescope: make a Programming Assignment; under Configure Autograder, choose Ubuntu 24.04 as base image",
        "upload autograder.zip there, press Update Autograder, and wait for the build; then Test Autograder with a solution",
        f"give the assignment {points:g} autograder points, and a timeout of 20 minutes or more",
    )
    return PackMade({"autograder.zip": made}, steps)


def prairielearn_pack(request: PackRequest) -> PackMade:
    image = request.image or "your-account/tilelab-autograder:1"
    ours = platform_files(request.root, "prairielearn", ["Dockerfile", "grade_job.sh"])
    files = {f"image/{path}": file for path, file in _whole(request, ours).items()}
    for lab in request.labs:
        for name, text in _question(lab, image).items():
            files[f"questions/{lab.id}/{name}"] = PackedFile(text.encode())
    steps: tuple[str, ...] = (
        f"docker build --tag {image} image, and push it to a private repository that PrairieLearn may read",
        "copy the folders in questions/ into the course's own folder questions/, and name them in an assessment",
    )
    if not request.image:
        steps += ("the questions name an image that does not exist: give yours with IMAGE=account/name:tag",)
    return PackMade(files, steps)


def _question(lab: Lab, image: str) -> dict[str, str]:
    """A question that asks for the lab's file."""
    info = {
        "uuid": str(uuid.uuid5(uuid.NAMESPACE_URL, f"tilelab/{lab.id}/{lab.public.file}")),
        "title": lab.public.title,
        "topic": "CUDA",
        "type": "v3",
        "gradingMethod": "External",
        "externalGradingOptions": {
            "enabled": True,
            "image": image,
            "entrypoint": "/opt/autograder/grade_job.sh",
            "timeout": _MOST_SECONDS,
            "environment": {"LAB": lab.id},
        },
    }
    asks = (lab.public_dir / QUESTIONS).is_file()
    beside = f", and the answers to the lab's questions in <code>{ANSWERS}</code>" if asks else ""
    needed, may = [lab.public.file], [ANSWERS] if asks else []
    for one in lab.public.beside:
        (may if "*" in one or one in BUILD_FILES else needed).append(one)
    optional = f' optional-file-names="{",".join(may)}"' if may else ""
    page = (
        "<pl-question-panel>\n"
        f"<p>Hand in <code>{'</code>, <code>'.join(needed)}</code>{beside}. What it has to do is in the lab's README.</p>\n"
        f'<pl-file-upload file-names="{",".join(needed)}"{optional}></pl-file-upload>\n'
        "</pl-question-panel>\n"
        "<pl-submission-panel>\n"
        "<pl-external-grader-results></pl-external-grader-results>\n"
        "<pl-file-preview></pl-file-preview>\n"
        "</pl-submission-panel>\n"
    )
    return {"info.json": json.dumps(info, indent=2) + "\n", "question.html": page}


def autolab_pack(request: PackRequest) -> PackMade:
    ours = platform_files(request.root, "autolab", ["Dockerfile", "autograde-Makefile", "autolab_job.sh"])
    job = {
        "autograde/autolab_job.sh": ours["autolab_job.sh"],
        "autograde/labs.txt": lab_list(request.labs),
        "autograde/seed": seed_file(request.root),
    }
    files = {f"image/{path}": file for path, file in private_course(request).items()}
    files["image/Dockerfile"] = ours["Dockerfile"]
    files["autograde-Makefile"] = ours["autograde-Makefile"]
    files["autograde.tar"] = tarred(job, request.time)
    problems = ", ".join(f"{lab.id} ({lab.max_points:g})" for lab in request.labs)
    alone = len(request.labs) == 1 and not request.labs[0].public.files
    handed_in = request.labs[0].public.file if alone else "handin.zip"
    steps = (
        "docker build --tag tilelab_autograding image, where Autolab's Tango runs, with --build-arg BASE=its own grading image",
        f"Autolab: an assessment with the problems {problems}, and {handed_in} as the file that is handed in",
        "Add Autograder: image tilelab_autograding, a timeout of 600 s or more, and the files autograde-Makefile and autograde.tar",
    )
    return PackMade(files, steps)


# The packs for students' own repositories on GitHub: a workflow for practice, a private repository that grades, and classroom50.
#
# What a student's repository runs, its student can read and change. So hidden tests go into the private repository alone, and the seed
# into none: it becomes a secret there.

_MOST_BUNDLE = 10 << 20  # classroom50's runner fetches no more


def github_pack(request: PackRequest) -> PackMade:
    ours = platform_files(request.root, "github-actions", ["student.yml", "private.yml", "grade_repositories.sh"])
    files = {f"private/{path}": file for path, file in private_course(request).items()}
    files |= {
        "student/.github/workflows/practice.yml": ours["student.yml"],
        "private/.github/workflows/grade.yml": ours["private.yml"],
        "private/grade_repositories.sh": ours["grade_repositories.sh"],
        "private/labs.txt": lab_list(request.labs),
        "seed.txt": seed_file(request.root),
    }
    steps = (
        "students: put student/.github into the template repository, beside an unpacked handout (make handouts)",
        "instructors: push the folder private/ as a PRIVATE repository in which no student is a member",
        "there: gh secret set TILELAB_SEED <seed.txt, and gh secret set SUBMISSIONS_TOKEN; then run the workflow `grade`",
    )
    return PackMade(files, steps)


def classroom50_pack(request: PackRequest) -> PackMade:
    """Raises RemediableError where the handout may not be given out."""
    given = load_labs(request.root, _with_earlier(request))
    made = handout(request.root, given)
    if refused := diagnostics(request.root, given, made):
        raise RemediableError(f"{refused[0]}: what students can read must not hold this. `make handouts` lists all.")
    archive = made.archive()
    if len(archive) > _MOST_BUNDLE:
        raise RemediableError(
            f"the handout has {len(archive) >> 20} MiB, and classroom50 takes {_MOST_BUNDLE >> 20}: pack fewer labs"
        )
    slug = request.labs[0].id if len(request.labs) == 1 else "tilelab"
    folder = f"autograders/{slug}"
    ours = platform_files(request.root, "classroom50", ["autograder.py"])
    inside = ours | {"handout.tar.gz": PackedFile(archive), "labs.txt": lab_list(request.labs)}
    files = {f"{folder}/{name}": file for name, file in inside.items()}
    steps = (
        f"copy {folder} into the classroom's folder of your repository classroom50, and push; {slug} is the assignment's name",
        'in the assignment, name "tilelab-report.html" under Submission release files',
        "hidden tests are not in it, because students can read all of it: grade with them in a clone, or with PLATFORM=github-actions",
    )
    return PackMade(files, steps, is_secret=False)


def _with_earlier(request: PackRequest) -> list[str]:
    """The labs and those that come before them, to which their write-ups link: these were given out already."""
    here, wanted = set(lab_ids(request.root)), [lab.id for lab in request.labs]
    for lab_id in wanted:  # grows while it is read
        needed = load_lab(request.root, lab_id).public.needs
        wanted += [one for one in needed if one in here and one not in wanted]
    return sorted(wanted)


PACKS = (
    AutograderPack("gradescope", "autograder.zip, to be uploaded", gradescope_pack),
    AutograderPack("classroom50", "an assignment's autograder, with the public tests alone", classroom50_pack),
    AutograderPack(
        "github-actions",
        "a workflow for students' repositories, and a private repository that grades them",
        github_pack,
    ),
    AutograderPack("prairielearn", "an image to build, and a question for each lab", prairielearn_pack),
    AutograderPack("autolab", "autograde-Makefile, autograde.tar and an image to build", autolab_pack),
)
