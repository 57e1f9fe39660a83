"""From an outcome to points and to what a student may see of it. Pure functions."""
