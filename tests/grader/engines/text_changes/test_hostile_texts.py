"""Text that nobody would write costs no more than its length, and what is beyond a limit is refused before anybody reads it."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest
from corpus_sample import sample

from grader.engines import token_scan
from grader.engines.entry_points import EntrySignatures
from grader.engines.text_steps import TextOrigin, in_steps
from grader.engines.token_scan import MAX_DEPTH, MAX_SOURCE, MAX_TOKENS, Tokens, code_tokens, scan, too_long, too_much
from grader.model.verdicts import Verdict
from grader.source.lexer import Lexer, without_comments

pytestmark = pytest.mark.in_turn(3)

FILE = "k.cu"
ORIGIN = TextOrigin(FILE, "/build", EntrySignatures("k(float*)"))
HEAD = f'# 1 "{FILE}"\nvoid k(float* a) {{ __syncthreads();\n'
COUNT = 500
UNITS = {
    "returns": "return;",
    "conditions": "if(a)return;",
    "raw strings that never end": 'R"(',
    "raw strings of another mark": 'R"a(',
    "brackets": "[]",
    "attributes": "[[a]]",
    "declarations": "int b[4];",
    "heads of classes": "struct ",
    "alignments": "__attribute__((retain(",
    "quotes": '"',
    "calls of the kernel": "k(",
    "launches": "<<<",
    "lambdas": "[](){};",
    "types": "decltype(",
}


class _Counting(Tokens):
    """Counts how often a token is looked at."""

    looks = 0

    def __getitem__(self, at: Any) -> Any:  # noqa: ANN401 -- as a list's
        type(self).looks += len(range(*at.indices(len(self)))) if isinstance(at, slice) else 1
        return super().__getitem__(at)


def _counted(monkeypatch: pytest.MonkeyPatch, unit: str, count: int) -> int:
    def counting(text: str, file: str = "", folder: str = "") -> _Counting:
        return _Counting(code_tokens(text, file, folder))

    for module in ("changed_text", "local_guards", "text_steps"):
        monkeypatch.setattr(f"grader.engines.{module}.code_tokens", counting)
    monkeypatch.setattr("grader.engines.text_steps.too_much", lambda *_: None)
    _Counting.looks = 0
    in_steps(HEAD + unit * count + "\n}\n", ORIGIN)
    return _Counting.looks


@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS)
def test_twice_the_text_is_looked_at_twice_as_often(unit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    once, twice = (_counted(monkeypatch, unit, count) for count in (COUNT, 2 * COUNT))
    assert twice <= 2.5 * once + 1000


@pytest.mark.parametrize("name", sample([*UNITS], 3))
def test_the_changed_text_of_one_line_stays_small(name: str) -> None:
    text = HEAD + UNITS[name] * 6_000 + "\n}\n"
    tracemalloc.start()
    changed = in_steps(text, ORIGIN)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(changed.whole) < 8 << 20
    assert most < 100 << 20


def test_a_text_with_too_many_tokens_is_refused_at_the_line_that_goes_beyond() -> None:
    refusal = too_much(f'# 1 "{FILE}"\nint a;\n' + ";" * (16 * MAX_TOKENS) + "\n", FILE)
    assert refusal is not None
    assert (refusal.verdict, refusal.line) == (Verdict.COMPILE_ERROR, 2)
    said = f"4.0 million tokens; at most {MAX_TOKENS:,} are read, which is up to line 2."
    assert refusal.message == f"The file is too large once its macros are expanded: {said}"
    assert too_much(";" * MAX_TOKENS, FILE) is None


def test_no_step_reads_a_text_beyond_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(token_scan, "MAX_TOKENS", 10)

    def never(*_: object) -> None:
        raise AssertionError

    for step in ("scan", "with_guards", "with_marked_returns"):
        monkeypatch.setattr(f"grader.engines.text_steps.{step}", never)
    refusal = in_steps(HEAD + ";" * 10, ORIGIN).refusal
    assert refusal is not None
    assert "at most 10 are read" in refusal.message


def test_brackets_may_be_open_in_one_another_up_to_a_limit() -> None:
    assert too_much("(" * MAX_DEPTH, FILE) is None
    refusal = too_much("\n" + "(" * (MAX_DEPTH + 1), FILE)
    assert refusal is not None
    assert (refusal.line, f"{MAX_DEPTH} brackets" in refusal.message) == (2, True)


def test_a_file_that_is_too_long_is_refused_with_its_line() -> None:
    assert too_long("x" * MAX_SOURCE) is None
    refusal = too_long("\n" * MAX_SOURCE + "x")
    assert refusal is not None
    assert refusal.line == MAX_SOURCE + 1


def test_the_text_of_system_headers_is_passed_over_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    lexed: list[str] = []
    lexer: Callable[..., Lexer] = Lexer

    def counted(text: str, *, preprocessed: bool) -> Lexer:
        one = lexer(text, preprocessed=preprocessed)
        pattern = one._pattern

        class Counting:
            def search(self, text: str, at: int) -> object:
                match = pattern.search(text, at)
                lexed.append(match[0] if match else "")
                return match

        monkeypatch.setattr(one, "_pattern", Counting())
        return one

    monkeypatch.setattr(token_scan, "Lexer", counted)
    text = f'# 1 "{FILE}"\na;\n# 1 "/usr/include/x.h" 1 3\n' + "int header;\n" * 1000 + f'# 3 "{FILE}" 2\nb;\n'
    assert [(one.text, one.line) for one in code_tokens(text, FILE)] == [("a", 1), (";", 1), ("b", 3), (";", 3)]
    assert len(lexed) < 12


def test_a_marker_in_a_raw_string_of_the_submission_hides_nothing() -> None:
    text = f'# 1 "{FILE}"\nauto a = R"(\n# 1 "/usr/include/x.h" 1 3\n)"; void f() {{ __builtin_ia32_rdtsc(); }}\n'
    assert scan(text, FILE) is not None


def test_comments_become_blanks_and_everything_else_keeps_its_place() -> None:
    text = 'a /* b\nc */ d; // e\n"// no comment" R"(/* nor this)" \'"\' // f\\\ng\nh'
    bare = without_comments(text)
    assert bare == 'a     \n     d;     \n"// no comment" R"(/* nor this)" \'"\'      \n \nh'
    assert len(bare) == len(text)
