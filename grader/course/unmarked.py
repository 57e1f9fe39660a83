"""Finds code of a model solution that stands outside its markers and would be handed out without anybody having meant it.

Outside are comments, includes and the headers of functions. Whatever else students get on purpose stands in a PROMPT.
Pure.
"""

from __future__ import annotations

import re

from grader.course.markers import Line, Region

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_STATEMENT = re.compile(r"\w[^{}]*;|\{[^}]*\w")  # a declaration, or what follows a brace in its line


def unmarked(lines: list[Line]) -> list[Line]:
    """The lines outside all regions that hold a statement or lie inside a function."""
    text = "\n".join(line.text for line in lines)
    bare = _COMMENT.sub(lambda comment: "\n" * comment[0].count("\n"), text).split("\n")
    found: list[Line] = []
    depth = 0  # of braces, at the line's start
    for line, code in zip(lines, bare, strict=True):
        said = re.search(r"\w", code) and not code.lstrip().startswith("#")
        if line.region is Region.OUTSIDE and said and (depth > 0 or _STATEMENT.search(code)):
            found.append(line)
        if line.region is Region.OUTSIDE:
            depth += code.count("{") - code.count("}")
    return found
