"""What a lab's author may write into lab.toml and grading.toml, and that anything else is refused with the file's name."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from kernel_labs import kernel_lab_ids

from grader.model.labs import LabError, load_lab

ROOT = Path(__file__).resolve().parents[3]
LAB = kernel_lab_ids(ROOT)[1]


@pytest.fixture
def course(tmp_path: Path) -> Path:
    for half, file in (("assignments", "lab.toml"), ("solutions", "grading.toml")):
        (tmp_path / half / LAB).mkdir(parents=True)
        shutil.copy(ROOT / half / LAB / file, tmp_path / half / LAB / file)
    return tmp_path


def write(path: Path, before: str, after: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert before in text
    path.write_text(text.replace(before, after, 1), encoding="utf-8")


def test_the_files_as_they_are_are_taken(course: Path) -> None:
    assert load_lab(course, LAB).public == load_lab(ROOT, LAB).public


@pytest.mark.parametrize("points", ["inf", "nan", "-1", "1e308", "true and false", "[" * 5000])
def test_points_that_cannot_be_added_up_are_refused(course: Path, points: str) -> None:
    write(course / "assignments" / LAB / "lab.toml", "points = 1", f"points = {points}")
    with pytest.raises(LabError, match=r"lab\.toml"):
        load_lab(course, LAB)


@pytest.mark.parametrize("points", ["inf", "1e308"])
def test_performance_points_that_cannot_be_added_up_are_refused(course: Path, points: str) -> None:
    write(course / "solutions" / LAB / "grading.toml", "performance_points = 3", f"performance_points = {points}")
    with pytest.raises(LabError, match=r"grading\.toml"):
        load_lab(course, LAB)


@pytest.mark.parametrize("name", ["", "..", "../a.cu", "/etc/a.cu", "a\\u0000.cu", "a.cpp", ".cu", "a b.cu", "a.cu\\n"])
def test_what_students_hand_in_is_a_plain_file_name(course: Path, name: str) -> None:
    file = load_lab(ROOT, LAB).public.file
    write(course / "assignments" / LAB / "lab.toml", f'file = "{file}"', f'file = "{name}"')
    with pytest.raises(LabError, match=r"lab\.toml"):
        load_lab(course, LAB)


def test_an_early_return_is_a_note_unless_the_lab_calls_it_an_error(course: Path) -> None:
    file = course / "assignments" / LAB / "lab.toml"
    assert load_lab(course, LAB).public.barriers.early_return == "note"
    plain = file.read_text(encoding="utf-8")
    file.write_text(f'{plain}\n[barriers]\nearly_return = "error"\n', encoding="utf-8")
    assert load_lab(course, LAB).public.barriers.early_return == "error"
    for wrong in ('early_return = "warning"', "early_return = true", 'early_returns = "error"'):
        file.write_text(f"{plain}\n[barriers]\n{wrong}\n", encoding="utf-8")
        with pytest.raises(LabError, match=r"lab\.toml"):
            load_lab(course, LAB)


def test_a_leaderboard_needs_times_to_rank(course: Path) -> None:
    file = course / "assignments" / LAB / "lab.toml"
    plain = file.read_text(encoding="utf-8")
    file.write_text(plain + "\n[leaderboard]\n", encoding="utf-8")
    spec = load_lab(course, LAB).public
    assert spec.leaderboard is not None
    assert spec.leaderboard.names == "pseudonyms"
    file.write_text(plain + '\n[leaderboard]\nnames = "ids"\n', encoding="utf-8")
    with pytest.raises(LabError, match="names"):
        load_lab(course, LAB)
    untimed = plain[: plain.index("[performance]")] + plain[plain.index("[[case]]") :]
    file.write_text(untimed + "\n[leaderboard]\n", encoding="utf-8")
    with pytest.raises(LabError, match=r"needs \[performance\]"):
        load_lab(course, LAB)


BEYOND = "[[tier]]\nshare = 0.5\npart = 1.5\n"
OF_LIBRARY = '[[tier]]\nof = "library"\nshare = 0.5\npart = 1\n'
STAND_IN = '[stand_in]\nfile = "ladder/gone.cu"\nshare = 0.8\nmeasured_on = "a GPU"\n'


@pytest.mark.parametrize(
    ("added", "changed", "refused"),
    [
        (BEYOND, "", "only a lab with extra_credit = true"),
        (BEYOND, "extra_credit", ""),
        (OF_LIBRARY, "", ""),
        (OF_LIBRARY, "library", "names no library"),
        (STAND_IN, "", "there is no ladder/gone.cu beside it"),
        (BEYOND.replace("1.5", "3.1"), "extra_credit", "less than or equal to 3"),
    ],
)
def test_tiers_fit_their_lab(course: Path, added: str, changed: str, refused: str) -> None:
    grading, public = course / "solutions" / LAB / "grading.toml", course / "assignments" / LAB / "lab.toml"
    grading.write_text(f"{grading.read_text(encoding='utf-8')}\n{added}", encoding="utf-8")
    if changed == "extra_credit":
        write(public, "\n\n", "\nextra_credit = true\n\n")
    if changed == "library":
        write(public, 'library = "cublasSgemm"\n', "")
    if not refused:
        assert load_lab(course, LAB).private is not None
        return
    with pytest.raises(LabError, match=refused):
        load_lab(course, LAB)


COUNTERS = '[counters]\ncase = "gone"\nversus = ""\nadvice = ""\n[[counters.tier]]\npart = 1\nat_most = { x = 1 }\n'


@pytest.mark.parametrize(
    ("half", "before", "after", "refused"),
    [
        ("solutions", "[[case]]\n", COUNTERS + "[[case]]\n", "stands in grading.toml too"),
        ("assignments", "[counters]\n", '[counters]\nalso = "a hidden case"\n', "write it as `counted_also`"),
        ("assignments", "[counters]\ncase = ", '[counters]\ncase = "gone"  # ', "not listed: 'gone'"),
        ("solutions", "counted_also = ", 'counted_also = "gone"  # ', "not listed: 'gone'"),
    ],
)
def test_counters_stand_in_one_file_and_name_the_labs_cases(
    course: Path, half: str, before: str, after: str, refused: str
) -> None:
    write(course / half / LAB / ("lab.toml" if half == "assignments" else "grading.toml"), before, after)
    with pytest.raises(LabError, match=refused):
        load_lab(course, LAB)


def test_counters_that_students_are_not_told_of_stand_in_grading_toml(course: Path) -> None:
    told = load_lab(course, LAB)
    file = course / "assignments" / LAB / "lab.toml"
    text = file.read_text(encoding="utf-8")
    start, end = text.index("[counters]"), text.index("[[case]]")
    file.write_text(text[:start] + text[end:], encoding="utf-8")
    grading = course / "solutions" / LAB / "grading.toml"
    kept = grading.read_text(encoding="utf-8").replace("counted_also = ", "# ")
    also = told.counters.also if told.counters else ""
    secret = text[start:end].replace("[counters]\n", f'[counters]\nalso = "{also}"\n')
    grading.write_text(f"{kept}\n{secret}", encoding="utf-8")
    hidden = load_lab(course, LAB)
    assert hidden.counters == told.counters
    assert hidden.public.counters is None
