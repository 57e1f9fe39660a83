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
#include <vector>

#include "host_api/library/atomic_instruction.hpp"
#include "host_api/library/heap_blocks.hpp"
#include "host_api/library/host_session.hpp"
#include "host_api/library/open_pages.hpp"

extern "C" const char __executable_start, etext;  // the linker's: the program's own code lies between them

namespace tilelab_host {
namespace {

alignas(64) std::array<char, 256 * 1024> handler_stack;

bool in_program(std::uintptr_t pc) {
  return pc >= reinterpret_cast<std::uintptr_t>(&__executable_start) && pc < reinterpret_cast<std::uintptr_t>(&etext);
}

// Where the program's code was at the fault: the instruction, and the calls that led there, the innermost first. As return addresses,
// which lie behind their instruction. Which of them are the user's own lines is for the grader to say.
struct Search {
  std::uintptr_t fault = 0;
  std::vector<std::uintptr_t> found{};
  bool past_fault = false;
};

constexpr std::size_t most_frames = 16;
constexpr std::uintptr_t null_bytes = 1 << 16;  // addresses of a null pointer and what stands shortly behind

_Unwind_Reason_Code look(_Unwind_Context* frame, void* argument) {
  auto& search = *static_cast<Search*>(argument);
  int before = 0;
  const std::uintptr_t pc = _Unwind_GetIPInfo(frame, &before);
  search.past_fault = search.past_fault || pc == search.fault;
  if (!search.past_fault || !in_program(pc)) return _URC_NO_REASON;
  search.found.push_back(before ? pc + 1 : pc);
  return search.found.size() < most_frames ? _URC_NO_REASON : _URC_END_OF_STACK;
}

std::vector<std::uintptr_t> frames_of_fault(std::uintptr_t pc) {
  Search search{pc};
  _Unwind_Backtrace(look, &search);
  if (search.found.empty()) search.found.push_back(in_program(pc) ? pc + 1 : 0);
  return search.found;
}

void die(int signal) {
  std::signal(signal, SIG_DFL);  // the same instruction faults again when the handler returns
}

// Tells where the program ends. What happens in here must not lead here again.
void tell_end(int signal, std::uintptr_t address, std::uintptr_t pc, bool write) {
  die(signal);
  const auto frames = frames_of_fault(pc);
  nlohmann::json request = {{"op", "touch"},    {"address", address}, {"at", frames[0]},
                            {"frames", frames}, {"write", write},     {"signal", signal}};
  // std::bad_alloc that nobody caught, or a null pointer that nobody looked at.
  if (address < null_bytes && (signal == SIGABRT || signal == SIGSEGV) && refused_bytes() != 0) request["refused_bytes"] = refused_bytes();
  (void)Session::open().ask(std::move(request));
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
  if (about->si_code <= 0 && signal != SIGABRT) return die(signal);
  if (signal != SIGSEGV && signal != SIGBUS) return tell_end(signal, 0, pc, false);
  if (address < device_first || address >= shared_end) return tell_end(signal, address, pc, write);
  if (open_page(address)) return;
  const auto frames = frames_of_fault(pc);
  const bool is_atomic = pc != 0 && address != pc && is_atomic_instruction(reinterpret_cast<const unsigned char*>(pc));
  const Reply reply = Session::open().ask(
      {{"op", "touch"}, {"address", address}, {"at", frames[0]}, {"frames", frames}, {"write", write}, {"atomic", is_atomic}});
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
  for (const int end : {SIGABRT, SIGFPE}) {
    struct sigaction known{};
    if (::sigaction(end, nullptr, &known) == 0 && known.sa_handler == SIG_DFL) ::sigaction(end, &action, nullptr);
  }
}

namespace {

// From the start: a program may crash before its first call of CUDA.
[[gnu::constructor]] void watch_from_the_start() { watch_faults(); }

}  // namespace

void guard_ranges(const nlohmann::json& reply) {
  protect(reply, "guard", PROT_NONE);
  protect(reply, "guard_writes", PROT_READ);
  protect(reply, "unguard", PROT_READ | PROT_WRITE);
}

}  // namespace tilelab_host
