// Implements fault_watch.hpp. The handler runs on a stack of its own, because an overflow of the program's stack is a fault as well.
#include "host_api/library/fault_watch.hpp"

#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

#include <array>
#include <csignal>
#include <cstdint>
#include <cstdlib>

#include "host_api/library/host_session.hpp"
#include "host_api/library/open_pages.hpp"

extern "C" const char __executable_start, etext;  // the linker's: the program's own code lies between them

namespace tilelab_host {
namespace {

alignas(64) std::array<char, 256 * 1024> handler_stack;

bool in_program(std::uintptr_t pc) {
  return pc >= reinterpret_cast<std::uintptr_t>(&__executable_start) && pc < reinterpret_cast<std::uintptr_t>(&etext);
}

// Where the program's own code was at the fault: the instruction, or the call that led into a library. As a return address, which lies
// behind its instruction.
struct Search {
  std::uintptr_t fault = 0, found = 0;
  bool past_fault = false;
};

_Unwind_Reason_Code look(_Unwind_Context* frame, void* argument) {
  auto& search = *static_cast<Search*>(argument);
  int before = 0;
  const std::uintptr_t pc = _Unwind_GetIPInfo(frame, &before);
  search.past_fault = search.past_fault || pc == search.fault;
  if (!search.past_fault || !in_program(pc)) return _URC_NO_REASON;
  search.found = before ? pc + 1 : pc;
  return _URC_END_OF_STACK;
}

std::uintptr_t place_of_fault(std::uintptr_t pc) {
  if (in_program(pc)) return pc + 1;
  Search search{pc};
  _Unwind_Backtrace(look, &search);
  return search.found;
}

void die(int signal) {
  std::signal(signal, SIG_DFL);  // the same instruction faults again when the handler returns
}

void on_fault(int signal, siginfo_t* about, void* context) {
  const auto address = reinterpret_cast<std::uintptr_t>(about->si_addr);
  const auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  const auto pc = static_cast<std::uintptr_t>(registers.gregs[REG_RIP]);
  const bool write = (registers.gregs[REG_ERR] & 2) != 0;
#else
  const auto pc = static_cast<std::uintptr_t>(registers.pc);
  const bool write = false;
#endif
  if (about->si_code <= 0 || address < device_first || address >= shared_end) return die(signal);
  if (open_page(address)) return;
  const Reply reply = Session::open().ask(
      {{"op", "touch"}, {"address", address}, {"pc", place_of_fault(pc)}, {"at", place_of_fault(pc)}, {"write", write}});
  if (reply.fields.value("action", std::string("stop")) != "go on") return die(signal);
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  if (::mprotect(reinterpret_cast<void*>(address & ~(page - 1)), page, PROT_READ | PROT_WRITE) != 0) die(signal);
}

void protect(const nlohmann::json& reply, const char* key, int protection) {
  const auto ranges = reply.find(key);
  if (ranges == reply.end() || !ranges->is_array()) return;
  for (const auto& range : *ranges) {
    const auto first = range.at(0).get<std::uintptr_t>();
    const auto bytes = range.at(1).get<std::size_t>();
    if (first >= device_end && first < shared_end && bytes <= shared_end - first)
      ::mprotect(reinterpret_cast<void*>(first), bytes, protection);
  }
}

}  // namespace

void watch_faults() {
  stack_t stack{};
  stack.ss_sp = handler_stack.data();
  stack.ss_size = handler_stack.size();
  ::sigaltstack(&stack, nullptr);
  struct sigaction action{};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  ::sigaction(SIGSEGV, &action, nullptr);
  ::sigaction(SIGBUS, &action, nullptr);
}

void guard_ranges(const nlohmann::json& reply) {
  protect(reply, "guard", PROT_NONE);
  protect(reply, "unguard", PROT_READ | PROT_WRITE);
}

}  // namespace tilelab_host
