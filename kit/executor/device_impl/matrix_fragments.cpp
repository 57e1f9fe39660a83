// The fragments of device/library_calls.hpp: what each lane loads and stores of a matrix, element by element, and the product of
// all lanes' fragments. ldmatrix and mma.sync of inline PTX too, whose registers are such fragments: the numbers are those of
// ptx_table.py.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "executor/arithmetic/half_bits.hpp"
#include "executor/arithmetic/tile_layout.hpp"
#include "executor/device/inline_ptx.hpp"
#include "executor/device/library_calls.hpp"
#include "executor/device_impl/announcing.hpp"

namespace {

using cuda_on_cpu::wmma_on_cpu::Shape;
using namespace tilelab::simt;

enum Use : int { left, right, accumulator };
enum Type : int { half_number, bfloat, tf32, signed_byte, byte, single, whole, twice };
constexpr std::size_t bytes_of[] = {2, 2, 4, 1, 1, 4, 4, 8};
constexpr std::size_t row_alignment = 16;  // of a matrix's first element, and of each row

TileMatrix matrix_of(int use, const Shape& shape) {
  if (use == left) return {shape.m, shape.k};
  if (use == right) return {shape.k, shape.n};
  return {shape.m, shape.n};
}

// Elements of the matrix that a lane holds. A fragment may hold each of them several times.
int held(int use, const Shape& shape) {
  const TileMatrix matrix = matrix_of(use, shape);
  return matrix.rows * matrix.columns / 32;
}

TileElement element(int use, const Shape& shape, int type, int lane, int at) {
  const int in_word = bytes_of[type] < 4 ? 4 / static_cast<int>(bytes_of[type]) : 1;
  if (use == left && shape.m == 8) return narrow_element(lane, at, in_word);
  if (use == left) {
    const int of_tile = 16 * shape.k / 32;
    const TileElement place = left_element(lane, at % of_tile, in_word);
    return {place.row + 16 * (at / of_tile), place.column};
  }
  if (use == right) {
    const int of_tile = 8 * shape.k / 32;
    const TileElement place = narrow_element(lane, at % of_tile, in_word);
    return {place.column, place.row + 8 * (at / of_tile)};
  }
  if (shape.m == 8) return {lane / 4, lane % 4 * 2 + at % 2 + 8 * (at / 2)};
  const TileElement place = sum_element(lane, at % 4);
  return shape.m == 32 ? TileElement{place.row + 16 * (at / 4), place.column} : TileElement{place.row, place.column + 8 * (at / 4)};
}

double value_at(int type, const void* elements, int at) {
  const auto* from = static_cast<const unsigned char*>(elements) + bytes_of[type] * static_cast<std::size_t>(at);
  std::uint64_t bits = 0;
  std::memcpy(&bits, from, bytes_of[type]);
  switch (type) {
    case half_number: return half_value(static_cast<std::uint16_t>(bits));
    case bfloat: return static_cast<double>(bfloat_value(static_cast<std::uint16_t>(bits)));
    case tf32: return static_cast<double>(tf32_operand(static_cast<std::uint32_t>(bits)));
    case signed_byte: return static_cast<double>(static_cast<std::int8_t>(bits));
    case byte: return static_cast<double>(static_cast<std::uint8_t>(bits));
    case single: return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    case whole: return static_cast<double>(static_cast<std::int32_t>(bits));
    default: return std::bit_cast<double>(bits);
  }
}

void put(int type, void* elements, int at, double value, bool saturates) {
  std::uint64_t bits = 0;
  switch (type) {
    case half_number: bits = half_bits(value); break;
    case single: bits = std::bit_cast<std::uint32_t>(static_cast<float>(value)); break;
    case whole:
      bits = saturates ? static_cast<std::uint32_t>(static_cast<std::int32_t>(std::clamp(value, -0x1p31, 0x1p31 - 1)))
                       : static_cast<std::uint32_t>(static_cast<std::int64_t>(value));
      break;
    default: bits = std::bit_cast<std::uint64_t>(value);
  }
  std::memcpy(static_cast<unsigned char*>(elements) + bytes_of[type] * static_cast<std::size_t>(at), &bits, bytes_of[type]);
}

struct Statement : CallSite {
  void announce(std::uintptr_t address, std::size_t size, AccessKind kind) const {
    Machine::current().access(address, size, kind, false, *this);
  }
  void announce(const void* address, std::size_t size, AccessKind kind) const {
    announce(reinterpret_cast<std::uintptr_t>(address), size, kind);
  }
};

// Work of all lanes of a warp, which one of them does for all when all have arrived, with those that are there. `mine`: what this lane
// gives and gets.
void work_together(std::uintptr_t pc, void* mine, void (*work)(const std::array<void*, 32>& lanes)) {
  WarpWork request{work, mine};
  Machine::current().exchange(pc, {WarpOperation::together, ~0u, reinterpret_cast<std::uintptr_t>(&request), 0});
}

void meet(const Statement& by) {
  work_together(Machine::current().statement(by), nullptr, [](const std::array<void*, 32>&) {});
}

// Calls `use` for each run of this lane's elements that are neighbours in memory, as one instruction would move them: with the first
// element, the address and the number of elements.
template <typename Move>
void each_run(int use, const Shape& shape, int type, std::uintptr_t matrix, unsigned stride, bool by_columns, Move move) {
  const int lane = static_cast<int>(Machine::current().running().ref.lane()), count = held(use, shape);
  const auto size = bytes_of[type];
  const auto address = [&](int at) {
    const TileElement place = element(use, shape, type, lane, at);
    const auto row = static_cast<std::size_t>(place.row), column = static_cast<std::size_t>(place.column);
    return matrix + size * (by_columns ? column * stride + row : row * stride + column);
  };
  for (int at = 0; at < count;) {
    const std::uintptr_t first = address(at);
    int run = 1;
    while (at + 2 * run <= count && first % (2 * size * static_cast<std::size_t>(run)) == 0 &&
           2 * size * static_cast<std::size_t>(run) <= 16) {
      bool together = true;
      for (int next = run; next < 2 * run; ++next)
        together = together && address(at + next) == first + size * static_cast<std::size_t>(next);
      if (!together) break;
      run *= 2;
    }
    move(at, first, run);
    at += run;
  }
}

void check_alignment(const Statement& by, std::uintptr_t matrix, std::size_t row_bytes) {
  for (const std::uintptr_t row : {matrix, matrix + row_bytes}) {
    if (row % row_alignment != 0) Machine::current().misaligned(row, row_alignment, by);
  }
}

struct Product {
  void* result;
  const void *left, *right, *sum;
  Shape shape;
  int type, result_type, sum_type;
  bool saturates;
};

void multiply_all(const std::array<void*, 32>& lanes) {
  const auto* any = static_cast<const Product*>(*std::find_if(lanes.begin(), lanes.end(), [](const void* one) { return one != nullptr; }));
  const Shape shape = any->shape;
  const int type = any->type;
  TileMatrix a = matrix_of(left, shape), b = matrix_of(right, shape), sum = matrix_of(accumulator, shape);
  const auto gather = [&](TileMatrix& matrix, int use, int of_type, const void* elements, int lane) {
    for (int at = 0; at < held(use, shape); ++at) {
      const TileElement place = element(use, shape, of_type, lane, at);
      matrix.at(place.row, place.column) = value_at(of_type, elements, at);
    }
  };
  for (int lane = 0; lane < 32; ++lane) {
    const auto* mine = static_cast<const Product*>(lanes[static_cast<std::size_t>(lane)]);
    if (mine == nullptr) continue;
    gather(a, left, type, mine->left, lane);
    gather(b, right, type, mine->right, lane);
    gather(sum, accumulator, mine->sum_type, mine->sum, lane);
  }
  add_product(sum, a, b);
  for (int lane = 0; lane < 32; ++lane) {
    const auto* mine = static_cast<const Product*>(lanes[static_cast<std::size_t>(lane)]);
    if (mine == nullptr) continue;
    for (int at = 0; at < held(accumulator, shape); ++at) {
      const TileElement place = element(accumulator, shape, single, lane, at);
      put(mine->result_type, mine->result, at, sum.at(place.row, place.column), mine->saturates);
    }
  }
}

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

}  // namespace

