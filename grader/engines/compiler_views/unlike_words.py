"""Words in a submission's own text that ask a compiler for what nvcc and the CPU executor's compiler need not answer alike: which files
there are, what a compiler knows, how it spells a function. Pure.

The two preprocessors' answers are compared as well, in `compiler_view.py`. But they are asked in folders of their own, and what a
function is called is decided after them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from grader.engines.checks.bare_code import CodeLine

_WORD = re.compile(r"[^\W\d][\w$]*")
_DIRECTIVE = re.compile(r"[\s\0]*(?:#|%:|\?\?=)[\s\0]*(include_next|import|embed|include)\b[\s\0]*(.*)")
# Functions that answer about files and about the compiler in a condition.
_QUESTIONS = "include include_next embed builtin feature extension attribute cpp_attribute c_attribute declspec_attribute warning"
ASKING = frozenset(f"__has_{what}" for what in _QUESTIONS.split())
_TRAIT = re.compile(r"__has_(?:nothrow|trivial|unique|virtual)_\w+")  # asks about a type
_SPELLINGS = """
    __PRETTY_FUNCTION__ __FUNCSIG__ __FUNCDNAME__ __ASSERT_FUNCTION source_location __builtin_source_location
    __builtin_FUNCTION __builtin_FUNCSIG __builtin_FILE __builtin_FILE_NAME __builtin_LINE __builtin_COLUMN
"""
_SPELLED = frozenset(_SPELLINGS.split())
_NAMED = frozenset({"__func__", "__FUNCTION__"})
_UNLIKE_NAME = re.compile(r'\boperator\s*(?:[^\W\d]|"|::)')  # of a conversion, or of a literal: not spelled alike


def unlike_words(lines: Sequence[CodeLine]) -> tuple[int, str] | None:
    """The line of the first such word, and what is wrong with it; None where there is none. `lines`: those that a compiler reads."""
    conversions = any(_UNLIKE_NAME.search(line.bare) for line in lines)
    for line in lines:
        said = (_wrong_word(word, conversions=conversions) for word in _WORD.findall(line.bare))
        if what := _wrong_inclusion(line.text) or next(filter(None, said), ""):
            return line.number, what
    return None


def _wrong_word(word: str, *, conversions: bool) -> str:
    if word.startswith("__has_") and not _TRAIT.fullmatch(word):
        return f"`{word}` may be answered in one way for nvcc and in another for the CPU executor."
    if word in _SPELLED or (conversions and word in _NAMED):
        return f"`{word}` is not spelled alike by nvcc and by the CPU executor's compiler."
    return ""


def _wrong_inclusion(text: str) -> str:
    found = _DIRECTIVE.match(text)
    if found is None:
        return ""
    if found[1] != "include":
        return f"`#{found[1]}` may find one file for nvcc and another for the CPU executor."
    if found[2].startswith(("</", '"/')):
        return "A header is included by its whole path, which need not lead to the same file for nvcc and for the CPU executor."
    if not found[2].startswith(("<", '"')):
        return "A macro says which header is included: nvcc and the CPU executor may be given different ones."
    return ""
