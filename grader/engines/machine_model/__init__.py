"""What the proof of announcements knows at a place of the code, for any processor: values, registers, memory, the kit's functions."""
