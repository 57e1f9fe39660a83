"""What a kernel's parameters consist of, read from a program's debug information."""

from __future__ import annotations

import subprocess
from pathlib import Path

from grader.engines.objects.symbol_table import ElfFile
from grader.run.kernels.parameter_types import Parameter, read_parameters

# Sixty pointers of a class to itself, five pointers deep, and nine million elements in which there is nothing.
SOURCE = """\
struct Node { Node* others[60]; int value; };
struct Nothing {}; struct Row { Nothing all[3000]; }; struct Table { Row rows[3000]; };
struct Mixed { float at[2]; const int* list; struct { unsigned char flag; } inner; union { double wide; char narrow; } one; };
extern "C" __attribute__((noinline)) void kernel(Node* node, Table* table, Mixed mixed, unsigned n) {
  if (node) node->value = mixed.one.wide + mixed.list[n];
  if (table) asm volatile("");
}
int main(int count, char**) { int list[9] = {}; kernel(nullptr, nullptr, {{}, list, {}, {1}}, count); }
"""


def parameters(folder: Path) -> list[Parameter]:
    source, program = folder / "kernel.cpp", folder / "kernel"
    source.write_text(SOURCE, encoding="utf-8")
    subprocess.run(["c++", "-g", "-O0", "-no-pie", str(source), "-o", str(program)], check=True)
    (address,) = [one.value for one in ElfFile(program).of_kind("STT_FUNC") if one.name == "kernel"]
    return read_parameters(program, address)


def test_types_are_read_once_however_many_pointers_and_empty_elements_they_have(tmp_path: Path) -> None:
    node, table, mixed, number = parameters(tmp_path)
    assert (node.text, node.trouble, node.layout is not None) == ("Node*", "", True)
    assert table.trouble == "it points to something that is not made of numbers"
    assert (number.text, number.element and number.element.number and number.element.number.kind) == (
        "unsigned int",
        "unsigned",
    )
    assert mixed.layout is not None
    assert [one.path for one in mixed.layout.members] == ["at[0]", "at[1]", "list", "inner.flag", "one.wide"]
    assert [one.leaf.offset for one in mixed.layout.members] == [0, 4, 8, 16, 24]
    assert mixed.layout.members[2].target is not None
    assert mixed.layout.members[2].target.text == "const int*"
    assert mixed.layout.holds_union
