"""What of the system itself a compiler or a linked program needs to see. No home, no /etc but the linker's, no /proc.

Not all of /usr: somebody may keep a course under /usr/src or /usr/local/share. Looked up once in a process: a batch starts
thousands of sandboxes.
"""

from __future__ import annotations

import functools
from pathlib import Path

# Each of them under / (links to /usr on a system with merged folders), /usr and /usr/local.
_FOLDERS = ("bin", "sbin", "lib", "lib32", "lib64", "libx32", "libexec", "include")
_LOADER_FILES = ("ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives")
DEVICES = (Path("/dev/null"), Path("/dev/zero"), Path("/dev/urandom"))
# What NVIDIA's driver reads to find its devices, to place memory near them, and of its own process.
GPU_FOLDERS = (Path("/proc"), Path("/sys/bus"), Path("/sys/class"), Path("/sys/devices"), Path("/sys/module"))


@functools.cache
def system_folders() -> tuple[Path, ...]:
    """Real folders that hold programs, libraries and headers. Empty ones are left out: each is a mount."""
    candidates = [Path(root) / name for root in ("/", "/usr", "/usr/local") for name in _FOLDERS]
    # Debian keeps a cross compiler's libraries under /usr/<triplet>.
    candidates += sorted(Path("/usr").glob("*-linux-gnu*"))
    return tuple(path for path in candidates if path.is_dir() and not path.is_symlink() and any(path.iterdir()))


@functools.cache
def system_links() -> tuple[tuple[Path, str], ...]:
    """Links among them, with what each says: /bin -> usr/bin where folders are merged."""
    candidates = [Path(root) / name for root in ("/", "/usr", "/usr/local") for name in _FOLDERS]
    return tuple((path, str(path.readlink())) for path in candidates if path.is_symlink())


@functools.cache
def system_files() -> tuple[Path, ...]:
    """What the dynamic loader and Debian's alternatives need of /etc."""
    return tuple(path for name in _LOADER_FILES if (path := Path("/etc") / name).exists())


def toolchain_path(prefix: Path | None) -> list[Path]:
    """Folders of a private prefix that come before the system's programs."""
    if prefix is None:
        return []
    return [path for path in (prefix / "toolchain", prefix / "usr" / "bin") if path.is_dir()]


def outermost_first(paths: list[Path]) -> list[Path]:
    """Each path once, a folder before what lies beneath it, so that the inner one has the last word."""
    return sorted(set(paths), key=lambda path: (len(path.parts), path))


def gpu_devices() -> list[Path]:
    """The device nodes of NVIDIA's driver; on Windows' Linux there is one for all."""
    found = [*Path("/dev").glob("nvidia*"), *Path("/dev/nvidia-caps").glob("*"), Path("/dev/dxg")]
    return sorted(path for path in found if path.is_char_device())
