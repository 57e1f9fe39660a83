"""What a student typed into a platform's text field: the plain text of the page that the platform makes of it. Pure."""

from __future__ import annotations

import re
from html.parser import HTMLParser

_BREAKS = frozenset({"p", "div", "br", "li", "tr", "pre", "h1", "h2", "h3", "h4", "blockquote"})
_TAG = re.compile(r"</?(?:p|div|br|pre|span|html|body|li|h[1-4])(?:\s[^<>]*)?/?>", re.IGNORECASE)
_UNSEEN = frozenset({"script", "style", "head", "title"})


class _Text(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._unseen = 0
        self._pre = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002 -- the base class's
        self._unseen += tag in _UNSEEN
        self._pre += tag == "pre"
        if tag == "br":
            self.parts.append("\n")
        elif tag in _BREAKS:
            self._new_line()

    def handle_endtag(self, tag: str) -> None:
        self._unseen -= tag in _UNSEEN and self._unseen > 0
        self._pre -= tag == "pre" and self._pre > 0
        if tag in _BREAKS - {"br"}:
            self._new_line()

    def handle_data(self, data: str) -> None:
        if not self._unseen:
            self.parts.append(data if self._pre else data.replace("\r", "").strip("\n"))

    def _new_line(self) -> None:
        if self.parts and not self.parts[-1].endswith("\n"):
            self.parts.append("\n")


def online_text(page: str) -> str:
    """The text as it was typed: a line for each paragraph. A text without tags stays as it is."""
    if not _TAG.search(page):
        return page.strip("\n")
    reader = _Text()
    reader.feed(page)
    reader.close()
    return "".join(reader.parts).replace("\N{NO-BREAK SPACE}", " ").strip("\n")
