// The program's calls, each a request with its reply. They throw BrokenRules, and RunOver where the run ends with them.
#pragma once

#include <string>

#include "program/host_request.hpp"
#include "program/session.hpp"

namespace tilelab::program {

Reply allocate(Session& session, const HostRequest& request);
Reply free_memory(Session& session, const HostRequest& request);  // and arrays
// Where a pointer leads.
Reply pointer(Session& session, const HostRequest& request);
// Makes a CUDA array, or asks about one.
Reply array(Session& session, const HostRequest& request);
// Makes a texture or a surface, which shows an array or linear memory to kernels, or destroys one.
Reply texture(Session& session, const HostRequest& request);

// Rows of bytes, of the program's memory or of the device's.
Reply copy(Session& session, const HostRequest& request);
Reply fill(Session& session, const HostRequest& request);
// The next bytes of a copy.
Reply chunk(Session& session, const HostRequest& request);
// The module's variables, whose first values the host sends.
Reply symbol(Session& session, const HostRequest& request);
// The memory of one; null: there is no room for it.
ModuleVariable* variable(Session& session, const std::string& name, std::size_t bytes, std::uint64_t at, bool shared = false);

// What a kernel takes.
Reply kernel(Session& session, const HostRequest& request);
Reply launch(Session& session, const HostRequest& request);

Reply stream(Session& session, const HostRequest& request);
Reply event(Session& session, const HostRequest& request);
Reply device(Session& session, const HostRequest& request);
Reply last_error(Session& session, const HostRequest& request);
// The program has touched memory that it may not, or not yet.
Reply touch(Session& session, const HostRequest& request);

// A launcher's operands: memory that is there before the program starts. Reads what they hold before. Throws std::runtime_error where
// that cannot be read, or there is no room.
void place_operands(Session& session);
// Their addresses and values, in the order of program.json. `count`: how many the program expects.
Reply operands(Session& session, const HostRequest& request);
// The launcher came back: waits for the device, writes down what the operands hold, and ends the run. Throws std::runtime_error.
void finish(Session& session, const HostRequest& request);

}  // namespace tilelab::program
