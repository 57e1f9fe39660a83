"""Spends a student's late days over the term: lab by lab in the order of the deadlines, and never more than help. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from grader.policy.late_rules import Lateness, LateRules, Work, lateness

_NEVER = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True)
class Settled:
    chosen: int  # which of the lab's works counts
    lateness: Lateness
    days_left: int  # after this lab


def settle(works: Mapping[str, Sequence[Work]], rules: LateRules) -> dict[str, Settled]:
    """By lab. Of several works of one lab, that counts which has most points when all is done; of equal ones, the last."""
    left = rules.days
    settled = {}
    for lab, of_lab in sorted(
        works.items(), key=lambda one: (min((w.due or _NEVER for w in one[1]), default=_NEVER), one[0])
    ):
        found = [lateness(rules, work, left) for work in of_lab]
        chosen = max(
            range(len(found)),
            key=lambda n: (round(of_lab[n].points - found[n].lost, 6), -found[n].spent, n),
        )
        left -= found[chosen].spent
        settled[lab] = Settled(chosen, found[chosen], left)
    return settled
