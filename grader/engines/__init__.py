"""Engines turn a submission into a program that a judge can run: `cpu` for the CPU executor, `gpu` for a GPU."""
