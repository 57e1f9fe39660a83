"""Writes image.json: what a runner has to know about the submission that is linked into it. kit/runner/submission/image.cpp reads it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import islice

from grader.engines.build_steps import WHEN_COMPILED, BuildSteps, image_beside
from grader.engines.device_functions import ALLOCATING, DEVICE_PREFIX, REDIRECTIONS
from grader.engines.entry_points import (
    EntryPoints,
    EntrySignatures,
    function_at,
    function_of,
    is_of_use,
    not_global,
    readable_name,
    wrong_signatures,
)
from grader.engines.local_arrays import Spans, at_run_time
from grader.engines.misplaced_code import Program
from grader.engines.objects.debug_info import (
    GUARD,
    DebugInfo,
    Frame,
    Function,
    SharedArray,
    StaticVariable,
    Zone,
    read_debug_info,
)
from grader.engines.objects.symbol_table import ObjectFile, Symbol
from grader.engines.proof.barrier_paths import barrier_paths, loops_in
from grader.engines.proof.object_proof import Checked
from grader.engines.refusal import Refusal, rejected
from grader.engines.token_scan import code_tokens, tokens_of
from grader.model.verdicts import Verdict

_LAUNCHING = f"{DEVICE_PREFIX}12__child_grid"  # the kit's function that launches a grid
MAX_LINES = 200_000
MAX_LOOPS = 10_000
MAX_GUARDS = 1_000
MAX_FRAMES = 1_000


@dataclass(frozen=True)
class CompiledObject:
    object: ObjectFile
    found: EntryPoints
    preprocessed: str
    assembly: str
    proved: Checked
    entered: frozenset[str]  # symbols of functions that were proved from their beginning on, and may be called first
    rooms: dict[str, int]  # of the variables, bytes from the first one on that nothing else is in
    passed: tuple[tuple[str, str], ...]  # names and symbols of functions whose addresses the caller passes

    def static_shared_bytes(self, kernels: Sequence[Symbol]) -> int:
        """The size of all static arrays that a kernel reaches. A template has one for each instantiation."""
        arrays = (one for one in self.object.reached(kernels) if one.kind == "STT_TLS" and not one.undefined)
        return sum(one.size for one in arrays if not one.name.startswith(GUARD))


def beyond_proof() -> Refusal:
    what = "The CPU executor cannot follow every access that the compiler made of this file"
    return Refusal(Verdict.NEEDS_GPU, 0, f"{what}: it has to be graded on a GPU.")


def shared_assembly(dynamic_symbols: list[str], dynamic_bytes: int = 227 * 1024, padding_bytes: int = 64 * 1024) -> str:
    """One block of thread-local memory, which all `extern __shared__` arrays share: as much as any block may ask for. It has padding at its
    end, so that an access a little past the end hits nothing else. The thread control block comes after the padding.
    """
    labels = "".join(
        f".globl {label}\n.type {label}, %tls_object\n.size {label}, {dynamic_bytes}\n{label}:\n"
        for label in ("tilelab_dynamic_shared", *dynamic_symbols)
    )
    return (
        f'.section .tbss,"awT",%nobits\n.balign 256\n{labels}.zero {dynamic_bytes + padding_bytes}\n'
        '.section .note.GNU-stack,"",%progbits\n'
    )


def dynamic_arrays(obj: ObjectFile) -> list[str]:
    """The `extern __shared__` arrays. Nothing defines them yet."""
    undefined = {s.name for s in obj.symbols if s.kind == "STT_TLS" and s.undefined}
    return sorted(name for name in undefined if re.fullmatch(r"[A-Za-z_]\w*", name))


def misplaced(
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
    if refusal is None:
        return None
    # nvcc's host compiler may have seen other code than what stands here for a launch function.
    verdict = Verdict.NEEDS_GPU if launches and "__CUDA_ARCH__" in text else refusal.verdict
    return replace(refusal, verdict=verdict, columns=_named_columns(refusal, text))


def _named_columns(refusal: Refusal, text: str) -> tuple[int, int] | None:
    """Where the line has the name that the message begins with."""
    name = re.match(r"`(?:\w+::)*(\w+)`", refusal.message)
    line = next(islice(text.split("\n"), refusal.line - 1, None), "") if refusal.line > 0 else ""
    found = re.search(rf"(?<!\w){name[1]}(?!\w)", line) if name else None
    return found.span() if found else None


def _variables(info: DebugInfo, compiled: CompiledObject) -> list[dict[str, object]]:
    """Those of the symbol table, which knows all of them and their sizes. The debug information knows most of their names and types."""
    data = (one for one in compiled.object.symbols if one.kind == "STT_OBJECT" and one.in_section)
    spaces = {one.name: compiled.object.space_of(one) for one in data}
    described = {variable.address: variable for variable in info.variables if variable.bytes}
    found = []
    for symbol in info.data:
        if not symbol.size or is_of_use(symbol.name):
            continue
        known = described.get(symbol.value)
        unknown = StaticVariable(readable_name(symbol.name), symbol.value, symbol.size, "byte", 1, ())
        fields = asdict(known or unknown) | {"bytes": symbol.size}
        space = spaces.get(symbol.name)
        fields |= {
            "symbol": symbol.name,
            "on_device": space is not None and (space.on_device or space.is_constant),
            "room": compiled.rooms.get(symbol.name, symbol.size),
            "read_only": space is not None and space.is_constant,
        }
        found.append(fields)
    return found


def _frames(frames: Sequence[Frame], varied: Spans, *, jumps: bool) -> list[dict[str, object]]:
    described = (_frame(one, varied, jumps=jumps) for one in frames)
    return [one for one in described if one["zones"] or one["unset"] or one["memory"]][:MAX_FRAMES]


def _at_run_time(steps: BuildSteps, frames: Sequence[Frame]) -> Spans:
    """Names of the local arrays with subscripts that only a run tells. Most files have no local arrays. Clang's dump says too little."""
    if steps.toolchain.is_clang or not any(frame.large for frame in frames):
        return {}
    return at_run_time(steps.text(steps.toolchain.dump, WHEN_COMPILED), steps.name)


