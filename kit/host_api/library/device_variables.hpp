// Variables of the device, which the program names by variables of its own: the name in the symbol table says which one is meant, and
// the conductor has memory for it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "host_api/error_codes.hpp"

namespace tilelab_host {

// `symbol`: the address of the program's own variable. `call` and `at` are for an error: which function was called, and from where.
cudaError_t address_of_variable(const void* symbol, void** pointer, const char* call, std::uintptr_t at);
cudaError_t size_of_variable(const void* symbol, std::size_t* bytes, const char* call, std::uintptr_t at);

// Puts managed memory in the place of the program's __managed__ variables. Once, before the first other request.
void map_managed_variables();

}  // namespace tilelab_host
