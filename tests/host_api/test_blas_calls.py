"""The part of cuBLAS that host code has: results against sums written out by hand, and what is wrong with a call."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.host_api.fake_broker import FakeBroker
from tests.host_api.host_program import build

_PROGRAM = r"""
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <cstdio>
#include <vector>
template <typename T> T* on_device(const std::vector<T>& values) {
  T* device = nullptr;
  (void)cudaMalloc(&device, values.size() * sizeof(T));
  cublasSetVector(values.size(), sizeof(T), values.data(), 1, device, 1);
  return device;
}
template <typename T> void show(const char* what, const T* device, int count) {
  std::vector<T> values(count);
  cublasGetVector(count, sizeof(T), device, 1, values.data(), 1);
  std::printf("%s", what);
  for (T one : values) std::printf(" %g", static_cast<double>(one));
  std::printf("\n");
}
int main() {
  cublasHandle_t handle = nullptr;
  std::printf("%d\n", cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, nullptr, nullptr, 1, nullptr, 1, nullptr, nullptr, 1));
  cublasCreate(&handle);
  // a is 2 x 3 and b is 3 x 2, column by column
  float* a = on_device<float>({1, 4, 2, 5, 3, 6});
  float* b = on_device<float>({7, 9, 11, 8, 10, 12});
  float* c = on_device<float>({1, 1, 1, 1});
  const float one = 1, two = 2, none = 0;
  cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 3, &one, a, 2, b, 3, &none, c, 2);
  show("product", c, 4);
  cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 3, &two, a, 2, b, 3, &one, c, 2);
  show("three products", c, 4);
  float* square = on_device<float>(std::vector<float>(9));
  cublasSgemm(handle, CUBLAS_OP_T, CUBLAS_OP_T, 3, 3, 2, &one, a, 2, b, 3, &none, square, 3);
  show("turned", square, 9);
  double* x = on_device<double>({1, -2, 3, -4});
  double* y = on_device<double>({10, 20, 30, 40});
  const double half = 0.5, unit = 1, zero = 0;
  cublasDaxpy(handle, 2, &half, x, 2, y, -3);
  show("axpy", y, 4);
  double sum = 0;
  cublasDdot(handle, 4, x, 1, y, 1, &sum);
  std::printf("%g\n", sum);
  double* m = on_device<double>({1, 2, 3, 4, 5, 6});
  cublasDgemv(handle, CUBLAS_OP_T, 2, 3, &unit, m, 2, x, 1, &zero, y, 1);
  show("gemv", y, 3);
  cublasDscal(handle, 2, &half, x, 1);
  cublasDcopy(handle, 1, x, 1, x + 3, 1);
  show("moved", x, 4);
  std::printf("%s\n", cublasGetStatusString(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 3, &one, a, 1, b, 3, &none, c, 2)));
  float here[4] = {};
  std::printf("%s\n", cublasGetStatusString(cublasSscal(handle, 4, &two, here, 1)));  // a pointer of the host
  cublasDestroy(handle);
}
"""
_EXPECTED = """\
1
product 58 139 64 154
three products 174 417 192 462
turned 39 54 69 49 68 87 59 82 105
axpy 11.5 20 30 40.5
-100.5
gemv -3 -5 -7
moved 0.5 -1 3 0.5
CUBLAS_STATUS_INVALID_VALUE
CUBLAS_STATUS_EXECUTION_FAILED
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(_PROGRAM, tmp_path_factory.mktemp("blas"))[0]


def test_vectors_and_products_are_those_of_the_formulas(program: Path) -> None:
    assert FakeBroker().run(program).stdout == _EXPECTED


def test_a_pointer_of_the_host_is_noted_and_c_is_not_read_where_beta_is_zero(program: Path) -> None:
    broker = FakeBroker()
    broker.run(program)
    assert [one["kind"] for one in broker.asked("note")] == ["host-pointer-on-device"]
    copies = broker.asked("copy")
    first_product = [one["kind"] for one in copies[3:6]]  # behind the three of on_device()
    assert first_product == [2, 2, 1]
