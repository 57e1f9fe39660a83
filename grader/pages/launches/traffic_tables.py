"""A launch's memory traffic, for a terminal as headings, sentences and tables, and on a student's page. Pure; the template only draws.

Costs are passes of a multiprocessor's load/store unit. A request of global memory takes one pass for every 128 bytes, and at least
one. A shared access takes one pass for every wavefront. Source text comes from a submission, so it goes through `visible`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from grader.model import visible_text
from grader.model.result import Launch, LineTraffic, Outlook, Timing, Traffic
from grader.model.verdicts import Verdict
from grader.pages.launches.trace_tables import Heading, Part, Sentence, Table
from grader.pages.page_section import Shown
from grader.pages.speed.chart import climb_figure, roof_figure
from grader.pages.student_page.lab_sections import LabView
from grader.run.scoring.metrics import INTENSITY, LOAD, METRICS, Counts, l1_bytes, metrics_of, passes, remarks
from grader.run.scoring.predicted_time import (
    ARITHMETIC,
    GLOBAL,
    INSTRUCTIONS,
    MEMORY,
    SHARED,
    WAITING,
    ModelledTime,
    gpu_named,
    gpus,
    modelled,
)

_SOURCE = 48  # the most characters of a source line
SOURCE_LEVEL = (
    "Counted at source level: this is what the statements ask for. An optimising compiler may merge neighbouring accesses "
    "into one wider access."
)


def traffic_parts(lab_id: str, launch: Launch) -> Iterator[Part]:
    text = f"{launch.shape}."
    if launch.grid and launch.block:
        grid, block = (" x ".join(map(str, extent)) for extent in (launch.grid, launch.block))
        text += f" {grid} blocks of {block} threads, in x, y and z."
    yield Heading(f"Memory traffic of {lab_id}")
    yield Sentence(text)
    if launch.traffic is None:
        yield Sentence("Nothing was counted: the launch did not end.")
        return
    if not launch.traffic.complete:
        yield Sentence(
            "The counts are incomplete: the launch stopped early, or a warp did more between two barriers than can be counted."
        )
    counts = launch.traffic.metrics
    yield from _totals(counts)
    yield Sentence(_work(launch.traffic))
    yield Heading("What each line costs")
    yield _by_line(launch.traffic.lines, passes(counts))
    for remark in remarks(launch.traffic.lines):
        yield Sentence(remark)
    yield Sentence(SOURCE_LEVEL)


def _totals(counts: Counts) -> Iterator[Part]:
    rows = []
    for names in METRICS:
        if requests := counts.get(names.requests):  # of an atomic, the executor counts no sectors
            sectors = counts.get(names.sectors)
            touched = ("", "") if sectors is None else (f"{sectors:,}", f"{sectors / requests:.2f}")
            rows.append((f"global {names.kind}s", f"{requests:,}", *touched, ""))
    for names in METRICS:
        if instructions := counts.get(names.instructions):
            is_known = names.wavefronts in counts
            wavefronts = f"{counts[names.wavefronts]:,} ({counts[names.conflicts]:,})" if is_known else ""
            rows.append((f"shared {names.kind}s", f"{instructions:,}", "", "", wavefronts))
    heads = ("", "requests of warps", "32-byte sectors", "sectors per request", "wavefronts (conflicts)")
    yield Table(heads, tuple(rows), frozenset({1, 2, 3, 4}))


def _work(traffic: Traffic) -> str:
    counts = traffic.metrics
    least = f"Reading each input once and writing each output once would be {traffic.compulsory_bytes:,} bytes."
    text = f"{l1_bytes(counts):,} bytes of global memory pass through L1. {least}"
    if not traffic.work:
        return text
    loads = counts[LOAD.sectors] / traffic.work
    text += f" The work is {traffic.work:,} {traffic.work_unit}s; the kernel loads {loads:.4g} sectors for each"
    intensity = metrics_of(traffic).get(INTENSITY)
    return f"{text}, which is {intensity:.3g} FLOP per byte." if intensity is not None else f"{text}."


def _by_line(lines: Sequence[LineTraffic], total: int) -> Table:
    rows = []
    for line in sorted(lines, key=lambda one: (-passes(one.metrics), one.line or 0)):
        cost, text = passes(line.metrics), visible_text.code((line.source or "").strip())
        source = text if len(text) <= _SOURCE else text[: _SOURCE - 1] + "…"
        share = f"{100 * cost / total:.1f} %" if total else ""
        rows.append((str(line.line), source, "; ".join(_asked(line.metrics)), f"{cost:,}", share))
    return Table(("line", "", "asks for", "passes", "share"), tuple(rows), frozenset({0, 3, 4}))


def _accesses(counts: Counts) -> Iterator[tuple[str, int | None, int, str, bool]]:
    """Each kind in words, what all of them touch, how many they are, the unit, and whether a terminal is told of it."""
    for names in METRICS:
        if requests := counts.get(names.requests, 0):
            touched = counts.get(names.sectors)
            yield f"{requests:,} global {names.kind}s", touched, requests, "sectors", touched is not None
    for names in METRICS:
        if instructions := counts.get(names.instructions, 0):
            touched, told = counts.get(names.wavefronts), bool(counts.get(names.conflicts))
            yield f"{instructions:,} shared {names.kind}s", touched, instructions, "wavefronts", told


def _asked(counts: Counts) -> Iterator[str]:
    for words, touched, times, unit, told in _accesses(counts):
        yield f"{words} of {(touched or 0) / times:.2f} {unit}" if told else words


# Where a kernel stands on its lab's climb, in sentences: what binds it by prediction, and which step comes next. Pure.

_BINDS = {
    ARITHMETIC: "arithmetic. Nothing that is not a product can be left out any more",
    INSTRUCTIONS: "the schedulers: products, and the instructions around them",
    SHARED: "the path to shared memory",
    GLOBAL: "loads from global memory, in the same unit as shared memory",
    MEMORY: "device memory",
    WAITING: "waiting: nothing is computed while tiles come",
}
_WORTH_A_NUMBER = 1.05
_AS_PREDICTED = 0.75  # a smaller part of the predicted speed is told as such


def prediction_words(outlook: Outlook) -> str:
    gpu = gpu_named(outlook.gpu).name
    registers = f"{outlook.registers} registers for each thread, {'from nvcc' if outlook.compiled else 'an estimate'}"
    speed = f"{outlook.gflops / 1e3:.1f} TFLOP/s at {outlook.shape} on one {gpu}"
    counted = visible_text.line(outlook.counted, 80)
    return f"Predicted, not measured: {speed}, from the counts at {counted} and {registers}."


def binding_words(outlook: Outlook) -> str:
    name = outlook.terms[0].name
    return f"What probably limits it: {_BINDS.get(name, name)}."


def step_words(outlook: Outlook) -> Iterator[str]:
    """One sentence for each size at which another step is the next."""
    if not outlook.steps:
        yield (
            "The model expects nothing more from the steps of the write-up. What else limits this kernel, only a measurement can show."
        )
    for step in outlook.steps:
        place = "" if step.shape == outlook.shape else f"At {step.shape}, the size that is timed: "
        gain = f" The model expects about {step.gain:.1f} times the speed." if step.gain > _WORTH_A_NUMBER else ""
        yield f"{place}{step.title[:1].upper()}{step.title[1:]} (write-up: “{step.section}”).{gain}"


def measured_words(outlook: Outlook, timing: Timing | None) -> str:
    """Empty where the kernel was not timed."""
    own = [one for one in timing.contestants if one.name == "student" and one.gflops] if timing else []
    if not own or timing is None:
        return ""
    where = f"{visible_text.line(timing.shape, 80)} on {visible_text.line(timing.device, 80)}"
    said = f"Measured: {own[0].gflops / 1e3:.1f} TFLOP/s at {where}."
    if outlook.gpu.casefold() not in timing.device.replace(" ", "").casefold():
        return f"{said} The course's kernels were measured on another GPU, {gpu_named(outlook.gpu).name}: its speed is not to be compared."
    share = own[0].gflops / outlook.gflops if _numbers(timing.shape) == _numbers(outlook.shape) else 1.0
    left_out = (
        f" That is {100 * share:.0f} % of the prediction: something limits this kernel that the model leaves out."
    )
    return said + (left_out if share < _AS_PREDICTED else "")


def _numbers(shape: str) -> list[str]:
    return re.findall(r"\d+", shape)


def climb_parts(found: Outlook) -> Iterator[Part]:
    yield Heading("The next step")
    for step in step_words(found):
        yield Sentence(step)
    yield Sentence(binding_words(found))
    yield Sentence(prediction_words(found))
    rows = tuple((term.name, f"{term.milliseconds:.3g}") for term in found.terms)
    yield Table(("predicted, the longest binds", "milliseconds"), rows, frozenset({1}))


def model_parts(model: ModelledTime) -> Iterator[Part]:
    """A modelled launch as a table: the least time of each part of a GPU, and which part is the limit."""
    yield Heading(f"Modelled, not measured: {model.gpu.name}")
    speed = f"{model.flops / 1e12:.1f} TFLOP/s" if model.flops else f"{model.bytes_ / 1e9:,.0f} GB/s"
    yield Sentence(f"{model.shape} ({model.explanation}): at most {speed}. The limit is: {model.binding.name}.")
    most = (f" to {1e3 * term.at_most:.4g}" if term.at_most is not None else "" for term in model.terms)
    rows = tuple((term.name, f"{1e3 * term.seconds:.4g}{to}") for term, to in zip(model.terms, most, strict=True))
    yield Table(("at its peak rate", "milliseconds"), rows, frozenset({1}))
    yield Sentence(
        "The model leaves out: other instructions, latency, occupancy, hits in L1 and L2, and accesses that nvcc merges."
    )


# On a student's page: the cost of each line, what one request of a warp touches on average, and a roofline plot.

_MOST_LINES = 12
_BOXES, _BOX, _GAP = 32, 8, 2  # the most sectors or wavefronts that are drawn; pixels of a box and of the gap after it
_IDEAL = {"sectors": 4, "wavefronts": 1}  # what 32 floats side by side need


def traffic_section(view: LabView) -> Shown | None:
    """Shows the last launch that was counted. None where there is no such launch, or where the kernel is not right yet."""
    counted = [launch for launch in view.launches() if launch.traffic and launch.traffic.complete]
    if view.lab.verdict is not Verdict.PASS or not counted:
        return None
    launch, traffic = counted[-1], counted[-1].traffic
    assert traffic is not None
    total = passes(traffic.metrics)
    costly = sorted(traffic.lines, key=lambda line: (-passes(line.metrics), line.line or 0))[:_MOST_LINES]
    device = view.lab.timing.device.replace(" ", "").casefold() if view.lab.timing else ""
    measured_on = next(
        (gpu for key, gpu in gpus().items() if key.casefold() in device), None
    )  # where its figures are known
    is_modelled = traffic.work and total and not view.lab.outlook
    model = modelled(traffic, measured_on or next(iter(gpus().values()))) if is_modelled else None
    return Shown(
        shape=launch.shape,
        lines=[
            Shown(
                number=line.line or 0,
                source=visible_text.code((line.source or "").strip(), 120),
                share=f"{100 * passes(line.metrics) / total:.1f} %" if total else "",
                strips=[_strip(*each[:4]) for each in _accesses(line.metrics)],
            )
            for line in costly
        ],
        remarks=list(remarks(traffic.lines)),
        roof=roof_figure(traffic, model, view.lab.timing if measured_on else None) if model and model.flops else None,
    )


def _strip(text: str, all_touched: int | None, requests: int, unit: str) -> Shown:
    """What one request touches on average, drawn as boxes. `all_touched` None: the executor does not count what an atomic touches."""
    if all_touched is None:
        return Shown(text=text, boxes=[])
    touched = all_touched / requests
    filled = min(_BOXES, round(touched))
    shown = max(filled, 8)

    def kind(i: int) -> str:  # "right": needed; "wrong": more than needed; "idle": not touched
        return "idle" if i >= filled else "right" if i < _IDEAL[unit] else "wrong"

    boxes = [Shown(x=i * (_BOX + _GAP), kind=kind(i)) for i in range(shown)]
    said = f"{text}, {touched:.3g} {unit.removesuffix('s') if f'{touched:.3g}' == '1' else unit} each"
    return Shown(text=said, boxes=boxes, width=shown * (_BOX + _GAP) + _GAP, height=_BOX + _GAP)


def climb_section(view: LabView) -> Shown | None:
    """Where the kernel stands on its lab's climb. None where there is no climb, or the kernel is not right yet."""
    found, timing = view.lab.outlook, view.lab.timing
    if found is None or view.lab.verdict is not Verdict.PASS:
        return None
    times = [one.gflops for one in timing.contestants if one.name == "student"] if timing else []
    return Shown(
        prediction=prediction_words(found),
        measured=measured_words(found, timing),  # empty: not measured
        binding=binding_words(found),
        steps=tuple(step_words(found)),
        outlook=found,
        rungs=[(one.title, f"{one.gflops / 1e3:.1f}") for one in found.rungs],
        figure=climb_figure(found, times[0] if times else 0),
        gpu=gpu_named(found.gpu).name,
    )
