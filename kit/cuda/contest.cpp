#include "cuda/contest.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <memory>
#include <optional>
#include <stdexcept>

#include "cuda/blas_library.hpp"
#include "cuda/clock_reader.hpp"
#include "cuda/device_trouble.hpp"
#include "cuda/guarded_buffer.hpp"
#include "cuda/kernel_name.hpp"
#include "cuda/loaded_module.hpp"
#include "cuda/stopwatch.hpp"
#include "runner/launch_limits.hpp"
#include "runner/timed_input.hpp"

namespace tilelab::cuda {
namespace {

using Clock = std::chrono::steady_clock;
using protocol::LaunchConfig;
using protocol::Role;
using protocol::Status;

constexpr std::uint32_t poison = 0x7fc0'beef;  // a NaN that fills every output before every launch
constexpr Result unknown_error = 999;          // CUDA_ERROR_UNKNOWN, if a library reports a failure
// A kernel that passes both limits is not timed: more rounds would take too long.
constexpr double slow_factor = 50, slow_nanoseconds = 20e6;
constexpr std::uint64_t warm_up_round = 1ull << 32;  // warm-up rounds start here, above every timed round

double milliseconds_since(Clock::time_point began) { return std::chrono::duration<double, std::milli>(Clock::now() - began).count(); }

// Thrown to end the run.
struct Ended {
  Status status;
  std::string detail;
  unsigned contestant = 0;
  bool slow = false;
};

// A kernel, or a library's routine. A library chooses its own grid.
struct Contestant {
  std::optional<LoadedModule> module;
  Function kernel = nullptr;
  LaunchConfig config;
  std::unique_ptr<BlasLibrary> library;
};

class Run {
 public:
  Run(const ContestImage& image, const Driver& driver, DeviceHandle device, ClockReader& clocks, const protocol::TimingRequest& request,
      const Descriptor& kept)
      : image_(image), driver_(driver), request_(request), kept_(kept), stage_(driver, image.stage), fill_(stage_.function("tilelab_fill")),
        stopwatch_(driver, stage_.function("tilelab_hold"), static_cast<std::size_t>(driver.attribute(device, DeviceAttribute::l2_bytes)),
                   driver.attribute(device, DeviceAttribute::clock_rate_khz)),
        clocks_(clocks), fill_blocks_(static_cast<unsigned>(driver.attribute(device, DeviceAttribute::multiprocessors)) * 8) {}

  void all() {
    make_buffers();
    for (unsigned i = 0; i < image_.contestants.size(); ++i) add(i);
    warm_up();
    reply.before = clocks_.read();
    const auto began = Clock::now();
    for (unsigned round = 0; round < request_.rounds; ++round) time_round(round);
    reply.timed_ms = milliseconds_since(began);
    reply.after = clocks_.read();
    for (const Buffer& buffer : buffers_) {
      if (buffer.memory.overrun())
        throw Ended{Status::crash, "A timed launch wrote past the end of " + buffer.name + ", or before its start."};
    }
  }

  protocol::TimingReply reply;

 private:
  struct Buffer {
    std::string name;
    Role role;
    std::size_t bytes;
    GuardedBuffer memory;
  };

  void make_buffers() {
    for (const protocol::Argument& argument : request_.launch.arguments) {
      if (argument.role == Role::scalar) continue;
      if (argument.element != "float" || argument.bytes % sizeof(float) != 0) throw std::runtime_error("only floats are timed");
      buffers_.push_back({argument.name, argument.role, argument.bytes, GuardedBuffer(driver_, std::vector<std::byte>(argument.bytes))});
    }
    for (const protocol::Argument& argument : request_.launch.arguments) scalars_.push_back(argument.bits);
    for (const Buffer& buffer : buffers_) addresses_.push_back(buffer.memory.address());
    std::size_t buffer = 0;
    for (std::size_t i = 0; i < scalars_.size(); ++i) {
      const bool scalar = request_.launch.arguments[i].role == Role::scalar;
      parameters_.push_back(scalar ? static_cast<void*>(&scalars_[i]) : static_cast<void*>(&addresses_[buffer++]));
    }
  }

