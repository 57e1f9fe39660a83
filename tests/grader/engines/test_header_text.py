"""A long stretch of headers is read once for a class, and never taken for another one."""

from __future__ import annotations

from grader.engines.compiler_view import CompilerView, HeaderText, ReadHeaders, different_programs

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
    assert read.defined == {"B": "(2)", "C": "3"}
    assert read.undefined == frozenset({"A"})
    assert read.own == {"A": " 1", "B": " (2)"}
    assert read.names == {"cudaCalled": True, "cudaUsed": False}


def test_a_path_in_a_line_marker_is_no_name() -> None:
    assert not HeaderText.read('# 1 "/usr/cuComplex.h" 1\n# 4 "/usr/cudaOther.h" 2\nint x;\n', ()).names


def test_a_stretch_that_was_read_is_found_by_its_text() -> None:
    headers = ReadHeaders()
    text = f'# 1 "/usr/a.h" 1\n{FILLING}'
    read = headers.read(text, ("/kit",))
    assert headers.read("".join(list(text)), ("/kit",)) is read
    assert headers.at(f"before\n{text}after", 7, ("/kit",), "kernel.cu") is read
    assert headers.at(f"before\n{text}after", 7, (), "kernel.cu") is None, "another kit's headers"
    assert headers.at(text.replace("filling", "felling", 1), 0, ("/kit",), "kernel.cu") is None
    assert headers.at(text, 0, ("/kit",), "a.h") is None, "there, this text is the submission's own"


def test_a_short_stretch_is_not_kept() -> None:
    headers = ReadHeaders()
    headers.read('# 1 "/usr/a.h"\nint x;\n', ())
    assert headers.at('# 1 "/usr/a.h"\nint x;\n', 0, (), "kernel.cu") is None


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
