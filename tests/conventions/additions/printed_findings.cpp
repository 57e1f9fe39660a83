// Prints what the executor's observers find in the made-up launch.
#include <cstdio>

#include "made_up_launch.hpp"

int main() {
  for (const tilelab::simt::RawFinding& one : tilelab::findings_of_a_launch()) {
    std::printf("%s %d %s\n", name(one.kind).data(), static_cast<int>(one.site.pc), one.what);
  }
}
