#include "gpu/contest.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <deque>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

#include "gpu/guarded_buffer.hpp"
#include "gpu/replay.hpp"
#include "protocol/json/json_text.hpp"
#include "protocol/timed_input.hpp"
#include "runner/launch.hpp"

namespace tilelab::cuda {

// What NVML says about a device's clocks. It is found in libnvidia-ml.so.1 when the program runs; without it, readings are zero. It is
// never unloaded, because it is used until the process ends. Nothing is decided by the readings: they help a person who asks why two runs
// differ.
class ClockReader {
  static constexpr int sm_clock = 1, memory_clock = 2, core_temperature = 0;  // NVML_CLOCK_SM, NVML_CLOCK_MEM, NVML_TEMPERATURE_GPU

 public:
  // `bus_id`: as cuDeviceGetPCIBusId writes it.
  explicit ClockReader(const std::string& bus_id) {
    void* library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return;
    const auto counter = [library](const char* name) { return Symbol{dlsym(library, name)}; };
    int (*const init)() = counter("nvmlInit_v2");
    int (*const by_bus_id)(const char*, void**) = counter("nvmlDeviceGetHandleByPciBusId_v2");
    clock_ = counter("nvmlDeviceGetClockInfo");
    throttle_ = counter("nvmlDeviceGetCurrentClocksThrottleReasons");
    temperature_ = counter("nvmlDeviceGetTemperature");
    power_ = counter("nvmlDeviceGetPowerUsage");
    if (init == nullptr || by_bus_id == nullptr || init() != 0) return;
    if (by_bus_id(bus_id.c_str(), &device_) != 0) device_ = nullptr;
  }

  protocol::ClockReading read() const {
    protocol::ClockReading reading;
    if (device_ == nullptr) return reading;
    unsigned long long reasons = 0;
    if (clock_ != nullptr) {
      if (clock_(device_, sm_clock, &reading.sm_mhz) != 0) reading.sm_mhz = 0;
      if (clock_(device_, memory_clock, &reading.memory_mhz) != 0) reading.memory_mhz = 0;
    }
    if (throttle_ != nullptr && throttle_(device_, &reasons) == 0) reading.throttle_reasons = reasons;
    if (temperature_ != nullptr && temperature_(device_, core_temperature, &reading.temperature_c) != 0) reading.temperature_c = 0;
    if (power_ != nullptr && power_(device_, &reading.power_mw) != 0) reading.power_mw = 0;
    return reading;
  }

 private:
  void* device_ = nullptr;  // null: nothing can be read
  int (*clock_)(void*, int, unsigned*) = nullptr;
  int (*throttle_)(void*, unsigned long long*) = nullptr;
  int (*temperature_)(void*, int, unsigned*) = nullptr;
  int (*power_)(void*, unsigned*) = nullptr;
};

namespace {

constexpr const char *sgemm = "cublasSgemm", *sgemm_tf32 = "cublasSgemm with TF32";

ContestantImage contestant_image(const nlohmann::json& value, const std::filesystem::path& file) {
  ContestantImage image;
  if (!value.contains("library")) {
    static_cast<KernelImage&>(image) = kernel_image(value, file);
    image.alone = value.at("alone").get<bool>();
    if (value.contains("plan")) image.plan = json_of((file.parent_path() / value.at("plan").get<std::string>()).string());
    return image;
  }
  const auto routine = value.at("routine").get<std::string>();
  if (routine != sgemm && routine != sgemm_tf32)
    throw std::runtime_error(file.string() + ": the only routines are " + sgemm + " and " + sgemm_tf32);
  image.library = value.at("library").get<std::string>();
  image.arithmetic = routine == sgemm ? Arithmetic::fp32 : Arithmetic::tf32;
  return image;
}

using Clock = std::chrono::steady_clock;
using protocol::LaunchConfig;
using protocol::Role;
using protocol::Status;

constexpr Result unknown_error = 999;  // CUDA_ERROR_UNKNOWN, if a library reports a failure
// A kernel that passes both limits is not timed: more rounds would take too long.
constexpr double slow_factor = 50, slow_nanoseconds = 20e6;

double milliseconds_since(Clock::time_point began) { return std::chrono::duration<double, std::milli>(Clock::now() - began).count(); }

// A vendor's matrix product, cuBLAS's, which is timed beside kernels. Like the driver, it is found when the program runs, so that
// nothing here needs a toolkit. Only a course's own measurements use it: a submission never reaches it.
class BlasLibrary {
 public:
  // Loads the library at `path` for the current context. Throws DriverError.
  BlasLibrary(const std::string& path, Arithmetic arithmetic) {
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) throw DriverError(std::string("cuBLAS cannot be loaded: ") + dlerror());
    int (*const create)(void**) = needed(library, "cublasCreate_v2");
    int (*const set_math_mode)(void*, int) = needed(library, "cublasSetMathMode");
    destroy_ = needed(library, "cublasDestroy_v2");
    sgemm_ = needed(library, "cublasSgemm_v2");
    if (const int status = create(&handle_); status != 0) throw DriverError("cublasCreate failed with status " + std::to_string(status));
    if (const int status = set_math_mode(handle_, arithmetic == Arithmetic::fp32 ? pedantic : tf32_math); status != 0)
      throw DriverError("cublasSetMathMode failed with status " + std::to_string(status));
  }
  ~BlasLibrary() { destroy_(handle_); }
  BlasLibrary(const BlasLibrary&) = delete;
  BlasLibrary& operator=(const BlasLibrary&) = delete;

