// Thrust's generators and distributions. They draw the numbers that Thrust's draw: `normal_distribution` is missing, because its
// function has other last digits here.
#pragma once

#include <cstdint>
#include <random>

namespace thrust {

// As in Thrust, the limits are constants and no functions.
template <typename Engine>
class numbered_engine : public Engine {
 public:
  using result_type = typename Engine::result_type;
  using Engine::Engine;
  static constexpr result_type min = Engine::min(), max = Engine::max();
};
using minstd_rand0 = numbered_engine<std::linear_congruential_engine<std::uint32_t, 16807, 0, 2147483647>>;
using minstd_rand = numbered_engine<std::linear_congruential_engine<std::uint32_t, 48271, 0, 2147483647>>;
using default_random_engine = minstd_rand;

template <typename Real = double>
class uniform_real_distribution {
 public:
  using result_type = Real;
  explicit uniform_real_distribution(Real first = 0, Real last = 1) : first_(first), last_(last) {}
  template <typename Engine>
  Real operator()(Engine& engine) const {
    Real drawn = static_cast<Real>(engine() - Engine::min);
    drawn /= Real(1) + static_cast<Real>(Engine::max - Engine::min);
    return drawn * (last_ - first_) + first_;
  }
  Real a() const { return first_; }
  Real b() const { return last_; }

 private:
  Real first_, last_;
};

template <typename Whole = int>
class uniform_int_distribution {
 public:
  using result_type = Whole;
  explicit uniform_int_distribution(Whole first = 0, Whole last = std::numeric_limits<Whole>::max()) : first_(first), last_(last) {}
  template <typename Engine>
  Whole operator()(Engine& engine) const {
    const uniform_real_distribution<double> between(static_cast<double>(first_), static_cast<double>(last_) + 1);
    return static_cast<Whole>(between(engine));
  }
  Whole a() const { return first_; }
  Whole b() const { return last_; }

 private:
  Whole first_, last_;
};

namespace random {
using thrust::default_random_engine;
using thrust::minstd_rand;
using thrust::minstd_rand0;
using thrust::uniform_int_distribution;
using thrust::uniform_real_distribution;
}  // namespace random

}  // namespace thrust
