// Picks the kernel a lab asks for among the names a cubin has. Names only: nothing here touches a device.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tilelab::cuda {

// "scale(float const*, float*, int)" from "_Z5scalePKfPfi"; a name that is not mangled stays as it is.
std::string demangled(const std::string& name);

// The name in `functions` of the kernel with this demangled signature. Failing that, one of that plain name (extern "C"),
// or one inside an unnamed namespace; its parameters are for the caller to check.
std::optional<std::string> kernel_among(const std::vector<std::string>& functions, const std::string& signature);

}  // namespace tilelab::cuda
