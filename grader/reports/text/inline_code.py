"""Turns sentences with `code` in them into HTML. Everything is escaped, because sentences may quote a submission."""

from __future__ import annotations

import re

from markupsafe import Markup, escape

_CODE = re.compile(r"`([^`\n]+)`")


def inline_code(sentence: str) -> Markup:
    """Text between a pair of backticks becomes <code>. A backtick without a partner stays."""
    html, end = Markup(), 0
    for match in _CODE.finditer(sentence):
        html += escape(sentence[end : match.start()]) + Markup("<code>{}</code>").format(match[1])
        end = match.end()
    return html + escape(sentence[end:])
