// Words one finding: its place in the source, its element's name and its sentence. It knows one finding at a time: finding_messages.hpp
// puts many of them together.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>

#include "protocol/protocol.hpp"
#include "runner/report/finding_messages.hpp"
#include "runner/submission/image.hpp"
#include "simt/finding_log.hpp"

namespace tilelab {

// The index of a block or a thread from its number.
std::array<unsigned, 3> index_in(std::uint64_t linear, const protocol::Extent& extent);
std::string in_brackets(const std::array<unsigned, 3>& index);

class MessageWriter {
 public:
  MessageWriter(const Image& image, const LaunchGeometry& geometry) : image_(image), geometry_(geometry) {}

  protocol::Finding describe(const simt::RawFinding& raw) const;

 private:
  // Places and names: message_writer.cpp
  protocol::Site site(const simt::RawSite& raw) const;
  // The grid of a thread, if a kernel launched it.
  const ChildGeometry* child_of(const simt::ThreadRef& thread) const;
  std::array<unsigned, 3> thread_of(const simt::ThreadRef& thread) const;
  std::string in_which_grid(const simt::RawFinding& raw) const;
  // What a kernel allocated has no name but the line that did it.
  void name_allocation(protocol::Finding& finding, const simt::RawFinding& raw) const;
  std::string line_of(std::uintptr_t pc) const;
  // Which array in this line has a dimension of size `bound`. The compiler reports a bad subscript, but not the array's name.
  std::string subscripted_array(const std::string& text, std::uint64_t bound) const;
  // Writes "As[…][16]": only one subscript is known.
  void name_subscript(protocol::Finding& finding, const simt::RawFinding& raw) const;
  const std::string& source_line(int line) const;
  // The source lines of the conditions, each with one of them.
  std::map<int, std::uintptr_t> lines_of(const simt::RawFinding& raw) const;
  bool calls(int line, const char* name) const;

  // Words that all sentences use.
  static std::string bytes(std::size_t count);
  static std::string at(const protocol::Site& site);
  static const char* verb(const protocol::Site& site);

  // What one thread did: thread_sentences.cpp
  std::string leak(const simt::RawFinding& raw, const protocol::Finding& finding) const;
  std::string outside_allocation(const simt::RawFinding& raw, const protocol::Finding& finding, const std::string& done) const;
  // Whoever reported the finding worded what the thread did, but for those about two threads or about an array's shape.
  std::string sentence(const simt::RawFinding& raw, const protocol::Finding& finding) const;
  static std::string beside_surface(const simt::RawFinding& raw, const protocol::Finding& finding);
  static std::string filled_in(std::string what, const protocol::Finding& finding);
  static std::string undefined_lane(const simt::LaneEvent& lane);
  std::string out_of_bounds(const simt::RawFinding& raw, const protocol::Finding& finding, const std::string& by) const;
  static std::string paid_for(const simt::Region& region);
  static std::string shape(const simt::Region& region);

  // What two threads did, or all threads of a block: conflict_sentences.cpp
  static std::string divergence(const simt::RawFinding& raw, const protocol::Finding& finding);
  std::string barrier(const simt::RawFinding& raw, const protocol::Finding& finding) const;
  std::string missed(const simt::RawFinding& raw, const std::string& thread) const;
  // Which condition led past the barrier, if that is certain.
  std::string because(const simt::RawFinding& raw) const;
  std::string which_comes_first(const protocol::Finding& finding) const;
  // The first line strictly between the two lines that calls a barrier; 0 if there is none. If there is one, the race goes from
  // one iteration of a loop to the next.
  int barrier_between(const protocol::Site& one, const protocol::Site& other) const;
  static std::string race_between_blocks(const protocol::Finding& finding, bool narrow);
  std::string race(const simt::RawFinding& raw, const protocol::Finding& finding) const;
  // Why a __syncwarp() near the two accesses does not order them.
  std::string warps_apart(const simt::RawFinding& raw, const protocol::Finding& finding) const;
  // The line of the function at `pc` that calls __syncwarp() and is nearest to the lines from `first` to `last`; 0 if there is none.
  int nearest_warp_sync(std::uintptr_t pc, int first, int last) const;

  const Image& image_;
  const LaunchGeometry& geometry_;
};

}  // namespace tilelab
