// The files through which the grader speaks with a program that hosts a runner: how to start it, and what was found.
#pragma once

#include <string>
#include <vector>

namespace tilelab::judge {

// The argv in runner.json. Throws std::runtime_error or nlohmann::json::exception.
std::vector<std::string> read_runner_argv(const std::string& path);

// Complete or not there at all. Throws std::runtime_error.
void write_report(const std::string& path, const std::string& text);

}  // namespace tilelab::judge
