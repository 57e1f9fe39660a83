"""Packs the kit that was built in one folder for folders with the same sources elsewhere, and unpacks it there. It uses only the standard
library.

`prebuilt.py pack BUILD ARCHIVE PROGRAM...`: these programs of the folder `BUILD`, what submissions are linked with, and what says where
they can be used: the digests of their sources, which are given as sha256sum prints them, and the version of the compiler. Nothing in
it depends on where the folder lies.
`prebuilt.py unpack ARCHIVE BUILD ROOT COMPILER`: makes the folder `BUILD` of it, as if it had been built there for the folder `ROOT`.
"""

from __future__ import annotations

import hashlib
import io
import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

_ROOT = "@"  # in the packed kit.json, begins paths of the folder that it is unpacked to
# With the judges, what a build from sources leaves for later.
_PARTS = ("launch-problem", "broker", "gpu-runner", "tilelab_host")


def pack(build: Path, archive: Path, sums: str, programs: list[str]) -> None:
    kit = json.loads((build / "kit.json").read_text(encoding="utf-8"))
    # The paths in it are those of the folder where it was written.
    around = (build / "kit.json").resolve().parent.parent
    version = subprocess.run([kit["compiler"], "-dumpversion"], capture_output=True, text=True, check=True).stdout
    files = {f"bin/{name}": _stripped(build / "bin" / name) for name in programs}
    for key in ("archives", "host_archives"):
        files |= {f"lib/{Path(path).name}": Path(path).read_bytes() for path in kit[key]}
        kit[key] = [f"{_ROOT}/build/lib/{Path(path).name}" for path in kit[key]]
    for key in ("includes", "host_includes"):
        kit[key] = [f"{_ROOT}/{Path(path).relative_to(around).as_posix()}" for path in kit[key]]
    kit |= {"compiler": None, "on_demand": []}
    judges = [name for name in programs if name.startswith("judge-")]
    files |= {f"parts/{name}": b"" for name in (*_PARTS, *judges)}
    texts = {
        "kit.json": json.dumps(kit, indent=1),
        ".sums": sums.rstrip(),
        ".sources": hashlib.sha256(sums.encode()).hexdigest(),
        ".compiler": version.split(".")[0].strip(),
        ".programs": "\n".join(programs),
    }
    if (build / ".tried").is_file():
        of, _, tried = (build / ".tried").read_text(encoding="utf-8").partition("\n")
        if of == (build / ".sources").read_text(encoding="utf-8").strip():
            texts[".tried"] = f"{texts['.sources']}\n{tried.strip()}"
    files |= {name: f"{text}\n".encode() for name, text in texts.items()}
    archive.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(archive, "w:xz", format=tarfile.USTAR_FORMAT) as tar:
        for name, data in sorted(files.items()):
            member = tarfile.TarInfo(name)
            member.size = len(data)
            member.mode = 0o755 if name.startswith("bin/") else 0o644
            tar.addfile(member, io.BytesIO(data))


def _stripped(program: Path) -> bytes:
    """Without its debug information and names, where there is a strip."""
    if shutil.which("strip") is None:
        return program.read_bytes()
    with tempfile.TemporaryDirectory() as folder:
        small = Path(folder) / "program"
        subprocess.run(["strip", "-o", small, program], check=True)
        return small.read_bytes()


def unpack(archive: Path, build: Path, root: str, compiler: str) -> None:
    with tarfile.open(archive, "r:xz") as tar:
        for member in tar:
            path = build / member.name
            path.parent.mkdir(parents=True, exist_ok=True)
            stream = tar.extractfile(member)
            path.write_bytes(stream.read() if stream else b"")
            path.chmod(member.mode & 0o755)
    kit = json.loads((build / "kit.json").read_text(encoding="utf-8"))
    placed = {
        key: [root + path.removeprefix(_ROOT) for path in value]
        for key, value in kit.items()
        if isinstance(value, list)
    }
    (build / "kit.json").write_text(
        json.dumps({**kit, **placed, "compiler": compiler}, indent=1) + "\n", encoding="utf-8"
    )


if __name__ == "__main__":
    if sys.argv[1] == "pack":
        pack(Path(sys.argv[2]), Path(sys.argv[3]), sys.stdin.read(), sys.argv[4:])
    else:
        unpack(Path(sys.argv[2]), Path(sys.argv[3]), *sys.argv[4:6])
