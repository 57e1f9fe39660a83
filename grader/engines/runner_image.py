"""Writes image.json: what a runner must know about the submission linked into it (read by kit/runner/image.cpp)."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from grader.engines.debug_info import DebugInfo, Function, SharedArray

MAX_LINES = 200_000


def shared_assembly(dynamic_symbols: list[str], dynamic_bytes: int = 48 * 1024, padding_bytes: int = 64 * 1024) -> str:
    """One block of thread-local memory that every `extern __shared__` array names, padded so that what runs a little
    past it meets nobody's memory: behind the padding lies the thread control block.
    """
    labels = ["tilelab_dynamic_shared", *dynamic_symbols]
    return "\n".join(
        [
            '.section .tbss,"awT",%nobits',
            ".balign 256",
            *(
                line
                for label in labels
                for line in (
                    f".globl {label}",
                    f".type {label}, %tls_object",
                    f".size {label}, {dynamic_bytes}",
                    f"{label}:",
                )
            ),
            f".zero {dynamic_bytes + padding_bytes}",
            '.section .note.GNU-stack,"",%progbits',
            "",
        ]
    )


def write_image(
    path: Path,
    info: DebugInfo,
    *,
    source: str,
    entries: tuple[Function, Function | None],
    shared_layout: tuple[int, int],
) -> None:
    """`entries`: the kernel, and the launch function or None where the caller names grid and block itself.
    `shared_layout`: where dynamic shared memory lies, and how many bytes of static arrays the kernel reaches.
    """
    (kernel, launch), (dynamic_offset, static_shared_bytes) = entries, shared_layout
    image = {
        "files": info.files,
        "source": source.split("\n"),
        "lines": info.lines[:MAX_LINES],
        "functions": [[f.first, f.end, f.name] for f in info.functions],
        "header_code": sorted([f.first, f.end] for f in info.functions if not f.in_submission),
        "shared": [_shared(array) for array in info.shared],
        "dynamic_offset": dynamic_offset,
        "static_shared_bytes": static_shared_bytes,
        "kernel": kernel.first,
        "launch": launch.first if launch else 0,
    }
    path.write_text(json.dumps(image), encoding="utf-8")


def _shared(array: SharedArray) -> dict[str, object]:
    fields = asdict(array)
    del fields["symbol"]
    return fields
