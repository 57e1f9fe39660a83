"""`tilelab run` on whole programs: a right one prints what it prints on a GPU and nothing is found; a mistake is found in its line, with
a sentence in the program's own names. By default a sample of them is run, with TILELAB_WHOLE_CORPUS=1 all.
"""

from __future__ import annotations

import json
import tempfile
import tomllib
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from corpus_sample import sample
from program_header import HERE, ProgramHeader, programs, read
from typer.testing import CliRunner

from grader.cli.cli import app


@dataclass(frozen=True)
class Ran:
    status: int
    report: dict[str, Any]

    @property
    def findings(self) -> list[dict[str, Any]]:
        both: list[dict[str, Any]] = [*self.report["findings"], *self.report["host"]]
        return [one for one in both if one.get("severity", "error") == "error"]


def tilelab_run(folder: Path, *words: str) -> Ran:
    """`tilelab run` in this process, which has read the grader's modules already."""
    with chdir(folder):
        done = CliRunner().invoke(app, ["run", "--json", *words])
    assert done.stdout.startswith("{"), done.output
    return Ran(done.exit_code, json.loads(done.stdout))


def run(header: ProgramHeader) -> Ran:
    return tilelab_run(header.file.parent, header.file.name, *header.arguments)


@pytest.mark.parametrize("file", sample(programs("clean"), 39), ids=lambda file: file.stem)
def test_a_right_program_prints_what_a_gpu_prints_and_nothing_is_found(file: Path) -> None:
    header = read(file)
    ran = run(header)
    assert ran.findings == []
    assert ran.report["output"] == header.prints
    assert (ran.status, ran.report["ended"], ran.report["status"]) == (0, "exit", 0)


@pytest.mark.parametrize("file", sample(programs("found"), 24), ids=lambda file: file.stem)
def test_a_mistake_is_found_in_its_line_and_said_in_the_programs_names(file: Path) -> None:
    header = read(file)
    ran = run(header)
    assert ran.status == 1
    told = [(one["kind"], one["line"]) for one in ran.findings]
    assert (header.kind, header.line) in told
    assert {kind for kind, _ in told} == {header.kind}
    words = " ".join(f"{one['message']} {one.get('array', '')}" for one in ran.findings if one["line"] == header.line)
    assert [part for part in header.says if part not in words.replace(",", "")] == []


@pytest.mark.parametrize("file", programs("refused"), ids=lambda file: file.stem)
def test_a_file_that_does_not_compile_is_told_once_with_its_line(file: Path) -> None:
    header = read(file)
    ran = run(header)
    (told,) = ran.report["refusals"]
    assert (ran.status, told["verdict"], told["file"], told["line"]) == (2, header.kind, file.name, header.line)
    assert [part for part in header.says if part.lower() not in told["message"].lower().replace(",", "")] == []


@pytest.mark.parametrize("standard", ["c++03", "c++20"])
def test_a_standard_decides_what_compiles(standard: str) -> None:
    """Before C++11, a name may stand right behind a text in quotation marks."""
    ran = tilelab_run(HERE / "refused", "--std", standard, "literal_beside_a_macro.cu")
    assert ran.status == (0 if standard == "c++03" else 2)


@pytest.mark.parametrize("command", ["%%cu", "%%writefile hello.cu", "%%cuda --name hello.cu"])
def test_the_command_of_a_notebook_in_the_first_line_becomes_blanks(command: str, tmp_path: Path) -> None:
    (tmp_path / "cell.cu").write_text(f"{command}\nint main() {{ return undeclared; }}\n", encoding="utf-8")
    (told,) = tilelab_run(tmp_path, "cell.cu").report["refusals"]
    assert (told["line"], "undeclared" in told["message"]) == (2, True)


_ENDS = Path(__file__).with_name("ends.toml")


@pytest.mark.parametrize("end", tomllib.loads(_ENDS.read_text(encoding="utf-8"))["end"], ids=lambda one: one["name"])
def test_the_exit_status_tells_how_a_program_ended(end: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "one.cu").write_text(end["text"], encoding="utf-8")
    with chdir(tmp_path):
        done = CliRunner().invoke(app, ["run", "--seconds", "2", "one.cu"])
    assert done.exit_code == end["status"], done.output
    assert end["says"] in done.stderr


WRITER = """#include <fstream>
int main(int count, char **words) {
  float *d;
  if (cudaMalloc(&d, 4) != cudaSuccess) return 3;
  std::ofstream out(words[1]);
  if (!out) return 2;
  out << 1;
  cudaFree(d);
}
"""


