"""nvcc's messages are told in the same words as those of the compilers that tests/labs/mistakes runs. Hostile texts cost no time."""

from __future__ import annotations

import random

import pytest

from grader.source.compiler_message import Diagnostic, Said, diagnostics
from grader.source.error_report import mistakes, typo_said
from grader.source.student_code import StudentCode

SOURCE = """__global__ void scale(const float* A, float* C, int N) {
  int row = blockIdx.y
  int col = threadIdx.X;
  float sum = 0f;
  summ += A[row][col];
  A[row] = 1;
  {
    float inner = 0;
  }
  C[0] = inner;
}
"""
# What nvcc 13.0 says, with the line that it shows and the caret below it.
SAID_BY_NVCC = {
    'k.cu(3): error: expected a ";"\n    int col = threadIdx.X;\n    ^\n': (2, "A `;` is missing at the end of line 2"),
    'k.cu(3): error: class "uint3" has no member "X"\n    int col = threadIdx.X;\n                        ^\n': (
        3,
        "`threadIdx.x` is written with a small letter",
    ),
    "k.cu(4): error: user-defined literal operator not found\n    float sum = 0f;\n                ^\n": (
        4,
        "needs a point, as in `0.0f`",
    ),
    'k.cu(5): error: identifier "summ" is undefined\n    summ += A[row][col];\n    ^\n': (
        5,
        "`sum`, declared in line 4",
    ),
    'k.cu(5): error: expression must have pointer-to-object type but it has type "float"\n    summ += A[row][col];\n            ^\n': (
        5,
        "`A[row]` is one number already",
    ),
    "k.cu(6): error: expression must be a modifiable lvalue\n    A[row] = 1;\n    ^\n": (
        6,
        "`A`, declared `const` in line 1",
    ),
    'k.cu(10): error: identifier "inner" is undefined\n    C[0] = inner;\n           ^\n': (
        10,
        "`inner`, declared in line 8",
    ),
    'k.cu(10): error: identifier "inner" is undefined in device code\n    C[0] = inner;\n           ^\n': (
        10,
        "`inner` is a variable of the host",
    ),
    'k.cu(10): error: identifier "Tile::inner" is undefined in device code\n    C[0] = Tile::inner;\n           ^\n': (
        10,
        "`Tile::inner` is a variable of the host",
    ),
}


def told(log: str, text: str = SOURCE) -> list[Said]:
    code = StudentCode(text)
    return mistakes([one for one in diagnostics(log, "k.cu", code.lines) if one.severity == "error"], code, 3)


@pytest.mark.parametrize("log", SAID_BY_NVCC)
def test_nvccs_errors_name_the_line_and_what_was_meant(log: str) -> None:
    line, words = SAID_BY_NVCC[log]
    first = told(log)[0]
    assert first.place.line == line
    assert words in first.message


USE = "__global__ void scale(float* C) {\n  C[0] = TW;\n}\n"


@pytest.mark.parametrize(
    ("above", "words"),
    [
        ("namespace tile { const int TW = 16; }", "It belongs to `tile`: elsewhere it is called `tile::TW`."),
        ("struct Tile { static const int TW = 16; };", "It belongs to `Tile`: elsewhere it is called `Tile::TW`."),
        ("struct Tile { int TW; };", "It is a part of `Tile`, and is named behind an object: `object.TW`."),
        ("enum class Tile { TW = 16 };", "`TW` belongs to `Tile`: elsewhere it is called `Tile::TW`."),
        ("#ifndef __CUDA_ARCH__\nconst int TW = 16;\n#endif", "The condition in line 1 leaves it out."),
        ("#ifdef BIG\n#if 1\n#endif\n#else\n#define TW 16\n#endif", "The condition in line 1 leaves it out."),
        ("#define TW 16\n#undef TW", "The #undef in line 2 takes it back."),
        ("__device__ int half(int TW) { return TW / 2; }", "It exists only inside the braces"),
        ("extern int TW;", "`TW`, declared in line 1, is not known any more in line 3."),
    ],
)
def test_why_a_name_is_unknown_is_told_only_where_the_text_shows_it(above: str, words: str) -> None:
    line = above.count("\n") + 3
    said = told(f"k.cu:{line}:10: error: 'TW' was not declared in this scope\n", f"{above}\n{USE}")
    assert words in said[0].message
    assert ("exists only inside" in said[0].message) == ("exists only inside" in words)


def test_what_no_rule_knows_is_said_in_the_compilers_words() -> None:
    first = told("k.cu:4:3: error: something that nobody has seen; did you mean ‘clockid_t’?\n")[0]  # noqa: RUF001 -- GCC's quotes
    assert first.message == "The compiler says: something that nobody has seen"


def test_a_name_whose_declaration_was_wrong_is_not_told_again() -> None:
    log = "k.cu:4:15: error: invalid suffix 'f' on integer constant\nk.cu:5:3: error: 'sum' was not declared in this scope\n"
    assert [one.place.line for one in told(log)] == [4]


@pytest.mark.parametrize(
    "text", ["(" * 50_000, "{\n" * 5_000, "int a, " * 20_000, "x " * 100_000, "A[" * 30_000, "a<b" * 30_000]
)
def test_hostile_texts_are_read_in_one_go(text: str) -> None:
    assert (
        len(
            told(
                "k.cu:1:1: error: expected ')' before 'x'\nk.cu:1:9: error: 'y' was not declared in this scope\n", text
            )
        )
        <= 3
    )


def test_no_text_and_no_place_that_a_compiler_names_breaks_the_report() -> None:
    """A place outside the file, a name that is not there, half a line: whatever it is, there is a sentence."""
    drawn = random.Random(20_240_917)
    words = [log.partition("error: ")[2].split("\n", 1)[0] for log in SAID_BY_NVCC]
    words += [
        "'x' was not declared in this scope",
        "expected ')' before 'x'",
        "'y.h' file not found",
        "unterminated comment",
        "a row",
    ]
    for _ in range(100):
        start, length = drawn.randrange(len(SOURCE)), drawn.randrange(60)
        text = SOURCE[:start] + drawn.choice(["", "(", "{", '"', "/*", "；", "\n", "=<"]) + SOURCE[start + length :]  # noqa: RUF001 -- a full-width sign
        log = f"k.cu:{drawn.randrange(20)}:{drawn.randrange(60)}: error: {drawn.choice(words)}\n"
        assert all(one.message for one in told(log, text))


def test_the_head_of_a_specialisation_is_no_wrong_sign() -> None:
    code = StudentCode("template <> struct R<0> {};\ntemplate<> struct R<1> {};\nif (a <> b)\n")
    said = [typo_said(Diagnostic("a.cu", "error", line, 0, "too deep"), code) for line in (1, 2, 3)]
    assert [one is not None for one in said] == [False, False, True]
