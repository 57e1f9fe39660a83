"""Lists the CUDA that the CPU executor offers, read off the device headers and the build's own lists.

`.venv/bin/python docs/device_function_table.py` prints every name. With `--write` it writes the section between the two markers
of cuda-on-the-cpu.md, and a test fails where that is not current. The page names a file where the executor has its
own functions, so that a new one leaves the page as it is. The compiler writes
the rows out, and declarations are read line by line: no C++ parser.
"""

# ruff: noqa: INP001 -- a script, in no package
from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Collection, Iterable
from functools import cache, partial
from pathlib import Path

from marked_section import MarkedSection

ROOT = Path(__file__).resolve().parent.parent
HEADERS = ROOT / "kit" / "executor" / "device"
SECTION = MarkedSection(
    ROOT / "docs" / "cuda-on-the-cpu.md",
    "<!-- device functions: begin (docs/device_function_table.py --write) -->",
    "<!-- device functions: end -->",
)

# A declaration of one line: what it answers, its name, its parameters.
_FUNCTION = re.compile(
    r"^(?:\[\[\w+\]\] |TILELAB_QUIET |inline |constexpr )*([\w ]+?)[ *&]+(\w+)\(([^()]*)\)(?:;| \{)", re.MULTILINE
)
_STRUCT = re.compile(r"^struct (?:alignas\(\d+\) )?(\w+)", re.MULTILINE)
_MACRO = re.compile(r"^#define (__\w+)", re.MULTILINE)
_NUMBER = re.compile(r"^#define (\w+) \d+$", re.MULTILINE)
_ALIAS = re.compile(r"^#define (__\w+)\(\.\.\.\) ::(\w+)", re.MULTILINE)
_VARIABLE = re.compile(r"^(?:extern|inline) (?:const|constexpr) \w+ ([^=;]+)", re.MULTILINE)
_ROWS = re.compile(r"^TILELAB_\w+\(", re.MULTILINE)  # functions of several types: the compiler writes them out
_ROUNDED = re.compile(r"(\w+_)(rn|rz|ru|rd)")
_SCOPES = ("_block", "_system")
_COLLECTIVES = ("cub/block/", "cub/warp/")
_OF_THE_KIT = ("__grid_", "__needs_", "tilelab_")


def function_table(*, of_the_page: bool = False) -> str:
    """Markdown: every name; on the page, files where long lists of them are."""
    sys.path.insert(0, str(ROOT))
    from grader.engines.device_functions import C_LIBRARY, ONLY_ON_A_GPU, REDIRECTIONS  # noqa: PLC0415 -- no package when run as a script

    functions = [
        (what, _link(HEADERS / header) if of_the_page else names) for what, header, names in _functions_by_header()
    ]
    rows = [
        *_language(of_the_page=of_the_page),
        *functions,
        (
            "C library, as device code may call it",
            _link(ROOT / "grader" / "engines" / "device_functions.py")
            if of_the_page
            else _code(name for name in sorted(C_LIBRARY) if not name.startswith("_")),
        ),
        (
            "C library, with what it touches announced",
            _code(
                [
                    *(
                        name.replace("__assert_fail", "assert")
                        for name in REDIRECTIONS
                        if not re.match("_Z|__cxa", name)
                    ),
                    *("new", "delete"),
                ]
            ),
        ),
        (
            "Cooperative groups, in `namespace cooperative_groups`",
            _link(HEADERS / "cooperative_groups.h") if of_the_page else _code(_groups()),
        ),
        ("CUB's collectives, in `namespace cub`, with `<cub/cub.cuh>`", _code(_collectives())),
        (
            "cuRAND's device functions, with `<curand_kernel.h>`",
            _link(HEADERS / "curand_kernel.h") if of_the_page else _code(_random()),
        ),
        (
            "Headers a file may include besides the standard ones",
            f"{_code(name for name in _headers() if not name.startswith(_COLLECTIVES))}, and each header of a CUB collective"
            if of_the_page
            else _code(_headers()),
        ),
        (
            "Allowed in a kernel, but only on a GPU: `needs-gpu`",
            _code(name for name in sorted(ONLY_ON_A_GPU) if not name.startswith("_")),
        ),
    ]
    column = "names, or the file that has them" if of_the_page else "names"
    return "\n".join([f"| what | {column} |", "|---|---|", *(f"| {what} | {names} |" for what, names in rows)])


