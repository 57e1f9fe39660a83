// Implements device_variables.hpp.
#include "host_api/library/device_variables.hpp"

#include <sys/mman.h>

#include <map>

#include "host_api/library/host_session.hpp"
#include "host_api/library/own_symbols.hpp"

// The section of __managed__ variables begins and ends here; the linker defines both where there is one.
extern "C" {
__attribute__((weak)) extern char __start_tilelab_managed[];
__attribute__((weak)) extern char __stop_tilelab_managed[];
// One page at the end of the section: the last variable is mapped in whole pages, and nothing else may share its page. The library is
// linked behind the program.
__attribute__((section("tilelab_managed"), aligned(4096), used)) char tilelab_managed_end[4096] = {0};
}

namespace tilelab_host {
namespace {

constexpr std::size_t section_page = 4096;
std::mutex known_mutex;
std::map<std::uintptr_t, std::uintptr_t> known;  // the address on the device of the variable at this address

bool is_managed(std::uintptr_t address) {
  return address != reinterpret_cast<std::uintptr_t>(tilelab_managed_end) &&
         address >= reinterpret_cast<std::uintptr_t>(__start_tilelab_managed) &&
         address < reinterpret_cast<std::uintptr_t>(__stop_tilelab_managed);
}

const Symbol* variable(const void* symbol) {
  const Symbol* found = OwnSymbols::read().variable_around(number_of(symbol));
  return found && found->address == number_of(symbol) ? found : nullptr;
}

}  // namespace

cudaError_t address_of_variable(const void* symbol, void** pointer, const char* call, std::uintptr_t at) {
  Session& session = Session::open();  // opening it fills `known`
  const Symbol* named = variable(symbol);
  if (!named || !pointer) return session.raise(named ? cudaErrorInvalidValue : cudaErrorInvalidSymbol, call, at);
  const std::lock_guard lock(known_mutex);
  const auto before = known.find(named->address);
  std::uintptr_t address = before == known.end() ? 0 : before->second;
  if (address == 0) {
    const Reply reply = session.move({{"op", "symbol"}, {"name", named->name}, {"bytes", named->bytes}, {"kind", "device"}, {"at", at}},
                                     {named->address, 1, named->bytes, named->bytes});
    if (reply.error() != cudaSuccess) return reply.error();
    address = known[named->address] = reply.fields.value("address", std::uintptr_t{0});
  }
  *pointer = reinterpret_cast<void*>(address);
  return cudaSuccess;
}

cudaError_t size_of_variable(const void* symbol, std::size_t* bytes, const char* call, std::uintptr_t at) {
  const Symbol* named = variable(symbol);
  if (!named || !bytes) return Session::open().raise(named ? cudaErrorInvalidValue : cudaErrorInvalidSymbol, call, at);
  *bytes = named->bytes;
  return cudaSuccess;
}

void map_managed_variables() {
  for (const Symbol& one : OwnSymbols::read().all()) {
    if (one.is_function || one.bytes == 0 || !is_managed(one.address) || one.address % section_page != 0) continue;
    const Reply reply = Session::open().move({{"op", "symbol"}, {"name", one.name}, {"bytes", one.bytes}, {"kind", "managed"}, {"at", 0}},
                                             {one.address, 1, one.bytes, one.bytes});
    if (reply.error() != cudaSuccess || reply.descriptors.empty()) continue;
    const std::size_t size = (one.bytes + section_page - 1) / section_page * section_page;
    ::mmap(reinterpret_cast<void*>(one.address), size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, reply.descriptors[0].get(),
           reply.fields.value("offset", off_t{0}));
    const std::lock_guard lock(known_mutex);
    known[one.address] = reply.fields.value("address", std::uintptr_t{0});
  }
}

}  // namespace tilelab_host
