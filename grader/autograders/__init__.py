"""Autograders on other platforms: one student's submission in, the result in that platform's format and the student's page out."""
