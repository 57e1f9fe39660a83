"""Honest submissions are graded between attacks on the grader: what they get is the same, byte for byte, as without them.

The attackers are files of tests/exploits, by default one of each kind that attacks one of two labs, and graded are these; with
TILELAB_WHOLE_CORPUS=1 all. What each of them must get itself is held elsewhere.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest
from corpus_sample import covering, sample

from grader.model.labs import lab_ids, load_lab

pytestmark = pytest.mark.long

ROOT = Path(__file__).resolve().parents[2]
EXPLOITS = ROOT / "tests" / "exploits"
ATTACKS = [*EXPLOITS.glob("*/0?-*/*.cu"), *EXPLOITS.glob("two_programs/*.cu")]
LAB = "01-naive"


def attacked(attack: Path) -> str:
    """The lab that the file is handed in for."""
    return attack.parent.name if attack.parent.name in lab_ids(ROOT) else LAB


OTHERS = sorted({*map(attacked, ATTACKS)} - {LAB})
LABS = sorted({LAB, *sample(OTHERS, len(OTHERS))})
# Of each folder of exploits one.
SAMPLE = covering(
    sorted(one for one in ATTACKS if attacked(one) in LABS), lambda attack: attack.relative_to(EXPLOITS).parts[0]
)
MOMENT = re.compile(
    r'"(date|seconds)": ("[^"]*"|[\d.]+)|\d{4}-\d\d-\d\d[T ]\d\d:\d\d\S*'
)  # of the grading, not of the submission


def hand_in(folder: Path, student: str, lab_id: str, text: str) -> None:
    place = folder / student / load_lab(ROOT, lab_id).public.file
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text, encoding="utf-8")


def honest(folder: Path) -> list[str]:
    """One who solved everything, and those who made each mistake of a lab. Their names lie among the attackers'."""
    for lab_id in LABS:
        hand_in(
            folder, "m-right", lab_id, (ROOT / "solutions" / lab_id / load_lab(ROOT, lab_id).public.file).read_text()
        )
    rejects = [one.read_text(encoding="utf-8") for one in sorted((ROOT / "solutions" / LAB / "rejects").glob("*.cu"))]
    # Which limit ends a loop first depends on how busy the machine is.
    rejects = [one for one in rejects if not one.startswith("// verdict: timeout")]
    for number, reject in enumerate(sample(rejects, 30)):
        hand_in(folder, f"{'cgkptx'[number % 6]}-wrong{number}", LAB, reject)
    return sorted(path.name for path in folder.iterdir())


def attackers(folder: Path, attacks: Iterable[Path]) -> None:
    for number, attack in enumerate(attacks):
        text = attack.read_text(encoding="utf-8")
        for shared in attack.parent.glob("*.cuh"):
            text = text.replace(f'#include "{shared.name}"\n', shared.read_text(encoding="utf-8"))
        hand_in(folder, f"{'aeinqz'[number % 6]}-{attack.stem}", attacked(attack), text)


def graded(submissions: Path, out: Path, students: Iterable[str]) -> dict[str, str]:
    """Each file that tells of these students, for them and for the instructor."""
    command = [str(ROOT / ".venv" / "bin" / "tilelab"), "grade", str(submissions), "--out", str(out), "--jobs", "2"]
    command += [f"--lab={lab_id}" for lab_id in LABS]
    command += ["--search-seconds", "0"]  # what is found in a time depends on how busy the machine is
    seed = out.parent / "seed"
    seed.write_text("271828\n", encoding="utf-8")
    environment = {**os.environ, "TILELAB_BACKEND": "cpu", "TILELAB_SEED": str(seed)}
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=ROOT, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    files = [
        path
        for one in students
        for path in [*(out / "students" / one).rglob("*"), *(out / "instructor").glob(f"{one}.*")]
    ]
    return {
        path.relative_to(out).as_posix(): MOMENT.sub("", path.read_text(encoding="utf-8"))
        for path in files
        if path.is_file()
    }


def keep_key(one: Path, other: Path) -> None:
    """Names on the leaderboard are made with a key of the OUT folder. With the same key, an honest student's must be the same."""
    ranked = any(load_lab(ROOT, lab_id).public.leaderboard for lab_id in LABS)
    for name in ("OUT.txt", "leaderboard/key") if ranked else ("OUT.txt",):
        target = other / "instructor" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(one / "instructor" / name, target)


def test_attacks_change_nothing_for_those_who_hand_in_beside_them(tmp_path: Path) -> None:
    alone, among = tmp_path / "alone", tmp_path / "among"
    students = honest(alone)
    expected = graded(alone, tmp_path / "out-alone", students)
    shutil.copytree(alone, among)
    attackers(among, SAMPLE)
    assert len(list(among.iterdir())) == len(students) + len(SAMPLE)
    keep_key(tmp_path / "out-alone", tmp_path / "out-among")
    got = graded(among, tmp_path / "out-among", students)
    assert len(expected) >= 3 * len(students)
    assert sorted(got) == sorted(expected)
    changed = [name for name in expected if got[name] != expected[name]]
    assert changed == []
