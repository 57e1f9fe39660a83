#include "cuda/contest.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <deque>
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
#include "protocol/timed_input.hpp"
#include "runner/launch_limits.hpp"

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

// A context with everything that its contestants need there: buffers, our own kernels, a stopwatch. What is made or freed in it,
// and what is launched, needs it to be current.
class Booth {
 public:
  Booth(const Driver& driver, Context context, DeviceHandle device, const ContestImage& image, const protocol::LaunchRequest& launch)
      : driver_(driver), context_(entered(driver, context)), launch_(launch), stage_(driver, image.stage),
        fill_(stage_.function("tilelab_fill")), compare_(stage_.function("tilelab_compare")),
        stopwatch_(driver, stage_.function("tilelab_hold"), static_cast<std::size_t>(driver.attribute(device, DeviceAttribute::l2_bytes)),
                   driver.attribute(device, DeviceAttribute::clock_rate_khz)),
        differs_(driver, std::vector<std::byte>(sizeof(std::uint32_t))),
        fill_blocks_(static_cast<unsigned>(driver.attribute(device, DeviceAttribute::multiprocessors)) * 8) {
    make_buffers();
  }
  ~Booth() { driver_.context_set_current(context_); }  // members go in their own context
  Booth(const Booth&) = delete;
  Booth& operator=(const Booth&) = delete;

  Context context() const { return context_; }
  void enter() const { entered(driver_, context_); }
  const std::vector<DeviceAddress>& addresses() const { return addresses_; }
  void** parameters() { return parameters_.data(); }
  Stopwatch& stopwatch() { return stopwatch_; }

  void make_inputs(std::uint64_t seed) {
    for_inputs(seed, [this](const Buffer&, void** parameters) { run(fill_, parameters, "filling inputs"); });
  }

