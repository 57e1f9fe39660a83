"""A broker for tests of kit/host: it keeps device memory in Python, runs no kernel, and writes down what it was asked.

It is not the broker's rules: kit/program checks each request, and this one believes all of them.
"""

from __future__ import annotations

import array
import contextlib
import json
import mmap
import os
import socket
import struct
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Message = dict[str, Any]  # frames of JSON, whose keys depend on the request
_DEVICE, _SHARED, _END, _STEP = 0x2000_0000_0000, 0x2800_0000_0000, 0x3000_0000_0000, 4 << 20
_STAGING_BYTES = 1 << 16  # smaller than the real one, so that copies come in several chunks


@dataclass
class Pending:
    """Rows of device memory whose bytes come, or are asked for, in chunks."""

    direction: str
    address: int
    row_bytes: int
    pitch: int
    done: int = 0  # bytes

    def places(self, count: int) -> list[int]:
        """Of the next bytes."""
        at = range(self.done, self.done + count)
        self.done += count
        return [self.address + one // self.row_bytes * self.pitch + one % self.row_bytes for one in at]


@dataclass
class FakeBroker:
    """`answers`: replies for an operation, instead of the usual one; each is used once, the last one for good."""

    answers: dict[str, list[Message]] = field(default_factory=dict)
    requests: list[Message] = field(default_factory=list)
    memory: dict[int, bytearray] = field(default_factory=dict)
    last_error: int = 0
    _pending: Pending | None = None
    _shared_bytes: int = 0

    def run(self, program: Path, *arguments: str, timeout_s: float = 20) -> subprocess.CompletedProcess[str]:
        ours, theirs = socket.socketpair()
        staging, self._file = os.memfd_create("staging"), os.memfd_create("shared")
        os.ftruncate(staging, _STAGING_BYTES)
        os.ftruncate(self._file, 64 << 20)
        self._staging = mmap.mmap(staging, _STAGING_BYTES)

        def hand_over() -> None:  # the program's descriptors 3 and 4
            first, second = os.dup(theirs.fileno()), os.dup(staging)
            os.dup2(first, 3)
            os.dup2(second, 4)

        with subprocess.Popen(
            [program, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            close_fds=False,
            preexec_fn=hand_over,  # noqa: PLW1509 - the test starts no threads
        ) as process:
            theirs.close()
            ours.settimeout(timeout_s)
            with ours, contextlib.suppress(ConnectionError):
                try:
                    while (request := _receive(ours)) is not None:
                        self.requests.append(request)
                        self._reply(ours, request)
                except TimeoutError:
                    process.kill()
            out, err = process.communicate(timeout=timeout_s)
        os.close(staging)
        os.close(self._file)
        return subprocess.CompletedProcess([str(program)], process.returncode, out, err)

    def asked(self, op: str) -> list[Message]:
        return [one for one in self.requests if one["op"] == op]

    def _reply(self, ours: socket.socket, request: Message) -> None:
        op = request["op"]
        prepared = self.answers.get(op)
        if prepared:
            reply = prepared.pop(0) if len(prepared) > 1 else prepared[0]
            descriptors: list[int] = []
        else:
            reply, descriptors = getattr(self, f"_on_{op}", lambda _: ({"error": 0}, []))(request)
        if op != "last_error" and reply.get("error"):
            self.last_error = reply["error"]
        text = json.dumps(reply).encode()
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))] if descriptors else []
        ours.sendmsg([struct.pack("<I", len(text)) + text], rights)

    def _on_hello(self, _: Message) -> tuple[Message, list[int]]:
        return {"error": 0, "version": 1, "memory_bytes": 1 << 30, "staging_bytes": _STAGING_BYTES}, []

    def _on_allocate(self, request: Message) -> tuple[Message, list[int]]:
        bytes_ = request["bytes"]
        if request["kind"] == "device":
            address = _DEVICE + _STEP * (1 + len(self.memory))
            self.memory[address] = bytearray(bytes_)
            return {"error": 0, "address": address}, []
        offset = self._shared_bytes
        self._shared_bytes += -(-bytes_ // 4096) * 4096
        return {"error": 0, "address": _SHARED + offset, "offset": offset}, [self._file]

    def _on_symbol(self, request: Message) -> tuple[Message, list[int]]:
        kind = "managed" if request["kind"] == "managed" else "device"
        reply, descriptors = self._on_allocate({"bytes": request["bytes"], "kind": kind})
        self._pending = Pending("write", reply["address"], request["bytes"], request["bytes"])
        return {**reply, "direction": "write"}, descriptors

    def _on_copy(self, request: Message) -> tuple[Message, list[int]]:
        to, from_ = request["to"], request["from"]
        if not request["rows"] * request["row_bytes"]:
            return {"error": 0, "direction": "done"}, []
        of_device = [_DEVICE <= one < _END for one in (to, from_)]
        if not any(of_device):
            return {"error": 0, "direction": "host"}, []
        if of_device[0]:
            self._pending = Pending("write", to, request["row_bytes"], request["to_pitch"])
        else:
            self._pending = Pending("read", from_, request["row_bytes"], request["from_pitch"])
        return {"error": 0, "direction": self._pending.direction}, []

    def _on_chunk(self, request: Message) -> tuple[Message, list[int]]:
        assert self._pending
        places = self._pending.places(request["bytes"])
        if places[0] >= _SHARED:  # one row, always
            os.pwrite(self._file, self._staging[: len(places)], places[0] - _SHARED)
            return {"error": 0}, []
        base = max(one for one in self.memory if one <= places[0])
        for index, place in enumerate(places):
            if self._pending.direction == "write":
                self.memory[base][place - base] = self._staging[index]
            else:
                self._staging[index] = self.memory[base][place - base]
        return {"error": 0}, []

    def _on_last_error(self, request: Message) -> tuple[Message, list[int]]:
        error = self.last_error
        if not request["peek"]:
            self.last_error = 0
        return {"error": error}, []

    def _on_failed(self, request: Message) -> tuple[Message, list[int]]:
        return {"error": request["error"]}, []

    def _on_touch(self, _: Message) -> tuple[Message, list[int]]:
        return {"action": "stop"}, []

    def _on_stream(self, request: Message) -> tuple[Message, list[int]]:
        return {"error": 0, "stream": 3 + len(self.asked("stream"))} if request["what"] == "create" else {
            "error": 0
        }, []

    def _on_event(self, request: Message) -> tuple[Message, list[int]]:
        answers: dict[str, Message] = {"create": {"event": 20 + len(self.requests)}, "elapsed": {"milliseconds": 1.5}}
        more = answers.get(request["what"], {})
        return {"error": 0, **more}, []


def _receive(ours: socket.socket) -> Message | None:
    head = _bytes(ours, 4)
    if head is None:
        return None
    body = _bytes(ours, struct.unpack("<I", head)[0])
    return None if body is None else json.loads(body)


def _bytes(ours: socket.socket, count: int) -> bytes | None:
    found = b""
    while len(found) < count:
        part = ours.recv(count - len(found))
        if not part:
            return None
        found += part
    return found
