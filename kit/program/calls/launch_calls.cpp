// The program's calls about kernels: what a kernel takes, and launches.
#include "program/session.hpp"

#include <algorithm>
#include <utility>

#include "executor/memory/device_heap.hpp"
#include "executor/verdict.hpp"
#include "judge/process/runner_process.hpp"
#include "runner/launch.hpp"
#include "runner/report/launch_report.hpp"

namespace tilelab::program {
namespace {

using nlohmann::json;
using protocol::Status;

// Where a runner's own code and tables lie.
constexpr std::uint64_t code_first = 0x10000, code_end = 0x8000'0000;
constexpr std::size_t longest_name = 4096, most_parameters = 4096, most_hex = 2 * 32768;

int digit(char one) {
  if (one >= '0' && one <= '9') return one - '0';
  if (one >= 'a' && one <= 'f') return one - 'a' + 10;
  throw BrokenRules("an argument is not hexadecimal");
}

std::vector<unsigned char> bytes_of(const std::string& hex, std::size_t bytes) {
  if (hex.size() != 2 * bytes) throw BrokenRules("an argument has another size than its parameter");
  std::vector<unsigned char> all(bytes);
  for (std::size_t i = 0; i < bytes; ++i) all[i] = static_cast<unsigned char>(digit(hex[2 * i]) * 16 + digit(hex[2 * i + 1]));
  return all;
}

// What CUDA says later about a launch that ended like this.
CudaError later_error(const protocol::LaunchReply& reply) {
  if (reply.status == Status::timeout) return CudaError::launch_timeout;
  if (reply.detail.find("assert()") != std::string::npos) return CudaError::assertion;
  return reply.detail.find("__trap()") != std::string::npos ? CudaError::launch_failure : CudaError::illegal_address;
}

// Null: there is no such kernel. A kernel that could not be built ends the run when it is launched.
const KernelDescription* find(Session& session, const HostRequest& request, const char* key) {
  const auto found = session.description.kernels.find(request.text(key, longest_name));
  return found == session.description.kernels.end() ? nullptr : &found->second;
}

CudaError refusal(Session& session, const HostRequest& request, const KernelLaunch& launch, std::string& why) {
  if (!session.order.knows_stream(request.number_or("stream", 0))) return CudaError::invalid_handle;
  const std::size_t fixed = launch.description->static_shared_bytes;
  const auto asked = session.allowed_shared_bytes.find(*launch.kernel);
  const std::uint64_t allowed =
      asked == session.allowed_shared_bytes.end() ? 0 : std::min<std::uint64_t>(asked->second, most_shared_bytes_if_asked);
  why = launch_refusal(launch.config, fixed, std::min(std::max(most_shared_bytes, fixed + allowed), most_shared_bytes_if_asked));
  if (why.empty() && launch.cooperative) {
    why = cooperative_refusal(launch.config, launch.description->static_shared_bytes);
    if (!why.empty()) return CudaError::cooperative_too_large;
  }
  if (why.empty()) return CudaError::success;
  protocol::LaunchConfig without = launch.config;
  without.shared_bytes = 0;
  return launch_refusal(without, 0).empty() ? CudaError::invalid_value : CudaError::invalid_configuration;
}

bool has_variables(Session& session, const KernelLaunch& launch, std::uint64_t at) {
  return std::ranges::all_of(launch.description->variables,
                             [&](const KernelVariable& one) { return variable(session, one.name, one.bytes, at) != nullptr; });
}

json asked(const HostRequest& request, const KernelLaunch& launch) {
  return {{"kernel", *launch.kernel},
          {"at", request.at()},
          {"grid", launch.config.grid},
          {"block", launch.config.block},
          {"shared", launch.config.shared_bytes}};
}

void write_down(Session& session, const HostRequest& request, const KernelLaunch& launch, CudaError error, const std::string& status,
                const std::string& detail) {
  json value = asked(request, launch);
  value.update({{"stream", request.number_or("stream", 0)}, {"error", static_cast<int>(error)}, {"status", status}, {"detail", detail}});
  session.record.launch(std::move(value), launch.number);
}

bool is_followed(Session& session, const KernelLaunch& launch) {
  const auto& followed = session.description.trace;
  return followed && followed->launch == launch.number;
}

void note_trace(Session& session, const HostRequest& request, const KernelLaunch& launch, const LaunchOutcome& outcome, json findings) {
  json value = asked(request, launch);
  value.update({{"number", launch.number},
                {"status", outcome.reply.status},
                {"detail", outcome.trouble.empty() ? outcome.reply.detail : outcome.trouble},
                {"findings", std::move(findings)}});
  if (outcome.reply.trace) value["trace"] = *outcome.reply.trace;
  session.record.traced(std::move(value));
}

// The run ends here, and the grader says why.
[[noreturn]] void refuse(Session& session, const HostRequest& request, json refusal) {
  if (!refusal.is_object()) refusal = {{"message", refusal}};
  refusal["kernel"] = request.text("kernel", longest_name);
  refusal["at"] = request.at();
  session.record.end("refused", {{"refusal", refusal}});
  throw RunOver("a kernel that cannot be launched here");
}

[[noreturn]] void needs_gpu(Session& session, const HostRequest& request, const std::string& message) {
  refuse(session, request, {{"verdict", "needs-gpu"}, {"message", message}});
}

// Whether one of the kernel's pointers of this name leads to an input of a launcher.
bool is_launchers_input(Session& session, const KernelLaunch& launch, const std::string& parameter) {
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    const KernelParameter& one = launch.description->parameters[i];
    if (!one.is_pointer || one.name != parameter) continue;
    const Allocation* const memory = session.memory.containing(KernelRunners::pointer_in(launch, i));
    return memory != nullptr && memory->is_input;
  }
  return false;
}

void note_uses(Session& session, const HostRequest& request, const KernelLaunch& launch, const LaunchOutcome& outcome) {
  const std::string* const kernel = &session.description.kernels.find(*launch.kernel)->first;
  const Stamp stamp = session.order.submit(request.number_or("stream", 0));
  for (const protocol::BufferUse& use : outcome.reply.uses) {
    Allocation& one = *outcome.buffers[use.buffer];
    if (&one == session.memory.heap()) continue;  // each launch has its own allocations there
    const auto parameter = KernelRunners::parameter_for(launch, one);
    const std::size_t element_bytes = parameter ? std::max<std::size_t>(launch.description->parameters[*parameter].element_bytes, 1) : 1;
    const auto part = [&](const simt::UsedRange& range, bool writes) {
      return Use{stamp,         range.first, std::min(range.end, one.bytes), writes, kernel, request.at(),
                 element_bytes, use.touched, request.number_or("graph", 0)};
    };
    if (use.read.end > use.read.first) session.use(one, part(use.read, false));
    if (use.written.end > use.written.first) {
      session.use(one, part(use.written, true));
      one.writer = {kernel, request.at(), parameter ? element_bytes : 0, one.writer.launches + 1};
    }
    if (one.kind != MemoryKind::managed && one.kind != MemoryKind::pinned) continue;
    const simt::UsedRange all{std::min(use.read.first, use.written.first), std::max(use.read.end, use.written.end)};
    const auto conflicts = use.host.value_or(simt::HostConflicts{.reads = use.written, .writes = all, .atomics = all});
    session.pending.guard(one.address, one.bytes, part({0, one.bytes}, conflicts.reads.end != 0), conflicts);
  }
}

// Managed memory counts as set, as nobody sees what the host does there. If it has done nothing before the first kernel, then what no
// kernel writes is no result: see look_for_left_out().
void note_untouched(Session& session, const KernelLaunch& launch) {
  if (session.transfer_log.is_kept()) return;
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    if (!launch.description->parameters[i].is_pointer) continue;
    Allocation* const one = session.memory.containing(KernelRunners::pointer_in(launch, i));
    if (one == nullptr || one->kind != MemoryKind::managed || one->was_given) continue;
    one->was_given = true;
    one->is_untouched = session.memory.is_untouched(*one);
  }
}

