"""Requests one launch from a runner directly in the protocol, for tests that need a launch's reply and no judge."""

from __future__ import annotations

import array
import json
import os
import socket
import struct
import subprocess
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from grader.engines.cpu_build import CpuBuild

_SOCKET = 3  # the descriptor of the runner's end


Argument = dict[str, Any]


def number(name: str, value: int) -> Argument:
    return {
        "name": name,
        "role": "scalar",
        "element": "int",
        "element_bytes": 4,
        "bytes": 4,
        "bits": value,
        "row_elements": 0,
    }


def buffer(name: str, role: str, values: Sequence[float], columns: int = 0) -> Argument:
    size = {"element": "float", "element_bytes": 4, "bytes": 4 * len(values), "bits": 0, "row_elements": columns}
    return {"name": name, "role": role, **size, "values": values}


def launch(
    built: CpuBuild, arguments: Sequence[Argument], sizes: Sequence[int], grid: tuple[int, int] | None = None
) -> dict[str, Any]:
    """The runner's reply. `grid`: blocks and threads along x, used instead of a launch function."""
    request: dict[str, Any] = {
        "arguments": [{key: one[key] for key in one if key != "values"} for one in arguments],
        "launch_arguments": list(sizes),
        "event_budget": 100_000_000,
        "clock_ms": 60_000,
        "shared_poison": 255,
        "traffic": True,
    }
    if grid:
        request["config"] = {"grid": [grid[0], 1, 1], "block": [grid[1], 1, 1], "shared_bytes": 0}
    files = [_memory_file(one["values"]) for one in arguments if "values" in one]
    ours, theirs = socket.socketpair()
    try:
        with _runner(built, theirs), ours:
            theirs.close()
            text = json.dumps(request).encode()
            socket.send_fds(ours, [struct.pack("<I", len(text))], files)
            ours.sendall(text)
            (length,) = struct.unpack("<I", _read(ours, 4))
            reply: dict[str, Any] = json.loads(_read(ours, length))
    finally:
        for file in files:
            os.close(file)
    return reply


def _runner(built: CpuBuild, end: socket.socket) -> subprocess.Popen[bytes]:
    assert built.runner, built.refusals
    script = f'exec {_SOCKET}<&{end.fileno()}; exec "$0" "$@"'
    argv = ["bash", "-c", script, str(built.runner), "--image", str(built.image)]
    return subprocess.Popen(argv, pass_fds=[end.fileno()])


def _memory_file(values: Sequence[float]) -> int:
    file = os.memfd_create("buffer")
    os.write(file, array.array("f", values).tobytes())
    return file


def _read(stream: socket.socket, count: int) -> bytes:
    data = b""
    while len(data) < count:
        more = stream.recv(count - len(data))
        assert more, "the runner hung up"
        data += more
    return data


@pytest.fixture(scope="session")
def talk() -> SimpleNamespace:
    return SimpleNamespace(launch=launch, buffer=buffer, number=number)
