"""Lists the messages between the processes and their fields, read off the lists that the kit writes and reads them by.

`.venv/bin/python docs/protocol_fields.py` prints the table. With `--write` it writes the section between the two markers of protocols.md,
and a test fails where that is not current. It knows the kit's macros (kit/protocol/message_fields.hpp), and parses no C++.
"""

# ruff: noqa: INP001 -- a script, in no package
from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs" / "protocols.md"
BEGIN, END = "<!-- messages: begin (docs/protocol_fields.py --write) -->", "<!-- messages: end -->"
FILES = (
    "kit/protocol/protocol.cpp",
    "kit/runner/submission/image.cpp",
    "kit/judge/report/record.cpp",
    "kit/program/program_description.cpp",
)
_MESSAGE = re.compile(
    r"^TILELAB_(?P<macro>MESSAGE|FIELDS|ROW)\((?P<name>[\w:]+),(?P<lists>(?:[^()]|\([^()]*\))*)\)", re.MULTILINE
)
_LIST = re.compile(r"TILELAB_(BESIDE|NEEDS|MAY_HAVE)\(([^()]*)\)")


def message_table() -> str:
    """Markdown: a row for each message."""
    rows = [row for file in FILES for row in _rows((ROOT / file).read_text(encoding="utf-8"))]
    return "\n".join(["| message | needs | may have |", "|---|---|---|", *rows])


def _rows(text: str) -> list[str]:
    rows = []
    for found in _MESSAGE.finditer(text):
        if found["macro"] == "ROW":
            rows.append(f"| `{found['name']}` | a list: {_names(found['lists'])} | |")
            continue
        lists = dict(_LIST.findall(found["lists"]))
        beside = f"the fields of its {_names(lists['BESIDE'])}, " if "BESIDE" in lists else ""
        rows.append(
            f"| `{found['name']}` | {beside}{_names(lists.get('NEEDS', ''))} | {_names(lists.get('MAY_HAVE', ''))} |"
        )
    return rows


def _names(listed: str) -> str:
    return ", ".join(f"`{name}`" for name in re.findall(r"\w+", listed))


def document_with(section: str, text: str) -> str:
    """`text` with the section between the markers replaced. Raises ValueError without exactly one pair of markers."""
    if text.count(BEGIN) != 1 or text.count(END) != 1:
        message = f"{DOCUMENT.name} lacks the markers of the table of messages"
        raise ValueError(message)
    before, rest = text.split(BEGIN)
    return f"{before}{BEGIN}\n{section}\n{END}{rest.split(END)[1]}"


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        DOCUMENT.write_text(document_with(message_table(), DOCUMENT.read_text(encoding="utf-8")), encoding="utf-8")
    else:
        sys.stdout.write(f"{message_table()}\n")
