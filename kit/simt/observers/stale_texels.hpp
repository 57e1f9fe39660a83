// Finds fetches of texels that the same launch has written: CUDA does not say what such a fetch brings before the next launch. Two threads
// that nothing orders race besides; RaceDetector finds that.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "simt/event.hpp"
#include "simt/finding_log.hpp"
#include "simt/memory/texture_object.hpp"

namespace tilelab::simt {

class StaleTexels final : public Observer {
 public:
  StaleTexels(FindingLog& log, std::span<const TextureObject> objects);
  bool watches(Space space) const override { return space == Space::global; }
  bool needs_every_read() const override { return false; }
  void on_access(const Access& access) override;

 private:
  static constexpr std::uint64_t granule = 4;  // bytes

  struct Written {
    std::uint64_t block = 0;
    std::uint32_t thread = 0;
    std::uint32_t statement : 28 = 0;  // place in statements_, from 1; 0: nobody has written it
    std::uint32_t bytes : 4 = 0;       // which of them
  };

  std::uint32_t number_of(const Access& access);
  void report(const Access& access, const Written& written);

  FindingLog& log_;
  std::map<const Region*, std::vector<Written>> written_;  // of the regions that a texture or a surface shows; empty: nothing yet
  std::vector<RawSite> statements_;                        // that write
};

}  // namespace tilelab::simt
