"""Engines build a submission into something a judge can run. So far one: the CPU executor."""
