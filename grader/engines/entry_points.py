"""Finds the kernel and the launch function that a lab asks for in the object file, or says why they are missing."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from grader.engines.device_functions import FAST_MATH, MATH, ONLY_ON_A_GPU, is_device_function
from grader.engines.refusal import Refusal, inline_assembly, needs_gpu
from grader.model.verdicts import Verdict
from grader.source.student_code import Span, difference, function_called, in_c, kernels, launch_functions, meant

if TYPE_CHECKING:  # a text is read before there is an object
    from grader.engines.objects.assembly import Calls, FunctionCalls
    from grader.engines.objects.debug_info import Function
    from grader.engines.objects.symbol_table import ObjectFile, Symbol

USE_FILE = "<grader>"  # the file name that the compiler gives to our own lines
_CHOSEN = "the_chosen_kernel"
_PASSED = "the_passed_function_"
_BESIDE = "the_kernel_beside_"
_CHOSEN_SYMBOL = f"_ZL{len(_CHOSEN)}{_CHOSEN}"
_KEEP = "Use this name and these parameters, in this order."


@dataclass(frozen=True)
class EntrySignatures:
    """Demangled signatures: "scale(float const*, float*, int)". Without `launch`, the caller chooses grid and block.

    `by_name`: `kernel` is its name in C++: "scale", "ns::scale<float>", or "scale(float*)" where there are several.
    """

    kernel: str
    launch: str | None = None
    by_name: bool = False
    functions: tuple[str, ...] = ()  # names in C++ of functions whose addresses the caller passes to the kernel
    # Other kernels, as `kernel`, that are built into the same program and may be called as well.
    beside: tuple[str, ...] = ()


@dataclass(frozen=True)
class EntryPoints:
    kernels: tuple[Symbol, ...]  # every function with the kernel's name, whatever its parameters
    launches: tuple[Symbol, ...]
    functions: tuple[Symbol, ...] = ()  # that the caller passes to the kernel
    beside: tuple[Symbol, ...] = ()  # the other kernels that were asked for

    @property
    def all(self) -> list[Symbol]:
        return [*self.kernels, *self.launches, *self.functions, *self.beside]


def entry_points(obj: ObjectFile, entries: EntrySignatures) -> EntryPoints:
    launches = functions_named(obj, name_of(entries.launch)) if entries.launch else ()
    return EntryPoints(functions_named(obj, name_of(entries.kernel)), launches)


def use_of(kernel: str, functions: Sequence[str] = (), beside: Sequence[str] = ()) -> str:
    """Lines of C++ that instantiate a kernel and those beside it. `used_kernel` finds out from them which functions they are."""
    others = "".join(
        f"__attribute__((used)) static auto* const {_PASSED}{number} = &{one.removeprefix('&')};\n"
        for number, one in enumerate(functions)
    )
    others += "".join(f"{_held(f'{_BESIDE}{number}', one)}\n" for number, one in enumerate(beside))
    return f'# 1 "{USE_FILE}"\n{_held(_CHOSEN, kernel)}\n{others}'


def _held(variable: str, kernel: str) -> str:
    """A variable that holds the address of a kernel, which is named with or without its parameters."""
    name = name_of(kernel)
    parameters = kernel.removeprefix(name)
    declared = f"void (*const {variable}){parameters}" if parameters else f"auto* const {variable}"
    return f"__attribute__((used)) static {declared} = &{name};"


def use_of_launch(launch: str) -> str:
    """A line of C++ that makes the compiler compile a launch function that nothing else uses."""
    name = name_of(launch)
    variable = f"LaunchConfig (*const the_launch_function){launch.removeprefix(name)}"
    return f'# 1 "{USE_FILE}"\n__attribute__((used)) static {variable} = {name};'


def is_of_use(variable: str) -> bool:
    """Whether a symbol is a variable of `use_of`, and none of the file's."""
    return re.fullmatch(rf"_ZL\d+({_CHOSEN}|(?:{_PASSED}|{_BESIDE})\d+)", variable) is not None


