"""Builds each kernel that a host program names, several at a time, as `tilelab check` builds one. What was built is kept by its hash.

A kernel that cannot be built is refused when it is launched, and not before. Where kernels may leave each other the addresses of code,
they are built into one program, so that these addresses are the same for all of them.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from grader.engines.cpu_build import CpuBuild
from grader.engines.objects.symbol_table import ElfFile, Symbol
from grader.engines.refusal import Refusal
from grader.engines.toolset import Toolset
from grader.model.verdicts import Verdict
from grader.run.kernels.host_code import items_of
from grader.run.kernels.kernel_build import BuiltKernel, build_kernel, why_not
from grader.run.kernels.kernel_source import KernelSource, ProgramSource, base_name
from grader.run.kernels.parameter_types import (
    IN_REGISTERS,
    WIDEST,
    Leaf,
    Parameter,
    ValueType,
    numbers_type,
    passing_of,
    read_parameters,
)
from grader.run.programs.host_build import NO_FRAME, HostBuild, HostRefusal, TextFrame, build_host
from grader.run.programs.host_text import MARK, passes_code
from grader.run.programs.host_toolchain import STANDARDS, HostToolchain, demangled, host_toolchain

# Which kernels a linked host program names, by the marks in their stubs: exact for templates, overloads and namespaces. And how each of
# them is called in C++, which its device code is built by.

MOST_KERNELS = 200
_MARK = re.compile(rf"_ZZ(?P<kernel>[\w.$]+)E{len(MARK)}{MARK}(?:[_.\d]*)")
_OUR_NAMESPACE = re.compile(r"\bcuda_on_cpu::")
_UNNAMED = re.compile(r"\(anonymous namespace\)::|\{anonymous\}::")


@dataclass(frozen=True)
class KernelName:
    symbol: str  # "_Z5scaleIfEvPT_i"
    signature: str  # "scale<float>(float*, int)"

    @property
    def shown(self) -> str:
        """As people write it: without parameters."""
        return without_parameters(self.signature)


def kernel_symbols(program: Path) -> list[str]:
    """The symbols of the kernels, at most MOST_KERNELS. The program is hostile; so its names are words and nothing else."""
    symbols = ElfFile(program).symbols
    functions = {one.name for one in symbols if one.kind == "STT_FUNC"}
    found = dict.fromkeys(name for one in symbols if (name := _marked(one, functions)))
    return list(found)[:MOST_KERNELS]


def _marked(symbol: Symbol, functions: set[str]) -> str:
    match = _MARK.fullmatch(symbol.name) if symbol.kind == "STT_OBJECT" else None
    if match is None:
        return ""
    plain = re.sub(r"^\d+", "", match["kernel"])  # extern "C" has no mangled name
    return next((name for name in (f"_Z{match['kernel']}", plain) if name in functions), "")


def signature_of(demangled: str) -> str:
    """Without the kit's namespace, unnamed ones, and the return type that templates have."""
    text = _UNNAMED.sub("", _OUR_NAMESPACE.sub("", demangled)).strip()
    return text.removeprefix("void ")


def without_parameters(signature: str) -> str:
    """`scale<(Op)0>` of `scale<(Op)0>(float*)`."""
    at = _parameters_at(signature)
    return signature[:at] if at else signature


def _parameters_at(signature: str) -> int:
    """Where the parameter list begins: the last `(` outside all other brackets."""
    depth, found = 0, 0
    for at, sign in enumerate(signature):
        if sign in "<([{":
            if sign == "(" and depth == 0:
                found = at
            depth += 1
        elif sign in ">)]}" and signature[at - 1 : at + 1] != "->":
            depth -= 1
    return found


def buildable_name(kernel: KernelName, source: KernelSource) -> str:
    """The name as `engines/entry_points.py` takes it: with parameters where the file has several versions that are no templates."""
    versions = [item for item, _ in source.items() if item.kernel == base_name(kernel.shown)]
    return kernel.signature if len(versions) > 1 and "<" not in kernel.shown else kernel.shown


