"""What to do about a machine that cannot grade, told by what failed. Pure: a table of what programs say when something is amiss."""

from __future__ import annotations

import re

_MEMORY = (
    "Most often that is memory that ran out: give this machine more, end what else runs on it, or grade fewer at once with "
    "`--jobs 1`; then grade again."
)
_BUILD_ANEW = "A file of the kit is damaged or missing: run `make clean` and `make setup`, then grade again."
_TABLE = (
    (
        r"No space left on device|Disk quota exceeded|Errno 28",
        "A disk is full: make room where temporary files go (TMPDIR names another folder for them) and where OUT lies; then grade again.",
    ),
    (
        r"Read-only file system|No usable temporary directory|Errno 30|Permission denied: '.*/(?:tilelab|control)-",
        "Temporary files cannot be written: name a folder for them with TMPDIR; then grade again.",
    ),
    (r"Killed|ended from outside|signal 9|status 137|too busy", _MEMORY),
    (r"Cannot allocate memory|memory exhausted|out of memory|bad_alloc|Resource temporarily unavailable", _MEMORY),
    (
        r"bwrap: |confine: cannot|status 125",
        "The sandbox does not start any more: `.venv/bin/tilelab doctor` says what works here.",
    ),
    (
        r"there is no program|may not be executed|cannot execute|status 12[67]|error while loading shared libraries",
        "A program that grading needs cannot be started in the sandbox: TILELAB_COMPILER chooses another compiler.",
    ),
    (r"precompiled header|prelude", "The kit's precompiled header is damaged: grade again, and it is made anew."),
    (r"libtilelab|archive|the linker|the judge of|image|runner ", _BUILD_ANEW),
    (
        r"the compiler",
        "The compiler does not work: try it on a file of your own, or choose another one with TILELAB_COMPILER; then grade again.",
    ),
)
_ELSE = "Look at `.venv/bin/tilelab doctor`; `make clean` and `make setup` build the kit anew."


def remedy_for(said: str) -> str:
    """One sentence, for whatever the words in `said` give away of the cause."""
    return known_remedy_for(said) or _ELSE


def known_remedy_for(said: str) -> str:
    """Empty where they give nothing away."""
    return next((remedy for pattern, remedy in _TABLE if re.search(pattern, said)), "")
