"""Exports of a class that was graded before: what its last batch was, and a roster that came later."""
