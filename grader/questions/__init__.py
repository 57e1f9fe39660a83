"""The questions at the end of a lab's write-up, the file that students answer them in, and the check of numbers."""
