"""Why the host side of a program cannot be built, in sentences that name what is missing. Reads compilers' and linkers' words; pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from grader.engines.token_scan import texture_reference
from grader.model.verdicts import Verdict
from grader.run.kernels.kernel_source import KernelSource
from grader.source.student_code import distance

# What a newcomer may have meant where a call of CUDA's runtime, or a launch, does not compile. Reads the compiler's words; pure. What it
# says is added to them and takes nothing away.

_NO_CALL = re.compile(
    r"no matching function for call to [\u2018']\s*(cuda\w+)\s*(?:<[^(]*>)?(?:\((?P<types>[^\n]*)\))?[\u2019']"
)
_VECTOR = re.compile(r"cannot convert [\u2018'](?:const )?std::vector<[^\n]*[\u2019'] to [\u2018']([^\u2019']*)")
_NO_BLOCK = re.compile(
    r"(?:too few arguments to function|no matching function for call to) [\u2018'][^\n]*\bconfigure\b"
)
_TWO_SIGNS = re.compile(r"invalid operands (?:of types|to binary expression)[^\n]*[\u2018']void ?\([^\n]*")
_ALLOCATES = re.compile(r"cuda(?:Malloc|HostAlloc)\w*")


def call_hint(error: str) -> str:
    """A sentence for one error; empty where there is none."""
    if _NO_BLOCK.search(error):
        return "A launch says how many blocks there are and how many threads each has: kernel<<<blocks, threads>>>(…)."
    if _TWO_SIGNS.search(error):
        return "A launch has three signs on each side: kernel<<<blocks, threads>>>(…)."
    if vector := _VECTOR.search(error):
        if "void" in vector[1]:
            return "A std::vector is no pointer: its member `data()` gives a pointer to its numbers."
        return "A std::vector is no pointer. A kernel gets a pointer that `cudaMalloc` has set, and `cudaMemcpy` brings the numbers there."
    call = _NO_CALL.search(error)
    return _of_call(call[1], call["types"] or "") if call else ""


def _of_call(name: str, types: str) -> str:
    first = types.split(",", maxsplit=1)[0].strip().rstrip("&").strip()
    if _ALLOCATES.fullmatch(name) and first.endswith("*") and not first.endswith("**"):
        return f"`{name}` sets the pointer, so it needs the pointer's address: {name}(&pointer, …)."
    return f"`{name}` takes other arguments than these, or takes them in another order."


# Libraries and interfaces that are not served here, by the headers and the names that belong to them.
_LIBRARIES = (
    ("cuBLAS", r"cublas\w*\.h", r"cublas\w*|CUBLAS_\w+"),
    ("cuFFT", r"cufft\w*\.h", r"cufft\w*|CUFFT_\w+"),
    ("cuSPARSE", r"cusparse\w*\.h", r"cusparse\w*|CUSPARSE_\w+"),
    ("cuSOLVER", r"cusolver\w*\.h", r"cusolver\w*|CUSOLVER_\w+"),
    ("cuDNN", r"cudnn\w*\.h", r"cudnn\w*|CUDNN_\w+"),
    ("cuRAND's host functions", r"curand\.h", r"curand(?:Create|Destroy|Set|Generate|Status)\w*|CURAND_\w+"),
    ("NCCL", r"nccl\w*\.h", r"nccl\w*"),
    ("NPP", r"npp\w*\.h", r"npp[a-z]*_?\w*"),
    ("Thrust", r"thrust/.*", r"thrust"),
    ("CUB", r"cub/.*", r"cub"),
    ("CUTLASS", r"(?:cutlass|cute)/.*", r"cutlass|cute"),
    ("MPI", r"mpi\.h", r"MPI_\w+"),
    ("NVRTC", r"nvrtc\w*\.h", r"nvrtc\w*"),
    ("the driver API", r"(?!)", r"cu(?:Init|Device|Ctx|Module|Mem|Launch|Stream|Event)\w*|CU(?:device|context|module|function)\w*"),
    ("NVTX", r"nvToolsExt\w*\.h|nvtx3?/.*", r"nvtx\w*"),
    ("OpenCV", r"opencv.*|cv\.h|highgui\.h", r"cv"),
    ("OpenGL", r"GL/.*|GLFW/.*|glad/.*|cuda_gl_interop\.h", r"gl[A-Z]\w*|GL\w*|cudaGraphicsGL\w*"),
    ("Windows", r"windows\.h|conio\.h|direct\.h|io\.h", r"Sleep|QueryPerformance\w+|LARGE_INTEGER|_getch|system_pause"),
    ("this part of CUDA graphs", r"(?!)", r"cudaGraph\w*|cudaUserObject\w*"),
)  # fmt: skip
_ERROR = re.compile(r"^(?:\./)?([^:\n]+):(\d+):(?:\d+:)? (?:fatal )?error: (.*)$", re.MULTILINE)
_NAME = re.compile(
    r"[\u2018']([\w:]+)[\u2019'] (?:was not declared|has not been declared|does not name a type|is not a member)"
)
_MEMBER = re.compile(
    r"[\u2018'](?:[\w:]+::)?(\w+)[\u2019'] (?:is not a member of|in namespace) [\u2018'](?:::)?(thrust|cub)\b"
)
_UNDEFINED = re.compile(
    r"^(?:[^\n:]*ld(?:\.\w+)?: )?(?:[^\n:]*/)?([^\n:/]+):(?:(\d+):)?(?:[^\n]*?:)? ?(?:warning: )?"
    r"undefined reference to [`\u2018']([^\n]+?)['\u2019]$",
    re.MULTILINE,
)
_CONDITION = re.compile(r"\s*#\s*(if|ifdef|ifndef|elif|else|endif)\b(.*)")
_WINDOWS = re.compile(r"\b(?:_?WIN(?:32|64|DOWS)|_MSC_VER)\b")
_WORD = re.compile(r"[A-Z][a-z]*")
_MEANT = re.compile(r"did you mean [\u2018'](\w+)[\u2019']")
_OF_A_THREAD = frozenset({"threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize"})
_OF_REFERENCES = re.compile(
    r"(?:cuda(?:Bind|Unbind)(?:Texture|Surface)|cudaGetTexture(?:Reference|AlignmentOffset)|cudaGetSurfaceReference)\w*"
)
_INSTEAD = "Make a texture object with cudaCreateTextureObject()."
_MOST = 3
_MOST_LETTERS = 2
_MOST_NAMES = 6


@dataclass(frozen=True)
class HostRefusal:
    """`line` 0: no particular one."""

    file: str
    line: int
    message: str
    verdict: Verdict = Verdict.COMPILE_ERROR  # needs-gpu: valid CUDA, most likely, that is not served here


def refusals_of_errors(
    log: str, unit: KernelSource, missing: Sequence[tuple[str, int, str]]
) -> tuple[HostRefusal, ...]:
    """`missing`: file, line and name of headers that were left out of any of the program's sources. What they declare explains other
    errors, in a source that includes them.
    """
    missing = [one for one in missing if one[0] in unit.texts and not _is_for_windows(unit.texts[one[0]], one[1])]
    errors = [(file, int(line), text) for file, line, text in _ERROR.findall(log)]
    unknown = [match[1].rpartition("::")[2] for _, _, text in errors if (match := _NAME.search(text))]
    if named := _library_of_headers(missing) or _references(log, unit, errors):
        return (named,)
    for file, line, text in errors:
        match = _NAME.search(text)
        name = _full_name(text)
        if name and (file in unit.texts or "::" in name) and (library := library_of(name)):
            message = f"The program uses {library} (`{name}`), which cannot run here."
            return (HostRefusal(file, line, message, Verdict.NEEDS_GPU),)
        if match and file in unit.texts and (meant := _misspelt(match[1], text)):
            message = f"`{match[1]}` is not declared. Is `{meant}` meant?"
            return (HostRefusal(file, line, message),)
        if match and file in unit.texts and re.match(r"cuda[A-Z]|cu[A-Z]", match[1]):
            message = f"`{match[1]}` of the CUDA runtime is not there without a GPU yet."
            return (HostRefusal(file, line, message, Verdict.NEEDS_GPU),)
    if missing and unknown:
        file, line, header = missing[0]
        why = f"perhaps `{unknown[0]}` is declared in it: put it beside the file, or name its folder with -I"
        message = f"{header} was not found, and {why}."
        return (HostRefusal(file, line, message),)
    own = [one for one in errors if one[0] in unit.texts] or errors
    found = tuple(HostRefusal(file, line, _said(text)) for file, line, text in own[:_MOST])
    return found or (HostRefusal(unit.name, 0, "The file does not compile; the compiler says no line."),)


def _library_of_headers(missing: Sequence[tuple[str, int, str]]) -> HostRefusal | None:
    for file, line, header in missing:
        if library := library_of_header(header):
            message = f"The program uses {library} ({header}), which cannot run here."
            return HostRefusal(file, line, message, Verdict.NEEDS_GPU)
    return None


def _references(log: str, unit: KernelSource, errors: Sequence[tuple[str, int, str]]) -> HostRefusal | None:
    """References to textures, which CUDA 12 removed."""
    for name, source in unit.texts.items():
        if found := texture_reference(log, source):
            return HostRefusal(name, found.line or 0, f"{found.message} {found.advice}".strip())
    for file, line, text in errors:
        match = _NAME.search(text)
        if match and file in unit.texts and _OF_REFERENCES.fullmatch(match[1]):
            message = f"`{match[1]}` belongs to the texture references of old CUDA, which CUDA 12 removed. {_INSTEAD}"
            return HostRefusal(file, line, message)
    return None


def _said(error: str) -> str:
    """In the compiler's words and, where one is known, with a hint. The kit's own names are no student's."""
    hint = call_hint(error)
    if hint and "tilelab_host::" in error:
        return hint
    return f"The compiler says: {error}{'. ' if hint else ''}{hint}"


