"""A submission's object file once its checks are passed, with what the linked program does not contain."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from grader.engines.checks.entry_points import EntryPoints, EntrySignatures, not_global
from grader.engines.checks.misplaced_code import Program
from grader.engines.checks.token_stream import tokens_of
from grader.engines.cpu.build_steps import BuildSteps
from grader.engines.device_functions import ALLOCATING, DEVICE_PREFIX
from grader.engines.object_code.debug_info import GUARD, DebugInfo, Function
from grader.engines.object_code.object_file import ObjectFile
from grader.engines.object_code.symbol_table import Symbol
from grader.engines.refusal import Refusal
from grader.model.verdicts import Verdict

LAUNCHING = f"{DEVICE_PREFIX}12__child_grid"  # the kit's function that launches a grid


@dataclass(frozen=True)
class CompiledObject:
    object: ObjectFile
    found: EntryPoints
    preprocessed: str
    assembly: str
    entered: frozenset[str]  # symbols of functions that were proved from their beginning on, and may be called first
    rooms: dict[str, int]  # of the variables: see guard_space.py
    argument_bytes: Mapping[str, int]  # on the stack that a function uses which may be called first
    targets: tuple[str, ...]  # symbols of the functions that calls through pointers may go to
    library_targets: tuple[str, ...]  # the same, of the C library
    passed: tuple[tuple[str, str], ...]  # names and symbols of functions whose addresses the caller passes

    def static_shared_bytes(self, kernels: Sequence[Symbol]) -> int:
        """The size of all static arrays that a kernel reaches. A template has one for each instantiation."""
        reached = [self.object.symbols[index] for index in self.object.reached(kernels)]
        arrays = [symbol for symbol in reached if symbol.kind == "STT_TLS" and not symbol.undefined]
        return sum(symbol.size for symbol in arrays if not symbol.name.startswith(GUARD))

    @property
    def launches_children(self) -> bool:
        return any(one.undefined and one.name.startswith(LAUNCHING) for one in self.object.symbols)

    @property
    def allocates(self) -> bool:
        """A kernel uses malloc, new, free or delete."""
        return any(one.undefined and one.name in ALLOCATING for one in self.object.symbols)

    @property
    def on_device(self) -> frozenset[str]:
        """The __device__, __constant__ and __managed__ variables."""
        data = (one for one in self.object.symbols if one.kind == "STT_OBJECT" and one.in_section)
        spaces = ((one.name, self.object.space_of(one)) for one in data)
        return frozenset(name for name, space in spaces if space.on_device or space.is_constant)

    @property
    def constants(self) -> frozenset[str]:
        """The __constant__ variables."""
        data = (one for one in self.object.symbols if one.kind == "STT_OBJECT" and one.in_section)
        return frozenset(one.name for one in data if self.object.space_of(one).is_constant)


def dynamic_arrays(obj: ObjectFile) -> list[str]:
    """The `extern __shared__` arrays. Nothing defines them yet."""
    undefined = {s.name for s in obj.symbols if s.kind == "STT_TLS" and s.undefined}
    return sorted(name for name in undefined if re.fullmatch(r"[A-Za-z_]\w*", name))


def misplaced(  # noqa: PLR0913, PLR0917 - the file in all its forms
    steps: BuildSteps,
    text: str,
    compiled: CompiledObject,
    info: DebugInfo,
    chosen: tuple[Function, Function | None],
    entries: EntrySignatures,
) -> Refusal | None:
    """Why the kernel is no kernel, or what is on the wrong side. `chosen`: the kernel and the launch function that the lab asks for."""
    kernel, launch = chosen
    kernels = [one for one in compiled.found.kernels if info.addresses.get(one.name) == kernel.first]
    if not any(compiled.object.space_of(one).is_kernel for one in kernels):
        return not_global(entries, text)
    kernels += [one for one in compiled.found.beside if compiled.object.space_of(one).is_kernel]
    launches = [one for one in compiled.found.launches if launch and info.addresses.get(one.name) == launch.first]
    submitted = steps.toolchain.after_prelude(compiled.preprocessed, steps.name)

    def words() -> list[str]:
        tokens = tokens_of(submitted, steps.name, str(steps.folder))
        return [token.text for token in tokens if token.kind in {"word", "sign"}]

    refusal = Program(compiled.object, info, compiled.assembly, steps.name, words).misplaced(kernels, launches)
    # nvcc's host compiler may have seen other code than what stands here for a launch function.
    asks = refusal and launches and "__CUDA_ARCH__" in text
    if refusal is None:
        return None
    return replace(
        refusal, verdict=Verdict.NEEDS_GPU if asks else refusal.verdict, columns=_named_columns(refusal, text)
    )


def _named_columns(refusal: Refusal, text: str) -> tuple[int, int] | None:
    """Where the line has the name that the message begins with."""
    name = re.match(r"`(?:\w+::)*(\w+)`", refusal.message)
    lines = text.split("\n")
    if name is None or not 0 < refusal.line <= len(lines):
        return None
    found = re.search(rf"(?<!\w){name[1]}(?!\w)", lines[refusal.line - 1])
    return found.span() if found else None
