"""Where a kernel stands on its lab's climb, in sentences: what binds it by prediction, and which step comes next. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from grader.model.result import NextStep, Outlook, Timing
from grader.reports.text import visible
from grader.traffic.gpu_figures import gpu_named
from grader.traffic.predicted_time import ARITHMETIC, GLOBAL, INSTRUCTIONS, MEMORY, SHARED, WAITING

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
    return (
        f"Predicted, not measured: {outlook.gflops / 1e3:.1f} TFLOP/s at {outlook.shape} on one {gpu}, from the counts at "
        f"{visible.line(outlook.counted, 80)} and {registers}."
    )


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
        yield f"{place}{_titled(step)} (write-up: “{step.section}”).{gain}"


def _titled(step: NextStep) -> str:
    return step.title[:1].upper() + step.title[1:]


def measured_words(outlook: Outlook, timing: Timing | None) -> str:
    """Empty where the kernel was not timed."""
    own = [one for one in timing.contestants if one.name == "student" and one.gflops] if timing else []
    if not own or timing is None:
        return ""
    said = f"Measured: {own[0].gflops / 1e3:.1f} TFLOP/s at {visible.line(timing.shape, 80)} on {visible.line(timing.device, 80)}."
    if outlook.gpu.casefold() not in timing.device.replace(" ", "").casefold():
        return f"{said} The course's kernels were measured on another GPU, {gpu_named(outlook.gpu).name}: its speed is not to be compared."
    share = own[0].gflops / outlook.gflops if _numbers(timing.shape) == _numbers(outlook.shape) else 1.0
    if share < _AS_PREDICTED:
        said += (
            f" That is {100 * share:.0f} % of the prediction: something limits this kernel that the model leaves out."
        )
    return said


def _numbers(shape: str) -> list[str]:
    return re.findall(r"\d+", shape)
