// Finds accesses outside of declared memory (before or past a buffer, past a dimension of an array, to a stack's frame links, to
// no memory at all), and misaligned accesses.
#pragma once

#include "simt/event.hpp"
#include "simt/finding_log.hpp"

namespace tilelab::simt {

class BoundsChecker final : public Observer {
 public:
  explicit BoundsChecker(FindingLog& log) : log_(log) {}
  void on_stray(const Access& access, const Region* nearest) override;
  void on_index(const IndexEvent& event) override;
  void on_outside_surface(const Access& access, const SurfaceEvent& event) override;
  void on_misaligned(const Access& access, std::size_t alignment) override;

 private:
  FindingLog& log_;
};

}  // namespace tilelab::simt
