"""The labs whose students write one kernel, which the judge launches: many tests need such a one, and the course has others."""

from __future__ import annotations

from pathlib import Path

from grader.model.labs import Lab, lab_ids, load_lab


def kernel_labs(root: Path) -> list[Lab]:
    """In the order of the course."""
    labs = [load_lab(root, lab_id) for lab_id in lab_ids(root)]
    return [lab for lab in labs if not lab.public.starts_itself]


def kernel_lab_ids(root: Path) -> list[str]:
    return [lab.id for lab in kernel_labs(root)]
