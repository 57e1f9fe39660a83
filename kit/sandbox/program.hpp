// Finds the program to start, and what the kernel will start with it. Reads the file's head; runs nothing.
#pragma once

#include <string>
#include <vector>

namespace tilelab::sandbox {

// `name` as execvp would find it along `folders`. Throws Failure (126, 127) as `env` would.
std::string find_program(const std::string& name, const std::vector<std::string>& folders);

// The dynamic loader an ELF program asks for; empty for a static one or another kind of file.
std::string loader_of(const std::string& program);

}  // namespace tilelab::sandbox
