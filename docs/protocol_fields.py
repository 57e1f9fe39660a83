"""Lists the messages between the processes and their fields, read off the lists that the kit writes and reads them by.

`.venv/bin/python docs/protocol_fields.py` prints the list. With `--write` it writes the section between the markers of message-fields.md,
and a test fails where that is not current. It knows the kit's macros (kit/protocol/message_fields.hpp), and parses no C++.
"""

# ruff: noqa: INP001 -- a script, in no package
from __future__ import annotations

import re
from pathlib import Path

from marked_section import MarkedSection

ROOT = Path(__file__).resolve().parent.parent
SECTION = MarkedSection(
    ROOT / "docs" / "message-fields.md",
    "<!-- messages: begin (docs/protocol_fields.py --write) -->",
    "<!-- messages: end -->",
)
FILES = (
    "kit/protocol/protocol.cpp",
    "kit/runner/submission/image.cpp",
    "kit/judge/report/record.cpp",
    "kit/program/program_description.cpp",
)
_MESSAGE = re.compile(
    r"^TILELAB_(?P<macro>MESSAGE|FIELDS|ROW|NUMBERS)\((?P<name>[\w:]+),(?P<lists>(?:[^()]|\([^()]*\))*)\)", re.MULTILINE
)
_LIST = re.compile(r"TILELAB_(BESIDE|NEEDS|MAY_HAVE)\(([^()]*)\)")


def message_list() -> str:
    """Markdown: a line for each message."""
    return "\n".join(line for file in FILES for line in _lines((ROOT / file).read_text(encoding="utf-8")))


def _lines(text: str) -> list[str]:
    lines = []
    for found in _MESSAGE.finditer(text):
        if found["macro"] in {"ROW", "NUMBERS"}:
            names = _names(found["lists"])
            lines.append(f"- `{found['name']}`: " + (f"[{names}]" if found["macro"] == "ROW" else f"numbers {names}"))
            continue
        lists = dict(_LIST.findall(found["lists"]))
        beside = f"the fields of its {_names(lists['BESIDE'])}, " if "BESIDE" in lists else ""
        needed = f"{beside}{_names(lists.get('NEEDS', ''))}"
        optional = f"may have {_names(lists['MAY_HAVE'])}" if "MAY_HAVE" in lists else ""
        lines.append(f"- `{found['name']}`: {'; '.join(part for part in (needed, optional) if part)}")
    return lines


def _names(listed: str) -> str:
    return ", ".join(f"`{name}`" for name in re.findall(r"\w+", listed))


if __name__ == "__main__":
    SECTION.main(message_list)
