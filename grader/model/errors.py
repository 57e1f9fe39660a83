"""The family of errors that a person can mend: the text says what is wrong, where, and what to do; no trace is shown.

The other family is what breaks on our side: any other exception, which becomes `internal-error` or a bug report.
"""


class RemediableError(Exception):
    """What was asked for cannot be done as it was asked."""
