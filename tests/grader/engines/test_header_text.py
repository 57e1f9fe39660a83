"""A long stretch of headers is read once for a class, and never taken for another one."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path
from unittest import mock

import pytest

from grader.engines.compiler_view import (
    MARKER,
    CompilerView,
    HeaderText,
    _read_once,
    different_programs,
    named_in,
    next_marker,
    read_headers,
)
from grader.engines.cpu_toolchain import DECIDED, EXPANDED
from grader.engines.toolset import Toolset

FILLING = "int filling;\n" * 10_000  # a stretch that is worth keeping
SOURCE = '#include "lab.h"\nint own = LIMIT;\n'


def view(headers: str, source: str = SOURCE, file: str = "kernel.cu") -> CompilerView:
    return CompilerView(f'# 0 "{file}"\n# 1 "/usr/include/lab.h" 1\n{headers}# 1 "{file}" 2\n{source}')


def test_headers_leave_macros_and_names_behind() -> None:
    text = (
        '# 1 "/kit/a.h" 1\n#define A 1\n#define B (2)\n# 1 "/usr/b.h" 1\n#undef A\n# define C 3 \n'
        "// cudaSaid()\n/* cudaSaid */\nvoid cudaCalled(int);\nint x = cudaUsed;\n"
    )
    read = HeaderText.read(text, ("/kit",))
    assert read.defined == {"A": None, "B": "(2)", "C": "3"}
    assert read.own == {"A": " 1", "B": " (2)"}
    assert read.names == {"cudaCalled": True, "cudaUsed": False}


def test_a_path_in_a_line_marker_is_no_name() -> None:
    assert not HeaderText.read('# 1 "/usr/cuComplex.h" 1\n# 4 "/usr/cudaOther.h" 2\nint x;\n', ()).names


def test_a_stretch_that_was_read_is_found_by_its_text() -> None:
    text = f'# 1 "/usr/a.h" 1\n{FILLING}'
    read = read_headers(text, ("/kit",))
    assert read_headers("".join(list(text)), ("/kit",)) is read
    assert read_headers(text, ()) is not read, "another kit's headers"
    assert read_headers(text.replace("filling", "felling", 1), ("/kit",)) is not read


def test_the_next_command_finds_what_was_read_unless_it_is_damaged(tmp_path: Path) -> None:
    text = f'# 1 "/usr/next.h" 1\n#define A 1\n#undef B\nvoid cudaCalled(int);\n{FILLING}'
    read = read_headers(text, ("/kit",), tmp_path)
    (file,) = tmp_path.iterdir()
    _read_once.cache_clear()
    with mock.patch.object(HeaderText, "read", side_effect=AssertionError):
        assert read_headers(text, ("/kit",), tmp_path) == read
    whole = file.read_bytes()
    file.write_bytes(whole[:-3])
    _read_once.cache_clear()
    assert read_headers(text, ("/kit",), tmp_path) == read
    assert file.read_bytes() == whole


def test_a_short_stretch_is_not_kept() -> None:
    text = '# 1 "/usr/a.h"\nint x;\n'
    assert read_headers(text, ()) is not read_headers(text, ())


def test_what_differs_behind_a_stretch_that_was_read_is_seen() -> None:
    same = view(f"#define LIMIT 4\n{FILLING}")
    assert different_programs(SOURCE, "kernel.cu", same, same) is None
    more = view(f"#define LIMIT 4\n{FILLING}#undef LIMIT\n#define LIMIT 5\n")
    refusal = different_programs(SOURCE, "kernel.cu", same, more)
    assert refusal is not None
    assert (refusal.line, "`LIMIT`" in refusal.message) == (2, True)
    longer = view(f'#define LIMIT 4\n{FILLING}# 3 "/usr/include/more.h" 1\n#undef LIMIT\n')
    assert different_programs(SOURCE, "kernel.cu", same, longer) is not None


def test_a_file_of_the_submissions_name_is_its_own_text_among_headers() -> None:
    kept = view(f'#define LIMIT 4\n{FILLING}# 1 "/usr/include/other.cu" 1\nint hidden;\n')
    assert different_programs(SOURCE, "kernel.cu", kept, kept) is None
    bare = CompilerView(kept.text.replace("int hidden;\n", "").replace("kernel.cu", "other.cu"))
    refusal = different_programs(SOURCE, "other.cu", CompilerView(kept.text.replace("kernel.cu", "other.cu")), bare)
    assert refusal is not None


def test_a_name_that_a_row_of_the_kit_makes_is_declared_for_the_executor() -> None:
    rows = "#define ROW(name) float name##_rn(float);\nROW(__scaled)\n"
    source = "float twice(float x) { return __scaled_rn(x); }\n"
    nvcc = view("float __scaled_rn(float);\n", source)
    refusal = different_programs(source, "kernel.cu", view(rows, source), nvcc)
    assert refusal is not None
    assert "`__scaled_rn`" in refusal.message
    expanded = '# 1 "/usr/include/lab.h"\nfloat __scaled_rn(float);\n'
    assert different_programs(source, "kernel.cu", replace(view(rows, source), expanded=expanded), nvcc) is None
    assert different_programs(source, "kernel.cu", replace(view(rows, source), expanded=expanded), view("", source))
    with pytest.raises(ValueError, match="no line marker"):
        different_programs(source, "kernel.cu", replace(view(rows, source), expanded="nothing"), nvcc)


def test_all_that_the_kits_headers_declare_is_seen(toolset: Toolset, tmp_path: Path) -> None:
    """A name that a macro of a header pastes together is seen where the prelude brings that header."""
    told = toolset.toolchain
    headers = [path.relative_to(told.includes[-1]) for path in sorted(told.includes[-1].rglob("*"))]
    offered = [path for path in headers if path.suffix == ".h" or (path.parts[0] == "cuda" and not path.suffix)]
    source = tmp_path / "all.cu"
    lines = [f"#include <{path}>\n" for path in offered if (told.includes[-1] / path).is_file()]
    source.write_text("".join(lines), encoding="utf-8")

    def declared(text: str) -> set[str]:
        names, at = set(), next_marker(text, 0)
        while marker := MARKER.match(text, at):
            at, start = next_marker(text, marker.end()), marker.end()
            if marker[2].startswith(str(told.includes[-1])):
                names |= {name for name, declares in named_in(text, start, at) if declares}
        return names

    def preprocessed(*words: str) -> set[str]:
        command = [told.compiler, "-x", "c++", *told.flags, "-include", str(told.prelude), "-E", *words, str(source)]
        return declared(subprocess.run(command, check=True, capture_output=True, text=True).stdout)

    seen = declared(told.prelude.with_name(EXPANDED).read_text(encoding="utf-8"))
    if not told.is_clang:
        seen |= preprocessed(*DECIDED)
    expanded = preprocessed()
    assert {"__fmul_rn", "__habs2", "make_float4"} <= expanded
    assert expanded - seen == set()
