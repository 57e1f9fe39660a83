"""Converts an uploaded source file into the form that a compiler expects. Every line keeps its number. Pure."""

from __future__ import annotations

import codecs


def normalise(data: bytes) -> tuple[bytes, list[str]]:
    """The text with Unix line ends and without a byte-order mark, and a list of what was changed.

    UTF-16 becomes UTF-8. Other bytes that are not UTF-8 stay: comments in Latin-1 do no harm.
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
        done.append("converted the line endings")
    return data, done


def _utf16(data: bytes) -> str | None:
    """The UTF-16 encoding of `data`. Its mark tells; without a mark, every second byte of its start is zero."""
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
