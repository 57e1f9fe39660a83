"""Builds the kit for 64-bit ARM and runs its tests and all kernels of the labs under qemu-user. The expected results are the same as here.

The compilers run natively, as cross compilers. Judges and runners are ARM programs, which the kernel starts under qemu. Nothing is
confined: the emulator has neither seccomp nor Landlock. All files are made outside the repository, in ~/.cache/tilelab/aarch64. This
is no part of `make test`, because it takes long.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from tests.suite import Tally, conclude  # noqa: E402 - the suite's own way of counting

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tilelab" / "aarch64"
TREE, SYSROOT = CACHE / "tree", CACHE / "sysroot"
TRIPLET = "aarch64-linux-gnu"
LIBRARIES = Path("/usr") / TRIPLET  # the cross compiler's C library
PACKAGES = {
    f"{TRIPLET}-g++": f"g++-{TRIPLET}",
    "qemu-aarch64-static": "qemu-user-static",
    "unshare": "util-linux",
    "dpkg-deb": "dpkg",
}
# The tag of test cases that cannot pass under the emulator, and why.
NOT_UNDER_QEMU = {"[not-under-qemu]": "qemu hides from a program that a message's descriptors were cut off"}
MAGIC = (
    r":tilelab-aarch64:M::\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00"
    r":\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff:"
)
PYTESTS = [f"tests/labs/test_{name}.py" for name in ("models", "rejects", "accepted", "crashes", "kernel_exploits")]
BINFMT = Path("/proc/sys/fs/binfmt_misc")
# An emulated launch needs more processor time. The limit on its steps stays the same, and so do the verdicts.
CLOCK_FACTOR = "12"


def main() -> int:
    if missing := [package for program, package in PACKAGES.items() if shutil.which(program) is None]:
        print(f"tests under qemu need: apt-get install {' '.join(missing)}", file=sys.stderr)
        return 2
    if os.environ.get("TILELAB_EMULATED") != "1":
        try:
            _copy_tree()
            if not (SYSROOT / "usr" / "include").is_dir():
                subprocess.run([ROOT / "tests/aarch64/sysroot.sh", SYSROOT], check=True)
            _build()
        except subprocess.CalledProcessError as error:
            print(f"tests under qemu were not run: {Path(error.cmd[0]).name} failed, as it says above", file=sys.stderr)
            return 2
        return _among_arm_programs()
    total = _run_kit_tests() + _run_labs()
    for name, why in NOT_UNDER_QEMU.items():
        print(f"left out: {name} ({why})")
    print(total)
    return 1 if total.failed else 0


def _among_arm_programs() -> int:
    """Starts this script again in a place where ARM programs can be executed: a user namespace with its own binfmt_misc (Linux 6.7), so
    that the machine itself does not change. It is not started again where the machine can do it already, or the kernel is older.
    """
    again = [sys.executable, str(Path(__file__).resolve()), *sys.argv[1:]]
    environment = {
        **os.environ,
        "TILELAB_EMULATED": "1",
        "TILELAB_CLOCK_FACTOR": CLOCK_FACTOR,
        "QEMU_LD_PREFIX": str(LIBRARIES),
    }
    if not any(BINFMT.glob("*aarch64*")):
        register = MAGIC + (shutil.which("qemu-aarch64-static") or "") + ":F"
        script = 'mount -t binfmt_misc none "$0" && printf %s "$1" >"$0/register" && shift && exec "$@"'
        again = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script, str(BINFMT), register, *again]
    finished = subprocess.run(again, env=environment, check=False)
    return finished.returncode


def _copy_tree() -> None:
    """Copies the working tree into another folder, because a build folder belongs to one compiler. Unchanged files keep their times, so
    that little is built again.
    """
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=ROOT, check=True, capture_output=True
    ).stdout
    names = {name for name in listed.decode().split("\0") if name and (ROOT / name).is_file()}
    for name in names:
        source, target = ROOT / name, TREE / name
        if not target.is_file() or target.read_bytes() != source.read_bytes():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)
    for folder in ("assignments", "solutions", "kit", "grader", "tests"):
        for path in (TREE / folder).rglob("*"):
            if path.is_file() and path.relative_to(TREE).as_posix() not in names and path.suffix != ".pyc":
                path.unlink()


def _build() -> None:
    cmake = (ROOT / "build" / ".cmake").read_text(encoding="utf-8").strip()
    linking = _linker_flags()
    generator = ["-G", "Ninja"] if (ninja := shutil.which("ninja") or _own("ninja")) else []
    configure = [
        cmake,
        *generator,
        "-S",
        str(TREE),
        "-B",
        str(TREE / "build"),
        f"-DCMAKE_EXE_LINKER_FLAGS={' '.join(linking)}",
    ]
    configure += [f"-DCMAKE_MAKE_PROGRAM={ninja}"] if ninja else []
    configure += [f"-DCMAKE_TOOLCHAIN_FILE={ROOT / 'tests/aarch64/cross.cmake'}", "--log-level=WARNING"]
    environment = {**os.environ, "SYSROOT": str(SYSROOT)}
    subprocess.run(configure, check=True, env=environment, stdout=subprocess.DEVNULL)
    build = [cmake, "--build", str(TREE / "build"), "--parallel", str(os.cpu_count()), "--target", "all", "kit-tests"]
    subprocess.run(build, check=True, env=environment)
    # The command that links a submission also has to say where the C library is.
    compiler = CACHE / "g++"
    plain = f'case " $* " in *" c++-header "*) exec {TRIPLET}-g++ "$@" ;; esac'  # otherwise it would link the header
    compiler.write_text(f'#!/bin/sh\n{plain}\nexec {TRIPLET}-g++ "$@" {" ".join(linking)}\n', encoding="utf-8")
    compiler.chmod(0o755)
    description = TREE / "build" / "kit.json"
    kit = json.loads(description.read_text(encoding="utf-8")) | {"compiler": str(compiler)}
    description.write_text(json.dumps(kit), encoding="utf-8")


def _own(program: str) -> str | None:
    path = ROOT / ".venv" / "bin" / program
    return str(path) if path.exists() else None


def _linker_flags() -> list[str]:
    library = LIBRARIES / "lib"
    return [f"-Wl,--dynamic-linker={library}/ld-linux-aarch64.so.1", "-Wl,--disable-new-dtags", f"-Wl,-rpath,{library}"]


def _run_kit_tests() -> Tally:
    report = TREE / "build" / "kit.xml"
    selection = "".join(f"~{tag}" for tag in NOT_UNDER_QEMU)
    command = [str(TREE / "build/bin/kit-tests"), selection, "--rng-seed", "1", "--reporter", "console"]
    return _counted("kit, on aarch64", [*command, "--reporter", f"junit::out={report}"], report)


def _run_labs() -> Tally:
    report = TREE / "build" / "labs.xml"
    command = [sys.executable, "-m", "pytest", "-q", "-n", "auto", "-p", "no:cacheprovider", f"--junitxml={report}"]
    return _counted("labs, on aarch64", [*command, *(sys.argv[1:] or PYTESTS)], report)


def _counted(name: str, command: list[str], report: Path) -> Tally:
    report.unlink(missing_ok=True)
    environment = {**os.environ, "PYTHONPATH": str(TREE)}
    status = subprocess.run(command, cwd=TREE, env=environment, check=False).returncode
    tally = conclude(status, report.read_text(encoding="utf-8", errors="replace") if report.is_file() else None)
    print(f"{name}: {tally}", flush=True)
    return tally


if __name__ == "__main__":
    sys.exit(main())
