// Implements kernel_launches.hpp and launch_stub.hpp.
#include "host_api/library/kernel_launches.hpp"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>

#include "host_api/graphs/stream_capture.hpp"
#include "host_api/library/host_session.hpp"
#include "host_api/library/own_symbols.hpp"

namespace tilelab_host {
namespace {

struct Configured {
  LaunchShape shape;
  std::uintptr_t at = 0;
};
thread_local std::optional<Configured> configured;

std::string hex(const KernelParameter& parameter) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  text.reserve(2 * parameter.bytes);
  for (std::size_t i = 0; i < parameter.bytes; ++i) {
    const unsigned char byte = static_cast<const unsigned char*>(parameter.at)[i];
    text += {digits[byte >> 4], digits[byte & 15]};
  }
  return text;
}

json extent(dim3 one) { return {one.x, one.y, one.z}; }

}  // namespace

void configure(dim3 grid, dim3 block, std::size_t shared_bytes, cudaStream_t stream) {
  configured = {{grid, block, shared_bytes, stream, false}, TILELAB_AT};
}

void launch(const void* mark, const KernelParameter* parameters, std::size_t count, const void* called_from) {
  const std::optional<std::string> kernel = OwnSymbols::read().kernel_of_mark(number_of(mark));
  if (!kernel) {
    std::fputs("A kernel's name is not in the program's symbol table.\n", stderr);
    std::abort();
  }
  if (!configured) {
    (void)Session::open().ask({{"op", "note"}, {"kind", "not-configured"}, {"kernel", *kernel}, {"at", number_of(called_from)}});
    std::_Exit(EXIT_FAILURE);
  }
  const Configured with = *configured;
  configured.reset();
  (void)launch_or_capture(*kernel, with.shape, {parameters, count}, "launch", with.at);
}

cudaError_t find_kernel(const void* function, KernelFacts& facts, const char* call, std::uintptr_t at) {
  static std::mutex known_mutex;
  static std::map<std::uintptr_t, KernelFacts> known;
  const std::lock_guard lock(known_mutex);
  const auto before = known.find(number_of(function));
  if (before == known.end()) {
    const Symbol* symbol = OwnSymbols::read().function_at(number_of(function));
    if (!symbol) return Session::open().raise(cudaErrorInvalidDeviceFunction, call, at);
    const Reply reply = Session::open().ask({{"op", "kernel"}, {"name", symbol->name}, {"at", at}});
    if (reply.error() != cudaSuccess) return reply.error();
    const auto number = [&](const char* key) { return reply.fields.value(key, 0); };
    known[number_of(function)] = {symbol->name,
                                  reply.fields.value("sizes", std::vector<std::size_t>()),
                                  number("registers"),
                                  number("max_threads"),
                                  number("binary_version"),
                                  reply.fields.value("static_shared_bytes", std::size_t{0}),
                                  reply.fields.value("local_bytes", std::size_t{0}),
                                  reply.fields.value("const_bytes", std::size_t{0})};
  }
  facts = known[number_of(function)];
  return cudaSuccess;
}

cudaError_t request_launch(const std::string& kernel, const LaunchShape& shape, std::span<const KernelParameter> parameters,
                           std::uintptr_t at) {
  json arguments = json::array();
  for (const KernelParameter& one : parameters) arguments.push_back(hex(one));
  json request = {{"op", "launch"},
                  {"kernel", kernel},
                  {"grid", extent(shape.grid)},
                  {"block", extent(shape.block)},
                  {"shared", shape.shared_bytes},
                  {"stream", number_of(shape.stream)},
                  {"cooperative", shape.cooperative},
                  {"arguments", std::move(arguments)},
                  {"at", at}};
  if (shape.graph != 0) request["graph"] = shape.graph;
  if (shape.planned_by != nullptr) request["planned_by"] = shape.planned_by;
  return Session::open().call(request);
}

cudaError_t launch_or_capture(const std::string& kernel, const LaunchShape& shape, std::span<const KernelParameter> parameters,
                              const char* call, std::uintptr_t at) {
  const auto captured = capture(shape.stream, call, at, [&](Work& work) {
    LaunchShape planned = shape;
    planned.planned_by = call;
    planned.stream = nullptr;
    KernelWork made{OwnSymbols::read().function_named(kernel), kernel, shape, {}};
    for (const KernelParameter& one : parameters) {
      const auto* const first = static_cast<const unsigned char*>(one.at);
      made.values.emplace_back(first, first + one.bytes);
    }
    const cudaError_t error = request_launch(kernel, planned, parameters, at);
    work = std::move(made);
    return error;
  });
  return captured ? *captured : request_launch(kernel, shape, parameters, at);
}

cudaError_t launch_function(const void* function, const LaunchShape& shape, void** arguments, const char* call, std::uintptr_t at) {
  KernelFacts kernel;
  if (const cudaError_t error = find_kernel(function, kernel, call, at); error != cudaSuccess) return error;
  std::vector<KernelParameter> parameters;
  for (std::size_t i = 0; i < kernel.sizes.size(); ++i) {
    if (!arguments || !arguments[i]) return Session::open().raise(cudaErrorInvalidValue, call, at);
    parameters.push_back({arguments[i], kernel.sizes[i]});
  }
  return launch_or_capture(kernel.name, shape, parameters, "launch", at);
}

}  // namespace tilelab_host
