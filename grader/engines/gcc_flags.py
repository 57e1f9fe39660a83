"""The flags for GCC when it compiles a submission, with reasons, and those that Clang has as well. Clang's own are in `clang_flags.py`."""

from __future__ import annotations

# Found by experiment. docs/how-the-cpu-executor-works.md says for each flag what goes wrong without it.
LANGUAGE_OF_BOTH = (
    "-std=c++20",
    "-fno-exceptions",
    "-fno-rtti",
    "-fno-threadsafe-statics",
    "-ftemplate-depth=256",
    "-fsigned-char",  # char is signed on a GPU, and unsigned on ARM
    "-ffp-contract=off",  # otherwise multiply-adds would be fused on some machines only
)
LANGUAGE = (*LANGUAGE_OF_BOTH, "-fconstexpr-ops-limit=4000000")
INSTRUMENTATION_OF_BOTH = (
    "-O0",  # optimisation merges accesses: a[i] * a[i] would become one read
    "-g",
    "-fsanitize=thread,bounds,alignment",
    "-fsanitize=integer-divide-by-zero",  # some processors return 0 without a signal
    "-fsanitize=return",  # otherwise a function without its `return` gives what a register holds by chance
    "-fno-elide-constructors",  # otherwise an aggregate that passes through a call is not announced
    "-ftrivial-auto-var-init=pattern",  # an uninitialised `float acc;` gets a value that is visibly wrong
    "-fno-omit-frame-pointer",
    "-fno-optimize-sibling-calls",
    "-fno-jump-tables",  # otherwise a jump through a register would look like a call through a pointer
    "-fstack-clash-protection",  # otherwise a large frame could skip the guard page
    "-fno-stack-protector",
    "-fno-asynchronous-unwind-tables",
    "-ffunction-sections",  # the sections' relocations show which functions the kernel reaches
    "-fdata-sections",  # and which variables; those of host code do not count
    "-fno-pic",
    "-fno-pie",
)
INSTRUMENTATION = (
    *INSTRUMENTATION_OF_BOTH,
    "-fsanitize-coverage=trace-pc",  # for (;;); accesses no memory, so the budget counts basic blocks too
    "--param",
    "tsan-distinguish-volatile=1",
    "-fno-extern-tls-init",  # otherwise extern __shared__ calls an initialiser that does not exist
    "--param=min-size-for-stack-sharing=1073741824",  # otherwise arrays in inner blocks do not lie next to their guards
    "-fno-gnu-unique",
)
# Flags for one kind of processor only.
MACHINE = {
    "x86_64": (
        "-fcf-protection=none",
        "-mpreferred-stack-boundary=6",  # log2: otherwise a frame with an alignas(32) local is laid out while it runs
    ),
    "aarch64": (
        "-mbranch-protection=none",  # otherwise return addresses are signed and cannot be used as addresses
        "-mno-outline-atomics",  # otherwise atomics would be calls of functions that announce nothing
        "--param",
        "stack-clash-protection-guard-size=12",  # log2 of the size: by default GCC assumes a guard of 64 KiB, and ours is one page
    ),
}
WARNINGS_OF_BOTH = ("-Wall", "-Wno-unknown-pragmas", "-Werror=vla", "-fdiagnostics-color=never", "-ftabstop=1")
WARNINGS = (*WARNINGS_OF_BOTH, "-Wno-sign-compare", "-fmax-errors=20")
# Warnings that may explain a failure. They are asked for beside one, and change nothing.
TELLING = ("-Wextra", "-Wshadow", "-Wfloat-conversion", "-Wno-unused-variable", "-Wno-unused-parameter")