inline namespace cuda_on_cpu {
namespace wmma_on_cpu {

void load(void* elements, int count, int use, Shape shape, int type, const void* from, unsigned stride, bool by_columns) {
  const Statement by{TILELAB_SITE};
  const auto matrix = reinterpret_cast<std::uintptr_t>(from);
  const std::size_t size = bytes_of[type];
  by.announce(elements, size * static_cast<std::size_t>(count), AccessKind::write);
  check_alignment(by, matrix, size * stride);
  meet(by);
  auto* into = static_cast<unsigned char*>(elements);
  each_run(use, shape, type, matrix, stride, by_columns, [&](int at, std::uintptr_t address, int run) {
    by.announce(address, size * static_cast<std::size_t>(run), AccessKind::read);
    std::memcpy(into + size * static_cast<std::size_t>(at), reinterpret_cast<const void*>(address), size * static_cast<std::size_t>(run));
  });
  const auto once = size * static_cast<std::size_t>(held(use, shape)), all = size * static_cast<std::size_t>(count);
  for (std::size_t at = once; at < all; at += once) std::memcpy(into + at, into, std::min(once, all - at));
}

void store(const void* elements, int count, Shape shape, int type, void* to, unsigned stride, bool by_columns) {
  const Statement by{TILELAB_SITE};
  const auto matrix = reinterpret_cast<std::uintptr_t>(to);
  const std::size_t size = bytes_of[type];
  by.announce(elements, size * static_cast<std::size_t>(count), AccessKind::read);
  check_alignment(by, matrix, size * stride);
  meet(by);
  const auto* out_of = static_cast<const unsigned char*>(elements);
  each_run(accumulator, shape, type, matrix, stride, by_columns, [&](int at, std::uintptr_t address, int run) {
    by.announce(address, size * static_cast<std::size_t>(run), AccessKind::write);
    std::memcpy(reinterpret_cast<void*>(address), out_of + size * static_cast<std::size_t>(at), size * static_cast<std::size_t>(run));
  });
}

void multiply(void* result, const void* left_operand, const void* right_operand, const void* sum, Shape shape, int type, int result_type,
              int sum_type, bool saturates) {
  const Statement by{TILELAB_SITE};
  const auto bytes = [&](int use, int of_type) { return bytes_of[of_type] * static_cast<std::size_t>(held(use, shape)); };
  by.announce(left_operand, bytes(left, type), AccessKind::read);
  by.announce(right_operand, bytes(right, type), AccessKind::read);
  by.announce(sum, bytes(accumulator, sum_type), AccessKind::read);
  by.announce(result, bytes(accumulator, result_type), AccessKind::write);
  Product mine{result, left_operand, right_operand, sum, shape, type, result_type, sum_type, saturates};
  work_together(Machine::current().statement(by), &mine, multiply_all);
}

float to_tf32(float value) { return tf32_value(value); }

}  // namespace wmma_on_cpu

namespace tilelab_ptx {

uint4 load_matrices(int count, bool transposed, bits address) {
  Machine& machine = Machine::current();
  const CallSite site = TILELAB_SITE;
  const std::uintptr_t place = machine.statement(site);
  Rows mine{.count = count, .transposed = transposed, .row = {}, .words = {}};
  constexpr std::size_t row_bytes = sizeof mine.row;
  if (machine.running().ref.lane() < static_cast<std::uint32_t>(8 * count)) {
    const std::uintptr_t at = machine.shared_base() + (address & 0xFFFFFFFFu);
    if (at % row_bytes != 0) machine.misaligned(at, row_bytes, site);
    machine.check_space(Space::shared, at, row_bytes, AccessKind::read, false, site);
    machine.access(at, row_bytes, AccessKind::read, false, site);
    std::memcpy(mine.row.data(), reinterpret_cast<const void*>(at), row_bytes);
  }
  work_together(place, &mine, hand_out);
  return {mine.words[0], mine.words[1], mine.words[2], mine.words[3]};
}

uint4 multiply_matrices(int shape, int operand, int sum, uint4 a, bits b0, bits b1, uint4 c) {
  constexpr int shape_k[] = {8, 16, 4}, types[] = {half_number, bfloat, tf32};
  enum Sum : int { in_float, in_half, half_of_float, float_of_half };
  const std::array<std::uint32_t, 2> b{static_cast<std::uint32_t>(b0), static_cast<std::uint32_t>(b1)};
  uint4 result{0, 0, 0, 0};
  Product mine{&result,
               &a,
               &b,
               &c,
               {16, 8, shape_k[shape]},
               types[operand],
               sum == in_float || sum == float_of_half ? single : half_number,
               sum == in_float || sum == half_of_float ? single : half_number,
               false};
  work_together(TILELAB_STATEMENT, &mine, multiply_all);
  return result;
}

}  // namespace tilelab_ptx
}  // namespace cuda_on_cpu
