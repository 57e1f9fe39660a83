"""Inline PTX: reads the `asm` statements of a preprocessed text and puts calls of the kit's functions in their place."""