def test_a_file_that_the_sandbox_refuses_is_told_with_the_option_that_lets_it() -> None:
    """Outside /tmp, of which a program has its own."""
    with tempfile.TemporaryDirectory(dir=HERE) as name:
        folder = Path(name, "build")
        folder.mkdir()
        folder.parent.chmod(0o755)
        folder.joinpath("writer.cu").write_text(WRITER, encoding="utf-8")
        refused = tilelab_run(folder, "writer.cu", "../result.txt")
        (told,) = refused.report["host"]
        assert (refused.status, told["kind"], told["severity"], told["line"]) == (4, "file-refused", "note", 5)
        assert "not allowed to write ../result.txt" in told["message"]
        assert "--write .." in told["advice"]
        allowed = tilelab_run(folder, "--write", "..", "writer.cu", "../result.txt")
        assert (allowed.status, allowed.report["host"]) == (0, [])
        assert folder.with_name("result.txt").read_text(encoding="utf-8") == "1"


def test_a_program_that_gives_up_without_its_file_forgets_nothing(tmp_path: Path) -> None:
    (tmp_path / "writer.cu").write_text(WRITER, encoding="utf-8")
    ran = tilelab_run(tmp_path, "writer.cu", "no/such/folder/result.txt")
    assert (ran.status, ran.report["status"], ran.report["host"]) == (4, 2, [])


def test_equal_values_that_all_threads_store_are_told_and_may_be_allowed(tmp_path: Path) -> None:
    (tmp_path / "flag.cu").write_text(
        "__global__ void any(int *flag, int *last) {\n  *flag = 1;\n  *last = threadIdx.x / 64;\n}\n"
        "int main() {\n  int *d;\n  cudaMalloc(&d, 8);\n  any<<<2, 128>>>(d, d + 1);\n  cudaDeviceSynchronize();\n  cudaFree(d);\n}\n",
        encoding="utf-8",
    )
    told = tilelab_run(tmp_path, "flag.cu").findings
    equal = {one["line"]: "--allow-same-value-writes" in one["advice"] for one in told}
    assert equal == {2: True, 3: False}
    assert {one["line"] for one in tilelab_run(tmp_path, "--allow-same-value-writes", "flag.cu").findings} == {3}


def test_an_object_with_virtual_functions_of_another_source_is_refused_by_name(tmp_path: Path) -> None:
    """The kernels of each source have code of their own: that is a limit of ours, and no mistake of the program."""
    shape = (
        "#pragma once\nstruct Shape { __device__ virtual int corners() const = 0; };\n"
        "struct Square : Shape { __device__ int corners() const override { return 4; } };\n"
    )
    (tmp_path / "shape.cuh").write_text(shape, encoding="utf-8")
    (tmp_path / "look.cu").write_text(
        '#include "shape.cuh"\n__global__ void look(Shape **kept, int *x) { x[0] = kept[0]->corners(); }\n'
        "void ask(Shape **kept, int *x) { look<<<1, 1>>>(kept, x); }\n",
        encoding="utf-8",
    )
    file = tmp_path / "kept.cu"
    file.write_text(
        '#include "shape.cuh"\n__global__ void make(Shape **kept) { kept[0] = new Square; }\nvoid ask(Shape **, int *);\n'
        "int main() {\n  int *x;\n  Shape **kept;\n  cudaMalloc(&x, 4);\n  cudaMalloc(&kept, 8);\n  make<<<1, 1>>>(kept);\n"
        "  ask(kept, x);\n  cudaFree(x);\n  cudaFree(kept);\n}\n",
        encoding="utf-8",
    )
    done = tilelab_run(tmp_path, "--with", "look.cu", file.name)
    report = done.report
    assert (done.status, report["ended"]) == (2, "refused"), report
    assert "that a kernel of another source has left in memory" in report["refusals"][0]["message"]


def test_a_pointer_to_a_function_that_the_host_has_read_is_refused_and_no_mistake(tmp_path: Path) -> None:
    file = tmp_path / "passed.cu"
    file.write_text(
        "typedef float (*Op)(float);\n__device__ float twice(float x) { return 2 * x; }\n__device__ Op chosen = twice;\n"
        "__global__ void apply(float *x, Op op) { x[0] = op(3); }\n"
        "int main() {\n  float *x;\n  Op op;\n  cudaMalloc(&x, 4);\n  cudaMemcpyFromSymbol(&op, chosen, sizeof op);\n"
        "  apply<<<1, 1>>>(x, op);\n  cudaFree(x);\n}\n",
        encoding="utf-8",
    )
    done = tilelab_run(tmp_path, file.name)
    report = done.report
    assert (done.status, report["ended"]) == (2, "refused"), report
    assert "cudaMemcpyFromSymbol" in report["refusals"][0]["message"]


