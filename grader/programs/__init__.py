"""Whole CUDA programs: their host code and their kernels, built apart and run without a GPU."""
