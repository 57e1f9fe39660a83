"""Whether kernels of a file may leave each other the addresses of code: objects with virtual functions, or pointers to functions.

It reads words, and does not parse C++. Where it says yes too often, kernels that need it not are built into one program.
"""

from __future__ import annotations

import re

from grader.kernel_files.host_code import items_of
from grader.kernel_files.kernel_source import KernelSource

_POINTER = re.compile(
    r"\(\s*(?:\w+\s*::\s*)*\*\s*(?:const\s*)?\w*\s*(?:\[[^\]]*\]\s*)*\)\s*\("
)  # (*name[3])(, (Class::*)(


def passes_code(source: KernelSource) -> bool:
    return any(
        "virtual" in item.words or _POINTER.search(text[item.first : item.end])
        for text in source.texts.values()
        for item in items_of(text)
        if item.on_device or not item.is_function
    )
