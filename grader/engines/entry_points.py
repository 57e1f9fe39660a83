"""The kernel and the launch function a lab asks for: found in the object file, or said to be missing and why."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from grader.engines.debug_info import Function
from grader.engines.object_file import ObjectFile
from grader.engines.refusal import Refusal
from grader.engines.symbol_table import Symbol
from grader.result import Verdict

_KEEP = "Keep the name and the parameters of the starter file."


@dataclass(frozen=True)
class EntrySignatures:
    """Demangled: "scale(float const*, float*, int)". No launch: the caller names the grid."""

    kernel: str
    launch: str | None = None


@dataclass(frozen=True)
class EntryPoints:
    kernels: tuple[Symbol, ...]  # every function of the kernel's name, whatever its parameters
    launches: tuple[Symbol, ...]

    @property
    def all(self) -> list[Symbol]:
        return [*self.kernels, *self.launches]


def entry_points(obj: ObjectFile, entries: EntrySignatures) -> EntryPoints:
    launches = functions_named(obj, name_of(entries.launch)) if entries.launch else ()
    return EntryPoints(functions_named(obj, name_of(entries.kernel)), launches)


def functions_named(obj: ObjectFile, name: str) -> tuple[Symbol, ...]:
    """Every defined function `name` in the global namespace, C or C++, static or not."""
    mangled = rf"_ZL?{len(name)}{re.escape(name)}(?![0-9A-Za-z_]*E$)[A-Za-z0-9_]*"
    pattern = re.compile(rf"{mangled}|{re.escape(name)}")
    return tuple(s for s in obj.symbols if s.kind == "STT_FUNC" and not s.undefined and pattern.fullmatch(s.name))


def name_of(signature: str) -> str:
    return signature.partition("(")[0]


def missing_names(found: EntryPoints, entries: EntrySignatures, source: str) -> tuple[Refusal, ...]:
    missing = []
    if not found.kernels:
        missing.append(_missing(f"There is no kernel `__global__ void {_in_c(entries.kernel)}`.", _KEEP))
    elif "__global__" not in source:
        text = f"`{name_of(entries.kernel)}` is not a kernel: it lacks `__global__`."
        missing.append(_missing(text, "Put __global__ before it, as in the starter file."))
    if entries.launch and not found.launches:
        text = f"There is no launch function `LaunchConfig {_in_c(entries.launch)}`."
        missing.append(_missing(text, "It answers the grid and the block your kernel wants."))
    return tuple(missing)


def wrong_signatures(functions: Iterable[Function], entries: EntrySignatures) -> tuple[Refusal, ...]:
    """For each entry point that exists under its name only."""
    known, refusals = list(functions), []
    for signature in (entries.kernel, entries.launch):
        if not signature or function_of(known, signature):
            continue
        name = name_of(signature)
        others = "`, `".join(_in_c(f.signature) for f in known if f.name == name) or "none"
        what = f"`{name}` has other parameters than the lab asks for: expected `{_in_c(signature)}`, found `{others}`."
        refusals.append(_missing(what, _KEEP))
    return tuple(refusals)


def function_of(functions: Iterable[Function], signature: str | None) -> Function | None:
    return next((f for f in functions if f.signature == signature and f.in_submission), None)


def _missing(message: str, advice: str) -> Refusal:
    return Refusal(Verdict.MISSING_ENTRY_POINT, 0, message, advice)


def _in_c(signature: str) -> str:
    """Turns "f(float const*)" into "f(const float*)", as people write it."""
    return re.sub(r"((?:unsigned |signed |long )*\w+) const\b", r"const \1", signature)
