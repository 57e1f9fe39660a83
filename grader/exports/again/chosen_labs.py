"""A graded class with some of its labs alone, where each lab is an assignment of its own on the platform. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from grader.model.errors import RemediableError
from grader.model.result import Result
from grader.model.result.graded_class import GradedClass
from grader.scoring.class_score import total

_DUST = 1e-6


class ChosenLabsError(RemediableError):
    """These labs cannot be exported alone. The text says why."""


def with_labs(graded: GradedClass, chosen: Sequence[str]) -> GradedClass:
    """Totals and maxima are those of the `chosen` labs. Raises ChosenLabsError."""
    if strange := [one for one in chosen if one not in graded.lab_ids]:
        message = f"the last batch did not grade {strange[0]!r}. It graded: {', '.join(graded.lab_ids)}"
        raise ChosenLabsError(message)
    adjusted = [one.submission.id for one in graded.results if abs(one.total - total(one.labs)[0]) > _DUST]
    if adjusted:
        message = (
            f"the total of {adjusted[0]} is not the sum of the labs' points, as late days or a person's decision may make it: then no lab "
            "can be exported alone. Leave --lab out."
        )
        raise ChosenLabsError(message)
    ids = tuple(one for one in graded.lab_ids if one in chosen)
    return replace(graded, lab_ids=ids, results=tuple(_part(one, ids) for one in graded.results))


def _part(result: Result, ids: Sequence[str]) -> Result:
    labs = {lab_id: result.labs[lab_id] for lab_id in ids}
    points, most = total(labs)
    return result.model_copy(update={"labs": labs, "total": points, "max": most})
