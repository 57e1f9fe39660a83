// Memory that host and device both use, as the host sees it. For a judge the two have files of their own, and bytes go from one to the
// other only between launches and copies: what the host writes while a kernel runs is not taken for the kernel's. Otherwise there is one
// file, and nothing to do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "program/memory/device_memory.hpp"
#include "program/provenance/altered_inputs.hpp"
#include "program/provenance/custody.hpp"
#include "program/provenance/host_reads.hpp"

namespace tilelab::program {

class HostView {
 public:
  // Throws std::system_error, std::bad_alloc.
  HostView(DeviceMemory& memory, Custody& custody, const AlteredInputs& altered, HostReads& reads);

  // The file that the program maps, at an allocation's own offset.
  int descriptor() const;
  // The memory is new: the host sees what the device sees.
  void open(const Allocation& one);
  // What the host has written since: the device has it too, and no kernel wrote it. `at`: what the program asks for now.
  void take_in(Allocation& one, std::uint64_t at);
  void take_in_all(std::uint64_t at);
  // What kernels wrote.
  void hand_out_all(std::uint64_t at);
  // What a copy or a fill wrote.
  void hand_out(Allocation& one, std::size_t first, std::size_t bytes, std::uint64_t at);

 private:
  static constexpr std::size_t piece = 4096;  // bytes that are looked at together
  bool is_apart(const Allocation& one) const { return file_ && one.file() == protocol::ProgramFile::shared; }

  // What the host sees if it has written nothing since.
  const char* last_shown(const Allocation& one) const { return shown_ ? shown_->memory() + one.offset : one.content; }
  void show_again(std::uint64_t at);

  DeviceMemory& memory_;
  Custody& custody_;
  const AlteredInputs& altered_;
  HostReads& reads_;
  std::optional<MappedFile> file_;
  std::optional<MappedFile> shown_;  // where the host is shown another run's bytes: these, and what it wrote over them
};

}  // namespace tilelab::program
