"""How fast a right kernel is: times it against others on a GPU, and computes what the times mean."""
