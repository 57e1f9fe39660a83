"""What this machine offers: compiler, sandbox, GPU, and the files and locks that are shared on it."""