def _is_for_windows(text: str, line: int) -> bool:
    """Whether the line is compiled on Windows only: then it explains nothing here."""
    # Of each condition around the line: whether this part, and the part behind #else, is.
    branches: list[tuple[bool, bool]] = []
    for one in text.splitlines()[: line - 1]:
        found = _CONDITION.match(one)
        if not found:
            continue
        word, condition = found[1], found[2]
        asks, denies = bool(_WINDOWS.search(condition)), word == "ifndef" or "!" in condition
        if word.startswith("if"):
            branches.append((asks and not denies, asks and denies))
        elif branches and word == "endif":
            branches.pop()
        elif branches:
            branches[-1] = (branches[-1][1], False) if word == "else" else (asks and not denies, False)
    return any(here for here, _ in branches)


def _misspelt(name: str, error: str) -> str:
    """The kit's name that the compiler proposes, where it differs in two letters at most. A digit, a word more, or Get instead of Set
    makes another function of CUDA.
    """
    proposed = _MEANT.search(error)
    meant = proposed[1] if proposed else ""
    is_other = (
        re.findall(r"\d", name) != re.findall(r"\d", meant)
        or name.replace("Set", "Get") == meant.replace("Set", "Get")
        or set(_WORD.findall(meant)) < set(_WORD.findall(name))
    )
    is_near = meant.startswith("cuda") and not is_other and distance(name, meant) <= _MOST_LETTERS
    return meant if is_near else ""


