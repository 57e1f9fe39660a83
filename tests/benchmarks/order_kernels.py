"""The kernels that the model of speed is tried on beside the ladder, as text by name: tests/labs/speed_order/kernels.toml says which."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "tests" / "labs" / "speed_order"


def order_kernels() -> dict[str, str]:
    table = tomllib.loads((FOLDER / "kernels.toml").read_text(encoding="utf-8"))
    return {name: _text(values) for name, values in table.items()}


def _text(values: dict[str, str | int]) -> str:
    if "path" in values:
        return (ROOT / str(values["path"])).read_text(encoding="utf-8")
    text = (FOLDER / str(values["file"])).read_text(encoding="utf-8")
    for name, value in values.items():
        if name == "file":
            continue
        text, found = re.subn(rf"(?m)^(constexpr int .*?\b{name} = )\d+", rf"\g<1>{value}", text)
        if found != 1:
            message = f"{values['file']} has no constant {name}"
            raise ValueError(message)
    return text
