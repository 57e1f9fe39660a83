// What a kernel prints: the driver writes it to this process's standard output when a launch ends, and here that is a
// memory file. Untrusted text.
#pragma once

#include <string>

#include "runner/channel.hpp"

namespace tilelab::cuda {

class PrintedOutput {
 public:
  PrintedOutput();  // takes standard output over for good; throws std::system_error
  void clear();
  std::string text() const;  // at most 16 KiB of what was printed since

 private:
  Descriptor file_;
};

}  // namespace tilelab::cuda