def test_a_kernel_that_cannot_be_built_does_not_keep_others_from_sharing_their_code(tmp_path: Path) -> None:
    file = tmp_path / "kept.cu"
    file.write_text(
        "#include <cstdio>\n"
        "__device__ int twice(int x) { return 2 * x; }\n__device__ int (*kept)(int);\n"
        "__global__ void choose() { kept = twice; }\n__global__ void call(int *x) { x[0] = kept(4); }\n"
        '__global__ void strange(int *x) { asm volatile("unknown.instruction %0;" : "=r"(x[0])); }\n'
        "int main(int count, char **) {\n  int *x, host;\n  cudaMalloc(&x, 4);\n  if (count > 9) strange<<<1, 1>>>(x);\n"
        "  choose<<<1, 1>>>();\n  call<<<1, 1>>>(x);\n  cudaMemcpy(&host, x, 4, cudaMemcpyDeviceToHost);\n"
        '  printf("%d", host);\n  cudaFree(x);\n}\n',
        encoding="utf-8",
    )
    done = tilelab_run(tmp_path, file.name)
    report = done.report
    assert (done.status, report["output"], report["findings"]) == (0, "8", []), report


@pytest.mark.parametrize(
    ("header", "call", "library"),
    [
        ("thrust/device_ptr.h", "thrust::fill(thrust::device_pointer_cast(x), thrust::device_pointer_cast(x) + 4, 1.0f)", "Thrust"),
        ("cublas_v2.h", "cublasSscal(handle, 4, &two, x, 1)", "cuBLAS"),
    ],
    ids=["thrust", "cublas"],
)  # fmt: skip
def test_a_library_in_a_captured_stream_is_refused_by_name(
    tmp_path: Path, header: str, call: str, library: str
) -> None:
    """It would run at once, and not when the graph does."""
    file = tmp_path / "captured.cu"
    file.write_text(
        f"#include <{header}>\n#include <cublas_v2.h>\n#include <thrust/fill.h>\n"
        "int main() {\n  float *x, two = 2;\n  cudaStream_t stream;\n  cublasHandle_t handle;\n  cudaMalloc(&x, 16);\n"
        "  cublasCreate(&handle);\n  cudaStreamCreate(&stream);\n  cublasSetStream(handle, stream);\n"
        "  cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed);\n"
        f"  {call};\n  (void)two;\n"
        "}\n",
        encoding="utf-8",
    )
    done = tilelab_run(tmp_path, file.name)
    report = done.report
    assert (done.status, report["ended"]) == (2, "refused"), report
    assert library in report["refusals"][0]["message"]
    assert "cannot be captured here" in report["refusals"][0]["message"]


def test_an_error_beside_newer_words_of_the_language_is_told_and_not_those_words(tmp_path: Path) -> None:
    file = tmp_path / "spans.cu"
    file.write_text(
        "#include <span>\n__global__ void k() {}\nint last(std::span<int> s) { return s[sise]; }\nint main() { k<<<1, 1>>>(); }\n",
        encoding="utf-8",
    )
    done = tilelab_run(tmp_path, file.name)
    report = done.report
    assert (done.status, report["ended"]) == (2, "not-built")
    assert [(one["line"], "sise" in one["message"]) for one in report["refusals"]] == [(3, True)]


