"""What nothing has ordered, in sentences: work of two streams or nodes, and the host's use of what is not finished."""

from __future__ import annotations

from grader.programs.mistakes.host_facts import Facts
from grader.programs.mistakes.told_mistake import Told

# How two nodes of a graph get an order.
_EDGE = (
    "Let one node depend on the other: name it among the dependencies of the second, or call cudaGraphAddDependencies. "
    "While streams are captured, an event that the second stream waits for makes this edge."
)


def read_before_sync(facts: Facts) -> Told:
    message = (
        f"Host code uses {facts.memory} here, but nothing has waited for the work{facts.other} that may still write it."
    )
    return Told(
        "Read before the stream has finished",
        message,
        "Call cudaDeviceSynchronize() or cudaStreamSynchronize() before the host uses the result.",
    )


def write_before_sync(facts: Facts) -> Told:
    message = f"Host code changes {facts.memory} here, but nothing has waited for the work{facts.other} that may still read it."
    advice = (
        "Wait for that work before the host writes there again, with cudaStreamSynchronize() or an event, "
        "or use a second buffer."
    )
    return Told("Changed before the stream has finished", message, advice)


def copy_race(facts: Facts) -> Told:
    where = "nodes of one graph" if facts.record.flag("in_graph") else "in different streams"
    message = (
        f"This line and the work{facts.other} use {facts.memory}. They are {where}, and nothing says which comes first."
    )
    advice = "Put both in one stream, or record an event after the first and let the second stream wait for it."
    if facts.record.flag("in_graph"):
        advice = _EDGE
    return Told("Race between streams", message, advice)


def launch_race(facts: Facts) -> Told:
    record = facts.record
    kernel, other = facts.kernel, facts.kernel_named("other_kernel")
    element = record.number("element")
    place = f"element {element:,} of {facts.memory}" if element is not None else facts.memory

    def act(prefix: str) -> str:
        line = record.number(f"{prefix}line")
        verb = "writes" if record.flag(f"{prefix}writes") else "reads"
        return f"{verb} {{}} in line {line}" if line else f"{verb} {{}}"

    where = "are nodes of one graph" if record.flag("in_graph") else "are in different streams"
    message = (
        f"`{kernel}` {act('').format(place)} and `{other}`, launched{facts.other}, {act('other_').format('it')}. "
        f"The two launches {where}, and nothing says which comes first."
    )
    advice = (
        "Launch both in one stream, or record an event after the first launch and let the second stream wait for it "
        "(cudaEventRecord, cudaStreamWaitEvent), or call cudaDeviceSynchronize() between the two."
    )
    if record.flag("in_graph"):
        advice = _EDGE
    return Told("Race between two launches", message, advice)
