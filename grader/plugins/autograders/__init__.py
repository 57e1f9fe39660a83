"""Platforms that grade by themselves: a pack for each, and the grading of one submission in its container. See docs/autograders.md."""

from grader.roll.batch.plugin import Command

PLUGINS = (
    Command("grade-one", "grader.plugins.autograders.autograder_commands:grade_one"),
    Command("autograder", "grader.plugins.autograders.autograder_commands:make_autograder"),
)
