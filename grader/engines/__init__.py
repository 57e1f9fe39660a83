"""Engines turn a submission into something that a judge can run: `cpu` for the CPU executor, `gpu` for a GPU."""
