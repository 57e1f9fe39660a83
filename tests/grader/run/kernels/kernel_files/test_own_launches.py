"""What a file's constants say of its own launches."""

from __future__ import annotations

import pytest

from grader.run.kernels.kernel_source import KernelSource
from grader.run.kernels.own_launches import own_launches, value_of, with_arguments

KERNEL = "__global__ void scale(float* A, float f, int n) { A[threadIdx.x] = f * n; }\n"


def source(text: str) -> KernelSource:
    return KernelSource("main.cu", {"main.cu": text})


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("64", 64), ("0x10u", 16), ("1 << 10", 1024), ("(N + 255) / 256", 4), ("N * N * sizeof(float)", 4_000_000), ("0.5f", 0.5),
        ("ceil(N / 256.0)", 4.0), ("ceil((float)N / 256)", 4.0), ("-7 / 2", -3), ("static_cast<int>(2.5) * N", 2000),
            ("(int)(N / 3.0)", 333), ("(double)(N) / 3 > 1", 1), ("M", 2000),
        ("ceil((float)N / (float)64)", 16.0), ("(int)2.5 * 2", 4), ("(float)ceil(N / 3.0)", 334.0), ("8 / (float)M * 2", 0.008),
        ("N & 24", 8), ("argc", None), ("N >", None), ("N / 0", None), ("", None), ("f(N)", None), ("A", None), ("1 << 99999", None),
        ("__import__('os')", None), ("9 ** 9 ** 9", None),
    ],
)  # fmt: skip
def test_the_value_of_an_expression(expression: str, value: float | None) -> None:
    assert value_of(expression, {"N": "1000", "M": "2 * N", "A": "B", "B": "A"}) == value


@pytest.mark.parametrize(
    ("host", "grid", "block"),
    [
        ("scale<<<4, 256>>>(d, 2.0f, n);", (4, 1, 1), (256, 1, 1)),
        ("scale << <4, 256 >> > (d, 2.0f, n);", (4, 1, 1), (256, 1, 1)),
        ("dim3 grid(n / 16, 2), block(16, 16); scale<<<grid, block>>>(d, 2.0f, n);", (64, 2, 1), (16, 16, 1)),
        ("dim3 grid = dim3(n / 16); scale<<<grid, dim3(16, 4, 2)>>>(d, 2.0f, n);", (64, 1, 1), (16, 4, 2)),
        (
            "int threads = 128, blocks = (n + threads - 1) / threads; scale<<<blocks, threads>>>(d, 2, n);",
            (8, 1, 1),
            (128, 1, 1),
        ),
        ("scale<<<{4u, 2}, {n / 64}>>>(d, 2, n);", (4, 2, 1), (16, 1, 1)),
        (
            "dim3 block(16, 8); dim3 grid(n / block.x, n / block.y); scale<<<grid, block>>>(d, 2, n);",
            (64, 128, 1),
            (16, 8, 1),
        ),
        ("dim3 block = dim3(64); scale<<<n / block.x + block.y, block>>>(d, 2, n);", (17, 1, 1), (64, 1, 1)),
        ("dim3 block(16); block.x = 8; scale<<<n / block.x, 32>>>(d, 2, n);", None, (32, 1, 1)),
        ("dim3 block(16); block = dim3(8); scale<<<n / block.x, 32>>>(d, 2, n);", None, (32, 1, 1)),
        ("int threads = 128; threads *= 2; scale<<<1, threads>>>(d, 2, n);", (1, 1, 1), None),
        ("for (int b = 1; b < 9; b++) scale<<<b, 32>>>(d, 2, n);", None, (32, 1, 1)),
        ("int b = atoi(argv[1]); scale<<<b, 32>>>(d, 2, n);", None, (32, 1, 1)),
    ],
)
def test_grid_and_block_of_a_launch(host: str, grid: object, block: object) -> None:
    text = f"{KERNEL}int main() {{\n  const int n = 1024;\n  float *d; cudaMalloc((void**)&d, n * sizeof(float));\n  {host}\n}}"
    (found,) = own_launches(source(text), "scale")
    assert (found.line, found.grid, found.block) == (5, grid, block)
    assert found.bytes == (4096, None, None)
    assert found.values == (None, 2, 1024)