  // Queues C = A·B on the default stream: row-major fp32, A M×K, B K×N, C M×N. Arithmetic::fp32 is fp32 in every step
  // (CUBLAS_PEDANTIC_MATH), whatever the environment asks for. cuBLAS is column-major. It reads a row-major matrix as its transpose, so we
  // compute Cᵀ = Bᵀ·Aᵀ.
  Result multiply(const std::vector<int>& sizes, const std::vector<DeviceAddress>& buffers) const {
    const float one = 1, zero = 0;
    const int M = sizes[0], N = sizes[1], K = sizes[2];
    const int status = sgemm_(handle_, not_transposed, not_transposed, N, M, K, &one, reinterpret_cast<const float*>(buffers[1]), N,
                              reinterpret_cast<const float*>(buffers[0]), K, &zero, reinterpret_cast<float*>(buffers[2]), N);
    return status == 0 ? 0 : unknown_error;
  }

 private:
  static constexpr int not_transposed = 0;  // CUBLAS_OP_N
  static constexpr int pedantic = 2;        // CUBLAS_PEDANTIC_MATH
  static constexpr int tf32_math = 3;       // CUBLAS_TF32_TENSOR_OP_MATH

  static Symbol needed(void* library, const char* name) {
    const Symbol symbol{dlsym(library, name)};
    if (symbol.found == nullptr) throw DriverError(std::string("cuBLAS has no ") + name);
    return symbol;
  }

