"""The platforms that `tilelab grade-one` knows: one file for each, and its place in this list."""

from __future__ import annotations

from grader.autograders.actions_run import ACTIONS_RUN
from grader.autograders.autograder_platform import AutograderPlatform
from grader.autograders.autolab_job import AUTOLAB_JOB
from grader.autograders.classroom50_run import CLASSROOM50_RUN
from grader.autograders.gradescope_container import GRADESCOPE_CONTAINER
from grader.autograders.prairielearn_job import PRAIRIELEARN_JOB
from grader.model.errors import RemediableError

PLATFORMS = (GRADESCOPE_CONTAINER, CLASSROOM50_RUN, ACTIONS_RUN, PRAIRIELEARN_JOB, AUTOLAB_JOB)


def platform_named(name: str) -> AutograderPlatform:
    """Raises RemediableError for a name that is no platform."""
    found = next((one for one in PLATFORMS if one.name == name), None)
    if found is None:
        message = f"there is no platform {name!r}. There are: {', '.join(one.name for one in PLATFORMS)}"
        raise RemediableError(message)
    return found
