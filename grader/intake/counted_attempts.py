"""A student's intake with the attempts that count: their files, and what has to be said of them. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from grader.intake.answer_files import HandedAnswers
from grader.intake.attempt_choice import Counted
from grader.intake.student_intake import Attempt, Intake


def with_counted(student: Intake, counted: Counted) -> Intake:
    """What no attempt counts for is missing. Hints of the last attempt of each download say what was there instead."""
    attempts = student.attempts
    last = {one.download: number for number, one in enumerate(attempts)}
    shown = sorted({*counted.attempts.values()} or {*last.values()})
    of_file = {file: attempts[number] for file, number in counted.attempts.items()}
    hints: dict[str, str] = {}
    for number in sorted({*last.values(), *shown}):
        hints |= attempts[number].hints
    hints |= counted.hints
    times = [at for number in shown if (at := attempts[number].at) is not None]
    said = [f"{attempts[number].number} of {attempts[number].of}" for number in shown if attempts[number].of > 1]
    refused = attempts[shown[0]].refused if len(shown) == 1 else None
    submission = student.submission.model_copy(
        update={
            "at": max(times).isoformat() if times else "",
            "attempt": ", ".join(dict.fromkeys(said)),
            "notices": tuple(dict.fromkeys(one for number in shown for one in attempts[number].notices)),
            "refused": refused,
        }
    )
    return replace(
        student,
        submission=submission,
        sources={file: one.sources[file] for file, one in of_file.items() if file in one.sources},
        blocked={} if refused else {file: why for file, one in of_file.items() if (why := _blocked(one, file))},
        hints={file: hint for file, hint in hints.items() if file not in counted.attempts},
        counted=dict(counted.attempts),
        answers=_answers(attempts, counted),
    )


def _answers(attempts: Sequence[Attempt], counted: Counted) -> dict[str, HandedAnswers]:
    """Of the attempt that counts for the lab's file, where it has any; else of the last attempt that has."""
    last = {file: answers for one in attempts for file, answers in one.answers.items()}
    own = {
        file: attempts[number].answers[file]
        for file, number in counted.attempts.items()
        if file in attempts[number].answers
    }
    return last | own


def _blocked(attempt: Attempt, file: str) -> str:
    """Empty: it is taken. Where the upload as a whole was refused, other downloads may still count for other labs."""
    if attempt.refused is not None:
        return f"the submission was refused: {attempt.refused}"
    return attempt.blocked.get(file, "")
