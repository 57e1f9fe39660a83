"""docs/writing-a-lab.md shows the files of the lab that it makes as they are."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "writing-a-lab.md"
_BLOCK = re.compile(r"^```(\w+) ?(\S*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A fenced block of the page: `sh` to type, `text` that the commands before it print, anything else a file's contents."""

    language: str
    word: str  # of sh: "fails" or nothing; of a file: its path
    text: str


def blocks() -> list[Block]:
    return [Block(*found) for found in _BLOCK.findall(PAGE.read_text(encoding="utf-8"))]


def test_the_page_shows_a_file_under_its_name_and_commands_apart_from_what_they_print() -> None:
    text = PAGE.read_text(encoding="utf-8")
    found = blocks()
    assert len(found) == text.count("\n```") // 2
    assert {block.language for block in found} == {"sh", "text", "cpp", "toml"}
    for block in found:
        if block.language in {"cpp", "toml"}:
            assert f"`{block.word}`:\n\n```{block.language} {block.word}\n" in text
            assert (ROOT / block.word).read_text(encoding="utf-8") == block.text, (
                f"{block.word} is not as {PAGE.name} shows it"
            )
