// Which texels a fetch uses: the rules of the guide, written out by hand for small objects.
#include "executor/arithmetic/texture_sampling.hpp"

#include <cmath>
#include <limits>
#include <map>

#include <catch2/catch_test_macros.hpp>

using namespace tilelab::simt;

namespace {

TextureObject line(std::uint32_t texels, AddressMode mode, bool linear, bool normalized) {
  TextureObject object;
  object.extent = {texels, 1, 1};
  object.address = {mode, mode, mode};
  object.linear = linear;
  object.normalized = normalized;
  return object;
}

std::map<std::int64_t, double> weights(const TextureObject& object, float x, float y = 0, float z = 0, std::int64_t layer = 0) {
  std::map<std::int64_t, double> found;
  const Taps taps = sampled_at(object, {x, y, z}, layer);
  for (std::uint32_t i = 0; i < taps.count; ++i) found[taps.tap[i].texel] += taps.tap[i].weight;
  return found;
}

using Weights = std::map<std::int64_t, double>;

}  // namespace

TEST_CASE("a fetch without a filter takes the texel that the coordinate lies in", "[texture]") {
  const TextureObject clamped = line(8, AddressMode::clamp, false, false);
  CHECK(weights(clamped, 3.99f) == Weights{{3, 1.0}});
  CHECK(weights(clamped, -0.01f) == Weights{{0, 1.0}});
  CHECK(weights(clamped, 8.0f) == Weights{{7, 1.0}});
  CHECK(weights(line(8, AddressMode::border, false, false), 8.0f) == Weights{{-1, 1.0}});
}

TEST_CASE("normalized coordinates wrap around or are mirrored", "[texture]") {
  const TextureObject ring = line(8, AddressMode::wrap, false, true), mirrors = line(8, AddressMode::mirror, false, true);
  for (const auto& [x, wrapped, mirrored] : {std::tuple{-0.0625f, 7, 0}, std::tuple{-0.9375f, 0, 7}, std::tuple{1.0625f, 0, 7},
                                             std::tuple{1.9375f, 7, 0}, std::tuple{2.0625f, 0, 0}}) {
    CHECK(weights(ring, x) == Weights{{wrapped, 1.0}});
    CHECK(weights(mirrors, x) == Weights{{mirrored, 1.0}});
  }
}

TEST_CASE("coordinates that are not normalized are clamped where they should wrap", "[texture]") {
  CHECK(weights(line(8, AddressMode::wrap, false, false), 9.0f) == Weights{{7, 1.0}});
  CHECK(weights(line(8, AddressMode::mirror, false, false), -2.0f) == Weights{{0, 1.0}});
}

TEST_CASE("the weights of a linear filter have 8 bits behind the point", "[texture]") {
  const TextureObject clamped = line(8, AddressMode::clamp, true, false);
  CHECK(weights(clamped, 3.5f) == Weights{{3, 1.0}});
  CHECK(weights(clamped, 4.0f) == Weights{{3, 0.5}, {4, 0.5}});
  CHECK(weights(clamped, 3.5f + 0.3f) == Weights{{3, 179.0 / 256}, {4, 77.0 / 256}});
  CHECK(weights(clamped, 3.5f + 0.999f) == Weights{{4, 1.0}});
  CHECK(weights(clamped, 0.25f) == Weights{{0, 1.0}});
  CHECK(weights(line(8, AddressMode::border, true, false), 0.25f) == Weights{{-1, 0.25}, {0, 0.75}});
  CHECK(weights(line(8, AddressMode::wrap, true, true), 0.0f) == Weights{{0, 0.5}, {7, 0.5}});
}

TEST_CASE("a linear filter in two and three dimensions multiplies the weights", "[texture]") {
  TextureObject picture = line(4, AddressMode::clamp, true, false);
  picture.dimensions = 2;
  picture.extent = {4, 3, 1};
  CHECK(weights(picture, 1.0f, 1.25f) == Weights{{0, 0.125}, {1, 0.125}, {4, 0.375}, {5, 0.375}});
  picture.dimensions = 3;
  picture.extent = {4, 3, 2};
  const Weights all = weights(picture, 1.0f, 1.0f, 1.0f);
  CHECK(all.size() == 8);
  CHECK(all.at(17) == 0.125);
}

TEST_CASE("products of weights are rounded to 8 bits and add up to one, as on a GPU", "[texture]") {
  TextureObject picture = line(4, AddressMode::clamp, true, false);
  picture.dimensions = 2;
  picture.extent = {4, 4, 1};
  const auto found = weights(picture, 1.5f + 1.0f / 256, 1.5f + 100.0f / 256);  // 1/256 * 100/256 is less than half of 1/256
  CHECK(found == Weights{{5, 155.0 / 256}, {6, 1.0 / 256}, {9, 100.0 / 256}});
}