def used_kernel(obj: ObjectFile, functions: int = 0, beside: int = 0) -> EntryPoints:
    """The functions whose addresses the lines of `use_of` take. A static function is identified by its section only."""

    def held(variable: str, number: int) -> tuple[Symbol, ...]:
        names = [f"{variable}{at}" for at in range(number)]
        return tuple(one for name in names for one in _held_by(obj, f"_ZL{len(name)}{name}"))

    return EntryPoints(_held_by(obj, _CHOSEN_SYMBOL), (), held(_PASSED, functions), held(_BESIDE, beside))


def _held_by(obj: ObjectFile, variable: str) -> tuple[Symbol, ...]:
    """The function whose address a variable holds; empty where that is none of the file's."""
    holder = next((s.section for s in obj.symbols if s.kind == "STT_OBJECT" and s.name == variable), 0)
    sections = {symbol.section for symbol in obj.uses(holder) if symbol.in_section}
    found = [s for s in obj.symbols if s.kind == "STT_FUNC" and s.section in sections and s.value == 0]
    return tuple(found[:1])


def functions_named(obj: ObjectFile, name: str) -> tuple[Symbol, ...]:
    """Every function `name` that is defined in the global namespace, C or C++, static or not."""
    mangled = rf"_ZL?{len(name)}{re.escape(name)}(?![0-9A-Za-z_]*E$)[A-Za-z0-9_]*"
    pattern = re.compile(rf"{mangled}|{re.escape(name)}")
    return tuple(s for s in obj.symbols if s.kind == "STT_FUNC" and not s.undefined and pattern.fullmatch(s.name))


def name_of(signature: str) -> str:
    """With template arguments, which may hold parentheses: `scan<(Kind)0>`."""
    depth = 0
    for at, sign in enumerate(signature):
        depth += (sign == "<") - (sign == ">")
        if sign == "(" and depth <= 0:
            return signature[:at]
    return signature


def missing_names(obj: ObjectFile, found: EntryPoints, entries: EntrySignatures, source: str) -> tuple[Refusal, ...]:
    missing = []
    if not found.kernels:
        missing.append(_no_kernel(entries, source))
    elif not any(obj.space_of(kernel).is_kernel for kernel in found.kernels):
        missing.append(not_global(entries, source))
    if entries.launch and not found.launches:
        missing.append(_no_launch(entries.launch, source))
    return tuple(missing)


def not_global(entries: EntrySignatures, source: str) -> Refusal:
    text = f"`{name_of(entries.kernel)}` is not a kernel: it is not declared `__global__`."
    place = function_called(source, name_of(entries.kernel))
    return _missing(text, f"Declare it `__global__ void {in_c(entries.kernel)}`.", place)


def _no_kernel(entries: EntrySignatures, source: str) -> Refusal:
    """Names the kernels that the file does have."""
    wanted = f"There is no kernel `__global__ void {in_c(entries.kernel)}`."
    name, found = name_of(entries.kernel), [] if entries.by_name else kernels(source)
    if not found or any(one.name == name for one in found):
        return _missing(wanted, _KEEP, next((one.place for one in found if one.name == name), None))
    likely = meant(name, found)
    others = " and ".join(f"`{one.name}` (line {one.place.line})" for one in ([likely] if likely else found[:3]))
    text = f"{wanted} The file has {others}: the lab asks for the name `{name}`."
    return _missing(text, _KEEP, likely.place if likely else None)


def _no_launch(signature: str, source: str) -> Refusal:
    text = f"There is no launch function `LaunchConfig {in_c(signature)}`."
    likely = meant(name_of(signature), launch_functions(source))
    if likely and likely.name != name_of(signature):
        text += f" The file has `{likely.name}` (line {likely.place.line}): the lab asks for the name `{name_of(signature)}`."
    advice = (
        f"Write `__host__ __device__ LaunchConfig {in_c(signature)}` with names for what it gets, and in its braces"
    )
    advice = (
        f"{advice} `return LaunchConfig{{grid, block}};` with two dim3: how many blocks, and how many threads in each."
    )
    return _missing(text, advice, likely.place if likely else function_called(source, name_of(signature)))


def wrong_signatures(functions: Iterable[Function], entries: EntrySignatures, source: str) -> tuple[Refusal, ...]:
    """One refusal for each entry point whose name exists with other parameters."""
    known, refusals = list(functions), []
    for signature in (entries.kernel, entries.launch):
        if not signature or function_of(known, signature):
            continue
        name = name_of(signature)
        same = [f.signature for f in known if f.name == name]
        others = "`, `".join(map(in_c, same)) or "none"
        what = f"`{name}` does not have the parameters that the lab asks for: expected `{in_c(signature)}`, found `{others}`."
        differs = difference(signature, same[0]) if len(same) == 1 else ""
        refusals.append(_missing(f"{what} {differs}".strip(), _KEEP, function_called(source, name)))
    return tuple(refusals)


