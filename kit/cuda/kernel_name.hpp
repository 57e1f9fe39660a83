// Finds the kernel that a lab asks for among the names in a cubin. It works on names only and touches no device.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tilelab::cuda {

// "scale(float const*, float*, int)" from "_Z5scalePKfPfi"; a name that is not mangled stays as it is.
std::string demangled(const std::string& name);

// The name in `functions` of the kernel with this demangled signature. If there is none: the one with that plain name (extern
// "C"), or the one inside an unnamed namespace. The caller then has to check its parameters.
std::optional<std::string> kernel_among(const std::vector<std::string>& functions, const std::string& signature);

}  // namespace tilelab::cuda
