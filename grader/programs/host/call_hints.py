"""What a newcomer may have meant where a call of CUDA's runtime, or a launch, does not compile. Reads the compiler's words; pure. What it
says is added to them and takes nothing away.
"""

from __future__ import annotations

import re

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
