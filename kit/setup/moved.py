"""Corrects what says where it lay, after the folder around it was moved or copied. It uses only the standard library.

`moved.py OLD_ROOT NEW_ROOT build/kit.json`: the paths below the folder. `moved.py OLD_ROOT NEW_ROOT .venv/bin`: each program there says in
its first lines where its Python was; afterwards it finds the one beside itself, so that no second correction is needed. Programs that were
not made for OLD_ROOT are left alone.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

_HEADER = b"""#!/bin/sh
'''exec' "$(dirname -- "$(readlink -f -- "$0")")/python" "$0" "$@"
' '''
"""


def kit(text: str, old: str, new: str) -> str:
    """With each text that is a path below `old` below `new`."""
    before, after = json.dumps(old, ensure_ascii=False)[:-1], json.dumps(new, ensure_ascii=False)[:-1]
    return text.replace(f'{before}"', f'{after}"').replace(f"{before}/", f"{after}/")


def program(data: bytes, old_python: bytes) -> bytes:
    """The program as it is where it does not begin with a call of that Python: pip writes a short form and a long one."""
    name = re.escape(old_python) + rb"[\d.]*"
    for beginning in (rb"#!" + name + rb"\n", rb"#!/bin/sh\n'''exec' \"?" + name + rb"\"? \"\$0\" \"\$@\"\n' '''\n"):
        if found := re.match(beginning, data):
            return _HEADER + data[found.end() :]
    return data


def corrected(path: Path, old: str, new: str) -> bytes:
    before = path.read_bytes()
    if path.name == "kit.json":
        return kit(before.decode(), old, new).encode()
    venv = f"{old}/.venv".encode()
    if path.name.lower().startswith("activate"):
        return before.replace(venv, str(path.parent.parent.resolve()).encode())
    return program(before, venv + b"/bin/python")


def main(old: str, new: str, place: Path) -> None:
    for path in sorted(place.iterdir()) if place.is_dir() else [place]:
        if path.is_symlink() or not path.is_file():
            continue
        after = corrected(path, old, new)
        if after != path.read_bytes():
            half = path.with_name(
                f".{path.name}.new"
            )  # a copy may share its files with the folder that it was made from
            half.write_bytes(after)
            half.chmod(path.stat().st_mode & 0o777)
            half.replace(path)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3]))
