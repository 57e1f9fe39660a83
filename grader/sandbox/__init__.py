"""Confines programs that work on a submission: what a confinement is, how one is found, and how one is used.

Theory of operation: docs/threat-model.md says who is kept from what. kit/sandbox/confine_main.cpp says how the inner wall works,
and bubblewrap.py how the outer wall works.
"""

from grader.sandbox.bubblewrap import Bubblewrap
from grader.sandbox.confined_run import Finished, run_confined
from grader.sandbox.confinement import Confinement, Limits, Profile, SandboxUnavailable
from grader.sandbox.detection import detect
from grader.sandbox.launcher import Launcher, Unconfined

__all__ = [
    "Bubblewrap",
    "Confinement",
    "Finished",
    "Launcher",
    "Limits",
    "Profile",
    "SandboxUnavailable",
    "Unconfined",
    "detect",
    "run_confined",
]
