"""Sentences with `code` in them, as HTML. Everything is escaped: sentences may quote a submission."""

from __future__ import annotations

import re

from markupsafe import Markup, escape

_CODE = re.compile(r"`([^`\n]+)`")


def inline_code(sentence: str) -> Markup:
    """What stands between a pair of backticks becomes <code>; a backtick without a partner stays."""
    html, end = Markup(), 0
    for match in _CODE.finditer(sentence):
        html += escape(sentence[end : match.start()]) + Markup("<code>{}</code>").format(match[1])
        end = match.end()
    return html + escape(sentence[end:])
