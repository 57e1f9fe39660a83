"""The commands that build a file of any author and launch its kernels: trace, profile, check, run."""