def function_of(functions: Iterable[Function], signature: str | None) -> Function | None:
    return next((f for f in functions if f.signature == signature and f.in_submission), None)


def function_at(functions: Iterable[Function], address: int) -> Function | None:
    return next((f for f in functions if f.first == address and f.in_submission), None)


def _missing(message: str, advice: str, place: Span | None = None) -> Refusal:
    line, columns = (place.line, place.columns) if place else (0, None)
    return Refusal(Verdict.MISSING_ENTRY_POINT, line, message, advice, columns)


# Checks an object file before it is linked: it must contain no forbidden entry points, sections or functions.

SECTIONS = re.compile(
    r"|\.(text|data|bss|rodata|tdata|tbss)(\..*)?|\.data\.rel\.ro.*|\.rela?\..*|\.rela?\.(text|data).*|\.debug_.*|\.comment|\.note.*|\.eh_frame.*"
    r"|\.group|\.symtab|\.strtab|\.shstrtab|\.symtab_shndx|\.init_array(\.00099|\.0)?|\.gcc_except_table.*"
)
MAX_DATA_BYTES = 512 << 20  # of __device__ and __constant__ variables; far less than a runner's memory
MAX_SHARED_BYTES = 1 << 20  # of all kernels in a file
MAX_NAME = 10_000  # characters, as the compiler writes the name of a template with all its arguments
MAX_NAMES = 20_000  # variables, functions and sections of a file; a lab's has some hundred
MAX_VERSIONS = 64  # of the kernel, and of the launch function
_COMMON = 0xFFF2  # SHN_COMMON: no section's index
_NO_LINE = 1 << 30  # sorts after every line
RESERVED = re.compile(r"__(tsan|ubsan|asan|sanitizer)_.*|tilelab_.*|__(start|stop)_.*|_init|_fini|_start")
# Host templates of the standard library that device code may use. nvcc allows them with --expt-relaxed-constexpr.
_CONSTEXPR = """
    min max swap clamp move forward exchange abs isnan isinf isfinite signbit numeric_limits integral_constant pair array
    __array_traits tuple _Tuple_impl _Head_base get __get_helper is_same_v addressof __addressof bit_cast __is_constant
    is_constant_evaluated __is_constant_evaluated initializer_list begin end size lerp midpoint gcd make_pair make_tuple
    optional make_optional _Optional_payload _Optional_payload_base _Optional_base _Optional_base_impl _Enable_copy_move
    nullopt_t __pair_get __pair_base in_place_t complex conj norm real imag span to_address __to_address data as_const minmax
    accumulate inner_product iota for_each plus minus multiplies divides modulus negate less greater less_equal greater_equal
    equal_to not_equal_to logical_and logical_or bit_and bit_or bit_xor popcount __popcount countl_zero __countl_zero
    countr_zero __countr_zero countl_one countr_one bit_width __bit_width bit_ceil __bit_ceil bit_floor __bit_floor
    has_single_bit __has_single_bit rotl __rotl rotr __rotr apply __apply_impl __invoke __invoke_impl invoke tie
    forward_as_tuple fpclassify isnormal isgreater isgreaterequal isless islessequal islessgreater isunordered
"""
# Those of <cmath> that have a pointer as a parameter; the C library's function behind each is redirected. And hypot() of three numbers.
_CMATH = "frexp modf remquo __hypot3"
_OPERATORS = "(?:pl|mi|ml|dv|ng|ps|eq|ne|lt|gt|le|ge)I"
_ALLOWED_NAMES = "|".join(sorted(f"{len(name)}{name}" for name in {*MATH, *_CONSTEXPR.split(), *_CMATH.split()}))
STANDARD_ALLOWED = re.compile(
    rf"_ZN?K?St(L|{_ALLOWED_NAMES}|{_OPERATORS}|8__detail16__extent_storage).*"
    rf"|_ZNK?9__gnu_cxx(17__normal_iterator|{_OPERATORS}).*"
)
STANDARD = re.compile(r"_ZN?K?St.*|_ZN9__gnu_cxx.*")
_OWN_DATA = re.compile(r"\.(bss|data)\.(?!_ZStL8__ioinit$|_ZGV|\.|DW\.|rel\.ro).*")
# What instrumented code calls that neither reads nor writes a variable, and what <iostream> leaves behind.
_SILENT = re.compile(
    r"\.L\w+|__tsan_(func_entry|func_exit|init)|__sanitizer_cov_trace_pc|__ubsan_handle_type_mismatch_v1(_abort)?|__cxa_atexit"
    r"|_ZNSt8ios_base4Init[CD][12]Ev"
)
_UNSUPPORTED = ONLY_ON_A_GPU | FAST_MATH
_INITIALISER = re.compile(r"__static_initialization_and_destruction|^__cxx_global_var_init|^_GLOBAL__|[CD][12]Ev$")
_SAID = [
    "_Znwm",
    "new",
    "_Znam",
    "new[]",
    "_ZdlPv",
    "delete",
    "_ZdlPvm",
    "delete",
    "_ZdaPv",
    "delete[]",
    "_ZdaPvm",
    "delete[]",
]
_READABLE = dict(zip(_SAID[::2], _SAID[1::2], strict=True))


