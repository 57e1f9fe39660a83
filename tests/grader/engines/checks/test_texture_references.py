"""Texture references, which CUDA 12 removed, are named."""

from __future__ import annotations

import pytest

from grader.engines.token_scan import texture_reference
from grader.model.verdicts import Verdict

SOURCE = "// texture<int> t;\n__global__ void k();\nstatic texture<float, 2, cudaReadModeElementType> picture;\n"


@pytest.mark.parametrize(
    "said",
    [
        "a.cu:3: error: \u2018texture\u2019 does not name a type",
        "a.cu:7:3: error: \u2018picture\u2019 was not declared in this scope",
        "a.cu:7:3: error: use of undeclared identifier 'picture'",
    ],
)
def test_a_texture_reference_is_named_in_its_line(said: str) -> None:
    found = texture_reference(said, SOURCE)
    assert found is not None
    assert (found.verdict, found.line) == (Verdict.COMPILE_ERROR, 3)
    assert "`picture` is a texture reference of old CUDA" in found.message
    assert "cudaTextureObject_t" in found.advice


def test_a_surface_reference_is_told_with_surface_objects() -> None:
    found = texture_reference("a.cu:1: error: 'surface' does not name a type", "surface<void, cudaSurfaceType2D> out;")
    assert found is not None
    assert "surf2Dread" in found.advice


@pytest.mark.parametrize("said", ["a.cu:5: error: expected ';'", "a.cu:5: warning: unused variable 'picture'", ""])
def test_other_errors_are_not_blamed_on_it(said: str) -> None:
    assert texture_reference(said, SOURCE) is None


def test_a_variable_of_that_name_is_no_reference() -> None:
    assert (
        texture_reference("a.cu:1: error: 'texture' was not declared", "int texture = 3;\nfloat surface[4];\n") is None
    )