  void* handle_ = nullptr;
  int (*destroy_)(void*) = nullptr;
  int (*sgemm_)(void*, int, int, int, int, int, const float*, const float*, int, const float*, int, const float*, float*, int) = nullptr;
};

constexpr std::size_t flag_bytes = sizeof(unsigned), least_flushed_bytes = std::size_t{32} << 20;
constexpr std::chrono::milliseconds longest_queueing(500);  // normally a launch is queued within microseconds
constexpr int hold_seconds = 2, usual_clock_khz = 1'500'000;

// Times one launch, or all that a launcher asks for, and measures device time alone. It flushes the L2 cache first. A waiting kernel holds
// the stream back until the launch and both events are queued, so that launch latency is not measured.
class Stopwatch {
 public:
  // `hold` is the stage's waiting kernel; `l2_bytes` is the size of the device's cache. Throws DriverError.
  Stopwatch(const Driver& driver, Function hold, std::size_t l2_bytes, int clock_khz)
      : driver_(driver), hold_(hold), flushed_bytes_(std::max(2 * l2_bytes, least_flushed_bytes)),
        most_clocks_(static_cast<long long>(clock_khz > 0 ? clock_khz : usual_clock_khz) * 1000 * hold_seconds) {
    driver_.check(driver_.memory_allocate(&flushed_, flushed_bytes_), "cuMemAlloc");
    void* flag = nullptr;
    driver_.check(driver_.host_allocate(&flag, flag_bytes, host_memory_mapped), "cuMemHostAlloc");
    flag_ = static_cast<volatile unsigned*>(flag);
    *flag_ = turn_;
    driver_.check(driver_.host_address(&flag_address_, flag, 0), "cuMemHostGetDevicePointer");
    driver_.check(driver_.event_create(&begin_, 0), "cuEventCreate");
    driver_.check(driver_.event_create(&end_, 0), "cuEventCreate");
  }
  ~Stopwatch() {
    if (end_ != nullptr) driver_.event_destroy(end_);
    if (begin_ != nullptr) driver_.event_destroy(begin_);
    if (flag_ != nullptr) driver_.host_free(const_cast<unsigned*>(flag_));
    if (flushed_ != 0) driver_.memory_free(flushed_);
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

  // `launch` queues one kernel and returns the driver's answer; `nanoseconds` is its time on the device. `trouble` is the first
  // error of launching or waiting; if there is one, the time means nothing. The time is read only after the whole context is
  // idle, so no work that a kernel started can end later. `waited`: queueing took the host so long that the waiting kernel gave
  // up or soon would. That happens if the driver queues nothing before the device is idle. Such a launch cannot be timed.
  // Ends the waiting kernel.
  void release() const { *flag_ = turn_; }
  struct Sample {
    double nanoseconds = 0;
    Result trouble = 0;
    bool waited = false;
  };
  template <class Launch>
  Sample time(const Launch& launch) {
    driver_.check(driver_.fill_words(flushed_, ++turn_, flushed_bytes_ / flag_bytes), "cuMemsetD32");
    DeviceAddress flag = flag_address_;
    unsigned turn = turn_;
    long long most_clocks = most_clocks_;
    void* parameters[] = {&flag, &turn, &most_clocks};
    driver_.check(driver_.launch_kernel(hold_, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr), "the waiting kernel");
    driver_.check(driver_.event_record(begin_, nullptr), "cuEventRecord");
    const auto asked = Clock::now();
    const Result launched = launch();
    const bool waited = Clock::now() - asked > longest_queueing;
    const Result recorded = driver_.event_record(end_, nullptr);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    release();
    const Result ended = driver_.context_synchronize();
    for (const Result result : {launched, recorded, ended}) {
      if (result != 0) return {.nanoseconds = 0, .trouble = result, .waited = waited};
    }
    float milliseconds = 0;
    driver_.check(driver_.event_elapsed(&milliseconds, begin_, end_), "cuEventElapsedTime");
    return {.nanoseconds = 1e6 * static_cast<double>(milliseconds), .trouble = 0, .waited = waited};
  }

 private:
  const Driver& driver_;
  Function hold_;
  DeviceAddress flushed_ = 0, flag_address_ = 0;
  std::size_t flushed_bytes_;
  long long most_clocks_;
  volatile unsigned* flag_ = nullptr;  // in host memory that the device can read
  unsigned turn_ = 0;
  Event begin_ = nullptr, end_ = nullptr;
};

// Thrown to end the run.
struct ContestEnded {
  Trouble trouble;
  unsigned contestant = 0;
  bool slow = false;
};

ContestEnded ended(Status status, std::string why, unsigned contestant = 0, bool slow = false) {
  return {{status, "", std::move(why)}, contestant, slow};
}

// A kernel, a launcher's steps, or a library's routine. A library chooses its own grid.
struct Contestant {
  std::optional<LoadedModule> module;
  Function kernel = nullptr;
  LaunchConfig config;
  std::unique_ptr<BlasLibrary> library = {};
  std::unique_ptr<Replay> replay = {};
};

// A context of a contest with everything that its contestants need there: buffers, our own kernels, a stopwatch. It times nothing by
// itself. What is made or freed in the context, and what is launched, needs it to be current.
class TimedContext {
 public:
  TimedContext(const Driver& driver, Context context, DeviceHandle device, const ContestImage& image, const protocol::LaunchRequest& launch)
      : driver_(driver), context_(entered(driver, context)), launch_(launch), stage_(driver, image.stage),
        fill_(stage_.function("tilelab_fill")), compare_(stage_.function("tilelab_compare")),
        stopwatch(driver, stage_.function("tilelab_hold"), static_cast<std::size_t>(driver.attribute(device, DeviceAttribute::l2_bytes)),
                  driver.attribute(device, DeviceAttribute::clock_rate_khz)),
        differs_(driver, std::vector<std::byte>(sizeof(std::uint32_t))),
        fill_blocks_(static_cast<unsigned>(driver.attribute(device, DeviceAttribute::multiprocessors)) * 8) {
    for (const protocol::Argument& argument : launch_.arguments) {
      if (argument.role == Role::scalar) continue;
      if (argument.element != "float" || argument.bytes % sizeof(float) != 0) throw std::runtime_error("only floats are timed");
      buffers_.push_back({argument.name, argument.role, argument.bytes, GuardedBuffer(driver_, std::vector<std::byte>(argument.bytes))});
      addresses_.push_back(buffers_.back().memory.address());
    }
    parameters_.emplace(launch_.arguments, addresses_);
  }
  ~TimedContext() { driver_.context_set_current(context_); }  // members go in their own context
  TimedContext(const TimedContext&) = delete;
  TimedContext& operator=(const TimedContext&) = delete;