// A kernel used an address that is no memory of the device. Says what it is, for the finding, and records whose mistake it was.
std::string stray(Session& session, const HostRequest& request, const KernelLaunch& launch, const std::string& message,
                  std::uint64_t address) {
  constexpr std::uint64_t null_bytes = 1u << 16, near_bytes = 1u << 30;
  if (address < null_bytes) return {};
  const Allocation* freed = session.memory.near(address);
  if (freed == nullptr && message.find(far_index_begins) != std::string::npos) return {};
  if (freed != nullptr && freed->is_live()) return {};
  if (freed == nullptr && address >= device_first && address < memory_end) return {};
  json said = freed != nullptr ? about(*freed) : json::object();
  said["address"] = address;
  said["kernel"] = *launch.kernel;
  bool is_argument = false;
  for (std::size_t i = 0; i < launch.arguments.size() && !is_argument; ++i) {
    if (!launch.description->parameters[i].is_pointer) continue;
    const std::uint64_t pointer = KernelRunners::pointer_in(launch, i);
    is_argument = address - pointer < near_bytes || pointer - address < near_bytes;
    if (is_argument) said["argument"] = launch.description->parameters[i].name;
  }
  if (freed != nullptr || is_argument)
    session.record.host(freed != nullptr ? "use-after-free" : "host-pointer-on-device", request.at(), said);
  if (freed != nullptr && freed->was_never_live) return " This is memory that a graph allocates, and the graph has not run.";
  return freed != nullptr ? " This memory was freed before." : " This is an address of the host's memory, which a kernel cannot use.";
}

