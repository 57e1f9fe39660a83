"""What stands behind --arg for a texture or a surface."""

from __future__ import annotations

import pytest

from grader.run.kernels.argument_text import ArgumentError, parse_argument, texel_type
from grader.run.kernels.kernel_arguments import Argument, match_arguments, proposal
from grader.run.kernels.parameter_types import Parameter, numbers_type

HANDLE = numbers_type("cudaTextureObject_t", "unsigned", 8)
SURFACE = numbers_type("cudaSurfaceObject_t", "unsigned", 8)
TEXTURE = Parameter("picture", "cudaTextureObject_t", HANDLE, is_pointer=False, is_const=False)
TARGET = Parameter("target", "cudaSurfaceObject_t", SURFACE, is_pointer=False, is_const=False)


def matched(*given: tuple[Parameter, str]) -> list[Argument]:
    return match_arguments("kernel", [one for one, _ in given], [parse_argument(text) for _, text in given])


def test_a_texture_is_a_buffer_with_options() -> None:
    (texture,) = matched((TEXTURE, "texture(linear, wrap mirror,normalized) float2[3][5]=random"))
    assert texture.role == "input"
    assert texture.seen_as == {
        "surface": False, "extents": [3, 5], "layers": 0, "format": ["floating", 4, 2],
        "address": ["wrap", "mirror", "clamp"], "linear": True, "normalized": True, "as_float": False,
    }  # fmt: skip


def test_the_first_extent_of_a_layered_texture_counts_its_layers() -> None:
    (texture,) = matched((TEXTURE, "texture(layered) uchar4[3][8][16]"))
    assert texture.role == "output"
    assert (texture.seen_as["layers"], texture.seen_as["extents"], texture.seen_as["format"]) == (
        3,
        [8, 16],
        ["unsigned", 1, 4],
    )


def test_one_address_mode_holds_for_all_dimensions() -> None:
    (texture,) = matched((TEXTURE, "texture(border) float[4][4][4]=0"))
    assert texture.seen_as["address"] == ["border"] * 3


def test_a_surface_is_written_and_a_texture_may_show_its_memory() -> None:
    target, texture = matched((TARGET, "surface float[4][8]=0"), (TEXTURE, "texture float[32]=&target"))
    assert target.role == "inout"
    assert texture.shown == 0
    assert texture.role == "scalar"
    assert texture.seen_as["of"] == 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("float[64]=0", "write, for instance, 'texture float[64][64]=random'"),
        ("int=3", "write, for instance, 'texture float[64][64]=random'"),
        ("surface float[64]=0", "write, for instance, 'texture float[64][64]=random'"),
        ("texture(bicubic) float[64]=0", "'bicubic' is no option of a texture"),
        ("texture double[64]=0", "one, two or four numbers of at most four bytes"),
        ("texture float3[64]=0", "one, two or four numbers of at most four bytes"),
        ("texture(linear) int[64]=0", "a linear filter needs texels of float"),
        ("texture(asfloat) int[64]=0", "only whole numbers of 8 or 16 bits"),
        ("texture float[2][2][2][2]=0", "from one to three dimensions"),
        ("texture(layered) float[8]=0", "from one to two dimensions after the layers"),
        ("texture float[64]=&nothing", "has no parameter 'nothing'"),
        ("texture float[64]=&picture", "which has none of its own"),
        ("texture float[99999999]=0", "is too large"),
    ],
)
def test_what_is_no_texture_is_said(text: str, said: str) -> None:
    with pytest.raises(ArgumentError) as error:
        matched((TEXTURE, text))
    assert said in str(error.value)


def test_a_texture_cannot_show_more_than_there_is() -> None:
    with pytest.raises(ArgumentError, match="more than target has"):
        matched((TARGET, "surface float[31]=0"), (TEXTURE, "texture float[32]=&target"))


def test_what_is_proposed_for_a_handle_fits_it() -> None:
    for parameter in (TEXTURE, TARGET):
        assert matched((parameter, proposal(parameter)))


@pytest.mark.parametrize(
    ("name", "leaves"),
    [
        ("float", 1),
        ("unsigned char", 1),
        ("uchar4", 4),
        ("half2", 2),
        ("int1", 1),
        ("float3", 0),
        ("double", 0),
        ("long", 0),
        ("Body", 0),
    ],
)
def test_a_texel_has_one_two_or_four_numbers(name: str, leaves: int) -> None:
    found = texel_type(name)
    assert (len(found.leaves) if found else 0) == leaves
