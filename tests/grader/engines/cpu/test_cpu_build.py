"""Builds one file completely, confined: which files become a runner, and what a student is told about the others."""

# ruff: noqa: E501 -- a case of a table is one line
from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grader.engines.build_steps import PREPROCESSING_BYTES

pytestmark = pytest.mark.in_turn(4)

BuildSource = Callable[[str | bytes], Any]  # conftest's Built

LAUNCH = "__host__ __device__ LaunchConfig scale_launch(int n) { return {dim3((n + 31) / 32), dim3(32)}; }\n"
KERNEL = "__global__ void scale(const float* in, float* out, int n)"
BODY = "{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) out[i] = 2.0f * in[i]; }\n"


def submission(
    before: str = "", body: str = BODY, after: str = "", *, kernel: str = KERNEL, launch: str = LAUNCH
) -> str:
    """A correct file with something added or replaced. Its first line is the include; `before` starts at line 2."""
    return f"#include <tilelab/device.cuh>\n{before}\n{launch}{kernel} {body}{after}"


HOST = "#include <iostream>\n#include <vector>\nusing namespace std;\n"
PRINTING = "void show(const float* m, int n) { for (int i = 0; i < n; i++) cout << m[i] << endl; }\nint main() { vector<float> v(3); show(v.data(), 3); }\n"
HALF = "{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) out[i] = %s; }\n"

ACCEPTED: dict[str, str | bytes] = {
    "a plain kernel": submission(),
    "extern C": submission(kernel=f'extern "C" {KERNEL}'),
    "a static kernel and launch function": submission(kernel=f"static {KERNEL}", launch=f"static {LAUNCH}"),
    "an inline launch function": submission(launch=f"inline {LAUNCH}"),
    "a constexpr launch function": submission(launch=f"constexpr {LAUNCH}"),
    "launch bounds": submission(kernel=KERNEL.replace("void", "void __launch_bounds__(256, 2)")),
    "restrict and top-level const": submission(
        kernel="__global__ void scale(const float* const __restrict__ in, float* __restrict__ const out, const int n)"
    ),
    "typedefs": submission("typedef float real; using Index = const int;", kernel="__global__ void scale(const real* in, real* out, Index n)"),
    "arrays as parameters": submission(kernel="__global__ void scale(const float in[], float out[], int n)"),
    "declarations first": submission(f"{KERNEL};\n{LAUNCH.partition('{')[0]};"),
    "leftover host code": submission(HOST, after=PRINTING),
    "host code that calls through pointers": submission("#include <functional>", after="int twice(std::function<int(int)> f) { return f(f(1)); }\n"),
    "host-only mathematics in the launch function": submission(
        launch="LaunchConfig scale_launch(int n) { return {dim3((unsigned)std::ceil(n / 32.0)), dim3(32)}; }\n"
    ),
    "code for the device alone": submission(body=f"{{\n#ifdef __CUDA_ARCH__\n{BODY}\n#endif\n}}\n"),
    "code for CUDA alone": submission(body=f"{{\n#ifdef __CUDACC__\n{BODY}\n#endif\n}}\n"),
    "min, max and std::min": submission("#include <algorithm>\nusing namespace std;", HALF % "std::min(in[i], max(in[i], min(1, 2) * 1.0f)) * 2"),
    "std::array": submission("#include <array>", HALF % "std::array<float, 2>{in[i], in[i]}[1] * 2"),
    "the usual mathematics": submission(body=HALF % "in[i] + std::tanh(0.0f) + pow(in[i], 1.0) + hypotf(0, 0) + rsqrtf(1.0f) - fmaxf(1, 0)"),
    "quarters of a float4": submission(body="{ __shared__ float4 s[32]; s[threadIdx.x] = make_float4(0, 0, 0, 0); out[0] = reinterpret_cast<float4&>(s[0]).x; }\n"),
    "assert": submission("#include <cassert>", "{ assert(n > 0); int i = threadIdx.x; if (i < n) out[i] = in[i]; }\n"),
    "numbered comments": submission("/*\n#1 load\n# 2 sync\n*/"),
    "a Latin-1 comment": submission("// gr\xf6\xdfer").encode("latin-1"),
}  # fmt: skip

