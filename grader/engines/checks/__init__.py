"""Checks of a submission's text and object code. Each check refuses what is not allowed, with a line and a reason."""
