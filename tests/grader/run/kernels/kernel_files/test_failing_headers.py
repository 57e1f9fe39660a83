"""Which #include brought a library's header that does not compile, in the words of both compilers."""

from __future__ import annotations

from grader.run.kernels.kernel_source import failing_includes

OWN = {"main.cu", "own.h"}
GCC = """\
In file included from /usr/include/lib/whole.hpp:23,
                 from own.h:39,
                 from main.cu:45:
/usr/include/lib/part.hpp: In member function 'void f()':
/usr/include/lib/part.hpp:26:71: error: exception handling disabled, use '-fexceptions' to enable
   26 |     throw std::runtime_error("empty");
/usr/include/lib/part.hpp:34:55: error: exception handling disabled, use '-fexceptions' to enable
"""
CLANG = """\
In file included from main.cu:45:
In file included from ./own.h:39:
In file included from /usr/include/lib/whole.hpp:23:
/usr/include/lib/part.hpp:26:5: error: cannot use 'throw' with exceptions disabled
In file included from main.cu:2:
/usr/include/lib/other.hpp:1:2: error: unknown type name 'x'
"""
DIRECTLY = """\
In file included from own.h:3,
                 from main.cu:45:
/usr/include/lib/part.hpp:26:71: error: exception handling disabled, use '-fexceptions' to enable
"""


def test_the_authors_include_nearest_to_the_error_is_found() -> None:
    assert list(failing_includes(GCC, OWN)) == [("own.h", 39, "/usr/include/lib/part.hpp")]
    assert list(failing_includes(DIRECTLY, OWN)) == [("own.h", 3, "/usr/include/lib/part.hpp")]
    assert list(failing_includes(CLANG, OWN)) == [
        ("own.h", 39, "/usr/include/lib/part.hpp"),
        ("main.cu", 2, "/usr/include/lib/other.hpp"),
    ]


def test_errors_in_the_authors_own_files_are_none() -> None:
    assert not list(failing_includes("In file included from main.cu:2:\n./own.h:3:1: error: what is this\n", OWN))
    assert not list(failing_includes("main.cu:3:1: error: what is this\n", OWN))