def _language(*, of_the_page: bool) -> list[tuple[str, str]]:
    """Words and types that CUDA adds to C++."""
    vectors = _text("vector_types.hpp")
    types = _STRUCT.findall(vectors)
    makers = {name for _, name, _ in _FUNCTION.findall(vectors) if name.startswith("make_")}
    if makers != {f"make_{name}" for name in types if name != "dim3"}:
        message = f"vector types and their make_ functions do not match: {sorted(makers)}"
        raise ValueError(message)
    plain = _link(HEADERS / "vector_types.hpp") if of_the_page else _code(name for name in types if name != "dim3")
    qualifiers = _text("cuda_on_cpu.hpp")
    aliases = dict(_ALIAS.findall(qualifiers))
    return [
        ("Qualifiers", _code(name for name in _MACRO.findall(qualifiers) if name not in aliases)),
        ("Versions of compiler and toolkit", _code(_NUMBER.findall(_text("toolkit_version.hpp")))),
        ("Built-in variables", _code(_variables("thread_functions.hpp"))),
        ("Vector types, each with its `make_` function", f"{plain}; and `dim3`"),
    ]


def _functions_by_header() -> list[tuple[str, str, str]]:
    """The executor's own functions: what they are, the header that declares them, their names."""
    aliases = dict(_ALIAS.findall(_text("cuda_on_cpu.hpp")))
    half = "`__half`, `__half2`, `half`, `half2`, `__nv_bfloat16`, their operators, and conversions from and to all numbers; "
    return [
        (
            "Barriers, fences, warp functions, clock, spaces of memory",
            "thread_functions.hpp",
            f"`clock`, {_overloads('thread_functions.hpp')}",
        ),
        (
            "Atomic functions, each also as `_block` and `_system`; loads and stores past a cache (plain ones here)",
            "memory_functions.hpp",
            _overloads("memory_functions.hpp"),
        ),
        (
            "Arithmetic beyond the C library's: math, rounding in the name, conversions, bits and integers",
            "arithmetic_functions.hpp",
            f"{_by_rounding('arithmetic_functions.hpp', without=aliases.values())}; {_code(aliases)}",
        ),
        (
            "Texture and surface objects",
            "texture_functions.hpp",
            _code(_named("(?:tex|surf)(?:[123]D|Cubemap)", "texture_functions.hpp")),
        ),
        (
            "Launches from a kernel",
            "launch_functions.hpp",
            _code(
                [
                    "<<<…>>>",
                    *(name for name in _functions("launch_functions.hpp") if not name.startswith("__")),
                    *_streams(),
                    *("cudaMalloc", "cudaFree"),  # in `tilelab check` and `tilelab run`
                ]
            ),
        ),
        (
            "Half precision and bfloat16, with `<cuda_fp16.h>` and `<cuda_bf16.h>`",
            "half_functions.hpp",
            half + _by_rounding("half_types.hpp", "half_functions.hpp"),
        ),
    ]


def _link(file: Path) -> str:
    return f"[`{file.name}`](../{file.relative_to(ROOT).as_posix()})"


@cache
def _text(header: str) -> str:
    """With rows written out by the compiler's preprocessor, a declaration in each line."""
    path = HEADERS / header
    text = path.read_text(encoding="utf-8")
    if not _ROWS.search(text) and "TILELAB_IS(" not in text and "TILELAB_DOES(" not in text:
        return text
    compiler = json.loads((ROOT / "build" / "kit.json").read_text(encoding="utf-8"))["compiler"]
    command = [compiler, "-E", "-std=c++20", "-x", "c++", f"-I{HEADERS}", str(path)]
    written = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    own, is_own = [], False
    for line in written.splitlines():
        if marker := re.match(r'# \d+ "(.*)"', line):
            is_own = marker[1] == str(path)
        elif is_own:
            own.append(line)
    return _by_lines(re.sub(r"\s+", " ", " ".join(own)))


def _by_lines(text: str) -> str:
    """A declaration in each line; what stands in braces, other than a namespace's, is indented."""
    text = re.sub(r"__attribute__\(\(.*?\)\)\) |__attribute__\(\(\w+(?:, ?\w+)*\)\) ", "", text)
    lines: list[str] = []
    depth, of_line, line = 0, 0, ""
    for part in re.split(r"(?<=[;{}])", text):
        of_line = of_line if line else depth
        line = re.sub(r"^template <[^<>]*> ", "", f"{line}{part}".lstrip())
        if line.endswith("{") and "namespace" in line:
            line = ""
            continue
        depth += line.endswith("{") - (line.endswith("}") and depth > 0)
        if depth <= of_line:
            lines.append("  " * of_line + re.sub(r"(?<=\w) (?=\()| (?=;)", "", line))
            line = ""
    return "\n".join(lines) + "\n"


