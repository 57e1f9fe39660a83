"""Builds a cubin from a source file: nvcc, its messages about a kernel, and NVIDIA's compute-sanitizer."""
