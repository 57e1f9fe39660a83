"""What --arg may be, and whether it fits the parameters of a kernel."""

from __future__ import annotations

import pytest

from grader.run.kernels.argument_text import ArgumentError, Content, parse_argument
from grader.run.kernels.kernel_arguments import match_arguments, proposal
from grader.run.kernels.parameter_types import Parameter, numbers_type
from grader.source.cuda_vocabulary import NumberKind


def parameter(text: str, kind: NumberKind = "floating", size: int = 4, *, name: str = "A") -> Parameter:
    """A parameter such as `float*`, `const int*` or `double`: it contains only numbers."""
    element = text.removeprefix("const ").rstrip("*")
    number = numbers_type(element, kind, size)
    return Parameter(name, text, number, is_pointer=text.endswith("*"), is_const=text.startswith("const "))


def matched(one: Parameter, text: str) -> Content:
    return match_arguments("scale", [one], [parse_argument(text)])[0].content


@pytest.mark.parametrize(
    ("text", "kind", "extents", "content"),
    [
        ("float[4096]=random", "float", (4096,), Content("random")),
        ("const float* [16] [32] = iota", "float", (16, 32), Content("iota")),
        ("int[64]=0", "int", (64,), Content("constant", (0,))),
        ("unsigned long long[2]=0xff", "unsigned long long", (2,), Content("constant", (255,))),
        ("int[9]=random(-5, 5)", "int", (9,), Content("random", span=(-5, 5))),
        ("double[8]", "double", (8,), Content("none")),
        ("float=-1.5f", "float", (), Content("constant", (-1.5,))),
        ("double=1e3", "double", (), Content("constant", (1000.0,))),
        ("bool=true", "bool", (), Content("constant", (1,))),
        ("size_t=18446744073709551615", "size_t", (), Content("constant", (2**64 - 1,))),
    ],
)
def test_an_argument_is_read(text: str, kind: str, extents: tuple[int, ...], content: Content) -> None:
    wanted = parse_argument(text)
    assert (wanted.type, wanted.extents, wanted.content) == (kind, extents, content)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "write a buffer as 'float[4096]=random'"),
        ("float", "a value needs a number"),
        ("float[]", "write a buffer as"),
        ("float[0]", "at least one element"),
        ("float[4]=ramdom", "'ramdom' is not 0, another number, iota, random"),
        ("int=iota", "'iota' is not a number"),
        ("int[4]=random(5,1)", "the smaller number first"),
        ("int=99999999999999999999999", "is not a number"),
    ],
)
def test_what_cannot_be_read_is_said_with_an_example(text: str, said: str) -> None:
    with pytest.raises(ArgumentError, match=r".") as told:
        parse_argument(text)
    assert said in str(told.value)


def test_what_is_const_is_an_input_and_what_is_open_an_output() -> None:
    kernel = [parameter("const float*"), parameter("float*"), parameter("float*"), parameter("int", "signed")]
    texts = ["float[4]=1", "float[4]=1", "float[4]", "int=4"]
    arguments = match_arguments("scale", kernel, [parse_argument(one) for one in texts])
    assert [one.role for one in arguments] == ["input", "inout", "output", "scalar"]


@pytest.mark.parametrize("text", ["unsigned[4]=1", "unsigned int[4]=1", "uint[4]=1", "uint32_t[4]=1"])
def test_a_number_goes_by_all_its_names(text: str) -> None:
    assert matched(parameter("unsigned int*", "unsigned"), text).fill == "constant"


@pytest.mark.parametrize(
    ("one", "text", "said"),
    [
        (parameter("float*"), "int[4]=1", "write, for instance, 'float[1024]=0'"),
        (parameter("float*"), "float=1", "does not fit the parameter `float* A`"),
        (parameter("int", "signed"), "int[4]=1", "write, for instance, 'int=1024'"),
        (parameter("unsigned char", "unsigned", 1), "unsigned char=256", "whole numbers from 0 to 255"),
        (parameter("int", "signed"), "int=1.5", "which holds whole numbers"),
        (parameter("int*", "signed"), "int[4]=1.5", "holds whole numbers"),
        (parameter("float*"), "float[999999999]=1", "A smaller problem shows the same mistakes"),
    ],
)
def test_what_does_not_fit_is_said_with_what_does(one: Parameter, text: str, said: str) -> None:
    with pytest.raises(ArgumentError) as told:
        matched(one, text)
    assert said in str(told.value)


def test_a_void_pointer_takes_what_the_argument_says() -> None:
    anything = Parameter("p", "void*", None, is_pointer=True, is_const=False)
    assert matched(anything, "double[4]=iota").fill == "iota"


def test_a_parameter_that_nothing_can_be_passed_to_is_named() -> None:
    odd = Parameter("f", "void (*)(int)", None, is_pointer=True, is_const=False, trouble="it points to a function")
    with pytest.raises(ArgumentError, match=r"its parameter .* it points to a function"):
        match_arguments("scale", [odd], [])


def test_a_proposal_fits_its_parameter() -> None:
    kernel = [
        parameter("const float*"),
        parameter("double*", size=8),
        parameter("int", "signed"),
        parameter("float"),
        parameter("char", "signed", 1),
    ]
    proposals = [proposal(one) for one in kernel]
    assert len(match_arguments("scale", kernel, [parse_argument(one) for one in proposals])) == len(kernel)


@pytest.mark.parametrize(
    ("given", "text", "kind", "size", "fits"),
    [
        ("int=64", "unsigned int", "unsigned", 4, True),
        ("int=64", "size_t", "unsigned", 8, True),
        ("size_t=64", "short", "signed", 2, True),
        ("long long=4294967295", "unsigned int", "unsigned", 4, True),
        ("int=300", "unsigned char", "unsigned", 1, False),
        ("int=-1", "unsigned int", "unsigned", 4, False),
        ("unsigned=3000000000", "int", "signed", 4, False),
        ("int=1", "float", "floating", 4, False),
        ("int[4]=1", "unsigned int*", "unsigned", 4, False),
    ],
)
def test_a_whole_number_fits_any_whole_type_that_holds_it(
    given: str, text: str, kind: NumberKind, size: int, *, fits: bool
) -> None:
    one = parameter(text, kind, size)
    if fits:
        assert matched(one, given).numbers == parse_argument(given).content.numbers
        return
    with pytest.raises(ArgumentError):
        matched(one, given)
