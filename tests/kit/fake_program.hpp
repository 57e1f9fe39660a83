// Programs and kernels for the broker's tests: hidden cases of this test program, started by name in their own processes. Some are
// honest, some are not. fake_program_test.cpp contains them.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace tilelab::fake {

inline constexpr const char* add_one = "_Z7add_onePfi";  // adds 1 to each of n floats
inline constexpr const char* not_built = "_Z9not_builtv";

// program.json for the fake program called `name`, with the kernels above.
inline nlohmann::json program(const std::string& name) {
  using nlohmann::json;
  const auto argv = [](const std::string& one) { return json{"/proc/self/exe", one}; };
  const auto parameter = [](const char* called, bool pointer) {
    return json{{"name", called},
                {"element", pointer ? "float" : "int"},
                {"bytes", pointer ? 8 : 4},
                {"element_bytes", 4},
                {"is_pointer", pointer},
                {"only_reads", false},
                {"passing", "registers"},
                {"pieces", {{0, pointer ? 8 : 4, false}}},
                {"alignment", 8}};
  };
  return {{"host", {{"argv", argv("fake program: " + name)}}},
          {"kernels",
           {{add_one,
             {{"runner", {{"argv", argv("fake kernel: adds one")}}},
              {"name", "add_one(float*, int)"},
              {"parameters", {parameter("x", true), parameter("n", false)}},
              {"variables", {{{"name", "calls"}, {"bytes", 4}}}},
              {"static_shared_bytes", 0}}},
            {not_built, {{"name", "not_built()"}, {"refusal", {{"message", "uses a texture"}, {"line", 3}}}}}}},
          {"limits",
           {{"clock_ms", 10'000}, {"wall_ms", 60'000}, {"event_budget", 1000}, {"memory_bytes", 16 << 20}, {"output_bytes", 1 << 20}}}};
}

}  // namespace tilelab::fake
