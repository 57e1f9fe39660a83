// The files between the grader and a program that hosts a runner: how to start the runner, and the report of what was found.
#pragma once

#include <string>
#include <vector>

namespace tilelab::judge {

// The argv in runner.json. Throws std::runtime_error or nlohmann::json::exception.
std::vector<std::string> read_runner_argv(const std::string& path);

// Writes the whole file or nothing (atomically). Throws std::runtime_error.
void write_report(const std::string& path, const std::string& text);

}  // namespace tilelab::judge
