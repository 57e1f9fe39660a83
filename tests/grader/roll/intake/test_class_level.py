"""What is a class and what is one student's work: sections, weeks and labs with students in them become no students."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from upload_files import NAIVE, TEXT, TILED, WANTED, put, take, zip_bytes

from grader.roll.intake.intake import discover
from grader.roll.intake.matching import LabFile
from grader.roll.intake.upload_search import IntakeError
from grader.roll.people.roster import roster_in

LABS = [LabFile(NAIVE, "01-naive"), LabFile(TILED, "02-tiled")]


def differing(*paths: str) -> dict[str, bytes]:
    return {path: TEXT + path.encode() for path in paths}


def zips(*paths: str, file: str = NAIVE) -> dict[str, bytes]:
    return {path: zip_bytes({file: TEXT + path.encode()}) for path in paths}


GROUPS = {
    "sections": differing(f"A/ada/{NAIVE}", f"A/bob/{NAIVE}", f"B/eve/{NAIVE}", f"B/dan/src/{NAIVE}"),
    "sections of archives": zips("A/ada.zip", "A/bob.zip", "B/eve.zip", "B/dan.zip"),
    "labs": differing(f"01-naive/ada/{NAIVE}", f"01-naive/bob/{NAIVE}", f"02-tiled/ada/{TILED}", f"02-tiled/bob/{TILED}"),
    "labs of archives": zips("01-naive/ada.zip", "01-naive/bob.zip", "02-tiled/ada.zip", "02-tiled/bob.zip"),
    "weeks": differing(f"week 1/ada/{NAIVE}", f"week 1/bob/{NAIVE}", f"week 2/ada/{TILED}", f"week 2/bob/{TILED}"),
}  # fmt: skip


@pytest.mark.parametrize("packed", [False, True], ids=["folder", "zip"])
@pytest.mark.parametrize("tree", GROUPS.values(), ids=GROUPS)
def test_folders_with_students_in_them_are_no_students(tree: dict[str, bytes], packed: bool, tmp_path: Path) -> None:
    source = put(tmp_path / "class.zip", zip_bytes(tree)) if packed else tmp_path / "class"
    if not packed:
        for name, data in tree.items():
            put(source / name, data)
    with pytest.raises(IntakeError, match=r"several persons' files in each.*give each by itself: tilelab grade "):
        discover(source, tmp_path / "scratch", LABS)


def test_the_command_that_it_names_takes_each_student_once(tmp_path: Path) -> None:
    for name, data in GROUPS["weeks"].items():
        put(tmp_path / "class" / name, data)
    with pytest.raises(IntakeError) as refused:
        discover(tmp_path / "class", tmp_path / "scratch", LABS)
    command = str(refused.value).split("tilelab grade ")[1].split(". If")[0]
    said = subprocess.run(
        ["bash", "-c", f'{sys.executable} -c "import sys; print(*sys.argv[1:], sep=chr(10))" {command}'],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    found = discover([Path(one) for one in said], tmp_path / "taken", LABS)
    assert {one.submission.id: set(one.sources) for one in found.students} == {
        "ada": {NAIVE, TILED},
        "bob": {NAIVE, TILED},
    }


@pytest.mark.parametrize(
    "tree",
    [
        differing(f"ada/try1/{NAIVE}", f"ada/final/{NAIVE}", f"bob/{NAIVE}", f"eve/{NAIVE}"),
        differing(*(f"{one}/assignments/{lab.lab}/{lab.name}" for one in ("ada", "bob") for lab in LABS)),
        differing(*(f"{one}/{lab.lab}/{lab.name}" for one in ("ada", "bob") for lab in LABS)),
        differing(*(f"{one}/{part}/{NAIVE}" for one in ("ada", "bob") for part in ("src", "old"))),
        zips(*(f"{one}/{part}.zip" for one in ("ada", "bob") for part in ("code", "report"))),
    ],
    ids=["one with two versions", "handouts", "folders by lab", "an old copy", "several archives of each"],
)
def test_students_with_folders_of_their_own_are_students(tree: dict[str, bytes], tmp_path: Path) -> None:
    found = discover(put(tmp_path / "class.zip", zip_bytes(tree)), tmp_path / "scratch", LABS)
    assert {one.submission.id for one in found.students} == {name.split("/")[0] for name in tree}


@pytest.mark.parametrize(
    "names",
    [
        (f"Ada Lovelace - {NAIVE}", f"Bob Noyce - {NAIVE}"),
        (f"ada_{NAIVE}", f"bob_{NAIVE}"),
        (NAIVE, NAIVE.replace(".cu", " (1).cu"), NAIVE.replace(".cu", " (2).cu")),
    ],
    ids=["names in front", "logins in front", "numbers behind"],
)
def test_files_side_by_side_are_called_a_class_and_not_one_student(names: tuple[str, ...], tmp_path: Path) -> None:
    with pytest.raises(IntakeError, match="a class whose files all lie side by side"):
        take(put(tmp_path / "class.zip", zip_bytes(differing(*names))), tmp_path)


def test_of_the_versions_that_teams_keeps_the_last_one_counts(tmp_path: Path) -> None:
    tree = differing(*(f"{one}/Lab 1/Version {version}/{NAIVE}" for one in ("ada", "bob") for version in (1, 2, 10)))
    found = discover(put(tmp_path / "class.zip", zip_bytes(tree)), tmp_path / "scratch", WANTED)
    for one in found.students:
        assert (
            one.sources[NAIVE].read_bytes().strip().endswith(f"{one.submission.id}/Lab 1/Version 10/{NAIVE}".encode())
        )


ROSTER = roster_in(
    b"name,login,email\nAda Lovelace,ada,a_l@x.edu\nJ\xc3\xbcrgen M\xc3\xbcller,mueller,j_m@x.edu\nEve E,eve,eve@x.edu\n",
    "r.csv",
)


@pytest.mark.parametrize("path", ["ada", "week 1/ada", "week 1/all/Ada Lovelace", "ada/src", "ada/my code/src"])
def test_the_only_student_who_handed_in_is_known_by_the_roster(path: str, tmp_path: Path) -> None:
    source = put(tmp_path / "class.zip", zip_bytes(differing(f"{path}/{NAIVE}")))
    students = discover(source, tmp_path / "scratch", LABS, ROSTER).students
    assert [(one.submission.student.login, set(one.sources)) for one in students if one.submission.handed_in] == [
        ("ada", {NAIVE})
    ]
    assert len(students) == 3


def test_what_one_known_student_handed_in_twice_makes_no_class(tmp_path: Path) -> None:
    source = put(tmp_path / "class.zip", zip_bytes(differing(f"ada/try 1/{NAIVE}", f"ada/try 2/{NAIVE}")))
    ada, *absent = discover(source, tmp_path / "scratch", LABS, ROSTER).students
    assert "2 different files" in ada.blocked[NAIVE]
    assert {one.submission.handed_in for one in absent} == {False}


def test_without_a_roster_the_message_holds_the_command_that_takes_the_only_student(tmp_path: Path) -> None:
    source = put(tmp_path / "class.zip", zip_bytes(differing(f"ada/{NAIVE}")))
    with pytest.raises(
        IntakeError,
        match=r"If 'ada' is the student, unzip .*class\.zip -d class and give that folder: tilelab grade class",
    ):
        discover(source, tmp_path / "scratch", LABS)


@pytest.mark.parametrize(
    ("folders", "file"),
    [
        (("Lovelace_Ada_ada_12345", "Mueller_Juergen_mueller_12346"), f"Late Submission - {NAIVE}"),  # ILIAS
        (("Lovelace_Ada_a_l@x.edu_2026-11-20", "M_j_m@x.edu_2026-11-20"), NAIVE),
        (
            (
                "Lovelace, Ada (ada)",
                "mueller - M\N{LATIN SMALL LETTER U WITH DIAERESIS}ller, J\N{LATIN SMALL LETTER U WITH DIAERESIS}rgen",
            ),
            NAIVE,
        ),
        (("participant_Lovelace_Ada_ada", "participant_Mueller_Juergen_mueller"), NAIVE.replace(".cu", " (1).cu")),
    ],
)
def test_a_folder_with_a_students_login_and_name_or_address_in_it_is_theirs(
    folders: tuple[str, str], file: str, tmp_path: Path
) -> None:
    source = put(tmp_path / "class.zip", zip_bytes(differing(*(f"Lab 1/handed in/{one}/{file}" for one in folders))))
    found = discover(source, tmp_path / "scratch", LABS, ROSTER)
    logins = {one.submission.student.login: one for one in found.students}
    assert len(found.students) == 3
    assert [logins[login].sources[NAIVE].read_bytes().split(b"/")[2].decode() for login in ("ada", "mueller")] == list(
        folders
    )
    assert not any("name alone" in one for one in found.notices)


def test_a_login_in_a_folders_name_without_the_students_name_beside_it_is_a_word(tmp_path: Path) -> None:
    source = put(tmp_path / "class.zip", zip_bytes(differing(f"eve 2026/{NAIVE}", f"for eve Bob/{NAIVE}")))
    found = discover(source, tmp_path / "scratch", LABS, ROSTER)
    assert not any(one.submission.student.login for one in found.students if one.submission.handed_in)


def test_what_teams_keeps_of_work_that_is_not_handed_in_counts_for_nobody(tmp_path: Path) -> None:
    tree = differing(
        *(f"{kind} files/{one}/Lab 1/{NAIVE}" for kind in ("Working", "Submitted") for one in ("ada", "bob"))
    )
    found = discover(put(tmp_path / "class.zip", zip_bytes(tree)), tmp_path / "scratch", LABS)
    assert [(one.submission.name, b"Submitted" in one.sources[NAIVE].read_bytes()) for one in found.students] == [
        ("ada", True),
        ("bob", True),
    ]
    assert any("'Working files' beside the submitted ones do not count" in one for one in found.notices)


def test_a_class_is_found_in_many_archives_around_it(tmp_path: Path) -> None:
    data = zip_bytes({f"class/{one}.zip": zip_bytes({NAIVE: one.encode()}) for one in ("ada", "bob")})
    for around in range(4):
        data = zip_bytes({f"{around}.zip": data})
    found = discover(put(tmp_path / "class.zip", data), tmp_path / "scratch", LABS)
    assert {one.submission.name: one.sources[NAIVE].read_bytes() for one in found.students} == {
        "ada": b"ada",
        "bob": b"bob",
    }


def test_a_long_roster_is_asked_about_a_few_names_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each question takes as long as the roster is."""
    asked: list[str] = []

    def is_known(name: str, **_: object) -> bool:
        asked.append(name)
        return False

    monkeypatch.setattr("grader.roll.intake.intake.is_known", is_known)
    tree = differing(*(f"class/s{number}/{part}/{NAIVE}" for number in range(60) for part in ("src", "old")))
    assert (
        len(discover(put(tmp_path / "class.zip", zip_bytes(tree)), tmp_path / "scratch", LABS, ROSTER).students) == 63
    )
    assert len(asked) <= 20
