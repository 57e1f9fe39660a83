#include "runner/launch_signals.hpp"

#include <sys/mman.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <new>
#include <stdexcept>

namespace tilelab {
namespace {

constexpr std::size_t reserved_bytes = 16u << 20;  // for the answer of a launch that has used up all other memory
constexpr int handled[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGPROF, SIGXCPU};
constexpr int answered = 3;  // the exit status, if nobody else ends the process
void* reserved = nullptr;
const LaunchEmergency* called = nullptr;

std::uintptr_t interrupted_pc(const void* context) {
  const auto* machine = &static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__aarch64__)
  return machine->pc;
#else
  return static_cast<std::uintptr_t>(machine->gregs[REG_RIP]);
#endif
}

// Not async-signal-safe in general. That is safe here: it interrupts only the submission's code or a callback, and never returns
// to it, except from a clock that gives it more time, which only reads numbers.
void on_signal(int signal, siginfo_t* info, void* context) {
  if (signal == SIGPROF && called->may_go_on()) return;
  for (const int other : handled) std::signal(other, SIG_DFL);
  const auto address = signal == SIGPROF || signal == SIGXCPU ? 0 : reinterpret_cast<std::uintptr_t>(info->si_addr);
  called->crashed(signal, interrupted_pc(context), address);
  _exit(answered);
}

// What an access makes the executor remember costs memory, and here there is no way back through the submission's frames.
void on_no_memory() {
  std::set_new_handler(nullptr);
  std::free(reserved);
  try {
    called->out_of_memory();
  } catch (const std::bad_alloc&) {
    _exit(no_memory_status);
  }
  _exit(answered);
}

// Once in a process.
void use_signal_stack() {
  static bool is_used = false;
  if (is_used) return;
  constexpr std::size_t bytes = 1u << 20;
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  stack_t stack{};
  stack.ss_sp = memory;
  stack.ss_size = bytes;
  if (sigaltstack(&stack, nullptr) != 0) throw std::runtime_error("no alternate signal stack");
  is_used = true;
}

bool set_timer(unsigned clock_ms) {
  itimerval timer{};
  timer.it_value.tv_sec = clock_ms / 1000;
  timer.it_value.tv_usec = static_cast<suseconds_t>(clock_ms % 1000) * 1000;
  timer.it_interval = timer.it_value;
  return setitimer(ITIMER_PROF, &timer, nullptr) == 0;
}

}  // namespace

LaunchSignals::LaunchSignals(const LaunchEmergency& emergency, unsigned clock_ms) {
  called = &emergency;
  if (reserved == nullptr) reserved = std::malloc(reserved_bytes);
  std::set_new_handler(on_no_memory);
  use_signal_stack();
  struct sigaction action{};
  action.sa_sigaction = on_signal;
  sigemptyset(&action.sa_mask);
  for (const int signal : handled) {
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | (signal == SIGPROF ? SA_RESTART : SA_RESETHAND);
    if (sigaction(signal, &action, nullptr) != 0) throw std::runtime_error("no signal handler");
  }
  if (!set_timer(clock_ms)) throw std::runtime_error("no timer");
}

LaunchSignals::~LaunchSignals() {
  set_timer(0);
  for (const int signal : handled) std::signal(signal, SIG_DFL);
  std::set_new_handler(nullptr);
}

}  // namespace tilelab
