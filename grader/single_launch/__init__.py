"""One launch of one kernel, outside any grading: traced, profiled, or checked for mistakes."""
