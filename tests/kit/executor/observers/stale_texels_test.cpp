// What a launch writes is not fetched through a texture before the next launch.
#include "executor/observers/stale_texels.hpp"

#include <catch2/catch_test_macros.hpp>

#include "executor/memory/region.hpp"

using namespace tilelab::simt;

namespace {

struct Shown {
  Region region;
  FindingLog log;
  std::vector<TextureObject> objects{1};

  Shown() {
    region.bytes = 64;
    objects[0].region = &region;
  }

  void touches(StaleTexels& observer, std::uint64_t at, AccessKind kind, Unit unit, std::uint32_t size = 4) {
    Access access;
    access.region = &region;
    access.offset = at;
    access.size = size;
    access.kind = kind;
    access.unit = unit;
    access.pc = kind == AccessKind::read ? 20 : 10;
    access.by = {3, static_cast<std::uint32_t>(at)};
    observer.on_access(access);
  }
};

}  // namespace

TEST_CASE("a fetch of what the launch has written is found, with the thread that wrote it", "[stale_texels]") {
  for (const Unit by : {Unit::none, Unit::surface}) {
    Shown shown;
    StaleTexels observer(shown.log, shown.objects);
    shown.touches(observer, 0, AccessKind::write, by);
    shown.touches(observer, 8, AccessKind::write, by);
    shown.touches(observer, 8, AccessKind::read, Unit::texture);
    const auto found = shown.log.deduplicated();
    REQUIRE(found.size() == 1);
    CHECK(found[0].kind == tilelab::Verdict::race);
    CHECK_FALSE(found[0].note);
    CHECK(found[0].other.by.thread == 8);
    CHECK(found[0].other.by.block == 3);
    CHECK(found[0].offset == 8);
  }
}

TEST_CASE("a fetch before the write, of other bytes or through a pointer is no stale texel", "[stale_texels]") {
  Shown shown;
  StaleTexels observer(shown.log, shown.objects);
  shown.touches(observer, 4, AccessKind::read, Unit::texture);
  shown.touches(observer, 4, AccessKind::write, Unit::none, 1);
  shown.touches(observer, 5, AccessKind::read, Unit::texture, 1);
  shown.touches(observer, 4, AccessKind::read, Unit::none);
  CHECK(shown.log.deduplicated().empty());
}

TEST_CASE("a surface that is read after it was written is worth a note", "[stale_texels]") {
  Shown shown;
  StaleTexels observer(shown.log, shown.objects);
  shown.touches(observer, 4, AccessKind::write, Unit::surface);
  shown.touches(observer, 4, AccessKind::read, Unit::surface);
  REQUIRE(shown.log.deduplicated().size() == 1);
  CHECK(shown.log.deduplicated()[0].note);
}

TEST_CASE("memory that no texture shows is not watched", "[stale_texels]") {
  Shown shown;
  StaleTexels observer(shown.log, {});
  shown.touches(observer, 4, AccessKind::write, Unit::none);
  shown.touches(observer, 4, AccessKind::read, Unit::texture);
  CHECK(shown.log.deduplicated().empty());
}
