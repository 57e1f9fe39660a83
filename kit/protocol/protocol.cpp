// The fields of the messages in protocol.hpp. Reading is strict, because the peer may be hostile: it throws if a needed field is missing,
// or any has another type or is out of range. Nothing is rounded or wrapped. Whoever reads a message must judge what its strings mean, and
// how long they may be.
#include "protocol/protocol.hpp"

#include "protocol/message_fields.hpp"

namespace tilelab::protocol {

TILELAB_ROW(Extent, x, y, z)
TILELAB_ROW(Piece, offset, bytes, floating)
TILELAB_ROW(PointerAt, offset, argument)

TILELAB_MESSAGE(Argument, TILELAB_NEEDS(name, role, element, element_bytes, bytes, bits, row_elements)
                              TILELAB_MAY_HAVE(hidden, pointers, words, passing, alignment, pieces, texture))
TILELAB_MESSAGE(LaunchConfig, TILELAB_NEEDS(grid, block, shared_bytes))
TILELAB_MESSAGE(LaunchRequest, TILELAB_NEEDS(arguments, launch_arguments, event_budget, clock_ms, shared_poison)
                                   TILELAB_MAY_HAVE(config, order_seed, trace, traffic, follows_values, reversed, cooperative, second,
                                                    allow_same_value_writes, early_return_is_error, memory))
TILELAB_MESSAGE(Site, TILELAB_MAY_HAVE(file, line, function, access, block, thread))
TILELAB_MESSAGE(Finding,
                TILELAB_BESIDE(site) TILELAB_NEEDS(kind, severity, message, count) TILELAB_MAY_HAVE(array, element, other, address))
TILELAB_MESSAGE(LaunchReply, TILELAB_NEEDS(status, detail, config, findings, counters, printed)
                                 TILELAB_MAY_HAVE(trace, traffic, needs_reversed_run, left_data, uses))

}  // namespace tilelab::protocol
