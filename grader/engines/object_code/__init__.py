"""Object files, debug information and assembly, read as data."""
