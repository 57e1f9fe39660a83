"""The arguments that `tilelab check` passes to a kernel: what was written, what the kernel takes, and how the one becomes the other."""
