"""How often the interval of `grader/run/speed/speed_score.py` contains the true ratio, and how often tiers are wrong, in simulated noise.

    .venv/bin/python tests/benchmarks/coverage.py [gradings]

prints the table that docs/evidence.md sums up. Times are simulated; nothing here measures a machine.
"""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from grader.run.speed.speed_score import (
    ALL_ROUNDS,
    FIRST_ROUNDS,
    Times,
    needs_more,
    noise_trouble,
    ratio_interval,
    reaches,
    speed_of,
)

BASELINE_NS, MODEL_SPEEDUP, TIER = 400_000.0, 1.6, 0.9
SEED = 20261121

# Draws one factor for each launch of a run, by which noise makes it slower or faster.
Noise = Callable[[random.Random, int], Iterator[float]]


def launch_order(contestants: int, rounds: int) -> Iterator[tuple[int, int]]:
    """(round, contestant) in the order of the launches."""
    for number in range(rounds):
        forwards = range(contestants)
        yield from ((number, one) for one in (forwards if number % 2 == 0 else reversed(forwards)))


def independent(draw: random.Random, count: int, spread: float = 0.02) -> Iterator[float]:
    yield from (math.exp(draw.gauss(0, spread)) for _ in range(count))


def linear_drift(draw: random.Random, count: int, whole: float = 0.10) -> Iterator[float]:
    """A device that warms up: the last launch is `whole` slower than the first."""
    for i, noise in enumerate(independent(draw, count, 0.01)):
        yield noise * (1 + whole * i / count)


def steep_drift(draw: random.Random, count: int) -> Iterator[float]:
    """At the end 50 % slower, with hardly any other noise: neighbours differ only by the drift."""
    for i, noise in enumerate(independent(draw, count, 0.001)):
        yield noise * (1 + 0.5 * i / count)


def spikes(draw: random.Random, count: int) -> Iterator[float]:
    """One launch in ten is disturbed and takes up to three times as long."""
    for noise in independent(draw, count, 0.01):
        yield noise * (draw.uniform(1.2, 3.0) if draw.random() < 0.1 else 1.0)


def autocorrelated(draw: random.Random, count: int) -> Iterator[float]:
    """AR(1), 0.9: a disturbance lasts for several launches."""
    state = draw.gauss(0, 0.02)
    for _ in range(count):
        yield math.exp(state)
        state = 0.9 * state + draw.gauss(0, 0.02 * math.sqrt(1 - 0.81))


def alternating(draw: random.Random, count: int) -> Iterator[float]:
    """AR(1), -0.7: a slow launch is followed by a fast one."""
    state = draw.gauss(0, 0.02)
    for _ in range(count):
        yield math.exp(state)
        state = -0.7 * state + draw.gauss(0, 0.02 * math.sqrt(1 - 0.49))


def clock_steps(draw: random.Random, count: int) -> Iterator[float]:
    """The clock drops by 8 % and comes back, at random moments, ten launches at a time on average."""
    slow = False
    for noise in independent(draw, count, 0.005):
        slow = slow != (draw.random() < 0.1)
        yield noise * (1.08 if slow else 1.0)


def skewed(draw: random.Random, count: int) -> Iterator[float]:
    """Exponential: never faster than without noise, often a little slower."""
    yield from (1 + draw.expovariate(1 / 0.02) for _ in range(count))


def heavy_tails(draw: random.Random, count: int) -> Iterator[float]:
    """Student's t with two degrees of freedom."""
    for _ in range(count):
        yield math.exp(0.01 * draw.gauss(0, 1) / math.sqrt(draw.expovariate(1)))


MODELS: dict[str, Noise] = {
    "independent, 2 %": independent,
    "independent, 4 %": lambda draw, count: independent(draw, count, 0.04),
    "linear drift of 10 %, 1 % noise": linear_drift,
    "linear drift of 50 %, 0.1 % noise": steep_drift,
    "spikes on a tenth of the launches": spikes,
    "autocorrelated, AR(1) 0.9, 2 %": autocorrelated,
    "alternating, AR(1) -0.7, 2 %": alternating,
    "clock steps of 8 %": clock_steps,
    "skewed, exponential 2 %": skewed,
    "heavy tails, t with 2 degrees": heavy_tails,
}


