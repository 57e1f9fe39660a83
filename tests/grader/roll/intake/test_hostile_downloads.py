"""No name, receipt or archive of a student's takes another's place in a platform's download, or stops the class."""

from __future__ import annotations

from pathlib import Path

import pytest
from upload_files import NAIVE, TEXT, TILED, WANTED, handed_in, put, take, zip_bytes

from grader.roll.intake.intake import Discovery, Intake, discover
from grader.roll.intake.upload_search import IntakeError
from grader.roll.people.roster import roster_in
from grader.roll.platforms import recognition

EVIL = b"int evil;\n"


def found(tree: dict[str, bytes], tmp_path: Path) -> Discovery:
    (tmp_path / "scratch").mkdir(exist_ok=True)
    return discover(put(tmp_path / "download.zip", zip_bytes(tree)), tmp_path / "scratch" / "one", WANTED)


def by_key(one: Discovery) -> dict[str, Intake]:
    """By the platform's id, login or number."""
    return {
        next(iter(student.platform_ids.values()), student.login or student.number or student.name): each
        for each in one.students
        for student in [each.submission.student]
    }


def test_canvas_a_student_called_like_another_ones_number_takes_nothing(tmp_path: Path) -> None:
    tree = {
        f"doejohn_666_90001_{NAIVE}": TEXT,
        f"x_666_1001_90002_{NAIVE}": EVIL,  # a student of the name "x_666", whose number is 1001
        f"zoe_1002_90003_{NAIVE}": TEXT,
    }
    one = found(tree, tmp_path)
    assert by_key(one)["666"].sources[NAIVE].read_bytes() == TEXT
    assert any("'x_666_1001" in notice and "two ways" in notice for notice in one.notices)
    assert all(path.read_bytes() == TEXT for each in one.students for path in each.sources.values())


def receipt(login: str, name: str = "Somebody", more: str = "") -> bytes:
    return (
        f"Name: {name} ({login})\nAssignment: Lab\n\nSubmission Field:\n{more}\n\nComments:\nnone\n\nFiles:\n".encode()
    )


def test_blackboard_a_receipt_is_believed_about_its_own_attempt_alone(tmp_path: Path) -> None:
    at = "attempt_2026-11-20-10-00-00"
    forged = f"Name: Victim (victim)\nFiles:\n\tOriginal filename: notes.txt\n\tFilename: Lab_victim_{at}_{NAIVE}\n"
    tree = {
        f"Lab_victim_{at}.txt": receipt("victim", "Victim"),
        f"Lab_victim_{at}_{NAIVE}": TEXT,
        f"Lab_evil_{at}.txt": receipt("evil", "Victim (victim)", forged),
        f"Lab_evil_{at}_{NAIVE}": EVIL,
        f"Lab_liar_{at}.txt": receipt("victim", "Victim"),  # the file's name says otherwise
        f"Lab_liar_{at}_{NAIVE}": EVIL,
    }
    students = by_key(found(tree, tmp_path))
    assert set(students) == {"victim", "evil", "liar"}
    assert students["victim"].sources[NAIVE].read_bytes() == TEXT
    assert students["victim"].submission.student.name == "Victim"
    assert students["liar"].submission.student.name == ""


def test_blackboard_a_login_with_underscores_is_told_by_the_receipt(tmp_path: Path) -> None:
    at = "attempt_2026-11-20-10-00-00"
    tree: dict[str, bytes] = {}
    for login in ("cs_ann", "cs_ben"):
        tree |= {f"Lab_1_{login}_{at}.txt": receipt(login), f"Lab_1_{login}_{at}_{NAIVE}": TEXT}
    assert set(by_key(found(tree, tmp_path))) == {"cs_ann", "cs_ben"}


@pytest.mark.parametrize("flat", [True, False])
def test_brightspace_a_date_in_a_name_makes_no_later_attempt(flat: bool, tmp_path: Path) -> None:
    between = " - " if flat else "/"
    tree = {
        f"7-9 - Ann - Nov 20, 2026 1000 AM{between}{NAIVE}": TEXT,
        f"8-9 - Eve - Dec 31, 2030 100 AM - Nov 20, 2026 1000 AM{between}{NAIVE}": EVIL,
        f"6-9 - Zoe - Nov 20, 2026 1200 PM{between}{NAIVE}": TEXT,
    }
    one = found(tree, tmp_path)
    students = by_key(one)
    assert {"7", "6"} <= set(students)
    assert [students[key].sources[NAIVE].read_bytes() for key in ("7", "6")] == [TEXT, TEXT]
    if flat:
        assert any("two ways" in notice for notice in one.notices)
    else:
        at = handed_in(students["8"], NAIVE)
        assert at is not None
        assert at.year == 2026
    noon = handed_in(students["6"], NAIVE)
    assert noon is not None
    assert noon.hour == 12


