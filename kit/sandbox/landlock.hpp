// Landlock: the kernel's way for an ordinary process to give up its view of the file system. Once in force, what is
// not listed can be neither opened nor changed. It does not hide that a file exists (stat), nor cover chmod.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tilelab::sandbox {

// The kernel's Landlock version, 0 where it has none or where it was not switched on.
int landlock_abi();

struct FileAccess {
  std::vector<std::string> readable;    // files and folders with all that is beneath
  std::vector<std::string> executable;  // may be executed as well; a shared library need not be in here
  std::vector<std::string> writable;    // read, written, made and removed beneath; not executed
  std::vector<std::string> devices;     // read, written and controlled
};

// Confines this process and all it starts, for good. Needs no_new_privs. Throws Failure naming the path.
void restrict_files(const FileAccess& access);

}  // namespace tilelab::sandbox
