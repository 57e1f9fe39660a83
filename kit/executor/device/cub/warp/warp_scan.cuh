// cub::WarpScan. Replaces CUB's header of this name. Its TempStorage is not used: shuffles bring every value.
#pragma once

#include <concepts>

#include "cub/lanes.hpp"

#pragma GCC system_header

namespace cub {

template <typename T, int LOGICAL_WARP_THREADS = 32, int /*LEGACY_PTX_ARCH*/ = 0>
class WarpScan {
  using Lanes = detail::Lanes<LOGICAL_WARP_THREADS>;

 public:
  struct TempStorage {};
  explicit WarpScan(TempStorage&) {}

  // A variable for the aggregate may follow the operator.
  template <typename Operation, std::same_as<T>... Aggregate>
  void InclusiveScan(T input, T& output, Operation operation, Aggregate&... warp_aggregate) {
    const T upto = Lanes::scanned(input, operation);
    ((warp_aggregate = Lanes::shuffled(upto, Lanes::last)), ...);
    output = upto;
  }
  // The first lane's output is undefined.
  template <typename Operation, std::same_as<T>... Aggregate>
  void ExclusiveScan(T input, T& output, Operation operation, Aggregate&... warp_aggregate) {
    T upto;
    InclusiveScan(input, upto, operation, warp_aggregate...);
    output = before(upto);
  }
  // The aggregate is without the initial value.
  template <typename Operation, std::same_as<T>... Aggregate>
  void ExclusiveScan(T input, T& output, T initial_value, Operation operation, Aggregate&... warp_aggregate) {
    T inclusive, total;
    Scan(input, inclusive, output, initial_value, operation, total);
    ((warp_aggregate = total), ...);
  }
  void InclusiveSum(T input, T& output) { InclusiveScan(input, output, cub::Sum()); }
  void InclusiveSum(T input, T& output, T& warp_aggregate) { InclusiveScan(input, output, cub::Sum(), warp_aggregate); }
  void ExclusiveSum(T input, T& output) { ExclusiveScan(input, output, T(), cub::Sum()); }
  void ExclusiveSum(T input, T& output, T& warp_aggregate) { ExclusiveScan(input, output, T(), cub::Sum(), warp_aggregate); }

  template <typename Operation>
  void Scan(T input, T& inclusive, T& exclusive, Operation operation) {
    const T upto = Lanes::scanned(input, operation);
    inclusive = upto;
    exclusive = before(upto);
  }
  template <typename Operation>
  void Scan(T input, T& inclusive, T& exclusive, T initial_value, Operation operation) {
    T ignored;
    Scan(input, inclusive, exclusive, initial_value, operation, ignored);
  }
  T Broadcast(T input, unsigned int source) { return Lanes::shuffled(input, static_cast<int>(source)); }

 private:
  template <typename Operation>
  static void Scan(T input, T& inclusive, T& exclusive, T initial_value, Operation operation, T& total) {
    T upto = Lanes::scanned(input, operation);
    total = Lanes::shuffled(upto, Lanes::last);
    upto = operation(initial_value, upto);
    const T left = before(upto);
    inclusive = upto;
    exclusive = Lanes::rank() == 0 ? initial_value : left;
  }
  static T before(T upto) { return Lanes::shuffled(upto, Lanes::rank() == 0 ? 0 : Lanes::rank() - 1); }
};

}  // namespace cub