def check_object(obj: ObjectFile, entries: EntryPoints, calls: Calls) -> Refusal | None:
    """The first reason not to link and run this object, or None.

    Host code that no kernel reaches is allowed: the linker discards it.
    """
    sections = obj.reached_sections(entry.section for entry in entries.all)
    reached_calls = calls.within(obj.functions_in(sections))
    return (
        _check_names(obj, entries)
        or _check_contents(obj)
        or _check_sizes(obj)
        or _check_symbols(obj.reached(entries.all), reached_calls)
        or _check_initialisers(obj, calls)
        or next(map(inline_assembly, reached_calls.inline_assembly), None)
    )


def _check_names(obj: ObjectFile, entries: EntryPoints) -> Refusal | None:
    """What no tool behind the compiler could be told in words."""
    longest = max((len(symbol.name) for symbol in obj.symbols), default=0)
    count, versions = max(len(obj.symbols), len(obj.sections)), max(len(entries.kernels), len(entries.launches))
    for number, most, what, remedy in (
        (longest, MAX_NAME, f"has a name of {longest:,} characters", ""),
        (count, MAX_NAMES, f"defines {count:,} things", ""),
        (
            versions,
            MAX_VERSIONS,
            f"has {versions:,} versions of one entry point",
            ": keep the one that the lab asks for",
        ),
    ):
        if number > most:
            return _rejected(0, f"The file {what}, and at most {most:,} can be handled{remedy}.")
    return None


def _check_contents(obj: ObjectFile) -> Refusal | None:
    for section in obj.sections:
        if not SECTIONS.fullmatch(section.name):
            what = f"The file puts code or data into its own section ({section.name[:40]!r})"
            return _rejected(0, f"{what}: nothing may run before the kernel.")
    for symbol in obj.symbols:
        if symbol.kind == "STT_GNU_IFUNC":
            what = f"{symbol.name[:60]!r} chooses its code when the program is loaded"
            return _rejected(0, f"{what}: nothing may run before the kernel.")
        if not symbol.undefined and symbol.kind != "STT_SECTION" and RESERVED.fullmatch(symbol.name):
            return _rejected(0, f"The name {symbol.name[:60]!r} is reserved for the grader.")
    return None


def _check_sizes(obj: ObjectFile) -> Refusal | None:
    """Refuses sizes with which no runner could start. The limit of 48 KiB of shared memory is checked at the launch."""
    defined = [symbol for symbol in obj.symbols if symbol.in_section or symbol.section == _COMMON]
    shared = sum(symbol.size for symbol in defined if symbol.kind == "STT_TLS")
    data = sum(symbol.size for symbol in defined if symbol.kind == "STT_OBJECT")
    if shared > MAX_SHARED_BYTES:
        what = f"The file declares {shared >> 10} KiB of shared memory; a block can have at most 48"
        return Refusal(Verdict.LAUNCH_ERROR, 0, f"{what}.", "Keep one tile in shared memory, not a whole matrix.")
    if data > MAX_DATA_BYTES:
        return _rejected(0, f"The file's variables take {data >> 20} MiB; at most {MAX_DATA_BYTES >> 20} are allowed.")
    return None