def test_a_source_without_cuda_may_have_functions_that_cuda_has_too(tmp_path: Path) -> None:
    (tmp_path / "least.cpp").write_text(
        "static inline unsigned umin(unsigned a, unsigned b) { return a < b ? a : b; }\n"
        "float rsqrtf(float x) { return x + 1; }\n"
        'extern "C" unsigned least(unsigned a, unsigned b) { return umin(a, b) + static_cast<unsigned>(rsqrtf(0.0f)); }\n',
        encoding="utf-8",
    )
    file = tmp_path / "main.cu"
    file.write_text(
        "#include <cstdio>\n"
        'extern "C" unsigned least(unsigned a, unsigned b);\n'
        "__global__ void set(unsigned* to) { *to = umin(7u, 9u); }\n"
        "int main() {\n"
        "  unsigned *on_device = nullptr, here = 0;\n"
        "  if (cudaMalloc(&on_device, sizeof here) != cudaSuccess) return 1;\n"
        "  set<<<1, 1>>>(on_device);\n"
        "  if (cudaGetLastError() != cudaSuccess) return 2;\n"
        "  if (cudaMemcpy(&here, on_device, sizeof here, cudaMemcpyDeviceToHost) != cudaSuccess) return 3;\n"
        '  std::printf("%u %u\\n", here, least(4, 5));\n'
        "  return cudaFree(on_device) == cudaSuccess ? 0 : 4;\n"
        "}\n",
        encoding="utf-8",
    )
    done = tilelab_run(tmp_path, "--with", "least.cpp", file.name)
    report = done.report
    assert (done.status, report["refusals"], report["output"]) == (0, [], "7 5\n")


def test_a_program_is_given_the_error_that_a_gpu_reports_after_a_null_pointer(tmp_path: Path) -> None:
    """And every later call returns it. The failing cudaMalloc comes first, with its cause."""
    file = tmp_path / "given.cu"
    file.write_text(
        "#include <cstdio>\n__global__ void one(float *x) { x[threadIdx.x] = 1; }\nint main() {\n  float *d = nullptr;\n"
        "  cudaMalloc((void **)d, 64 * sizeof(float));\n  one<<<1, 64>>>(d);\n"
        '  printf("%s\\n", cudaGetErrorString(cudaDeviceSynchronize()));\n  float *e;\n'
        '  printf("%d\\n", cudaMalloc(&e, 4));\n  cudaFree(d);\n}\n',
        encoding="utf-8",
    )
    report = tilelab_run(tmp_path, file.name).report
    assert report["output"] == "an illegal memory access was encountered\n700\n"
    assert report["findings"][0]["message"].endswith("uses a null pointer.")
    told = next(one for one in report["host"] if one["kind"] == "unchecked-error")
    assert (told["line"], "the value of `d`" in told["message"], told["advice"]) == (5, True, "Write &d.")
    with chdir(tmp_path):
        screen = CliRunner().invoke(app, ["run", file.name]).output
    assert screen.index("cudaMalloc") < screen.index("null pointer")


def test_a_kernel_that_nothing_launches_is_compiled_as_well(tmp_path: Path) -> None:
    """A compiler for GPUs refuses the file. A template is compiled where it is used; that is said."""
    text = (
        "__global__ void set(int *x) { *x = 1; }\nstatic __global__ void widen(int *x, int width) { *x = WIDTH; }\n"
        "template <class T> __global__ void any(T *x) { *x = 1; }\n"
        "int main() { int *x; cudaMalloc(&x, 4); set<<<1, 1>>>(x); cudaFree(x); }\n"
    )
    file = tmp_path / "one.cu"
    file.write_text(text.replace("WIDTH", "Width"), encoding="utf-8")
    done = tilelab_run(tmp_path, file.name)
    assert (done.status, done.report["ended"], done.report["refusals"][0]["line"]) == (2, "not-built", 2), done.report
    file.write_text(text.replace("WIDTH", "width"), encoding="utf-8")
    done = tilelab_run(tmp_path, file.name)
    assert (done.report["ended"], set(done.report["not_launched"])) == ("exit", {"widen", "any"}), done.report


def test_what_follows_from_a_kernels_error_is_no_further_mistake(tmp_path: Path) -> None:
    """The second pass gets no memory and keeps the pointer of the first. A GPU answers every call with the kernel's error."""
    file = tmp_path / "passes.cu"
    file.write_text(
        "__global__ void one(float *x) { x[threadIdx.x] = 1; }\nint main() {\n  float host[64];\n"
        "  for (int pass = 0; pass < 2; ++pass) {\n    float *d;\n    cudaMalloc(&d, sizeof(host));\n"
        "    cudaMemcpy(d, host, sizeof(host), cudaMemcpyHostToDevice);\n    one<<<1, 64>>>(pass ? d : nullptr);\n"
        "    cudaMemcpy(host, d, sizeof(host), cudaMemcpyDeviceToHost);\n    cudaFree(d);\n  }\n}\n",
        encoding="utf-8",
    )
    report = tilelab_run(tmp_path, file.name).report
    assert [one["kind"] for one in report["findings"]] == ["out-of-bounds"]
    assert {one["kind"] for one in report["host"]} <= {"unasked-launch", "unchecked-error"}, report["host"]
