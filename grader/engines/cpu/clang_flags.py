"""What Clang is told when it compiles a submission, where that differs from GCC, and why. GCC's are in `gcc_flags.py`.

Clang's parsing is one step and its passes another: between the two lies the compiler's dump of the file, which
`ir_scan.py` reads and `ir_rewriting.py` rewrites.
"""

from __future__ import annotations

LANGUAGE = (
    "-std=c++20",
    "-fno-exceptions",
    "-fno-rtti",
    "-fno-threadsafe-statics",
    "-ftemplate-depth=256",
    "-fconstexpr-steps=4000000",
    "-fsigned-char",  # as for GCC: a GPU's char has a sign
    "-ffp-contract=off",
)
INSTRUMENTATION = (
    "-O0",
    "-g",
    "-gdwarf-4",  # one form of debug information for every version: places and strings stand in the entries themselves
    "-fsanitize=thread,bounds,alignment",
    "-fsanitize=integer-divide-by-zero",
    "-fno-sanitize=local-bounds",  # else what leaves an array ends in a trap, and nobody learns which access it was
    "-mllvm",
    "-tsan-instrument-read-before-write=1",  # else `sum[i] += x` is a write alone
    "-mllvm",
    "-tsan-distinguish-volatile=1",
    "-mllvm",
    "-capture-tracking-max-uses-to-explore=0",  # else an access that starts from a local array is announced by nobody
    "-fno-builtin-memcpy",  # else a call of memcpy looks like the copy of an object, with that object's alignment
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
    "-fno-addrsig",  # a section of its own that nobody needs
    "-fno-pic",
    "-fno-pie",
)
MACHINE = {
    "x86_64": ("-fcf-protection=none",),
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
