"""The mistakes on the host's side in sentences: what happened, in the student's own names, and what to look at next. Pure.

Here is the table of all kinds; the sentences of a subject lie together, in the files that are imported.
"""

from __future__ import annotations

from collections.abc import Callable

from grader.programs.mistakes.call_sentences import (
    failed_call,
    host_crash,
    lost_output,
    no_launch,
    not_configured,
    swapped_sizes,
    unasked_launch,
    unchecked_error,
)
from grader.programs.mistakes.copy_sentences import copy_direction, copy_size, never_set, short_copy
from grader.programs.mistakes.host_facts import Facts
from grader.programs.mistakes.host_work_sentences import host_computed, host_reads
from grader.programs.mistakes.memory_sentences import (
    bad_free,
    device_pointer_on_host,
    double_free,
    host_pointer_on_device,
    input_modified,
    leak,
    use_after_free,
)
from grader.programs.mistakes.order_sentences import copy_race, launch_race, read_before_sync, write_before_sync
from grader.programs.mistakes.told_mistake import Told


def told(facts: Facts) -> Told:
    """An unknown kind is named, and not hidden."""
    sentence = _SENTENCES.get(facts.record.kind)
    return sentence(facts) if sentence else Told(facts.record.kind, f"The conductor saw: {facts.record.kind}.")


_SENTENCES: dict[str, Callable[[Facts], Told]] = {
    "leak": leak,
    "copy-size": copy_size,
    "copy-direction": copy_direction,
    "device-pointer-on-host": device_pointer_on_host,
    "host-pointer-on-device": host_pointer_on_device,
    "use-after-free": use_after_free,
    "double-free": double_free,
    "bad-free": bad_free,
    "unchecked-error": unchecked_error,
    "unasked-launch": unasked_launch,
    "read-before-sync": read_before_sync,
    "copy-race": copy_race,
    "write-before-sync": write_before_sync,
    "host-crash": host_crash,
    "short-copy": short_copy,
    "launch-race": launch_race,
    "swapped-sizes": swapped_sizes,
    "not-configured": not_configured,
    "input-modified": input_modified,
    "never-set": never_set,
    "lost-output": lost_output,
    "no-launch": no_launch,
    "error": failed_call,
    "host-computed": host_computed,
    "host-reads": host_reads,
}
