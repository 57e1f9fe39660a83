"""Every function that the device headers declare is defined in the library that runners link, in each overload."""

from __future__ import annotations

import importlib.util
import platform
import re
import subprocess
from collections import Counter
from pathlib import Path

from grader.engines.toolset import Toolset

ROOT = Path(__file__).resolve().parents[4]
DECLARED = re.compile(r"^(?:\[\[\w+\]\] )?\w[\w ]*?[ *&]+(\w+)\([^()]*\);", re.MULTILINE)  # not a statement in a body
# Functions that newer C libraries have too.
OLDER_GLIBC = re.compile(r"^#if !defined\(__GLIBC__\).*?^#endif$", re.MULTILINE | re.DOTALL)
NAMED = re.compile(r"^\w+ (\w+)\(", re.MULTILINE)
DEFINED = re.compile(r"^cuda_on_cpu::(?:\w+_on_cpu::|tilelab_ptx::)*(\w+)\(", re.MULTILINE)


def declared() -> Counter[str]:
    spec = importlib.util.spec_from_file_location("device_function_table", ROOT / "docs" / "device_function_table.py")
    assert spec is not None
    assert spec.loader is not None
    device_function_table = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(device_function_table)
    headers = sorted(path.name for path in device_function_table.HEADERS.glob("*.hpp"))
    # half_types.hpp repeats what half_functions.hpp declares, for its own constructors.
    texts = [device_function_table._text(name) for name in headers if name != "half_types.hpp"]
    found = Counter(name for text in texts for name in DECLARED.findall(text))
    name, version = platform.libc_ver()
    if name == "glibc" and tuple(map(int, version.split("."))) >= (2, 41):
        math = (device_function_table.HEADERS / "arithmetic_functions.hpp").read_text(encoding="utf-8")
        older = (name for block in OLDER_GLIBC.findall(math) for name in NAMED.findall(block))
        found.subtract(older)
    return found


def test_every_declared_function_is_defined(toolset: Toolset) -> None:
    archive = next(path for path in toolset.toolchain.archives if "tilelab_runner" in path.name)
    listed = subprocess.run(
        ["nm", "--demangle", "--defined-only", "--format=just-symbols", str(archive)],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    defined, wanted = Counter(DEFINED.findall(listed)), declared()
    assert wanted["__half2float"] == 1
    assert wanted["atomicAdd"] == 9
    missing = {name: count for name, count in wanted.items() if defined[name] < count}
    assert missing == {}
