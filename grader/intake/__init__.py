"""From what was uploaded to one source file for each lab of each student. First step of a submission's way."""
