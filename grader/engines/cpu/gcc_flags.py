"""What GCC is told when it compiles a submission: its flags, each for a reason. Clang's are in `clang_flags.py`."""

from __future__ import annotations

# Learnt by experiment; docs/how-the-cpu-executor-works.md says what goes wrong without each.
LANGUAGE = (
    "-std=c++20",
    "-fno-exceptions",
    "-fno-rtti",
    "-fno-threadsafe-statics",
    "-ftemplate-depth=256",
    "-fconstexpr-ops-limit=4000000",
    "-fsigned-char",  # a GPU's char has a sign; ARM's has none
    "-ffp-contract=off",  # no multiply-add is fused on one machine and not on another
)
INSTRUMENTATION = (
    "-O0",  # optimisation merges accesses: a[i] * a[i] would be one read
    "-g",
    "-fsanitize=thread,bounds,alignment",
    "-fsanitize=integer-divide-by-zero",  # of processors, some answer 0 without a signal
    "-fsanitize-coverage=trace-pc",  # for (;;); makes no memory access: the budget counts edges too
    "--param",
    "tsan-distinguish-volatile=1",
    "-fno-elide-constructors",  # else an aggregate that passes through a call is announced by nobody
    "-fno-extern-tls-init",  # else extern __shared__ calls an initialiser that does not exist
    "-ftrivial-auto-var-init=pattern",  # a forgotten `float acc;` is visibly wrong
    "-fno-omit-frame-pointer",
    "-fno-optimize-sibling-calls",
    "-fno-jump-tables",  # a jump through a register would look like a call through a pointer
    "-fstack-clash-protection",  # a large frame touches the guard page instead of stepping over it
    "-fno-stack-protector",
    "-fno-asynchronous-unwind-tables",
    "-ffunction-sections",  # what the kernel reaches is read off the sections' relocations
    "-fdata-sections",  # and which variables, so that host code's own are told from a kernel's
    "-fno-gnu-unique",
    "-fno-pic",
    "-fno-pie",
)
# What only one kind of processor knows.
MACHINE = {
    "x86_64": ("-fcf-protection=none",),
    "aarch64": (
        "-mbranch-protection=none",  # signed return addresses are no addresses
        "-mno-outline-atomics",  # atomics would be calls to functions that announce nothing
        "--param",
        "stack-clash-protection-guard-size=12",  # log2: by default GCC counts on 64 KiB of guard, and ours is a page
    ),
}
WARNINGS = (
    "-Wall",
    "-Wno-unknown-pragmas",
    "-Wno-sign-compare",
    "-Werror=vla",
    "-fdiagnostics-color=never",
    "-fmax-errors=20",
    "-ftabstop=1",
)
