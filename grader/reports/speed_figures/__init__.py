"""Measured and modelled speed, as lines, tables and pictures."""
