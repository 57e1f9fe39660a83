// A launch without a kernel, of which all observers of a launch hear: thread 5 writes C[2], once as volatile and once not.
#pragma once

#include <cstdint>
#include <vector>

#include "executor/observer_list.cpp"

namespace tilelab {

inline std::vector<simt::RawFinding> findings_of_a_launch() {
  static simt::Region C;
  C.name = "C";
  C.role = simt::BufferRole::output;
  C.bytes = 64;
  static simt::ObserverList observers(simt::RaceDetector::SameValue::races);
  simt::Announcer announcer;
  observers.join(announcer);
  simt::LaunchEvent launch;
  launch.block = {64, 1, 1};
  announcer.announce(&simt::Observer::on_launch_begin, launch);
  announcer.announce(&simt::Observer::on_block_begin, std::uint64_t{0});
  simt::Access access;
  access.kind = simt::AccessKind::write;
  access.region = &C;
  access.offset = 8;
  access.size = 4;
  access.by = {0, 5};
  for (const bool is_volatile : {true, false}) {
    access.is_volatile = is_volatile;
    access.pc = is_volatile ? 11 : 21;
    announcer.access(access);
  }
  announcer.announce(&simt::Observer::on_block_end, std::uint64_t{0}, std::uint32_t{0});
  announcer.announce(&simt::Observer::on_launch_end);
  return observers.log().deduplicated();
}

}  // namespace tilelab
