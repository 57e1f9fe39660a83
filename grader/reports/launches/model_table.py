"""A modelled launch as a table: the least time of each part of a GPU, and which part is the limit. Pure; no measurement."""

from __future__ import annotations

from collections.abc import Iterator

from grader.reports.launches.trace_tables import Heading, Part, Sentence, Table
from grader.single_launch.profiling import ModelledLaunch
from grader.traffic.modelled_time import Term


def model_parts(launch: ModelledLaunch) -> Iterator[Part]:
    model = launch.model
    yield Heading(f"Modelled, not measured: {model.gpu.name}")
    speed = f"{model.flops / 1e12:.1f} TFLOP/s" if model.flops else f"{model.bytes_ / 1e9:,.0f} GB/s"
    yield Sentence(f"{launch.shape} ({launch.explanation}): at most {speed}. The limit is: {model.binding.name}.")
    rows = tuple((term.name, _milliseconds(term)) for term in model.terms)
    yield Table(("at its peak rate", "milliseconds"), rows, frozenset({1}))
    yield Sentence(
        "The model leaves out: other instructions, latency, occupancy, hits in L1 and L2, and accesses that nvcc merges."
    )


def _milliseconds(term: Term) -> str:
    most = f" to {1e3 * term.at_most:.4g}" if term.at_most is not None else ""
    return f"{1e3 * term.seconds:.4g}{most}"
