"""Line markers written by hand are found in every spelling. Text that only looks like one is allowed."""

from __future__ import annotations

import pytest

from grader.source.bare_code import hand_written_marker

FORGED = {
    "a #line": ("int a;\n#line 7\nint b;\n", 2),
    "a #line with a name": ('#line 7 "other.cu"\n', 1),
    "a marker": ('int a;\n# 33 "stdio.h" 1 3\n', 2),
    "a marker without a name": ("int a;\n\n# 33\n", 3),
    "a marker whose name is a macro": ('#define F "x.h"\n# 33 F 1 3\n', 2),
    "a marker whose name is a raw string": ('# 33 R"(x.h)" 1 3\n', 1),
    "indented": ("  \t #  line 7\n", 1),
    "without a blank": ('#33"stdio.h"\n', 1),
    "behind a comment": ("/* one */ /* two */ # line 7\n", 1),
    "behind the end of a longer comment": ('/* one\n two */ # 33 "x.h" 3\n', 1),
    "a comment inside": ("# /* one */ line /* two */ 7\n", 1),
    "a comment over two lines inside": ("int a;\n# /* one\n two */ line 7\n", 2),
    "a digraph": ("int a;\n%:line 7\n", 2),
    "a trigraph": ("??=line 7\n", 1),
    "a splice in the word": ("#li\\\nne 7\n", 1),
    "a splice behind the #": ("int a;\n#\\\n line 7\n", 2),
    "a splice with a blank behind the backslash": ('# \\ \n 33 "x" 3\n', 1),
    "a splice far above": ("int a = 1 + \\\n 2;\nint b;\n#line 7\n", 4),
    "a form feed before it": ("\f#line 7\n", 1),
    "a NUL before it": ('\0# 33 "x" 3\n', 1),
    "a comment that a string only seems to open": ('const char* s = "/*";\n#line 7\n// */\n', 2),
    "a comment that a character only seems to open": ("int c = '/*';\n#line 7\n// */\n", 2),
    "a quote in a line comment": ("// don't /*\n#line 7\n// */\n", 2),
    "a quote that nobody closes, in skipped text": ("#if 0\ndon't /*\n#endif\n#line 7\n/* */\n", 4),
    "a digit separator": ("int c = 1'000 /* ' */;\n#line 7\n", 2),
    "a string with an escaped quote": ('const char* s = "\\"/*";\n# 33 "x" 3\n/* */\n', 2),
    "a raw string that holds a quote": ('auto s = R"(")" "/*";\n# 33 "x" 1 3\n/* */\n', 2),
    "a raw string with a delimiter": ('auto s = R"x(/*)" )x";\n# 33 "x" 1 3\n/* */\n', 2),
    "behind skipped text": ("#if 0\n#line 7\n#endif\n#line 8\n", 4),
    "in the other branch": ("#if 0\n#else\n#line 7\n#endif\n", 3),
    "behind a directive that is none": ("F(x /*\n*/ #if 0\n)\n#line 7\n", 4),
    "behind an end over two lines": ("#if 0\n# /*\n*/ endif\n#line 7\n", 4),
    "behind a condition that is not 0": ("#if 0 + 1\n#line 7\n#endif\n", 2),
    "in text that a raw string only seems to skip": ('auto s = R"(\n#if 0\n)";\n# 33 "x" 1 3\n', 4),
    "a header's name that holds a comment": ('#if __has_include(<a/*b>)\n#endif\n# 33 "x" 1 3\n/* */\n', 3),
    "behind an unknown directive in skipped text": ('#if 0\n#iffy\n#endif\n# 33 "x" 1 3\n', 4),
    "a spliced digraph behind a raw string": ('auto s = R"(\n/* )";\n%\\\n:33 "x" 3\n// */\n', 3),
    "a spliced comment in it, behind a raw string": ('auto s = R"(\n/* )";\n#/\\\n* */33 "x" 3\n// */\n', 3),
    "a raw string of a spliced prefix": ('auto s = R\\\n"(")" "/*";\n# 33 "x" 1 3\n/* */\n', 3),
}

HARMLESS = {
    "numbered steps in a comment": "/*\n#1 load the tile\n# 2 sync\n# 3\n#line up the rows\n*/\n",
    "a line comment": '// #line 7\n  // # 33 "x.h" 3\n',
    "a line comment that goes on": "// one \\\n#line 7\n",
    "a string": 'const char* s = "#line 7";\n',
    "other directives": "#include <cstdio>\n#define LINE 7\n#if 1\n#endif\n#pragma unroll 4\n#\n",
    "__LINE__": "int a = __LINE__;\n",
    "stringification in a macro": "#define S(x) #x\n#define P(x, y) x ## 7\n",
    "a multiplication below a macro's #": "#define S(x) \\\n  #x\n",
    "a number sign in an #error": "#if 0\n#error see issue # 33\n#endif\n",
    "skipped text": '#if 0\n#if X\n#line 7\n#endif\n# 33 "x" 3\n#elif 1\n#endif\n',
    "text skipped behind a comment": "# if /* a\n b */ 0 // no\n#line 7\n#endif\n",
    "comments beside ## and raw strings": '/*\n#1. load\n*/\nauto s = R"(text)";\n#define P(x, y) x ## y\n',
}


@pytest.mark.parametrize("case", FORGED)
def test_a_marker_is_found_on_its_line(case: str) -> None:
    source, line = FORGED[case]
    assert hand_written_marker(source) == line


@pytest.mark.parametrize("case", HARMLESS)
def test_what_only_looks_like_a_marker_is_left_alone(case: str) -> None:
    assert hand_written_marker(HARMLESS[case]) == 0


def test_a_file_full_of_quotes_and_backslashes_takes_no_quadratic_time() -> None:
    for unit in ("'", '"', "\\\n", "/*", "*/#", 'R"(', "#/**/", "1'"):
        assert hand_written_marker(unit * 20_000) in {0, 1}