def unit_of(kernel: KernelName, units: Sequence[KernelSource]) -> KernelSource | None:
    """The source that defines the kernel: the one whose own file does, else the first that does in a header."""
    base = base_name(kernel.shown)
    able = [unit for unit in units if unit.name in unit.texts and any(item.kernel == base for item, _ in unit.items())]
    own = (unit for unit in able if any(item.kernel == base for item in items_of(unit.texts[unit.name])))
    return next(iter([*own, *able]), None)


# What the broker has to know about one kernel that was built: how to start its runner, its parameters as raw bytes, its variables.
#
# kit/program reads it from program.json. Plain data.


class KernelMismatchError(Exception):
    """What was built is not the kernel that the host program names, or cannot be called: the text says why."""


def kernel_description(build: CpuBuild, kernel: KernelName) -> dict[str, object]:
    """Without the runner's command line. Raises KernelMismatchError."""
    if build.runner is None or build.image is None:
        raise ValueError("there is no runner to describe")
    image = json.loads(build.image.read_text(encoding="utf-8"))
    symbols = ElfFile(build.runner).of_kind("STT_FUNC")
    if not any((one.name, one.value) == (kernel.symbol, image["kernel"]) for one in symbols):
        message = f"`{kernel.shown}` was built as another function than the one that the host program names."
        raise KernelMismatchError(message)
    return {
        "name": kernel.shown,
        "parameters": [_parameter(one, kernel) for one in read_parameters(build.runner, image["kernel"])],
        "variables": [{"name": one["symbol"], "bytes": one["bytes"]} for one in image["variables"] if one["on_device"]],
        "static_shared_bytes": image["static_shared_bytes"],
        "allocates": image["allocates"],
    }


def _parameter(parameter: Parameter, kernel: KernelName) -> dict[str, object]:
    element, layout = parameter.element, None if parameter.is_pointer else parameter.layout
    number = Leaf("unsigned", 8) if parameter.is_pointer or parameter.texture else element and element.number
    value = layout or (numbers_type("", number.kind, number.bytes) if number else None)
    if value is None or (layout and not _can_be_passed(layout)):
        why = f": {parameter.trouble}" if parameter.trouble else ""
        what = f"`{kernel.shown}` takes `{parameter.text} {parameter.name}`"
        raise KernelMismatchError(f"{what}, which cannot be passed without a GPU{why}.")
    passing = passing_of(value)
    return {
        "name": parameter.name,
        "element": element.name if element else "byte",
        "element_bytes": max(1, element.bytes) if element else 1,
        "is_pointer": parameter.is_pointer and not parameter.is_function,
        "only_reads": parameter.is_const,
        "bytes": value.bytes,
        "passing": passing.how,
        "pieces": [list(one) for one in passing.pieces],
        "alignment": max(layout.alignment, 8) if layout else value.bytes,
    }


def _can_be_passed(layout: ValueType) -> bool:
    in_registers = not layout.by_reference and layout.bytes <= IN_REGISTERS
    return layout.alignment <= WIDEST and not (in_registers and (layout.trouble or layout.holds_union))


Progress = Callable[[str], None]  # is told what is done next


@dataclass(frozen=True)
class ProgramRecipe:
    """`frame`: text of ours around the main file's. `kept`: a folder for built kernels, of which the oldest go; none: none is kept."""

    source: ProgramSource
    definitions: Sequence[str] = ()
    frame: TextFrame = NO_FRAME
    kept: Path | None = None
    most_kernels: int = MOST_KERNELS


_KEPT = 40  # kernels; the oldest go
_FORMAT = "6"  # another number where what is kept changes
_PARTS = ("runner", "image.json")


@dataclass(frozen=True)
class ProgramKernel:
    """With `runner`, it was built; else `refusal` says why not."""

    name: KernelName
    unit: str  # the file that it is built from
    runner: Path | None = None
    image: Path | None = None
    description: dict[str, object] | None = None
    refusal: Refusal | None = None  # `advice`: what the compiler or a check says by itself
    left_out: tuple[str, ...] = ()


