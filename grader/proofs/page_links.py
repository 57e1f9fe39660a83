"""Finds links in a Markdown page whose target does not exist: files, figures and headings. Pure. Web addresses are not tried."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from posixpath import dirname, normpath
from urllib.parse import unquote

from grader.course.diagnostic import Diagnostic

_LINK = re.compile(r"\]\(([^)\s]+)\)|<(?:img|a)\b[^>]*?\b(?:src|href)=\"([^\"]+)\"")
_FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
_ABSOLUTE = re.compile(r"[a-z]+:")

Read = Callable[
    [str], str | None
]  # a file's text by its path below the root; "" where it is no text, None where it does not exist


def broken_links(page: str, read: Read) -> Iterator[Diagnostic]:
    """One diagnostic for each link in `page` whose target `read` does not find."""
    text = read(page) or ""
    for number, line in enumerate(unfenced(text).splitlines(), start=1):
        for link in (one or other for one, other in _LINK.findall(line)):
            if _ABSOLUTE.match(link):
                continue
            path, _, anchor = unquote(link).partition("#")
            target = normpath(f"{dirname(page)}/{path}" if dirname(page) else path) if path else page
            found = read(target)
            if found is None:
                yield Diagnostic(page, number, f"links to {link}, and there is no such file")
            elif anchor and anchor not in anchors(found):
                yield Diagnostic(page, number, f"links to {link}, and {target} has no such heading")


def unfenced(text: str) -> str:
    """`text` with blank lines in place of its fenced blocks."""
    return _FENCE.sub(lambda fence: "\n" * fence[0].count("\n"), text)


def anchors(text: str) -> set[str]:
    """The anchors of the web page that this Markdown becomes."""
    headings = _HEADING.findall(unfenced(text))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}
