"""Whether nvcc and the CPU executor's compiler read the same program."""
