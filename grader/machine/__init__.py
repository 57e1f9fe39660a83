"""The machine that grades: its compiler, sandbox and GPU, and the files and locks that its processes share."""
