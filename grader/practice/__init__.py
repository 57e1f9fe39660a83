"""A student at work on a lab: the public tests, once or whenever a file is saved."""
