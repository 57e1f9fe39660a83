// A context of a contest with everything that its contestants need there: buffers, our own kernels, a stopwatch. It times nothing by
// itself: contest.hpp says in which order.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gpu/blas_library.hpp"
#include "gpu/contest.hpp"
#include "gpu/cubin.hpp"
#include "gpu/driver_api.hpp"
#include "gpu/guarded_buffer.hpp"
#include "gpu/stopwatch.hpp"
#include "protocol/protocol.hpp"

namespace tilelab::cuda {

// Thrown to end the run.
struct ContestEnded {
  protocol::Status status;
  std::string detail;
  unsigned contestant = 0;
  bool slow = false;
};

// A kernel, or a library's routine. A library chooses its own grid.
struct Contestant {
  std::optional<LoadedModule> module;
  Function kernel = nullptr;
  protocol::LaunchConfig config;
  std::unique_ptr<BlasLibrary> library;
};

// What is made or freed in the context, and what is launched, needs it to be current.
class Booth {
 public:
  Booth(const Driver& driver, Context context, DeviceHandle device, const ContestImage& image, const protocol::LaunchRequest& launch);
  ~Booth() { driver_.context_set_current(context_); }  // members go in their own context
  Booth(const Booth&) = delete;
  Booth& operator=(const Booth&) = delete;

  Context context() const { return context_; }
  void enter() const { entered(driver_, context_); }
  const std::vector<DeviceAddress>& addresses() const { return addresses_; }
  void** parameters() { return parameters_.data(); }
  Stopwatch& stopwatch() { return stopwatch_; }

  void make_inputs(std::uint64_t seed);

  // The first input that does not hold what make_inputs() put there; empty: all do.
  std::string changed_input(std::uint64_t seed);

  void poison_outputs();

  // Of the outputs, one after the other.
  std::vector<std::byte> output() const;

  void expect_no_overrun() const;

  // Throws unless the launch is one that a library can do: buffers A, B and C, in this order, and M, N, K.
  void expect_product() const;

  std::deque<Contestant> contestants;

 private:
  struct Buffer {
    std::string name;
    protocol::Role role;
    std::size_t bytes;
    GuardedBuffer memory;
  };

  static Context entered(const Driver& driver, Context context);

  void make_buffers();

  template <class What>
  void for_inputs(std::uint64_t seed, What what);

  void run(Function function, void** parameters, const char* what);

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

}  // namespace tilelab::cuda
