# Makes verdict_list.hpp: an enumerator and a text for each verdict, read line by line from the one table of verdicts.
# Included by CMakeLists.txt, or run alone: cmake -D TABLE=grader/model/verdicts.py -D HEADER=verdict_list.hpp -P verdict_list.cmake
function(write_verdict_list table header)
  file(STRINGS ${table} rows REGEX "^    [A-Z_]+ = \"[a-z-]+\"")
  set(enumerators "")
  set(names "")
  foreach(row IN LISTS rows)
    string(REGEX MATCH "^    ([A-Z_]+) = (\"[a-z-]+\")" row "${row}")
    string(TOLOWER "${CMAKE_MATCH_1}" enumerator)
    string(APPEND enumerators "\n  ${enumerator},")
    string(APPEND names "\n    ${CMAKE_MATCH_2},")
  endforeach()
  list(LENGTH rows count)
  set(text "// Made by kit/executor/verdict_list.cmake from grader/model/verdicts.py.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace tilelab {

enum class Verdict : std::uint8_t {${enumerators}
};

inline constexpr std::array<std::string_view, ${count}> verdict_names{${names}
};

}  // namespace tilelab
")
  file(CONFIGURE OUTPUT ${header} CONTENT "${text}" @ONLY)  # leaves the file alone where nothing has changed
endfunction()

if(CMAKE_SCRIPT_MODE_FILE)
  write_verdict_list(${TABLE} ${HEADER})
endif()
