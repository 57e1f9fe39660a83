"""The headers beside NVIDIA's samples, which programs of courses include without bringing them."""

from __future__ import annotations

from pathlib import Path

from tests.host_api.fake_broker import FakeBroker
from tests.host_api.host_program import build

_PROGRAM = r"""
#include <helper_cuda.h>
#include <helper_functions.h>
#include <cuda_profiler_api.h>
#include <driver_types.h>
#include <nvtx3/nvToolsExt.h>
int main(int argc, char** argv) {
  const char** words = const_cast<const char**>(argv);
  const int device = findCudaDevice(argc, words);
  StopWatchInterface* timer = nullptr;
  sdkCreateTimer(&timer);
  sdkStartTimer(&timer);
  nvtxRangePush("work");
  cudaProfilerStart();
  getLastCudaError("nothing happened");
  nvtxRangePop();
  sdkStopTimer(&timer);
  const float values[] = {1, 2};
  char* name = nullptr;
  getCmdLineArgumentString(argc, words, "name", &name);
  std::printf("%d %d %d %s %d\n", device, getCmdLineArgumentInt(argc, words, "size="), checkCmdLineFlag(argc, words, "quiet"), name,
              sdkGetTimerValue(&timer) >= 0 && sdkCompareL2fe(values, values, 2, 1e-6f));
  sdkDeleteTimer(&timer);
  checkCudaErrors(cudaSetDevice(7));
}
"""


def test_a_program_of_the_samples_finds_its_device_its_options_and_its_errors(tmp_path: Path) -> None:
    program, _ = build(_PROGRAM, tmp_path)
    done = FakeBroker().run(program, "--size=12", "-name=first")
    assert done.stdout == 'GPU Device 0: "Hopper" with compute capability 9.0\n\n0 12 0 first 1\n'
    assert "code=101(cudaErrorInvalidDevice)" in done.stderr
    assert done.returncode == 1
