// The program's calls that copy and fill memory, and where the rows of a copy lie.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "program/host_request.hpp"
#include "program/kernel_runners.hpp"
#include "program/session.hpp"

namespace tilelab::program {

// Where the rows of a copy lie: in which allocation, or which level of an array, and whether they fit there.

// Rows of bytes in one allocation.
struct Rows {
  Allocation* memory = nullptr;  // null: the program's own memory
  std::size_t offset = 0, rows = 0, row_bytes = 0, pitch = 0;
  std::size_t extent() const { return (rows - 1) * pitch + row_bytes; }
};

// The program's calls that copy and fill memory, the bytes that it sends and receives for them, and the module's variables, whose first
// values the host sends.

class CopyCalls {
 public:
  // `staging`: the memory that the program can write to at any time.
  CopyCalls(Session& session, KernelRunners::Variables& variables, char* staging)
      : session_(session), variables_(variables), staging_(staging) {}

  Reply copy(const HostRequest& request);
  Reply fill(const HostRequest& request);
  Reply symbol(const HostRequest& request);
  // The next bytes of a copy. While one is under way, the program may ask for nothing else.
  Reply chunk(const HostRequest& request);
  bool is_copying() const { return transfer_.has_value(); }

  // The memory of a variable of the module; null: there is no room for it.
  ModuleVariable* variable(const std::string& name, std::size_t bytes, std::uint64_t at, bool shared = false);
  // Whether a variable has its first value from the host, before any launch: a pointer to a function leads to the host's code then.
  bool has_first_values_of_host() const { return has_first_values_of_host_; }

 private:
  struct Transfer {
    Rows rows;
    bool to_device = false;
    std::size_t moved = 0;
    std::uint64_t at = 0, host = 0;  // where the program asked for it; its own memory
    std::size_t host_pitch = 0;
  };
  bool has_right_direction(const HostRequest& request, CopyKind kind, const Rows& to, const Rows& from);
  void move(const Rows& to, const Rows& from);
  void note_uses(const HostRequest& request, const Rows& to, const Rows& from);
  void note_unset(const HostRequest& request, const Rows& from);
  Reply finish(const HostRequest& request, const Rows& to, const Rows& from, const char* direction);

  Session& session_;
  KernelRunners::Variables& variables_;
  char* staging_;
  std::optional<Transfer> transfer_;
  bool has_first_values_of_host_ = false;
};

}  // namespace tilelab::program
