"""The one evaluator computes as C++ does, and says what it does not know."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

import pytest

from grader.source.arithmetic import (
    DOUBLE,
    FLOAT,
    INT,
    LONG,
    SIZE,
    UNSIGNED,
    Kind,
    UnknownValueError,
    Value,
    converted,
    evaluate,
    typed,
)

NAMES = {
    "n": typed(17),
    "m": typed(-5),
    "u": Value(UNSIGNED, 3),
    "threadIdx.x": Value(UNSIGNED, 0),
    "big": Value(LONG, 1 << 40),
}


@pytest.mark.parametrize(
    ("text", "kind", "number"),
    [
        ("-7 / 2", INT, -3), ("-7 % 2", INT, -1), ("n & 3", INT, 1), ("n | 6 ^ 2", INT, 21), ("~0u", UNSIGNED, 4294967295),
        ("threadIdx.x - 1 < 0", INT, 0), ("m < u", INT, 0), ("m + u", UNSIGNED, 4294967294), ("1 << 31", INT, -(1 << 31)),
        ("-1 >> 1", INT, -1), ("0x80000000", UNSIGNED, 1 << 31), ("2147483648", LONG, 1 << 31), ("010", INT, 8), ("1'000", INT, 1000),
        ("n ? 1 : 2u", UNSIGNED, 1), ("0 < n < 2", INT, 1), ("!n || m", INT, 1), ("(unsigned char)300", INT, 44), ("(char)200", INT, -56),
        ("static_cast<int>(2.5) * 3", INT, 6), ("(size_t)n * n", SIZE, 289), ("n * sizeof(float4)", SIZE, 272), ("long(3)", LONG, 3),
        ("big * 2", LONG, 1 << 41), ("std::min(n, 3)", INT, 3), ("max(n, 3u)", UNSIGNED, 17), ("ceil(n / 16.0)", DOUBLE, 2.0),
        ("ceilf(n / 16)", FLOAT, 1.0), ("1.5f + 1", FLOAT, 2.5), ("- -n", INT, 17), ("1 - -1", INT, 2), ("n /* a */ + 1 // b", INT, 18),
        ("true + true", INT, 2), ("(unsigned long long)-1", SIZE, (1 << 64) - 1),
    ],
)  # fmt: skip
def test_the_value_and_the_type_of_an_expression(text: str, kind: Kind, number: float) -> None:
    assert evaluate(text, NAMES) == Value(kind, number)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("n / 0", "division by 0"), ("n % 0", "division by 0"), ("2147483647 + 1", "overflows"), ("(-2147483647 - 1) / -1", "overflow"),
        ("-(-2147483647 - 1)", "overflows"), ("n +", "ends"), ("1 << 32", "by 32"), ("1 << -1", "by -1"), ("k + 1", "`k`"),
        ("n = 3", "`=`"), ("n++", "`++`"), ("--n", "`--`"), ("9 ** 9", "`*`"), ("(n", "`)`"), ("f(n)", "`f`"), ("", "ends"),
        ("'a'", "no number"), ("(" * 60 + "1" + ")" * 60, "deep"), ("-" + " -" * 60 + "1", "deep"), ("1" + " + 1" * 200, "400"),
        ("1.5 % 2", "%"),
        ("(int)1e30", "fit"), ("sqrt(-1)", "root"), ("(T)n", "`T`"), ("__import__('os')", "no number"), ("1e999", "finite"),
    ],
)  # fmt: skip
def test_what_is_not_known_is_told_with_its_reason(text: str, why: str) -> None:
    with pytest.raises(UnknownValueError, match=why.replace("*", r"\*").replace("+", r"\+").replace(")", r"\)")):
        evaluate(text, NAMES)


def test_a_declaration_converts_its_value() -> None:
    assert converted(evaluate("threadIdx.x - 1", NAMES), "const int") == Value(INT, -1)
    assert converted(evaluate("7 / 2.0", NAMES), "static constexpr int") == Value(INT, 3)
    assert converted(typed(-1), "uint8_t") == Value(INT, 255)
    assert converted(typed(-1), "auto") == Value(INT, -1)


def test_only_whole_numbers_are_asked_for() -> None:
    assert evaluate("n * 2", {"n": 4}).whole == 8
    with pytest.raises(UnknownValueError):
        _ = evaluate("n * 0.5", {"n": 4}).whole


def test_random_expressions_have_the_value_that_the_compiler_gives_them(tmp_path: Path) -> None:
    """Those that have one: constexpr refuses what is undefined."""
    chance = random.Random(40)

    def expression(depth: int) -> str:
        if depth == 0:
            return chance.choice(
                ["0", "1", "7", "13u", "-3", "255", "2147483647", "65536ll", "sizeof(int)", "0x10", "100000", "true"]
            )
        one, other = expression(depth - 1), expression(chance.randrange(depth))
        if chance.random() < 0.2:
            kind = chance.choice(
                ["int", "unsigned", "long long", "size_t", "unsigned char", "short", "int8_t", "uint16_t", "bool"]
            )
            return f"({kind})({one})"
        if chance.random() < 0.1:
            return f"({one} ? {other} : {expression(depth - 1)})"
        if chance.random() < 0.2:
            return f"{chance.choice('-~!+')}({one})"
        sign = chance.choice(
            ["+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "<", "<=", "==", "!=", ">", ">=", "&&", "||"]
        )
        return f"{one} {sign} {other}" if chance.random() < 0.5 else f"({one}) {sign} ({other})"

    known: dict[str, Value] = {}
    while len(known) < 1000:
        text = expression(chance.randrange(1, 4))
        try:
            known[text] = evaluate(text, {})
        except UnknownValueError:
            continue
    types = {INT: "int", UNSIGNED: "unsigned", LONG: "long", SIZE: "unsigned long"}
    lines = [
        f"static_assert(sizeof({text}) <= 8 && ({types[one.kind]})({text}) == ({types[one.kind]}){one.number}ull"
        f" && is_one_of<decltype(+({text})), {types[one.kind]}>);"
        for text, one in known.items()
    ]
    head = (
        "#include <cstddef>\n#include <cstdint>\n#include <type_traits>\n"
        "template <class A, class B> constexpr bool is_one_of = sizeof(A) == sizeof(B) && std::is_signed_v<A> == std::is_signed_v<B>;\n"
    )
    (tmp_path / "all.cpp").write_text(head + "\n".join(lines), encoding="utf-8")
    done = subprocess.run(
        ["g++", "-std=c++20", "-w", "-fsyntax-only", "all.cpp"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[:2000]