def test_a_name_with_two_values_has_none() -> None:
    text = f"{KERNEL}void a() {{ int n = 4; scale<<<1, n>>>(d, 1, n); }}\nvoid b() {{ int n = 8; scale<<<1, n>>>(d, 1, n); }}"
    assert [one.block for one in own_launches(source(text), "scale")] == [None, None]


def test_what_is_in_a_comment_is_no_launch() -> None:
    assert own_launches(source(f"{KERNEL}// scale<<<1, 2>>>(d, 1, 2);\n/* scale<<<1, 2>>>(d, 1, 2); */"), "scale") == []


@pytest.mark.parametrize(
    "text", ["scale<<<", "scale<<<1, 2>>>(", "scale<<<>>>()", "scale<a<b<<<1,1>>>(x)", "scale<<<(((((1,2>>>(3)"]
)
def test_broken_launches_are_read_to_their_end(text: str) -> None:
    own_launches(source(KERNEL + text), "scale")


TEMPLATE = "template <{}>\n__global__ void sum(T* A) {{ A[threadIdx.x{}] = 0; }}\n"


@pytest.mark.parametrize(
    ("parameters", "axis", "host", "name"),
    [
        ("typename T", "", "void run() { sum<double><<<1, 2>>>(d); }", "sum<double>"),
        ("typename T", "", "void run() { sum <int> << <1, 2 >> > (d); }", "sum<int>"),
        (
            "class T, int N",
            "",
            "const int tile = 8;\nvoid run() { sum<float, tile><<<1, 2>>>(d); }",
            "sum<float, tile>",
        ),
        ("typename T", "", "template <typename U> void run(U* d) { sum<U><<<1, 2>>>(d); }", "sum<float>"),
        ("typename T, unsigned N", "", "", "sum<float, 256>"),
        ("typename T, int N", ".x + threadIdx.y", "", "sum<float, 16>"),
        ("typename T, bool whole = false", "", "", "sum<float>"),
        ("typename T, std::size_t N", "", "", "sum<float, 256>"),
        ("typename T, template <typename> class C", "", "", "sum"),
    ],
)
def test_the_instance_of_a_template(parameters: str, axis: str, host: str, name: str) -> None:
    assert with_arguments(source(TEMPLATE.format(parameters, axis) + host), "sum") == name


TILED = "template <typename T, int N>\n__global__ void sum(T* A) { A[threadIdx.x] = N; }\n"


@pytest.mark.parametrize(
    ("text", "asked", "definitions", "name"),
    [
        ("#define REAL float\nvoid run() { sum<REAL, 4><<<1, 2>>>(d); }", "sum", [], "sum<float, 4>"),
        ("#define SIDE 8 // wide\n#define TILE SIDE\nvoid run() { sum<int, TILE><<<1, 2>>>(d); }", "sum", [], "sum<int, 8>"),
        ("#ifndef TILE\n#define TILE 8\n#endif\nvoid run() { sum<int, TILE><<<1, 2>>>(d); }", "sum", ["TILE=4"], "sum<int, 4>"),
        ("#define REAL double\n", "sum<REAL, 2>", [], "sum<double, 2>"),
        ("#define REAL double\n", "sum<float, 2>", [], "sum<float, 2>"),
        ("int main() { const int side = 2 * 16; sum<int, side><<<1, 2>>>(d); }", "sum", [], "sum<int, 32>"),
        ("int main() { int side = atoi(s); sum<int, side><<<1, 2>>>(d); }", "sum", [], "sum<float, 256>"),
    ],
)  # fmt: skip
def test_macros_and_constants_in_the_arguments_get_their_values(
    text: str, asked: str, definitions: list[str], name: str
) -> None:
    assert with_arguments(source(TILED + text), asked, definitions) == name


def test_what_is_no_template_keeps_its_name() -> None:
    assert with_arguments(source(KERNEL), "scale") == "scale"
