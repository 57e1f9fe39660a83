"""From a source file to a cubin: nvcc, what it says of a kernel, and NVIDIA's compute-sanitizer."""
