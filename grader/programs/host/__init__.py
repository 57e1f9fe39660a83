"""The host's side of a program: its texts, what the host compiler gets, and what comes of it."""