def _frame(frame: Frame, varied: Spans, *, jumps: bool) -> dict[str, object]:
    """Its guards and the variables next to them, by their places in a list; -1: nobody's."""
    zones = frame.zones()
    around = list(dict.fromkeys(one for zone in zones for one in (zone.below, zone.above) if one))

    def described(zone: Zone) -> list[int]:
        return [zone.begin, zone.end, *(around.index(one) if one else -1 for one in (zone.below, zone.above))]

    return {
        "first": frame.first,
        "end": frame.end,
        "zones": [described(zone) for zone in zones],
        "variables": [
            {"name": one.name, "begin": one.begin, "bytes": one.bytes, "element": one.kind.name}
            | {"element_bytes": max(1, one.kind.bytes), "dimensions": one.kind.dimensions}
            for one in around
        ],
        "unset": frame.extents() if jumps else [],
        "memory": [(local.begin, local.end) for local in frame.in_memory(varied)],
    }


# Links a submission's object file to a runner, and writes beside it what the runner has to know about it.

_MOST_CHARACTERS = 32 << 10  # of one command; a shell takes 128 KiB for all of them
_JUMP = re.compile(r"\b(?:goto|switch)\b")


def link(steps: BuildSteps, compiled: CompiledObject) -> None:
    """Raises BuildFaultError: what was checked before can be linked."""
    found, sections = compiled.found, [one.name for one in compiled.object.sections]
    (steps.folder / "shared.s").write_text(shared_assembly(dynamic_arrays(compiled.object)), encoding="utf-8")
    roots = [symbol.name for symbol in found.all]
    hidden = [symbol.name for symbol in found.all if not symbol.is_global]
    objcopy = steps.toolchain.objcopy
    # objcopy cannot make static entry points visible in the same run.
    commands = [[objcopy, *(f"--globalize-symbol={one}" for one in hidden), "submission.o"]] if hidden else []
    commands.append(rewrite_arguments(objcopy, sections, roots, "submission.o"))
    commands.append(steps.toolchain.link(["submission.o", "shared.s"], roots, "runner"))
    if not steps.run(*(_shortened(steps, number, command) for number, command in enumerate(commands))):
        steps.break_off("the linker")


