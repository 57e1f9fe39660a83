"""The flags for Clang when it compiles a submission: those of `gcc_flags.py` that both have, and its own, with reasons.

Clang parses in one step and runs its passes in another. Between the two there is the dump of the file, which `dump_scan.py` checks and
`clang_ir.py` changes.
"""

from __future__ import annotations

from grader.engines import gcc_flags

LANGUAGE = (*gcc_flags.LANGUAGE_OF_BOTH, "-fconstexpr-steps=4000000")
INSTRUMENTATION = (
    *gcc_flags.INSTRUMENTATION_OF_BOTH,
    "-gdwarf-4",  # the same form of debug information for every version: positions and strings are in the entries themselves
    "-Xclang",
    "-fno-use-ctor-homing",  # otherwise a class is only named where none of its constructors is compiled
    "-fno-sanitize=local-bounds",  # otherwise an access outside an array ends in a trap, and it is unknown which access it was
    "-mllvm",
    "-tsan-instrument-read-before-write=1",  # otherwise `sum[i] += x` is announced only as a write
    "-mllvm",
    "-tsan-distinguish-volatile=1",
    "-mllvm",
    "-capture-tracking-max-uses-to-explore=0",  # otherwise an access that starts from a local array is not announced
    "-fno-builtin-memcpy",  # otherwise a call of memcpy looks like the copy of an object, with that object's alignment
    "-fno-builtin-memmove",
    "-fno-builtin-memset",
    "-fno-addrsig",  # an extra section that is not needed
)
MACHINE = {
    "x86_64": ("-fcf-protection=none", "-mstack-alignment=64"),
    "aarch64": ("-mbranch-protection=none", "-mno-outline-atomics"),
}
WARNINGS = (*gcc_flags.WARNINGS_OF_BOTH, "-Wno-unused-command-line-argument", "-ferror-limit=20")
TELLING = (*gcc_flags.TELLING, "-Wconditional-uninitialized")
