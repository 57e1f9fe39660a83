"""The filter's system calls on other processors: 64-bit ARM lacks the older calls, and its libraries use other calls instead.

The filter ignores a name that a processor does not have. So the calls that replace it have to be in the list. Nothing is confined here.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

SANDBOX = Path(__file__).resolve().parents[4] / "kit" / "sandbox"
CROSS = "aarch64-linux-gnu-g++"
# What a C library on 64-bit ARM calls instead. Nothing replaces arch_prctl, which sets registers of x86-64.
INSTEAD = {
    "access": {"faccessat"},
    "alarm": {"setitimer"},
    "arch_prctl": set[str](),
    "chmod": {"fchmodat"},
    "creat": {"openat"},
    "dup2": {"dup3"},
    "epoll_wait": {"epoll_pwait"},
    "fork": {"clone"},
    "getdents": {"getdents64"},
    "getpgrp": {"getpgid"},
    "link": {"linkat"},
    "lstat": {"newfstatat"},
    "mkdir": {"mkdirat"},
    "open": {"openat"},
    "pause": {"ppoll"},
    "pipe": {"pipe2"},
    "poll": {"ppoll"},
    "readlink": {"readlinkat"},
    "rename": {"renameat", "renameat2"},
    "rmdir": {"unlinkat"},
    "select": {"pselect6"},
    "stat": {"newfstatat"},
    "symlink": {"symlinkat"},
    "time": {"clock_gettime"},
    "unlink": {"unlinkat"},
    "vfork": {"clone"},
}


def lists() -> dict[str, set[str]]:
    """The names in each list of syscall_filter.cpp, by the list's name, and those of calls with conditions."""
    text = (SANDBOX / "syscall_filter.cpp").read_text(encoding="utf-8")
    found = {
        name: set(re.findall(r'"(\w+)"', body)) for name, body in re.findall(r"(\w+)\[\] = \{(.*?)\};", text, re.DOTALL)
    }
    return found | {"with conditions": set(re.findall(r'allow\("(\w+)"', text))}


def calls_of(compiler: str) -> set[str]:
    """The system calls in the kernel headers of the compiler's processor."""
    argv = [compiler, "-x", "c++", "-E", "-dM", "-"]
    said = subprocess.run(argv, input="#include <asm/unistd.h>\n", capture_output=True, text=True, check=True)
    return set(re.findall(r"#define __NR(?:3264)?_(\w+) ", said.stdout))


def test_whatever_the_filter_allows_is_allowed_under_its_newer_name_too() -> None:
    everywhere = lists()["everyday_calls"] | lists()["with conditions"]
    for name, names in lists().items():
        if name == "refused_calls":
            continue
        allowed = names | everywhere
        missing = {old: INSTEAD[old] - allowed for old in names & INSTEAD.keys() if INSTEAD[old] - allowed}
        assert missing == {}, f"{name} allows calls that 64-bit ARM makes by other names"


def test_what_64_bit_arm_lacks_is_known_with_what_it_has_instead() -> None:
    if shutil.which(CROSS) is None:
        pytest.skip(f"{CROSS} is not installed")
    there = calls_of(CROSS)
    allowed = set[str]().union(*(names for name, names in lists().items() if name != "refused_calls"))
    assert {name for name in allowed if name not in there} == set(INSTEAD)
    assert set[str]().union(*INSTEAD.values()) <= there
