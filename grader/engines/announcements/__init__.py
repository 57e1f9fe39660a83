"""Proves on the machine code that each access to memory is announced before it happens, and inserts the calls that are missing."""
