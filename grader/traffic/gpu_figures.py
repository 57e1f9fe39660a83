"""The GPUs that the performance model knows, read from gpus.toml in this folder. The figures are the vendor's; none was measured."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from grader.model.errors import RemediableError


class Gpu(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    capability: int  # 90 for 9.0
    multiprocessors: int = Field(gt=0)
    fp32_lanes: int = Field(gt=0)  # per multiprocessor
    clock_ghz: float = Field(gt=0)
    memory_gbytes: float = Field(gt=0)  # per second
    l2_bytes: int | None = Field(default=None, gt=0)  # per clock
    source: str


@cache
def gpus() -> dict[str, Gpu]:
    table = tomllib.loads(Path(__file__).with_name("gpus.toml").read_text(encoding="utf-8"))
    return {key: Gpu.model_validate(values) for key, values in table.items()}


def gpu_named(key: str) -> Gpu:
    """Raises RemediableError, which names the GPUs there are."""
    for known, gpu in gpus().items():
        if known.casefold() == key.replace(" ", "").casefold():
            return gpu
    message = f"no figures are known for a GPU {key!r}; there are some for {', '.join(gpus())}"
    raise RemediableError(message)
