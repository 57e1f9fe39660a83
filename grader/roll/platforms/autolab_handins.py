"""Autolab's zip of all handins: `ada@example.org_3_handin.tar`, the address, the version, and the assessment's own name for the file.

Autolab's download puts the address before the last two words of `3_handin.tar`, so it stands elsewhere where that name has underscores.
On Autolab's own disk it always stands in front. See submissions_controller.rb of Autolab. All versions are in it. Pure.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from grader.model.result import Student
from grader.roll.intake.upload import Contents, Stored, Upload
from grader.roll.platforms.download_names import ClassFiles, Export, only_files, read_names, strange

_ADDRESS = r"[^@\s/]+@[A-Za-z0-9.-]+"
_FIRST = re.compile(rf"(?P<email>{_ADDRESS})_(?P<version>\d+)_(?P<file>.+)")


@dataclass(frozen=True)
class _Handin:
    email: str
    version: int
    file: str


def autolab_handins(files: ClassFiles) -> Export | None:
    read = read_names(only_files(files), lambda name: _read(name, files.wanted))
    if read is None or not read[0]:
        return None
    told, others = read
    uploads = []
    last = {one.email: one.version for one in sorted(told.values(), key=lambda one: one.version)}
    handins: dict[tuple[str, int], list[Stored]] = {}
    names: dict[tuple[str, int], list[str]] = {}
    for name, one in sorted(told.items(), key=lambda item: (item[1].email, item[1].version)):
        stored = files.tops[name].file
        assert stored is not None
        handins.setdefault((one.email, one.version), []).append(Stored((one.file,), stored.size, stored.at))
        names.setdefault((one.email, one.version), []).append(name)
    for (email, version), contents in handins.items():
        owner = Student(email=email)
        downloaded = tuple(names[email, version])
        uploads.append(
            Upload(
                email,
                Contents(tuple(contents)),
                owners=(owner,),
                attempt=version,
                told=last[email],
                downloaded=downloaded,
            )
        )
    return Export("Autolab", tuple(uploads), ignored=tuple(others), strange=tuple(strange(files, others)))


def _read(name: str, wanted: frozenset[str]) -> _Handin | None:
    for file in sorted(wanted):
        *front, before, last = f"0_{file}".split("_")
        if len(front) > 0:  # `3_lab.cu` has two words; in `3_my_lab.cu` the address comes behind the first of three
            middle = "".join(f"{re.escape(word)}_" for word in front[1:])
            found = re.fullmatch(
                rf"(?P<version>\d+)_{middle}(?P<email>{_ADDRESS})_{re.escape(f'{before}_{last}')}", name
            )
            if found is not None:
                return _Handin(found["email"], int(found["version"][:18]), file)
    found = _FIRST.fullmatch(name)
    return None if found is None else _Handin(found["email"], int(found["version"][:18]), found["file"])
