"""A system header is taken for what it is only where no macro could have come before it."""

from __future__ import annotations

import pytest

from grader.engines.header_trust import headers_are_genuine


@pytest.mark.parametrize(
    "source",
    [
        "",
        "#include <cstdio>\n#include <tilelab/device.cuh>\n#define TILE 16\nvoid f();\n",
        '// why\n/* more\n lines */\n\n# include <iostream> // streams\n#include "cuda_runtime.h"\nint x;',
        "int x;\n",
    ],
)
def test_includes_at_the_top_are_genuine(source: str) -> None:
    assert headers_are_genuine(source)


@pytest.mark.parametrize(
    "source",
    [
        "#define std evil\n#include <optional>\n",
        "#undef __noinline__\n#include <string>\n",
        "#include <cstdio>\n#define vector array\n#include <vector>\n",
        "int x;\n#include <vector>\n",
        "#define std evil\n#incl\\\nude <optional>\n",
        "#define std evil\n#incl\\ \nude <optional>\n",
        "#define std evil\n%:include <optional>\n",
        "#define std evil\n#import <optional>\n",
        "// a \\\n#define std evil\n#include <optional>\n",
        "#define H <optional>\n#include H\n",
    ],
)
def test_a_header_behind_anything_else_is_not(source: str) -> None:
    assert not headers_are_genuine(source)
