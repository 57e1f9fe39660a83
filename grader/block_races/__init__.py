"""Races between two blocks of a launch: both orders, a change that is lost, and what mends it, each as a run of its own."""
