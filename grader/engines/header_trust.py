"""Whether the system's headers mean in a submission what they mean elsewhere: macros defined before an include change them."""

from __future__ import annotations

import re

SYSTEM_FOLDERS = ("/usr/include", "/usr/lib")

_SPLICE = re.compile(r"\\[ \t\r]*\n")
_OPENING = re.compile(
    r"(?:\s+|//[^\n\\]*(?=\n|\Z)|/\*.*?\*/|#[ \t]*include[ \t]*(?:<[^>\n]*>|\"[^\"\n]*\")[ \t]*(?=\n|//|/\*|\Z))*",
    re.DOTALL,
)


def headers_are_genuine(source: str) -> bool:
    """True where nothing but comments and blank lines stands before or between the includes, and none comes later."""
    opening = _OPENING.match(source)
    rest = _SPLICE.sub("", source[opening.end() if opening else 0 :])
    return "include" not in rest and "import" not in rest
