"""What the launch of a graph asks of the broker: its nodes from the places where they were made, and edges as streams and events."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.host_api.fake_broker import FakeBroker
from tests.host_api.host_program import build

SOURCE = Path(__file__).with_name("graph_requests.cpp")
_KERNEL = {"error": 0, "sizes": [8, 4], "max_threads": 1024, "static_shared_bytes": 0, "registers": 32}


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(SOURCE.read_text(encoding="utf-8"), tmp_path_factory.mktemp("graphs"))[0]


def asked(program: Path, what: str) -> tuple[FakeBroker, str]:
    broker = FakeBroker(answers={"kernel": [_KERNEL]})
    return broker, broker.run(program, what).stdout


def launched(broker: FakeBroker) -> list[tuple[int, int, int]]:
    """Of each launch that is not only planned: the last argument, the stream, the launch of the graph."""
    return [
        (int(one["arguments"][1][:2], 16), one["stream"], one["graph"])
        for one in broker.asked("launch")
        if "planned_by" not in one
    ]


def test_nodes_that_follow_each_other_run_in_the_stream_of_the_launch_itself(program: Path) -> None:
    broker, said = asked(program, "chain")
    assert said == "cudaSuccess"
    (stream,) = {one[1] for one in launched(broker)}
    assert [one[0] for one in launched(broker)] == [1, 2, 3, 1, 2, 3]
    assert [one[2] for one in launched(broker)] == [1, 1, 1, 2, 2, 2]
    waits = [one for one in broker.asked("stream") if one["what"] == "wait"]
    assert [one["stream"] for one in waits] == [stream]  # the second launch, for the first


def test_branches_run_in_streams_of_their_own_and_are_joined_by_events(program: Path) -> None:
    broker, _ = asked(program, "diamond")
    first, left, right, last = launched(broker)[:4]
    assert first[1] == left[1] == last[1] != right[1]
    order = _order(broker)
    assert (first[0], right[0]) in order
    assert (right[0], last[0]) in order
    assert (left[0], right[0]) not in order
    assert launched(broker)[6][1] == right[1]  # the second launch has the same streams
    hidden = [one for one in broker.asked("stream") if one.get("hidden")]
    assert len(hidden) == 1


def test_edges_that_make_a_circle_are_refused(program: Path) -> None:
    broker, said = asked(program, "circle")
    assert said == "cudaErrorInvalidValue"
    assert launched(broker) == []


def test_a_captured_launch_is_checked_at_once_and_runs_with_the_graph_from_the_same_place(program: Path) -> None:
    broker, _ = asked(program, "capture")
    planned, ran = broker.asked("launch")
    assert planned["planned_by"] == "launch"
    assert ran["graph"] == 1
    assert planned["at"] == ran["at"]
    assert planned["arguments"] == ran["arguments"]


def test_a_graph_or_a_node_that_is_gone_is_an_error_and_is_not_followed(program: Path) -> None:
    _, said = asked(program, "strangers")
    assert said == "cudaErrorInvalidValue cudaErrorInvalidValue cudaErrorInvalidValue"


def _order(broker: FakeBroker) -> set[tuple[int, int]]:
    """Pairs of launches, by their last arguments, of which the first comes before the second: by streams and events alone."""
    done: dict[int, set[int]] = {}  # of each stream, and of each event below zero
    pairs: set[tuple[int, int]] = set()
    for one in broker.requests:
        what: Any = one.get("what")
        if one["op"] == "launch" and one.get("graph") == 1:
            number = int(one["arguments"][1][:2], 16)
            before = done.setdefault(one["stream"], set())
            pairs |= {(earlier, number) for earlier in before}
            before.add(number)
        elif (one["op"], what) == ("event", "record"):
            done[-one["event"]] = set(done.get(one["stream"], set()))
        elif (one["op"], what) == ("stream", "wait"):
            done.setdefault(one["stream"], set()).update(done.get(-one["event"], set()))
    return pairs