  // The first input that does not hold what make_inputs() put there; empty: all do.
  std::string changed_input(std::uint64_t seed) {
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

  void poison_outputs() {
    for (const Buffer& buffer : buffers_) {
      if (buffer.role == Role::output) {
        driver_.check(driver_.fill_words(buffer.memory.address(), poison, buffer.bytes / sizeof(float)), "cuMemsetD32");
      }
    }
  }

  // Of the outputs, one after the other.
  std::vector<std::byte> output() const {
    std::vector<std::byte> all;
    for (const Buffer& buffer : buffers_) {
      if (buffer.role != Role::output) continue;
      const std::vector<std::byte> bytes = buffer.memory.content();
      all.insert(all.end(), bytes.begin(), bytes.end());
    }
    return all;
  }

  void expect_no_overrun() const {
    for (const Buffer& buffer : buffers_) {
      if (buffer.memory.overrun())
        throw Ended{Status::crash, "A timed launch wrote past the end of " + buffer.name + ", or before its start."};
    }
  }

  // Throws unless the launch is one that a library can do: buffers A, B and C, in this order, and M, N, K.
  void expect_product() const {
    const bool fits = buffers_.size() == 3 && buffers_[0].role == Role::input && buffers_[1].role == Role::input &&
                      buffers_[2].role == Role::output && launch_.launch_arguments.size() == 3;
    if (!fits) throw std::runtime_error("cuBLAS takes part where C = A·B is timed, and nowhere else");
  }

  std::deque<Contestant> contestants;

 private:
  struct Buffer {
    std::string name;
    Role role;
    std::size_t bytes;
    GuardedBuffer memory;
  };

  static Context entered(const Driver& driver, Context context) {
    driver.check(driver.context_set_current(context), "cuCtxSetCurrent");
    return context;
  }

  void make_buffers() {
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

  template <class What>
  void for_inputs(std::uint64_t seed, What what) {
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

  void run(Function function, void** parameters, const char* what) {
    driver_.check(driver_.launch_kernel(function, fill_blocks_, 1, 1, 256, 1, 1, 0, nullptr, parameters, nullptr), what);
  }

  const Driver& driver_;
  Context context_;
  const protocol::LaunchRequest& launch_;
  LoadedModule stage_;
  Function fill_, compare_;
  Stopwatch stopwatch_;
  GuardedBuffer differs_;
  unsigned fill_blocks_;
  std::vector<Buffer> buffers_;
  std::vector<DeviceAddress> addresses_;
  std::vector<std::uint64_t> scalars_;
  std::vector<void*> parameters_;
};

class Run {
 public:
  Run(const ContestImage& image, const Driver& driver, DeviceHandle device, const std::vector<Context>& contexts, ClockReader& clocks,
      const protocol::TimingRequest& request, const Descriptor& kept)
      : image_(image), driver_(driver), device_(device), contexts_(contexts), request_(request), kept_(kept), clocks_(clocks) {}

  void all() {
    for (unsigned i = 0; i < image_.contestants.size(); ++i) add(i);
    warm_up();
    reply.before = clocks_.read();
    const auto began = Clock::now();
    for (unsigned round = 0; round < request_.round_seeds.size(); ++round) time_round(round);
    reply.timed_ms = milliseconds_since(began);
    reply.after = clocks_.read();
    for (const auto& booth : booths_) {
      booth->enter();
      booth->expect_no_overrun();
    }
  }

  protocol::TimingReply reply;

 private:
  struct Seat {
    Booth& booth;
    Contestant& contestant;
    bool alone;
  };

  Booth& booth_in(Context context) {
    for (const auto& booth : booths_) {
      if (booth->context() == context) return *booth;
    }
    return *booths_.emplace_back(std::make_unique<Booth>(driver_, context, device_, image_, request_.launch));
  }

  void add(unsigned number) {
    const ContestantImage& image = image_.contestants[number];
    Booth& booth = booth_in(contexts_.at(number));
    booth.enter();
    if (!image.library.empty()) {
      booth.expect_product();
      auto library = std::make_unique<BlasLibrary>(image.library, image.arithmetic);
      seats_.push_back({booth, booth.contestants.emplace_back(std::nullopt, nullptr, LaunchConfig{}, std::move(library)), false});
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
    seats_.push_back({booth, booth.contestants.emplace_back(std::move(module), kernel, config, nullptr), image.alone});
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

  Result launch(const Seat& seat) {
    if (seat.contestant.library) {
      const std::vector<int>& sizes = request_.launch.launch_arguments;
      const auto& at = seat.booth.addresses();
      return seat.contestant.library->multiply(sizes[0], sizes[1], sizes[2], at[0], at[1], at[2]) == 0 ? 0 : unknown_error;
    }
    const auto& [grid, block, shared] = seat.contestant.config;
    return driver_.launch_kernel(seat.contestant.kernel, grid.x, grid.y, grid.z, block.x, block.y, block.z, static_cast<unsigned>(shared),
                                 nullptr, seat.booth.parameters(), nullptr);
  }

  void make_inputs(std::uint64_t seed) {
    for (const auto& booth : booths_) {
      booth->enter();
      booth->make_inputs(seed);
      driver_.check(driver_.context_synchronize(), "filling inputs");  // no context works while another one is timed
    }
  }

  // Warms up for a time and not for a number of rounds, because the clocks must settle. Before any timing, each kernel runs once
  // without the waiting kernel, so that everything the driver loads lazily is loaded.
  void warm_up() {
    const auto began = Clock::now();
    make_inputs(request_.warm_up_seed);
    for (unsigned i = 0; i < seats_.size(); ++i) {
      seats_[i].booth.enter();
      const Result launched = launch(seats_[i]);
      expect(launched != 0 ? launched : driver_.context_synchronize(), i);
    }
    do {
      const std::uint64_t seed = timed_input::stream(request_.warm_up_seed, ++reply.warm_up_rounds);
      make_inputs(seed);
      double first = 0;
      for (unsigned i = 0; i < seats_.size(); ++i) {
        const double nanoseconds = sample(i, seed);
        if (i == 0) first = nanoseconds;
        if (nanoseconds > slow_nanoseconds && nanoseconds > slow_factor * first) {
          const auto times = std::to_string(static_cast<long>(nanoseconds / first));
          throw Ended{Status::timeout, "one launch takes " + times + " times as long as one of the first kernel", i, true};
        }
      }
    } while (milliseconds_since(began) < request_.warm_up_ms);
    reply.warm_up_ms = milliseconds_since(began);
    reply.nanoseconds.assign(seats_.size(), {});
  }

  double sample(unsigned number, std::uint64_t seed) {
    const Seat& seat = seats_[number];
    seat.booth.enter();
    seat.booth.poison_outputs();
    const auto [nanoseconds, trouble, waited] = seat.booth.stopwatch().time([&] { return launch(seat); });
    expect(trouble, number);
    if (waited) throw Ended{Status::timeout, "each launch waits until the device is idle", number, true};
    if (const std::string changed = seat.alone ? seat.booth.changed_input(seed) : ""; !changed.empty()) {
      throw Ended{Status::crash, "A timed launch changed its input " + changed + ".", number};
    }
    return nanoseconds;
  }

  void time_round(unsigned round) {
    const std::uint64_t seed = request_.round_seeds[round];
    make_inputs(seed);
    const auto count = static_cast<unsigned>(seats_.size());
    for (unsigned place = 0; place < count; ++place) {
      const unsigned number = round % 2 == 0 ? place : count - 1 - place;
      reply.nanoseconds[number].push_back(sample(number, seed));
      if (number == request_.kept_contestant) keep(round, seats_[number].booth);
    }
  }

  void keep(unsigned round, const Booth& booth) {
    if (std::ranges::find(request_.kept_rounds, round) == request_.kept_rounds.end()) return;
    const std::vector<std::byte> bytes = booth.output();
    for (std::size_t at = 0; at < bytes.size();) {
      const ssize_t put = pwrite(kept_.get(), bytes.data() + at, bytes.size() - at, static_cast<off_t>(kept_bytes_ + at));
      if (put <= 0) throw std::runtime_error("an output cannot be kept");
      at += static_cast<std::size_t>(put);
    }
    kept_bytes_ += bytes.size();
  }

  const ContestImage& image_;
  const Driver& driver_;
  DeviceHandle device_;
  const std::vector<Context>& contexts_;
  const protocol::TimingRequest& request_;
  const Descriptor& kept_;
  ClockReader& clocks_;
  std::vector<std::unique_ptr<Booth>> booths_;
  std::vector<Seat> seats_;
  std::size_t kept_bytes_ = 0;
};

}  // namespace

Contest::Contest(const ContestImage& image) : image_(image), driver_(load_driver(image.driver)) {
  driver_.check(driver_.init(0), "cuInit");
  driver_.check(driver_.device_get(&device_, image.device), "cuDeviceGet");
  driver_.check(driver_.primary_context_retain(&shared_, device_), "cuDevicePrimaryCtxRetain");
  for (const ContestantImage& one : image.contestants) {
    Context context = shared_;
    if (one.alone) driver_.check(driver_.context_create(&context, 0, device_), "cuCtxCreate");
    contexts_.push_back(context);
  }
  driver_.check(driver_.context_set_current(shared_), "cuCtxSetCurrent");
  std::array<char, 64> bus_id{};
  driver_.check(driver_.bus_id(bus_id.data(), static_cast<int>(bus_id.size()), device_), "cuDeviceGetPCIBusId");
  clocks_.emplace(bus_id.data());
}

Contest::~Contest() {
  for (const Context context : contexts_) {
    if (context != shared_) driver_.context_destroy(context);
  }
}

protocol::TimingReply Contest::run(const protocol::TimingRequest& request, const Descriptor& kept) {
  protocol::TimingReply failed;
  try {
    Run run(image_, driver_, device_, contexts_, *clocks_, request, kept);
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
