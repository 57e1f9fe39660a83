"""A launch for a kernel whose arguments the user has not named: the file's own launch, as far as its constants say it, and usual sizes for
the rest. It is run only if the file says all of it; otherwise it is proposed as a command line that runs when it is pasted.
"""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from grader.run.kernels.kernel_arguments import MAX_BUFFER_BYTES, proposal, proposed_elements
from grader.run.kernels.kernel_source import KernelSource
from grader.run.kernels.own_launches import Extent3, OwnLaunch, definitions_of, is_two_dimensional, own_launches
from grader.run.kernels.parameter_types import Parameter
from grader.source.lexer import closing_bracket, without_comments

_ELEMENTS = 4096  # of a proposed buffer: the square of a proposed number, in one dimension and in two
_FLAT_NUMBER, _WIDEST = 64, 64
_DYNAMIC_BYTES = 32 << 10  # of shared memory where nobody knows how much; the rest of 48 KiB is for static arrays
_LAYERS = 4  # of a proposed layered texture
_INSIDE = re.compile(r"((?:(\w+)=)?)(texture|surface) float\[64\]\[64\]=(?:random|0)")  # of an object or a table
_MOST_THREADS = 1 << 16  # of the file's own launch, in all
_LARGEST_BLOCK = 1024  # CUDA's limit
_WIDE: tuple[Extent3, Extent3] = ((2, 2, 1), (16, 16, 1))  # grid and block
_FLAT: tuple[Extent3, Extent3] = ((4, 1, 1), (256, 1, 1))


@dataclass(frozen=True)
class ProposedLaunch:
    grid: Extent3
    block: Extent3
    shared_bytes: int
    arguments: tuple[str, ...]  # as --arg takes them
    line: int = 0  # of the file's own launch; 0: there is none
    is_whole: bool = False  # whether the file's own launch says all of it, and it is small enough

    def command(self, options: Sequence[str]) -> str:
        """`options`: the file, the kernel, and what else was given."""
        parts = ["tilelab", "check", *options, "--grid", extent_text(self.grid), "--block", extent_text(self.block)]
        if self.shared_bytes:
            parts += ["--shared", str(self.shared_bytes)]
        for argument in self.arguments:
            parts += ["--arg", argument]
        return shlex.join(parts)