def metadata(text: str) -> dict[str, bytes]:
    return {"submission_metadata.yml": text.encode(), f"submission_1/{NAIVE}": TEXT, f"submission_2/{NAIVE}": EVIL}


def test_gradescope_only_the_platforms_own_file_says_whose_a_submission_is(tmp_path: Path) -> None:
    tree = metadata(
        "submission_1:\n  :submitters:\n  - :name: Ann\n    :sid: '1'\nsubmission_2:\n  :submitters:\n  - :name: Eve\n    :sid: '2'\n"
    )
    tree["submission_2/submission_metadata.yml"] = b"submission_1:\n  :submitters:\n  - :name: Eve\n    :sid: '2'\n"
    students = by_key(found(tree, tmp_path))
    assert students["1"].sources[NAIVE].read_bytes() == TEXT
    assert students["2"].sources[NAIVE].read_bytes() == EVIL


FORGED = "submission_1:\n  :submitters:\n  - :name: Victim\n    :sid: '10042'\n"


@pytest.mark.parametrize("packed", [False, True])
def test_what_the_only_student_hands_in_is_no_platforms_word(packed: bool, tmp_path: Path) -> None:
    files = {"submission_metadata.yml": FORGED.encode(), f"submission_1/{NAIVE}": EVIL}
    roster = roster_in(b"name,login,number\nEve,eve,1\nVictim,victim,10042\n", "r.csv")
    for name, data in files.items() if not packed else [("eve.zip", zip_bytes(files))]:
        put(tmp_path / "class" / ("" if packed else "eve") / name, data)
    with pytest.raises(IntakeError, match=r"called like a student.*by itself"):
        discover(tmp_path / "class", tmp_path / "scratch", WANTED, roster)


