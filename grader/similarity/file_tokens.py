"""The tokens of a file as somebody wrote it, without the preprocessor. It reads any text once, however it is made. Pure.

`engines/checks/token_stream.py` decides what is refused, and knows more of C++. Nothing follows from the tokens here but a comparison.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

LONGEST = 60_000  # characters of a file; what comes after them is not compared
# A comment or a text without its end goes on to the end of the file or the line, so that nothing is read twice.
_TOKEN = re.compile(
    r"(?P<include>^[ \t]*\#[ \t]*include[^\n]*)|(?P<comment>//[^\n]*|/\*(?:.*?\*/|.*))"
    r"|(?P<text>\"(?:[^\"\\\n]|\\.)*\"?|'(?:[^'\\\n]|\\.)*'?)|(?P<word>[^\W\d]\w*)|(?P<number>\.?\d[\w.]*)"
    r"|(?P<newline>\n)|(?P<sign>&&|\+=|[^\s\w])",
    re.DOTALL | re.MULTILINE,
)


class FileToken(NamedTuple):
    kind: str  # include, comment, text, word, number, sign
    text: str
    line: int


def file_tokens(source: str) -> Iterator[FileToken]:
    line = 1
    for match in _TOKEN.finditer(source[:LONGEST]):
        kind, text = match.lastgroup or "", match[0]
        if kind == "newline":
            line += 1
            continue
        yield FileToken(kind, text, line)
        if kind in {"comment", "text"}:
            line += text.count("\n")
