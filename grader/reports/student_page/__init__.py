"""A student's page."""
