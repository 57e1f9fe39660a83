"""Links a submission's object file to a runner, and writes beside it what the runner has to know about it."""

from __future__ import annotations

import re
from dataclasses import replace

from grader.engines.announcements.barrier_paths import barrier_paths
from grader.engines.checks.entry_points import EntrySignatures, function_at, function_of, wrong_signatures
from grader.engines.cpu.announced_object import beyond_proof
from grader.engines.cpu.build_steps import BuildSteps
from grader.engines.cpu.compiled_object import CompiledObject, dynamic_arrays, misplaced
from grader.engines.cpu.object_rewrite import argument_file, globalize_arguments, rewrite_arguments
from grader.engines.cpu.runner_image import CodeLayout, Variables, shared_assembly, write_image
from grader.engines.machine_model.code_object import read_code
from grader.engines.object_code.code_loops import loop_addresses
from grader.engines.object_code.debug_info import SharedArray, read_debug_info
from grader.engines.refusal import Refusal
from grader.model.verdicts import Verdict

_MOST_CHARACTERS = 32 << 10  # of one command; a shell takes 128 KiB for all of them
_JUMP = re.compile(r"\b(?:goto|switch)\b")


def link(steps: BuildSteps, compiled: CompiledObject) -> None:
    """Raises BuildFaultError: what was checked before can be linked."""
    found, sections = compiled.found, compiled.object.sections
    (steps.folder / "shared.s").write_text(shared_assembly(dynamic_arrays(compiled.object)), encoding="utf-8")
    roots = [symbol.name for symbol in found.all]
    hidden = [symbol.name for symbol in found.all if not symbol.is_global]
    objcopy = steps.toolchain.objcopy
    commands = [globalize_arguments(objcopy, hidden, "submission.o")] if hidden else []
    commands.append(rewrite_arguments(objcopy, sections, roots, "submission.o"))
    commands.append(steps.toolchain.link(["submission.o", "shared.s"], roots, "runner"))
    if not steps.run(*(_shortened(steps, number, command) for number, command in enumerate(commands))):
        steps.break_off("the linker")


def _shortened(steps: BuildSteps, number: int, command: list[str]) -> list[str]:
    """The command, or where it is too long for a command line, one that reads its arguments from a file."""
    if sum(map(len, command)) < _MOST_CHARACTERS:
        return command
    name = f"arguments.{number}"
    (steps.folder / name).write_text(argument_file(command), encoding="utf-8")
    return [command[0], f"@{name}"]


def described(steps: BuildSteps, text: str, entries: EntrySignatures, compiled: CompiledObject) -> tuple[Refusal, ...]:
    """Writes image.json, or says why not."""
    block_offsets = compiled.object.block_offsets
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
    constant = next(
        (array.name for array in info.shared if not array.dynamic and array.element.endswith(" const")), None
    )
    if constant:  # GCC does not announce reads of it
        message = f"`{constant}` is __shared__ and const: no thread could ever write to it."
        return (Refusal(Verdict.REJECTED, 0, message, "Remove the const."),)
    info.shared.extend(
        SharedArray(name, name, offset, 0, "float", 4, (), dynamic=True)
        for name in dynamic_arrays(compiled.object)
        if name not in known
    )
    passed = {name: info.addresses[symbol] for name, symbol in compiled.passed}
    targets = sorted(info.addresses[name] for name in compiled.targets)
    loops = loop_addresses(compiled.assembly, block_offsets, info.addresses)
    reached = {symbol.name for symbol in compiled.object.symbols if symbol.kind == "STT_FUNC"}
    barriers = barrier_paths(read_code(steps.folder / "submission.o"), info.addresses, loops, reached)
    chosen = (*compiled.found.kernels, *compiled.found.launches)
    layout = CodeLayout(
        offset,
        compiled.static_shared_bytes(compiled.found.kernels),
        loops,
        max(compiled.argument_bytes.get(one.name, 0) for one in chosen),
        targets,
        barriers,
        passed,
        Variables(compiled.rooms, compiled.constants, compiled.on_device),
        compiled.launches_children,
        compiled.allocates,
        compiled.library_targets,
        jumps=_JUMP.search(steps.authors_text()) is not None,
    )
    write_image(steps.folder / "image.json", info, source=text, entries=(kernel, launch), layout=layout)
    for number, symbol in enumerate(compiled.found.beside):
        other = function_at(info.functions, info.addresses.get(symbol.name, 0))
        if other is None or other.first not in proved:
            return (beyond_proof(),)
        own = replace(
            layout,
            static_shared_bytes=compiled.static_shared_bytes([symbol]),
            argument_bytes=compiled.argument_bytes.get(symbol.name, 0),
        )
        write_image(steps.folder / image_beside(number), info, source=text, entries=(other, None), layout=own)
    return ()


def image_beside(number: int) -> str:
    """The name of the file for one of `EntrySignatures.beside`, by its place there."""
    return f"image{number}.json"
