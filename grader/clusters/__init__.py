"""Mistakes that several students of a class made: what they have in common, and one comment for all of them. Decides no grade."""
