"""One launch as tables: its trace, its memory traffic, its verdict."""
