"""The page of similar files, for the instructor alone."""
