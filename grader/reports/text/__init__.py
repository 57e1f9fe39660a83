"""How reports write numbers, verdicts and text from a submission."""
