// Where a program's result came from: whether a kernel wrote it in device memory, or the host sent it there.
//
// The right values are known here, so they are looked for in what passed between host and device. A host that encodes the result and lets
// a kernel decode it is not found out here, but by a second run (program_judge.cpp), where a trial has other numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "judge/programs/brokered_run.hpp"
#include "judge/programs/operand_files.hpp"
#include "operands/operand.hpp"

namespace tilelab::judge {

// What the host received from the device, put together as it lies in the host's memory, and which of it kernels wrote.
struct ReceivedPiece {
  std::vector<std::byte> bytes;
  std::vector<bool> by_kernel;  // of each byte
};

// Pieces of the host's memory without a gap, as the copies left them: a later copy covers an earlier one.
std::vector<ReceivedPiece> received_pieces(const std::vector<CopiedBytes>& copies);

// What the submission was given: a result that stands there needs no computing.
struct KnownValues {
  ElementType type = ElementType::f32;
  std::vector<std::byte> bytes;
};

// Whether bytes that the host received hold the whole result, in one piece of the host's memory, and a kernel made it. Elements that no
// kernel wrote may hold what stands in `known` at the same index, or one and the same byte, as cudaMemset leaves it.
bool came_from_a_kernel(const Expectation& right, ElementType type, const std::vector<CopiedBytes>& copies,
                        const std::vector<KnownValues>& known);

// The first element of a launcher's result that the host put there. Not every right result is a kernel's to its last byte: a launcher may
// fill an output with cudaMemset and let a kernel write a part, or copy an input to it whose edge no kernel changes. What else the host put
// there, it computed.
std::optional<std::size_t> first_from_the_host(const Operand& result, const OperandContent& content, const std::vector<KnownValues>& known);

// The first copy to the device that holds `window` elements of the result in a row, or all of a shorter one; its `at`. Results of fewer
// than four elements, or of fewer than four different values, tell nothing,
// nor what stands in `known`, nor what the host received from a kernel before.
std::optional<std::uint64_t> sent_by_the_host(const Expectation& right, ElementType type, const std::vector<CopiedBytes>& copies,
                                              const std::vector<KnownValues>& known);

// The instructions whose copies to the device hold these bytes in a row, each once.
std::vector<std::uint64_t> places_that_send(std::span<const std::byte> bytes, const std::vector<CopiedBytes>& copies);

// Where copies brought what is on the device to the host: each instruction once, in their order, at most four.
std::vector<std::uint64_t> places_that_receive(const std::vector<CopiedBytes>& copies);

}  // namespace tilelab::judge
