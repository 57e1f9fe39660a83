"""Which tokens of a source file are read where the preprocessor has a choice: those of #if 0 are not, those of other branches are."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

CONDITION = re.compile(r"[ \t]*#[ \t]*(?P<word>if|ifdef|ifndef|elif|elifdef|elifndef|else|endif)\b[ \t]*(?P<of>[^\n]*)")


@dataclass(frozen=True)
class SourceToken:
    kind: str
    text: str
    at: int


@dataclass
class _Branch:
    """A part between two of #if, #else and #endif."""

    tokens: list[SourceToken]
    dead: bool  # after `#if 0`

    @property
    def balance(self) -> int:
        return sum((one.text == "{") - (one.text == "}") for one in self.tokens if one.kind == "sign")


class Branches:
    """Leaves out what stands in `#if 0`. Where the branches of a condition do not close the braces that they open, only the first is
    read: two heads of one function, for instance.
    """

    def read(self, tokens: Iterable[SourceToken]) -> list[SourceToken]:
        open_: list[list[_Branch]] = [[_Branch([], dead=False)]]
        for token in tokens:
            if token.kind == "skip":
                continue
            condition = CONDITION.match(token.text) if token.kind == "directive" else None
            word = condition["word"] if condition else ""
            dead = condition is not None and condition["of"].strip() in {"0", "false"}
            if word in {"if", "ifdef", "ifndef"}:
                open_.append([_Branch([], dead=dead)])
            elif word.startswith("el") and len(open_) > 1:
                open_[-1].append(_Branch([], dead=dead))
            elif word == "endif" and len(open_) > 1:
                self._close(open_)
            else:
                open_[-1][-1].tokens.append(token)
        while len(open_) > 1:
            self._close(open_)
        return open_[0][0].tokens

    @staticmethod
    def _close(open_: list[list[_Branch]]) -> None:
        branches = [one for one in open_.pop() if not one.dead]
        if any(one.balance != 0 for one in branches):
            branches = branches[:1]
        open_[-1][-1].tokens += [token for one in branches for token in one.tokens]