// Whether a GPU reports this access: nothing was ever allocated there.
bool leads_nowhere(Session& session, const protocol::Finding& finding) {
  if (finding.kind != name(Verdict::out_of_bounds) || !finding.array.empty()) return false;
  return finding.address != 0 ? session.memory.near(finding.address) == nullptr
                              : finding.message.find("uses a null pointer") != std::string::npos;
}

// Records what the launch did. Returns the error that the launch itself returns.
CudaError take(Session& session, const HostRequest& request, const KernelLaunch& launch, const LaunchOutcome& outcome) {
  const protocol::LaunchReply& reply = outcome.reply;
  const std::string& detail = outcome.trouble.empty() ? reply.detail : outcome.trouble;
  if (outcome.is_ours || reply.status == Status::internal_error) {
    session.record.end("internal", {{"detail", detail}, {"kernel", *launch.kernel}, {"at", request.at()}});
    throw RunOver("the runner could not work");
  }
  if (reply.detail.starts_with(no_memory))
    needs_gpu(session, request, detail + (session.transfer_log.is_kept() ? "" : " Try a smaller size."));
  // A program may write through a pointer whose const it cast away, but not to an input of a launcher.
  const auto is_allowed = [&](const protocol::Finding& one) {
    return one.kind == name(Verdict::input_modified) && one.site.access == "write" &&
           one.message.find("constant memory") == std::string::npos && !is_launchers_input(session, launch, one.array);
  };
  session.record.count(reply.counters);
  if (reply.needs_reversed_run) session.record.needs_reversed_run();
  json told = json::array();
  bool is_illegal = false;
  for (protocol::Finding finding : reply.findings) {
    if (is_allowed(finding)) continue;
    const bool is_wrong_pointer = finding.message.find("through a pointer that holds no function of the file") != std::string::npos;
    // What another source's object leads to may hold zeros here.
    const bool is_null_function = finding.message.find("calls a function through a null pointer") != std::string::npos;
    const bool is_of_code = (finding.address >= code_first && finding.address < code_end) || is_wrong_pointer || is_null_function;
    const bool is_program = !session.transfer_log.is_kept();
    if (is_wrong_pointer && session.has_first_values_of_host && is_program)
      needs_gpu(session, request,
                "The kernel calls a function through a pointer that the host may have read from a variable of the device, as with "
                "cudaMemcpyFromSymbol. Here such a pointer leads to the host's code, until a kernel has used the variable.");
    if (is_of_code && session.codes.size() > 1 && is_program)
      needs_gpu(session, request,
                "The kernel uses an object with virtual functions, or a pointer to a function, that a kernel of another source has left "
                "in memory. Here the kernels of each source have code of their own, at addresses of their own.");
    if (finding.address >= simt::heap_first && finding.address < simt::heap_end && is_program)
      needs_gpu(session, request,
                "The kernel uses an address that an earlier launch got from malloc() or new. Here such memory lives no longer than its "
                "launch.");
    is_illegal = is_illegal || leads_nowhere(session, finding);
    if (finding.address != 0) finding.message += stray(session, request, launch, finding.message, std::exchange(finding.address, 0));
    session.record.finding(finding, *launch.kernel, request.at(), launch.number);
    if (!is_followed(session, launch)) continue;
    told.push_back(finding);
    told.back()["kernel"] = *launch.kernel;
    told.back()["at"] = request.at();
  }
  if (is_followed(session, launch)) note_trace(session, request, launch, outcome, std::move(told));
  // As much as CUDA's buffer holds between two waits. The rest is lost, as on a GPU.
  auto& printed = session.printed;
  const std::size_t limit = session.description.limits.output_bytes;
  const std::size_t room = std::min(limit - std::min(limit, session.printed_bytes),
                                    protocol::program_printed_bytes - std::min(protocol::program_printed_bytes, printed.size()));
  printed += reply.printed.substr(0, room);
  session.printed_bytes += std::min(room, reply.printed.size());
  if (reply.status == Status::launch_error) {
    const CudaError error = launch.cooperative ? CudaError::cooperative_too_large : CudaError::invalid_configuration;
    write_down(session, request, launch, error, "launch-error", detail);
    return error;
  }
  note_uses(session, request, launch, outcome);
  if (reply.status == Status::completed) {
    if (is_illegal) session.errors.fail_later(CudaError::illegal_address, request.at());  // what lies near a buffer a GPU does not see
    write_down(session, request, launch, CudaError::success, "completed", detail);
    return CudaError::success;
  }
  const CudaError error = later_error(reply);
  session.errors.fail_later(error, request.at());
  write_down(session, request, launch, error, reply.status == Status::timeout ? "timeout" : "crash", detail);
  return CudaError::success;
}

}  // namespace

