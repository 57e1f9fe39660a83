"""Rosters are read as platforms export them and as people write them; what may be wrong is said with its line."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from grader.model.errors import RemediableError
from grader.model.result import Student
from grader.roll.intake.intake import discover
from grader.roll.people.roster import Roster, read_roster, roster_in

TESTS = Path(__file__).resolve().parents[3]
ADA = {"name": "Ada Lovelace", "login": "ada", "number": "0042", "email": "ada@x.org"}
CANVAS = (
    "\ufeffStudent,ID,SIS User ID,SIS Login ID,Section,Week 1 (77),Current Score\n"
    ",,,,,Manual Posting,\n"
    "    Points Possible,,,,,10,(read only)\n"
    '"Lovelace, Ada",1001,0042,ada,Monday,8,80\n'
    '"Student, Test",1099,,,Monday,,\n'
)
MOODLE = '"First name","Surname","ID number","Email address","Groups"\n"Ada","Lovelace","0042","ada@x.org","Monday"\n'
MOODLE_WORKSHEET = (
    "Identifier,Full name,Email address,Status,Grade,Maximum Grade,Grade can be changed\n"
    '"Participant 700001","Ada Lovelace",ada@x.org,"Submitted for grading",,10.00,Yes\n'
)
BLACKBOARD = (
    '"Last Name"\t"First Name"\t"Username"\t"Student ID"\t"Last Access"\nLovelace\tAda\tada\t0042\t2026-11-01\n'
)
BRIGHTSPACE = (
    "OrgDefinedId,Username,Last Name,First Name,Email,Week 1 Points Grade,End-of-Line Indicator\n"
    "#0042,#ada,Lovelace,Ada,ada@x.org,,#\n"
)
GRADESCOPE = "First Name,Last Name,SID,Email,Role,Section\nAda,Lovelace,0042,ada@x.org,Student,Monday\nAlan,Turing,,at@x.org,Instructor,\n"
GITHUB = '"identifier","github_username","github_id","name"\n"ada@x.org","Countess","99","Ada Lovelace"\n'
CLASSROOM50 = (
    "username,first_name,last_name,email,section,github_id,role\n"
    "Countess,Ada,Lovelace,ada@x.org,Monday,99,student\nalan,Alan,Turing,,,1,ta\n"
)
PRAIRIELEARN = "UID,UIN,Name,Role\nada@x.org,0042,Ada Lovelace,Student\nat@x.org,,Alan Turing,Staff\n"


def only(roster: Roster) -> Student:
    (row,) = roster.rows
    return row.student


@pytest.mark.parametrize(
    ("text", "platform", "expected"),
    [
        (CANVAS, "Canvas", Student(name="Lovelace, Ada", login="ada", number="0042", section="Monday", platform_ids={"Canvas": "1001"})),
        (MOODLE, "Moodle", Student(name="Ada Lovelace", number="0042", email="ada@x.org")),
        (MOODLE_WORKSHEET, "Moodle", Student(name="Ada Lovelace", email="ada@x.org", platform_ids={"Moodle": "700001"})),
        (BLACKBOARD, "Blackboard", Student(name="Ada Lovelace", login="ada", number="0042")),
        (BRIGHTSPACE, "Brightspace", Student(**ADA)),
        (GRADESCOPE, "Gradescope", Student(name="Ada Lovelace", number="0042", email="ada@x.org", section="Monday")),
        (GITHUB, "GitHub Classroom", Student(name="Ada Lovelace", email="ada@x.org", platform_ids={"GitHub Classroom": "Countess"})),
        (
            CLASSROOM50,
            "classroom50",
            Student(
                name="Ada Lovelace", email="ada@x.org", section="Monday", platform_ids={"GitHub Classroom": "Countess"}
            ),
        ),
        (PRAIRIELEARN, "PrairieLearn", Student(name="Ada Lovelace", number="0042", platform_ids={"PrairieLearn": "ada@x.org"})),
    ],
    ids=lambda one: one if isinstance(one, str) and len(one) < 20 else "",
)  # fmt: skip
def test_a_platforms_own_export_is_read_as_it_is(text: str, platform: str, expected: Student) -> None:
    roster = roster_in(text.encode(), "roster.csv")
    assert only(roster) == expected
    assert roster.notices[0].startswith(f"roster roster.csv: {platform}, 1 student")


@pytest.mark.parametrize(
    "text",
    [
        "name,login,number,email\nAda Lovelace,ada,0042,ada@x.org\n",
        "Name;Kennung;Matrikelnummer;E-Mail-Adresse\r\nAda Lovelace;ada;0042;ada@x.org\r\n",
        "sep=;\nVorname;Nachname;User-ID;Matrikel-Nr.;Mail\nAda;Lovelace;ada;0042;ada@x.org\n",
        'My course\n\nFull Name\tUSER NAME\tStudent No.\tE-mail\n"Ada\nLovelace"\t ada \t="0042"\tada@x.org\n',
        "nom|prénom|login|number|courriel\nLovelace|Ada|ada|0042|ada@x.org\n",
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le"])
def test_a_table_that_a_person_wrote_is_read_in_any_dress(text: str, encoding: str) -> None:
    assert only(roster_in(text.encode(encoding), "roster.csv")) == Student(**ADA)


def test_a_table_of_an_older_spreadsheet_keeps_its_accents_and_says_so() -> None:
    roster = roster_in("name;login\nJörg Müller;jm\n".encode("cp1252"), "roster.csv")
    assert only(roster).name == "Jörg Müller"
    assert any("Windows-1252" in notice for notice in roster.notices)


def test_our_own_word_for_a_column_comes_before_another_one() -> None:
    roster = roster_in(b"Lecture,Email,Section\n1,ada@x.org,B\n", "r.csv")
    assert only(roster).section == "B"
    assert any("'Lecture' (as 'Section')" in notice for notice in roster.notices)


def test_a_column_that_is_not_understood_or_may_mean_two_things_is_said() -> None:
    text = "name,login,hair,Group,user name\nAda,ada,dark,3,countess\n"
    said = " ".join(roster_in(text.encode(), "r.csv").notices)
    assert "'hair'" in said
    assert "'Group' may mean a section or a team" in said
    assert "'user name' (as 'login')" in said


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("name,section\nAda,1\n", "Add a column `number`, `login` or `email`"),
        ("name,login\n", "only headings"),
        ("", "no heading is understood"),
        ("0042;Ada\n", "no heading is understood"),
        ("name,login\nAda,ada\nBen,\nCarl,-\n", r"line 3 \('Ben'\), line 4 \('Carl'\)"),
        ("name,login,number\nAda,ada,1\nBen,ben,2\nCarl,ADA,3\nDora,d,2\n", "login 'ada' in lines 2 and 4, number '2' in lines 3 and 5"),
        ('name,login\n"Ada,ada\nBen,ben\n', "line 2 cannot be read as a row"),
        ("PK\3\4 a spreadsheet", "save it as CSV"),
        ("name,login\nAda\0,ada\n", "this is no text"),
    ],
)  # fmt: skip
def test_a_roster_that_could_misplace_a_grade_is_refused_with_its_lines(text: str, reason: str) -> None:
    with pytest.raises(RemediableError, match=reason):
        roster_in(text.encode(), "roster.csv")


def test_a_roster_that_is_not_there_is_refused_with_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(RemediableError, match="Name a CSV file"):
        read_roster(tmp_path / "none.csv")
    with pytest.raises(RemediableError, match="Name a CSV file"):
        read_roster(tmp_path)


def test_names_that_are_formulas_are_names() -> None:
    assert only(roster_in(b"name,login\n\"=cmd|' /C calc'!A0\",eve\n", "r.csv")).name == "=cmd|' /C calc'!A0"


@pytest.mark.parametrize("text", [CANVAS, MOODLE, BLACKBOARD, BRIGHTSPACE, GRADESCOPE, GITHUB])
def test_a_torn_roster_is_read_or_refused_in_words_that_are_safe_to_print(text: str) -> None:
    chance = random.Random(17)
    for _ in range(60):
        data = bytearray(text.encode(chance.choice(["utf-8", "utf-16"])))
        for _ in range(chance.choice([1, 2, 5, 30])):
            at = chance.randrange(len(data))
            data[at : at + chance.choice([0, 1])] = chance.choice(
                [b'"', b"\n", b",", b";", b"\0", b"\xff", b"\xe2\x80\xae"]
            )
        try:
            roster = roster_in(bytes(data), "roster.csv")
            said = " ".join(roster.notices)
            assert all(row.student.model_dump_json() and row.known_as for row in roster.rows)
        except RemediableError as refusal:
            said = str(refusal)
        assert said.isprintable()


@pytest.mark.parametrize(
    "headings",
    [
        "Vorname;Nachname;Kennung;Matrikelnummer;E-Mail-Adresse",
        "Prénom;Nom;Utilisateur;Numéro étudiant;Adresse électronique",
        "Nombre;Apellido(s);Usuario;DNI;Dirección de correo",
        "Nome,Cognome,Nome utente,Matricola,Indirizzo email",
        "Nome,Sobrenome,Nome de usuário,Número de matrícula,Endereço de e-mail",
        "Voornaam,Achternaam,Gebruikersnaam,Studentnummer,E-mailadres",
        "Imię,Nazwisko,Nazwa użytkownika,Numer albumu,Adres e-mail",
        "Förnamn,Efternamn,Användarnamn,Number,E-postadress",
        "Jméno,Příjmení,Uživatelské jméno,Studentské číslo,E-mailová adresa",
        "名,姓氏,用户名,学号,电子邮件地址",
        "名,姓,ユーザー名,学籍番号,メールアドレス",
    ],
)
def test_headings_of_many_languages_are_understood(headings: str) -> None:
    separator = ";" if ";" in headings else ","
    text = f"{headings}\n{separator.join(('Ada', 'Lovelace', 'ada', '0042', 'ada@x.org'))}\n"
    roster = roster_in(text.encode(), "r.csv")
    assert only(roster) == Student(**ADA)
    assert not any("not used" in one for one in roster.notices)


@pytest.mark.parametrize(
    "heads",
    [
        ("ID,Vollständiger Name,E-Mail-Adresse", "Teilnehmer/in700001"),
        ("Identifiant,Nom complet,Adresse de courriel", "Participant 700001"),
        ("Identificador,Nombre completo,Dirección de correo", "Participante 700001"),
    ],
)
def test_moodles_worksheet_in_another_language_still_tells_the_participant(heads: tuple[str, str]) -> None:
    roster = roster_in(f"{heads[0]}\n{heads[1]},Ada Lovelace,ada@x.org\n".encode(), "r.csv")
    assert only(roster) == Student(name="Ada Lovelace", email="ada@x.org", platform_ids={"Moodle": "700001"})


def test_a_student_of_several_sections_is_one_and_is_told() -> None:
    roster = roster_in(b"name,login,section\nAda L,ada,Mon\nBen B,ben,Mon\nAda L,ada,Tue\nAda L,ada,Tue\n", "r.csv")
    assert [(row.student.login, row.student.section) for row in roster.rows] == [("ada", "Mon, Tue"), ("ben", "Mon")]
    assert any("in several rows" in one and "lines 2 and 4 and 5" in one for one in roster.notices)


def test_numbers_that_a_spreadsheet_has_shortened_are_refused_with_their_lines() -> None:
    with pytest.raises(RemediableError, match=r"their last digits are lost: line 3 \(1\.23457E\+11\)"):
        roster_in(b"name,number\nAda,12345.0\nBen,1.23457E+11\n", "r.csv")
    assert only(roster_in(b"name,number\nAda,12345.0\n", "r.csv")).number == "12345"


def test_what_turns_text_around_is_not_part_of_a_name() -> None:
    assert only(roster_in("name,login\nAda \u202ecba\u202c,ada\n".encode(), "r.csv")).name == "Ada cba"


def test_the_roster_of_the_bundled_class_fills_each_column_of_canvas_for_each_upload(tmp_path: Path) -> None:
    uploads, roster = TESTS / "class", read_roster(TESTS / "class_roster.csv")
    students = discover(uploads, tmp_path, ["matmul_naive.cu"], roster).students
    assert len(students) == len(list(uploads.iterdir())) == len(roster.rows)
    for one in (student.submission.student for student in students):
        assert all((one.name, one.platform_ids.get("Canvas"), one.number, one.login, one.section)), one
