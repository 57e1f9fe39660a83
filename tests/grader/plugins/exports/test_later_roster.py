"""A class with a roster that came later: who is on it alone has handed in nothing, which is no zero before the deadline."""

from __future__ import annotations

from export_class import ALAN, make_result, right_lab, ungraded_lab

from grader.model.graded_class import GradedClass
from grader.model.result import Standing
from grader.model.verdicts import Verdict
from grader.plugins.exports.grade_tables import grade
from grader.roll.batch.output_folder import with_roster
from grader.roll.people.identities import Identities
from grader.roll.people.roster import roster_in

ROSTER = roster_in(b"name,login,number\nAlan Turing,alan,0043\nEve New,eve,0050\n", "roster.csv")


def test_who_is_on_the_roster_alone_has_no_grade_in_a_lab_that_is_not_due() -> None:
    standing = Standing(judged_points=0, due="2026-10-19T23:59:00+02:00", open=True)
    not_due = ungraded_lab(Verdict.MISSING_FILE).model_copy(update={"standing": standing})
    extended = not_due.model_copy(
        update={"standing": standing.model_copy(update={"extended_from": "2026-10-12T23:59:00+02:00"})}
    )
    for lab, expected in ((not_due, None), (extended, 0), (right_lab(), 0)):
        graded = GradedClass("c", ("01-a",), (make_result("alan", ALAN, lab),))
        found, _ = with_roster(graded, ROSTER, Identities())
        assert [one.submission.student.name for one in found.results] == ["Alan Turing", "Eve New"]
        assert grade(found.results[1]) == expected
