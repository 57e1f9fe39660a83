"""A batch with regrade requests: question and answer are on the student's page."""

from __future__ import annotations

from fake_course import Course
from told_policy import page, said


def test_a_regrade_request_and_its_answer_are_on_the_students_page(timed: Course) -> None:
    timed.policy["regrade.csv"] = (
        "\ufeffZeitstempel;E-Mail-Adresse;Which lab;Your question;Answer;Answered by\r\n"
        '2026-10-14;anna;a;"Why not; 5 points?";There are 4.;TA Li\r\n'
        "2026-10-14;ben;a;=SUM(1) is no race;;\r\n2026-10-14;zed;a;hello;;\r\n2026-10-14;ben;x;hello;;\r\n"
    )
    report = timed.grade()
    assert "Why not; 5 points?" in page(timed, "anna")
    assert "Answer of TA Li" in page(timed, "anna")
    assert "=SUM(1) is no race" in page(timed, "ben")
    assert "Not answered yet" in page(timed, "ben")
    index = (timed.out / "index.html").read_text(encoding="utf-8")
    assert "Regrade requests without an answer" in index
    assert "regrade.csv, line 4: a regrade request of 'zed', who is not in this batch" in said(report)
    assert "regrade.csv, line 5: there is no lab 'x'" in said(report)
