"""JSON as exports write it. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping


def json_text(data: Mapping[str, object]) -> str:
    """For files that people open too."""
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def json_line(data: Mapping[str, object]) -> str:
    """One line of ASCII: no character of a name can end it."""
    return json.dumps(data) + "\n"
