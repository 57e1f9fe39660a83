"""The class page."""