REFUSED: dict[str, tuple[str, str, int, str]] = {
    "no kernel": (submission(kernel=KERNEL.replace("scale", "scales")), "missing-entry-point", 4, "There is no kernel"),
    "no __global__": (submission(kernel=KERNEL.removeprefix("__global__ ")), "missing-entry-point", 4, "not declared `__global__`"),
    "no launch function": (submission(launch=""), "missing-entry-point", 0, "There is no launch function"),
    "a kernel in a namespace": (submission("namespace mine {", after="}\n"), "missing-entry-point", 4, "There is no kernel"),
    "other parameters": (
        submission(kernel="__global__ void scale(const float* in, float* out, unsigned n)"), "missing-entry-point", 4,
        "expected `scale(const float*, float*, int)`, found `scale(const float*, float*, unsigned int)`",
    ),
    "a template of the kernel's name": (submission(kernel=f"template <int T> {KERNEL}"), "missing-entry-point", 4, "There is no kernel"),
    "a missing semicolon": (submission(body="{\n  out[0] = in[0]\n}\n"), "compile-error", 5, "`;` is missing at the end of line 5"),
    "a launch": (submission(after="void run(float* a) { scale<<<1, 32>>>(a, a, 1); }\n"), "compile-error", 5, "launches a kernel with <<<…>>>"),
    "an allocation": (submission(after="void run() { float* a; cudaMalloc(&a, 4); }\n"), "compile-error", 5, "This is host code"),
    "host error checks": (
        submission(after="void run() { cudaError_t e = cudaDeviceSynchronize(); }\n"), "compile-error", 5, "This is host code",
    ),
    "an array of variable length": (submission(body="{ float r[n]; out[0] = r[0]; }\n"), "compile-error", 4, "size of the array `r` is not a constant"),
    "a missing header": (submission('#include "mine.h"'), "compile-error", 2, "mine.h"),
    "a header of another CUDA library": (submission("#include <cuda/semaphore>"), "needs-gpu", 2, "<cuda/semaphore>"),
    "a counter of the profiler": (submission(body="{ __prof_trigger(0); }\n"), "needs-gpu", 4, "__prof_trigger"),
    "inline assembly": (submission(body='{ asm("nop"); }\n'), "needs-gpu", 4, "`nop` in inline PTX"),
    "a function pointer": (
        submission(body="{ float (*p)(float) = rsqrtf; out[0] = p(in[0]); }\n"), "needs-gpu", 4, "a pointer to `_ZN11cuda_on_cpu6rsqrtfEf`",
    ),
    "a line marker": (submission("#line 70"), "rejected", 2, "line marker"),
    "an attribute": (submission('__attribute__((optimize("O3")))'), "rejected", 2, "optimize"),
    "printing to a stream": (submission(HOST, '{ cout << "x"; }\n'), "rejected", 7, "std::cout"),
    "std::sort": (submission("#include <algorithm>", "{\n  std::sort(out, out + n);\n}\n"), "rejected", 5, "std::sort"),
    "std::vector": (submission("#include <vector>", "{\n  std::vector<float> v(n);\n}\n"), "rejected", 5, "std::vector"),
    "exit": (submission(body="{ if (n < 0) exit(1); }\n"), "rejected", 4, "`exit`"),
    "a system call from a helper": (
        submission("#include <unistd.h>\n__device__ void f() {\n  fork();\n}", "{ f(); }\n"), "rejected", 4, "`fork`",
    ),
    "a function that nobody defines": (submission("__device__ float f(float);", "{ out[0] = f(1); }\n"), "rejected", 4, "declared but not defined"),
    "a variable that needs a constructor": (
        submission("__device__ float start();\nfloat first = start();\n__device__ float start() { return 2; }", "{ out[0] = first; }\n"),
        "rejected", 3, "`first`",
    ),
}  # fmt: skip

HOSTILE = {
    "nothing at all": b"",
    "only NUL bytes": b"\0" * 4096,
    "NUL bytes in the code": submission().encode().replace(b"int i", b"int\0i"),
    "bytes that are no text": bytes(range(256)) * 8,
    "a line of a megabyte": (submission() + "//" + "x" * (1 << 20)).encode(),
    "brackets without end": b"(" * 50_000,
    "templates without end": submission(
        "template <int N> struct D { static const int v = D<N + 1>::v; }; int d = D<0>::v;"
    ).encode(),
    "a constant without end": submission(
        "constexpr int f() { int n = 0; for (;;) ++n; return n; } constexpr int c = f();"
    ).encode(),
    "a file that includes itself": submission("#include __FILE__").encode(),
    "a device without end": submission('#include "/dev/zero"').encode(),
    "macros that double": submission(
        "#define A0 int\n" + "".join(f"#define A{n + 1} A{n} A{n} A{n} A{n}\n" for n in range(20)) + "A20"
    ).encode(),
    "the users of this machine": submission('#include "/etc/passwd"').encode(),
}


