"""Brings a source file as it was uploaded into the form a compiler expects, keeping every line's number. Pure."""

from __future__ import annotations

import codecs


def normalise(data: bytes) -> tuple[bytes, list[str]]:
    """The text as UTF-8-or-whatever bytes with Unix line ends, and what was done to it.

    Bytes that are not UTF-8 stay: comments in Latin-1 harm nobody.
    """
    done: list[str] = []
    if data.startswith(codecs.BOM_UTF8):
        data = data[len(codecs.BOM_UTF8) :]
        done.append("removed a byte-order mark")
    elif (encoding := _utf16(data)) is not None:
        data = data.decode(encoding, "replace").encode("utf-8", "replace")
        done.append("converted from UTF-16; save it as UTF-8")
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        done.append("converted its line ends")
    return data, done


def _utf16(data: bytes) -> str | None:
    """The UTF-16 encoding of `data`, by its mark or, without one, by every other byte of its start being zero."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    head = data[:512]
    if len(head) < 8:  # noqa: PLR2004 -- too short to tell
        return None
    for encoding, zero in (("utf-16-le", 1), ("utf-16-be", 0)):
        share = head[zero::2].count(0) / len(head[zero::2])
        if share > 0.8 and not head[1 - zero :: 2].count(0):  # noqa: PLR2004 -- nearly all, for mostly ASCII text
            return encoding
    return None
