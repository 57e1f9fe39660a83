"""Finds code of a model solution that is outside its markers, and would be handed out by mistake. Pure.

Only comments, includes and headers of functions belong outside the markers. Any other code that students get is in a PROMPT, or is
marked as GIVEN.
"""

from __future__ import annotations

import re

from grader.course.markers import Line, Region

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_STATEMENT = re.compile(r"\w[^{}]*;|\{[^}]*\w")  # a declaration, or code after a brace in the same line


def unmarked(lines: list[Line]) -> list[Line]:
    """The lines outside all regions that contain a statement or are inside a function."""
    text = "\n".join(line.text for line in lines)
    bare = _COMMENT.sub(lambda comment: "\n" * comment[0].count("\n"), text).split("\n")
    found: list[Line] = []
    depth = 0  # how many braces are open at the line's start
    for line, code in zip(lines, bare, strict=True):
        has_code = re.search(r"\w", code) and not code.lstrip().startswith("#")
        if line.region is Region.OUTSIDE and has_code and (depth > 0 or _STATEMENT.search(code)):
            found.append(line)
        if line.region is Region.OUTSIDE:
            depth += code.count("{") - code.count("}")
    return found
