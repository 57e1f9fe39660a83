"""What the conductor has to know about one kernel that was built: how to start its runner, its parameters as raw bytes, its variables.

kit/program reads it from program.json. Plain data.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from grader.engines.cpu.cpu_build import CpuBuild
from grader.engines.object_code.quick_elf import QuickElf
from grader.engines.object_code.symbol_table import function_symbols
from grader.launch_arguments.class_passing import WIDEST, passing_of
from grader.launch_arguments.kernel_parameters import Parameter, read_parameters
from grader.programs.host.kernel_symbols import KernelName

_POINTER_BYTES = 8
_IN_REGISTERS = 16  # bytes of an object that may travel in registers


class KernelMismatchError(Exception):
    """What was built is not the kernel that the host program names, or cannot be called: the text says why."""


def kernel_description(build: CpuBuild, kernel: KernelName) -> dict[str, object]:
    """Without the runner's command line. Raises KernelMismatchError."""
    if build.runner is None or build.image is None:
        message = "there is no runner to describe"
        raise ValueError(message)
    image = json.loads(build.image.read_text(encoding="utf-8"))
    if not _is_at(build.runner, kernel.symbol, image["kernel"]):
        message = f"`{kernel.shown}` was built as another function than the one that the host program names."
        raise KernelMismatchError(message)
    parameters = read_parameters(build.runner, image["kernel"])
    if parameters is None:
        message = f"{build.runner} has no debug information of {kernel.symbol}"
        raise RuntimeError(message)
    return {
        "name": kernel.shown,
        "parameters": [_parameter(one, kernel) for one in parameters],
        "variables": [{"name": one["symbol"], "bytes": one["bytes"]} for one in image["variables"] if one["on_device"]],
        "static_shared_bytes": image["static_shared_bytes"],
        "allocates": image["allocates"],
    }


def _is_at(runner: Path, symbol: str, address: int) -> bool:
    with runner.open("rb") as stream:
        return (symbol, address) in function_symbols(QuickElf(stream))


def _parameter(parameter: Parameter, kernel: KernelName) -> dict[str, object]:
    element = parameter.element
    described: dict[str, object] = {
        "name": parameter.name,
        "element": element.name if element else "byte",
        "element_bytes": max(1, element.bytes) if element else 1,
        "pointer": parameter.is_pointer and not parameter.is_function,
        "const": parameter.is_const,
    }
    if parameter.is_pointer or parameter.texture:
        return described | _in_register(_POINTER_BYTES, floating=False)
    if parameter.layout is None:
        number = element.number if element else None
        if number is None:
            raise KernelMismatchError(_cannot(parameter, kernel))
        return described | _in_register(number.bytes, floating=number.kind == "floating" and number.bytes in {4, 8})
    layout = parameter.layout
    if layout.alignment > WIDEST or (
        (layout.trouble or layout.holds_union) and not layout.by_reference and layout.bytes <= _IN_REGISTERS
    ):
        raise KernelMismatchError(_cannot(parameter, kernel))
    passing = passing_of(layout)
    return described | _passed(layout.bytes, passing.how, passing.pieces, max(layout.alignment, 8))


def _in_register(size: int, *, floating: bool) -> dict[str, object]:
    return _passed(size, "registers", [(0, size, floating)], size)


def _passed(size: int, how: str, pieces: Sequence[tuple[int, int, bool]], alignment: int) -> dict[str, object]:
    return {"bytes": size, "passing": how, "pieces": [list(one) for one in pieces], "alignment": alignment}


def _cannot(parameter: Parameter, kernel: KernelName) -> str:
    why = f": {parameter.trouble}" if parameter.trouble else ""
    return f"`{kernel.shown}` takes `{parameter.text} {parameter.name}`, which cannot be passed without a GPU{why}."
