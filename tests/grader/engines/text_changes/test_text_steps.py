"""The order of the changes, and what a step learns for the steps behind it and for the build."""

from __future__ import annotations

from dataclasses import replace

import pytest

from grader.engines.entry_points import EntrySignatures, use_of
from grader.engines.text_steps import TextOrigin, in_steps, probably_changed
from grader.model.verdicts import Verdict

FILE = "k.cu"
A_LABS = TextOrigin(FILE, "", EntrySignatures("scale(float*)"))
ANY_KERNEL = replace(A_LABS, entries=EntrySignatures("scale", by_name=True))
PLAIN = "void scale(float* a) { a[0] = 2; }\n"


def expanded(text: str) -> str:
    return f'# 1 "{FILE}"\n{text}'


def test_a_text_that_needs_no_change_stays_as_it_is() -> None:
    changed = in_steps(expanded(PLAIN), A_LABS)
    assert (changed.whole, changed.mended, changed.refusal) == (expanded(PLAIN), False, None)


def test_the_scan_sees_the_authors_text_and_nothing_of_ours() -> None:
    """A guard's name is one that no submission may use."""
    text = expanded("void scale(float* a) { float b[2]; b[0] = a[0]; }\n")
    changed = in_steps(text, A_LABS)
    assert changed.refusal is None
    assert "tilelab_" in changed.text
    again = in_steps(changed.text, A_LABS).refusal
    assert again is not None
    assert again.verdict is Verdict.REJECTED


def test_nothing_is_changed_behind_a_refusal() -> None:
    text = expanded('void scale(float* a) { float b[2]; asm("bra L;"); __asan_init(); b[0] = a[0]; }\n')
    changed = in_steps(text, A_LABS)
    assert changed.refusal is not None
    assert changed.whole == text


def test_a_mended_text_is_another_one_for_the_compiler_and_a_guarded_one_is_not() -> None:
    late = "thread_local alignas(16) float tile[4];\n"
    assert in_steps(expanded(late + PLAIN), A_LABS).mended
    assert not in_steps(expanded("void scale(float* a) { float b[2]; b[0] = a[0]; }\n"), A_LABS).mended


def test_a_file_of_ours_that_is_not_scanned_is_not_mended_either() -> None:
    text = expanded('void scale(float* a) { asm("bra L;"); }\n')
    changed = in_steps(text, replace(A_LABS, scanned=False))
    assert (changed.whole, changed.refusal) == (text, None)


def test_returns_of_launched_kernels_are_marked_too() -> None:
    text = expanded(
        "void child(int n) { if (n) return; __syncthreads(); }\nvoid scale(float* a) { child<<<1, 2>>>(3); }\n"
    )
    changed = in_steps(text, ANY_KERNEL)
    assert changed.text.count("return ::tilelab_leaves()") == 1


def test_a_use_of_the_kernel_is_behind_the_text_and_no_part_of_it() -> None:
    changed = in_steps(expanded(PLAIN), ANY_KERNEL)
    assert changed.text == expanded(PLAIN)
    assert changed.whole.startswith(changed.text)
    assert "= &scale;" in changed.behind


def test_parentheses_of_a_template_argument_begin_no_parameters() -> None:
    assert "auto* const" in use_of("scan<4, (Kind)1>")
    assert use_of("scan<(Kind)1>(int*, Pair<int>)").count(")(int*, Pair<int>) = &scan<(Kind)1>;") == 1


def test_lambdas_lose_their_marks_for_clang_alone() -> None:
    text = expanded("auto twice = [] __attribute__((retain)) (int n) { return 2 * n; };\n")
    assert "retain" in in_steps(text, A_LABS).text
    assert "retain" not in in_steps(text, replace(A_LABS, is_clang=True)).text


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("a[0] = 2;", False),
        ("__shared__ float b[2]; b[0] = a[0]; __syncthreads();", False),
        ("if (a[0] == 0) return; a[0] = 2;", False),
        ("// float b[2]; if (a[0] == 0) return; __syncthreads();", False),
        ("float b[2]; b[0] = a[0];", True),
        ("if (a[0] == 0) return; __syncthreads();", True),
    ],
)
def test_a_file_tells_before_it_is_expanded_whether_guards_and_returns_change_it(body: str, *, expected: bool) -> None:
    source = f"#define TILE 16\n__global__ void scale(float* a) {{ {body}\n}}\n"
    assert probably_changed(source, A_LABS) is expected
