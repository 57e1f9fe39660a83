"""The kit's GPU runner in a sandbox, on a fake driver: it gets what it needs of the system. What NVIDIA's own driver needs besides can be
tested only on a machine with a GPU.
"""

from __future__ import annotations

import dataclasses
import json
import os
import socket
import struct
import subprocess
from pathlib import Path
from typing import Any

import pytest

from grader.engines.backend import GPU_RUN_LIMITS
from grader.system.confined_run import run_confined
from grader.system.confinement import Confinement, Profile

ROOT = Path(__file__).resolve().parents[4]
RUNNER, DRIVER = ROOT / "build" / "bin" / "gpu-runner", ROOT / "build" / "libfake-driver.so"
N = 100


def argument(name: str, role: str, bits: int = 0) -> dict[str, Any]:
    size = 4 if role == "scalar" else 4 * N
    element = "int" if role == "scalar" else "float"
    return {
        "name": name,
        "role": role,
        "element": element,
        "element_bytes": 4,
        "bytes": size,
        "bits": bits,
        "row_elements": 0,
    }


REQUEST = {
    "arguments": [argument("in", "input"), argument("out", "output"), argument("n", "scalar", N)],
    "launch_arguments": [32],
    "event_budget": 0,
    "clock_ms": 20_000,
    "shared_poison": 255,
}


@pytest.fixture
def driver() -> Path:
    assert DRIVER.is_file(), "run `make setup` with the kit's tests"
    return DRIVER


def test_a_confined_runner_uses_the_device(confinement: Confinement, driver: Path) -> None:
    finished = run_confined(
        confinement,
        [str(RUNNER), "--try", str(driver)],
        readable=[RUNNER, driver.parent],
        limits=GPU_RUN_LIMITS,
        cwd=Path("/"),
    )
    assert (finished.returncode, json.loads(finished.stdout)) == (0, {"usable": True}), finished.stderr


@pytest.mark.parametrize(
    ("kernel", "status", "findings"),
    [("scale", "completed", []), ("stray", "completed", ["out-of-bounds"]), ("dies", "crash", [])],
)
def test_a_confined_runner_launches_kernels(
    kernel: str, status: str, findings: list[str], confinement: Confinement, driver: Path, tmp_path: Path
) -> None:
    (tmp_path / "a.cubin").write_bytes(b"")
    image = {
        "driver": str(driver),
        "device": 0,
        "cubin": "a.cubin",
        "functions": [f"_Z{len(kernel)}{kernel}PKfPfi"],
        "kernel": f"{kernel}(float const*, float*, int)",
        "ask_launch": "ask",
        "poison_shared": "poison",
    }
    (tmp_path / "cubin.json").write_text(json.dumps(image), encoding="utf-8")
    argv = confinement.wrap(
        [str(RUNNER), "--image", str(tmp_path / "cubin.json")],
        readable=[RUNNER, driver.parent, tmp_path],
        limits=GPU_RUN_LIMITS,
    )
    reply, out = conversation(argv)
    assert (reply["status"], [one["kind"] for one in reply["findings"]]) == (status, findings), reply
    if kernel == "scale":
        assert out == tuple(2.0 * i for i in range(N))


def conversation(argv: list[str]) -> tuple[dict[str, Any], tuple[float, ...]]:
    """One request to a runner and its reply, as from a judge, and the contents of the second buffer afterwards."""
    ours, theirs = socket.socketpair()
    files = [os.memfd_create(name) for name in ("in", "out")]
    os.pwrite(files[0], struct.pack(f"{N}f", *range(N)), 0)
    os.pwrite(files[1], bytes(4 * N), 0)

    def place() -> None:
        os.dup2(theirs.fileno(), 3)

    with subprocess.Popen(argv, preexec_fn=place, pass_fds=(3,), stderr=subprocess.PIPE) as runner:  # noqa: PLW1509
        theirs.close()
        ours.settimeout(60)
        text = json.dumps(REQUEST).encode()
        try:
            socket.send_fds(ours, [struct.pack("<I", len(text)) + text], files)
            length = struct.unpack("<I", received(ours, 4))[0]
            reply = json.loads(received(ours, length))
        finally:
            ours.close()
            runner.kill()
    out = struct.unpack(f"{N}f", os.pread(files[1], 4 * N, 0))
    for file in files:
        os.close(file)
    return reply, out


def received(channel: socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size:
        chunk = channel.recv(size - len(data))
        assert chunk, "the runner ended without an answer"
        data += chunk
    return data


def test_a_program_on_the_gpu_writes_its_result_and_nothing_else_does(confinement: Confinement, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    written = {}
    profiles: tuple[Profile, ...] = ("gpu", "gpu-program")
    for profile in profiles:
        argv = confinement.wrap(
            ["/bin/sh", "-c", f"echo right >{profile}"],
            writable=[data],
            limits=dataclasses.replace(GPU_RUN_LIMITS, profile=profile),
        )
        subprocess.run(argv, cwd=data, capture_output=True, check=False)
        written[profile] = (data / profile).is_file()
    assert written == {"gpu": False, "gpu-program": True}
