// What a kernel prints. When a launch ends, the driver writes it to this process's standard output, which is a memory file here.
// The text is untrusted.
#pragma once

#include <string>

#include "protocol/channel.hpp"

namespace tilelab::cuda {

class PrintedOutput {
 public:
  PrintedOutput();  // replaces standard output for the rest of the process; throws std::system_error
  void clear();
  std::string text() const;  // at most 16 KiB of what was printed since then

 private:
  Descriptor file_;
};

}  // namespace tilelab::cuda
