#include "gpu/contest.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "gpu/blas_library.hpp"
#include "gpu/contest_booth.hpp"
#include "gpu/cubin.hpp"
#include "gpu/driver_api.hpp"
#include "gpu/guarded_buffer.hpp"
#include "gpu/stopwatch.hpp"
#include "protocol/json/json_text.hpp"
#include "protocol/timed_input.hpp"
#include "protocol/timing_message.hpp"
#include "runner/launch_limits.hpp"

namespace tilelab::cuda {
namespace {

constexpr const char *sgemm = "cublasSgemm", *sgemm_tf32 = "cublasSgemm with TF32";

}  // namespace

ContestImage load_contest_image(const std::filesystem::path& file) {
  const std::vector<char> text = bytes_of(file);
  try {
    const auto json = json_from(std::string_view(text.data(), text.size()));
    ContestImage image;
    image.driver = json.at("driver").get<std::string>();
    image.device = json.at("device").get<int>();
    image.stage = bytes_of(file.parent_path() / json.at("stage").get<std::string>());
    for (const auto& one : json.at("contestants")) {
      if (one.contains("library")) {
        const auto routine = one.at("routine").get<std::string>();
        if (routine != sgemm && routine != sgemm_tf32) {
          throw std::runtime_error(file.string() + ": the only routines are " + sgemm + " and " + sgemm_tf32);
        }
        image.contestants.push_back({.cubin = {},
                                     .functions = {},
                                     .kernel = {},
                                     .ask_launch = {},
                                     .library = one.at("library"),
                                     .arithmetic = routine == sgemm ? Arithmetic::fp32 : Arithmetic::tf32,
                                     .alone = false});
        continue;
      }
      image.contestants.push_back({.cubin = bytes_of(file.parent_path() / one.at("cubin").get<std::string>()),
                                   .functions = one.at("functions").get<std::vector<std::string>>(),
                                   .kernel = one.at("kernel").get<std::string>(),
                                   .ask_launch = one.at("ask_launch").get<std::string>(),
                                   .library = {},
                                   .arithmetic = Arithmetic::fp32,
                                   .alone = one.at("alone").get<bool>()});
    }
    if (image.contestants.empty() || image.contestants.size() > protocol::most_contestants) {
      throw std::runtime_error(file.string() + ": a contest has 1 to " + std::to_string(protocol::most_contestants) + " contestants");
    }
    return image;
  } catch (const nlohmann::json::exception& error) {
    throw std::runtime_error(file.string() + ": " + error.what());
  }
}

namespace {

using Clock = std::chrono::steady_clock;
using protocol::LaunchConfig;
using protocol::Status;

constexpr Result unknown_error = 999;  // CUDA_ERROR_UNKNOWN, if a library reports a failure
// A kernel that passes both limits is not timed: more rounds would take too long.
constexpr double slow_factor = 50, slow_nanoseconds = 20e6;

double milliseconds_since(Clock::time_point began) { return std::chrono::duration<double, std::milli>(Clock::now() - began).count(); }

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
    if (!name) throw ContestEnded{Status::internal_error, "the cubin has no kernel " + image.kernel, number};
    const Function kernel = module.function(*name);
    const LaunchConfig config = ask(module, image, number);
    const auto shared = static_cast<std::size_t>(driver_.attribute(kernel, FunctionAttribute::static_shared_bytes));
    if (const std::string why = launch_refusal(config, shared); !why.empty()) throw ContestEnded{Status::launch_error, why, number};
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
    throw ContestEnded{trouble.finding.empty() ? trouble.status : Status::crash, trouble.message, number};
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
          throw ContestEnded{Status::timeout, "one launch takes " + times + " times as long as one of the first kernel", i, true};
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
    if (waited) throw ContestEnded{Status::timeout, "each launch waits until the device is idle", number, true};
    if (const std::string changed = seat.alone ? seat.booth.changed_input(seed) : ""; !changed.empty()) {
      throw ContestEnded{Status::crash, "A timed launch changed its input " + changed + ".", number};
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
    } catch (const ContestEnded& ended) {
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
