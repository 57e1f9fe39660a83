"""A kernel that hangs and one with wild accesses affect only their own submission."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from kernel_labs import kernel_labs

from grader.model.result import LabResult
from grader.model.verdicts import Verdict

ROOT = Path(__file__).resolve().parents[2]
Grade = Callable[[Sequence[tuple[str, Path]]], list[LabResult]]
Measured = Callable[[str], None]
LAB = kernel_labs(ROOT)[0]
# nvcc removes an endless loop without effects. It cannot know the clock's value, so it keeps this one.
HANGS = "while (clock64() != 0) {}"
STRAYS = "if (clock64() != 0) { *(volatile float*)0x10 = 1.0f; }"


def sabotaged(text: str, statement: str) -> str:
    """The model solution with one more statement at the start of its kernel."""
    name = LAB.public.kernel.partition("(")[0]
    at = text.index("{", text.index(f" {name}("))
    return f"{text[: at + 1]}\n{statement}\n{text[at + 1 :]}"


def on_the_gpu(result: LabResult) -> list[tuple[str, str]]:
    return [(case.name, case.on_gpu.verdict.value) for case in result.cases if case.on_gpu]


def test_a_hang_and_a_stray_address_between_honest_submissions(
    grade: Grade, tmp_path: Path, measured: Measured
) -> None:
    assert LAB.private_dir is not None
    honest = LAB.private_dir / LAB.public.file
    text = honest.read_text(encoding="utf-8")
    hanging, straying = tmp_path / "hanging.cu", tmp_path / "straying.cu"
    hanging.write_text(sabotaged(text, HANGS), encoding="utf-8")
    straying.write_text(sabotaged(text, STRAYS), encoding="utf-8")
    (undisturbed,) = grade([(LAB.id, honest)])
    row = [grade([(LAB.id, path)])[0] for path in (honest, hanging, honest, straying, honest)]  # one after the other
    together = grade([(LAB.id, path) for path in (honest, hanging, honest, straying, honest)])  # all at once
    for results in (row, together):
        first, hung, second, stray, third = results
        for one in (first, second, third):
            assert (one.verdict, one.points, on_the_gpu(one)) == (
                Verdict.PASS,
                undisturbed.points,
                on_the_gpu(undisturbed),
            )
        assert hung.verdict is Verdict.TIMEOUT
        assert stray.verdict is Verdict.OUT_OF_BOUNDS
        assert {verdict for _, verdict in on_the_gpu(hung)} == {"timeout"}
        assert not any(case.difference for case in hung.cases)
    seconds = ", ".join(f"{one.seconds:.1f}" for one in row)
    measured(f"honest, hanging, honest, straying, honest: {seconds} s one after the other")


def test_a_kernel_with_too_many_registers_for_its_block_is_compiled_again(
    grade: Grade, tmp_path: Path, measured: Measured
) -> None:
    kernel, launch = LAB.public.kernel.partition("(")[0], LAB.public.launch.partition("(")[0]
    source = tmp_path / "many_sums.cu"
    source.write_text(
        f"""#include <tilelab/device.cuh>
__host__ __device__ LaunchConfig {launch}(int M, int N, int K) {{
  return {{dim3((N + 31) / 32, (M + 31) / 32), dim3(32, 32)}};
}}
__global__ void {kernel}(const float* A, const float* B, float* C, int M, int N, int K) {{
  const int row = blockIdx.y * 32 + threadIdx.y, col = blockIdx.x * 32 + threadIdx.x;
  if (row >= M || col >= N) return;
  float sums[96] = {{}};
  for (int start = 0; start < K; start += 96) {{
#pragma unroll
    for (int i = 0; i < 96; ++i) {{
      if (start + i < K) sums[i] += A[row * K + start + i] * B[(start + i) * N + col];
    }}
  }}
  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < 96; ++i) sum += sums[i];
  C[row * N + col] = sum;
}}
""",
        encoding="utf-8",
    )
    (result,) = grade([(LAB.id, source)])
    assert result.gpu_kernel is not None
    measured(
        f"{result.gpu_kernel.registers} registers, {result.gpu_kernel.spill_load_bytes} bytes spilt: {result.gpu_kernel.note}"
    )
    assert result.verdict is Verdict.PASS
    assert result.points - result.performance_points == result.max_points - result.performance_max
    assert "-maxrregcount=64" in result.gpu_kernel.note
    assert "__launch_bounds__" in result.gpu_kernel.note
    assert result.gpu_kernel.registers <= 64