  void add(unsigned number) {
    const ContestantImage& image = image_.contestants[number];
    if (!image.library.empty()) {
      expect_product();
      contestants_.push_back({.module = {}, .kernel = {}, .config = {}, .library = std::make_unique<BlasLibrary>(image.library)});
      reply.configs.push_back({});
      return;
    }
    LoadedModule module(driver_, image.cubin);
    const auto name = kernel_among(module.names(image.functions), image.kernel);
    if (!name) throw Ended{Status::internal_error, "the cubin has no kernel " + image.kernel, number};
    const Function kernel = module.function(*name);
    const LaunchConfig config = ask(module, image, number);
    const auto shared = static_cast<std::size_t>(driver_.attribute(kernel, FunctionAttribute::static_shared_bytes));
    if (const std::string why = launch_refusal(config, shared); !why.empty()) throw Ended{Status::launch_error, why, number};
    contestants_.push_back({.module = std::move(module), .kernel = kernel, .config = config, .library = {}});
    reply.configs.push_back(config);
  }

  LaunchConfig ask(const LoadedModule& module, const ContestantImage& image, unsigned number) {
    const GuardedBuffer answer(driver_, std::vector<std::byte>(7 * sizeof(std::uint32_t)));
    DeviceAddress address = answer.address();
    std::vector<int> numbers = request_.launch.launch_arguments;
    std::vector<void*> parameters{&address};
    for (int& one : numbers) parameters.push_back(&one);
    const Result launched =
        driver_.launch_kernel(module.function(image.ask_launch), 1, 1, 1, 1, 1, 1, 0, nullptr, parameters.data(), nullptr);
    expect(launched != 0 ? launched : driver_.context_synchronize(), number);
    std::uint32_t words[7];
    std::memcpy(words, answer.content().data(), sizeof words);
    return {{words[0], words[1], words[2]}, {words[3], words[4], words[5]}, words[6]};
  }

  void expect(Result result, unsigned number) const {
    if (result == 0) return;
    const Trouble trouble = trouble_of(result, driver_.words(result));
    throw Ended{trouble.finding.empty() ? trouble.status : Status::crash, trouble.message, number};
  }

  // Throws unless the launch is one that a library can do: buffers A, B and C, in this order, and M, N, K.
  void expect_product() const {
    const bool fits = buffers_.size() == 3 && buffers_[0].role == Role::input && buffers_[1].role == Role::input &&
                      buffers_[2].role == Role::output && request_.launch.launch_arguments.size() == 3;
    if (!fits) throw std::runtime_error("cuBLAS takes part where C = A·B is timed, and nowhere else");
  }

  Result launch(const Contestant& one) {
    if (one.library) {
      const std::vector<int>& sizes = request_.launch.launch_arguments;
      return one.library->multiply(sizes[0], sizes[1], sizes[2], addresses_[0], addresses_[1], addresses_[2]) == 0 ? 0 : unknown_error;
    }
    const auto& [grid, block, shared] = one.config;
    return driver_.launch_kernel(one.kernel, grid.x, grid.y, grid.z, block.x, block.y, block.z, static_cast<unsigned>(shared), nullptr,
                                 parameters_.data(), nullptr);
  }

  void make_inputs(std::uint64_t round) {
    int whole = timed_input::is_whole(request_.input_seed, round);
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
      if (buffers_[i].role == Role::output) continue;
      DeviceAddress address = addresses_[i];
      std::size_t count = buffers_[i].bytes / sizeof(float);
      unsigned long long stream = timed_input::stream(request_.input_seed, round, i);
      void* parameters[] = {&address, &count, &stream, &whole};
      driver_.check(driver_.launch_kernel(fill_, fill_blocks_, 1, 1, 256, 1, 1, 0, nullptr, parameters, nullptr), "filling inputs");
    }
  }

  void poison_outputs() {
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
      if (buffers_[i].role == Role::output) {
        driver_.check(driver_.fill_words(addresses_[i], poison, buffers_[i].bytes / sizeof(float)), "cuMemsetD32");
      }
    }
  }

