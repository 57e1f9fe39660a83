"""Proves that a course is fit to be given: one file for each kind of proof, `course_proofs` lists them, `proving` runs them."""
