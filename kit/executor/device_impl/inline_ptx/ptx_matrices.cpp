// ldmatrix and mma.sync of inline PTX: see device/inline_ptx.hpp. The numbers are those of ptx_memory.py.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "executor/arithmetic/bfloat_bits.hpp"
#include "executor/arithmetic/half_bits.hpp"
#include "executor/arithmetic/tile_layout.hpp"
#include "executor/arithmetic/tile_product.hpp"
#include "executor/device/inline_ptx.hpp"
#include "executor/device_impl/announcing.hpp"
#include "executor/machine/warp_work.hpp"

namespace {

using cuda_on_cpu::tilelab_ptx::bits;
using tilelab::simt::AccessKind;
using tilelab::simt::left_element;
using tilelab::simt::Machine;
using tilelab::simt::narrow_element;
using tilelab::simt::Space;
using tilelab::simt::sum_element;
using tilelab::simt::TileElement;
using tilelab::simt::TileMatrix;
using tilelab::simt::work_together;

constexpr int shape_k[] = {8, 16, 4};
enum Operand : int { f16, bf16, tf32 };
enum Sum : int { in_float, in_half, half_of_float, float_of_half };

struct Rows {  // of a lane: the row that it points to, then the words that it gets
  int count = 0;
  bool transposed = false;
  std::array<std::uint16_t, 8> row{};
  std::array<std::uint32_t, 4> words{};
};

void hand_out(const std::array<void*, 32>& lanes) {
  for (int lane = 0; lane < 32; ++lane) {
    auto* mine = static_cast<Rows*>(lanes[static_cast<std::size_t>(lane)]);
    if (mine == nullptr) continue;
    for (int matrix = 0; matrix < mine->count; ++matrix) {
      const auto element = [&](int row, int column) -> std::uint32_t {
        const auto* from = static_cast<const Rows*>(lanes[static_cast<std::size_t>(matrix * 8 + row)]);
        return from != nullptr ? from->row[static_cast<std::size_t>(column)] : 0;
      };
      const int group = lane / 4, pair = lane % 4 * 2;
      mine->words[static_cast<std::size_t>(matrix)] =
          mine->transposed ? element(pair, group) | element(pair + 1, group) << 16 : element(group, pair) | element(group, pair + 1) << 16;
    }
  }
}

struct Product {
  int shape = 0, operand = 0, sum = 0;
  std::array<std::uint32_t, 4> a{}, c{}, d{};
  std::array<bits, 2> b{};
};

double element_value(int operand, std::uint32_t word, int at) {
  const auto half = static_cast<std::uint16_t>(word >> (16 * at));
  if (operand == f16) return tilelab::simt::half_value(half);
  return static_cast<double>(operand == bf16 ? tilelab::simt::bfloat_value(half) : tilelab::simt::tf32_operand(word));
}

double sum_value(int sum, const std::array<std::uint32_t, 4>& words, int at) {
  if (sum == in_float || sum == half_of_float) return static_cast<double>(std::bit_cast<float>(words[static_cast<std::size_t>(at)]));
  return tilelab::simt::half_value(static_cast<std::uint16_t>(words[static_cast<std::size_t>(at / 2)] >> (16 * (at % 2))));
}

void put_sum(int sum, std::array<std::uint32_t, 4>& words, int at, double value) {
  if (sum == in_float || sum == float_of_half)
    words[static_cast<std::size_t>(at)] = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  else
    words[static_cast<std::size_t>(at / 2)] |= static_cast<std::uint32_t>(tilelab::simt::half_bits(value)) << (16 * (at % 2));
}

void multiply(const std::array<void*, 32>& lanes) {
  const auto* any = static_cast<const Product*>(*std::find_if(lanes.begin(), lanes.end(), [](const void* one) { return one != nullptr; }));
  const int k = shape_k[any->shape], operand = any->operand, in_word = operand == tf32 ? 1 : 2;
  TileMatrix a{16, k}, b{k, 8}, sum{16, 8};
  const int of_left = k / 2, of_right = k / 4, of_sum = 4;
  for (int lane = 0; lane < 32; ++lane) {
    const auto* mine = static_cast<const Product*>(lanes[static_cast<std::size_t>(lane)]);
    if (mine == nullptr) continue;
    for (int at = 0; at < of_left; ++at) {
      const TileElement place = left_element(lane, at, in_word);
      a.at(place.row, place.column) = element_value(operand, mine->a[static_cast<std::size_t>(at / in_word)], at % in_word);
    }
    for (int at = 0; at < of_right; ++at) {
      const TileElement place = narrow_element(lane, at, in_word);  // rows and columns exchanged
      const bits word = mine->b[static_cast<std::size_t>(at / in_word)];
      b.at(place.column, place.row) = element_value(operand, static_cast<std::uint32_t>(word), at % in_word);
    }
    for (int at = 0; at < of_sum; ++at) {
      const TileElement place = sum_element(lane, at);
      sum.at(place.row, place.column) = sum_value(mine->sum, mine->c, at);
    }
  }
  add_product(sum, a, b);
  for (int lane = 0; lane < 32; ++lane) {
    auto* mine = static_cast<Product*>(lanes[static_cast<std::size_t>(lane)]);
    if (mine == nullptr) continue;
    for (int at = 0; at < of_sum; ++at) {
      const TileElement place = sum_element(lane, at);
      put_sum(mine->sum, mine->d, at, sum.at(place.row, place.column));
    }
  }
}

}  // namespace

inline namespace cuda_on_cpu {
namespace tilelab_ptx {

uint4 load_matrices(int count, bool transposed, bits address) {
  Machine& machine = Machine::current();
  const std::uintptr_t pc = TILELAB_PC, frame = TILELAB_CALLER_FRAME, place = machine.statement(pc, frame);
  Rows mine{.count = count, .transposed = transposed, .row = {}, .words = {}};
  constexpr std::size_t row_bytes = sizeof mine.row;
  if (machine.running().ref.lane() < static_cast<std::uint32_t>(8 * count)) {
    const std::uintptr_t at = machine.shared_base() + (address & 0xFFFFFFFFu);
    if (at % row_bytes != 0) machine.misaligned(at, row_bytes, pc, frame);
    machine.access_in(Space::shared, at, row_bytes, AccessKind::read, false, pc, frame);
    std::memcpy(mine.row.data(), reinterpret_cast<const void*>(at), row_bytes);
  }
  work_together(place, mine, hand_out);
  return {mine.words[0], mine.words[1], mine.words[2], mine.words[3]};
}

uint4 multiply_matrices(int shape, int operand, int sum, uint4 a, bits b0, bits b1, uint4 c) {
  Product mine{shape, operand, sum, {a.x, a.y, a.z, a.w}, {c.x, c.y, c.z, c.w}, {}, {b0, b1}};
  work_together(TILELAB_STATEMENT, mine, multiply);
  return {mine.d[0], mine.d[1], mine.d[2], mine.d[3]};
}

}  // namespace tilelab_ptx
}  // namespace cuda_on_cpu
