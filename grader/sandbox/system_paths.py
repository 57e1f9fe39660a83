"""The parts of the system that a compiler or a linked program has to see: no home folders, no /proc, and of /etc only the linker's.

Not all of /usr is shown: somebody may keep a course under /usr/src or /usr/local/share. The paths are looked up once per process,
because a batch starts thousands of sandboxes.
"""

from __future__ import annotations

import functools
from pathlib import Path

# Each of them may be under /usr, /usr/local and / (there as a link to /usr where a system has merged the folders).
_FOLDERS = ("bin", "sbin", "lib", "lib32", "lib64", "libx32", "libexec", "include")
_LOADER_FILES = ("ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives")
DEVICES = (Path("/dev/null"), Path("/dev/zero"), Path("/dev/urandom"))
# What NVIDIA's driver reads: to find its devices, to place memory near them, and about its own process.
GPU_FOLDERS = (Path("/proc"), Path("/sys/bus"), Path("/sys/class"), Path("/sys/devices"), Path("/sys/module"))


@functools.cache
def system_folders() -> tuple[Path, ...]:
    """Real folders that hold programs, libraries and headers. Empty ones are left out, because each folder costs a mount."""
    candidates = [Path(root) / name for root in ("/", "/usr", "/usr/local") for name in _FOLDERS]
    # Debian keeps a cross compiler's libraries under /usr/<triplet>.
    candidates += sorted(Path("/usr").glob("*-linux-gnu*"))
    return tuple(path for path in candidates if path.is_dir() and not path.is_symlink() and any(path.iterdir()))


@functools.cache
def system_links() -> tuple[tuple[Path, str], ...]:
    """Those that are links, each with its target: /bin -> usr/bin where the folders are merged."""
    candidates = [Path(root) / name for root in ("/", "/usr", "/usr/local") for name in _FOLDERS]
    return tuple((path, str(path.readlink())) for path in candidates if path.is_symlink())


@functools.cache
def system_files() -> tuple[Path, ...]:
    """The parts of /etc that the dynamic loader and Debian's alternatives need."""
    return tuple(path for name in _LOADER_FILES if (path := Path("/etc") / name).exists())


def toolchain_path(prefix: Path | None) -> list[Path]:
    """Folders of a private prefix that come before the system's programs."""
    if prefix is None:
        return []
    return [path for path in (prefix / "toolchain", prefix / "usr" / "bin") if path.is_dir()]


def outermost_first(paths: list[Path]) -> list[Path]:
    """Each path once, and a folder before what lies beneath it, so that the inner mount covers the outer one."""
    return sorted(set(paths), key=lambda path: (len(path.parts), path))


def gpu_devices() -> list[Path]:
    """The device nodes of NVIDIA's driver. In WSL one node stands for all GPUs."""
    found = [*Path("/dev").glob("nvidia*"), *Path("/dev/nvidia-caps").glob("*"), Path("/dev/dxg")]
    return sorted(path for path in found if path.is_char_device())
