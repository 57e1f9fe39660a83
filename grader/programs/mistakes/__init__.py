"""What the record of a run says about the program's host code, and in which words. Nothing here builds or runs anything."""