def mood(rho: float, spread: float) -> Noise:
    """Noise on the student's kernel only, correlated from round to round. Pairing cannot remove it."""

    def draws(draw: random.Random, count: int) -> Iterator[float]:
        state = draw.gauss(0, spread)
        for i, noise in enumerate(independent(draw, count, 0.002)):
            round_number, place = divmod(i, 4)
            if place == 0:
                state = rho * state + draw.gauss(0, spread * math.sqrt(1 - rho * rho))
            is_student = place == (1 if round_number % 2 == 0 else 2)
            yield noise * (math.exp(state) if is_student else 1.0)

    return draws


MODELS |= {
    "the student's kernel alone varies, AR(1) 0.5 over rounds": mood(0.5, 0.02),
    "the student's kernel alone varies, AR(1) 0.9 over rounds": mood(0.9, 0.02),
}


def simulate(noise: Noise, draw: random.Random, share: float) -> Times:
    """A run with all rounds. The order is baseline, student, model, baseline again, and the reverse in every second round."""
    model = BASELINE_NS / MODEL_SPEEDUP
    true = (BASELINE_NS, model / share, model, BASELINE_NS)
    taken: list[list[float]] = [[], [], [], []]
    order = list(launch_order(len(true), ALL_ROUNDS))
    for (_, contestant), factor in zip(order, noise(draw, len(order)), strict=True):
        taken[contestant].append(true[contestant] * factor)
    baseline, student, model_times, control = (tuple(one) for one in taken)
    return Times(baseline, control, model_times, student)


def first_rounds(times: Times, rounds: int) -> Times:
    return Times(times.baseline[:rounds], times.control[:rounds], times.model[:rounds], times.student[:rounds])


def passes(times: Times) -> bool:
    """Grades as the grader does: with 31 rounds, or 61 where the tier is inside the interval. The control is checked separately."""
    speed = speed_of(first_rounds(times, FIRST_ROUNDS))
    if needs_more(speed, [TIER]):
        speed = speed_of(times)
    return reaches(speed, TIER)


@dataclass(frozen=True)
class Shares:
    """Shares of all gradings."""

    covered_by_31: float
    covered_by_61: float
    above_failed: float  # 2 % above the tier, but not awarded
    below_passed: float  # 5 % below the tier, but awarded
    requeued: float  # too noisy to be graded


def shares(noise: Noise, gradings: int, seed: int = SEED) -> Shares:
    draw = random.Random(seed)
    counts = [0, 0, 0, 0, 0]
    for _ in range(gradings):
        above, below = simulate(noise, draw, 1.02 * TIER), simulate(noise, draw, 0.95 * TIER)
        first = first_rounds(above, FIRST_ROUNDS)
        for i, one in enumerate((first, above)):
            found = ratio_interval(one.model, one.student)
            counts[i] += found.low <= 1.02 * TIER <= found.high
        counts[2] += not passes(above)
        counts[3] += passes(below)
        counts[4] += bool(noise_trouble(speed_of(first)))
    return Shares(*(count / gradings for count in counts))


def row(name: str, noise: Noise, gradings: int) -> str:
    """A row of the table. A coverage outside 93 to 97 % is bold."""
    found = shares(noise, gradings)
    covered = (found.covered_by_31, found.covered_by_61)
    cells = [f"{100 * one:.1f} %" if 0.93 <= one <= 0.97 else f"**{100 * one:.1f} %**" for one in covered]
    cells += [f"{100 * one:.2f} %" for one in (found.above_failed, found.below_passed, found.requeued)]
    return "| " + " | ".join([name, *cells]) + " |"


def main() -> None:
    gradings = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    lines = [
        f"{gradings} simulated gradings for each row, seed {SEED}.",
        "",
        "| noise | held, 31 rounds | held, 61 | 2 % above the tier, failed | 5 % below, passed | run again |",
        "|---|---|---|---|---|---|",
        *(row(name, noise, gradings) for name, noise in MODELS.items()),
    ]
    print("\n".join(lines))  # noqa: T201 -- it is a program


if __name__ == "__main__":
    main()
