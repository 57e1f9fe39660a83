"""How fast a right kernel is: it is timed against others, and what the times mean is worked out. Only on a GPU."""
