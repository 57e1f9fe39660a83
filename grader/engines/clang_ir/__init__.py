"""LLVM's intermediate language as Clang writes it: read, and changed so that Clang's programs do what GCC's do."""
