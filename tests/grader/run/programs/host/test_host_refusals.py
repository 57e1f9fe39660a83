"""What cannot be built is named."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from grader.model.verdicts import Verdict
from grader.run.kernels.kernel_source import KernelSource
from grader.run.programs.host_build import (
    absent_libraries,
    library_of,
    library_of_header,
    refusals_of_errors,
    undefined_names,
)
from grader.source.cuda_vocabulary import is_of_cuda

UNIT = KernelSource("a.cu", {"a.cu": ""})


@pytest.mark.parametrize(
    ("header", "library"),
    [("cublas_v2.h", "cuBLAS"), ("thrust/device_vector.h", "Thrust"), ("cub/cub.cuh", "CUB"), ("mine.h", "")],
)
def test_a_library_is_known_by_its_headers(header: str, library: str) -> None:
    assert library_of_header(header) == library


@pytest.mark.parametrize(
    ("name", "library"),
    [
        ("cublasCreate_v2", "cuBLAS"),
        ("cuInit", "the driver API"),
        ("cudaGraphExecFancyCall", "this part of CUDA graphs"),
        ("cut", ""),
    ],
)
def test_a_library_is_known_by_its_names(name: str, library: str) -> None:
    assert library_of(name) == library


def test_a_name_that_the_linker_did_not_find_is_named_once_with_its_line() -> None:
    log = (
        "/usr/bin/ld: unit0.o: in function `main':\n"
        "unit0/a.cu:7: warning: undefined reference to `helper(int)'\n"
        "/usr/bin/ld: unit0/a.cu:9: warning: undefined reference to `helper(int)'\n"
    )
    (found,) = undefined_names(log)
    assert (found.file, found.line) == ("a.cu", 7)
    assert "`helper(int)` is declared but not defined" in found.message


@pytest.mark.parametrize(
    "said",
    [
        "/job/unit0/a.cu:22:(.text._Z3addi+0x6): warning: undefined reference to `cuda_on_cpu::blockIdx'",  # binutils 2.42
        "/usr/bin/ld.bfd: unit0/a.cu:22:(.text+0x6): undefined reference to `cuda_on_cpu::blockIdx'",
        "/usr/bin/ld: unit0/a.cu:22: warning: undefined reference to `cuda_on_cpu::blockIdx'",  # 2.40
        "unit0/a.cu:22: error: undefined reference to 'cuda_on_cpu::blockIdx'",  # gold
    ],
)
def test_each_linker_says_in_which_line_a_name_is_missing(said: str) -> None:
    (found,) = undefined_names(f"/usr/bin/ld: unit0.o: in function `add(int)':\n{said}\n")
    assert (found.file, found.line, "belongs to a thread" in found.message) == ("a.cu", 22, True)


def test_an_object_without_lines_is_named_and_no_line() -> None:
    (found,) = undefined_names("/usr/bin/ld: unit0.o:(.text+0x6): undefined reference to `helper(int)'\n")
    assert (found.file, found.line) == ("", 0)


def test_what_is_missing_of_a_library_is_named_with_the_library() -> None:
    log = "a.cu:4:20: error: \u2018BlockScan\u2019 in namespace \u2018cub\u2019 does not name a template type\n"
    (refusal,) = refusals_of_errors(log, KernelSource("a.cu", {"a.cu": "..."}), ())
    assert (refusal.line, refusal.message) == (4, "The program uses CUB (`cub::BlockScan`), which cannot run here.")


def test_an_unknown_name_of_the_runtime_is_named() -> None:
    log = "a.cu:3:5: error: \u2018cudaFancyCall\u2019 was not declared in this scope"
    (found,) = refusals_of_errors(log, UNIT, [])
    assert (found.line, "cudaFancyCall" in found.message) == (3, True)


def test_a_missing_header_explains_a_name_that_it_may_declare() -> None:
    log = "a.cu:3:5: error: \u2018Timer\u2019 was not declared in this scope"
    (found,) = refusals_of_errors(log, UNIT, [("a.cu", 1, "timer.h")])
    assert found.line == 1
    assert "timer.h was not found, and perhaps `Timer` is declared in it" in found.message


def test_a_header_for_windows_explains_errors_only_where_the_compiler_misses_it() -> None:
    text = "#ifdef _WIN32\n#include <windows.h>\n#endif\n#include <cufft.h>\n#include <thrust/here.h>\n"
    assert list(absent_libraries({"a.cu": text}, "thrust/here.h".__eq__)) == [("a.cu", 4, "cufft.h")]
    log = "a.cu:9:5: error: \u2018cudaGraphFancyCall\u2019 was not declared in this scope"
    (found,) = refusals_of_errors(log, KernelSource("a.cu", {"a.cu": text}), [("a.cu", 2, "windows.h")])
    assert "The program uses Windows (" in found.message


def test_a_header_that_another_source_lacks_explains_nothing() -> None:
    log = "b.cu:9:5: error: \u2018cudaGraphFancyCall\u2019 was not declared in this scope"
    (found,) = refusals_of_errors(log, KernelSource("b.cu", {"b.cu": "\n"}), [("a.cu", 4, "cufft.h")])
    assert (found.file, found.line) == ("b.cu", 9)
    assert "cuFFT" not in found.message


def test_a_texture_reference_is_named_as_what_cuda_12_removed() -> None:
    text = "texture<float, 2> picture;\nint main() { cudaBindTexture(0, picture, 0, 4); }\n"
    log = "a.cu:1:1: error: \u2018texture\u2019 does not name a type\n"
    (found,) = refusals_of_errors(log, KernelSource("a.cu", {"a.cu": text}), ())
    assert (found.file, found.line) == ("a.cu", 1)
    assert "CUDA 12 removed them" in found.message
    assert "cudaCreateTextureObject()" in found.message


def test_a_call_for_texture_references_is_named_as_what_cuda_12_removed() -> None:
    log = "a.cu:3:5: error: \u2018cudaBindTextureToArray\u2019 was not declared in this scope\n"
    (found,) = refusals_of_errors(log, UNIT, ())
    assert (found.line, "CUDA 12 removed" in found.message) == (3, True)


_NAMES = Path(__file__).with_name("unknown_names.txt").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("row", [one for one in _NAMES if one[0] != "#"])
def test_a_typo_is_told_from_a_function_that_is_not_there_yet(row: str) -> None:
    """Whatever the compiler proposes."""
    name, told = row.split(": ")
    log = f"a.cu:3:5: error: '{name}' was not declared in this scope; did you mean 'cudaMalloc'?\n"
    (found,) = refusals_of_errors(log, UNIT, [])
    assert f"`{name}`" in found.message
    assert (found.verdict is Verdict.NEEDS_GPU) == (told == "gpu")
    if told != "gpu":
        assert ("Is `" in found.message) == (told != "-")
        assert told == "-" or f"Is `{told}` meant?" in found.message


def test_a_name_of_the_files_own_is_no_misspelt_name_of_cuda() -> None:
    unit = KernelSource(
        "a.cu", {"a.cu": "int main() { return cudaEventRecor(); }\nint cudaEventRecor() { return 0; }\n"}
    )
    (found,) = refusals_of_errors("a.cu:1:21: error: 'cudaEventRecor' was not declared in this scope", unit, [])
    assert (found.message, found.columns) == (
        "The compiler says: 'cudaEventRecor' was not declared in this scope",
        (20, 34),
    )


@pytest.mark.parametrize("header", ["cuda_runtime_api.h", "cuda.h"])
def test_cudas_names_are_those_of_an_installed_toolkit(header: str) -> None:
    file = Path("/usr/local/cuda/include", header)
    if not file.is_file():
        pytest.skip("there is no toolkit here")
    text = re.sub(r"/\*.*?\*/", "", file.read_text(encoding="utf-8", errors="replace"), flags=re.DOTALL)
    names = set(re.findall(r"\b(?:cudaError_t|CUresult) CUDA(?:RTAPI|API) (cu\w+)\(", text))
    assert names
    assert [one for one in names if not is_of_cuda(one)] == []