  Context context() const { return context_; }
  void enter() const { entered(driver_, context_); }
  std::map<std::string, DeviceAddress> operands() const {
    std::map<std::string, DeviceAddress> named;
    for (const Buffer& one : buffers_) named[one.name] = one.memory.address();
    return named;
  }

  Result launch(const Contestant& contestant) {
    if (contestant.library) return contestant.library->multiply(launch_.launch_arguments, addresses_);
    if (contestant.replay) return contestant.replay->queue([this] { stopwatch.release(); });
    return driver_.launch(contestant.kernel, contestant.config, parameters_->data());
  }

  void make_inputs(std::uint64_t seed) {
    for_inputs(seed, Role::input, [this](const Buffer&, void** parameters) { run(fill_, parameters, "filling inputs"); });
    driver_.check(driver_.context_synchronize(), "filling inputs");  // no context works while another one is timed
  }

  // The first input that does not hold what make_inputs() put there; empty: all do.
  std::string changed_input(std::uint64_t seed) {
    std::string changed;
    for_inputs(seed, Role::input, [&](const Buffer& buffer, void** parameters) {
      driver_.check(driver_.fill_words(differs_.address(), 0, 1), "cuMemsetD32");
      run(compare_, parameters, "comparing inputs");
      driver_.check(driver_.context_synchronize(), "comparing inputs");
      std::uint32_t differs = 0;
      std::memcpy(&differs, differs_.content().data(), sizeof differs);
      if (differs != 0 && changed.empty()) changed = buffer.name;
    });
    return changed;
  }

  // Before each launch: what it changes is as before the first, and what it has to write holds no number.
  void reset_outputs(std::uint64_t seed, const Contestant& contestant) {
    for_inputs(seed, Role::inout, [this](const Buffer&, void** parameters) { run(fill_, parameters, "filling results"); });
    if (contestant.replay) contestant.replay->poison(poison);
    for (const Buffer& buffer : buffers_) {
      if (buffer.role == Role::output)
        driver_.check(driver_.fill_words(buffer.memory.address(), poison, buffer.bytes / sizeof(float)), "cuMemsetD32");
    }
  }

  // Of the outputs, one after the other.
  std::vector<std::byte> output() const {
    std::vector<std::byte> all;
    for (const Buffer& buffer : buffers_) {
      if (buffer.role == Role::input) continue;
      const std::vector<std::byte> bytes = buffer.memory.content();
      all.insert(all.end(), bytes.begin(), bytes.end());
    }
    return all;
  }

  void expect_no_overrun() const {
    for (const Buffer& buffer : buffers_) {
      if (buffer.memory.overrun())
        throw ended(Status::crash, "A timed launch wrote past the end of " + buffer.name + ", or before its start.");
    }
  }

  // Throws unless the launch is one that a library can do: buffers A, B and C, in this order, and M, N, K.
  void expect_product() const {
    const bool fits = buffers_.size() == 3 && buffers_[0].role == Role::input && buffers_[1].role == Role::input &&
                      buffers_[2].role == Role::output && launch_.launch_arguments.size() == 3;
    if (!fits) throw std::runtime_error("cuBLAS takes part where C = A·B is timed, and nowhere else");
  }

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

