"""A lab's counted memory traffic on a student's page: the cost of each line, what one request of a warp touches on average, and a roofline
plot. Pure. Coordinates are computed here; the template only draws.
"""

from __future__ import annotations

from collections.abc import Iterator

from grader.model import visible_text
from grader.model.verdicts import Verdict
from grader.pages.launches.traffic_tables import binding_words, measured_words, prediction_words, step_words
from grader.pages.page_section import Shown
from grader.pages.speed.chart import climb_figure, roof_figure
from grader.pages.student_page.lab_sections import LabView
from grader.run.scoring.metrics import METRICS, Counts, passes, remarks
from grader.run.scoring.predicted_time import gpu_named, gpus, modelled

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
                strips=list(_strips(line.metrics)),
            )
            for line in costly
        ],
        remarks=list(remarks(traffic.lines)),
        roof=roof_figure(traffic, model, view.lab.timing if measured_on else None) if model and model.flops else None,
    )


def _strips(counts: Counts) -> Iterator[Shown]:
    for names in METRICS:
        if requests := counts.get(names.requests, 0):
            yield _strip(f"{requests:,} global {names.kind}s", counts.get(names.sectors), requests, "sectors")
    for names in METRICS:
        if instructions := counts.get(names.instructions, 0):
            text = f"{instructions:,} shared {names.kind}s"
            yield _strip(text, counts.get(names.wavefronts), instructions, "wavefronts")


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
