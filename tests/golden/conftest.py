"""Requests one launch from a runner directly in the protocol, for tests that need a launch's reply and no judge."""

from __future__ import annotations

import array
import json
import os
import socket
import struct
import subprocess
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Self

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


class Conversation:
    """With one runner, launch after launch."""

    def __init__(self, built: CpuBuild) -> None:
        self._socket, theirs = socket.socketpair()
        self._process = _runner(built, theirs)
        theirs.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()
        self._process.wait()

    def launch(
        self,
        arguments: Sequence[Argument],
        sizes: Sequence[int],
        grid: tuple[int, int] | None = None,
        *,
        traffic: bool = True,
    ) -> dict[str, Any]:
        """The reply, and as `outputs` what the buffers hold then. `grid`: blocks and threads along x, in place of a launch function."""
        request: dict[str, Any] = {
            "arguments": [{key: one[key] for key in one if key != "values"} for one in arguments],
            "launch_arguments": list(sizes),
            "event_budget": 100_000_000,
            "clock_ms": 60_000,
            "shared_poison": 255,
            "traffic": traffic,
        }
        if grid:
            request["config"] = {"grid": [grid[0], 1, 1], "block": [grid[1], 1, 1], "shared_bytes": 0}
        files = [_memory_file(one["values"]) for one in arguments if "values" in one]
        try:
            text = json.dumps(request).encode()
            socket.send_fds(self._socket, [struct.pack("<I", len(text))], files)
            self._socket.sendall(text)
            (length,) = struct.unpack("<I", _read(self._socket, 4))
            reply: dict[str, Any] = json.loads(_read(self._socket, length))
            return {**reply, "outputs": [array.array("f", os.pread(one, 1 << 20, 0)).tolist() for one in files]}
        finally:
            for file in files:
                os.close(file)

    def launch_processes(self) -> list[int]:
        """Those that the runner has now."""
        children = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children")
        return [int(one) for one in children.read_text(encoding="ascii").split()]


def launch(
    built: CpuBuild, arguments: Sequence[Argument], sizes: Sequence[int], grid: tuple[int, int] | None = None
) -> dict[str, Any]:
    """The reply of a runner to its first launch."""
    with Conversation(built) as runner:
        return runner.launch(arguments, sizes, grid)


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
    return SimpleNamespace(launch=launch, buffer=buffer, number=number, Conversation=Conversation)