  template <class What>
  void for_inputs(std::uint64_t seed, Role role, What what) {
    int whole = timed_input::is_whole(seed);
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
      if (buffers_[i].role != role) continue;
      DeviceAddress address = addresses_[i], differs = differs_.address();
      std::size_t count = buffers_[i].bytes / sizeof(float);
      unsigned long long stream = timed_input::stream(seed, i);
      void* parameters[] = {&address, &count, &stream, &whole, &differs};
      what(buffers_[i], parameters);
    }
  }

  void run(Function function, void** parameters, const char* what) const {
    driver_.check(driver_.launch(function, {{fill_blocks_, 1, 1}, {256, 1, 1}, 0}, parameters), what);
  }

  static constexpr std::uint32_t poison = 0x7fc0'beef;  // a NaN that fills every output before every launch

  const Driver& driver_;
  Context context_;
  const protocol::LaunchRequest& launch_;
  LoadedModule stage_;
  Function fill_, compare_;

 public:
  Stopwatch stopwatch;
  std::deque<Contestant> contestants;

 private:
  GuardedBuffer differs_;
  unsigned fill_blocks_;
  std::vector<Buffer> buffers_;
  std::vector<DeviceAddress> addresses_;
  std::optional<KernelParameters> parameters_;
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
    for (const auto& one : timed_) {
      one->enter();
      one->expect_no_overrun();
    }
  }

  protocol::TimingReply reply;

 private:
  struct Entry {
    TimedContext& where;
    Contestant& contestant;
    bool alone;
  };

  TimedContext& context_for(Context context) {
    for (const auto& one : timed_) {
      if (one->context() == context) return *one;
    }
    return *timed_.emplace_back(std::make_unique<TimedContext>(driver_, context, device_, image_, request_.launch));
  }

  void add(unsigned number) {
    const ContestantImage& image = image_.contestants[number];
    TimedContext& where = context_for(contexts_.at(number));
    where.enter();
    if (!image.library.empty()) {
      where.expect_product();
      auto library = std::make_unique<BlasLibrary>(image.library, image.arithmetic);
      entries_.push_back({where, where.contestants.emplace_back(std::nullopt, nullptr, LaunchConfig{}, std::move(library)), false});
      reply.configs.push_back({});
      return;
    }
    if (!image.plan.is_null()) return add_launcher(number, where);
    LoadedModule module(driver_, image.cubin);
    const Function kernel = module.kernel(image);
    if (kernel == nullptr) throw ended(Status::internal_error, "the cubin has no kernel " + image.kernel, number);
    const auto [asked, config] = module.ask(image.ask_launch, request_.launch.launch_arguments);
    expect(asked, number);
    const auto shared = static_cast<std::size_t>(driver_.attribute(kernel, FunctionAttribute::static_shared_bytes));
    if (const std::string why = launch_refusal(config, shared); !why.empty()) throw ended(Status::launch_error, why, number);
    entries_.push_back({where, where.contestants.emplace_back(std::move(module), kernel, config, nullptr), image.alone});
    reply.configs.push_back(config);
  }

  void add_launcher(unsigned number, TimedContext& where) try {
    const ContestantImage& image = image_.contestants[number];
    Contestant& made = where.contestants.emplace_back(LoadedModule(driver_, image.cubin));
    made.replay = std::make_unique<Replay>(driver_, *made.module, image.functions, image.plan, where.operands());
    entries_.push_back({where, made, image.alone});
    reply.configs.push_back({});           // one for each of its launches
  } catch (const std::exception& error) {  // only what the launcher asks for is tried here
    throw ended(Status::launch_error, error.what(), number, true);
  }

  void expect(Result result, unsigned number) const {
    if (result != 0) throw ContestEnded{trouble_of(result, driver_.words(result)), number};
  }

  void make_inputs(std::uint64_t seed) {
    for (const auto& one : timed_) {
      one->enter();
      one->make_inputs(seed);
    }
  }

