"""GCC's dump: what it is read for, and that one which cannot be read does not count as clean."""

from __future__ import annotations

import pytest

from grader.engines.dump_scan import scan_gimple

DUMP = """__attribute__((used))
void scale (float * out)
{
  try
    {
      [scale.cu:2:5] *out = 1.0e+0;
    }
  finally
    {
      .TSAN_FUNC_EXIT ();
    }
}
"""


def test_a_dump_in_the_form_that_is_known_is_clean() -> None:
    assert scan_gimple(DUMP, "scale.cu") is None


def test_a_kernel_that_does_nothing_is_clean() -> None:
    empty = DUMP.replace("      [scale.cu:2:5] *out = 1.0e+0;\n", "").replace("scale", "empty")
    assert scan_gimple(empty + DUMP, "scale.cu") is None


def test_the_result_of_a_call_in_memory_is_seen() -> None:
    refusal = scan_gimple(DUMP.replace("= 1.0e+0;", "= made ();"), "scale.cu")
    assert refusal is not None
    assert (refusal.verdict.value, refusal.line) == ("needs-gpu", 2)


@pytest.mark.parametrize(
    "dump",
    [
        "",
        "\n",
        "no dump at all\n",
        DUMP.replace("[scale.cu:2:5] ", ""),
        DUMP.replace("[scale.cu:2:5] ", "<scale.cu:2:5> "),
        DUMP.replace(")\n{", ") {"),
    ],
    ids=["empty", "a line", "something else", "no positions", "other positions", "other heads"],
)
def test_a_dump_that_cannot_be_read_is_not_clean(dump: str) -> None:
    refusal = scan_gimple(dump, "scale.cu")
    assert refusal is not None
    assert refusal.verdict.value == "internal-error"
