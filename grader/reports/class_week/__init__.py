"""Sections of the class page about people and mistakes: whom to write to, sections, clusters of mistakes, changes."""