def proposed_launch(source: KernelSource, kernel: str, parameters: Sequence[Parameter]) -> ProposedLaunch:
    """`kernel`: its name with namespaces, and with template arguments."""
    name = re.split(r"[<(]", kernel, maxsplit=1)[0]
    wide, unknown = is_two_dimensional(source, name), (None,) * len(parameters)
    launches = (one for one in own_launches(source, name) if len(one.values) == len(parameters))
    own = next(launches, OwnLaunch(0, None, None, None, unknown, unknown))
    grid, block = _WIDE if wide else _FLAT
    definitions = definitions_of(source, name)
    if definitions and not any("blockIdx" in text for text in definitions):
        grid = (1, 1, 1)  # its author thinks of one block
    dynamic = any(re.search(r"\bextern\s+__shared__", text) for text in definitions)
    usual_shared = _DYNAMIC_BYTES if dynamic else 0
    widest = _WIDEST if _whole_numbers(parameters) <= 2 else _WIDEST // 2  # noqa: PLR2004 -- two sides, and no third number
    told = [_told(own, at, parameter) for at, parameter in enumerate(parameters)]
    threads = math.prod(own.block or (1,))
    fits = threads <= _LARGEST_BLOCK and math.prod(own.grid or (1,)) * threads <= _MOST_THREADS
    if own.grid and own.block and own.shared_bytes is not None and fits:
        arguments = tuple(one for one in told if one is not None)
        if len(arguments) == len(told):
            return ProposedLaunch(own.grid, own.block, own.shared_bytes, arguments, own.line, is_whole=True)
    block = own.block if own.block and threads <= _LARGEST_BLOCK else block
    sizes = [own.bytes[at] for at, one in enumerate(parameters) if one.is_pointer]
    all_buffers = all(text for text, one in zip(told, parameters, strict=True) if one.is_pointer) and bool(sizes)
    grid = _smaller_grid(own.grid or grid, block, _most_elements(told) if all_buffers and not own.grid else _ELEMENTS)
    if wide and not all_buffers:
        x, y, _ = grid
        grid = (min(x, max(1, widest // block[0])), min(y, max(1, widest // block[1])), 1)
    # A buffer that is larger than usual does no harm. A number does, where the buffers do not follow from it: in two dimensions, it is
    # as many as there are threads in a row or a column of the grid.
    number = min(widest, max(grid[0] * block[0], grid[1] * block[1])) if wide else _FLAT_NUMBER
    usual = _usual_arguments(source, parameters, number)
    arguments = tuple(
        text if text and (all_buffers or (one.is_pointer and _is_larger(own.bytes[at], one))) else usual[at]
        for at, (text, one) in enumerate(zip(told, parameters, strict=True))
    )
    return ProposedLaunch(grid, block, own.shared_bytes or usual_shared, arguments, own.line)


def _most_elements(told: Sequence[str | None]) -> int:
    """Of the largest buffer."""
    sizes = (re.search(r"\[(\d+)\]", text) for text in told if text)
    return min(_ELEMENTS, max((int(size[1]) for size in sizes if size), default=_ELEMENTS))


def _whole_numbers(parameters: Sequence[Parameter]) -> int:
    """How many parameters may be sizes."""
    plain = [
        one.element.number for one in parameters if one.element is not None and not (one.is_pointer or one.texture)
    ]
    return sum(one is not None and one.kind != "floating" and not one.is_bool and one.bytes > 1 for one in plain)


def _is_larger(size: int | None, parameter: Parameter) -> bool:
    return size is not None and parameter.element is not None and size >= _ELEMENTS * parameter.element.bytes


def _smaller_grid(grid: Extent3, block: Extent3, most: int) -> Extent3:
    """Half as many blocks along the longest side, until there are few enough threads."""
    x, y, z = grid
    while x * y * z > 1 and x * y * z * math.prod(block) > most:
        longest = max(x, y, z)
        x, y, z = (x // 2, y, z) if x == longest else (x, y // 2, z) if y == longest else (x, y, z // 2)
    return x, y, z


def _usual_arguments(source: KernelSource, parameters: Sequence[Parameter], usual: int) -> tuple[str, ...]:
    whole = _whole_numbers(parameters)
    size = usual if whole <= 3 else 8 if whole <= 5 else 4  # noqa: PLR2004 -- so that products of them stay below _ELEMENTS
    described = [elements for one in parameters if (elements := proposed_elements(one))]
    size = min([size, *described])
    return tuple(_seen_inside(source, one, usual) or _usual(one, size) for one in parameters)


def _told(own: OwnLaunch, at: int, parameter: Parameter) -> str | None:
    """What the file's constants say of one argument."""
    element = parameter.element
    if (
        element is None
        or parameter.trouble
        or parameter.layout is not None
        or parameter.is_function
        or parameter.texture
    ):
        return None
    if parameter.is_pointer:
        size = own.bytes[at]
        if size is None or element.bytes == 0 or size < element.bytes or size > MAX_BUFFER_BYTES:
            return None
        return f"{element.name}[{size // element.bytes}]={_fill(parameter)}"
    value = own.values[at]
    number = element.number
    if value is None or number is None:
        return None
    return f"{element.name}={value if number.kind == 'floating' else int(value)}"


def _seen_inside(source: KernelSource, parameter: Parameter, side: int) -> str:
    """Of a texture, a surface, an object or a table; empty: it is none of these. As wide as all threads, whatever the numbers are."""
    if parameter.texture:
        return _seen(source, parameter.texture, parameter.name, side)
    if parameter.layout is None:
        return ""
    return _INSIDE.sub(lambda one: one[1] + _seen(source, one[3], one[2] or "", side), proposal(parameter))


def _usual(parameter: Parameter, size: int) -> str:
    if parameter.is_function:
        return proposal(parameter)
    element = parameter.element
    name = element.name if element else "float"
    if parameter.is_pointer:
        return f"{name}[{_ELEMENTS}]={_fill(parameter)}"
    number = element.number if element else None
    if number is None:
        return proposal(parameter)
    if number.is_bool or number.kind == "floating" or number.bytes == 1:
        return f"{name}=1"
    return f"{name}={size}"


def _seen(source: KernelSource, kind: str, name: str, side: int) -> str:
    """A texture or a surface as the file uses it."""
    use = texture_use(source, kind, name)
    extents = [_ELEMENTS] if use.dimensions == 1 else [side] * use.dimensions
    if use.is_layered:
        extents.insert(0, _LAYERS)
    options = f"({','.join(use.options)})" if use.options else ""
    shape = "".join(f"[{extent}]" for extent in extents)
    return f"{kind}{options} {use.element}{shape}={'random' if kind == 'texture' else '0'}"


def _fill(parameter: Parameter) -> str:
    return "random" if parameter.is_const or parameter.element is None else "0"


def extent_text(extent: Extent3) -> str:
    sides = list(extent)
    while len(sides) > 1 and sides[-1] == 1:
        sides.pop()
    return ",".join(map(str, sides))


# How a file uses a texture or a surface that a kernel gets: the type of its texels, its dimensions, and what the host's code says of
# filter and address modes. Reads words, and runs nothing: a proposal is made of it, not a verdict.

_TEXTURE_CALL = re.compile(
    r"\btex(?P<of>[123])D(?P<fetch>fetch)?(?P<layered>Layered)?(?:Lod|Grad|gather)?\s*(?:<\s*(?P<type>[\w ]+?)\s*>)?\s*\("
)
_SURFACE_CALL = re.compile(
    r"\bsurf(?P<of>[123])D(?P<layered>Layered)?(?P<verb>read|write)\s*(?:<\s*(?P<type>[\w ]+?)\s*>)?\s*\("
)
_CHANNEL = re.compile(r"\bcudaCreateChannelDesc\s*<\s*([\w ]+?)\s*>")
_ADDRESS = re.compile(r"\baddressMode\s*\[\s*[012]\s*\]\s*=\s*cudaAddressMode(\w+)\s*;")
_SETTING = r"\b{name}\s*=\s*(\w+)\s*;"
_MADE = re.compile(
    r"\bmake_(\w+)\s*\(|\(\s*(\w+)\s*\)|static_cast\s*<\s*(\w+)\s*>|(\w+)\s*\("
)  # make_float4(…), (float)x, float(x)
_TYPES = frozenset(
    f"{number}{count}"
    for number in ("char", "uchar", "short", "ushort", "int", "uint", "float")
    for count in ("", "1", "2", "4")
) | {"unsigned", "unsigned char", "unsigned short", "unsigned int", "signed char"}


@dataclass(frozen=True)
class TextureUse:
    element: str = "float"
    dimensions: int = 2
    is_layered: bool = False
    options: tuple[str, ...] = ()


def texture_use(source: KernelSource, kind: str, name: str) -> TextureUse:
    """Of the parameter `name`; `kind` is "texture" or "surface". Where a helper function uses it under another name, any use in the file
    counts.
    """
    text = "\n".join(without_comments(one) for one in source.texts.values())
    calls = list((_TEXTURE_CALL if kind == "texture" else _SURFACE_CALL).finditer(text))
    own = [
        one
        for one in calls
        if name and re.search(rf"\b{re.escape(name)}\b", text[one.end() : closing_bracket(text, one.end() - 1)])
    ]
    if not calls:
        return TextureUse()
    chosen = (own or calls)[0]
    element = next((found for one in own or calls if (found := _type_of(text, one))), "float")
    options = ["layered"] if chosen["layered"] else []
    if kind == "texture":
        made = _CHANNEL.search(text)
        said = _host_options(text)
        if "asfloat" in said and not (made and _is_small(made[1])):
            said.remove("asfloat")
        elif "asfloat" in said and made:
            element = made[1]
        if "linear" in said and "float" not in element and "asfloat" not in said:
            said.remove("linear")
        options += said
    return TextureUse(element, int(chosen["of"]), bool(chosen["layered"]), tuple(options))


def _type_of(text: str, call: re.Match[str]) -> str:
    """The type in angle brackets, or of the variable that is filled or stored. Empty: unknown."""
    if call["type"]:
        return call["type"] if call["type"] in _TYPES else ""
    first = text[call.end() : closing_bracket(text, call.end() - 1)].split(",", maxsplit=1)[0].strip()
    if made := _MADE.match(first):
        return next((name for name in made.groups() if name in _TYPES), "")
    variable = re.fullmatch(r"&?\s*(\w+)", first)
    declared = variable and re.search(
        rf"\b((?:unsigned |signed )?\w+)\s+{variable[1]}\b\s*[=;,)({{]", text[: call.start()]
    )
    return declared[1] if declared and declared[1] in _TYPES else ""


def _is_small(name: str) -> bool:
    return re.fullmatch(r"(?:unsigned |signed )?u?(?:char|short)[124]?", name) is not None


def _host_options(text: str) -> list[str]:
    """What each text descriptor says that is written with constants, where all say the same."""
    modes = {one.lower() for one in _ADDRESS.findall(text)}
    said = sorted(modes) if len(modes) == 1 and modes != {"clamp"} else []
    if _only(text, "filterMode") == "cudaFilterModeLinear":
        said.append("linear")
    if _only(text, "normalizedCoords") in {"1", "true"}:
        said.append("normalized")
    elif said[:1] in (["wrap"], ["mirror"]):
        said.pop(0)
    if _only(text, "readMode") == "cudaReadModeNormalizedFloat":
        said.append("asfloat")
    return said


def _only(text: str, name: str) -> str:
    """The one value that is ever given to a member of this name. Empty: none, or several."""
    values = set(re.findall(_SETTING.format(name=name), text))
    return values.pop() if len(values) == 1 else ""
