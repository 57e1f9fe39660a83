"""What a declaration said: __global__, __device__, __host__ or __constant__, as the compiler understood it.

The kit's header makes attributes of these words, and each leaves a mark on the section of its function or variable: a flag or an
alignment. So macros, templates and earlier declarations count as the compiler counts them. kit/simt/device/qualifiers.hpp holds the
other half. An author who writes the attributes himself makes his file wrong for nvcc, and gains nothing here.
"""

from __future__ import annotations

from dataclasses import dataclass

RETAIN = 1 << 21  # SHF_GNU_RETAIN: the linker must not see it, or it would keep host code that nothing uses
_HOST, _KERNEL, _CONSTANT = 64, 128, 2048


@dataclass(frozen=True)
class ExecutionSpace:
    """Of one function or variable. One of the host's has no mark."""

    flags: int
    alignment: int

    @property
    def on_device(self) -> bool:
        return bool(self.flags & RETAIN)

    @property
    def on_host(self) -> bool:
        return not self.on_device or self.alignment == _HOST

    @property
    def is_kernel(self) -> bool:
        return self.on_device and self.alignment == _KERNEL

    @property
    def is_constant(self) -> bool:
        """`extern __constant__`, and the definition without the word: only the alignment is left."""
        return self.alignment == _CONSTANT