  // Warms up for a time and not for a number of rounds, because the clocks must settle. Before any timing, each kernel runs once
  // without the waiting kernel, so that everything the driver loads lazily is loaded.
  void warm_up() {
    const auto began = Clock::now();
    make_inputs(request_.warm_up_seed);
    for (unsigned i = 0; i < entries_.size(); ++i) {
      entries_[i].where.enter();
      entries_[i].where.reset_outputs(request_.warm_up_seed, entries_[i].contestant);
      const Result launched = entries_[i].where.launch(entries_[i].contestant);
      expect(launched != 0 ? launched : driver_.context_synchronize(), i);
    }
    do {
      const std::uint64_t seed = timed_input::stream(request_.warm_up_seed, ++reply.warm_up_rounds);
      make_inputs(seed);
      double first = 0;
      for (unsigned i = 0; i < entries_.size(); ++i) {
        const double nanoseconds = sample(i, seed);
        if (i == 0) first = nanoseconds;
        if (nanoseconds > slow_nanoseconds && nanoseconds > slow_factor * first) {
          const auto times = std::to_string(static_cast<long>(nanoseconds / first));
          throw ended(Status::timeout, "one launch takes " + times + " times as long as one of the first kernel", i, true);
        }
      }
    } while (milliseconds_since(began) < request_.warm_up_ms);
    reply.warm_up_ms = milliseconds_since(began);
    reply.nanoseconds.assign(entries_.size(), {});
  }

  double sample(unsigned number, std::uint64_t seed) {
    const Entry& entry = entries_[number];
    entry.where.enter();
    entry.where.reset_outputs(seed, entry.contestant);
    const auto [nanoseconds, trouble, waited] = entry.where.stopwatch.time([&] { return entry.where.launch(entry.contestant); });
    expect(trouble, number);
    if (waited) throw ended(Status::timeout, "each launch waits until the device is idle", number, true);
    if (const std::string changed = entry.alone ? entry.where.changed_input(seed) : ""; !changed.empty())
      throw ended(Status::crash, "A timed launch changed its input " + changed + ".", number);
    return nanoseconds;
  }

  void time_round(unsigned round) {
    const std::uint64_t seed = request_.round_seeds[round];
    make_inputs(seed);
    const auto count = static_cast<unsigned>(entries_.size());
    for (unsigned place = 0; place < count; ++place) {
      const unsigned number = round % 2 == 0 ? place : count - 1 - place;
      reply.nanoseconds[number].push_back(sample(number, seed));
      if (number == request_.kept_contestant) keep(round, entries_[number].where);
    }
  }

  void keep(unsigned round, const TimedContext& where) {
    if (std::ranges::find(request_.kept_rounds, round) == request_.kept_rounds.end()) return;
    const std::vector<std::byte> bytes = where.output();
    if (!kept_.write_at(kept_bytes_, bytes.data(), bytes.size())) throw std::runtime_error("an output cannot be kept");
    kept_bytes_ += bytes.size();
  }

  const ContestImage& image_;
  const Driver& driver_;
  DeviceHandle device_;
  const std::vector<Context>& contexts_;
  const protocol::TimingRequest& request_;
  const Descriptor& kept_;
  ClockReader& clocks_;
  std::vector<std::unique_ptr<TimedContext>> timed_;
  std::vector<Entry> entries_;
  std::size_t kept_bytes_ = 0;
};

}  // namespace

ContestImage load_contest_image(const std::filesystem::path& file) {
  ContestImage image;
  read_image(file, [&](const nlohmann::json& json) {
    image.driver = json.at("driver").get<std::string>();
    image.device = json.at("device").get<int>();
    image.stage = content_of(file.parent_path() / json.at("stage").get<std::string>());
    for (const auto& one : json.at("contestants")) image.contestants.push_back(contestant_image(one, file));
  });
  if (image.contestants.empty() || image.contestants.size() > protocol::most_contestants) {
    throw std::runtime_error(file.string() + ": a contest has 1 to " + std::to_string(protocol::most_contestants) + " contestants");
  }
  return image;
}

Contest::Contest(const ContestImage& image)
    : image_(image),
      driver_(load_driver(image.driver, std::ranges::all_of(image.contestants, [](const auto& one) { return one.plan.is_null(); }))) {
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
  clocks_ = std::make_unique<ClockReader>(bus_id.data());
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
      failed.status = ended.trouble.finding.empty() ? ended.trouble.status : Status::crash;
      failed.detail = ended.trouble.message;
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
