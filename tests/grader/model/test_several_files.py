"""Several files as one text, and what a build file among them says."""

from __future__ import annotations

import pytest

from grader.model.several_files import (
    BuildWords,
    build_words,
    can_be_named,
    joined,
    lines_before,
    of_lab,
    parted,
    place_in,
    with_text,
)

CPP = {"main.cu": "", "k.cu": "", "host.cpp": "", "k.cuh": ""}


def test_files_that_are_joined_come_apart_again() -> None:
    others = {"a.cuh": "int a;\n", "b.cu": "// ==== evil.cu ====\nint b;"}
    text = joined("int main() {}\n// ==== a.cuh ====\n", others)
    assert parted(text, "m.cu") == {
        "m.cu": "int main() {}\n // ==== a.cuh ====\n", "a.cuh": "int a;\n", "b.cu": " // ==== evil.cu ====\nint b;\n",
    }  # fmt: skip
    assert of_lab({"m.cu": text}, "m.cu") == parted(text, "m.cu")
    assert of_lab({"m.cu": "// ==== a.cuh ====\n"}, "m.cu") == {"m.cu": "// ==== a.cuh ====\n"}


def test_a_line_of_the_whole_text_is_one_of_a_file() -> None:
    whole = joined("m1\nm2\n", {"a.cuh": "a1\n", "b.cu": "b1\nb2\n"})
    assert lines_before(whole) == {"a.cuh": 3, "b.cu": 5}
    assert [place_in(whole, one) for one in (2, 3, 4, 5, 7)] == [
        ("", 2),
        ("a.cuh", 0),
        ("a.cuh", 1),
        ("b.cu", 0),
        ("b.cu", 2),
    ]
    assert place_in("m1\n// ==== a.cuh ====\nm3", 3) == ("", 3)
    assert parted(with_text(whole, "m.cu", "b.cu", "b\n"), "m.cu") == {
        "m.cu": "m1\nm2\n",
        "a.cuh": "a1\n",
        "b.cu": "b\n",
    }


@pytest.mark.parametrize(
    "name", ["../a.cu", "a b.cuh", ".cuh", "-o.cu", "a.o", "*.cu", "a/b.h", "a.cu\n", "x" * 101 + ".cu"]
)
def test_a_name_that_no_compiler_should_get_is_none(name: str) -> None:
    assert not can_be_named(name)
    assert list(parted(f"// ==== {name} ====\nx", "m.cu")) == ["m.cu"]


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("Makefile", "F = -O3 -DN=4\nF += -D USE -std=c++20\np: src/main.cu k.cu\n\tnvcc $(F) $^ # -DNO\n",
         BuildWords(("main.cu", "k.cu"), ("N=4", "USE"), "20", ("-O3",))),
        ("Makefile", "O = main.o \\\n k.o\np: $O ${O}\n\tnvcc -Iinclude -o p $(O) -lm",
         BuildWords(("main.cu", "k.cu"), (), "", ("-lm",))),
        ("Makefile", "all:\n\trm -rf $(shell ls) -Dmain=x -D__CUDA_ARCH__=1 -DN=`id`",
         BuildWords((), (), "", ("-Dmain=x", "-D__CUDA_ARCH__=1"))),
        ("Makefile", "A = $(A)$(A)$(A)\nB = $(B) $(B)\np: $(A) $(B) ../../etc/k.cu", BuildWords(("k.cu",))),
        ("CMakeLists.txt", ("set(CMAKE_CUDA_STANDARD 20)\nset(S main.cu k.cu)\nadd_executable(p ${S} host.cpp)\n"
         "target_compile_definitions(p PRIVATE N=4 -DM)\n"), BuildWords(("main.cu", "k.cu", "host.cpp"), ("M", "N=4"), "20", ())),
    ],
)  # fmt: skip
def test_a_build_file_says_sources_definitions_and_the_standard(name: str, text: str, words: BuildWords) -> None:
    found = build_words({**CPP, name: text})
    assert (set(found.sources), set(found.definitions)) == (set(words.sources), set(words.definitions))
    assert found.standard == words.standard
    assert set(words.ignored) <= set(found.ignored)


def test_a_build_file_is_read_in_a_short_time() -> None:
    for text in ("$(" * 50_000, "A = " + "$(A)" * 10_000 + "\n$(A)", "-D" * 50_000, "set(" * 20_000, "x.o " * 20_000):
        build_words({**CPP, "Makefile": text})
