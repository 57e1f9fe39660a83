"""Reads object files, debug information and assembly as data."""