  // Warms up for a time and not for a number of rounds, because the clocks must settle. Before any timing, each kernel runs once
  // without the waiting kernel, so that everything the driver loads lazily is loaded.
  void warm_up() {
    const auto began = Clock::now();
    make_inputs(warm_up_round);
    for (unsigned i = 0; i < contestants_.size(); ++i) {
      const Result launched = launch(contestants_[i]);
      expect(launched != 0 ? launched : driver_.context_synchronize(), i);
    }
    do {
      make_inputs(warm_up_round + request_.first_round + ++reply.warm_up_rounds);
      double first = 0;
      for (unsigned i = 0; i < contestants_.size(); ++i) {
        const double nanoseconds = sample(i);
        if (i == 0) first = nanoseconds;
        if (nanoseconds > slow_nanoseconds && nanoseconds > slow_factor * first) {
          const auto times = std::to_string(static_cast<long>(nanoseconds / first));
          throw Ended{Status::timeout, "one launch takes " + times + " times as long as one of the first kernel", i, true};
        }
      }
    } while (milliseconds_since(began) < request_.warm_up_ms);
    reply.warm_up_ms = milliseconds_since(began);
    reply.nanoseconds.assign(contestants_.size(), {});
  }

  double sample(unsigned number) {
    poison_outputs();
    const auto [nanoseconds, trouble, waited] = stopwatch_.time([&] { return launch(contestants_[number]); });
    expect(trouble, number);
    if (waited) throw Ended{Status::timeout, "each launch waits until the device is idle", number, true};
    return nanoseconds;
  }

  void time_round(unsigned round) {
    make_inputs(request_.first_round + std::uint64_t{round});
    const auto count = static_cast<unsigned>(contestants_.size());
    for (unsigned place = 0; place < count; ++place) {
      const unsigned number = round % 2 == 0 ? place : count - 1 - place;
      reply.nanoseconds[number].push_back(sample(number));
      if (number == request_.kept_contestant) keep(round);
    }
  }

  void keep(unsigned round) {
    if (std::ranges::find(request_.kept_rounds, round) == request_.kept_rounds.end()) return;
    for (const Buffer& buffer : buffers_) {
      if (buffer.role != Role::output) continue;
      const std::vector<std::byte> bytes = buffer.memory.content();
      for (std::size_t at = 0; at < bytes.size();) {
        const ssize_t put = pwrite(kept_.get(), bytes.data() + at, bytes.size() - at, static_cast<off_t>(kept_bytes_ + at));
        if (put <= 0) throw std::runtime_error("an output cannot be kept");
        at += static_cast<std::size_t>(put);
      }
      kept_bytes_ += bytes.size();
    }
  }

  const ContestImage& image_;
  const Driver& driver_;
  const protocol::TimingRequest& request_;
  const Descriptor& kept_;
  LoadedModule stage_;
  Function fill_;
  Stopwatch stopwatch_;
  ClockReader& clocks_;
  unsigned fill_blocks_;
  std::vector<Buffer> buffers_;
  std::vector<DeviceAddress> addresses_;
  std::vector<std::uint64_t> scalars_;
  std::vector<void*> parameters_;
  std::vector<Contestant> contestants_;
  std::size_t kept_bytes_ = 0;
};

}  // namespace

Contest::Contest(const ContestImage& image) : image_(image), driver_(load_driver(image.driver)) {
  driver_.check(driver_.init(0), "cuInit");
  driver_.check(driver_.device_get(&device_, image.device), "cuDeviceGet");
  Context context = nullptr;
  driver_.check(driver_.primary_context_retain(&context, device_), "cuDevicePrimaryCtxRetain");
  driver_.check(driver_.context_set_current(context), "cuCtxSetCurrent");
  std::array<char, 64> bus_id{};
  driver_.check(driver_.bus_id(bus_id.data(), static_cast<int>(bus_id.size()), device_), "cuDeviceGetPCIBusId");
  clocks_.emplace(bus_id.data());
}

protocol::TimingReply Contest::run(const protocol::TimingRequest& request, const Descriptor& kept) {
  protocol::TimingReply failed;
  try {
    Run run(image_, driver_, device_, *clocks_, request, kept);
    try {
      run.all();
      return std::move(run.reply);
    } catch (const Ended& ended) {
      failed.status = ended.status;
      failed.detail = ended.detail;
      failed.contestant = ended.contestant;
      failed.slow = ended.slow;
    }
  } catch (const std::exception& error) {
    failed.status = Status::internal_error;
    failed.detail = error.what();
  }
  return failed;
}

}  // namespace tilelab::cuda
