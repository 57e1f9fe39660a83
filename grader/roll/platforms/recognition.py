"""Which platform has laid out a class, by what the platform itself writes. The most particular marks are asked first.

Students may choose names like another platform's. So a platform that explains all names comes before one that explains only most.
"""

from __future__ import annotations

import re
from dataclasses import replace

from grader.model.result import Student
from grader.model.written_names import clean
from grader.roll.intake.upload import Upload
from grader.roll.platforms.course_systems import (
    STAMP,
    TEXT,
    blackboard_download,
    brightspace_download,
    moodle_download,
    sakai_download,
)
from grader.roll.platforms.download_names import ClassFiles, Export, Recogniser, strange
from grader.roll.platforms.flat_downloads import autolab_handins, canvas_download, prairielearn_files
from grader.roll.platforms.gradescope_export import METADATA, METADATA_BYTES, gradescope_export

# Clones of students' repositories: GitHub Classroom's (`gh classroom clone student-repos`), classroom50's, and plain ones.
#
# Each is a folder `<assignment>-<account>`. Nothing in it is the platform's. The name of the folder around the clones tells the assignment;
# otherwise accounts are not known, because both may hold hyphens. Times of commits are what students say, so they are not used. Pure.

_CLASSROOM = re.compile(r"(?P<assignment>.+)-submissions")
_CLASSROOM50 = re.compile(r"(?P<assignment>.+)_submissions_\d{4}_\d\d_\d\d_T_\d\d_\d\d_\d\d")
_ACCOUNT = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})")
PLAIN = "GitHub"  # clones that nothing of the classroom tells of
_FEWEST = 2


def repository_clones(files: ClassFiles) -> Export | None:
    around = _CLASSROOM50.fullmatch(files.label) or _CLASSROOM.fullmatch(files.label)
    prefix = f"{around['assignment']}-" if around else ""
    given = around["assignment"] if around else ""  # the template's own clone, which no student has
    folders = {name: top for name, top in files.only(folders=True).items() if name != given}
    named = bool(prefix) and all(name.startswith(prefix) for name in folders)
    clones = {name: top for name, top in folders.items() if named or () in top.contents.repositories}
    few = not named and len(clones) < _FEWEST  # one student may hand in a folder with `.git` in it
    if few or not clones or len(clones) <= len(folders) - len(clones):
        return None
    platform = PLAIN
    if _CLASSROOM50.fullmatch(files.label) or ("scores.csv" in files.tops and named):
        platform = "classroom50"
    elif named:
        platform = "GitHub Classroom"
    others = [name for name in files.tops if name not in folders and name != given]
    notices = (f"{clean(given)!r} is the assignment's own repository and no student's",) if given in files.tops else ()
    uploads = []
    for name, top in folders.items():
        account = name.removeprefix(prefix) if named else ""
        owners = (Student(platform_ids={"GitHub Classroom": account}),) if _ACCOUNT.fullmatch(account) else ()
        contents = replace(top.contents, repositories=frozenset())
        uploads.append(Upload(account or name, contents, top.refused, owners=owners, downloaded=(name,)))
    return Export(platform, tuple(uploads), notices, tuple(others), strange(files, others), what="clones")


_RECOGNISERS: tuple[Recogniser, ...] = (
    gradescope_export,
    moodle_download,
    blackboard_download,
    brightspace_download,
    sakai_download,
    prairielearn_files,
    autolab_handins,
    canvas_download,
    repository_clones,
)
_PAGE_BYTES = 1 << 20
_TOP = 3  # below so many folders nothing is the platform's


def recognised(files: ClassFiles) -> Export | None:
    """None: no platform that we know. Raises Refusal where it is one, and what it says of the submissions cannot be understood."""
    first = None
    for recogniser in _RECOGNISERS:
        one = recogniser(files)
        if one is not None and not one.strange:
            return one
        first = first or one
    return first


def own_file_bytes(path: tuple[str, ...]) -> int:
    """How many bytes are needed of a file by which a platform says whose submissions are, or in which it keeps a text. 0: it is none."""
    if len(path) > _TOP:
        return 0
    name = path[-1]
    if name == METADATA:
        return METADATA_BYTES if len(path) < _TOP else 0
    typed = name.endswith(("onlinetext.html", "_text.html", TEXT, STAMP))
    receipt = name.endswith(".txt") and "_attempt_" in name
    return _PAGE_BYTES if typed or receipt else 0
