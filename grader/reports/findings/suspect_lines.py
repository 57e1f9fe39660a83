"""The lines that a student should look at first, in words. What was changed in them is for the instructor. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from grader.model.result import LabResult, Suspect
from grader.reports.text import visible

_TOKEN = re.compile(r"\w+(?:\.\w+)*|[<>=!+\-*/%&|^]+|\S")
_MOST_TOKENS = 8  # of a change that is told in tokens; a longer one is told in lines
_COLUMNS = 600


def suspect_sentence(lab: LabResult) -> str:
    """Empty: nothing was found with public tests, nothing was looked for, or a cause names its own line."""
    shown = [one for one in lab.suspects if one.public]
    if not shown or any(cause.line for cause in lab.causes):
        return ""
    places = " or ".join(_place(one.lines) for one in shown)
    every = "either makes" if len(shown) > 1 else "that change alone makes"
    return f"Look at {places}: one small change is enough there, and {every} every public test right."


def suspect_changes(lab: LabResult) -> list[str]:
    """For the instructor: each change, and what passes with it."""
    ordered = sorted(lab.suspects, key=lambda one: not one.every)
    return [visible.line(_change(one), _COLUMNS) for one in ordered if one.before]


def _change(one: Suspect) -> str:
    if one.every:
        passes = "every case passes" if one.public else "every case passes; no public case shows the mistake"
    else:
        passes = "every public case passes (hidden ones were not tried, or fail)"
    before, after = (" ".join(text.split()) for text in (one.before, one.after))
    return f"{_place(one.lines)}: {_words(before, after)} {passes}. `{before}` → `{after}`"


def _words(before: str, after: str) -> str:
    """`with X in place of Y`, from the first token that differs to the last."""
    old, new = _TOKEN.findall(before), _TOKEN.findall(after)
    changed = [one for one in SequenceMatcher(None, old, new, autojunk=False).get_opcodes() if one[0] != "equal"]
    if not changed:
        return "with that change"
    first, last = changed[0], changed[-1]
    was, becomes = old[first[1] : last[2]], new[first[3] : last[4]]
    if max(len(was), len(becomes)) > _MOST_TOKENS:
        return "with that change"
    if not becomes:
        return f"without `{_joined(was)}`"
    return f"with `{_joined(becomes)}` in place of `{_joined(was)}`" if was else f"with `{_joined(becomes)}` added"


def _joined(tokens: Sequence[str]) -> str:
    return re.sub(
        r"\s*([\[\]();,.])\s*", lambda sign: f"{sign[1]} " if sign[1] in ";," else sign[1], " ".join(tokens)
    ).strip()


def _place(lines: Sequence[int]) -> str:
    return f"{'line' if len(lines) == 1 else 'lines'} {' and '.join(f'{line:,}' for line in lines)}"
