"""Building for a GPU with a real nvcc, where there is one: every style of kernel, errors with their lines."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.engines import gpu_build
from grader.engines.entry_points import EntrySignatures
from grader.engines.gpu_build import GpuBuild, build_for_gpu, launch_tail
from grader.engines.gpu_toolchain import GpuTarget, GpuToolchain, NoToolchain, find_toolchain
from grader.engines.toolset import Toolset
from grader.model.verdicts import Verdict

pytestmark = pytest.mark.in_turn(3)

ROOT = Path(__file__).resolve().parents[4]
ENTRIES = EntrySignatures("scale(float const*, float*, int)", "scale_launch(int)")
HONEST = """#include <tilelab/device.cuh>
__host__ __device__ LaunchConfig scale_launch(int n) { return {dim3(1), dim3(n)}; }
__global__ void scale(const float* in, float* out, int n) { out[threadIdx.x] = 2 * in[threadIdx.x]; }
"""
Build = Callable[..., GpuBuild]


@pytest.fixture(scope="module")
def toolchain() -> GpuToolchain:
    found = find_toolchain(ROOT, "g++", (ROOT / "kit" / "include",))
    if isinstance(found, NoToolchain):
        pytest.skip(f"nothing can be compiled for a GPU here: {found.reason}")
    return found


@pytest.fixture
def build(toolset: Toolset, toolchain: GpuToolchain, tmp_path: Path) -> Build:
    def build_text(
        text: str, *, max_registers: int | None = None, lambdas: bool | None = None, silent: bool = False
    ) -> GpuBuild:
        source, folder = tmp_path / "scale.cu", tmp_path / "work"
        source.write_text(text, encoding="utf-8")
        folder.mkdir(exist_ok=True)
        return build_for_gpu(
            toolchain,
            toolset.confinement,
            source,
            folder,
            ENTRIES,
            GpuTarget(80, max_registers=max_registers, lambdas=lambdas),
            silent=silent,
        )

    return build_text


def test_a_host_function_in_a_kernel_is_a_compile_error_at_its_line(build: Build) -> None:
    built = build(HONEST.replace("2 *", "rand() *"))
    assert (built.refusals[0].verdict, built.refusals[0].line) == (Verdict.COMPILE_ERROR, 3)


_LAMBDA = """template <class F> __global__ void each(F f, float* out) { out[threadIdx.x] = f(2); }
void start(float* out) { each<<<1, 1>>>([] __device__(int n) { return 1.0f * n; }, out); }
"""
_LIKE_THE_LIBRARY = "#include <utility>\nusing namespace std;\n__device__ int hash(int n) { return n; }\n"


@pytest.mark.parametrize(("more", "lambdas"), [("", False), (_LAMBDA, True), (_LIKE_THE_LIBRARY, False)])
def test_lambdas_for_the_device_are_taken_where_there_are_such(build: Build, more: str, *, lambdas: bool) -> None:
    """A file without them is not compiled with headers that they alone need, some names of which are also its own."""
    built = build(more + HONEST)
    assert built.image is not None, built.log
    assert built.lambdas == lambdas


def test_a_file_that_was_compared_without_lambdas_is_not_compiled_with_them(build: Build) -> None:
    """Built again for fewer registers, or to be timed, it would be a program that nobody has compared."""
    other = "#ifndef __CUDACC_EXTENDED_LAMBDA__\n#error another program\n#endif\n" + HONEST
    assert build(other).lambdas
    assert build(other, lambdas=False).image is None
    assert build(other.replace("ifndef", "ifdef"), lambdas=True).image is None


def test_a_small_file_that_takes_long_is_stopped_and_told_why(build: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu_build, "NVCC_LIMITS", dataclasses.replace(gpu_build.NVCC_LIMITS, all_seconds=3))
    tenfold = "".join(f"#define A{n} {f'A{n - 1} ' * 10}\n" for n in (1, 2, 3, 4))
    built = build(
        f"#define A0 x = x / (x + 1.0) + sqrt(x);\n{tenfold}{HONEST}__global__ void other(double* p) {{ double x = *p; A4 *p = x; }}\n"
    )
    (refusal,) = built.refusals
    assert refusal.verdict is Verdict.COMPILE_ERROR
    assert refusal.message == "nvcc was stopped: it needed more than 3 seconds of processor time for scale.cu."


def test_a_machine_that_gives_nvcc_no_time_is_not_the_submissions_fault(
    build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gpu_build, "NVCC_LIMITS", dataclasses.replace(gpu_build.NVCC_LIMITS, wall_seconds=0.01))
    built = build(HONEST)
    assert not built.refusals
    assert built.starved


def test_a_launch_function_for_the_host_alone_is_refused(build: Build) -> None:
    built = build(HONEST.replace("__host__ __device__ ", ""))
    assert built.refusals[0].verdict is Verdict.COMPILE_ERROR
    assert "__host__ __device__" in built.refusals[0].advice


@pytest.mark.parametrize(
    "helper",
    [
        "int own(int n) { return n; }",
        "constexpr auto own = [](int n) { return n; };",
    ],
)
def test_what_nvcc_says_of_the_host_s_part_is_told_apart(build: Build, helper: str) -> None:
    assert build(HONEST).sides == ""
    built = build(f"{helper}\n" + HONEST.replace("dim3(n)", "dim3(own(n))"))
    assert built.sides, built.log


@pytest.mark.parametrize(
    "text",
    [
        HONEST.replace("__global__ void scale", "__global__ void resize"),
        HONEST.replace("int n) { out", "long n) { out"),
        HONEST.replace("scale_launch(int n)", "scale_launch(int n, int m)"),
    ],
)
def test_an_entry_point_that_is_not_there_is_named(text: str, build: Build) -> None:
    assert build(text).refusals[0].verdict is Verdict.MISSING_ENTRY_POINT


def test_too_much_static_shared_memory_is_a_launch_error(build: Build) -> None:
    text = HONEST.replace(
        "out[threadIdx.x] =", "__shared__ float big[16384]; big[n] = in[0]; out[threadIdx.x] = big[n + 1] +"
    )
    assert build(text).refusals[0].verdict is Verdict.LAUNCH_ERROR


@pytest.mark.parametrize(
    "text",
    [
        HONEST.replace("__global__", "static __global__"),
        HONEST.replace("__global__", 'extern "C" __global__'),
        HONEST + "#define tilelab_config 7\n#define grid 16\n#define unsigned signed\n#define LaunchConfig int\n",
        "#define x 5\n"
        + HONEST.replace("#include", "#undef x\n#include").replace("threadIdx.x", "(threadIdx.x)")
        + "#define y 5\n",
    ],
)
def test_a_kernel_builds_however_it_is_declared_and_whatever_it_defines(text: str, build: Build) -> None:
    built = build(text)
    assert built.image is not None, built.log
    assert built.resources is not None


def test_a_kernel_can_be_held_to_fewer_registers(build: Build) -> None:
    sums = " ".join(f"float s{i} = in[{i} * n];" for i in range(120))
    uses = " + ".join(f"s{i} * s{(i * 7 + 3) % 120}" for i in range(120))
    text = HONEST.replace(
        "out[threadIdx.x] =", f"{sums} for (int i = 0; i < n; ++i) s0 += {uses}; out[threadIdx.x] = s0 +"
    )
    held = build(text, max_registers=64)
    assert held.resources is not None
    assert held.resources.registers <= 64
    assert held.resources.spill_store_bytes > 0


@pytest.mark.parametrize("call", ["printf", "std::printf", "if (n > 1) ::printf"])
def test_what_a_kernel_prints_can_be_left_out(build: Build, tmp_path: Path, call: str) -> None:
    text = "#include <cstdio>\n" + HONEST.replace(
        "out[threadIdx.x] =", f'{call}("%d of %f\\n", n, in[0]); out[threadIdx.x] ='
    )
    assert build(text).image is not None
    assert b"vprintf" in (tmp_path / "work" / "submission.cubin").read_bytes()
    built = build(text, silent=True)
    assert built.image is not None, built.log
    assert b"vprintf" not in (tmp_path / "work" / "submission.cubin").read_bytes()


def test_the_tail_takes_back_every_macro_it_could_meet() -> None:
    tail = launch_tail("scale.cu", ENTRIES)
    assert tail.startswith('#include "scale.cu"\n')
    for word in ("LaunchConfig", "int", "extern", "grid", "x", "scale", "static_assert"):
        assert f"#undef {word}\n" in tail
