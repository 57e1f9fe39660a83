"""The nouns that every package shares: labs, outcomes, results, errors. Imports nothing of the grader."""
