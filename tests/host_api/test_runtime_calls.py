"""What kit/host asks of the broker for the functions of CUDA's runtime, and what a program gets from them."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

import pytest

from tests.host_api.fake_broker import FakeBroker
from tests.host_api.host_program import build

SOURCE = Path(__file__).with_name("every_call.cpp")
_KERNEL = {"error": 0, "sizes": [8, 8], "max_threads": 1024, "static_shared_bytes": 0, "registers": 32}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    return build(SOURCE.read_text(encoding="utf-8"), tmp_path_factory.mktemp("host"))


@pytest.fixture
def program(built: tuple[Path, str]) -> Path:
    return built[0]


def line_of(program: Path, at: int) -> str:
    """The text of the line that a return address belongs to."""
    found = subprocess.run(
        ["addr2line", "-e", program, hex(at - 1)], capture_output=True, text=True, check=True
    ).stdout.split(":")
    return SOURCE.read_text(encoding="utf-8").split("\n")[int(found[-1].split()[0]) - 1]


def test_copies_bring_every_byte_there_and_back(program: Path) -> None:
    broker = FakeBroker()
    done = broker.run(program, "copies")
    assert done.stdout == "same: 1\npitch 512: 1 4 5\n"
    assert [one["kind"] for one in broker.asked("copy")] == [1, 2, 1, 2, 0]
    assert len(broker.asked("chunk")) == 1 + 2 * 7 + 2  # the first is the managed variable's
    assert [one["bytes"] for one in broker.asked("allocate")] == [400000, 3 * 512]


def test_a_variable_of_the_device_is_known_by_its_symbol(program: Path) -> None:
    broker = FakeBroker()
    done = broker.run(program, "symbols")
    assert done.stdout == "7 5\ncudaErrorInvalidSymbol\n"
    assert [(one["name"], one["bytes"], one["kind"]) for one in broker.asked("symbol")] == [
        ("total", 4, "managed"),
        ("counter", 4, "device"),
        ("weights", 64, "device"),
    ]
    place = max(broker.memory)
    assert bytes(broker.memory[place][8:16]) == b"\0\0\x80?\0\0\0@"


def test_a_launch_names_the_instance_and_brings_its_arguments_as_bytes(program: Path) -> None:
    broker = FakeBroker(answers={"kernel": [_KERNEL]})
    done = broker.run(program, "launches")
    launches = broker.asked("launch")
    assert [one["kernel"] for one in launches] == ["_ZN6course3addIfEEvPKT_PS1_i", "plain", "_ZL6scaledPfd"]
    assert launches[0]["arguments"] == ["0000400000200000", "0000400000200000", "03000000"]
    assert (launches[0]["grid"], launches[0]["block"], launches[0]["shared"]) == ([2, 3, 1], [32, 1, 1], 128)
    assert launches[2]["arguments"] == ["0000400000200000", "000000000000e03f"]
    assert "course::add" in line_of(program, launches[0]["at"])
    assert done.stdout == "8 264 1024\n"


def test_an_error_that_the_library_finds_is_told_and_becomes_the_last_error(program: Path) -> None:
    broker = FakeBroker()
    done = broker.run(program, "errors")
    text, peeked, got, device = done.stdout.splitlines()
    assert text == "invalid device ordinal"
    assert peeked == "cudaErrorInvalidDevice"
    assert sorted(got.split()) == ["cudaErrorInvalidDevice", "cudaSuccess"]
    assert device == f"132 9.0 {1 << 30}"
    assert [(one["name"], one["error"]) for one in broker.asked("failed")] == [("cudaSetDevice", 101)]


def test_managed_and_page_locked_memory_is_ordinary_memory_of_the_program(program: Path) -> None:
    broker = FakeBroker()
    assert broker.run(program, "shared-memory").stdout == "9 1\n"
    assert [one["kind"] for one in broker.asked("free")] == ["device", "pinned", "device"]


def test_host_code_that_touches_device_memory_is_told_with_its_line_and_ends(program: Path) -> None:
    broker = FakeBroker()
    done = broker.run(program, "touch")
    (touched,) = broker.asked("touch")
    assert done.returncode == -signal.SIGSEGV
    assert done.stdout == "before\n"
    assert touched["write"] is True
    assert touched["address"] in broker.memory
    assert "the line of the fault" in line_of(program, touched["at"])


def test_a_copy_from_memory_that_is_not_there_ends_the_program_as_a_fault(program: Path) -> None:
    done = FakeBroker().run(program, "copy-from-nowhere")
    assert done.returncode == -signal.SIGSEGV
    assert "not readable" in done.stderr


def test_a_copy_that_is_longer_than_the_hosts_own_block_is_noted(program: Path) -> None:
    broker = FakeBroker()
    assert broker.run(program, "wrong-sizes").returncode == 0
    notes = broker.asked("note")
    assert [(one["kind"], one["bytes"], one["room"], one["side"]) for one in notes] == [
        ("copy-size", 36, 32, "from"),
        ("copy-size", 8, 4, "from"),
    ]
    assert "four bytes too many" in line_of(program, notes[0]["at"])
    assert "as well" in line_of(program, notes[1]["at"])


def test_streams_and_events_are_the_brokers_numbers(program: Path) -> None:
    broker = FakeBroker()
    assert broker.run(program, "streams").stdout == "called\n1.5\n"
    recorded = [one["stream"] for one in broker.asked("event") if one["what"] == "record"]
    assert recorded == [4, 0]


def test_what_kernels_print_comes_behind_what_the_program_printed_before(program: Path) -> None:
    broker = FakeBroker(answers={"device": [{"error": 0, "printed": "from a kernel\n"}]})
    assert broker.run(program, "streams").stdout == "called\n1.5\nfrom a kernel\n"


def test_the_goodbye_comes_after_the_last_destructor_and_has_the_status(program: Path) -> None:
    broker = FakeBroker()
    assert broker.run(program, "ends").returncode == 3
    assert [one["op"] for one in broker.requests[-2:]] == ["free", "bye"]
    assert broker.requests[-1]["status"] == 3


def test_a_call_whose_value_nobody_looks_at_is_a_warning(built: tuple[Path, str]) -> None:
    said = [one for one in built[1].splitlines() if "[-Wunused-result]" in one]
    assert len(said) == 1
    assert "cudaMalloc" in said[0]


def test_device_functions_go_at_link(built: tuple[Path, str]) -> None:
    assert "undefined reference" not in built[1]


def test_without_a_broker_a_program_says_what_starts_it(program: Path) -> None:
    done = subprocess.run([program, "errors"], capture_output=True, text=True, check=False)
    assert done.returncode == 125
    assert "tilelab run" in done.stderr