def build_kernels(
    toolset: Toolset, recipe: ProgramRecipe, names: Sequence[KernelName], scratch: Path
) -> list[ProgramKernel]:
    """All at once, in folders of their own in `scratch`."""
    source, kept = recipe.source, recipe.kept
    fingerprint = toolset.fingerprint() if names and kept else ""
    groups: list[
        tuple[KernelSource, list[KernelName]]
    ] = []  # of each file, those that may leave each other the addresses of code
    for unit in source.units:
        group = [name for name in names if (unit_of(name, source.units) or source.main) is unit]
        groups += [(unit, group)] if len(group) > 1 and passes_code(unit) else []
    with ThreadPoolExecutor(max(1, os.cpu_count() or 1)) as beside:

        def begin(unit: KernelSource, group: Sequence[KernelName], name: str) -> Future[tuple[ProgramKernel, ...]]:
            return beside.submit(_built, toolset, recipe, fingerprint, unit, group, scratch / name)

        shared = [begin(unit, group, f"together{number}") for number, (unit, group) in enumerate(groups)]
        made = {one.name.symbol: one for job in shared for one in job.result()}
        alone = [
            begin(unit_of(name, source.units) or source.main, [name], f"kernel{number}")
            for number, name in enumerate(names)
            if name.symbol not in made
        ]
        made |= {one.name.symbol: one for job in alone for one in job.result()}
        for number, (unit, group) in enumerate(groups):  # without those that cannot be built at all
            able = [name for name in group if made[name.symbol].runner]
            if not shared[number].result() and 1 < len(able) < len(group):
                made |= {one.name.symbol: one for one in begin(unit, able, f"able{number}").result()}
    if kept is not None and kept.is_dir():
        _forget_the_oldest(kept)
    return [made[name.symbol] for name in names]


def with_read_parameters(kernel: ProgramKernel, only_read: Mapping[str, frozenset[str]]) -> ProgramKernel:
    """`only_read`: see host_text.py. What is kept does not know them: the macros of a file change what its kernels do."""
    names = only_read.get(base_name(kernel.name.shown), frozenset())
    if kernel.description is None or not names:
        return kernel
    parameters = [
        {**one, "only_reads": True} if one["is_pointer"] and one["name"] in names else one
        for one in cast("list[dict[str, object]]", kernel.description["parameters"])
    ]
    return replace(kernel, description={**kernel.description, "parameters": parameters})


def _built(
    toolset: Toolset,
    recipe: ProgramRecipe,
    fingerprint: str,
    unit: KernelSource,
    names: Sequence[KernelName],
    scratch: Path,
) -> tuple[ProgramKernel, ...]:
    """The kernels in one program. If they cannot be built so: a refusal of one that is alone, and nothing of several."""
    is_alone = len(names) == 1
    words = [*recipe.definitions, "", *(() if is_alone else (one.symbol for one in names))]
    places = [recipe.kept / _key(unit, name, words, fingerprint) if recipe.kept else None for name in names]
    drafts = [ProgramKernel(name, unit.name) for name in names]
    taken = [_taken(place, draft) if place else None for place, draft in zip(places, drafts, strict=True)]
    found = tuple(one for one in taken if one is not None)
    if len(found) == len(names):
        return found
    built = _first_that_builds(toolset, unit, names, scratch, recipe.definitions)
    build, left_out = built.build, tuple(built.left_out)

    def refused(refusal: Refusal) -> tuple[ProgramKernel, ...]:
        return (replace(drafts[0], refusal=refusal, left_out=left_out),) if is_alone else ()

    if build.runner is None or build.image is None:
        why = build.refusals[0]
        said = f"{why.message} {why.advice}".strip()
        return refused(Refusal(why.verdict, max(0, why.line), why_not(unit, names[0].shown, built), said))
    made = []
    try:
        for draft, image in zip(drafts, [build.image, *build.images_beside], strict=True):
            described = kernel_description(replace(build, image=image), draft.name)
            if not is_alone:
                described["code"] = names[0].symbol
            made.append(replace(draft, runner=build.runner, image=image, description=described, left_out=left_out))
    except KernelMismatchError as error:
        return refused(Refusal(Verdict.NEEDS_GPU, 0, str(error)))
    for place, one in zip(places, made, strict=True):
        if place is not None:
            _keep(place, one)
    return tuple(made)