Reply kernel(Session& session, const HostRequest& request) {
  const KernelDescription* kernel = find(session, request, "name");
  if (kernel == nullptr) return session.fail("kernel", CudaError::invalid_device_function, request.at());
  if (request.has("dynamic_shared_bytes"))
    session.allowed_shared_bytes[request.text("name", longest_name)] = request.number("dynamic_shared_bytes");
  json sizes = json::array();
  for (const KernelParameter& one : kernel->parameters) sizes.push_back(one.bytes);
  return {.value = {{"error", 0},
                    {"sizes", sizes},
                    {"max_threads", 1024},
                    {"static_shared_bytes", kernel->static_shared_bytes},
                    {"registers", 32},
                    {"local_bytes", 0},
                    {"const_bytes", 0},
                    {"binary_version", 90}}};
}

Reply launch(Session& session, const HostRequest& request) {
  const std::uint64_t at = request.at();
  const KernelDescription* description = find(session, request, "kernel");
  if (description == nullptr) return session.fail("launch", CudaError::invalid_device_function, at);
  const std::string& name = request.text("kernel", longest_name);
  const bool is_planned = request.has("planned_by");
  if (description->refusal && !is_planned) refuse(session, request, *description->refusal);
  KernelLaunch launch{.number = session.launches + 1,
                      .kernel = &name,
                      .description = description,
                      .config = {request.extent("grid"), request.extent("block"), request.number("shared")},
                      .cooperative = request.flag("cooperative"),
                      .may_overlap = session.order.may_overlap(request.number_or("stream", 0)),
                      .arguments = {}};
  const auto arguments = request.texts("arguments", most_parameters, most_hex);
  if (arguments.size() != description->parameters.size()) throw BrokenRules("another number of arguments than the kernel has");
  for (std::size_t i = 0; i < arguments.size(); ++i) launch.arguments.push_back(bytes_of(arguments[i], description->parameters[i].bytes));
  if (session.errors.sticky() != 0) return reply_of(session.errors.sticky());
  if (!is_planned) ++session.launches;
  std::string why;
  if (const CudaError error = refusal(session, request, launch, why); error != CudaError::success) {
    write_down(session, request, launch, error, "launch-error", why);
    return session.fail(is_planned ? judge::tame(request.text("planned_by", 64), 64) : "launch", error, at);
  }
  if (is_planned) return reply_of(0);
  if (!has_variables(session, launch, at)) {
    write_down(session, request, launch, CudaError::memory_allocation, "launch-error", "There is no room for the kernel's variables.");
    return session.fail("launch", CudaError::memory_allocation, at);
  }
  if (session.plan) {
    if (launch.cooperative) session.plan->refuse("it makes a cooperative launch");
    json step = asked(request, launch);
    step.update({{"op", "launch"}, {"arguments", launch.arguments}, {"stream", request.number_or("stream", 0)}});
    session.plan->add(std::move(step));
    return reply_of(0);
  }
  if (description->allocates && session.memory.heap() == nullptr) session.memory.open_heap(session.heap_limit);
  session.view.take_in_all(at);
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    char* const argument = reinterpret_cast<char*>(launch.arguments[i].data());
    const std::size_t bytes = launch.arguments[i].size();
    session.transfer_log.sent(at, i, argument, bytes);
    if (description->parameters[i].is_pointer) continue;
    session.reads.carry(argument, 0, bytes, bytes);
    session.altered.to_device(argument, 0, bytes, bytes);
  }
  note_untouched(session, launch);
  session.codes.insert(description->code.empty() ? name : description->code);
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(session.deadline - Session::Clock::now());
  const LaunchOutcome outcome = session.runners.run(launch, session.variables, std::max(left, std::chrono::milliseconds(1)));
  session.view.hand_out_all(at);
  const CudaError error = take(session, request, launch, outcome);
  if (error != CudaError::success) return session.fail("launch", error, at);
  Reply reply = reply_of(0);
  session.guard(reply);
  return reply;
}

}  // namespace tilelab::program
