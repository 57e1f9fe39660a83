"""`alignas` stands first in a declaration, wherever CUDA's files have it."""

from __future__ import annotations

import pytest

from grader.engines.changed_text import with_alignment_first

MOVED = {
    "thread_local alignas(16) int tile[64];": "alignas(16) thread_local int tile[64];",
    "extern thread_local alignas(alignof(float4)) float s[];": "alignas(alignof(float4)) extern thread_local float s[];",
    "static thread_local const alignas(8) int y;": "alignas(8) static thread_local const int y;",
    "__attribute__((retain)) alignas(16) float w[3];": "alignas(16) __attribute__((retain)) float w[3];",
}
LEFT = ("struct alignas(16) Body {};", "alignas(16) thread_local int tile[4];", "thread_local int tile[4];")


@pytest.mark.parametrize("text", MOVED)
def test_the_alignment_moves_to_the_front(text: str) -> None:
    assert with_alignment_first(text) == MOVED[text]
    assert len(MOVED[text]) == len(text)


@pytest.mark.parametrize("text", LEFT)
def test_what_is_in_order_stays(text: str) -> None:
    assert with_alignment_first(text) == text


def test_a_text_of_nothing_but_qualifiers_is_read_quickly() -> None:
    text = "const " * 200_000 + "alignas(4)"
    assert with_alignment_first(text) == text