def _first_that_builds(
    toolset: Toolset, unit: KernelSource, names: Sequence[KernelName], scratch: Path, definitions: Sequence[str]
) -> BuiltKernel:
    """A header may declare a function of the same name: then only the parameters tell the kernel."""
    scratch.mkdir()
    usual = tuple(buildable_name(name, unit) for name in names)
    exact = tuple(one if "<" in one else name.signature for one, name in zip(usual, names, strict=True))
    tries = []
    for number, (first, *others) in enumerate(dict.fromkeys((usual, exact))):
        folder = scratch / f"work{number}"
        tries.append(build_kernel(toolset, unit, first, folder, definitions=definitions, beside=others))
        if tries[-1].build.runner is not None or any(one.line for one in tries[-1].build.refusals):
            break
    return next((one for one in tries if one.build.runner is not None), tries[0])


def _key(unit: KernelSource, name: KernelName, definitions: Sequence[str], fingerprint: str) -> str:
    digest = hashlib.sha256()
    texts = [*sorted(unit.texts.items()), *sorted(unit.companions.items())]
    for word in (_FORMAT, fingerprint, unit.name, name.symbol, name.signature, *definitions):
        digest.update(word.encode() + b"\0")
    for file, text in texts:
        digest.update(f"{file}\0{len(text)}\0{text}".encode())
    return digest.hexdigest()[:32]


def _taken(place: Path, draft: ProgramKernel) -> ProgramKernel | None:
    try:
        record = json.loads((place / "kernel.json").read_text(encoding="utf-8"))
        os.utime(place)
    except (OSError, ValueError):
        return None
    runner, image = (place / part for part in _PARTS)
    if not (runner.is_file() and image.is_file()):
        return None
    left_out = tuple(record["left_out"])
    return replace(draft, runner=runner, image=image, description=record["description"], left_out=left_out)


def _keep(place: Path, made: ProgramKernel) -> None:
    """Without a word where the folder cannot be written: then it is built again next time. The record comes last."""
    try:
        unfinished = place.with_name(f".{place.name}-{os.getpid()}")
        unfinished.mkdir(parents=True)
        for part, path in zip(_PARTS, (made.runner, made.image), strict=True):
            if path is not None:
                shutil.copy2(path, unfinished / part)
        record = {"description": made.description, "left_out": made.left_out}
        (unfinished / "kernel.json").write_text(json.dumps(record), encoding="utf-8")
        unfinished.rename(place)
    except OSError:
        shutil.rmtree(unfinished, ignore_errors=True)


def _forget_the_oldest(kept: Path) -> None:
    dated = []
    for place in kept.iterdir():
        with suppress(OSError):
            dated.append((place.stat().st_mtime, place))
    for _, place in sorted(dated, reverse=True)[_KEPT:]:
        shutil.rmtree(place, ignore_errors=True)


# Both sides of a program as they are built: the host's, and each kernel that it names. `tilelab run` and grading share it.
#
# The text is treated as hostile: compilers and binutils run confined, and nothing of the program runs here.


@dataclass(frozen=True)
class BuiltProgram:
    toolchain: HostToolchain
    host: HostBuild
    kernels: tuple[ProgramKernel, ...] = ()  # that the host's side names
    unused: tuple[
        ProgramKernel, ...
    ] = ()  # that it does not: without a runner, and with a refusal where one does not compile

    @property
    def names(self) -> dict[str, str]:
        """What people call each kernel, by its symbol."""
        return {one.name.symbol: one.name.shown for one in self.kernels}