def _check_symbols(reached: Iterable[Symbol], calls: FunctionCalls) -> Refusal | None:
    """Refuses symbols that a kernel may not use. Those that the submission itself calls come first, because they have a line."""
    by_line = sorted(reached, key=lambda one: calls.lines.get(one.name, 0) or _NO_LINE)
    return next(filter(None, (_check_symbol(one, calls.lines.get(one.name, 0)) for one in by_line)), None)


def _check_symbol(symbol: Symbol, line: int) -> Refusal | None:
    if not symbol.undefined:
        is_host = STANDARD.fullmatch(symbol.name) and not STANDARD_ALLOWED.fullmatch(symbol.name)
        if symbol.kind != "STT_FUNC" or not is_host:
            return None
        name = readable_name(symbol.name)
        return _rejected(line, f"`{name}` of the C++ standard library runs on the host only: a kernel cannot call it.")
    if symbol.kind == "STT_TLS" or not symbol.name or is_device_function(symbol.name):
        return None
    name = readable_name(symbol.name)
    if symbol.name in _UNSUPPORTED:
        used = f"A pointer to `{symbol.name}`" if symbol.name in FAST_MATH else f"`{name}`"
        return needs_gpu(line, f"{used} in a kernel is not supported by the CPU executor", "")
    what = f"`{name}` is a host function, or it is declared but not defined: a kernel cannot call it."
    return _rejected(line, what)


def _check_initialisers(obj: ObjectFile, calls: Calls) -> Refusal | None:
    """Refuses initialisers of the submission's own variables: they never run, so the variable would not get its value. nvcc refuses
    them too where a kernel uses the variable. The initialiser of a leftover <iostream> is allowed, because nothing needs it.
    """
    names = [section.name for section in obj.sections]
    first = [index for index, name in enumerate(names) if name.startswith(".init_array")]
    touched = obj.reached_sections(first)
    own = [names[index] for index in sorted(touched) if _OWN_DATA.fullmatch(names[index])]
    if not own or _writes_nothing(obj.functions_in(touched), calls):
        return None
    # A variable without a value yet is in .bss. One in .data has its value, and the initialiser only reads it.
    variable = next((section for section in own if section.startswith(".bss")), own[0]).split(".", 2)[-1]
    kinds = ("__static_initialization_and_destruction", "__cxx_global_var_init")  # GCC's, Clang's
    initialisers = {name for name in obj.functions_in(touched) if any(one in name for one in kinds)}
    lines = calls.within(initialisers).lines.values()
    what = f"`{readable_name(variable)}` gets its first value from code that would have to run before the kernel"
    return _rejected(min(filter(None, lines), default=0), f"{what}: initialise it with a constant.")


def _writes_nothing(functions: Container[str], calls: Calls) -> bool:
    """Whether initialisers are only constructors with nothing in them, such as CUDA allows for `__constant__` and `__device__` variables.
    Each write would announce itself by a call. In Clang's code a constructor's own pointer does so too: what Clang compiles is refused.
    """
    made = calls.within(functions)
    names = [name for name in made.lines if not _SILENT.fullmatch(name)]
    return not (made.indirect or made.inline_assembly) and all(
        name in functions and _INITIALISER.search(name) for name in names
    )


def readable_name(symbol: str) -> str:
    """The name without namespaces and parameters. `std::` stays."""
    if symbol in _READABLE:
        return _READABLE[symbol]
    if re.match(r"_ZN?K?S[oid]|_ZSt(4c(out|err|in)|ls|rs|4endl)", symbol):
        return "std::cout"
    mangled = re.match(r"_ZN?K?(St)?(?:(?<=St)[a-z])?L?(\d{1,5})(\w+)", symbol)
    if mangled is None:
        return "std::" if STANDARD.fullmatch(symbol) else symbol[:60]
    return ("std::" if mangled[1] else "") + mangled[3][: int(mangled[2])]


def _rejected(line: int, message: str) -> Refusal:
    advice = "A kernel may call your own __device__ functions and CUDA's functions."
    return Refusal(Verdict.REJECTED, line, message, advice)
