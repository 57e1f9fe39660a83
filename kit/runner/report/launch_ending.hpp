// How a launch ended: what stopped it, in the words of findings.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "protocol/protocol.hpp"
#include "simt/finding_log.hpp"
#include "simt/machine/machine.hpp"
#include "simt/memory/memory_map.hpp"

namespace tilelab {

class LaunchEnding {
 public:
  // Findings go to `log`. Both stay where they are.
  LaunchEnding(simt::FindingLog& log, const simt::MemoryMap& memory) : log_(log), memory_(memory) {}

  // The machine has run: what stopped it, if anything did.
  void note(const simt::Machine& machine);
  // Memory that the kernel allocated and did not free. It stays allocated until the program ends.
  void note_leaks();
  void stop(protocol::Status status, std::string detail) { trouble_ = {status, std::move(detail)}; }
  // A thread of the kernel did something that no machine survives. `what`: see RawFinding.
  void record(Verdict kind, std::uintptr_t pc, const char* what);
  // Ended by a signal. `overflow`: a thread's stack was too small. Returns the reply's status and detail.
  std::pair<protocol::Status, std::string> by_signal(int signal, std::uintptr_t pc, bool overflow);
  // Memory has run out. Whether blocks need it while they wait: then that is told.
  bool by_memory();

  const std::optional<std::pair<protocol::Status, std::string>>& trouble() const { return trouble_; }

 private:
  void record(Verdict kind, const simt::Wait& at, const char* what, bool note = false);
  void record_trap(const simt::Machine::Trap& trap);

  simt::FindingLog& log_;
  const simt::MemoryMap& memory_;
  std::optional<std::pair<protocol::Status, std::string>> trouble_;
};

}  // namespace tilelab
