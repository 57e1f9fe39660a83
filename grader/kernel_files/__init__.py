"""A file with kernels as its author has it: its headers, its kernels, its own launches, and what of it one kernel needs."""
