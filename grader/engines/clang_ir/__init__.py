"""Reads LLVM's intermediate language as Clang writes it, and changes it so that Clang's programs do the same as GCC's."""