def _shortened(steps: BuildSteps, number: int, command: list[str]) -> list[str]:
    """The command, or where it is too long for a command line, as a file may have thousands of sections, one that reads its arguments from
    a file, as binutils do.
    """
    if sum(map(len, command)) < _MOST_CHARACTERS:
        return command
    words = (re.sub(r"([\s\\'\"])", r"\\\1", word) + "\n" for word in command[1:])
    (steps.folder / f"arguments.{number}").write_text("".join(words), encoding="utf-8")
    return [command[0], f"@arguments.{number}"]


def described(steps: BuildSteps, text: str, entries: EntrySignatures, compiled: CompiledObject) -> tuple[Refusal, ...]:
    """Writes image.json, or says why not."""
    info = read_debug_info(steps.folder / "runner", steps.name, headers=steps.headers)
    kernel, launch = function_of(info.functions, entries.kernel), function_of(info.functions, entries.launch)
    if entries.by_name:
        kernel = function_at(info.functions, info.addresses.get(compiled.found.kernels[0].name, 0))
    if kernel is None or (entries.launch and launch is None):
        return wrong_signatures(info.functions, entries, text)
    proved = {info.addresses.get(name) for name in compiled.entered}
    if kernel.first not in proved or (launch and launch.first not in proved):
        return (beyond_proof(),)
    if refusal := misplaced(steps, text, compiled, info, (kernel, launch), entries):
        return (refusal,)
    known = {array.symbol for array in info.shared}
    offset = info.offsets["tilelab_dynamic_shared"]
    for array in info.shared:
        if not array.dynamic and array.element.endswith(" const"):  # GCC does not announce reads of it
            what = f"`{array.name}` is __shared__ and const: no thread could ever write to it"
            return (rejected(0, what, "Remove the const."),)
    more = [name for name in dynamic_arrays(compiled.object) if name not in known]
    info.shared.extend(SharedArray(name, name, offset, 0, "float", 4, (), dynamic=True) for name in more)
    loops = loops_in(compiled.object, info.addresses)
    barriers = barrier_paths(compiled.object, info.addresses, loops)
    varied = _at_run_time(steps, info.frames)
    in_memory = {(one.name, one.line) for frame in info.frames for one in frame.in_memory(varied)}
    jumps = _JUMP.search(steps.authors_text()) is not None  # that may skip a declaration
    outside = {one.name for one in compiled.object.symbols if one.undefined}
    own_subscripts = subscripts(steps.toolchain.after_prelude(compiled.preprocessed, steps.name), steps.name)
    dynamic = {one.name for one in info.shared if one.dynamic}
    with_dynamic = {line for line, _, name, _ in own_subscripts if name in dynamic} if len(dynamic) > 1 else set[int]()
    image = {
        "files": info.files,
        "subscripts": own_subscripts,
        "columns": [[at, info.columns[at]] for at, line, _ in info.lines[:MAX_LINES] if line in with_dynamic],
        "block_syncs": _lines_that_call("__syncthreads", text),
        "warp_syncs": _lines_that_call("__syncwarp", text),
        "lines": info.lines[:MAX_LINES],
        "functions": [[f.first, f.end, f.name] for f in info.functions],
        "header_code": sorted([f.first, f.end] for f in info.functions if not f.in_submission),
        "loops": loops[:MAX_LOOPS],
        "barrier_calls": barriers.calls,
        "returns": barriers.returns,
        "shared": [{key: value for key, value in asdict(array).items() if key != "symbol"} for array in info.shared],
        "guards": info.guards[:MAX_GUARDS],
        "frames": _frames(info.frames, varied, jumps=jumps),
        "local_arrays": sorted(in_memory, key=lambda one: one[::-1])[:MAX_FRAMES],
        "variables": _variables(info, compiled),
        "dynamic_offset": offset,
        "targets": sorted(info.addresses[name] for name in compiled.proved.report.targets),
        "library_targets": compiled.proved.report.library_targets,
        "passed": {name: info.addresses[symbol] for name, symbol in compiled.passed},
        "launches_children": any(name.startswith(_LAUNCHING) for name in outside),
        "allocates": not ALLOCATING.isdisjoint(outside),
    }
    chosen = (*compiled.found.kernels, *compiled.found.launches)
    own = _of_kernel(compiled, compiled.found.kernels, chosen, (kernel, launch))
    (steps.folder / "image.json").write_text(json.dumps(image | own), encoding="utf-8")
    for number, symbol in enumerate(compiled.found.beside):
        other = function_at(info.functions, info.addresses.get(symbol.name, 0))
        if other is None or other.first not in proved:
            return (beyond_proof(),)
        own = _of_kernel(compiled, [symbol], [symbol], (other, None))
        (steps.folder / image_beside(number)).write_text(json.dumps(image | own), encoding="utf-8")
    return ()


