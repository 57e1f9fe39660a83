"""What a student typed into a platform's text field: the plain text of the page that the platform makes of it. Pure.

It is no reader of all HTML. Every page is read in a time that grows as its length does, and none raises an error.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

MOST = (256 << 10) + 1  # characters: one more than a lab's file may have, so that a longer text is refused and not cut
_BREAKS = frozenset({"p", "div", "br", "li", "tr", "pre", "h1", "h2", "h3", "h4", "blockquote"})
_UNSEEN = frozenset({"script", "style", "head", "title"})
_PLATFORMS = re.compile(r"</?(?:p|div|br|pre|span|html|body|li|h[1-4])(?:\s[^<>]*)?/?>", re.IGNORECASE)
# No tag goes beyond the next "<": so each character is looked at only a few times, whatever the page is.
_TAG = re.compile(
    r"<(?P<end>/?)(?P<name>[A-Za-z][^\s/<>]*)(?![^\s/<>])(?:(?:[^<>\"']|\"[^\"<]*\"|'[^'<]*')*>|[^<>]*>)|<!--|<(?:\?|!\[|!doctype\b)[^<>]*>",
    re.IGNORECASE,
)
_HUGE_NUMBER = re.compile(r"&#(?:[0-9]{9,}|[xX][0-9A-Fa-f]{9,});?")  # is no character, and Python refuses a longer one


def online_text(page: str) -> str:
    """The text as it was typed: a line for each paragraph. A text without tags stays as it is."""
    if not _PLATFORMS.search(page):
        return page.strip("\n")[:MOST]
    text = _Text()
    for tag, data in _pieces(page):
        text.add(data)
        if tag is not None and tag["name"]:
            text.take_tag(tag)
    return "".join(text.parts).replace("\N{NO-BREAK SPACE}", " ").strip("\n")[:MOST]


def _pieces(page: str) -> Iterator[tuple[re.Match[str] | None, str]]:
    """Each tag or the like, with the text before it; and the text behind the last one. Comments are left out."""
    at = 0
    last_comment = page.rfind("-->")
    while (tag := _TAG.search(page, at)) is not None:
        yield tag, page[at : tag.start()]
        at = tag.end()
        if tag[0] == "<!--" and at <= last_comment:
            at = page.index("-->", at) + len("-->")
    yield None, page[at:]


class _Text:
    def __init__(self) -> None:
        self.parts: list[str] = []
        self._unseen = ""  # the tag that hides what is in it
        self._pre = 0

    def add(self, data: str) -> None:
        if data and not self._unseen:
            data = html.unescape(_HUGE_NUMBER.sub("\N{REPLACEMENT CHARACTER}", data))
            self.parts.append(data if self._pre else data.replace("\r", "").strip("\n"))

    def take_tag(self, tag: re.Match[str]) -> None:
        name, is_end = tag["name"].casefold(), bool(tag["end"])
        if self._unseen:
            if is_end and name == self._unseen:
                self._unseen = ""
            return
        if name in _UNSEEN and not is_end and not tag[0].endswith("/>"):
            self._unseen = name
        if name == "pre":
            self._pre = max(0, self._pre + (-1 if is_end else 1))
        if name == "br":
            if not is_end:
                self.parts.append("\n")
        elif name in _BREAKS and self.parts and not self.parts[-1].endswith("\n"):
            self.parts.append("\n")
