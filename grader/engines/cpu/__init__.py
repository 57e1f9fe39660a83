"""Builds a runner of the CPU executor from a source file: the steps, the compilers and their flags."""
