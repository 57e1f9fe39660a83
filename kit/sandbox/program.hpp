// Finds the program to start, and the loader that the kernel will start with it. It reads the beginning of the file and runs
// nothing.
#pragma once

#include <string>
#include <vector>

namespace tilelab::sandbox {

// Searches `folders` for `name` as execvp would. Throws Failure (126, 127) as `env` would.
std::string find_program(const std::string& name, const std::vector<std::string>& folders);

// The dynamic loader that an ELF program asks for; empty for a static program or another kind of file.
std::string loader_of(const std::string& program);

}  // namespace tilelab::sandbox
