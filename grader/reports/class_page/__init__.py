"""The class page, for instructors."""
