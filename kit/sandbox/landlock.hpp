// Landlock: the kernel's way for an ordinary process to restrict its own access to the file system. After that, it can neither
// open nor change what is not listed. Landlock does not hide that a file exists (stat), and does not cover chmod.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tilelab::sandbox {

// The kernel's Landlock version; 0 if it has none or it is not enabled.
int landlock_abi();

struct FileAccess {
  std::vector<std::string> readable;    // files, and folders with everything below them
  std::vector<std::string> executable;  // may be executed as well; shared libraries need not be listed here
  std::vector<std::string> writable;    // may be read, written, made and removed below here; not executed
  std::vector<std::string> devices;     // may be read, written and controlled by ioctl
};

// Restricts this process and everything it starts, for ever. Needs no_new_privs. Throws Failure that names the path.
void restrict_files(const FileAccess& access);

}  // namespace tilelab::sandbox
