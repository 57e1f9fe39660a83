"""Errors that a person can correct. The text says what is wrong, where, and what to do; no stack trace is shown.

The other kind is what fails on our side: any other exception. It becomes `internal-error` or a bug report.
"""


class RemediableError(Exception):
    """The request cannot be carried out as it is."""


class MachineError(RemediableError):
    """The request cannot be carried out on this machine, for a reason that has nothing to do with any submission."""