def build_program(toolset: Toolset, recipe: ProgramRecipe, scratch: Path, progress: Progress) -> BuiltProgram:
    """Builds in `scratch`, which holds nothing of these names yet. Without `host.program` it could not be built."""
    progress("compiling the host's side")
    chain, host = _built_host(toolset, recipe, scratch)
    if host.program is None:
        return BuiltProgram(chain, host)
    symbols = kernel_symbols(host.program)
    if len(symbols) > recipe.most_kernels:
        many = f"The program has {len(symbols)} kernels, counting each version of a template, and may have {recipe.most_kernels}."
        return BuiltProgram(chain, replace(host, program=None, refusals=(HostRefusal("", 0, many),)))
    texts = demangled(chain, toolset.confinement, symbols, host.program.parent) if symbols else []
    names = [KernelName(symbol, signature_of(text)) for symbol, text in zip(symbols, texts, strict=True)]
    progress(f"compiling {len(names)} kernel{'s' if len(names) != 1 else ''}")
    made = build_kernels(toolset, replace(recipe, source=host.source), names, scratch)
    kernels = tuple(with_read_parameters(one, host.only_read) for one in made)
    named = {base_name(one.shown) for one in names}
    unused = _compiled_alone(toolset, replace(recipe, source=host.source), host.only_read.keys() - named, scratch)
    return BuiltProgram(chain, host, kernels, tuple(unused))


def _compiled_alone(
    toolset: Toolset, recipe: ProgramRecipe, names: AbstractSet[str], scratch: Path
) -> Iterator[ProgramKernel]:
    """Kernels that no launch names. nvcc compiles them as well; of a template it needs a launch, as here."""
    fingerprint = toolset.fingerprint() if names and recipe.kept else ""
    known = {one.kernel for unit in recipe.source.units for one, _ in unit.items() if "template" not in one.words}
    yield from (ProgramKernel(KernelName(one, one), recipe.source.main.name) for one in sorted(names - known))
    for number, unit in enumerate(recipe.source.units):
        all_own = (KernelName(one, one) for one in sorted(names & known))
        own = [one for one in all_own if unit_of(one, recipe.source.units) is unit]
        words = [*recipe.definitions, "", *(one.symbol for one in own)]
        kept = recipe.kept / _key(unit, own[0], words, fingerprint) if own and recipe.kept else None
        works = kept is not None and kept.is_dir()
        if own and not works:
            first, *beside = (one.symbol for one in own)
            folder = scratch / f"unused{number}"
            built = build_kernel(toolset, unit, first, folder, definitions=recipe.definitions, beside=beside).build
            works = built.runner is not None
            if works and kept:
                with suppress(OSError):
                    kept.mkdir(parents=True)
        for one in own:
            alone = None if works else build_kernel(toolset, unit, one.symbol, folder, definitions=recipe.definitions)
            refusal = alone.build.refusals[0] if alone and alone.build.runner is None else None
            yield ProgramKernel(one, unit.name, refusal=refusal)


def _built_host(toolset: Toolset, recipe: ProgramRecipe, scratch: Path) -> tuple[HostToolchain, HostBuild]:
    """By the first standard of C++ that takes the program. If none does, what is told comes from the one with the fewest errors."""
    tries: list[tuple[HostToolchain, HostBuild]] = []
    for standard in STANDARDS:
        chain = host_toolchain(toolset, standard)
        folder = scratch / f"host-{standard}"
        folder.mkdir()
        host = build_host(chain, toolset.confinement, recipe.source, folder, recipe.definitions, recipe.frame)
        tries.append((chain, host))
        if host.program is not None:
            return tries[-1]
        if not _errors(host):
            break
    return min(tries, key=lambda one: _errors(one[1]))


def _errors(host: HostBuild) -> int:
    """Those of the compiler, and not a limit, the linker or a refusal of ours."""
    return host.log.count(": error: ")
