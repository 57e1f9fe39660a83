"""How a file uses its textures, for a proposed command line."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest

from grader.run.kernels.kernel_source import KernelSource
from grader.run.launches.kernel_check import texture_argument


@dataclass(frozen=True)
class Use:
    element: str
    dimensions: int
    is_layered: bool
    options: tuple[str, ...]


def use(text: str, kind: str = "texture", name: str = "t") -> Use:
    """Of the argument that is proposed."""
    options, buffer = parse_texture(texture_argument(KernelSource("a.cu", {"a.cu": text}), kind, name, 8))
    layered = "layered" in options
    return Use(
        buffer.partition("[")[0],
        buffer.count("[") - layered,
        layered,
        tuple(one for one in options if one != "layered"),
    )


def parse_texture(argument: str) -> tuple[list[str], str]:
    match = re.fullmatch(r"(?:texture|surface)(?:\(([^)]*)\))? ([^=]*)=(?:random|0)", argument)
    assert match is not None, argument
    return (match[1] or "").split(",") if match[1] else [], match[2]


@pytest.mark.parametrize(
    ("code", "element", "dimensions", "layered"),
    [
        ("out[i] = tex2D<float>(t, x, y);", "float", 2, False),
        ("out[i] = tex1Dfetch<int>(t, i);", "int", 1, False),
        ("uchar4 c = tex2DLod<uchar4>(t, x, y, 0);", "uchar4", 2, False),
        ("ushort2 c; tex3D(&c, t, x, y, z);", "ushort2", 3, False),
        ("out[i] = tex1DLayered< unsigned char >(t, x, 2);", "unsigned char", 1, True),
        ("out[i] = tex2D<T>(t, x, y);", "float", 2, False),
        ("out[i] = tex2D<int>(other, x, y) + tex3D<short>(t, x, y, z);", "short", 3, False),
        ("// tex3D<int>(t, 1, 2, 3)\nout[i] = tex1D<float2>(t, x).x;", "float2", 1, False),
        ("float look(cudaTextureObject_t other) { return tex3D<float>(other, 1, 2, 3); }", "float", 3, False),
        ("out[i] = 0;", "float", 2, False),
    ],
)
def test_type_and_dimensions_are_read_from_the_fetch(code: str, element: str, dimensions: int, layered: bool) -> None:
    found = use(code)
    assert (found.element, found.dimensions, found.is_layered) == (element, dimensions, layered)


@pytest.mark.parametrize(
    ("code", "element", "dimensions"),
    [
        ("surf2Dread<float4>(s, x * 16, y);", "float4", 2),
        ("uchar4 c; surf2Dread(&c, s, x * 4, y);", "uchar4", 2),
        ("surf3Dwrite((float)v, s, x * 4, y, z);", "float", 3),
        ("surf1Dwrite(make_int2(1, 2), s, x * 8);", "int2", 1),
        ("int value = 3; surf2Dwrite(value, s, x * 4, y, cudaBoundaryModeZero);", "int", 2),
    ],
)
def test_a_surface_holds_what_is_read_or_stored(code: str, element: str, dimensions: int) -> None:
    found = use(code, "surface", "s")
    assert (found.element, found.dimensions) == (element, dimensions)


def test_literal_settings_of_the_host_are_carried() -> None:
    found = use(
        "float k(cudaTextureObject_t t) { return tex2D<float>(t, 0, 0); }\n"
        "void host() { d.filterMode = cudaFilterModeLinear; d.addressMode[0] = cudaAddressModeWrap;\n"
        "d.addressMode[1] = cudaAddressModeWrap; d.normalizedCoords = true; }"
    )
    assert found.options == ("wrap", "linear", "normalized")


def test_settings_that_contradict_each_other_are_not_carried() -> None:
    found = use("tex1D<float>(t, x); a.filterMode = cudaFilterModeLinear; b.filterMode = cudaFilterModePoint;")
    assert found.options == ()


def test_bytes_that_are_read_as_fractions_have_the_type_of_their_channel() -> None:
    found = use(
        "tex2D<float4>(t, x, y); auto c = cudaCreateChannelDesc<uchar4>(); d.readMode = cudaReadModeNormalizedFloat;"
    )
    assert (found.element, found.options) == ("uchar4", ("asfloat",))
