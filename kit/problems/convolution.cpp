#include "problems/convolution.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>

#include "judge/bench.hpp"

namespace tilelab::convolution {
namespace {

constexpr int longest_side = 2048, least_tiled_side = 64, largest_weight = 99;
constexpr int largest_pixel = 4095;  // 12 bits, which no half-precision or TF32 number holds
constexpr std::size_t weights = mask_side * mask_side;

constexpr std::uint64_t most_words_of_a_thread = 4096;  // that one thread loads and stores, wherever they lie
constexpr std::uint64_t most_words_of_a_turn = 8192;    // the same, of the busiest threads of all launches together
constexpr double most_loads_of_a_pixel = 2.5;           // from global memory; a tile of 8×8 and its halo take 2.25

// Instrumented events that a run may make before it counts as endless: a generous number for each product, and some for the idle threads
// of a large block on a small picture.
constexpr std::uint64_t spare_events = 20'000'000, events_per_product = 100;

void expect_sides(Shape shape) {
  for (const int side : {shape.height, shape.width}) {
    if (side < 1 || side > longest_side) throw std::logic_error("a picture's sides are from 1 to " + std::to_string(longest_side));
  }
}

struct Sum {
  double value = 0, magnitudes = 0;
};

Sum sum_at(Shape shape, const std::vector<double>& image, const std::vector<double>& mask, int y, int x) {
  Sum sum;
  for (int i = 0; i < mask_side; ++i) {
    for (int j = 0; j < mask_side; ++j) {
      const int row = y + i - radius, column = x + j - radius;
      if (row < 0 || row >= shape.height || column < 0 || column >= shape.width) continue;
      const std::size_t pixel = static_cast<std::size_t>(row) * static_cast<std::size_t>(shape.width) + static_cast<std::size_t>(column);
      const double product = mask[static_cast<std::size_t>(i * mask_side + j)] * image[pixel];
      sum.value += product;
      sum.magnitudes += std::abs(product);
    }
  }
  return sum;
}

// `unit_error`: the bound is so many times the sum of magnitudes; 0: exact.
judge::Trial make_trial(Shape shape, std::string inputs, std::vector<double> image, std::vector<double> mask, double unit_error) {
  const auto height = static_cast<std::size_t>(shape.height), width = static_cast<std::size_t>(shape.width);
  judge::Expectation out{.rows = height, .columns = width, .values = {}};
  for (int y = 0; y < shape.height; ++y) {
    for (int x = 0; x < shape.width; ++x) {
      const Sum sum = sum_at(shape, image, mask, y, x);
      out.values.push_back(sum.value);
      if (unit_error > 0) out.bounds.push_back(unit_error * sum.magnitudes);
    }
  }
  if (unit_error > 0) out.rule = "26·u·Σ|mask·image|, u = 2^-24";
  return {.shape = "height=" + std::to_string(height) + " width=" + std::to_string(width),
          .inputs = std::move(inputs),
          .operands = {judge::input("image", ElementType::f32, width, std::move(image)),
                       judge::for_host(judge::input("mask", ElementType::f32, mask_side, std::move(mask))),
                       judge::output("out", std::move(out)), judge::integer("height", shape.height), judge::integer("width", shape.width)},
          .launch_arguments = {shape.height, shape.width},
          .work_unit = "pixel",
          .work = height * width,
          .work_events = events_per_product * weights * height * width,
          .spare_events = spare_events};
}

std::size_t pixels(Shape shape) {
  expect_sides(shape);
  return static_cast<std::size_t>(shape.height) * static_cast<std::size_t>(shape.width);
}

// Different magnitudes from 1 to `largest_weight`, in random order.
std::vector<double> drawn_weights(judge::RandomStream& random) {
  std::array<int, largest_weight> all{};
  for (int i = 0; i < largest_weight; ++i) all[static_cast<std::size_t>(i)] = i + 1;
  std::vector<double> mask;
  for (std::size_t i = 0; i < weights; ++i) {
    std::swap(all[i], all[static_cast<std::size_t>(random.between(static_cast<int>(i), largest_weight - 1))]);
    const int weight = all[i];
    mask.push_back(random.between(0, 1) ? weight : -weight);
  }
  return mask;
}

}  // namespace

judge::Trial exact_trial(Shape shape, judge::RandomStream random) {
  return judge::with_altered([&] {
    const auto quarter = [&] { return 0.25 * random.of_either_sign(largest_pixel); };
    std::vector<double> image = judge::drawn_numbers(pixels(shape), quarter);
    return make_trial(shape, "quarters and whole weights", std::move(image), drawn_weights(random), 0);
  });
}

judge::Trial close_trial(Shape shape, judge::RandomStream random) {
  return judge::with_altered([&] {
    const auto signed_unit = [&] { return double{random.signed_unit()}; };
    std::vector<double> image = judge::drawn_numbers(pixels(shape), signed_unit), mask = judge::drawn_numbers(weights, signed_unit);
    return make_trial(shape, "signed random", std::move(image), std::move(mask), (weights + 1) * 0x1p-24);
  });
}

judge::Trial tiled_trial(Shape shape, judge::RandomStream random) {
  if (shape.height < least_tiled_side || shape.width < least_tiled_side) throw std::logic_error("the picture is mostly edge");
  return exact_trial(shape, random);
}

std::string missed_tiling(Shape shape, const judge::Counters& counters) {
  const std::uint64_t count = pixels(shape), word = sizeof(float), loaded = judge::fetched_bytes(counters) / word;
  if (loaded < count)  // at() throws if missing: our own error
    return "it loads less from global memory than `image` holds: where does it have the rest from?";
  if (std::string missed =
          judge::missed_spread(counters, most_words_of_a_thread, "Share the work among more threads.", most_words_of_a_turn);
      !missed.empty())
    return missed;
  // Local arrays that a GPU keeps in local memory are no nearer.
  const std::uint64_t all = judge::loaded_bytes(counters) / word;
  if (static_cast<double>(all) > most_loads_of_a_pixel * static_cast<double>(count))
    return "it loads " + std::to_string(all) + " numbers from global memory for " + std::to_string(count) +
           " pixels; at most 5 for every 2 pixels earn these points. Load a tile with its halo once for a whole block, and keep the "
           "weights in constant memory.";
  return {};
}

}  // namespace tilelab::convolution
