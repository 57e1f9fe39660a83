"""Corrects the programs of a .venv that was moved or copied: `moved_venv.py OLD_ROOT .venv/bin`. Each says in its first lines where its
Python was; afterwards it finds the one beside itself, so that no second correction is needed.

It uses only the standard library. Programs that were not made for OLD_ROOT are left alone.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

_HEADER = b"""#!/bin/sh
'''exec' "$(dirname -- "$(readlink -f -- "$0")")/python" "$0" "$@"
' '''
"""


def corrected(program: bytes, old_python: bytes) -> bytes:
    """The program as it is where it does not begin with a call of that Python: pip writes a short form and a long one."""
    name = re.escape(old_python) + rb"[\d.]*"
    for beginning in (rb"#!" + name + rb"\n", rb"#!/bin/sh\n'''exec' \"?" + name + rb"\"? \"\$0\" \"\$@\"\n' '''\n"):
        if found := re.match(beginning, program):
            return _HEADER + program[found.end() :]
    return program


def main(old_root: str, programs: Path) -> None:
    old, new = f"{old_root}/.venv".encode(), str(programs.parent.resolve()).encode()
    for path in sorted(programs.iterdir()):
        if path.is_symlink() or not path.is_file():
            continue
        before = path.read_bytes()
        after = (
            before.replace(old, new)
            if path.name.lower().startswith("activate")
            else corrected(before, old + b"/bin/python")
        )
        if after != before:
            half = path.with_name(
                f".{path.name}.new"
            )  # a copy may share its files with the folder that it was made from
            half.write_bytes(after)
            half.chmod(path.stat().st_mode & 0o777)
            half.replace(path)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
