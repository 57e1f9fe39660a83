"""How numbers, verdicts and a submission's own text read in every report."""
