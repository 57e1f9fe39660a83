"""Which platform has laid out a class, by what the platform itself writes. The most particular marks are asked first.

Students may choose names like another platform's. So a platform that explains all names comes before one that explains only most.
"""

from __future__ import annotations

from grader.intake.platforms.autolab_handins import autolab_handins
from grader.intake.platforms.blackboard_download import blackboard_download
from grader.intake.platforms.brightspace_download import brightspace_download
from grader.intake.platforms.canvas_download import canvas_download
from grader.intake.platforms.gradescope_export import METADATA, METADATA_BYTES, gradescope_export
from grader.intake.platforms.moodle_download import moodle_download
from grader.intake.platforms.prairielearn_files import prairielearn_files
from grader.intake.platforms.repository_clones import repository_clones
from grader.intake.platforms.sakai_download import STAMP, TEXT, sakai_download
from grader.intake.uploads.class_files import ClassFiles, Export, Recogniser

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
