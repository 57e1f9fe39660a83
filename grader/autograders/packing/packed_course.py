"""The parts of a course that grading needs, as files for a pack: those of some labs, with solutions and hidden tests; the seed; a bundle.

What git tracks is packed, with its contents in the working tree: nothing that lies beside it by chance.
"""

from __future__ import annotations

import tarfile
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from grader.autograders.packing.autograder_pack import Files, PackRequest
from grader.course.handouts import read_tracked, tracked_files
from grader.course.tarball import PackedFile
from grader.model.errors import RemediableError
from grader.model.labs import Lab, LabError
from grader.model.seed import course_seed

COURSE = "tilelab"  # the folder of the course in a pack
_WHOLE = ("kit/", "grader/", "CMakeLists.txt", "pyproject.toml", "LICENSE", "Makefile")
_BUNDLE = ".tilelab/bundle/"


def private_course(request: PackRequest) -> dict[str, PackedFile]:
    """The course of the request's labs in the folder `tilelab`, without the seed. With the bundle, if there is one."""
    for lab in request.labs:
        if lab.private is None:
            message = f"{lab.id}: solutions/{lab.id} is missing: an autograder is packed in the instructor's own clone"
            raise LabError(message)
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
    return {name: _platform_file(root, platform, name) for name in names}


def _platform_file(root: Path, platform: str, name: str) -> PackedFile:
    path = root / "docker" / "autograders" / platform / name
    try:
        return PackedFile(path.read_bytes(), executable=path.suffix == ".sh" or name == "run_autograder")
    except OSError as error:
        message = f"{path}: {error.strerror}. An autograder is packed in a clone of the course, not in a handout."
        raise RemediableError(message) from error


def seed_file(root: Path) -> PackedFile:
    """The course's seed, as the grader reads it."""
    return PackedFile(f"{course_seed(root)}\n".encode())


def lab_list(labs: Sequence[Lab]) -> PackedFile:
    return PackedFile("".join(f"{lab.id}\n" for lab in labs).encode())


def _bundle(archive: Path) -> Files:
    """The files of an archive that `make bundle` made."""
    try:
        with tarfile.open(archive) as tar:
            members = [one for one in tar.getmembers() if one.isfile()]
            names = [PurePosixPath(one.name).as_posix() for one in members]
            foreign = [name for name in names if not name.startswith(_BUNDLE) or ".." in PurePosixPath(name).parts]
            if foreign or f"{_BUNDLE}bundle.txt" not in names:
                message = f"{archive}: this is no bundle. `make bundle` makes one."
                raise RemediableError(message)
            read = {name: tar.extractfile(one) for name, one in zip(names, members, strict=True)}
            return {name: PackedFile(stream.read()) for name, stream in read.items() if stream is not None}
    except (OSError, tarfile.TarError) as error:
        message = f"{archive}: this bundle cannot be read: {error}"
        raise RemediableError(message) from error
