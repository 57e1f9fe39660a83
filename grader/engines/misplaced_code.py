"""Finds host code in a kernel and device code in a launch function, as nvcc does: calls of functions and uses of variables that are on
the other side. The judgement is the same whether nvcc is there or not.

What the kernel or the launch function reaches is read from the object file, and on which side something is from the marks that its
declaration left there. The text is asked only what no mark can say: whether a function is constexpr or an explicit specialisation.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from grader.engines.device_functions import DEVICE_PREFIX
from grader.engines.entry_points import STANDARD, readable_name
from grader.engines.objects.assembly import first_line_naming
from grader.engines.objects.debug_info import DebugInfo, Function
from grader.engines.objects.symbol_table import ObjectFile, Symbol
from grader.engines.proof.memory_rules import BUILT_IN_VARIABLES
from grader.engines.refusal import Refusal
from grader.model.verdicts import Verdict

_NO_LINE = 1 << 30  # sorts after every line
# Names of CUDA with which a host function may work, too. All others that begin with two underscores are for kernels alone.
_ALSO_ON_HOST = re.compile(r"__\w*half\w*|__h\w+|__nv_\w+")
_OF_DEVICE = re.compile(r"__\w+|atomic\w+|fast_\w+")
# Local statics, guards, temporaries, tables of classes, constants.
_OF_THE_COMPILER = re.compile(r"_ZZ|_ZGV|_ZGR|_ZT|\.")
_CALL_OPERATOR = re.compile(r"operator\(\)(?:<.*>)?$")
_LAMBDA = re.compile(r"Ul.*E\d*_|\$_")
_NAME_IN_KIT = re.compile(rf"{DEVICE_PREFIX}(?:\d+cuda_fp16_on_cpu)?(\d+)(\w+)")
_KINDS = frozenset({"STT_FUNC", "STT_OBJECT", "STT_TLS"})
_ENDS = frozenset(";{}")


@dataclass(frozen=True)
class Program:
    """One submission, compiled and linked."""

    object: ObjectFile
    info: DebugInfo
    assembly: str
    file_name: str
    words: Callable[[], Sequence[str]]  # the words and signs of its preprocessed text

    def misplaced(self, kernels: Iterable[Symbol], launches: Iterable[Symbol]) -> Refusal | None:
        """The first use of what is on the other side, by line."""
        found = [*self._told(kernels, self._in_kernel), *self._told(launches, self._in_launch)]
        return min(found, key=lambda one: one.line or _NO_LINE, default=None)

    def _told(self, roots: Iterable[Symbol], judge: Callable[[Symbol], tuple[str, str] | None]) -> Iterator[Refusal]:
        roots = list(roots)
        sections = self.object.reached_sections(root.section for root in roots if root.in_section)
        functions, named = self.object.functions_in(sections), set(self.object.reached(roots))
        # What is static is named by its section.
        inside = (one for one in self.object.symbols if one.in_section and one.section in sections)
        for symbol in sorted(named.union(one for one in inside if one.kind in _KINDS), key=lambda one: one.name):
            if told := judge(symbol):
                line = first_line_naming(self.assembly, self.file_name, functions, symbol.name)
                yield Refusal(Verdict.COMPILE_ERROR, line, *told)

    def _in_kernel(self, symbol: Symbol) -> tuple[str, str] | None:
        """What is wrong with a symbol there, and what to do."""
        if not symbol.in_section or self.object.space_of(symbol).on_device:
            return None
        name = self._name(symbol)
        if symbol.kind == "STT_FUNC" and self._is_host_function(symbol):
            what = f"`{name}` is a host function: a kernel cannot call it."
            return what, "Put __device__ before its declaration."
        if symbol.kind == "STT_OBJECT" and self._is_host_variable(symbol):
            advice = "Pass its value as a parameter, or make it a __constant__ or __device__ variable."
            return f"`{name}` is a variable of the host: a kernel cannot use it.", advice
        return None

    def _in_launch(self, symbol: Symbol) -> tuple[str, str] | None:
        name, on_host = self._name(symbol), "the launch function runs on the host"
        only = "The launch function only chooses the grid and the block."
        if symbol.name in BUILT_IN_VARIABLES:
            advice = (
                "Give the size a name of your own (constexpr int TILE = 16;) and use that for the grid and the block."
            )
            return f"`{name}` has a value in a kernel only: {on_host}, before there is any block.", advice
        if device_function := self._device_function(symbol):
            return f"`{device_function}` is for kernels only: {on_host} and cannot call it.", only
        if qualifier := self._device_variable(symbol):
            return f"`{name}` is a {qualifier} variable: {on_host} and cannot use it.", only
        return None

    def _is_host_function(self, symbol: Symbol) -> bool:
        function = self._function(symbol)
        if function is None or not function.in_submission or function.is_implicit or STANDARD.match(symbol.name):
            return False
        is_lambda = _CALL_OPERATOR.search(function.name) and _LAMBDA.search(symbol.name)
        return not is_lambda and not self._is_also_for_device(function)

    def _name(self, symbol: Symbol) -> str:
        function = self._function(symbol)
        return function.name if function else last_name(symbol.name)

    def _function(self, symbol: Symbol) -> Function | None:
        address = self.info.addresses.get(symbol.name, 0)
        return next((one for one in self.info.functions if one.first == address and address), None)

    def _is_also_for_device(self, function: Function) -> bool:
        """As nvcc takes constexpr and defaulted functions, and explicit specialisations of what is declared elsewhere."""
        return any(
            {"constexpr", "consteval", "template<>", "default"} & set(words)
            for words in declarations(self.words(), function.name.rpartition("::")[2])
        )

    def _is_host_variable(self, symbol: Symbol) -> bool:
        """A constant that is no array may be used: its value is known."""
        if _OF_THE_COMPILER.match(symbol.name) or STANDARD.match(symbol.name) or symbol.name.startswith(DEVICE_PREFIX):
            return False
        if not self.object.sections[symbol.section].name.startswith(".rodata"):
            return True
        places = {one.value for one in self.info.data if one.name == symbol.name}
        return any(one.address in places and one.dimensions for one in self.info.variables)

    def _device_function(self, symbol: Symbol) -> str:
        """The name of a function that only a kernel can call; empty for others."""
        if symbol.in_section and symbol.kind == "STT_FUNC" and not symbol.name.startswith(DEVICE_PREFIX):
            space, function = self.object.space_of(symbol), self._function(symbol)
            alone = not space.on_host and not space.is_kernel and function is not None and function.in_submission
            return self._name(symbol) if alone and function and not self._is_also_for_device(function) else ""
        kit = _NAME_IN_KIT.match(symbol.name)
        name = kit[2][: int(kit[1])] if kit else ""
        if not _OF_DEVICE.fullmatch(name) or _ALSO_ON_HOST.fullmatch(name):
            return ""
        return name.replace("fast_", "__", 1) if name.startswith("fast_") else name

    def _device_variable(self, symbol: Symbol) -> str:
        """Its qualifier; empty for others."""
        if symbol.kind == "STT_TLS" and not symbol.name.startswith("_ZGV"):
            return "__shared__"
        if symbol.kind != "STT_OBJECT" or not symbol.in_section or _OF_THE_COMPILER.match(symbol.name):
            return ""
        space = self.object.space_of(symbol)
        return "__constant__" if space.is_constant else "__device__" if space.on_device else ""


def declarations(tokens: Sequence[str], name: str) -> Iterator[list[str]]:
    """The words around each place where the name may be declared: from the end of what stands before to a body or a semicolon."""
    own = name.removeprefix("~").partition("operator")[0] or "operator"
    for at, word in enumerate(tokens):
        if word != own:
            continue
        first, end = at, at
        while first > 0 and tokens[first - 1] not in _ENDS:
            first -= 1
        while end < len(tokens) and tokens[end] not in _ENDS:
            end += 1
        words = list(tokens[first:end])
        special = any(words[i : i + 3] == ["template", "<", ">"] for i in range(len(words)))
        yield [*words, "template<>"] if special else words


def last_name(symbol: str) -> str:
    """Of "_ZN5space8variableE", "variable"."""
    rest, names = re.sub(r"^_ZN?K?", "", symbol), list[str]()
    while length := re.match(r"L?(\d+)", rest):
        end = length.end() + int(length[1])
        names.append(rest[length.end() : end])
        rest = rest[end:]
    return names[-1] if names else readable_name(symbol)
