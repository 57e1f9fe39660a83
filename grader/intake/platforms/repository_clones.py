"""Clones of students' repositories: GitHub Classroom's (`gh classroom clone student-repos`), classroom50's, and plain ones.

Each is a folder `<assignment>-<account>`. Nothing in it is the platform's. The name of the folder around the clones tells the assignment;
otherwise accounts are not known, because both may hold hyphens. Times of commits are what students say, so they are not used. Pure.
"""

from __future__ import annotations

import re

from grader.intake.platforms.flat_names import only_folders, strange
from grader.intake.uploads.class_files import ClassFiles, Export, Top
from grader.intake.uploads.naming import clean
from grader.intake.uploads.upload import Contents, Upload
from grader.model.result import Student

_CLASSROOM = re.compile(r"(?P<assignment>.+)-submissions")
_CLASSROOM50 = re.compile(r"(?P<assignment>.+)_submissions_\d{4}_\d\d_\d\d_T_\d\d_\d\d_\d\d")
_ACCOUNT = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})")
PLAIN = "GitHub"  # clones that nothing of the classroom tells of
_FEWEST = 2


def repository_clones(files: ClassFiles) -> Export | None:
    around = _CLASSROOM50.fullmatch(files.label) or _CLASSROOM.fullmatch(files.label)
    prefix = f"{around['assignment']}-" if around else ""
    given = around["assignment"] if around else ""  # the template's own clone, which no student has
    folders = {name: top for name, top in only_folders(files).items() if name != given}
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
    uploads = tuple(_upload(name, top, prefix if named else "") for name, top in folders.items())
    return Export(
        platform, uploads, notices, ignored=tuple(others), strange=tuple(strange(files, others)), what="clones"
    )


def _upload(name: str, top: Top, prefix: str) -> Upload:
    account = name.removeprefix(prefix) if prefix else ""
    owner = (Student(platform_ids={"GitHub Classroom": account}),) if account and _ACCOUNT.fullmatch(account) else ()
    contents = Contents(top.contents.files, top.contents.folders, top.contents.defects)
    return Upload(account or name, contents, top.refused, owners=owner, downloaded=(name,))
