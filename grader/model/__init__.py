"""The data that every package shares: labs, outcomes, results, errors. It imports nothing else of the grader."""
