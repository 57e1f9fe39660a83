"""From a source file to an outcome: built, judged on the CPU executor and on a GPU, and both brought together."""
