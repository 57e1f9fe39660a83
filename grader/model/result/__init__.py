"""The one definition of `result.json`: what judging found and scoring awarded, as plain data.

Scoring and every report are pure functions of these models. Nothing here does I/O. Its parts lie beside this file, a noun in each;
everybody else imports them from here.
"""

from grader.model.result.case_result import UNCOUNTED, Case, OnGpu
from grader.model.result.counted_tier import CostLine, CountedBound, CountedTier
from grader.model.result.finding import Finding, Site
from grader.model.result.kernel_outlook import GpuKernel, NextStep, Outlook, OutlookTerm, Rung
from grader.model.result.lab_result import Build, LabResult, LeaderboardName, Suspect
from grader.model.result.launch_result import Explanation, Launch, LineTraffic, Mismatch, Traffic, WrongElement
from grader.model.result.plain_data import Model
from grader.model.result.result_file import SCHEMA, Environment, Result
from grader.model.result.step_page_link import StepLink, StepPage, StepView
from grader.model.result.submission import Student, Submission
from grader.model.result.timing_result import (
    ContestantTimes,
    Ratio,
    SampledElement,
    SweepPoint,
    SweepTime,
    TimedTier,
    Timing,
)

__all__ = [
    "SCHEMA",
    "UNCOUNTED",
    "Build",
    "Case",
    "ContestantTimes",
    "CostLine",
    "CountedBound",
    "CountedTier",
    "Environment",
    "Explanation",
    "Finding",
    "GpuKernel",
    "LabResult",
    "Launch",
    "LeaderboardName",
    "LineTraffic",
    "Mismatch",
    "Model",
    "NextStep",
    "OnGpu",
    "Outlook",
    "OutlookTerm",
    "Ratio",
    "Result",
    "Rung",
    "SampledElement",
    "Site",
    "StepLink",
    "StepPage",
    "StepView",
    "Student",
    "Submission",
    "Suspect",
    "SweepPoint",
    "SweepTime",
    "TimedTier",
    "Timing",
    "Traffic",
    "WrongElement",
]
