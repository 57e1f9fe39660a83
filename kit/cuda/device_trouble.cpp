#include "cuda/device_trouble.hpp"

namespace tilelab::cuda {
namespace {

using protocol::Status;

// From <cuda.h>. Errors of a kernel that ran are 700 and above.
enum : Result {
  invalid_value = 1,
  out_of_memory = 2,
  illegal_address = 700,
  out_of_resources = 701,
  launch_timeout = 702,
  assertion = 710,
  hardware_stack = 714,
  illegal_instruction = 715,
  misaligned_address = 716,
  invalid_address_space = 717,
  invalid_pc = 718,
  launch_failed = 719
};

}  // namespace

Trouble trouble_of(Result result, const std::string& words) {
  const std::string said = " The GPU says " + words + ".";
  switch (result) {
    case illegal_address:
      return {Status::completed, "out-of-bounds", "A thread uses an address on the GPU that belongs to no array." + said, true};
    case misaligned_address:
      return {Status::completed, "misaligned", "A thread uses an address that is not a multiple of the type's size." + said, true};
    case assertion: return {Status::crash, "", "An assertion in the kernel failed." + said, true};
    case hardware_stack: return {Status::crash, "", "A thread overflows its stack." + said, true};
    case illegal_instruction:
    case invalid_pc:
    case launch_failed: return {Status::crash, "", "The kernel crashed." + said, true};
    case invalid_address_space:
      return {Status::crash, "", "A thread uses an address in the wrong memory, such as a shared one for a global access." + said, true};
    case launch_timeout: return {Status::timeout, "", "The kernel does not end." + said, true};
    case invalid_value:
    case out_of_resources: return {Status::launch_error, "", "The GPU refuses this launch." + said, false};
    case out_of_memory: return {Status::internal_error, "", "The GPU has no memory left." + said, false};
    default: return {Status::internal_error, "", "The GPU failed." + said, true};
  }
}

}  // namespace tilelab::cuda
