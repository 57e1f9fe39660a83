"""The changes that objcopy makes to a submission's object file before it is linked."""

from __future__ import annotations

import re
from collections.abc import Iterable

from grader.engines.device_functions import REDIRECTIONS

# These sections hold all data of a submission. The runner gets their bounds from the linker.
ALIGNMENT = 256  # alignment of each __device__ variable, like CUDA's; the compiler's alignment would change the number of sectors
_OWN = re.compile(r"\.(bss|data)\.\w")
_DATA_SECTIONS = ((".rodata", "tlrodata"), (".data", "tldata"), (".bss", "tlbss"))


def rewrite_arguments(objcopy: str, sections: Iterable[str], entry_points: Iterable[str], file_name: str) -> list[str]:
    """Hides all symbols except the entry points, so that a submission cannot replace a function of the kit. Removes constructors. Redirects
    copies that announce nothing to our functions. Moves data to sections whose bounds the linker knows.
    """
    argv = [objcopy, "--remove-section=.init_array*", "--remove-section=.rela.init_array*"]
    argv += [f"--redefine-sym={name}={replacement}" for name, replacement in REDIRECTIONS.items()]
    for section in sorted(set(sections)):
        for prefix, target in _DATA_SECTIONS:
            if section == prefix or section.startswith(prefix + "."):
                argv.append(f"--rename-section={section}={target}")
                if _OWN.match(section):
                    argv.append(f"--set-section-alignment={section}={ALIGNMENT}")
    argv += [f"--keep-global-symbol={name}" for name in entry_points]
    return [*argv, file_name]


def globalize_arguments(objcopy: str, names: Iterable[str], file_name: str) -> list[str]:
    """Makes static entry points visible. objcopy cannot do this in the same run."""
    return [objcopy, *(f"--globalize-symbol={name}" for name in names), file_name]


def argument_file(argv: list[str]) -> str:
    """All but the program as binutils read them from a file: a line of commands holds 128 KiB, and a file has thousands of sections."""
    return "".join(re.sub(r"([\s\\'\"])", r"\\\1", word) + "\n" for word in argv[1:])
