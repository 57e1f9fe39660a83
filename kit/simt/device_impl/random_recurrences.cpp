// MRG32k3a far ahead in its sequence: many steps are a power of one matrix of 3 by 3 numbers, for each of its two recurrences.
#include <array>
#include <cstdint>
#include <vector>

#include "simt/device_impl/announcing.hpp"

namespace {

using Words = std::array<std::uint64_t, 3>;
using Matrix = std::array<Words, 3>;  // rows

struct Recurrence {
  std::uint64_t modulus;
  Matrix step;
  std::vector<Matrix> powers{};  // of 2^n steps
};

Words times(const Matrix& matrix, const Words& x, std::uint64_t modulus) {
  Words result{};
  for (unsigned row = 0; row < 3; ++row) {
    for (unsigned column = 0; column < 3; ++column) result[row] = (result[row] + matrix[row][column] * x[column] % modulus) % modulus;
  }
  return result;
}

Matrix squared(const Matrix& matrix, std::uint64_t modulus) {
  Matrix result{};
  for (unsigned column = 0; column < 3; ++column) {
    const Words one = times(matrix, {matrix[0][column], matrix[1][column], matrix[2][column]}, modulus);
    for (unsigned row = 0; row < 3; ++row) result[row][column] = one[row];
  }
  return result;
}

const Matrix& power_of(Recurrence& recurrence, unsigned power) {
  while (recurrence.powers.size() <= power)
    recurrence.powers.push_back(recurrence.powers.empty() ? recurrence.step : squared(recurrence.powers.back(), recurrence.modulus));
  return recurrence.powers[power];
}

Recurrence& recurrence_of(bool second) {
  constexpr std::uint64_t m1 = 4294967087, m2 = 4294944443;
  static Recurrence first{m1, {{{0, 1, 0}, {0, 0, 1}, {m1 - 810728, 1403580, 0}}}};
  static Recurrence other{m2, {{{0, 1, 0}, {0, 0, 1}, {m2 - 1370589, 0, 527612}}}};
  return second ? other : first;
}

}  // namespace

inline namespace cuda_on_cpu {

unsigned __mrg32k3a_after(unsigned x0, unsigned x1, unsigned x2, bool second, unsigned long long count, unsigned power, unsigned word) {
  constexpr unsigned furthest = 127;
  if (power > furthest) return 0;
  Recurrence& recurrence = recurrence_of(second);
  Words x{x0, x1, x2};
  for (; count != 0; count >>= 1, ++power) {
    if ((count & 1u) != 0) x = times(power_of(recurrence, power), x, recurrence.modulus);
  }
  return static_cast<unsigned>(x[word % 3]);
}

void __needs_more_poisson_numbers() {
  tilelab::simt::Machine::current().trap("calls curand_poisson() with a mean from 64 to 4,000, which the CPU executor does not know",
                                         TILELAB_STATEMENT, 0, true);
}

}  // namespace cuda_on_cpu
