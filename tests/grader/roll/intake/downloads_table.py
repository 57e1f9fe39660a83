"""Prints the numbers in docs/downloads.md: a class of 300 in each platform's layout, taken in. Run it by hand; it is no test."""

from __future__ import annotations

import random
import sys
import tempfile
from pathlib import Path

import platform_samples
from platform_samples import SAMPLES, Sample, SampleStudent
from upload_files import NAIVE, TILED, put, zip_bytes

from grader.roll.intake.intake import Discovery, Intake, discover
from grader.roll.intake.matching import LabFile

_FIRST = ("Ada", "Jürgen", "María José", "张伟", "Søren", "D. J.", "Anne-Marie", "O'Neil", "Łukasz", "Zoë")
_LAST = (
    "Lovelace",
    "Groß",
    "del Carmen",
    "van der Berg",
    "Ng",
    "Ångström",
    "Müller-Lüdenscheidt",
    "Smith",
    "Öztürk",
    "Nguyễn",
)


def class_of(many: int) -> tuple[SampleStudent, ...]:
    chance = random.Random(many)
    return tuple(
        SampleStudent(number, f"{chance.choice(_FIRST)} {chance.choice(_LAST)}", chance.choice((1, 1, 1, 2, 3, 12)), chance.random() < 0.2)
        for number in range(1, many + 1)
    )  # fmt: skip


def right(name: str, sample: Sample, found: Discovery) -> tuple[int, int, int]:
    """How many students have their own last file, the right attempt, and their name as the platform spells it."""
    by_key: dict[str, list[Intake]] = {}
    for one in found.students:
        student = one.submission.student
        keys = {student.login, student.number, student.email, one.submission.name, *student.platform_ids.values()}
        for key in keys - {""}:
            by_key.setdefault(key, []).append(one)
    files = attempts = names = 0
    for each in platform_samples.CLASS:
        owner = platform_samples.CLASS[0] if name == "Gradescope" and each.number == 2 else each
        taken = by_key.get(sample.key(each), [])
        if len(taken) != 1 or NAIVE not in taken[0].sources:
            continue
        files += taken[0].sources[NAIVE].read_bytes() == owner.last
        attempts += taken[0].submission.attempt == (
            f"{owner.attempts} of {owner.attempts}" if owner.attempts > 1 else ""
        )
        names += taken[0].submission.student.name == each.name
    return files, attempts, names


def main() -> None:
    platform_samples.CLASS = class_of(300)
    sys.stdout.write("| platform | students right | attempts right | names right |\n")
    for name, sample in SAMPLES.items():
        wanted = [LabFile(NAIVE, "01-naive"), LabFile(TILED, "02-tiled")]
        with tempfile.TemporaryDirectory() as scratch:
            source = put(Path(scratch) / "download.zip", zip_bytes(sample.make()))
            found = discover(source, Path(scratch) / "taken", wanted[:1] if "text field" in name else wanted)
            files, attempts, names = right(name, sample, found)
        told = str(attempts) if "attempts" in sample.told else ""
        spelt = str(names) if "names" in sample.told else ""
        sys.stdout.write(f"| {name} | {files} of {len(found.students)} | {told} | {spelt} |\n")


if __name__ == "__main__":
    main()
