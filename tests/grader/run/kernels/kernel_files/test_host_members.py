"""Host functions of classes lose their bodies; what a kernel may use of a class stays."""

from __future__ import annotations

from grader.run.kernels.host_code import without_host_members

SOURCE = """\
struct Lock {
  int* mutex;
  int n{3};
  Lock(int a) : n{a}, mutex(nullptr) { CHECK(cudaMalloc((void**)&mutex, 4));
    cudaMemset(mutex, 0, 4); }
  ~Lock() { cudaFree(mutex); }
  struct Inner { int x; void host() { one(); } };
  __device__ void lock() { while (atomicCAS(mutex, 0, 1) != 0) {} }
  BOTH int size() const { return n; }
};
#define BOTH __host__ __device__
void outside() { two(); }
"""


def test_a_class_keeps_its_members_and_what_is_for_the_device() -> None:
    text = without_host_members(SOURCE)
    assert "cuda" not in text.partition("__device__")[0].replace("int* mutex", "")
    assert "one()" not in text
    assert "atomicCAS(mutex, 0, 1)" in text
    assert "return n;" in text
    assert "int n{3};" in text
    assert "two()" in text  # a function at the outermost level is another step's


def test_lines_stay() -> None:
    lines, before = without_host_members(SOURCE).split("\n"), SOURCE.split("\n")
    assert len(lines) == len(before)
    assert lines[7:] == before[7:]
    assert lines[3].rstrip() == "  Lock(int a) ;"
