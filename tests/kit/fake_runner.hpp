// Runners for the judge's tests: hidden cases of this test program, started by name in their own processes. Some are honest, most
// are not. fake_runner_test.cpp contains them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "protocol/protocol.hpp"

namespace tilelab::fake {

// The argument list that starts the fake called `name`.
inline std::vector<std::string> runner(const std::string& name) { return {"/proc/self/exe", "fake runner: " + name}; }

// A request for a product of 2x3 and 3x2 matrices whose contents do not matter.
inline protocol::LaunchRequest small_request() {
  using protocol::Role;
  protocol::LaunchRequest request;
  request.arguments = {{.name = "A", .role = Role::input, .bytes = 24, .row_elements = 3},
                       {.name = "B", .role = Role::input, .bytes = 24, .row_elements = 2},
                       {.name = "C", .role = Role::output, .bytes = 16, .row_elements = 2},
                       {.name = "M", .role = Role::scalar, .element = "int", .bytes = 4, .bits = 2},
                       {.name = "N", .role = Role::scalar, .element = "int", .bytes = 4, .bits = 2},
                       {.name = "K", .role = Role::scalar, .element = "int", .bytes = 4, .bits = 3}};
  request.launch_arguments = {2, 2, 3};
  request.clock_ms = 10'000;
  return request;
}

}  // namespace tilelab::fake
