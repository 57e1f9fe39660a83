"""A lab takes CUB's collectives unless its lab.toml forbids them: then it takes none, whatever a file calls the header."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from grader.engines.build_steps import without_cub
from grader.engines.refusal import needs_gpu
from grader.engines.toolset import Toolset
from grader.model.labs import load_lab
from grader.model.outcome import LabOutcome
from grader.model.verdicts import Verdict
from grader.run.lab_judging import LabJudge
from grader.run.lab_verdict import all_passed

pytestmark = pytest.mark.in_turn(3)

ROOT = Path(__file__).resolve().parents[4]
REDUCTION = """#include <tilelab/device.cuh>
#include <cub/block/block_reduce.cuh>
__host__ __device__ LaunchConfig sum_reduce_launch(int n) { return LaunchConfig{dim3((n + 2047) / 2048), dim3(256)}; }
__global__ void sum_reduce(const float* in, float* sum, int n) {
  using Reduce = cub::BlockReduce<float, 256>;
  __shared__ Reduce::TempStorage storage;
  float mine = 0.0f;
  for (int at = blockIdx.x * 256 + threadIdx.x; at < n; at += gridDim.x * 256) mine += in[at];
  mine = Reduce(storage).Sum(mine);
  if (threadIdx.x == 0) atomicAdd(sum, mine);
}
"""
# A name before the kernels that CUB defines: without the header, the compiler would complain of the name and not of CUB.
SCAN = """#include <cub/cub.cuh>
using Scan = cub::BlockScan<int, 256>;
__global__ void scan_blocks(const int* in, int* out, int* sums, int n) {
  __shared__ Scan::TempStorage storage;
  const int i = blockIdx.x * 256 + threadIdx.x;
  int x = i < n ? in[i] : 0, total;
  Scan(storage).InclusiveSum(x, x, total);
  if (i < n) out[i] = x;
  if (sums != nullptr && threadIdx.x == 0) sums[blockIdx.x] = total;
}
__global__ void add(int* out, const int* sums, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (blockIdx.x > 0 && i < n) out[i] += sums[blockIdx.x - 1];
}
void scan(const int* in, int* out, int n) {
  const int blocks = (n + 255) / 256;
  int* sums = nullptr;
  if (blocks > 1 && cudaMalloc(&sums, blocks * sizeof(int)) != cudaSuccess) return;
  scan_blocks<<<blocks, 256>>>(in, out, sums, n);
  if (cudaGetLastError() != cudaSuccess || blocks == 1) return;
  scan(sums, sums, blocks);
  add<<<blocks, 256>>>(out, sums, n);
  if (cudaGetLastError() != cudaSuccess || cudaFree(sums) != cudaSuccess) return;
}
"""
HEADER = "#include <cub/block/block_reduce.cuh>"
LABS = {"06-reduction": REDUCTION, "08-scan": SCAN}


@pytest.fixture(scope="module")
def toolset() -> Toolset:
    return Toolset.open(ROOT, allow_no_sandbox=True)


def judged(toolset: Toolset, folder: Path, lab_id: str, text: str, *, allowed: bool = False) -> LabOutcome:
    lab = load_lab(ROOT, lab_id)
    if not allowed:
        lab = replace(lab, public=lab.public.model_copy(update={"libraries": ()}))
    source, scratch = folder / lab.public.file, folder / "scratch"
    source.write_text(text, encoding="utf-8")
    scratch.mkdir()
    outcome = LabJudge(toolset, 1, public_only=True)(lab, source, scratch)
    if allowed:
        assert all_passed(replace(lab, private=None), outcome), outcome
    return outcome


@pytest.mark.parametrize("lab_id", LABS)
def test_a_lab_takes_the_collectives(toolset: Toolset, tmp_path: Path, lab_id: str) -> None:
    assert judged(toolset, tmp_path, lab_id, LABS[lab_id], allowed=True).verdict is None


@pytest.mark.parametrize("lab_id", LABS)
def test_a_lab_that_forbids_them_does_not(toolset: Toolset, tmp_path: Path, lab_id: str) -> None:
    outcome = judged(toolset, tmp_path, lab_id, LABS[lab_id])
    assert outcome.verdict is Verdict.REJECTED
    assert "CUB, which is not allowed in this lab" in outcome.findings[0].message


@pytest.mark.parametrize(
    "instead",
    [
        "#include <cuda/../cub/block/block_reduce.cuh>",
        f'#include "{ROOT}/kit/executor/device/cub//block/block_reduce.cuh"',
        "#define HEADER <cub/cub.cuh>\n#include HEADER",
        "#include <cub/warp/warp_merge_sort.cuh>",  # only a machine with a GPU has it
        "#include <cub/device/device_reduce.cuh>",
    ],
)
def test_no_other_name_of_a_header_helps(toolset: Toolset, tmp_path: Path, instead: str) -> None:
    outcome = judged(toolset, tmp_path, "06-reduction", REDUCTION.replace(HEADER, instead))
    assert outcome.verdict is Verdict.REJECTED


def test_another_thing_that_needs_a_gpu_is_not_taken_for_cub() -> None:
    other = needs_gpu(3, "The CPU executor does not know <cuda_fp8.h>")
    assert without_cub(other) is other
    assert without_cub(needs_gpu(3, "The CPU executor does not know `cub::WarpMergeSort`")).verdict is Verdict.REJECTED
