"""The host's side of a source: stubs in the place of kernels, calls in the place of launches, lines as they were."""

from __future__ import annotations

import pytest

from grader.run.programs.host_text import host_text

GLOBAL, DEVICE, HOST = "__tilelab_global__", "__tilelab_device__", "__tilelab_host__"


def changed(text: str) -> str:
    return " ".join(host_text(f'# 1 "a.cu"\n{text}\n', "a.cu").split())


@pytest.mark.parametrize(
    ("launch", "call"),
    [
        ("k<<<1, 2>>>(a, b);", "(::tilelab_host::configure(1, 2), k(a, b));"),
        ("ns::k<float, 4><<<g, b, 0, s>>>(a);", "(::tilelab_host::configure(g, b, 0, s), ns::k<float, 4>(a));"),
        ("k << <1, 2 >> > (a);", "(::tilelab_host::configure(1, 2 ), k (a));"),
        ("(*chosen)<<<1, 2>>>(a);", "(::tilelab_host::configure(1, 2), (*chosen)(a));"),
        ("table[i]<<<1, 2>>>(a);", "(::tilelab_host::configure(1, 2), table[i](a));"),
        ("object->k<<<1, 2>>>(a);", "(::tilelab_host::configure(1, 2), object->k(a));"),
        ("if (x) k<<<dim3(1, 2), 4>>>(a);", "if (x) (::tilelab_host::configure(dim3(1, 2), 4), k(a));"),
    ],
)
def test_a_launch_becomes_a_call_that_is_configured_first(launch: str, call: str) -> None:
    assert call in changed(f"int main() {{ {launch} }}")


@pytest.mark.parametrize(
    ("parameters", "passed"),
    [
        ("const float* __restrict__ A, int n", ", A, n"),
        ("void", ""),
        ("", ""),
        ("float (*operation)(float, float), int n = 3", ", operation, n"),
        ("Matrix<float, 2> m, unsigned long long seed", ", m, seed"),
        ("int n = a < b, T... rest", ", n, rest..."),
        ("float A[], float B[4][4]", ", A, B"),
    ],
)
def test_a_stub_passes_every_parameter_by_its_name(parameters: str, passed: str) -> None:
    text = changed(f"{GLOBAL} void k({parameters}) {{ int unused = threadIdx.x; }}")
    assert f"::tilelab_host::launch_kernel(&tilelab_kernel_mark{passed});" in text
    assert "threadIdx" not in text


def test_a_parameter_without_a_name_gets_one() -> None:
    text = changed(f"{GLOBAL} void k(float*, const unsigned int, ns::Size) {{ }}")
    assert "k(float* tilelab_parameter_0, const unsigned int tilelab_parameter_1, ns::Size tilelab_parameter_2)" in text


def test_a_function_for_the_device_alone_loses_its_body_and_one_for_both_keeps_it() -> None:
    text = changed(
        f'{DEVICE} int lane() {{ asm("mov.u32 %0, %laneid;"); return 1; }} {HOST} {DEVICE} int both() {{ return 2; }}'
    )
    assert "laneid" not in text
    assert "return 2;" in text
    assert "__tilelab" not in text


def test_constructors_and_operators_of_the_device_lose_their_bodies() -> None:
    text = changed(
        f"struct S {{ int n; {DEVICE} S(int a) : n{{a}} {{ one(); }} {DEVICE} bool operator==(S o) {{ two(); }} }};"
    )
    assert "one()" not in text
    assert "two()" not in text
    assert "n{a}" in text


def test_a_variable_and_a_lambda_of_the_device_stay() -> None:
    text = changed(f"{DEVICE} int table[2] = {{1, 2}}; int main() {{ auto f = [=] {DEVICE} (int i) {{ return i; }}; }}")
    assert "table[2] = {1, 2};" in text
    assert "(int i) { return i; }" in text


def test_the_lines_behind_a_stub_stay() -> None:
    text = host_text(f'# 1 "a.cu"\n{GLOBAL} void k() {{\n  one();\n  two();\n}}\nint last;\n', "a.cu")
    marker = text.rindex("# ")
    number = int(text[marker:].split()[1])
    behind = text[text.index("\n", marker) + 1 :]
    assert number + behind[: behind.index("int last")].count("\n") == 5


def test_the_text_of_system_headers_is_not_looked_at() -> None:
    header = "void launch() { k<<<1, 2>>>(a); }\n"
    text = host_text(f'# 1 "a.cu"\n# 1 "/usr/include/x.h" 1 3\n{header}# 2 "a.cu" 2\nint main() {{}}\n', "a.cu")
    assert header in text