def image_of(folder: Path) -> dict[str, Any]:
    image: dict[str, Any] = json.loads((folder / "image.json").read_text(encoding="utf-8"))
    return image


@pytest.mark.parametrize("case", ACCEPTED)
def test_ordinary_cuda_becomes_a_runner(case: str, build: BuildSource) -> None:
    built = build(ACCEPTED[case])
    assert (built.verdict, built.said) == ("built", ""), built.build.log
    image = image_of(built.folder)
    assert image["kernel"] > 0
    assert image["launch"] > 0
    assert image["kernel"] in [first for first, _, name in image["functions"] if name == "scale"]


@pytest.mark.parametrize("words", [[], ["--image"], ["--imge", "image.json"], ["--image", "image.json", "more"]])
def test_a_runner_takes_one_command_line_and_no_other(words: list[str], build: BuildSource) -> None:
    runner = build(submission()).build.runner
    assert runner is not None
    done = subprocess.run([runner, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("usage: runner --image image.json")


@pytest.mark.parametrize("case", REFUSED)
def test_everything_else_is_refused_with_its_line_and_a_reason(case: str, build: BuildSource) -> None:
    text, verdict, line, words = REFUSED[case]
    built = build(text)
    assert (built.verdict, built.line) == (verdict, line), (built.said, built.build.log)
    assert words in built.said
    assert built.build.runner is None


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_text_is_an_outcome_and_never_an_exception(case: str, build: BuildSource) -> None:
    built = build(HOSTILE[case])
    assert built.verdict in {"compile-error", "missing-entry-point", "built", "rejected"}
    assert (built.verdict == "built") == (case in {"a line of a megabyte", "NUL bytes in the code"})
    assert len(built.build.log) <= 8_010


def test_a_preprocessor_that_needs_much_memory_is_stopped_at_a_limit_of_its_own(build: BuildSource) -> None:
    doubled = "#define A0 int\n" + "".join(f"#define A{n + 1} A{n} A{n}\n" for n in range(30)) + "A30"
    built = build(submission(doubled))
    assert built.verdict == "compile-error", built.said
    assert f"{PREPROCESSING_BYTES >> 20} MiB of memory" in built.said


def test_a_large_text_is_looked_at_before_it_is_compiled(build: BuildSource) -> None:
    """It has few words, so that it may be compiled."""
    strings = f'#define S "{"x" * 60_000}"\n' + "".join(f"const char* s{n} = S;\n" for n in range(80))
    built = build(submission(strings))
    assert (built.verdict, built.said) == ("built", ""), built.build.log
    assert (built.folder / "step.large").is_file()


def test_a_file_that_includes_another_shows_nothing_of_it(build: BuildSource) -> None:
    built = build(submission('#include "/etc/passwd"'))
    assert "root:" not in built.build.log + built.said


def test_the_log_names_the_file_and_no_folder(build: BuildSource) -> None:
    built = build(submission(body="{ int unused = 1; }\n"))
    assert "scale.cu:4:" in built.build.log
    assert str(built.folder) not in built.build.log


def test_the_image_holds_the_lines_of_the_code(build: BuildSource) -> None:
    text = submission()
    image = image_of(build(text).folder)
    ours = {number for number, name in enumerate(image["files"]) if name.rsplit("/", 1)[-1] == "scale.cu"}
    assert {3, 4} <= {line for _, line, file in image["lines"] if file in ours}
    assert image["lines"] == sorted(image["lines"])


def test_static_shared_memory_is_counted_over_what_the_kernel_reaches(build: BuildSource) -> None:
    helpers = "template <int T> __device__ float part() { __shared__ float s[T]; s[0] = T; return s[0]; }\n"
    unused = "__device__ float unreached() { __shared__ float big[5000]; return big[0]; }\n"
    image = image_of(build(submission(helpers + unused, "{ out[0] = part<64>() + part<32>(); }\n")).folder)
    assert image["static_shared_bytes"] == (64 + 32) * 4
