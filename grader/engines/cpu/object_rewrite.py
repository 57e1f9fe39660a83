"""What objcopy does to a submission's object file before it is linked."""

from __future__ import annotations

import re
from collections.abc import Iterable

from grader.engines.device_functions import REDIRECTIONS

# The runner asks the linker for these sections' bounds; they hold all data of a submission.
ALIGNMENT = (
    256  # of each __device__ variable, as CUDA aligns what it allocates: a compiler's own would decide on sectors
)
_OWN = re.compile(r"\.(bss|data)\.\w")
_DATA_SECTIONS = ((".rodata", "tlrodata"), (".data", "tldata"), (".bss", "tlbss"))


def rewrite_arguments(objcopy: str, sections: Iterable[str], entry_points: Iterable[str], file_name: str) -> list[str]:
    """Only the entry points stay visible (nothing of the kit's can be replaced), no constructor is left, silent copies
    go through us, and data lands in sections whose bounds the linker names.
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
    """Makes static entry points visible; objcopy does not combine it with the above."""
    return [objcopy, *(f"--globalize-symbol={name}" for name in names), file_name]