TEST_CASE("layers lie one behind the other, and one that does not exist, even below zero, is the last", "[texture]") {
  TextureObject lines = line(4, AddressMode::clamp, false, false);
  lines.layers = 3;
  CHECK(weights(lines, 1.0f, 0, 0, 2) == Weights{{9, 1.0}});
  CHECK(weights(lines, 1.0f, 0, 0, 9) == Weights{{9, 1.0}});
  CHECK(weights(lines, 1.0f, 0, 0, -1) == Weights{{9, 1.0}});
  lines.dimensions = 2;
  lines.extent = {4, 5, 1};
  CHECK(weights(lines, 1.0f, 2.0f, 0, 1) == Weights{{29, 1.0}});
}

TEST_CASE("coordinates of any value lead to texels of the object", "[texture]") {
  using Limits = std::numeric_limits<float>;
  for (const AddressMode mode : {AddressMode::wrap, AddressMode::clamp, AddressMode::mirror, AddressMode::border}) {
    for (const bool linear : {false, true}) {
      for (const bool normalized : {false, true}) {
        for (const float x : {Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity(), Limits::max(), -Limits::max(), 1e18f, -1e18f}) {
          for (const auto& [texel, weight] : weights(line(7, mode, linear, normalized), x)) {
            CHECK(texel >= -1);
            CHECK(texel < 7);
            CHECK(std::isfinite(weight));
          }
        }
      }
    }
  }
}

TEST_CASE("gathering takes the four texels of a linear filter, counter-clockwise from the lower left", "[texture]") {
  TextureObject picture = line(4, AddressMode::clamp, false, false);
  picture.dimensions = 2;
  picture.extent = {4, 3, 1};
  const Taps taps = gathered_at(picture, {2.0f, 1.0f, 0.0f});
  CHECK(taps.count == 4);
  CHECK(taps.tap[0].texel == 5);
  CHECK(taps.tap[1].texel == 6);
  CHECK(taps.tap[2].texel == 2);
  CHECK(taps.tap[3].texel == 1);
}

TEST_CASE("a direction chooses the face of a cube and the place on it", "[texture]") {
  TextureObject cube;
  cube.dimensions = 2;
  cube.cube = true;
  cube.extent = {2, 2, 1};
  const auto texel = [&](float x, float y, float z, std::int64_t layer = 0) {
    return sampled_in_cube(cube, {x, y, z}, layer).tap[0].texel;
  };
  CHECK(texel(1, 0.5f, 0.5f) == 0);             // +x: s is -z, t is -y
  CHECK(texel(-1, 0.5f, 0.5f) == 1 * 4 + 1);    // -x: s is z
  CHECK(texel(0.5f, 2, 0.5f) == 2 * 4 + 3);     // +y: s is x, t is z
  CHECK(texel(0.5f, -1, 0.5f) == 3 * 4 + 1);    // -y: t is -z
  CHECK(texel(0.5f, 0.5f, 1) == 4 * 4 + 1);     // +z
  CHECK(texel(-0.5f, -0.5f, -1) == 5 * 4 + 3);  // -z: s is -x
  cube.layers = 2;
  CHECK(texel(1, 0.5f, 0.5f, 1) == 6 * 4);
}

TEST_CASE("levels of detail are chosen, clamped and blended", "[texture]") {
  TextureObject object = line(8, AddressMode::clamp, false, true);
  object.levels = 3;
  object.most_level = 2;
  CHECK(levels_at(object, 0.4f).level[0] == 0);
  CHECK(levels_at(object, 0.6f).level[0] == 1);
  CHECK(levels_at(object, 9).level[0] == 2);
  CHECK(levels_at(object, -3).level[0] == 0);
  object.blends_levels = true;
  const LevelTaps both = levels_at(object, 1.25f);
  REQUIRE(both.count == 2);
  CHECK((both.level[0] == 1 && both.level[1] == 2 && both.weight[1] == 0.25));
  object.most_level = 1;
  CHECK((levels_at(object, 1.25f).count == 1 && levels_at(object, 1.25f).level[0] == 1));
}

TEST_CASE("the texels of a level begin behind those of the level before", "[texture]") {
  Region region;
  region.base = 0x10000;
  TextureObject object = line(300, AddressMode::clamp, false, true);
  object.region = &region;
  object.levels = 3;
  const TextureObject second = level_of(object, 1), third = level_of(object, 2);
  CHECK((second.extent[0] == 150 && second.address_of(0) == 0x10000 + 1536));  // 1200 bytes, in steps of 512
  CHECK((third.extent[0] == 75 && third.address_of(1) == 0x10000 + 1536 + 1024 + 4));
}

TEST_CASE("rows with a pitch begin where they do", "[texture]") {
  Region region;
  region.base = 0x10000;
  TextureObject object = line(10, AddressMode::clamp, false, false);
  object.dimensions = 2;
  object.extent = {10, 3, 1};
  object.region = &region;
  object.pitch = 64;
  CHECK(object.address_of(21) == 0x10000 + 2 * 64 + 4);
  CHECK(object.bytes() == 2 * 64 + 40);
}
