"""References to textures and surfaces as CUDA had them before version 12: `texture<float, 2> t;` in a file, `tex2D(t, x, y)` in a kernel.
No compiler of today knows them, so they are a compile error, told with what takes their place.
"""

from __future__ import annotations

import re

from grader.engines.refusal import Refusal
from grader.engines.student_text.student_code import StudentCode
from grader.model.verdicts import Verdict

_DECLARED = re.compile(
    r"^\s*(?:static\s+|extern\s+)*(?:texture\s*<[^;]*>|surface\s*<\s*void[^;]*>|textureReference\b)\s*(\w+)"
)
_ERROR_LINE = re.compile(r" error: ([^\n]*)")


def texture_reference(log: str, source: str) -> Refusal | None:
    """`log`: what a compiler says, after errors. The first reference of the file that it names, or that it stumbles over."""
    errors = "\n".join(_ERROR_LINE.findall(log))
    code = StudentCode(source)
    for line in range(1, len(code.lines) + 1):
        declared = _DECLARED.match(code.line(line))
        if declared is None:
            continue
        kind = "surface" if "surface" in declared[0] else "texture"
        if re.search(rf"[\u2018'](?:{re.escape(declared[1])}|{kind}|textureReference)[\u2019']", errors):
            return Refusal(Verdict.COMPILE_ERROR, line, _told(declared[1], kind), _ADVICE[kind])
    return None


def _told(name: str, kind: str) -> str:
    return f"`{name}` is a {kind} reference of old CUDA. CUDA 12 removed them: no compiler of today knows them."


_ADVICE = {
    "texture": (
        "Give the kernel a parameter `cudaTextureObject_t t`, which the host makes with cudaCreateTextureObject(), and fetch with "
        "`tex2D<float>(t, x, y)`."
    ),
    "surface": (
        "Give the kernel a parameter `cudaSurfaceObject_t s`, which the host makes with cudaCreateSurfaceObject(), and use "
        "`surf2Dread<float>(s, x * sizeof(float), y)`."
    ),
}
