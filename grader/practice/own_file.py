"""The file that a student works on: its bytes, or a sentence that says why it cannot be tested and what to do. It compiles nothing."""

from __future__ import annotations

import shlex
from pathlib import Path

from grader.intake.source_text import normalise
from grader.intake.uploads.naming import nearly
from grader.model.labs import Lab, LabError

_MOST_BYTES = 4 * 1024 * 1024  # as an upload may have, and more: a limit that no kernel meets
_TEXT = "Copy the code into a plain text file"
# How files begin that are no text, whatever they are called.
_STRANGERS = (
    (b"PK\x03\x04", "is a document of Word or LibreOffice, or another zip, and no text"),
    (b"\xd0\xcf\x11\xe0", "is a document of Word and no text"),
    (b"{\\rtf", "is a document (RTF) and no plain text"),
    (b"%PDF", "is a PDF and no text"),
    (b"\x7fELF", "is a compiled program and no source text"),
    (b"\x1f\x8b", "is an archive and no text"),
    (b"\x89PNG", "is a picture and no text"),
    (b"\xff\xd8\xff", "is a picture and no text"),
    (b"<!doctype html", "is a web page and no CUDA source"),
    (b"<html", "is a web page and no CUDA source"),
)


def readable_source(path: Path, lab: Lab) -> bytes:
    """The file's bytes as they are. Raises LabError if it is missing, cannot be read, or is no text."""
    try:
        if path.is_dir():
            message = f"{path} is a folder; the lab {lab.id} asks for a file of that name"
            raise LabError(message)
        if not path.is_file():
            raise LabError(_missing(path, lab))
        if path.stat().st_size > _MOST_BYTES:
            message = f"{path} is larger than {_MOST_BYTES >> 20} MiB, which no kernel needs: is it the right file?"
            raise LabError(message)
        data = path.read_bytes()
    except OSError as error:
        message = (
            f"{path} cannot be read ({error.strerror}): make it readable with  chmod u+rw {shlex.quote(str(path))}"
        )
        raise LabError(message) from error
    if what := _not_source(data):
        message = f"{path} {what}"
        raise LabError(message)
    return data


def lookalikes(path: Path) -> list[str]:
    """Names of files beside it that were probably meant to be it: `x.cu.txt`, `x (1).cu`, `X.CU`. The newest comes first."""
    try:
        there = [one for one in path.parent.iterdir() if one.is_file() and ".cu" in one.name.casefold()]
        names = nearly(path.name, [one.name for one in there if not one.name.endswith((".new", ".mine"))])
        return sorted(names, key=lambda name: (path.parent / name).stat().st_mtime, reverse=True)
    except OSError:
        return []


def _missing(path: Path, lab: Lab) -> str:
    wanted = f"{path}: there is no such file. The lab {lab.id} asks for {lab.public.file}"
    near = lookalikes(path)
    if not near:
        return f"{wanted}; a new starter is in the handout's archive"
    rename = f"mv {shlex.quote(str(path.parent / near[0]))} {shlex.quote(str(path))}"
    others = f", and {', '.join(near[1:])}" if near[1:] else ""
    return f"{wanted}, and there is {near[0]}{others}. If it is yours, rename it:  {rename}"


def _not_source(data: bytes) -> str:
    """What it is instead of source text; empty: it may be some."""
    head = data[:4096].lstrip(b"\xef\xbb\xbf \t\r\n")
    for beginning, what in _STRANGERS:
        if head[: len(beginning)].lower() == beginning.lower():
            return f"{what}. {_TEXT}, and save it under this name"
    text = normalise(data)[0]
    if not text.strip():
        return "is empty: save your editor's file, or take the starter from the handout's archive again"
    if b"\0" in text:
        return f"is not text: it has zero bytes. {_TEXT}, and save it as UTF-8 under this name"
    return ""
