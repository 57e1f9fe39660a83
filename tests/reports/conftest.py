"""The samples: results as a batch writes them, each with its sources."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from grader.model.result import Result

SAMPLES = Path(__file__).parent / "samples"


@pytest.fixture(params=sorted(path.stem for path in SAMPLES.glob("*.json")))
def sample(request: pytest.FixtureRequest) -> tuple[Result, dict[str, str]]:
    """Each sample in turn: the result and its sources."""
    return _read(request.param)


@pytest.fixture
def sample_named() -> Callable[[str], tuple[Result, dict[str, str]]]:
    return _read


@pytest.fixture
def every_result() -> list[Result]:
    return [_read(path.stem)[0] for path in sorted(SAMPLES.glob("*.json"))]


def _read(name: str) -> tuple[Result, dict[str, str]]:
    result = Result.model_validate_json((SAMPLES / f"{name}.json").read_text(encoding="utf-8"))
    return result, {path.name: path.read_text(encoding="utf-8") for path in (SAMPLES / name).glob("*.cu")}
