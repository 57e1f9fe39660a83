"""The flags for Clang when it compiles a submission, where they differ from GCC's, with reasons. GCC's flags are in `gcc_flags.py`.

Clang parses in one step and runs its passes in another. Between the two there is the dump of the file, which `dump_scan.py` checks and
`ir_rewriting.py` changes.
"""

from __future__ import annotations

LANGUAGE = (
    "-std=c++20",
    "-fno-exceptions",
    "-fno-rtti",
    "-fno-threadsafe-statics",
    "-ftemplate-depth=256",
    "-fconstexpr-steps=4000000",
    "-fsigned-char",  # as for GCC: char is signed on a GPU
    "-ffp-contract=off",
)
INSTRUMENTATION = (
    "-O0",
    "-g",
    "-gdwarf-4",  # the same form of debug information for every version: positions and strings are in the entries themselves
    "-Xclang",
    "-fno-use-ctor-homing",  # otherwise a class is only named where none of its constructors is compiled
    "-fsanitize=thread,bounds,alignment",
    "-fsanitize=integer-divide-by-zero",
    "-fsanitize=return",
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
    "-fno-elide-constructors",
    "-ftrivial-auto-var-init=pattern",
    "-fno-omit-frame-pointer",
    "-fno-optimize-sibling-calls",
    "-fno-jump-tables",
    "-fstack-clash-protection",
    "-fno-stack-protector",
    "-fno-asynchronous-unwind-tables",
    "-ffunction-sections",
    "-fdata-sections",
    "-fno-addrsig",  # an extra section that is not needed
    "-fno-pic",
    "-fno-pie",
)
MACHINE = {
    "x86_64": ("-fcf-protection=none", "-mstack-alignment=64"),
    "aarch64": ("-mbranch-protection=none", "-mno-outline-atomics"),
}
WARNINGS = (
    "-Wall",
    "-Wno-unknown-pragmas",
    "-Wno-unused-command-line-argument",
    "-Werror=vla",
    "-fdiagnostics-color=never",
    "-ferror-limit=20",
    "-ftabstop=1",
)
# Warnings that may explain a failure. They are asked for beside one, and change nothing.
TELLING = (
    "-Wextra",
    "-Wshadow",
    "-Wfloat-conversion",
    "-Wconditional-uninitialized",
    "-Wno-unused-variable",
    "-Wno-unused-parameter",
)
