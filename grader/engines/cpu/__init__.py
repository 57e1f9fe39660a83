"""From a source file to a runner of the CPU executor: the steps, the compilers and their flags."""
