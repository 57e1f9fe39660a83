#include "gpu/contest_booth.hpp"

#include <cstring>
#include <stdexcept>

#include "protocol/timed_input.hpp"

namespace tilelab::cuda {

using protocol::Role;
using protocol::Status;

namespace {

constexpr std::uint32_t poison = 0x7fc0'beef;  // a NaN that fills every output before every launch

}  // namespace

Booth::Booth(const Driver& driver, Context context, DeviceHandle device, const ContestImage& image, const protocol::LaunchRequest& launch)
    : driver_(driver), context_(entered(driver, context)), launch_(launch), stage_(driver, image.stage),
      fill_(stage_.function("tilelab_fill")), compare_(stage_.function("tilelab_compare")),
      stopwatch_(driver, stage_.function("tilelab_hold"), static_cast<std::size_t>(driver.attribute(device, DeviceAttribute::l2_bytes)),
                 driver.attribute(device, DeviceAttribute::clock_rate_khz)),
      differs_(driver, std::vector<std::byte>(sizeof(std::uint32_t))),
      fill_blocks_(static_cast<unsigned>(driver.attribute(device, DeviceAttribute::multiprocessors)) * 8) {
  make_buffers();
}

template <class What>
void Booth::for_inputs(std::uint64_t seed, What what) {
  int whole = timed_input::is_whole(seed);
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    if (buffers_[i].role == Role::output) continue;
    DeviceAddress address = addresses_[i], differs = differs_.address();
    std::size_t count = buffers_[i].bytes / sizeof(float);
    unsigned long long stream = timed_input::stream(seed, i);
    void* parameters[] = {&address, &count, &stream, &whole, &differs};
    what(buffers_[i], parameters);
  }
}

void Booth::make_inputs(std::uint64_t seed) {
  for_inputs(seed, [this](const Buffer&, void** parameters) { run(fill_, parameters, "filling inputs"); });
}

std::string Booth::changed_input(std::uint64_t seed) {
  std::string changed;
  for_inputs(seed, [&](const Buffer& buffer, void** parameters) {
    driver_.check(driver_.fill_words(differs_.address(), 0, 1), "cuMemsetD32");
    run(compare_, parameters, "comparing inputs");
    driver_.check(driver_.context_synchronize(), "comparing inputs");
    std::uint32_t differs = 0;
    std::memcpy(&differs, differs_.content().data(), sizeof differs);
    if (differs != 0 && changed.empty()) changed = buffer.name;
  });
  return changed;
}

void Booth::poison_outputs() {
  for (const Buffer& buffer : buffers_) {
    if (buffer.role == Role::output) {
      driver_.check(driver_.fill_words(buffer.memory.address(), poison, buffer.bytes / sizeof(float)), "cuMemsetD32");
    }
  }
}

std::vector<std::byte> Booth::output() const {
  std::vector<std::byte> all;
  for (const Buffer& buffer : buffers_) {
    if (buffer.role != Role::output) continue;
    const std::vector<std::byte> bytes = buffer.memory.content();
    all.insert(all.end(), bytes.begin(), bytes.end());
  }
  return all;
}

void Booth::expect_no_overrun() const {
  for (const Buffer& buffer : buffers_) {
    if (buffer.memory.overrun())
      throw ContestEnded{Status::crash, "A timed launch wrote past the end of " + buffer.name + ", or before its start."};
  }
}

void Booth::expect_product() const {
  const bool fits = buffers_.size() == 3 && buffers_[0].role == Role::input && buffers_[1].role == Role::input &&
                    buffers_[2].role == Role::output && launch_.launch_arguments.size() == 3;
  if (!fits) throw std::runtime_error("cuBLAS takes part where C = A·B is timed, and nowhere else");
}

Context Booth::entered(const Driver& driver, Context context) {
  driver.check(driver.context_set_current(context), "cuCtxSetCurrent");
  return context;
}

void Booth::make_buffers() {
  for (const protocol::Argument& argument : launch_.arguments) {
    if (argument.role == Role::scalar) continue;
    if (argument.element != "float" || argument.bytes % sizeof(float) != 0) throw std::runtime_error("only floats are timed");
    buffers_.push_back({argument.name, argument.role, argument.bytes, GuardedBuffer(driver_, std::vector<std::byte>(argument.bytes))});
  }
  for (const protocol::Argument& argument : launch_.arguments) scalars_.push_back(argument.bits);
  for (const Buffer& buffer : buffers_) addresses_.push_back(buffer.memory.address());
  std::size_t buffer = 0;
  for (std::size_t i = 0; i < scalars_.size(); ++i) {
    const bool scalar = launch_.arguments[i].role == Role::scalar;
    parameters_.push_back(scalar ? static_cast<void*>(&scalars_[i]) : static_cast<void*>(&addresses_[buffer++]));
  }
}

void Booth::run(Function function, void** parameters, const char* what) {
  driver_.check(driver_.launch_kernel(function, fill_blocks_, 1, 1, 256, 1, 1, 0, nullptr, parameters, nullptr), what);
}

}  // namespace tilelab::cuda
