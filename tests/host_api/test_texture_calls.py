"""What kit/host asks of the broker for arrays, textures and surfaces."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.host_api.fake_broker import FakeBroker, Message
from tests.host_api.host_program import build

SOURCE = Path(__file__).with_name("texture_requests.cpp")
_ARRAY = 0x2000_0040_0000
_INFO: Message = {"error": 0, "width": 8, "height": 4, "depth": 0, "flags": 2, "format": 1}
_INFO |= {"bits_x": 8, "bits_y": 8, "bits_z": 8, "bits_w": 8}


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(SOURCE.read_text(encoding="utf-8"), tmp_path_factory.mktemp("host"))[0]


def test_copies_name_the_place_in_an_array_and_count_its_texels(program: Path) -> None:
    answers: dict[str, list[Message]] = {
        "array": [{"error": 0, "address": _ARRAY}, _INFO],
        "copy": [{"error": 0, "direction": "done"}],
    }
    broker = FakeBroker(answers=answers)
    assert broker.run(program, "arrays").stdout == "8 1 8 2\n"
    (made, *_) = broker.asked("array")
    assert (made["what"], made["width"], made["height"], made["depth"], made["flags"]) == ("create", 8, 4, 0, 2)
    assert [made[f"bits_{one}"] for one in "xyzw"] == [8, 8, 8, 8]
    rows, line, first, second = broker.asked("copy")
    assert (rows["to"], rows["to_x"], rows["to_y"], rows["rows"], rows["row_bytes"]) == (_ARRAY, 4, 1, 3, 28)
    assert (line["line"], line["rows"], line["row_bytes"]) == (True, 1, 100)
    assert [(one["to_x"], one["to_z"], one["row_bytes"], one["slices"]) for one in (first, second)] == [
        (4, 1, 8, 2),
        (4, 2, 8, 1),
    ]
    assert second["from"] - first["from"] == 96
    assert broker.asked("free")[0]["kind"] == "array"


def test_a_texture_is_described_in_full(program: Path) -> None:
    broker = FakeBroker(answers={"texture": [{"error": 0, "handle": 0x7E87_0001_0000}]})
    done = broker.run(program, "textures")
    assert done.stdout == "7e8700010000\n"
    made, destroyed = broker.asked("texture")
    assert (made["resource"], made["width"], made["height"], made["pitch"]) == (3, 10, 20, 512)
    assert (made["address_x"], made["address_y"], made["as_float"], made["linear"]) == (0, 3, True, False)
    assert made["border_w"] == 0x3F80_0000
    assert (destroyed["what"], destroyed["handle"]) == ("destroy", 0x7E87_0001_0000)


def test_texels_of_three_numbers_are_refused_as_by_cuda(program: Path) -> None:
    broker = FakeBroker()
    assert broker.run(program, "three-numbers").stdout == "cudaErrorInvalidChannelDescriptor\n" * 2
    assert broker.asked("array") == []


def test_what_textures_lack_here_ends_the_run_with_a_sentence(program: Path) -> None:
    broker = FakeBroker()
    assert broker.run(program, "in-srgb").stdout == ""
    assert broker.asked("refuse")[0]["message"] == "Textures in sRGB are missing here."