def subscripts(preprocessed: str, file_name: str) -> list[tuple[int, int, str, list[int]]]:
    """Each array with subscripts of the submission: its line, where its name begins, the name, and where its brackets close. Columns of the
    text that is compiled, from 1 on, in bytes: so compilers count them.
    """
    tokens = code_tokens(preprocessed, file_name)
    columns, column, done = list[int](), 1, 0
    for token in tokens:
        *_, before = lines = preprocessed[done : token.start].split("\n")
        column = len(before.encode()) + (column if len(lines) == 1 else 1)
        columns.append(column)
        done = token.start
    found: dict[int, tuple[int, int, str, list[int]]] = {}  # by the last bracket so far
    for at, token in enumerate(tokens):
        opening = tokens.opening(at) if token.text == "]" and token.line else None
        if not opening:
            continue
        array = tokens[opening - 1]
        row = found.pop(opening - 1, None) if array.text == "]" else None
        if array.kind == "word":
            row = (array.line, columns[opening - 1], array.text, [])
        if row and row[0] == token.line:
            row[-1].append(columns[at])
            found[at] = row
    return list(found.values())


def _lines_that_call(name: str, text: str) -> list[int]:
    code = (re.split(r"//|/\*", line, maxsplit=1)[0] for line in text.split("\n"))
    return [number for number, line in enumerate(code, 1) if name in line]


def _of_kernel(
    compiled: CompiledObject,
    kernels: Sequence[Symbol],
    called: Sequence[Symbol],
    entries: tuple[Function, Function | None],
) -> dict[str, int]:
    """What differs from kernel to kernel of a file. `called`: symbols that the kit may call for it. `entries`: the kernel and the launch
    function; none where the caller chooses grid and block itself.
    """
    kernel, launch = entries
    return {
        "static_shared_bytes": compiled.static_shared_bytes(kernels),
        "argument_bytes": max(compiled.proved.report.argument_bytes.get(one.name, 0) for one in called),
        "kernel": kernel.first,
        "launch": launch.first if launch else 0,
    }


# The changes that objcopy makes to a submission's object file before it is linked.

# These sections hold all data of a submission. The runner gets their bounds from the linker.
ALIGNMENT = 256  # alignment of each __device__ variable, like CUDA's; the compiler's alignment would change the number of sectors
_OWN = re.compile(r"\.(bss|data)\.\w")
_DATA_SECTIONS = ((".rodata", "tlrodata"), (".data", "tldata"), (".bss", "tlbss"))


def rewrite_arguments(objcopy: str, sections: Iterable[str], entry_points: Iterable[str], file_name: str) -> list[str]:
    """Hides all symbols except the entry points, so that a submission cannot replace a function of the kit. Removes constructors. Redirects
    copies that announce nothing to our functions. Moves data to sections whose bounds the linker knows.
    """
    argv = [objcopy, "--remove-section=.init_array*", "--remove-section=.rela.init_array*"]
    argv += [f"--redefine-sym={name}={replacement}" for name, replacement in REDIRECTIONS.items()]
    for section in sorted(set(sections)):
        for prefix, target in _DATA_SECTIONS:
            if section == prefix or section.startswith(prefix + "."):
                argv.append(f"--rename-section={section}={target}")
                if _OWN.match(section):
                    argv.append(f"--set-section-alignment={section}={ALIGNMENT}")
    argv += [f"--keep-global-symbol={name}" for name in entry_points]
    return [*argv, file_name]
