"""The story of an element that no thread of the block touches, though one should: an element of the result that nobody writes, or, where
a single block does all the work, an element of an input that nobody reads. Who should have, and why it did not. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from grader.single_launch.trace_steps import ACCESSES
from grader.single_launch.tracing import TracedLaunch
from grader.step_page.named_places import thread_number
from grader.step_page.story import LANES, Mark, Question, Story, StoryElement
from grader.step_page.thread_run import run_of_threads
from grader.stories.expected_access import ExpectedAccess, block_name, past_block
from grader.stories.told_story import asked, element_name, framed, spans, thread_name
from grader.stories.untouched_element import UntouchedElement, untouched_element

_LAST_OF_EACH = 4  # accesses of each thread that is shown
_OTHERS = 5  # accesses of others of the array, before the end of the story
_SCHEDULE = "The last accesses of the thread that should have done it, and what its neighbours do in that line."


def untouched_story(traced: TracedLaunch, source: Sequence[str]) -> Story | None:
    found = untouched_element(traced, source)
    if found is None:
        return None
    chosen = _chosen(found)
    if not chosen:
        return None
    end = len(chosen) - 1
    who, why = _who(found), _why(found)
    run = run_of_threads(found.trace, chosen, found.file, title="As it ran", schedule=_SCHEDULE)
    return framed(
        traced,
        source,
        replace(run, marks=tuple(sorted(_marks(found, chosen, f"{who} {why}".strip()), key=lambda mark: mark.step))),
        title=f"nobody {found.does} {found.name}",
        summary=f"{_nobody(found)} {who} {why}".strip(),
        questions=list(_questions(found, end, who, why)),
        start=max(0, end - 1),
    )


def _chosen(found: UntouchedElement) -> list[int]:
    steps = found.trace.steps
    last: dict[int, list[int]] = {}
    like = found.expected.like if found.expected is not None else None
    shown = {found.thread, steps[like][1] if like is not None else None}
    for at, step in enumerate(steps):
        if step[0] in ACCESSES and step[1] in shown:
            last.setdefault(step[1], []).append(at)
    chosen = {at for own in last.values() for at in own[-_LAST_OF_EACH:]}
    others = found.steps_of_others
    if like is not None:
        chosen.add(like)
        near = others.index(like)
        others = others[max(0, near - _OTHERS // 2) : near + _OTHERS // 2 + 1]
    chosen.update(others[-_OTHERS:])
    if not chosen:  # what the block does at all
        chosen.update(at for at, step in enumerate(steps) if step[0] in ACCESSES)
        chosen = set(sorted(chosen)[-_OTHERS:])
    return sorted(chosen)


def _marks(found: UntouchedElement, chosen: Sequence[int], told: str) -> Iterator[Mark]:
    thread = found.thread
    own = [at for at, one in enumerate(chosen) if found.trace.steps[one][1] == thread]
    if own and thread is not None:
        text = f"This is the last access of thread {thread_name(thread, found.block)}: it {found.does} no {found.name}."
        yield Mark(own[-1], text, "note", (thread,))
    if found.expected is not None and found.expected.like in chosen:
        step = found.trace.steps[found.expected.like]
        text = f"Thread {thread_name(step[1], found.block)} {found.does} {element_name(found.trace, step)} here."
        yield Mark(chosen.index(found.expected.like), text, "note", (step[1],))
    element = StoryElement(found.goal.array, found.goal.flat * found.trace.arrays[found.goal.array].element_bytes)
    threads = () if thread is None else (thread,)
    yield Mark(
        len(chosen) - 1, f"The block has ended, and nobody {found.do}s {found.name}. {told}", "bad", threads, (element,)
    )


def _nobody(found: UntouchedElement) -> str:
    if found.reads:
        more = f", like {found.missing - 1:,} more elements of {found.array}" if found.missing > 1 else ""
        if found.grid == (1, 1, 1):
            return f"No thread reads {found.name}{more}: the result cannot depend on it."
        return (
            f"No thread of block {block_name(found.at)} reads {found.name}{more}: what it writes cannot depend on it."
        )
    more = f" {found.missing:,} elements of {found.array} are like that." if found.missing > 1 else ""
    return f"No thread of block {block_name(found.at)} writes {found.name}: it holds what was there before the launch.{more}"


def _who(found: UntouchedElement) -> str:
    expected = found.expected
    if expected is None:
        if not found.steps_of_others:
            return f"Nobody in this block {found.does} anything of {found.array}."
        return f"What its threads {found.do} of {found.array}: {_span(found)}."
    like = found.trace.steps[expected.like]
    by = f"Thread {thread_name(like[1], found.block)} {found.does} {element_name(found.trace, like)} in line {expected.line}."
    if found.thread is not None:
        return (
            f"{by} By the same formula, thread {thread_name(found.thread, found.block)} should {found.do} {found.name}."
        )
    return f"{by} By the same formula, it would be {past_block(expected, found.at, found.block, found.grid)}."


def _span(found: UntouchedElement) -> str:
    cells = sorted((found.trace.steps[at] for at in found.steps_of_others), key=lambda step: step[4])
    return f"{element_name(found.trace, cells[0])} to {element_name(found.trace, cells[-1])}"


def _why(found: UntouchedElement) -> str:
    if found.thread is None:
        return ""
    if found.guard is not None:
        return found.guard.words
    name = thread_name(found.thread, found.block)
    own = [at for at, step in enumerate(found.trace.steps) if step[0] in ACCESSES and step[1] == found.thread]
    if not own:
        return f"But thread {name} reads and writes nothing at all."
    line = found.expected.line if found.expected else 0
    return f"But its last access is in line {found.line_of(own[-1])}: it never does line {line} for this element."


def _questions(found: UntouchedElement, end: int, who: str, why: str) -> Iterator[Question]:
    if found.expected is None:
        yield from _of_nobody(found, end, who)
        return
    outside = "a thread that this grid does not have"
    other_block = "a thread of another block"
    right = other_block if found.thread is None else f"thread {thread_name(found.thread, found.block)}"
    if found.thread is None and "which" in past_block(found.expected, found.at, found.block, found.grid):
        right = outside
    others = [outside, f"none: {found.name} lies outside of {found.array}", *_distractors(found, found.expected, right)]
    should = asked(
        max(0, end - 1),
        f"Which thread should {found.do} {found.name}?",
        right,
        others,
        f"{who} {_nobody(found)}",
    )
    if should is not None:
        yield should
    if found.thread is None or end == 0:
        return
    name = thread_name(found.thread, found.block)
    reasons = {
        "guard": f"`{found.guard.condition}` in line {found.guard.line} is {'true' if found.guard.leaves else 'false'} for it"
        if found.guard is not None
        else "",
        "never": f"it never comes to line {found.expected.line} for this element",
        "over": f"it {found.does} it, and another thread {found.does} another value",
        "late": "it does so after the block's last barrier",
    }
    if found.guard is not None:
        reasons.pop("never")
    why_not = asked(
        end,
        f"Why does thread {name} not {found.do} {found.name}?",
        reasons["guard"] or reasons["never"],
        reasons.values(),
        why,
    )
    if why_not is not None:
        yield why_not


def _of_nobody(found: UntouchedElement, end: int, who: str) -> Iterator[Question]:
    """Where the block does not touch the array at all."""
    every = found.block[0] * found.block[1] * found.block[2]
    if not found.steps_of_others:
        ask = asked(
            end,
            f"How many of the block's {every:,} threads {found.do} something of {found.array}?",
            "none",
            ("one", f"all {every:,}", f"one of each warp: {-(-every // LANES):,}"),
            who,
        )
        if ask is not None:
            yield ask


def _distractors(found: UntouchedElement, expected: ExpectedAccess, right: str) -> Iterator[str]:
    """Threads that one may think of: the neighbour, and the one with x and y changed round."""
    like = found.trace.steps[expected.like][1]
    yield f"thread {thread_name(like, found.block)}"
    x, y, z = expected.thread
    turned = (y, x, z)
    if all(0 <= one < extent for one, extent in zip(turned, found.block, strict=True)):
        yield f"thread {thread_name(thread_number(turned, found.block), found.block)}"
    every = found.block[0] * found.block[1] * found.block[2]
    if right.startswith("thread") and every > 1:
        yield f"each of {spans(range(every), found.block)}"
