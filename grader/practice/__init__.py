"""A student works on a lab: runs the public tests once, or whenever a file is saved."""