def _full_name(error: str) -> str:
    """What the compiler does not know; of a member of a library that is here in part, with the library's name."""
    if member := _MEMBER.search(error):
        return f"{member[2]}::{member[1]}"
    match = _NAME.search(error)
    return match[1] if match else ""


def undefined_names(log: str) -> tuple[HostRefusal, ...]:
    """What the linker did not find."""
    found: dict[str, tuple[str, int]] = {}
    for file, line, name in _UNDEFINED.findall(log):
        found.setdefault(_plain(name), (file, int(line or 0)))
    if outside := next(
        (name for name in found if _base(name) in _OF_A_THREAD), ""
    ):  # one mistake, and not one for each of them
        found = {name: at for name, at in found.items() if name == outside or _base(name) not in _OF_A_THREAD}
    named = list(found.items())[:_MOST_NAMES]
    return tuple(
        HostRefusal(
            file if line else "",
            line,
            _undefined(name),
            Verdict.MISSING_ENTRY_POINT if name == "main" else Verdict.COMPILE_ERROR,
        )
        for name, (file, line) in named
    )


def _undefined(name: str) -> str:
    base = _base(name)
    if base in _OF_A_THREAD:
        return f"`{base}` belongs to a thread of the device, and this is a function of the host. Is __global__ missing before it?"
    if name == "main":
        return "There is no `main()`."
    if library := library_of(base):
        return f"The program uses {library} (`{base}`), which cannot run here."
    if "cuda_on_cpu::" in name or base.startswith("__"):
        return f"Host code calls `{base}`, which is a function of the device: on the host there is none."
    return f"`{name}` is declared but not defined: name the source that defines it with --with."


def _base(name: str) -> str:
    return name.partition("(")[0].rpartition("::")[2] or name


def _plain(name: str) -> str:
    return name.replace("[abi:cxx11]", "")


def library_of(name: str) -> str:
    return _first(name.partition("::")[0] if "::" in name else name, 2)


def library_of_header(header: str) -> str:
    return _first(header, 1)


def _first(text: str, column: int) -> str:
    return next((row[0] for row in _LIBRARIES if re.fullmatch(row[column], text)), "")