def _by_rounding(*headers: str, without: Collection[str] = ()) -> str:
    """Functions whose names differ in the rounding alone share an entry."""
    endings: dict[str, list[str]] = {}
    for name in dict.fromkeys(name for header in headers for name in _functions(header)):
        if name in without:
            continue
        rounded = _ROUNDED.fullmatch(name)
        endings.setdefault(rounded[1] if rounded else name, []).extend([rounded[2]] if rounded else [])
    grouped: dict[tuple[str, ...], list[str]] = {}
    for stem, known in endings.items():
        grouped.setdefault(tuple(known), []).append(stem)
    return "; ".join(
        _code(f"{stem}…" for stem in stems) + f" each with {_code(known)}"
        if len(known) > 1
        else _code(f"{stem}{''.join(known)}" for stem in stems)
        for known, stems in grouped.items()
    )


def _functions(header: str) -> list[str]:
    return list(dict.fromkeys(name for _, name, _ in _FUNCTION.findall(_text(header))))


def _named(pattern: str, header: str) -> list[str]:
    """The functions that the header has for programs, and not for itself."""
    return [name for name in _functions(header) if re.match(pattern, name)]


def _variables(header: str) -> list[str]:
    return [name.strip() for names in _VARIABLE.findall(_text(header)) for name in names.split(",")]


def _headers() -> list[str]:
    files = [
        *HEADERS.rglob("*.h"),
        *HEADERS.rglob("*.cuh"),
        *(path for path in (HEADERS / "cuda").rglob("*") if path.is_file()),
    ]
    return ["tilelab/device.cuh", *sorted(path.relative_to(HEADERS).as_posix() for path in files)]


def _streams() -> list[str]:
    text = (HEADERS / "launch_functions.hpp").read_text(encoding="utf-8")
    return re.findall(r"^#define (cudaStream\w+)", text, re.MULTILINE)


def _random() -> list[str]:
    """Of the states and of the functions."""
    text = _text("curand_kernel.h")
    names = re.findall(r"^(?:struct|using) (curand\w+)|\b((?:curand|skipahead)\w*)\([^)]*\) \{", text, re.MULTILINE)
    return list(dict.fromkeys(state or function for state, function in names))


def _collectives() -> list[str]:
    """Classes, and functions beside them."""
    text = "".join(path.read_text(encoding="utf-8") for path in sorted((HEADERS / "cub").glob("*/*.cuh")))
    return re.findall(r"^(?:class|void) (\w+)", text, re.MULTILINE)


def _groups() -> list[str]:
    """Classes and functions of the two headers, members among them."""
    text = "".join(_text(f"cooperative_groups{part}.h") for part in ("", "/reduce", "/scan"))
    text = re.sub(r"^ private:.*?^};", "", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"^#define .*?[^\\]$", "", text, flags=re.DOTALL | re.MULTILINE)
    classes = re.findall(r"^(?:class|struct) (\w+)(?: : [^{]*)? \{|^  TILELAB_TILE_SHUFFLE\((\w+),", text, re.MULTILINE)
    functions = re.findall(r"^ *(?!return\b|if\b|for\b)[\w:<>, ]+[ &]+(\w+)\([^;]*\)(?: const)? \{", text, re.MULTILINE)
    return list(
        dict.fromkeys(
            name
            for name in [*(name for both in classes for name in both if name), *functions]
            if name
            not in {
                "rank",
                "mask",
                "operator",
                "by_words",
                "lane_of",
                "by_rank",
                "lanes_of_warp",
                "TILELAB_TILE_SHUFFLE",
            }
        )
    )


def _overloads(header: str) -> str:
    """Functions with the types they take a value of; functions of the same types share an entry."""
    types: dict[str, list[str]] = {}
    names = {name for _, name, _ in _FUNCTION.findall(_text(header))}
    for answer, name, parameters in _FUNCTION.findall(_text(header)):
        if name.startswith(_OF_THE_KIT):
            continue
        scope = next(
            (
                scope
                for scope in _SCOPES
                if name.endswith(scope) and name.removesuffix(scope) in names and name[0] != "_"
            ),
            "",
        )
        taken = _value_type(answer, parameters)
        known = types.setdefault(name.removesuffix(scope), [])
        if taken and taken not in known:
            known.append(taken)
    grouped: dict[tuple[str, ...], list[str]] = {}
    for name, known in types.items():
        grouped.setdefault(tuple(known), []).append(name)
    return "; ".join(_code(names) + (f" on {', '.join(known)}" if known else "") for known, names in grouped.items())


def _value_type(answer: str, parameters: str) -> str:
    """The type of the parameter that overloads differ in: `value`, or what `address` points at."""
    for parameter in parameters.split(","):
        type_, _, name = parameter.strip().rpartition(" ")
        if name == "value" or (name == "address" and answer != "void" and "void" not in type_):
            return re.sub(r"\bconst\b|\*", "", type_).strip().replace("unsigned int", "unsigned")
    return ""


def _code(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


if __name__ == "__main__":
    SECTION.main(partial(function_table, of_the_page=True), function_table)