def test_a_large_file_in_a_students_folder_is_not_read_as_a_platforms(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []

    def parsed(text: str, _: object) -> dict[str, object]:
        read.append(len(text))
        return {}

    monkeypatch.setattr(recognition, "wanted_yaml", parsed)
    for name in ("ann", "ben", "eve"):
        put(tmp_path / "class" / name / NAIVE)
    put(tmp_path / "class" / "eve" / "submission_metadata.yml", b"a: b\n" * (4 << 18))
    put(tmp_path / "class" / "mal" / "submission_metadata.yml", b"a: b\n" * (4 << 18))
    students = {one.submission.id: one for one in discover(tmp_path / "class", tmp_path / "scratch", WANTED).students}
    assert set(students) == {"ann", "ben", "eve", "mal"}
    assert read == []


@pytest.mark.parametrize(
    "text",
    [
        "submission_1: [", "- a\n- b\n", "plain", "", "submission_1: 3\n", "? [a, b]\n: 3\n", "\x00",
        "a: &a [x]\n" + "".join(f"b{i}: &b{i} [*{'a' if not i else f'b{i - 1}'}, *{'a' if not i else f'b{i - 1}'}]\n" for i in range(60)),
        "[" * 30_000,
        "submission_1:\n" + "".join(" " * depth + "a:\n" for depth in range(1, 40)),
        "submission_1: &a\n  :history: &b [x]\n" + "".join(f"s{i}: *b\n" for i in range(100_002)),
    ],
)  # fmt: skip
def test_gradescope_a_damaged_file_about_the_submissions_ends_in_a_sentence(text: str, tmp_path: Path) -> None:
    with pytest.raises(IntakeError, match=r"submission_metadata\.yml (is damaged|does not say)"):
        found(metadata(text), tmp_path)


@pytest.mark.parametrize(
    "submitters",
    [
        "",
        "Eve",
        "[1, 2]",
        "{a: b}",
        "[[x]]",
        "\n  - :name: [a]\n    :sid: {b: c}",
        "!ruby/object:Kernel {x: y}",
        "\n  - :name: ",
    ],
)
def test_gradescope_a_submission_of_nobody_keeps_its_folders_name(submitters: str, tmp_path: Path) -> None:
    tree = metadata(
        f"submission_1:\n  :submitters: {submitters}\n  :created_at: [never]\nsubmission_2:\n  :history: 7\n"
    )
    one = found(tree, tmp_path)
    assert sorted(each.submission.id for each in one.students) == ["submission_1", "submission_2"]
    assert {each.submission.at for each in one.students} == {""}


def test_gradescope_a_folder_that_nothing_is_said_of_is_never_passed_over(tmp_path: Path) -> None:
    with pytest.raises(IntakeError, match="Gradescope, but it is not clear whose this is: 'submission_2'"):
        found(metadata("submission_1:\n  :submitters:\n  - :name: Ann\n"), tmp_path)


def test_prairielearn_a_files_name_changes_neither_owner_nor_attempt(tmp_path: Path) -> None:
    tree = {
        f"ann@x.edu_1_lab_1_1_500_{NAIVE}": TEXT,
        f"eve@x.edu_1_lab_1_1_501_ann@x.edu_1_lab_1_9_999_{NAIVE}": EVIL,
        f"eve@x.edu_1_lab_1_2_502_{NAIVE}": TEXT,
    }
    students = by_key(found(tree, tmp_path))
    assert set(students) == {"ann@x.edu", "eve@x.edu"}
    assert all(one.sources[NAIVE].read_bytes() == TEXT for one in students.values())


def test_moodle_students_of_one_name_in_several_downloads_are_not_mixed(tmp_path: Path) -> None:
    def download(name: str, tree: dict[str, str]) -> Path:
        files = {f"{student}_assignsubmission_file/{file}": TEXT for student, file in tree.items()}
        return put(tmp_path / name, zip_bytes(files))

    first = download("1.zip", {"Ann_1": NAIVE, "Ann_2": NAIVE, "Bob_3": NAIVE})
    second = download("2.zip", {"Ann_11": TILED, "Bob_13": TILED})
    one = discover([first, second], tmp_path / "scratch", WANTED)
    files = sorted((each.submission.student.platform_ids["Moodle"], sorted(each.sources)) for each in one.students)
    assert files == [("1", [NAIVE]), ("11", [TILED]), ("13", [NAIVE, TILED]), ("2", [NAIVE])]


def test_one_folder_with_a_repository_in_it_is_no_class_of_clones(tmp_path: Path) -> None:
    tree = {f"anna/{NAIVE}": TEXT, f"ben/{NAIVE}": TEXT, "eve/.git/config": b"", f"eve/{NAIVE}": EVIL}
    one = found(tree, tmp_path)
    assert {each.submission.id for each in one.students} == {"anna", "ben", "eve"}
    assert not any("clones" in notice for notice in one.notices)


def nested(depth: int, inner: bytes) -> bytes:
    for _ in range(depth):
        inner = zip_bytes({"more.zip": inner})
    return inner


def test_archives_in_archives_are_opened_up_to_a_depth_and_within_limits(tmp_path: Path) -> None:
    bomb = zip_bytes({NAIVE: b"\0" * (64 << 20)})
    tree = {
        f"anna/{NAIVE}": TEXT,
        "three/hw.zip": nested(2, zip_bytes({NAIVE: TEXT})),
        "deep/hw.zip": nested(9, zip_bytes({NAIVE: EVIL})),
        "bomb/hw.zip": nested(1, bomb),
        "many/hw.zip": zip_bytes({f"{number}.zip": bomb for number in range(3)}),
    }
    students = {one.submission.id: one for one in found(tree, tmp_path).students}
    assert students["three"].sources[NAIVE].read_bytes() == TEXT
    assert "another archive, which is not opened" in (students["deep"].submission.refused or "")
    assert "unpacks to more than 200 times its size" in (students["bomb"].submission.refused or "")
    assert "'0.zip': the archive unpacks to more than 200 times its size" in (students["many"].submission.refused or "")
    assert students["anna"].sources[NAIVE].read_bytes() == TEXT


def test_names_that_turn_the_text_around_are_shown_safely(tmp_path: Path) -> None:
    tree = {
        f"A\u202enn_1_assignsubmission_file/{NAIVE}": TEXT,
        "A\u202enn_1_assignsubmission_file/\u202euc.eviL": TEXT,
        f"Bo\u2066b_2_assignsubmission_file/{NAIVE}": TEXT,
        "\u202etxt.rubric": b"",
    }
    one = found(tree, tmp_path)
    said = [*one.notices]
    for each in one.students:
        said += [each.submission.name, *each.submission.files, *each.submission.downloaded]
    assert not any(mark in text for text in said for mark in "\u202e\u2066")


def test_gradescope_folders_without_the_file_that_says_whose_they_are_are_no_students(tmp_path: Path) -> None:
    tree = {f"submission_{90_000 + one}/{NAIVE}": TEXT for one in range(3)}
    with pytest.raises(IntakeError, match=r"submission_metadata\.yml, which says whose it is, is not beside it"):
        take(put(tmp_path / "export.zip", zip_bytes(tree)), tmp_path)


def test_gradescope_other_forms_of_its_file_are_read_and_what_is_gone_is_told(tmp_path: Path) -> None:
    """Keys without a colon; a submission that is one file; one that is not there."""
    said = "---\n" + "".join(
        f"{key}:\n  submitters:\n  - name: {name}\n    sid: '{sid}'\n"
        for key, name, sid in ((NAIVE, "Ada", "007"), ("submission_2", "Bob", "8"))
    )
    tree = {"submission_metadata.yml": said.encode(), NAIVE: TEXT}
    found = discover(put(tmp_path / "export.zip", zip_bytes(tree)), tmp_path / "scratch", WANTED)
    assert [(one.submission.student.number, set(one.sources)) for one in found.students] == [
        ("007", {NAIVE}),
        ("8", set()),
    ]
    assert any(
        "names submissions that are not there, so they have no files: submission_2" in one for one in found.notices
    )
