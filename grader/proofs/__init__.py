"""Proves that a course is ready to be given. Each kind of proof has a file, `course_proofs` lists them, and `proving` runs them."""
