"""The pseudonym that a student asks for: a line in the lab's file, `// leaderboard: tile juggler`. Everything in it is hostile. Pure.

Letters of ASCII alone are taken, so that no two names look the same, nothing runs from right to left and nothing is invisible.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from grader.leaderboard.name_words import ADJECTIVES, ANIMALS

SHORTEST, LONGEST = 3, 24
NOT_LISTED = "no"  # asks for no place on the page
FORM = f"a name has {SHORTEST} to {LONGEST} letters from A to Z, digits, spaces and hyphens, at least {SHORTEST} of them letters"
_LINE = re.compile(r"^[ \t]*//[ \t]*leaderboard[ \t]*:([^\n]*)$", re.MULTILINE | re.IGNORECASE)
_NAME = re.compile(rf"[A-Za-z0-9][A-Za-z0-9 -]{{{SHORTEST - 2},{LONGEST - 2}}}[A-Za-z0-9]")
_MADE = re.compile(rf"(?:{'|'.join(ADJECTIVES)})[ -]*(?:{'|'.join(ANIMALS)})[ -]*\d*", re.IGNORECASE)


@dataclass(frozen=True)
class Wish:
    """No name and no note: nothing was asked for."""

    name: str = ""
    note: str = ""  # why no name can be read
    hidden: bool = False  # the student does not want to be on the page


def wish_in(text: str) -> Wish:
    """What the lab's file asks for."""
    asked = {re.sub(r"[ \t\r]+", " ", found).strip(" ") for found in _LINE.findall(text)} - {""}
    if not asked:
        return Wish()
    if len(asked) > 1:
        return Wish(note="the file asks for two names; write only one line `// leaderboard: …`")
    name = asked.pop()
    if name.casefold() == NOT_LISTED:
        return Wish(hidden=True)
    if not _NAME.fullmatch(name) or sum(one.isalpha() for one in name) < SHORTEST:
        return Wish(note=FORM)
    if _MADE.fullmatch(name):
        return Wish(
            note="names of a colour or the like and an animal are those that the course makes; choose one of another kind"
        )
    return Wish(name)
