// XORWOW far ahead in its sequence. A step of its five words is linear over the bits, so many steps are a power of one matrix of 160
// by 160 bits. The counter that is added to the numbers is not part of it.
#include <array>
#include <cstdint>
#include <vector>

namespace {

using Words = std::array<std::uint32_t, 5>;
using Matrix = std::array<Words, 160>;  // what each bit becomes

constexpr unsigned subsequence_power = 67;

Words step(const Words& v) {
  const std::uint32_t first = v[0] ^ (v[0] >> 2);
  return {v[1], v[2], v[3], v[4], v[4] ^ (v[4] << 4) ^ first ^ (first << 1)};
}

Words times(const Matrix& matrix, const Words& v) {
  Words result{};
  for (unsigned bit = 0; bit < 160; ++bit) {
    if ((v[bit / 32] >> (bit % 32) & 1u) == 0) continue;
    for (unsigned word = 0; word < 5; ++word) result[word] ^= matrix[bit][word];
  }
  return result;
}

// The matrix of 2^power steps.
const Matrix& power_of_step(unsigned power) {
  static std::vector<Matrix> powers;
  while (powers.size() <= power) {
    Matrix next;
    for (unsigned bit = 0; bit < 160; ++bit) {
      Words one{};
      one[bit / 32] = 1u << (bit % 32);
      next[bit] = powers.empty() ? step(one) : times(powers.back(), times(powers.back(), one));
    }
    powers.push_back(next);
  }
  return powers[power];
}

Words ahead(Words v, std::uint64_t count, unsigned power) {
  for (; count != 0; count >>= 1, ++power) {
    if ((count & 1u) != 0) v = times(power_of_step(power), v);
  }
  return v;
}

struct Scrambled {
  std::uint32_t first, second;
};
Scrambled scrambled(std::uint64_t seed) {
  return {1099087573u * (static_cast<std::uint32_t>(seed) ^ 0xAAD26B49u),
          2591861531u * (static_cast<std::uint32_t>(seed >> 32) ^ 0xF7DCEFDDu)};
}

}  // namespace

inline namespace cuda_on_cpu {

unsigned __xorwow_word_after(unsigned v0, unsigned v1, unsigned v2, unsigned v3, unsigned v4, unsigned long long subsequence,
                             unsigned long long offset, unsigned word) {
  static struct {
    Words from{}, to{};
    std::uint64_t subsequence = 0, offset = 0;
  } last;  // the five words are asked for one after another
  const Words from{v0, v1, v2, v3, v4};
  if (last.from != from || last.subsequence != subsequence || last.offset != offset)
    last = {from, ahead(ahead(from, subsequence, subsequence_power), offset, 0), subsequence, offset};
  return last.to[word % 5];
}

unsigned __xorwow_word(unsigned long long seed, unsigned long long subsequence, unsigned long long offset, unsigned word) {
  const auto [first, second] = scrambled(seed);
  return __xorwow_word_after(123456789u + first, 362436069u ^ first, 521288629u + second, 88675123u ^ second, 5783321u + first, subsequence,
                             offset, word);
}

unsigned __xorwow_counter(unsigned long long seed) {
  const auto [first, second] = scrambled(seed);
  return 6615241u + second + first;
}

}  // namespace cuda_on_cpu
