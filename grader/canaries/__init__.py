"""Canaries: small kernels that show whether a compiler still does what the detectors rely on."""
